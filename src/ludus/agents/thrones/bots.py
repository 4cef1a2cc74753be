"""The two published bots: alpha-beta over a transition without walkers, with an explicit heuristic (`bot1`) or with a
small network that evolution trained (`bot2`).

The paper gives the parts of its heuristic but no numbers. The defaults are round ones of ours; `run` takes a set that
`ludus train evolution` found. A weight that is set by hand counts before that of a run, and 0 switches a part off.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import ClassVar

import numpy as np

from ludus.agents._tuned import tuned_numbers
from ludus.agents.thrones._leaf import WEIGHTS
from ludus.agents.thrones._minimax import BOT1, BOT2, Minimax, Search, new_search
from ludus.agents.thrones._net import FIRST, INPUTS, NET_SIZE, SECOND
from ludus.game import Game
from ludus.runs import load_numbers
from ludus.settings import setting


@dataclass
class Bot1(Minimax):
    """The paper's first bot: alpha-beta with an explicit heuristic."""

    name: ClassVar[str] = "bot1"
    who: ClassVar[int] = BOT1

    depth: int = setting(4, "plies", low=1)
    run: str = setting("", "a run that tuned the weights, or a trained one that comes along")
    territory: float = setting(10.0, "a cell of territory won")
    early: float = setting(3.5, "times that while territory is small")
    early_share: float = setting(0.09, "small: below this share of the room")
    trail: float = setting(5.5, "a tile of trail")
    loose: float = setting(5.0, "a tile of trail without own territory beside it, on top")
    leash: float = setting(4.0, "penalty on the square of steps from home beyond the leash")
    leash_length: float = setting(4.0, "steps from home that cost nothing in a large room")
    short_leash: float = setting(1.0, "the same in a small room")
    ratio: float = setting(60.0, "penalty on trail / territory beyond the limit")
    ratio_limit: float = setting(0.5, "that limit")
    enemy: float = setting(269.0, "penalty for an enemy beside head or trail")
    enemy_range: float = setting(3.0, "distance at which it begins")
    walker: float = setting(42.0, "penalty for a walker beside head or trail")
    walker_range: float = setting(7.0, "distance at which it begins")
    shelter: float = setting(2.4, "reward for being inside while somebody is near")
    position: float = setting(0.19, "reward for a step away from the own corner")
    shy_outside: float = setting(3.0, "moves outside that leave a walker this close are not looked at")
    shy_inside: float = setting(1.0, "likewise inside")
    race: float = setting(0.0, "1: nor moves after which the enemy reaches the trail before the head is home")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self._numbers = tuned_numbers(self, game)
        self._weights = np.zeros(1, WEIGHTS)
        for name, value in zip(_weight_names(), self._numbers):
            self._weights[0][name] = value

    def tunable(self) -> np.ndarray:
        """Those of its run, so that a training can go on from there."""
        if hasattr(self, "_numbers"):
            return self._numbers
        return np.array([getattr(self, name) for name in _weight_names()])

    def tuned(self, numbers: np.ndarray) -> Bot1:
        return replace(self, run="", **{name: float(value) for name, value in zip(_weight_names(), numbers)})

    def new_search(self) -> Search:
        return new_search(self.game.state_type, self.depth, weights=self._weights)


def _weight_names() -> list[str]:
    return [field.name for field in fields(Bot1) if field.name not in ("depth", "run")]


@dataclass
class Bot2(Minimax):
    """The paper's second bot: the same search, its leaves valued by a 7-64-12-1 network."""

    name: ClassVar[str] = "bot2"
    who: ClassVar[int] = BOT2

    run: str = setting("", "the training that made the network; without one its numbers are drawn at random")
    depth: int = setting(4, "plies", low=1)
    shy_outside: float = setting(3.0, "moves outside that leave a walker this close are not looked at")
    shy_inside: float = setting(1.0, "likewise inside")
    race: float = setting(0.0, "1: nor moves after which the enemy reaches the trail before the head is home")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        if self.run:
            self._net = load_numbers(self.run, self.name, game, NET_SIZE)
        elif not hasattr(self, "_net"):
            self._net = self.tunable()
        self._weights = np.zeros(1, WEIGHTS)
        for name in ("shy_outside", "shy_inside", "race"):
            self._weights[0][name] = getattr(self, name)

    def tunable(self) -> np.ndarray:
        """The network of its run, so that a training can go on from there; without one a first network."""
        return self._net if self.run else first_network(np.random.default_rng(0))

    def tuned(self, numbers: np.ndarray) -> Bot2:
        made = replace(self, run="")
        made._net = np.ascontiguousarray(numbers)
        return made

    def new_search(self) -> Search:
        return new_search(self.game.state_type, self.depth, self._weights, self._net)


def first_network(rng: np.random.Generator) -> np.ndarray:
    """Weights with a deviation of 1 / sqrt(inputs) a layer, biases 0."""
    parts = []
    for inputs, outputs in ((INPUTS, FIRST), (FIRST, SECOND), (SECOND, 1)):
        parts += [rng.normal(0, inputs**-0.5, inputs * outputs), np.zeros(outputs)]
    return np.concatenate(parts)
