/** Elements from plain values. Whatever comes from the server is text here, never markup. */

/** h("button", {onclick: go, disabled: true}, "Go"): functions are listeners, true and false switch an attribute. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element[name] = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

/** The same for shapes. */
export function shape(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Fill an element anew, but only if what it shows has changed: nothing flickers, nothing loses the focus. */
export function refill(element, shown, make) {
  const key = JSON.stringify(shown);
  if (element.shownKey === key) return false;
  element.shownKey = key;
  element.replaceChildren(...[make()].flat().filter((child) => child != null && child !== false));
  return true;
}

/** Tell those who listen rather than look. */
export function speak(text) {
  document.getElementById("spoken").textContent = text;
}

/** Seats are counted from 1 for people. */
export const seatName = (seat) => `player ${seat + 1}`;

export const agentName = (spec) => (spec === "human" ? "a person" : spec);

/** A seat's sign: its colour, and its number for those who cannot tell the colours. */
export const seatMark = (seat) => h("span", { class: `mark seat${seat}`, "aria-hidden": "true" }, `${seat + 1}`);

export const percent = (share) => `${Math.round(100 * share)} %`;

/** A payoff between -1 and 1 as a share of the point; see `MatchRecord.shares`. */
export const shareOf = (payoff, players) => ((players - 1) * payoff + 1) / players;

/** A problem as a sentence, with what may have been meant. */
export function sorry(problem) {
  const near = (problem.suggestions ?? []).map((name) => h("li", {}, linkOrText(String(name))));
  const list = near.length > 0 && h("ul", {}, near);
  return h("div", { class: "sheet sorry", role: "alert" }, h("p", {}, problem.message), list);
}

const linkOrText = (name) => (name.startsWith("/") ? h("a", { href: name }, name) : name);

/** What stands where a match or a replay is not. */
export function missing(title, problem) {
  return [h("h1", {}, title), sorry(problem), h("p", {}, h("a", { class: "button", href: "/" }, "To the lobby"))];
}

/** A button that puts a link where it can be pasted. */
export function copyButton(link) {
  const button = h("button", { type: "button", class: "small" }, "Copy link");
  button.onclick = async () => {
    const field = button.parentElement.querySelector("input");
    field?.select();
    // Browsers offer the clipboard to secure pages only; the selected field remains.
    await navigator.clipboard?.writeText(link).catch(() => {});
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy link"), 1500);
  };
  return button;
}
