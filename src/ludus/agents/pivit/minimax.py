"""The minimax player that the authors of the Pivit paper wrote before their learners, in its three tempers.

Masters are worth 500 where nobody attacks them; an attacked one costs its owner 250 and is worth as much to the rival.
Minions count by temper, own and rivals', safe and attacked, and the whole steps to the nearest corner cost their owner.

Two readings are ours. The program asks for a depth and recommends three or four plies, but it judges a position for who
is on move there: after three it looks for what is best for its rival, so four it is. And it measures steps in pixels of
its window, by which they would outweigh all else; here they are squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agents.alphabeta import AlphaBeta
from ludus.compile import rule
from ludus.errors import BadSpec
from ludus.game import Game
from ludus.games._pivit_lines import MASTER, mark_attacks
from ludus.search.evaluation import evaluation
from ludus.settings import setting

STYLES = {"aggressive": (5, 5, 20, 10), "defensive": (20, 40, 10, 0), "neutral": (10, 5, 10, 0)}
"""What an own minion is worth, what it costs if attacked, what a rival's costs, and what it is worth if attacked."""
COUNTS = (
    "own minions", "attacked", "rival minions", "attacked", "own masters", "attacked", "rival masters", "attacked",
    "steps to corners",
)  # fmt: skip
LARGE = 5000.0
"""The sum is measured by this, so that it stays where the tangent hardly bends."""


@rule
def steps_to_corner(cell, last):
    row, column = cell >> 3, cell & 7
    down, right = min(row, last - row), min(column, last - column)
    return int(np.sqrt(down * down + right * right))


@rule
def style_counts(state, player, out):
    """How many pieces of each sort there are, by COUNTS; steps of rivals' minions count against own ones."""
    side = 8 - 2 * int(state.params.board)
    marks, moves = np.zeros(64, np.int8), np.zeros(4, np.int32)
    mark_attacks(state.board, side, marks, moves)
    out[:] = 0.0
    for cell in range(64):
        piece = int(state.board[cell])
        if piece:
            own = (piece >> 2) - 1 == player
            out[(4 if piece & MASTER else 0) + (0 if own else 2) + (marks[cell] & 1)] += 1.0
            if not piece & MASTER:
                out[8] += steps_to_corner(cell, side - 1) * (1 if own else -1)


@dataclass
class Minimax(AlphaBeta):
    """The authors' own minimax: style=aggressive, defensive or neutral."""

    name: ClassVar[str] = "minimax"
    only_for: ClassVar[str] = "pivit"

    style: str = setting("neutral", "aggressive, defensive or neutral")
    depth: int = setting(4, "plies", 1, 1000)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        if self.style not in STYLES:
            raise BadSpec(f"minimax: style is one of {', '.join(STYLES)}, not {self.style!r}")
        own, own_attacked, rivals, rivals_attacked = STYLES[self.style]
        worths = [own, -own_attacked, -rivals, rivals_attacked, 500, -250, -500, 250, -1, 0, 0]
        self.game = game.weighing(style_counts, COUNTS)
        self._evaluation = evaluation(self.game, np.array(worths) / LARGE)
