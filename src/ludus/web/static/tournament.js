/** One tournament: who is how strong, who beat whom, and every match of it. */

import { agentName, h, missing, percent, seatMark } from "./dom.js";
import { ask } from "./net.js";

export async function showTournament(page, name) {
  const path = `/api/tournaments/${encodeURIComponent(name)}`;
  page.className = "reading wide";
  try {
    const found = await ask(path);
    document.title = `${name} · Ludus`;
    page.replaceChildren(
      h("h1", {}, name),
      h("p", { class: "soft" }, `${found.game}, ${found.matches.toLocaleString()} matches, ${found.players} players`),
      ratings(found), crossTable(found), new Matches(path, found).element,
    );
    if (location.search) page.querySelector("#matches").scrollIntoView();
  } catch (problem) {
    page.replaceChildren(...missing("No such tournament", problem));
  }
}

function ratings({ standings, note }) {
  const heads = ["Agent", "Rating", "Games", "Score"].map((head) => h("th", { scope: "col" }, head));
  const rows = standings.map(({ name, rating, low, high, games, score }) =>
    h("tr", {}, h("th", { scope: "row" }, h("a", { href: search({ agent: name }) }, name)),
      h("td", {}, signed(rating), soft(` [${signed(low)}, ${signed(high)}]`)),
      h("td", {}, games.toLocaleString()), h("td", {}, `${(100 * score).toFixed(1)} %`)));
  const table = h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows));
  return h("section", { class: "sheet" }, h("h2", {}, "Ratings"),
    rows.length > 0 && h("div", { class: "scroll" }, table), note && h("p", { class: "soft small-print" }, note));
}

/** Where nothing bounds a rating, the server knows no number. */
const signed = (points) => (points == null ? "∞" : `${points > 0 ? "+" : ""}${Math.round(points)}`);

const soft = (text) => h("span", { class: "soft" }, text);

/** The score of the row against the column; each cell leads to its matches. */
function crossTable({ agents, pairs }) {
  if (!pairs.length) return "";
  const cells = new Map(pairs.map((pair) => [JSON.stringify([pair.agent, pair.against]), pair]));
  const heads = agents.map((name, k) => h("th", { scope: "col", title: name }, `${k + 1}`));
  const rows = agents.map((agent, k) => h("tr", {}, h("th", { scope: "row" }, `${k + 1} ${agent}`),
    agents.map((against) => cell(cells.get(JSON.stringify([agent, against]))))));
  const note = "Score of the row against the column, with its 95 % interval over blocks. A cell leads to its matches.";
  return h("section", { class: "sheet" }, h("h2", {}, "Cross-table"),
    h("div", { class: "scroll" }, h("table", { class: "cross" },
      h("thead", {}, h("tr", {}, h("th", {}), heads)), h("tbody", {}, rows))),
    h("p", { class: "soft small-print" }, note));
}

function cell(pair) {
  if (!pair) return h("td", { class: "soft" }, "–");
  const { agent, against, value, low, high, n } = pair;
  const look = low > 0.5 ? "ahead" : high < 0.5 ? "behind" : "";
  const words = `${agent} against ${against}: ${percent(value)}, ${percent(low)} to ${percent(high)}, ${n} blocks`;
  return h("td", { class: look }, h("a", { href: search({ agent, against }), title: words, "aria-label": words },
    percent(value), soft(` ${Math.round(100 * low)}–${Math.round(100 * high)}`)));
}

const search = (wanted) => `?${new URLSearchParams(wanted)}#matches`;

// ------------------------------------------------------------------------------------------------ matches

const RESULTS = [["", "any result"], ["won", "won"], ["drew", "drew"], ["lost", "lost"]];
const OUTCOMES = ["finished", "limit", "stuck", "resigned", "illegal", "timeout", "exception", "crash"];

/** The matches that fit, page by page. The server answers after a moment, wherever its search has come to by then; as
 *  long as nothing new is found, it is asked to go on. */
class Matches {
  constructor(path, { agents }) {
    this.path = path;
    this.list = h("ul", { class: "entries" });
    this.state = h("p", { class: "soft" });
    this.more = h("button", { type: "button", onclick: () => this.#load() }, "More");
    const names = [["", "any agent"], ...agents.map((name) => [name, name])];
    const others = [["", "anybody"], ...agents.map((name) => [name, name])];
    const ends = [["", "any end"], ...OUTCOMES.map((name) => [name, name])];
    this.fields = { agent: names, result: RESULTS, against: others, outcome: ends };
    this.form = h("form", { class: "row search", onchange: () => this.#choose() },
      Object.entries(this.fields).map(([name, values]) => picker(name, values)));
    this.element = h("section", { class: "sheet", id: "matches" },
      h("h2", {}, "Matches"), this.form, this.list, this.state, this.more);
    this.#load();
  }

  #choose() {
    const chosen = Object.fromEntries([...new FormData(this.form)].filter(([, value]) => value));
    history.replaceState(null, "", search(chosen));
    this.list.replaceChildren();
    this.next = null;
    this.#load();
  }

  async #load() {
    const chosen = [...new FormData(this.form)].filter(([, value]) => value);
    const latest = this.latest = {}; // whoever chooses otherwise meanwhile takes its place
    const before = this.list.children.length;
    this.state.textContent = "Searching …";
    this.more.hidden = true;
    do {
      const asked = new URLSearchParams(this.next ? [...chosen, ["after", this.next]] : chosen);
      const found = await ask(`${this.path}/matches?${asked}`).catch(() => ({ matches: [], next: null }));
      if (this.latest !== latest) return;
      this.next = found.next;
      this.list.append(...found.matches.map(line));
    } while (this.next && this.list.children.length === before);
    const count = this.list.children.length;
    this.state.textContent = count ? `${count} shown` : "None.";
    this.more.hidden = !this.next;
  }
}

function picker(name, values) {
  const chosen = new URLSearchParams(location.search).get(name) ?? "";
  return h("select", { name, "aria-label": name },
    values.map(([value, words]) => h("option", { value, selected: value === chosen }, words)));
}

function line({ id, agents, plies, returns, outcome }) {
  const best = Math.max(...returns);
  const names = agents.map((agent, seat) =>
    h("span", { class: returns[seat] === best ? "winner" : "" }, seatMark(seat), agentName(agent)));
  const isDraw = returns.every((payoff) => payoff === best);
  const about = [outcome !== "finished" && outcome, isDraw && "a draw", `${plies} plies`].filter(Boolean).join(", ");
  return h("li", {}, h("a", { href: `/replay/${encodeURIComponent(id)}` },
    h("span", { class: "who" }, names), soft(about)));
}
