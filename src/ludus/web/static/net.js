/** Talking with the server: questions with one answer, and a line that stays open. */

export class Refusal extends Error {
  constructor(message, suggestions = [], status = 0) {
    super(message);
    Object.assign(this, { suggestions, status });
  }
}

/** GET a path, or POST a body to it; a refusal carries the server's own sentence. */
export async function ask(path, body) {
  const posting = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, body === undefined ? {} : posting).catch(() => null);
  if (!answer) throw new Refusal("The server does not answer. Is it still running?");
  const value = await answer.json().catch(() => ({}));
  const { ok, status } = answer;
  if (!ok) throw new Refusal(value.error ?? `The server answered ${status}.`, value.suggestions, status);
  return value;
}

const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000;
const REFUSED = 1008; // a wrong key, no such match: coming back would not help

/** A WebSocket that comes back by itself. Messages go to `hear`, `{type: "line", open}` tells how the line is. */
export class Line {
  constructor(path, hear) {
    this.address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    this.hear = hear;
    this.wait = FIRST_WAIT;
    addEventListener("online", () => this.#reopen());
    this.#open();
  }

  /** Send a message; what cannot be sent now is dropped, because the position may have changed meanwhile. */
  send(message) {
    const isOpen = this.socket.readyState === WebSocket.OPEN;
    if (isOpen) this.socket.send(JSON.stringify(message));
    return isOpen;
  }

  #open() {
    this.socket = new WebSocket(this.address);
    this.socket.onopen = () => this.hear({ type: "line", open: true });
    this.socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    this.socket.onclose = (event) => this.#closed(event.code);
  }

  #receive(message) {
    this.wait = FIRST_WAIT; // the server speaks with us: an end of the line is an accident
    if (message.type === "ping") this.send({ type: "pong" });
    else this.hear(message);
  }

  #closed(code) {
    this.hear({ type: "line", open: false, final: code === REFUSED });
    if (code === REFUSED) return;
    this.timer = setTimeout(() => this.#reopen(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  #reopen() {
    clearTimeout(this.timer);
    if (this.socket.readyState === WebSocket.CLOSED) this.#open();
  }
}
