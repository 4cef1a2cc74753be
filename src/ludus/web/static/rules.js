/** The rule book of a game, one button away, where the server tells it. */

import { h } from "./dom.js";
import { ask } from "./net.js";

/** A place that holds the button as soon as the book is known. */
export function rulesButton(game) {
  const place = h("span");
  ask("/api/games").then((games) => {
    const book = games.find(({ name }) => name === game)?.rules;
    if (book) place.append(h("button", { type: "button", class: "small", onclick: () => open(book) }, "Rules"));
  }, () => {});
  return place;
}

function open(book) {
  const close = h("button", { type: "button", class: "small" }, "Close");
  const text = h("pre", { class: "book" }, book);
  const dialog = h("dialog", { "aria-label": "Rules", onclose: () => dialog.remove() }, close, text);
  close.onclick = () => dialog.close();
  dialog.onclick = (event) => event.target === dialog && dialog.close(); // a click beside it
  document.body.append(dialog);
  dialog.showModal();
}
