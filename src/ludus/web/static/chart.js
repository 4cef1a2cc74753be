/** Who is winning, ply by ply: bands that share the height as the seats share the chances. */

import { h, percent, seatMark, shape } from "./dom.js";

const WIDTH = 600;
const HEIGHT = 120;

export class Chart {
  /** `seek(ply)` makes the chart clickable. */
  constructor(seek) {
    this.seek = seek;
    this.drawing = shape("svg", { class: "chances", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" });
    this.drawing.setAttribute("role", "img");
    this.legend = h("div", { class: "legend" });
    const title = h("h2", {}, "Chances of winning");
    this.element = h("section", { class: "sheet", hidden: true }, title, this.drawing, this.legend);
    if (seek) this.drawing.onclick = (event) => seek(this.#plyAt(event));
  }

  /** `chances[ply]` has shares and their bounds, or is null where nothing is known; `last` ends the axis, `now` is marked. */
  show(chances, last = chances.length - 1, now = last) {
    const known = chances.flatMap((one, ply) => (one ? [{ ply, ...one }] : []));
    this.element.hidden = known.length === 0;
    if (!known.length) return;
    this.last = Math.max(last, 1);
    const at = known.findLast(({ ply }) => ply <= now) ?? known[0];
    this.drawing.replaceChildren(...this.#bands(known), ...this.#doubts(known), this.#middleLine(), this.#cursor(now));
    const words = at.shares.map((_, seat) => between(at, seat));
    this.drawing.setAttribute("aria-label", `Chances at ply ${at.ply}: ${words.join(", ")}`);
    this.legend.replaceChildren(...at.shares.map((share, seat) =>
      h("span", { title: words[seat] }, seatMark(seat), percent(share), doubt(at, seat))));
  }

  #x(ply) {
    return (WIDTH * ply) / this.last;
  }

  /** From the top: the first seat's band, the second's under it, … */
  #bands(known) {
    // What is not reckoned yet is taken to be as the nearest that is.
    const points = [{ ...known[0], ply: 0 }, ...known, { ...known.at(-1), ply: this.last }];
    return known[0].shares.map((_, seat) => {
      const edge = (count) => points.map(({ ply, shares }) => `${this.#x(ply)},${HEIGHT * sum(shares, count)}`);
      const outline = [...edge(seat), ...edge(seat + 1).reverse()].join(" ");
      return shape("polygon", { points: outline, class: `band seat${seat}` });
    });
  }

  /** Between two bands: where the border may lie as well. */
  #doubts(known) {
    return known[0].shares.slice(1).map((_, seat) => {
      const at = ({ ply, shares }, move) => `${this.#x(ply)},${HEIGHT * clamp(sum(shares, seat + 1) + move)}`;
      const upper = known.map((one) => at(one, -margin(one, seat, seat + 1)));
      const lower = known.map((one) => at(one, margin(one, seat, seat + 1)));
      return shape("polygon", { points: [...upper, ...lower.reverse()].join(" "), class: "doubt" });
    });
  }

  #middleLine() {
    return shape("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "even" });
  }

  #cursor(ply) {
    return shape("line", { x1: this.#x(ply), x2: this.#x(ply), y1: 0, y2: HEIGHT, class: "now" });
  }

  #plyAt(event) {
    const box = this.drawing.getBoundingClientRect();
    return Math.round((this.last * (event.clientX - box.x)) / box.width);
  }
}

const sum = (shares, count) => shares.slice(0, count).reduce((total, share) => total + share, 0);

const clamp = (share) => Math.min(Math.max(share, 0), 1);

/** Half the width of the interval of two neighbours, the wider of them. */
const margin = ({ low, high }, ...seats) => Math.max(...seats.map((seat) => (high[seat] - low[seat]) / 2));

const between = ({ shares, low, high }, seat) =>
  `${percent(shares[seat])}, between ${percent(low[seat])} and ${percent(high[seat])}`;

const doubt = (at, seat) => h("span", { class: "soft" }, margin(at, seat) > 0 ? ` ± ${percent(margin(at, seat))}` : "");
