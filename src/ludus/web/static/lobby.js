/** The lobby: choose a game, its rules and who plays; or go where something is already being played. */

import { agentName, h, refill, seatMark, seatName, sorry } from "./dom.js";
import { ask } from "./net.js";
import { rulesButton } from "./rules.js";
import { ownLink, start } from "./setting.js";

const FRESH_EVERY = 5000;
const FIRST_GAME = "gravwell";
const MOST_TRIES = 8; // four minutes

export async function showLobby(page) {
  const games = await ask("/api/games");
  const setup = h("form", { class: "sheet setup", "aria-label": "A new match" });
  const cards = h("div", { class: "cards", role: "group", "aria-label": "Games" });
  const lists = h("section", { class: "lists" });
  const choose = (game) => {
    for (const card of cards.children) card.setAttribute("aria-pressed", String(card.dataset.game === game.name));
    history.replaceState(null, "", `/?game=${encodeURIComponent(game.name)}`);
    return fillSetup(setup, game);
  };
  cards.append(...games.map((game) => gameCard(game, () => choose(game).then(() => reveal(setup)))));
  page.className = "lobby";
  page.replaceChildren(h("section", { class: "games" }, h("h1", {}, "What shall we play?"), cards), setup, lists);
  const named = (wanted) => games.find(({ name }) => name === wanted);
  await choose(named(new URLSearchParams(location.search).get("game")) ?? named(FIRST_GAME) ?? games[0]);
  await fillLists(lists, games);
  setInterval(() => document.hidden || fillLists(lists, games), FRESH_EVERY);
}

/** On a phone the form lies below the cards. */
function reveal(setup) {
  if (setup.getBoundingClientRect().top > innerHeight - 100) setup.scrollIntoView({ behavior: "smooth" });
}

function gameCard(game, onclick) {
  const picture = h("img", { src: game.picture, alt: "", loading: "lazy", onerror: () => askAgain(picture, game) });
  const [fewest, most] = game.players;
  const players = fewest === most ? `${most} players` : `${fewest}–${most} players`;
  const facts = [players, game.hidden && "secrets", game.chance && "luck"].filter(Boolean).join(" · ");
  const look = { type: "button", class: "card", "data-game": game.name, "aria-pressed": "false", onclick };
  return h("button", look,
    h("span", { class: "thumb" }, picture), h("b", {}, game.title),
    h("span", { class: "about" }, sentenceAbout(game)), h("span", { class: "soft" }, facts));
}

/** A picture that is still being drawn comes later; one that cannot be drawn never does. */
function askAgain(picture, game) {
  const tries = Number(picture.dataset.tries ?? 0) + 1;
  if (tries > MOST_TRIES) return picture.remove();
  picture.dataset.tries = tries;
  setTimeout(() => { picture.src = `${game.picture}?try=${tries}`; }, 500 * 2 ** tries);
}

