"""Somebody's program in any language, over the line protocol of the game: ``cmd:java -jar MyBot.jar``, ``cmd:./MyBot``.

One process a match. A turn is one question: the program is told the position, answers with all its orders, and these
are handed out one by one as the rules ask for them. What it writes on stderr is kept with the record.
"""

from __future__ import annotations

import time

import numpy as np

from ludus.agent import Thoughts
from ludus.arena.hosts.cage import Cage, Walls, clean
from ludus.arena.hosts.wire import Manners
from ludus.catalogue import command_words
from ludus.errors import AgentFault, BadNotation, Mismatch
from ludus.game import Game, View

TURN = 1.0
"""Seconds a turn where nothing else is said, as in the contest."""
WARM_TURNS, WARM = 2, 3
"""The first turns take so many times as long: virtual machines must warm up."""
MOST_LINE = 256
MOST_ANSWER = 1 << 18
"""Characters of one answer: thousands of orders."""


class Program:
    """A command's host; it is started when a match begins and ended with all its children when that is over."""

    def __init__(self, spec: str, game: Game, walls: Walls, turn: float | None = None):
        self.spec, self.game, self.turn = spec, game, turn
        self.words = command_words(spec)
        self.thoughts: Thoughts | None = None
        self.manners = Manners(repeatable=False)
        self._walls = walls
        self._cage: Cage | None = None
        self._turns = 0
        self._left: list[int] = []

    def start(self) -> None:
        """Refuse a game without a protocol; the program itself is started when a match begins."""
        if not self.game.writes("contest_text"):
            raise Mismatch(f"{self.game.name} has no protocol for programs; Planet Wars has")

    def begin(self) -> None:
        self.close()
        self._cage = Cage(self.words, self._walls, stdio=True)
        self._turns, self._left = 0, []

    @property
    def pending(self) -> int:
        """Orders of the last answer that are still to be handed out."""
        return len(self._left)

    def ask(self, view: View, rng: np.ndarray, seconds: float) -> object:
        if self._left:
            return self._left.pop(0)
        if self._cage is None:
            self.begin()
        assert self._cage is not None
        allowed = (seconds if self.turn is None else self.turn) * (WARM if self._turns < WARM_TURNS else 1)
        self._turns += 1
        text = self._answer(self.game.module.contest_text(view.state, view.player), allowed)
        try:
            self._left = self.game.module.parse_orders(view.state, view.player, text)
        except BadNotation as error:
            raise AgentFault("illegal", f"turn {self._turns}, {error}{_quoted(text, str(error))}") from None
        return self._left.pop(0)

    def _answer(self, question: str, seconds: float) -> str:
        """All lines up to ``go``, by the deadline."""
        assert self._cage is not None
        until, lines, size = time.monotonic() + seconds, [], 0
        try:
            self._cage.send(question.encode(), until)
            while not lines or lines[-1].strip().lower() != "go":
                lines.append(self._cage.read_line(MOST_LINE, until))
                size += 1 + len(lines[-1])
                if size > MOST_ANSWER:
                    raise AgentFault(
                        "illegal", f"turn {self._turns}: an answer of more than {MOST_ANSWER:,} characters"
                    )
        except AgentFault as fault:
            if fault.reason != "timeout":
                raise
            raise AgentFault("timeout", f"turn {self._turns}: no answer within {seconds:.3g} s") from None
        return "\n".join(lines)

    def end(self) -> str:
        printed = self._cage.output() if self._cage is not None else ""
        self.close()
        return printed

    def close(self) -> None:
        if self._cage is not None:
            self._cage.close()
        self._cage = None


def _quoted(text: str, error: str) -> str:
    """The line of the answer that an error names."""
    number = error.partition(":")[0].removeprefix("line ")
    lines = text.splitlines()
    return f" ({clean(lines[int(number) - 1])!r})" if number.isdecimal() and int(number) <= len(lines) else ""
