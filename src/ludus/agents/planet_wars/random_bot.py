"""RandomBot of the contest: half the ships of any own planet to any planet, one fleet at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents.planet_wars._examples import NOBODY, half_from, is_idle
from ludus.compile import rule, template
from ludus.games.planet_wars import DONE
from ludus.rng import below


@rule
def random_order(state, player, rng):
    if is_idle(state, player, 1):
        return DONE
    source, seen = NOBODY, 0
    for planet in range(state.planets):
        if state.owner[planet] == 1 + player:
            seen += 1
            if below(rng, seen) == 0:
                source = planet
    return half_from(state, source, below(rng, state.planets))


@template
def choose_at_random(views, players, words, out):
    for i in range(views.shape[0]):
        out[i] = random_order(views[i], players[i], words[i])


@dataclass
class RandomBot(Agent):
    """Half the ships of any own planet to any planet, one fleet at a time."""

    name: ClassVar[str] = "random_bot"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "planet_wars"

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        self.game.kernel(choose_at_random)(views, players, words, out)
        return out