/** What the rule book begins with, without the title that already stands there. */
function sentenceAbout({ title, about }) {
  const bare = about.toLowerCase().startsWith(title.toLowerCase()) ? about.slice(title.length) : about;
  const words = bare.replace(/^[\s.,:]+/, "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// ------------------------------------------------------------------------------------------------ a new match

async function fillSetup(form, game) {
  form.dataset.game = game.name;
  const agents = await ask(`/api/games/${encodeURIComponent(game.name)}/agents`);
  if (form.dataset.game !== game.name) return; // another game was chosen meanwhile
  const [fewest, most] = game.players;
  const preset = picker("Preset", game.presets);
  const players = picker("Players", range(fewest, most));
  const rules = ruleFields(game);
  const problem = h("div");
  const go = h("button", { class: "primary big" });
  const rows = h("div");
  const chairs = range(1, most).map((number) => chair(number - 1, agents, () => update()));
  const taken = () => chairs.slice(0, Number(players.field.value));
  const update = () => {
    rows.replaceChildren(...taken().map(({ element }) => element));
    go.textContent = taken().some(({ spec }) => spec() === "human") ? "Play" : "Watch";
  };
  players.field.onchange = update;
  update();
  form.onsubmit = async (event) => {
    event.preventDefault();
    go.disabled = true;
    const seats = taken().map(({ spec }) => spec());
    const settings = { game: game.name, preset: preset.field.value, players: seats.length, seats, ...rules.read() };
    await start(settings).catch((reason) => problem.replaceChildren(sorry(reason)));
    go.disabled = false;
  };
  form.replaceChildren(
    h("div", { class: "heading" }, h("h2", {}, game.title), rulesButton(game.name)),
    game.presets.length > 1 ? preset.element : "", fewest < most ? players.element : "",
    rows, rules.element, problem, go,
  );
}

const range = (first, last) => Array.from({ length: last - first + 1 }, (_, k) => first + k);

function picker(label, values) {
  const field = h("select", { "aria-label": label }, values.map((value) => h("option", { value }, String(value))));
  return { field, element: line(label, field) };
}

function line(label, field, help = null) {
  return h("label", { class: "line", title: help }, h("span", {}, label), field);
}

/** Who sits here: a person, an agent of the ladder, or one that is typed. */
function chair(seat, agents, changed) {
  const person = h("option", { value: "human" }, seat === 0 ? "You" : "Another person");
  const ladder = agents.map(({ spec, label, strength, help }) =>
    h("option", { value: spec, title: help ?? "" }, [strength, label ?? spec].filter(Boolean).join(" · ")));
  const typing = h("option", { value: "" }, "Type an agent …");
  const field = h("select", { "aria-label": `Who plays as ${seatName(seat)}` }, person, ladder, typing);
  const typed = h("input", { "aria-label": `Agent of ${seatName(seat)}`, hidden: true, autocomplete: "off" });
  typed.placeholder = "mcts:sims=400";
  if (seat > 0) field.value = usual(agents);
  field.onchange = () => {
    typed.hidden = field.value !== "";
    if (!typed.hidden) typed.focus();
    changed();
  };
  const label = h("span", {}, seatMark(seat), seatName(seat));
  const element = h("div", { class: "line" }, label, h("span", { class: "who" }, field, typed));
  return { element, spec: () => field.value || typed.value.trim() || typed.placeholder };
}

/** A rival that a newcomer can enjoy. */
function usual(agents) {
  const fit = ["medium", "easy"].map((wanted) => agents.find(({ strength }) => strength === wanted)).find(Boolean);
  return (fit ?? agents[0])?.spec ?? "human";
}

/** Every number of the rules, as the preset has it until it is changed. */
function ruleFields(game) {
  const fields = game.params.map((param) => [param, ruleField(param)]);
  const seed = h("input", { type: "number", min: "0", placeholder: "new each time", "aria-label": "Seed" });
  const lines = fields.map(([{ name, help }, field]) => line(name.replaceAll("_", " "), field, help));
  const read = () => {
    const changed = fields.filter(([, field]) => field.value !== "").map(([{ name }, field]) => [name, field.value]);
    return { rules: Object.fromEntries(changed), ...(seed.value === "" ? {} : { seed: Number(seed.value) }) };
  };
  const summary = h("summary", {}, "Change the rules");
  return { read, element: h("details", {}, summary, lines, line("seed", seed, "Same seed, same luck")) };
}

function ruleField({ name, choices, low, high, help, default: usual }) {
  const label = `${name}: ${help}`;
  const option = (value) => h("option", { value }, value || `${usual} (as usual)`);
  if (choices?.length) return h("select", { "aria-label": label }, ["", ...choices].map(option));
  const placeholder = `${usual} (${low} – ${high})`;
  return h("input", { "aria-label": label, type: "number", min: low, max: high, step: "any", placeholder });
}

// ------------------------------------------------------------------------------------------------ what goes on

async function fillLists(place, games) {
  const questions = [ask("/api/matches"), ask("/api/replays?limit=12")];
  const [matches, replays] = await Promise.all(questions).catch(() => [null, null]);
  if (!matches) return; // the server rests; what is shown stays
  const titles = Object.fromEntries(games.map(({ name, title }) => [name, title]));
  const running = matches.filter(({ over }) => !over);
  refill(place, [running, replays], () => [
    ...list("Being played", running.map(openMatch)),
    ...list("Played lately", replays.map((one) => pastMatch(one, titles))),
  ]);
}

const list = (title, lines) => (lines.length ? [h("h2", {}, title), h("ul", { class: "entries" }, lines)] : []);

function openMatch({ id, title, seats, plies, watchers }) {
  const own = ownLink(id);
  const names = seats.map(({ spec, kind }) => agentName(spec ?? kind));
  const about = `${names.join(" – ")} · ply ${plies}${watchers ? ` · ${watchers} watching` : ""}`;
  return h("li", {}, h("a", { href: own ?? `/match/${encodeURIComponent(id)}` },
    h("b", {}, title), h("span", { class: "soft" }, about), h("span", { class: "go" }, own ? "Go on" : "Watch")));
}

function pastMatch({ id, game, agents, plies, returns }, titles) {
  const best = Math.max(...returns);
  const look = (seat) => ({ class: returns[seat] === best ? "winner" : "" });
  const names = agents.map((agent, seat) => h("span", look(seat), seatMark(seat), agentName(agent)));
  return h("li", {}, h("a", { href: `/replay/${encodeURIComponent(id)}` },
    h("b", {}, titles[game] ?? game), h("span", { class: "who" }, names),
    h("span", { class: "soft" }, `${plies} plies`)));
}
