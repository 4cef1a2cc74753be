"""The champion among three or four: a tree in which everybody plays for itself, its leaves judged by who will win.

One wins and all others lose alike, so what counts is who comes out on top. Each player gets a sum of what it has, and
its chance is its part of all (a softmax): to hurt the one who leads is worth more than to hurt the last. By these
weights the sums best foretold the winners of 2,500 matches of quick searches among three, and of as many among four.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludus.agents.mcts import Mcts
from ludus.compile import rule
from ludus.game import Game
from ludus.games._pivit_terms import FIRST, LATE, MASTERS, MINIONS, PROMOTED, SCALE, TERMS, count_terms
from ludus.games.pivit import by_masters
from ludus.search.evaluation import evaluation

COUNTS = (*TERMS, "on move", "minions late", "ahead", "ahead late")
ON_MOVE, MINIONS_LATE, AHEAD, AHEAD_LATE = range(len(TERMS), len(COUNTS))
WEIGHTS = np.array(
    [
        [0.51, 1.0, 0.77, 0.22, 1.24, 0.22, -0.5, -0.72, -0.43, -0.25, 0.38, 4.09, 0.12, 5.73, -0.45, 1.07],
        [0.48, 1.85, 0.77, 0.41, 1.45, 0.3, -0.43, -0.94, -0.46, 0.14, 0.38, 2.45, 0.11, 5.81, -0.39, 1.21],
    ],
    np.float32,
)  # fmt: skip
"""Of the counts, among three and among four."""
NEVER = 1e-9


@rule
def count_everybody(state, counted):
    """What each player has: counted[player, count], each about 1."""
    left = 0
    for player in range(state.players):
        left += state.minions[player]
    late = np.float32(1.0 - left / 24.0)
    counted[:] = 0.0
    count_terms(state, counted)
    winners, _ = by_masters(state)
    for player in range(state.players):
        own = counted[player]
        own[MINIONS], own[MASTERS] = state.minions[player], state.masters[player]
        own[FIRST], own[PROMOTED] = state.promoted[player] == 1, state.promoted[player] > 0
        own[LATE] = state.masters[player] * late
        for k in range(len(TERMS)):
            own[k] /= SCALE[k]
        own[ON_MOVE] = state.turn == player
        own[MINIONS_LATE] = own[MINIONS] * late
        own[AHEAD] = state.masters[player] > 0 and winners == 1 << player
        # The end is near, and who removes the last minion chooses its moment.
        own[AHEAD_LATE] = late * late * own[AHEAD]


@rule
def chance(state, player, out):
    """One term: the player's chance to win, as the sum that `prospect` makes this chance of."""
    counted, worths, total = np.empty((4, len(COUNTS)), np.float32), np.zeros(4), 0.0
    count_everybody(state, counted)
    for rival in range(state.players):
        if state.minions[rival] + state.masters[rival] > 0:
            worth = 0.0
            for k in range(len(COUNTS)):
                worth += WEIGHTS[state.players - 3, k] * counted[rival, k]
            worths[rival] = np.exp(worth)
            total += worths[rival]
    part = min(max(worths[player] / total, NEVER), 1.0 - NEVER)
    out[0] = 0.5 * np.log((state.players - 1) * part / (1.0 - part))


@dataclass
class Crowd(Mcts):
    """A tree search that judges each leaf at once."""

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self.game = game.weighing(chance, ("chance",))
        self._evaluation, self._horizon = evaluation(self.game, np.array([1.0, 0.0, 0.0])), 0
