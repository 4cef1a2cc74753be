/** A live match: the server sends the whole state each time, and every part of the screen shows it. */

import { Board, zoomButton } from "./board.js";
import { Chart } from "./chart.js";
import { copyButton, h, missing, refill, seatMark, seatName, speak } from "./dom.js";
import { Menu, MoveList, ThoughtsPanel } from "./panels.js";
import { Line, ask } from "./net.js";
import { rulesButton } from "./rules.js";
import { memory, ownLink, remember, settingsOf, start } from "./setting.js";

export async function showMatch(page, id) {
  const asked = new URLSearchParams(location.search);
  if (!asked.has("invitation")) new MatchScreen(page, id, asked.get("key"));
  else await answerInvitation(page, id, asked.get("invitation"));
}

/** Whoever opens an invitation first has the seat; the link is then replaced by one with the seat's own key. */
async function answerInvitation(page, id, invitation, agrees = false) {
  const kept = ownLink(id);
  if (kept) return location.replace(kept); // it was accepted in this browser before
  try {
    const seat = await ask(`/api/matches/${encodeURIComponent(id)}/join`, { invitation, agrees });
    remember(id, { seats: [seat], settings: null, when: Date.now() });
    location.replace(seat.link);
  } catch (problem) {
    page.className = "reading";
    const agree = () => answerInvitation(page, id, invitation, true);
    if (problem.status === NEEDS_CONSENT) page.replaceChildren(...consent(problem.message, agree));
    else page.replaceChildren(...missing("No entry", new Error(sentence(problem.message))));
  }
}

const consent = (words, agree) => [
  h("h1", {}, "Do you agree?"),
  h("section", { class: "sheet" }, h("p", {}, sentence(words)), h("div", { class: "row" },
    h("button", { type: "button", class: "primary", onclick: agree }, "I agree"),
    h("a", { class: "button", href: "/" }, "To the lobby"))),
];

const NEEDS_CONSENT = 409;

class MatchScreen {
  constructor(page, id, key) {
    this.id = id;
    this.state = null;
    this.board = new Board((action) => this.#play(action));
    this.menu = new Menu((action) => this.#play(action), (text) => this.#say(text));
    this.moves = new MoveList();
    this.thoughts = new ThoughtsPanel();
    this.chart = new Chart();
    this.#build(page);
    const path = `/ws/match/${encodeURIComponent(id)}`;
    this.line = new Line(key ? `${path}?key=${encodeURIComponent(key)}` : path, (message) => this.#hear(message));
  }

  #build(page) {
    this.title = h("h1");
    this.seats = h("ul", { class: "seats", "aria-label": "Seats" });
    this.status = h("p", { class: "status" });
    this.notices = h("div", { class: "notices", role: "alert" });
    this.offline = h("p", { class: "notice warn", hidden: true }, "The line to the server is cut. Trying again …");
    this.end = h("section", { class: "sheet finale", hidden: true, "aria-label": "The end" });
    this.share = h("section", { class: "share" });
    this.fault = h("section", { class: "share" });
    this.tools = h("div", { class: "tools" });
    this.strip = h("div", { class: "strip" }, this.status, this.notices, this.tools);
    this.rules = h("span");
    page.className = "table";
    page.replaceChildren(
      h("div", { class: "stage" },
        h("div", { class: "heading" }, this.title, this.rules, zoomButton(page), this.seats),
        this.offline, this.fault, this.end, this.strip,
        this.board.element, this.menu.element),
      h("aside", { "aria-label": "Beside the board" },
        this.share, this.chart.element, this.thoughts.element, this.moves.element),
    );
  }

  // ---------------------------------------------------------------------------------------------- listening

  #hear(message) {
    const ears = {
      state: () => this.#show(message),
      preparing: () => this.#prepare(message),
      hint: () => this.#hint(message),
      refused: () => (this.state ? this.#notice(message.reason) : this.#turnedAway(message.reason)),
      notice: () => this.#notice(message.text),
      line: () => (this.offline.hidden = message.open || message.final),
    };
    ears[message.type]?.();
  }

  #show(state) {
    const before = this.state;
    this.state = state;
    const canAct = state.your_turn && !state.over;
    this.board.show(state.ply, state.svg, canAct ? state.actions : []);
    this.menu.show(state.actions, canAct);
    this.moves.show(state.moves);
    this.chart.show(state.chances ?? []);
    this.thoughts.show(state.thoughts, state.header.seats.length);
    this.#showHeading(state, canAct);
    this.#showTools(state, canAct);
    this.#showShare(state);
    this.#showFault(state);
    this.#showEnd(state);
    if (before && (before.ply !== state.ply || state.over)) this.notices.replaceChildren();
    this.#speak(before, state);
  }

  #showHeading(state, canAct) {
    const { header, to_act, over } = state;
    refill(this.title, header.title, () => header.title);
    refill(this.rules, header.game, () => rulesButton(header.game));
    const chips = () => header.seats.map((seat) => seatChip(seat, to_act, state.seat));
    refill(this.seats, [header.seats, to_act, state.seat], chips);
    const words = statusText(state);
    this.status.className = canAct ? "status yours" : "status";
    refill(this.status, words, () => words);
    this.status.hidden = over;
    this.strip.classList.toggle("over", over);
    document.title = `${canAct ? "● Your turn · " : ""}${header.title} · Ludus`;
  }

