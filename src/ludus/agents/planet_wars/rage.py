"""RageBot of the contest: all ships of every planet that has many, at the rival's nearest planet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents.planet_wars._examples import NOBODY
from ludus.compile import rule, template
from ludus.games._planet_wars_maps import trip
from ludus.games._planet_wars_text import MAX_PLANETS, MOST_SHIPS, ROUTES
from ludus.games.planet_wars import DONE, free_ships


@rule
def rage_order(state, player):
    """The order of the first planet that has not given its own."""
    for source in range(state.planets):
        ships = state.ships[source]
        if state.owner[source] != 1 + player or ships == 0 or ships < 10 * state.growth[source]:
            continue
        dest = nearest_rival(state, player, source)
        if dest != NOBODY and free_ships(state, player, source) > 0:
            return min(free_ships(state, player, source), MOST_SHIPS) * ROUTES + source * MAX_PLANETS + dest
    return DONE


@rule
def nearest_rival(state, player, source):
    best, fewest = NOBODY, 0
    for planet in range(state.planets):
        if state.owner[planet] == 2 - player:
            turns = trip(state, source, planet)
            if best == NOBODY or turns < fewest:
                best, fewest = planet, turns
    return best


@template
def choose_as_rage(views, players, out):
    for i in range(views.shape[0]):
        out[i] = rage_order(views[i], players[i])


@dataclass
class Rage(Agent):
    """All ships of every planet that has many, at the rival's nearest planet."""

    name: ClassVar[str] = "rage"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "planet_wars"

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        self.game.kernel(choose_as_rage)(views, players, out)
        return out
