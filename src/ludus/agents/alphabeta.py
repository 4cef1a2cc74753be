"""Alpha-beta: its settings, its limits and its thoughts; see `ludus.search.alphabeta`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus import kernels
from ludus.agent import Agent, Thoughts
from ludus.errors import Mismatch
from ludus.game import Game, View
from ludus.rules import Facts
from ludus.search.alphabeta import DEEPEST, Deepening, mix
from ludus.search.limits import chunks
from ludus.settings import setting


@dataclass
class AlphaBeta(Agent):
    """Alpha-beta with iterative deepening; paranoid with more than two players."""

    name: ClassVar[str] = "alphabeta"
    compiled: ClassVar[bool] = True
    accepts: ClassVar[str] = "open games with turns and without chance"

    nodes: int = setting(50_000, "positions a move", low=1)
    depth: int = setting(60, "plies at most", low=1, high=1000)
    ms: float = setting(0.0, "milliseconds a move instead of positions; 0 counts positions", low=0)
    table: int = setting(16, "size of the transposition table: 2 to this power", low=4, high=26)

    def refuses(self, facts: Facts) -> str:
        for is_so, word in ((facts.hidden, "hidden information"), (facts.simultaneous, "simultaneous moves")):
            if is_so:
                return f"the game has {word}; mcts can play it"
        return ""

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        if game.facts.chance and not game.writes("deterministic"):
            raise Mismatch(f"alphabeta cannot play {game.name}: the game has chance; mcts can play it")

    @property
    def repeatable(self) -> bool:
        return not self.ms

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        rows = (self._think(views[i : i + 1], int(players[i]), words[i]) for i in range(len(views)))
        return np.array([thoughts.actions[0] for thoughts in rows], np.int32)

    def act(self, view: View, rng: np.ndarray) -> int:
        self.thoughts = self._think(view.states, view.player, rng)
        return self.thoughts.actions[0]

    def _think(self, views: np.ndarray, player: int, rng: np.ndarray) -> Thoughts:
        menu = self.game.menu(views, player)
        if len(menu) == 1:
            return Thoughts(0.0, [int(menu[0])], [0.0], [0], note="forced")
        self._check_certain(views)
        # Equal moves are tried in random order, else two such agents would play one match for ever.
        self.game.kernel(mix)(rng, menu)
        search = Deepening(self.game, views, player, menu, self.table)
        search.begin(1)
        search.go_on(1 << 62)  # whatever the limits, some answer there must be
        deadline = time.perf_counter() + self.ms / 1000
        for depth in range(2, min(self.depth, DEEPEST) + 1):
            if search.is_decided or (self.ms and time.perf_counter() >= deadline):
                break
            search.begin(depth)
            if not (_go_on_until(search, deadline) if self.ms else search.go_on(self.nodes)):
                break
        note = f"depth {search.reached}, {search.nodes} positions"
        return Thoughts(search.value, [search.best], [search.value], [search.nodes], search.line(), note)

    def _check_certain(self, views: np.ndarray) -> None:
        out = np.empty(1, np.bool_)
        self.game.kernel(kernels.certainties)(views, out)
        if not out[0]:
            raise Mismatch(f"alphabeta cannot play {self.game.name} under these rules: dice may fall; mcts can play it")


def _go_on_until(search: Deepening, deadline: float) -> bool:
    """Search the depth at hand to its end; false if there is no time for that."""
    return any(search.go_on(search.nodes + chunk) for chunk in chunks(deadline, 256, 64))
