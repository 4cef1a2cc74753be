"""Alpha-beta: its settings, its limits and its thoughts; see `ludus.search.alphabeta`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus import kernels
from ludus.agent import Agent, Thoughts
from ludus.agents._evaluation import judging, load_evaluation
from ludus.errors import BadSpec, Mismatch
from ludus.game import Game, View
from ludus.rules import Facts
from ludus.search.alphabeta import Deepening, mix
from ludus.search.evaluation import Evaluation
from ludus.search.limits import chunks, clock
from ludus.search.maxn import MaxN
from ludus.search.table import DEEPEST
from ludus.settings import setting

NODES = 50_000
FORCED = 16
"""Plies of forcing moves that are followed beyond the depth."""
SOFT = 0.5
"""After this part of the time no deeper search is begun: it would hardly be finished."""


@dataclass
class AlphaBeta(Agent):
    """Alpha-beta with iterative deepening; with more than two players paranoid, best reply or max^n."""

    name: ClassVar[str] = "alphabeta"
    compiled: ClassVar[bool] = True
    accepts: ClassVar[str] = "open games with turns and without chance"

    nodes: int = setting(0, f"positions a move; 0: {NODES:,}, or no limit where depth or ms is one", low=0)
    depth: int = setting(0, "plies, all moves alike, no forcing ones beyond; 0: as deep as the limits allow", 0, 1000)
    ms: float = setting(0.0, "milliseconds of computing a move; 0: no such limit", low=0)
    forced: int = setting(-1, f"plies of forcing moves beyond the depth; -1: {FORCED}, or none with a depth", -1, 100)
    run: str = setting("", "a run of `ludus train td` that judges positions, instead of the game's heuristic")
    rivals: str = setting(
        "paranoid", "of several: paranoid (all against me), best (one replies at a time) or maxn (each for itself)"
    )
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
        if self.rivals not in ("paranoid", "best", "maxn"):
            raise BadSpec(f"alphabeta: rivals is paranoid, best or maxn, not {self.rivals!r}")
        self._evaluation: Evaluation = load_evaluation(game, self.run)

    @property
    def repeatable(self) -> bool:
        return not self.ms

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        rows = (self.think(views[i : i + 1], int(players[i]), words[i]) for i in range(len(views)))
        return np.array([thoughts.actions[0] for thoughts in rows], np.int32)

    def act(self, view: View, rng: np.ndarray) -> int:
        self.thoughts = self.think(view.states, view.player, rng)
        return self.thoughts.actions[0]

    def think(self, views: np.ndarray, player: int, rng: np.ndarray) -> Thoughts:
        """What a search finds for a player who sees this, with the words of its stream."""
        menu = self.game.menu(views, player)
        if len(menu) == 1:
            return Thoughts(0.0, [int(menu[0])], [0.0], [0], note="forced")
        self._check_certain(views)
        # Equal moves are tried in random order, else two such agents would play one match for ever.
        self.game.kernel(mix)(rng, menu)
        search = self._search(views, player, menu)
        search.begin(1)
        search.go_on(1 << 62)  # whatever the limits, some answer there must be
        self._deepen(search)
        note = f"depth {search.reached}, {search.nodes} positions"
        return Thoughts(search.value, [search.best], [search.value], [search.nodes], search.line(), note)

    def _search(self, views: np.ndarray, player: int, menu: np.ndarray) -> Deepening | MaxN:
        game, judged = self._judge(int(views[0].players))
        judged = judging(game, views, judged)
        if self.rivals == "maxn" and views[0].players > 2:
            return MaxN(game, views, player, menu, judged)
        one_replies = self.rivals == "best" and views[0].players > 2
        forced = self.forced if self.forced >= 0 else 0 if self.depth else FORCED
        return Deepening(game, views, player, menu, self.table, judged, forced, not self.depth, one_replies)

    def _judge(self, players: int) -> tuple[Game, Evaluation]:
        """The evaluation for so many players, and the game with the terms that it weighs."""
        return self.game, self._evaluation

    def _deepen(self, search: Deepening | MaxN) -> None:
        """Depth after depth, up to the limits."""
        nodes = self.nodes or (1 << 62 if self.depth or self.ms else NODES)
        began = clock()
        soft, hard = began + SOFT * self.ms / 1000, began + self.ms / 1000
        for depth in range(2, (self.depth or DEEPEST) + 1):
            if search.is_decided or (self.ms and clock() >= soft):
                break
            search.begin(depth)
            if not (_go_on_until(search, hard, nodes) if self.ms else search.go_on(nodes)):
                break

    def _check_certain(self, views: np.ndarray) -> None:
        out = np.empty(1, np.bool_)
        self.game.kernel(kernels.certainties)(views, out)
        if not out[0]:
            raise Mismatch(f"alphabeta cannot play {self.game.name} under these rules: dice may fall; mcts can play it")


def _go_on_until(search: Deepening | MaxN, deadline: float, nodes: int) -> bool:
    """Search the depth at hand to its end; false if there is no time for that."""
    for chunk in chunks(deadline, 256, 64):
        if search.go_on(min(nodes, search.nodes + chunk)):
            return True
        if search.nodes >= nodes:
            return False
    return False
