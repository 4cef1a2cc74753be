"""Somebody's program in any language: ``cmd:java -jar MyBot.jar``, ``cmd:./MyBot``; see `talk` for what is said.

One process a match. A turn is one question; of an answer with several actions they are handed out one by one as the
rules ask for them. What the program writes on stderr is kept with the record.
"""

from __future__ import annotations

import time

import numpy as np

from ludus.agent import Thoughts
from ludus.arena.hosts.cage import Cage, Walls
from ludus.arena.hosts.talk import MOST_ANSWER, talk_of
from ludus.arena.hosts.wire import Manners
from ludus.catalogue import command_words
from ludus.errors import AgentFault
from ludus.game import Game, View

TURN = 1.0
"""Seconds a turn where nothing else is said, in a game with a contest's protocol."""
WARM_TURNS, WARM = 2, 3
"""The first turns take so many times as long: virtual machines must warm up."""


class Program:
    """A command's host; it is started when a match begins and ended with all its children when that is over."""

    def __init__(self, spec: str, game: Game, walls: Walls, turn: float | None = None):
        self.spec, self.game, self.turn = spec, game, turn
        self.words = command_words(spec)
        self.talk = talk_of(game)
        self.asked = self.answered = ""
        """The last question and what came of it, for a report."""
        self.thoughts: Thoughts | None = None
        self.manners = Manners(repeatable=False)
        self._walls = walls
        self._cage: Cage | None = None
        self._turns = 0
        self._left: list[int] = []

    def start(self) -> None:
        """The program itself is started when a match begins."""

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
        self.asked, self.answered = self.talk.question(view, self._turns, allowed), ""
        self.answered = self._answer(self.asked, allowed)
        self._left = self.talk.actions(view, self._turns, self.answered)
        return self._left.pop(0)

    def _answer(self, question: str, seconds: float) -> str:
        """All lines of an answer, by the deadline."""
        assert self._cage is not None
        until, lines, size = time.monotonic() + seconds, [], 0
        try:
            self._cage.send(question.encode(), until)
            while not self.talk.is_whole(lines):
                lines.append(self._cage.read_line(self.talk.most_line, until))
                size += 1 + len(lines[-1])
                if size > MOST_ANSWER:
                    said = f"turn {self._turns}: an answer of more than {MOST_ANSWER:,} characters"
                    raise AgentFault("illegal", said)
        except AgentFault as fault:
            self.answered = "\n".join(lines)
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
