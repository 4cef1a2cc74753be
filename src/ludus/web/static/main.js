/** One shell for all pages: the address says which screen to show. */

import { h, sorry } from "./dom.js";
import { showNothing, showReports, showTournaments } from "./lists.js";
import { showLobby } from "./lobby.js";
import { showMatch } from "./match.js";
import { showReplay } from "./replay.js";
import { showTournament } from "./tournament.js";

const SCREENS = [
  [/^\/$/, showLobby],
  [/^\/match\/([^/]+)$/, showMatch],
  [/^\/replay\/([^/]+)$/, showReplay],
  [/^\/tournaments\/?$/, showTournaments],
  [/^\/tournaments\/([^/]+)$/, showTournament],
  [/^\/reports\/?$/, showReports],
];

async function main() {
  const page = document.getElementById("page");
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === location.pathname) link.setAttribute("aria-current", "page");
  }
  const screens = SCREENS.map(([path, screen]) => [path.exec(location.pathname), screen]);
  const [found, show] = screens.find(([match]) => match) ?? [[], showNothing];
  try {
    await show(page, ...found.slice(1).map(decodeURIComponent));
  } catch (problem) {
    page.replaceChildren(h("h1", {}, "That did not work"), sorry(problem));
  }
}

main();
