"""An agent that is never ready."""

from __future__ import annotations

from dataclasses import dataclass

from ludus import Agent


@dataclass
class Preparing(Agent):
    def prepare(self, game):
        while True:
            pass
