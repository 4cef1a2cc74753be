"""What the arena and somebody's program say to each other, line by line, over stdin and stdout.

`Lines` is for every game: one line of JSON is a question, one line is the answer.

    {"kind":"start","protocol":1,"game":"connect_four","title":…,"player":0,"players":2,"rules":{…},"facts":{…}}
    {"kind":"act","ply":0,"player":0,"seconds":1.0,"view":{…},"text":"…","menu":[0,1,…],"words":["1","2",…]}

`start` comes once and wants no answer; `act` wants ``{"action": 3}``, one number of the menu, and whatever else is in
the answer is passed over. The end of the input is the end of the match. `Contest` is the protocol that a game writes
itself, in which a turn is one question and its answer may hold many actions.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any, Protocol

from ludus.arena.hosts.cage import clean
from ludus.errors import AgentFault, BadNotation
from ludus.game import Game, View

PROTOCOL = 1
MOST_ANSWER = 1 << 18
"""Characters of one answer: thousands of orders."""


class Talk(Protocol):
    """One way to ask a program."""

    most_line: int
    """Characters of the longest line of an answer."""

    def question(self, view: View, turn: int, seconds: float) -> str: ...

    def is_whole(self, lines: list[str]) -> bool:
        """Whether these lines are an answer."""
        ...

    def actions(self, view: View, turn: int, text: str) -> list[int]:
        """The actions of an answer, at least one."""
        ...


def talk_of(game: Game) -> Talk:
    return Contest(game) if game.writes("contest_text") else Lines(game)


class Lines:
    most_line = MOST_ANSWER

    def __init__(self, game: Game):
        self.game = game

    def question(self, view: View, turn: int, seconds: float) -> str:
        asked = {
            "kind": "act",
            "ply": turn - 1,
            "player": view.player,
            "seconds": seconds if math.isfinite(seconds) else None,
            "view": self.game.state_json(view.state),
            "text": view.text,
            "menu": view.legal.tolist(),
            "words": [view.action_text(int(action)) for action in view.legal],
        }
        return (_line(self._start(view)) if turn == 1 else "") + _line(asked)

    def _start(self, view: View) -> dict[str, Any]:
        facts = asdict(self.game.facts)
        params = self.game.params.read(view.state.params) if self.game.params.declared else {}
        return {
            "kind": "start",
            "protocol": PROTOCOL,
            "game": self.game.name,
            "title": facts.pop("title"),
            "player": view.player,
            "players": int(view.state.players),
            "rules": params,
            "facts": facts,
        }

    def is_whole(self, lines: list[str]) -> bool:
        return any(line.strip() for line in lines)

    def actions(self, view: View, turn: int, text: str) -> list[int]:
        shown = clean(text[:60])
        try:
            told = json.loads(text)
            action = told["action"] if isinstance(told, dict) else told
        except (ValueError, KeyError, RecursionError):
            raise AgentFault("illegal", f'turn {turn}: an answer is {{"action": 3}}, not {shown!r}') from None
        if isinstance(action, bool) or not isinstance(action, int):
            raise AgentFault("illegal", f"turn {turn}: an action is a whole number, not {shown!r}")
        return [action]


class Contest:
    most_line = 256

    def __init__(self, game: Game):
        self.game = game

    def question(self, view: View, turn: int, seconds: float) -> str:
        return self.game.module.contest_text(view.state, view.player)

    def is_whole(self, lines: list[str]) -> bool:
        return bool(lines) and lines[-1].strip().lower() == "go"

    def actions(self, view: View, turn: int, text: str) -> list[int]:
        try:
            return self.game.module.parse_orders(view.state, view.player, text)
        except BadNotation as error:
            raise AgentFault("illegal", f"turn {turn}, {error}{_quoted(text, str(error))}") from None


def _line(value: object) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def _quoted(text: str, error: str) -> str:
    """The line of the answer that an error names."""
    number = error.partition(":")[0].removeprefix("line ")
    lines = text.splitlines()
    return f" ({clean(lines[int(number) - 1])!r})" if number.isdecimal() and int(number) <= len(lines) else ""
