"""BullyBot of the contest: from its strongest planet against the weakest of another, one fleet at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents.planet_wars._examples import NOBODY, half_from, is_idle
from ludus.compile import rule, template
from ludus.games.planet_wars import DONE


@rule
def bully_order(state, player):
    if is_idle(state, player, 1):
        return DONE
    strongest, weakest = NOBODY, NOBODY
    for planet in range(state.planets):
        if state.owner[planet] == 1 + player:
            if strongest == NOBODY or state.ships[planet] > state.ships[strongest]:
                strongest = planet
        elif weakest == NOBODY or state.ships[planet] < state.ships[weakest]:
            weakest = planet
    return half_from(state, strongest, weakest)


@template
def choose_as_bully(views, players, out):
    for i in range(views.shape[0]):
        out[i] = bully_order(views[i], players[i])


@dataclass
class Bully(Agent):
    """From its strongest planet against the weakest of another, one fleet at a time."""

    name: ClassVar[str] = "bully"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "planet_wars"

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        self.game.kernel(choose_as_bully)(views, players, out)
        return out
