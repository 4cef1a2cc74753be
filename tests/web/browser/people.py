"""Somebody at a browser, and matches rehearsed so that this person knows how to win or to lose them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, WebSocket

from ludus.arena.match import Match
from ludus.catalogue import agent, load

PATIENCE = 300.0
"""Seconds; an agent may have to be compiled first."""
LOOPBACK = re.compile(r"(https?|wss?)://127\.0\.0\.1:\d+/|data:|blob:|about:")


class Person:
    """Sees only the page. What the browser complains of, and whom it asks, is written down."""

    def __init__(self, browser: Browser, address: str, **looks: Any):
        self.address = address
        self.context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **looks})
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.forgiven: list[str] = []
        self.strangers: list[str] = []
        self.frames: list[str] = []
        self.state: dict[str, Any] = {}
        self.page.on("console", self._note_complaint)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._note_address(request.url))
        self.page.on("websocket", self._listen)

    def _note_complaint(self, note: ConsoleMessage) -> None:
        if note.type in ("error", "warning"):
            self.complaints.append(note.text)

    def _note_address(self, url: str) -> None:
        if not LOOPBACK.match(url):
            self.strangers.append(url)

    def _listen(self, socket: WebSocket) -> None:
        self._note_address(socket.url)
        socket.on("framereceived", self._hear)

    def _hear(self, frame: Any) -> None:
        text = frame if isinstance(frame, str) else frame.decode()
        self.frames.append(text)
        message = json.loads(text)
        if message["type"] == "state":
            self.state = message

    def go(self, path: str) -> None:
        self.page.goto(self.address + path)

    def until(self, holds: Callable[[], object], what: str) -> None:
        """Wait as a person waits, looking at the page."""
        for _ in range(int(PATIENCE / 0.02)):
            if holds():
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"waited in vain for {what}; the page says: {self.page.inner_text('main')[:300]}")

    def await_turn(self) -> None:
        self.until(lambda: self.state and (self.state["your_turn"] or self.state["over"]), "my turn")
        # What has arrived is not yet what is shown.
        self.page.locator(f'.board[data-ply="{self.state["ply"]}"]').wait_for()

    def play(self, action: int) -> None:
        """Click the parts of an action one after the other, or its button where it has none."""
        ply = self.state["ply"]
        chosen = next(row for row in self.state["actions"] if row["action"] == action)
        for part in chosen["clicks"]:
            self.part(part).locator(".halo").first.click()  # the shape that lights up
        if not chosen["clicks"]:
            self.page.locator(".plain").get_by_role("button", name=chosen["text"], exact=True).click()
        elif sum(row["clicks"] == chosen["clicks"] for row in self.state["actions"]) > 1:
            self.page.locator(".chooser").get_by_role("button", name=chosen["text"], exact=True).click()
        self.until(lambda: self.state["ply"] > ply or self.state["over"] or not self.state["your_turn"], "my move")

    def part(self, key: str) -> Any:
        return self.page.locator(f'.frame [data-part="{key}"]')

    def resign(self) -> None:
        self.page.get_by_role("button", name="Resign").click()
        self.page.get_by_role("button", name="Really resign?").click()

    @property
    def verdict(self) -> str:
        return self.page.locator(".finale h2").inner_text()

    def forgive(self, sign: str) -> None:
        """The browser has to complain, because the server refused as it should."""
        self.until(lambda: any(sign in text for text in self.complaints), f"a {sign}")
        self.forgiven.append(sign)  # the same may be said again, as of an icon that is missing too

    def leave(self) -> None:
        self.context.close()
        left = [text for text in self.complaints if not any(sign in text for sign in self.forgiven)]
        assert not left, left
        assert not self.strangers, self.strangers


@dataclass(frozen=True)
class Setting:
    """Rules under which a match is short."""

    game: str
    preset: str = "default"
    rules: dict[str, object] = field(default_factory=dict)
    strong: str = "mcts:sims=60"

    def body(self, seed: int, *seats: str) -> dict[str, Any]:
        """What is posted to open such a match."""
        rules = {"rules": self.rules, "preset": self.preset, "seed": seed, "speed": 20}
        return {"game": self.game, "players": len(seats), "seats": seats, **rules}


def rehearse(setting: Setting, seed: int, *lineup: str) -> tuple[Match, list[int]]:
    """The match that these agents play, and the actions of the first: same seed, same match."""
    game = load(setting.game)
    match = Match(game, len(lineup), game.rule_values(setting.preset, setting.rules), seed=seed)
    agents = [agent(spec, game) for spec in lineup]
    own: list[int] = []
    while not match.over:
        for player, view in match.waiting().items():
            action = int(agents[player].act(view, match.stream(player)))
            match.submit(player, action)
            if player == 0:
                own.append(action)
    return match, own


def part_for(setting: Setting, wins: bool, longest: int = 16) -> tuple[int, str, list[int]]:
    """A seed, a rival, and what the first player must do to win (or lose) against it."""
    lineup = (setting.strong, "random") if wins else ("random", setting.strong)
    for seed in islice(count(1), 200):
        match, own = rehearse(setting, seed, *lineup)
        if len(own) <= longest and (match.returns[0] > 0) == wins and match.returns[0] != 0:
            return seed, lineup[1], own
    raise AssertionError(f"no short match of {setting.game} is {'won' if wins else 'lost'}")


def keep_picture(person: Person, folder: Path, name: str, whole: bool = False) -> None:
    person.page.screenshot(path=folder / f"{name}.png", full_page=whole)
