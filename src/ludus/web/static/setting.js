/** Starting a match, and what this browser remembers of those that it started: the links and the setting. */

import { ask } from "./net.js";

const KEPT = 50;
const name = (id) => `ludus match ${id}`;

/** Make a match and go there, to the first seat of a person or to watch. */
export async function start(settings) {
  const made = await ask("/api/matches", settings);
  remember(made.id, { seats: made.seats, settings, when: Date.now() });
  location.href = made.seats.find(({ link }) => link)?.link ?? made.watch;
}

export function memory(id) {
  try {
    return JSON.parse(localStorage.getItem(name(id)));
  } catch {
    return null; // a browser may forbid it
  }
}

export const settingsOf = (id) => memory(id)?.settings ?? null;

/** The link by which this browser plays in a match, if it made the match. */
export const ownLink = (id) => memory(id)?.seats.find(({ link }) => link)?.link ?? null;

export function remember(id, value) {
  try {
    localStorage.setItem(name(id), JSON.stringify(value));
    forgetOldest();
  } catch {
    // Then there is no rematch by a button, and links must be kept by hand.
  }
}

function forgetOldest() {
  const kept = Object.keys(localStorage).filter((key) => key.startsWith(name("")));
  const age = (key) => JSON.parse(localStorage.getItem(key)).when;
  kept.sort((a, b) => age(b) - age(a)).slice(KEPT).forEach((key) => localStorage.removeItem(key));
}
