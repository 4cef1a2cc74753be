/** What stands beside the board. Each panel is an element and a way to show what is new. */

import { h, percent, refill, seatMark, seatName, shareOf } from "./dom.js";

/** The moves that the viewer may know, in the game's notation. With `seek` they are buttons that lead to their ply. */
export class MoveList {
  constructor(seek) {
    this.seek = seek;
    this.shown = [];
    this.list = h("ol", { class: "moves", tabindex: "0", "aria-label": "Moves" });
    this.secret = h("p", { class: "soft", hidden: true }, "Some moves are still secret.");
    this.element = h("section", { class: "sheet" }, h("h2", {}, "Moves"), this.list, this.secret);
  }

  /** Only what differs is touched: a long match grows by one line. */
  show(all, now = Infinity) {
    const moves = all.filter(({ text }) => text != null);
    this.secret.hidden = moves.length === all.length;
    this.element.hidden = all.length === 0;
    const keys = moves.map((move) => JSON.stringify(move));
    const same = keys.findIndex((key, k) => key !== this.shown[k]);
    const kept = same < 0 ? keys.length : same;
    const isAtEnd = this.list.scrollTop + this.list.clientHeight > this.list.scrollHeight - 40;
    while (this.list.children.length > kept) this.list.lastChild.remove();
    this.list.append(...moves.slice(kept).map((move) => this.#line(move)));
    this.shown = keys;
    if (this.seek) this.#mark(moves, now);
    else if (isAtEnd) this.list.scrollTop = this.list.scrollHeight;
  }

  #line({ ply, player, text }) {
    const label = `${ply + 1}, ${seatName(player)}: ${text}`;
    const inner = [h("span", { class: "ply" }, `${ply + 1}`), seatMark(player), h("span", {}, text)];
    if (!this.seek) return h("li", {}, inner);
    return h("li", {}, h("button", { type: "button", "aria-label": label, onclick: () => this.seek(ply + 1) }, inner));
  }

  /** The moves that led to ply `now` are the current ones. */
  #mark(moves, now) {
    let first = null;
    moves.forEach(({ ply }, k) => {
      const isNow = ply + 1 === now;
      this.list.children[k].classList.toggle("now", isNow);
      if (isNow) first ??= this.list.children[k];
    });
    if (first) this.list.scrollTop = first.offsetTop - this.list.clientHeight / 2;
  }
}

/** What an agent thought before it moved. */
export class ThoughtsPanel {
  constructor() {
    this.body = h("div");
    this.element = h("section", { class: "sheet", hidden: true }, h("h2", {}, "Thoughts"), this.body);
  }

  /** Of those who have told what they thought, whoever moved last. */
  show(all, players) {
    this.element.hidden = all.length === 0;
    const last = Math.max(...all.map(({ ply }) => ply));
    refill(this.body, all, () => all.filter(({ ply }) => ply === last).flatMap((one) => reasons(one, players)));
  }
}

function reasons({ player, value, actions, note }, players) {
  const share = shareOf(value, players);
  const most = Math.max(1, ...actions.map(({ visits }) => visits));
  return [
    h("p", { class: "expects" }, seatMark(player), `${seatName(player)} expects ${percent(share)}`),
    bar(share, `seat${player}`),
    h("ul", { class: "candidates" }, actions.slice(0, 5).map((move) => candidate(move, most, players))),
    note ? h("p", { class: "soft" }, note) : "",
  ];
}

function candidate({ text, value, visits }, most, players) {
  const about = `${percent(shareOf(value, players))}${visits ? `, ${visits.toLocaleString()} visits` : ""}`;
  const words = [h("span", { class: "move" }, text), h("span", { class: "soft" }, about)];
  return h("li", {}, words, bar(visits / most, "thin"));
}

function bar(share, look) {
  const fill = h("span", { class: look });
  fill.style.width = percent(Math.min(Math.max(share, 0), 1)).replace(" ", "");
  return h("span", { class: "bar", "aria-hidden": "true" }, fill);
}

/** Actions as buttons: those that no click on the board can play, and behind a fold all of them. */
export class Menu {
  constructor(play, say) {
    this.play = play;
    this.plain = h("div", { class: "plain" });
    this.all = h("div", { class: "all" });
    this.fold = h("details", {}, h("summary", {}, "All moves"), this.#typing(say), this.all);
    this.fold.ontoggle = () => this.#fillAll();
    this.element = h("section", { class: "menu", hidden: true, "aria-label": "Your moves" }, this.plain, this.fold);
  }

  show(actions, canAct) {
    this.element.hidden = !canAct;
    this.actions = canAct ? actions : [];
    const hadFocus = this.element.contains(document.activeElement);
    const unclickable = this.actions.filter(({ clicks }) => !clicks.length);
    const isNew = refill(this.plain, this.actions, () => this.#buttons(unclickable, "primary"));
    this.#fillAll();
    if (isNew && hadFocus) this.element.querySelector("button")?.focus({ preventScroll: true });
  }

  /** Some games have hundreds of actions: their buttons are made when somebody looks. */
  #fillAll() {
    if (this.fold.open) refill(this.all, this.actions, () => this.#buttons(this.actions, "small"));
  }

  #buttons(actions, look) {
    return actions.map(({ action, text }) =>
      h("button", { type: "button", class: look, onclick: () => this.play(action) }, text));
  }

  #typing(say) {
    const field = h("input", { "aria-label": "A move in the game's notation", autocomplete: "off" });
    field.placeholder = "Type a move";
    const onsubmit = (event) => {
      event.preventDefault();
      if (field.value.trim()) say(field.value.trim());
      field.value = "";
    };
    return h("form", { class: "typing", onsubmit }, field, h("button", { class: "small" }, "Play"));
  }
}