  /** A game that nobody has played here is compiled first. */
  #prepare({ title, text, failed }) {
    refill(this.title, title, () => title);
    refill(this.status, text, () => h("span", { class: failed ? "" : "busy" }, text));
  }

  // ---------------------------------------------------------------------------------------------- acting

  #play(action) {
    this.#send({ type: "play", action, ply: this.state.ply });
  }

  #say(text) {
    this.#send({ type: "say", text, ply: this.state.ply });
  }

  #send(message) {
    if (!this.line.send(message)) this.#notice("The line is cut: nothing was sent.");
  }

  #hint({ ply, text, clicks }) {
    if (ply !== this.state.ply) return; // it came too late
    this.board.point(clicks ?? []);
    this.#notice(`Hint: ${text}`);
  }

  /** A wrong key, or the match is gone. */
  #turnedAway(reason) {
    document.getElementById("page").replaceChildren(...missing("No entry", new Error(sentence(reason))));
  }

  #notice(text) {
    this.notices.replaceChildren(h("p", { class: "notice" }, text));
  }

  // ---------------------------------------------------------------------------------------------- showing

  #showTools(state, canAct) {
    const isSeated = state.seat >= 0;
    const isShow = state.can_control && state.header.seats.every(({ kind }) => kind === "agent");
    const shown = [canAct, state.can_undo, state.over, isSeated, isShow, state.paused, state.speed];
    refill(this.tools, shown, () => [
      isSeated && !state.over && this.#playerTools(state, canAct),
      isShow && !state.over && this.#watchTools(state),
    ]);
  }

  #playerTools(state, canAct) {
    const resign = h("button", { type: "button" }, "Resign");
    resign.onclick = () => this.#confirmResign(resign);
    const hint = this.#tool("Hint", { type: "hint" }, !canAct);
    hint.addEventListener("click", () => this.#notice("Looking for a good move …"));
    return h("span", { class: "row" }, hint, this.#tool("Undo", { type: "undo" }, !state.can_undo), resign);
  }

  #tool(label, message, disabled = false) {
    return h("button", { type: "button", disabled, onclick: () => this.#send(message) }, label);
  }

  /** A first press asks, a second one resigns. */
  #confirmResign(button) {
    if (button.classList.contains("sure")) return this.#send({ type: "resign" });
    button.classList.add("sure");
    button.textContent = "Really resign?";
    setTimeout(() => (button.classList.remove("sure"), (button.textContent = "Resign")), 4000);
  }

  #watchTools({ paused, speed }) {
    const range = h("input", { type: "range", min: "0", max: String(SPEEDS.length - 1), "aria-label": "Speed" });
    range.value = String(nearestSpeed(speed));
    range.onchange = () => this.#send({ type: "speed", value: SPEEDS[range.value] });
    return h("span", { class: "row" },
      this.#tool(paused ? "Go on" : "Pause", { type: paused ? "resume" : "pause" }),
      this.#tool("Step", { type: "step" }, !paused),
      h("label", { class: "row" }, "Speed", range, h("span", { class: "soft" }, `${speed ?? 1} a second`)));
  }

  /** Invitations that nobody has accepted yet; only the browser that made the match knows them. */
  #showShare({ header, seat, over }) {
    const isMissing = (one) => one.invitation && !header.seats[one.seat].connected && header.seats[one.seat].open;
    const links = over ? [] : (memory(this.id)?.seats ?? []).filter(isMissing);
    const whole = (path) => new URL(path, location.href).href;
    refill(this.share, links, () => links.map(({ seat, invitation }) => shareLink(seat, whole(invitation))));
  }

  /** An agent has failed; whoever sets the pace may choose another. */
  #showFault({ fault, can_control, header }) {
    refill(this.fault, [fault, can_control], () => fault && this.#faultSheet(fault, can_control && header.game));
  }

  #faultSheet({ seat, reason }, game) {
    const words = h("p", {}, `${capital(seatName(seat))} has failed: ${reason}`);
    return game ? this.#replaceForm(seat, words, game) : h("div", { class: "sheet" }, words);
  }

  #replaceForm(seat, words, game) {
    const field = h("input", { "aria-label": "Another agent", value: "random", list: "agents", autocomplete: "off" });
    const known = h("datalist", { id: "agents" });
    const fill = (agents) => known.append(...agents.map(({ spec }) => h("option", { value: spec })));
    ask(`/api/games/${encodeURIComponent(game)}/agents`).then(fill, () => {});
    const onsubmit = (event) => {
      event.preventDefault();
      this.#send({ type: "replace", seat, spec: field.value.trim() });
    };
    const go = h("button", { class: "primary" }, "Go on");
    const choice = h("div", { class: "row" }, "Go on with", field, known, go);
    return h("form", { class: "sheet", onsubmit }, words, choice);
  }

  #showEnd(state) {
    const wasHidden = this.end.hidden;
    this.end.hidden = !state.over;
    if (!state.over) return;
    const won = verdict(state);
    this.end.classList.toggle("won", /^You (won|share)/.test(won));
    const replay = state.id_replay != null && `/replay/${encodeURIComponent(state.id_replay)}`;
    refill(this.end, [state.outcome_text, replay], () => [
      h("div", {}, h("h2", {}, won), h("p", {}, sentence(state.outcome_text))),
      h("div", { class: "row" }, this.#rematchButton(),
        replay && h("a", { class: "button", href: replay }, "See the replay"),
        h("a", { class: "button", href: "/" }, "Lobby")),
    ]);
    if (wasHidden) this.end.scrollIntoView({ block: "nearest" });
  }

  #rematchButton() {
    const settings = settingsOf(this.id);
    if (!settings) return null;
    const button = h("button", { type: "button", class: "primary" }, "Rematch");
    button.onclick = () => start({ ...settings, seed: undefined }).catch((problem) => this.#notice(problem.message));
    return button;
  }

  #speak(before, state) {
    if (!before) return;
    const news = state.moves.slice(before.moves.length).filter(({ text }) => text);
    const words = news.map(({ player, text }) => `${seatName(player)}: ${text}.`);
    if (state.over && !before.over) words.push(verdict(state), sentence(state.outcome_text));
    else if (state.your_turn && before.ply !== state.ply) words.push("Your turn.");
    if (words.length) speak(words.join(" "));
  }
}

