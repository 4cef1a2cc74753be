/** A finished match, ply by ply. Frames are fetched when they are looked at, and kept. */

import { Board, zoomButton } from "./board.js";
import { Chart } from "./chart.js";
import { agentName, copyButton, h, missing, seatMark, seatName, speak } from "./dom.js";
import { ask } from "./net.js";
import { MoveList } from "./panels.js";
import { rulesButton } from "./rules.js";

const PLAY_EVERY = 700;

export async function showReplay(page, id) {
  const path = `/api/replays/${encodeURIComponent(id)}`;
  try {
    new ReplayScreen(page, path, await ask(path));
  } catch (problem) {
    page.replaceChildren(...missing("No such replay", problem));
  }
}

class ReplayScreen {
  constructor(page, path, match) {
    Object.assign(this, { path, match, ply: -1, frames: new Map(), chances: [] });
    this.board = new Board(() => {});
    this.moves = new MoveList((ply) => this.seek(ply));
    this.chart = new Chart((ply) => this.seek(ply));
    this.#build(page);
    addEventListener("hashchange", () => this.seek(plyInHash() ?? this.ply));
    addEventListener("keydown", (event) => this.#key(event));
    this.seek(plyInHash() ?? 0);
    this.#loadChances();
  }

  #build(page) {
    const { title, agents, outcome_text, plies, game } = this.match;
    this.scrubber = h("input", { type: "range", min: "0", max: String(plies), class: "scrubber", "aria-label": "Ply" });
    this.scrubber.oninput = () => this.seek(Number(this.scrubber.value));
    this.count = h("output", { class: "count" });
    this.playButton = h("button", { type: "button", class: "primary", onclick: () => this.#toggle() }, "Play");
    this.eyes = h("select", { "aria-label": "Seen by", onchange: () => this.#showFrame() },
      h("option", { value: "" }, "everything"), agents.map((_, seat) => h("option", { value: seat }, seatName(seat))));
    this.link = h("input", { readonly: true, "aria-label": "Link to this ply" });
    this.share = h("span", { class: "row" });
    const step = (label, sign, ply) =>
      h("button", { type: "button", "aria-label": label, onclick: () => this.seek(ply()) }, sign);
    const seats = agents.map((agent, seat) =>
      h("li", {}, seatMark(seat), h("span", { class: "name" }, agentName(agent))));
    page.className = "table";
    page.replaceChildren(
      h("div", { class: "stage" },
        h("div", { class: "heading" },
          h("h1", {}, title), rulesButton(game), zoomButton(page),
          h("ul", { class: "seats", "aria-label": "Seats" }, seats)),
        h("p", { class: "outcome" }, outcome_text),
        this.board.element,
        h("div", { class: "transport" }, this.scrubber,
          h("div", { class: "row" },
            step("First", "«", () => 0), step("Back", "‹", () => this.ply - 1), this.playButton,
            step("Forward", "›", () => this.ply + 1), step("Last", "»", () => plies), this.count,
            h("label", { class: "row eyes" }, "Seen by", this.eyes)),
          this.share)),
      h("aside", { "aria-label": "Beside the board" }, this.chart.element, this.moves.element),
    );
    document.title = `${title}, a replay · Ludus`;
  }

  /** Go to a ply; what lies outside the match is its nearest end. */
  seek(wanted) {
    const ply = Math.min(Math.max(wanted, 0), this.match.plies);
    if (ply === this.ply) return;
    this.ply = ply;
    history.replaceState(null, "", `#ply=${ply}`);
    this.scrubber.value = String(ply);
    this.count.textContent = `${ply} of ${this.match.plies}`;
    this.link.value = location.href;
    this.share.replaceChildren(this.link, copyButton(location.href));
    this.moves.show(this.match.moves, ply);
    this.chart.show(this.chances, this.match.plies, ply);
    this.#showFrame();
  }

  async #showFrame() {
    const { ply } = this;
    const frame = await this.#frame(ply, this.eyes.value).catch((problem) => speak(problem.message));
    if (!frame || ply !== this.ply) return; // somebody scrubbed on meanwhile
    this.board.show(ply, frame.svg);
    if (ply < this.match.plies) this.#frame(ply + 1, this.eyes.value).catch(() => {});
  }

  #frame(ply, seat) {
    const key = `${ply}${seat === "" ? "" : `?seat=${seat}`}`;
    if (!this.frames.has(key)) {
      const answer = ask(`${this.path}/frames/${key}`);
      answer.catch(() => this.frames.delete(key));
      this.frames.set(key, answer);
    }
    return this.frames.get(key);
  }

  /** The curve takes the server some seconds. */
  async #loadChances() {
    ({ chances: this.chances } = await ask(`${this.path}/chances`).catch(() => ({ chances: [] })));
    this.chart.show(this.chances, this.match.plies, this.ply);
  }

  #toggle() {
    const isPlaying = this.timer != null;
    clearInterval(this.timer);
    this.timer = isPlaying ? null : setInterval(() => this.#advance(), PLAY_EVERY);
    this.playButton.textContent = isPlaying ? "Play" : "Stop";
    if (!isPlaying && this.ply === this.match.plies) this.seek(0);
  }

  #advance() {
    if (this.ply < this.match.plies) this.seek(this.ply + 1);
    else this.#toggle();
  }

  #key(event) {
    if (event.target.matches("input, select, textarea")) return;
    const leads = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.match.plies };
    if (event.key in leads) this.seek(leads[event.key]);
    else if (event.key === " " && event.target === document.body) this.#toggle();
    else return;
    event.preventDefault();
  }
}

function plyInHash() {
  const found = /^#ply=(\d+)$/.exec(location.hash);
  return found ? Number(found[1]) : null;
}
