"""An agent that claims to be compiled, and asks to be believed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus import Agent


@dataclass
class Claimant(Agent):
    name: ClassVar[str] = "random"
    compiled: ClassVar[bool] = True

    def act_many(self, views, players, words):
        print(f"pid {os.getpid()}")
        return np.array([self.game.menu(views[i : i + 1], players[i])[0] for i in range(len(views))])
