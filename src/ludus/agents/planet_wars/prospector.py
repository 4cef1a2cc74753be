"""ProspectorBot of the contest: after growth that costs few ships, one fleet at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents.planet_wars._examples import half_from, is_idle, rich_target, spare_source
from ludus.compile import rule, template
from ludus.games.planet_wars import DONE


@rule
def prospector_order(state, player):
    if is_idle(state, player, 1):
        return DONE
    return half_from(state, spare_source(state, player), rich_target(state, player, False))


@template
def choose_as_prospector(views, players, out):
    for i in range(views.shape[0]):
        out[i] = prospector_order(views[i], players[i])


@dataclass
class Prospector(Agent):
    """After growth that costs few ships, one fleet at a time."""

    name: ClassVar[str] = "prospector"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "planet_wars"

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        self.game.kernel(choose_as_prospector)(views, players, out)
        return out
