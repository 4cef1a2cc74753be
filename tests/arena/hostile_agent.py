"""An agent that misbehaves on demand, for the tests of the arena."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass

from ludus import Agent
from ludus.settings import setting


@dataclass
class Hostile(Agent):
    """Plays its first legal action, until it does what `how` says."""

    how: str = setting("behave", "behave, raise, sleep, illegal, garbage, unpicklable, exit, die")

    def act(self, view, rng):
        if len(view.legal) < 9:  # it behaves at its first move of tic-tac-toe, if it begins
            return self._misbehave(view)
        return int(view.legal[0])

    def _misbehave(self, view):
        if self.how == "raise":
            raise ValueError("I do not want to")
        if self.how == "sleep":
            time.sleep(600)
        if self.how == "exit":
            sys.exit(3)
        if self.how == "die":
            os._exit(7)
        wrong = {"illegal": 99, "garbage": "rubbish", "unpicklable": lambda: 0}
        return wrong.get(self.how, int(view.legal[0]))
