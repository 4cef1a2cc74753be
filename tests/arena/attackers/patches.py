"""An agent that rewrites the stepper as soon as it is imported."""

from __future__ import annotations

from dataclasses import dataclass

from ludus import Agent
from ludus.arena.match import Match

Match.forfeit = Match.submit = lambda *_: None


@dataclass
class Patcher(Agent):
    def act(self, view, rng):
        return 99
