"""Agents: what chooses an action from a view, and what it thought meanwhile."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from ludus.game import Game, View
from ludus.rules import Facts

MOST_MEMORY = 8
"""Words that an agent may ask the arena to keep for it in a match."""


@dataclasses.dataclass(frozen=True)
class Thoughts:
    """Why an agent chose what it did. `value` is its expected return; the lists go together, best first."""

    value: float
    actions: list[int]
    values: list[float]
    visits: list[int]
    line: list[int] = dataclasses.field(default_factory=list)
    """The expected continuation, where the agent looks for one."""
    note: str = ""


@dataclasses.dataclass
class Agent:
    """Chooses an action from a view. Subclasses are dataclasses whose fields are their settings.

    Write `act`; an agent that answers many views at once in compiled code writes `act_many` and sets `compiled`.
    """

    name: ClassVar[str] = ""
    compiled: ClassVar[bool] = False
    """Answers batches in compiled code, and can be trusted to neither hang nor crash."""
    accepts: ClassVar[str] = "every game"
    only_for: ClassVar[str] = ""
    """The one game that the agent plays; empty for one that plays many."""
    memory: ClassVar[int] = 0
    """How many 64-bit words the arena keeps for the agent in each match and seat, zero at its first action, up to
    `MOST_MEMORY`. They follow the word of the stream in `rng` and in each row of `words`."""

    def __post_init__(self) -> None:
        self.game: Game
        self.thoughts: Thoughts | None = None

    def refuses(self, facts: Facts) -> str:
        """Why this agent cannot play such a game; "" if it can."""
        return ""

    def prepare(self, game: Game) -> None:
        """Called once, before the first action, with the game that will be played."""
        self.game = game

    def act(self, view: View, rng: np.ndarray) -> int:
        """An action for `view.player`; `rng` is the stream of this seat."""
        words = np.zeros((1, 1 + self.memory), np.uint64)
        kept = min(words.shape[1], len(rng))  # one who only asks for a hint keeps no memory
        words[0, :kept] = rng[:kept]
        actions = self.act_many(view.states, np.array([view.player]), words)
        rng[:kept] = words[0, :kept]
        return int(actions[0])

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        """An action for each masked state; row i of `words` is the stream of that seat, then what it remembers."""
        raise NotImplementedError(f"{type(self).__name__} writes neither act nor act_many")

    @property
    def repeatable(self) -> bool:
        """Whether the same view and stream always give the same action (false for limits in time)."""
        return True

    def tunable(self) -> np.ndarray:
        """The numbers that evolution may change; none by default."""
        return np.empty(0)

    def tuned(self, numbers: np.ndarray) -> Agent:
        """A copy of this agent that plays with such numbers."""
        raise NotImplementedError(f"{self.name} names no tunable numbers")

    def close(self) -> None:
        """Called when no more matches come."""

    @property
    def spec(self) -> str:
        """The text that makes this agent again."""
        changed = [
            f"{field.name}={getattr(self, field.name)}"
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        ]
        return self.name + (":" + ",".join(changed) if changed else "")
