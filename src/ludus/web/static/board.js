/** The picture of a position, and how a person plays on it: click the parts of an action, one after the other. */

import { h } from "./dom.js";

const WIDE = matchMedia("(min-width: 60rem)");
const TOP = 30; // where the lower half of a folded picture begins, below the upper half's heading
const LARGEST = 1.4; // times its own size

export class Board {
  /** `play(action)` is called with the number of the action that was clicked together. */
  constructor(play) {
    this.play = play;
    this.actions = [];
    this.chosen = [];
    this.frame = h("div", { class: "frame" });
    this.chooser = h("div", { class: "chooser", role: "group", "aria-label": "Which one?", hidden: true });
    this.element = h("div", { class: "board" }, this.frame, this.chooser);
    this.frame.onclick = (event) => this.#click(partAt(event.target));
    this.element.onkeydown = (event) => this.#key(event);
    WIDE.addEventListener("change", () => this.svg && this.#lay());
  }

  /** Show the picture of a ply with the actions that may be played on it; none for one who cannot act. */
  show(ply, svg, actions = []) {
    const focused = keyOf(partAt(document.activeElement));
    const isNew = svg !== this.svg;
    if (isNew) this.#replace(svg);
    if (isNew || JSON.stringify(actions) !== JSON.stringify(this.actions)) {
      this.actions = actions;
      this.reset();
    }
    this.element.dataset.ply = ply;
    if (isNew && focused) this.#part(focused)?.focus({ preventScroll: true });
  }

  /** Forget what was clicked. */
  reset() {
    this.chosen = [];
    this.chooser.hidden = true;
    this.#light();
  }

  /** Light the parts of one action, as a hint. */
  point(clicks) {
    this.reset();
    for (const key of clicks) this.#part(key)?.classList.add("hinted");
  }

  #replace(svg) {
    const drawn = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    this.frame.replaceChildren(document.importNode(drawn, true));
    this.svg = svg;
    this.#lay();
    wear(drawn.dataset.tones?.split(" ") ?? []);
  }

  /** A tall picture that says where it may be folded is laid side by side on a wide page; none is blown up. */
  #lay() {
    const drawn = this.frame.firstElementChild;
    drawn.dataset.size ??= (drawn.getAttribute("viewBox") ?? "").split(" ").slice(2).join(" ");
    if (!drawn.dataset.size) return; // a picture that does not say how large it is stays as it is
    const [width, height] = drawn.dataset.size.split(" ").map(Number);
    const fold = WIDE.matches ? Number(drawn.dataset.fold ?? 0) : 0;
    const [w, h] = fold ? [2 * width, Math.max(fold, height - fold + TOP)] : [width, height];
    drawn.classList.toggle("wide", fold > 0);
    drawn.style.setProperty("--beside", `translate(${width}px, ${TOP - fold}px)`);
    setAll(drawn, { viewBox: `0 0 ${w} ${h}`, width: w, height: h });
    drawn.style.maxWidth = `${LARGEST * w}px`;
  }

  #part(key) {
    return this.frame.querySelector(`[data-part="${CSS.escape(key)}"]`);
  }

  /** The actions that begin with what was clicked so far. */
  #open() {
    return this.actions.filter(({ clicks }) => clicks.length && this.chosen.every((key, k) => clicks[k] === key));
  }

  #light() {
    const next = new Set(this.#open().map(({ clicks }) => clicks[this.chosen.length]));
    for (const part of this.frame.querySelectorAll("[data-part]")) {
      const can = next.has(keyOf(part));
      const isChosen = this.chosen.includes(keyOf(part));
      part.classList.toggle("can", can);
      part.classList.toggle("chosen", isChosen);
      part.classList.remove("hinted");
      // Only what can be clicked is a stop of the keyboard.
      if (can || isChosen) setAll(part, { tabindex: "0", role: "button", "aria-pressed": String(isChosen) });
      else for (const name of ["tabindex", "role", "aria-pressed"]) part.removeAttribute(name);
    }
  }

  #click(part) {
    const key = keyOf(part);
    const wasAlone = this.chosen.length === 1 && this.chosen[0] === key;
    const goesOn = this.#open().some(({ clicks }) => clicks[this.chosen.length] === key);
    if (!goesOn) this.reset();
    if (!key || (wasAlone && !goesOn)) return; // a second click takes the first back
    this.chosen.push(key);
    const open = this.#open();
    if (!open.length) this.reset();
    else if (open.every(({ clicks }) => clicks.length === this.chosen.length)) this.#finish(open);
    else this.#light();
  }

  #finish(actions) {
    if (actions.length === 1) {
      this.reset();
      this.play(actions[0].action);
    } else {
      this.#light();
      this.#choose(actions);
    }
  }

  /** Several actions share these clicks: ask. */
  #choose(actions) {
    const button = ({ action, text }) =>
      h("button", { type: "button", onclick: () => (this.reset(), this.play(action)) }, text);
    this.chooser.replaceChildren(h("span", {}, "Which one?"), ...actions.map(button));
    this.chooser.hidden = false;
    this.chooser.querySelector("button").focus();
  }

  #key(event) {
    const part = partAt(event.target);
    if (event.key === "Escape") this.reset();
    else if (part && (event.key === "Enter" || event.key === " ")) this.#click(part);
    else if (part && event.key in ARROWS) nearest(part, ARROWS[event.key], this.#stops())?.focus();
    else return;
    event.preventDefault();
  }

  #stops() {
    return [...this.frame.querySelectorAll("[data-part][tabindex]")];
  }
}

/** Gives the board the whole width of a page, and takes it back. */
export function zoomButton(page) {
  const button = h("button", { type: "button", class: "small zoom", "aria-pressed": "false" }, "Large board");
  button.onclick = () => button.setAttribute("aria-pressed", String(page.classList.toggle("large")));
  return button;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The part that an arrow key leads to: near, and more in that direction than beside it. */
function nearest(from, [right, down], parts) {
  const [x, y] = middle(from);
  const reach = (part) => {
    const [dx, dy] = [middle(part)[0] - x, middle(part)[1] - y];
    const ahead = dx * right + dy * down;
    const aside = Math.abs(dx * down) + Math.abs(dy * right);
    return ahead > 1 && aside <= 2 * ahead ? ahead + 2 * aside : Infinity;
  };
  const best = Math.min(...parts.map(reach));
  return best < Infinity ? parts.find((part) => reach(part) === best) : null;
}

function middle(part) {
  const box = part.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

const partAt = (element) => element?.closest?.("[data-part]") ?? null;
const keyOf = (part) => part?.getAttribute("data-part") ?? "";

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

/** The colours that the picture gives the seats hold for the whole page; without any, each seat has its own. */
function wear(tones) {
  for (const seat of [0, 1, 2, 3]) {
    const tone = (tones[seat] ?? `seat${seat}`).replace("seat", "tone");
    document.documentElement.style.setProperty(`--seat${seat}`, `var(--${tone})`);
  }
}
