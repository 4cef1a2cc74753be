"""Every legal action with the same probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.compile import template
from ludus.kernels import any_place
from ludus.rules import MAX_ACTIONS, legal


@template
def choose_at_random(views, players, words, out):
    menu = np.empty(MAX_ACTIONS, np.int32)
    for i in range(views.shape[0]):
        out[i] = menu[any_place(legal(views[i], players[i], menu), words[i])]


@dataclass
class RandomChoice(Agent):
    """Every legal action with the same probability."""

    name: ClassVar[str] = "random"
    compiled: ClassVar[bool] = True

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        self.game.kernel(choose_at_random)(views, players, words, out)
        return out
