"""An agent that says it lies in Ludus itself."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import ClassVar

from ludus import Agent


@dataclass
class Forged(Agent):
    name: ClassVar[str] = "random"

    def act(self, view, rng):
        print(f"pid {os.getpid()}")
        return int(view.legal[0])


Forged.__module__ = "ludus.agents.random_choice"
