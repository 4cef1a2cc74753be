/** Tournaments and reports: tables to read. */

import { h } from "./dom.js";
import { ask } from "./net.js";

export async function showTournaments(page) {
  const tournaments = await ask("/api/tournaments");
  const hint = "None yet. Run one with: ludus tournament connect_four random greedy mcts";
  page.className = "reading";
  page.replaceChildren(h("h1", {}, "Tournaments"),
    ...some(tournaments.length ? [h("ul", { class: "entries" }, tournaments.map(tournament))] : [], hint));
}

const some = (elements, hint) => (elements.length ? elements : [h("p", { class: "soft" }, hint)]);

function tournament({ name, game, players, matches }) {
  const about = `${game} · ${matches.toLocaleString()} matches · ${players} players`;
  return h("li", {}, h("a", { href: `/tournaments/${encodeURIComponent(name)}` },
    h("b", {}, name), h("span", { class: "soft" }, about)));
}

export async function showReports(page) {
  const reports = await ask("/api/reports");
  const list = reports.length ? [h("ul", { class: "entries" }, reports.map(report))] : [];
  page.className = "reading";
  page.replaceChildren(h("h1", {}, "Reports"), ...some(list, "None yet. Make one with: ludus playtest connect_four"));
}

function report({ name, game, when, title }) {
  const about = [game, new Date(1000 * when).toLocaleDateString()].join(" · ");
  const link = h("a", { href: `/reports/${encodeURIComponent(name)}` }, h("b", {}, title ?? name));
  link.append(h("span", { class: "soft" }, about));
  return h("li", {}, link);
}

const PLACES = [
  ["/", "Play or watch a match"],
  ["/tournaments", "Tournaments"],
  ["/reports", "Reports"],
];

export function showNothing(page) {
  page.className = "reading";
  document.title = "Not found · Ludus";
  const links = PLACES.map(([path, words]) => h("li", {}, h("a", { href: path }, h("b", {}, words))));
  page.replaceChildren(
    h("h1", {}, "There is nothing here"),
    h("p", {}, "The address may be mistyped, or the match is gone. You may have meant:"),
    h("ul", { class: "entries" }, links),
  );
}