const SPEEDS = [0.5, 1, 2, 5, 10, 20];

/** The place on the slider of a speed that may have been set elsewhere. */
function nearestSpeed(speed) {
  const gaps = SPEEDS.map((one) => Math.abs(one - speed));
  return gaps.indexOf(Math.min(...gaps));
}

function seatChip({ seat, name, kind, connected, thinking }, toAct, own) {
  const isNow = toAct.includes(seat);
  const about = seat === own ? "you" : kind === "human" && !connected ? "not here yet" : "";
  const look = thinking ? "dots" : "dots idle"; // dots that only hide: the line keeps its width
  const dots = kind === "agent" && h("span", { class: look, title: "thinking" }, "•••");
  return h("li", { class: isNow ? "now" : "", "aria-current": isNow ? "true" : null },
    seatMark(seat), h("span", { class: "name" }, name), about && h("span", { class: "soft" }, about), dots);
}

function statusText({ over, paused, your_turn, to_act, seat, header, fault, at_once }) {
  if (over) return "";
  if (your_turn) return at_once ? "Your turn: all choose at once" : "Your turn";
  if (fault) return "The match waits.";
  if (paused) return "Paused";
  const others = to_act.filter((one) => one !== seat).map((one) => header.seats[one]);
  if (!others.length) return "One moment …";
  if (at_once && others.length === header.seats.length) return "All choose at once";
  const names = others.map((one) => seatName(one.seat)).join(" and ");
  return others.every(({ kind }) => kind === "agent") ? `${names} to move` : `Waiting for ${names}`;
}

function verdict({ seat, returns }) {
  const best = Math.max(...returns);
  const winners = returns.filter((value) => value === best).length;
  if (seat < 0) return winners === 1 ? `${capital(seatName(returns.indexOf(best)))} has won` : "A draw";
  if (returns[seat] < best) return "You lost";
  if (winners === returns.length) return "A draw";
  return winners === 1 ? "You won" : "You share the win";
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const sentence = (text) => (text ? `${capital(text)}${/[.!?]$/.test(text) ? "" : "."}` : "");

function shareLink(seat, link) {
  return h("div", { class: "sheet" },
    h("p", {}, seatMark(seat), ` Send this link to whoever plays as ${seatName(seat)}:`),
    h("div", { class: "row" },
      h("input", { readonly: true, value: link, "aria-label": `Link for ${seatName(seat)}` }), copyButton(link)),
    h("p", { class: "soft small-print" }, "It works once: whoever opens it first has the seat, and nobody else."));
}
