"""DualBot of the contest: a Prospector that sends more fleets when behind and only attacks when ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents.planet_wars._examples import half_from, is_idle, rich_target, spare_source
from ludus.compile import rule, template
from ludus.games.planet_wars import DONE, wealth


@rule
def dual_order(state, player):
    ships, rival_ships = wealth(state, player, 0), wealth(state, 1 - player, 0)
    growth, rival_growth = wealth(state, player, 1) - ships, wealth(state, 1 - player, 1) - rival_ships
    fleets = 1 if growth > rival_growth else 3 if ships > rival_ships else 5
    if is_idle(state, player, fleets):
        return DONE
    attacks = growth > rival_growth and ships > rival_ships
    return half_from(state, spare_source(state, player), rich_target(state, player, attacks))


@template
def choose_as_dual(views, players, out):
    for i in range(views.shape[0]):
        out[i] = dual_order(views[i], players[i])


@dataclass
class Dual(Agent):
    """A Prospector that sends more fleets when behind and only attacks when ahead."""

    name: ClassVar[str] = "dual"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "planet_wars"

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        self.game.kernel(choose_as_dual)(views, players, out)
        return out
