"""The best player of Pivit here.

Against one rival it searches by alpha-beta to the end of its time, captures and promotions followed to rest; its
evaluation was learnt by TDLeaf in self-play over the terms of `games/_pivit_terms.py`. Against several it grows a tree
in which everybody plays for itself; see `_crowd`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Thoughts
from ludus.agents.alphabeta import NODES, AlphaBeta
from ludus.agents.pivit._crowd import Crowd
from ludus.game import Game
from ludus.settings import setting


@dataclass
class Champion(AlphaBeta):
    """Alpha-beta with a learnt evaluation, 0.1 s a move; a tree search among three or four."""

    name: ClassVar[str] = "champion"
    only_for: ClassVar[str] = "pivit"

    ms: float = setting(100.0, "milliseconds of computing a move; 0: no such limit", low=0)
    run: str = setting("pivit-td", "a run of `ludus train td` that judges positions of two players")
    table: int = setting(18, "size of the transposition table: 2 to this power", low=4, high=26)
    c: float = setting(0.2, "exploration among three or four, where positions are simulations", low=0)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self._crowd = Crowd(sims=self.nodes or NODES, ms=self.ms, c=self.c)
        self._crowd.prepare(game)

    def think(self, views: np.ndarray, player: int, rng: np.ndarray) -> Thoughts:
        if views[0].players > 2 and not self.depth:
            return self._crowd.think(views, player, rng)
        return super().think(views, player, rng)
