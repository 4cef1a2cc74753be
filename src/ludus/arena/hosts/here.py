"""An agent in this process: ours, or one that the user trusts."""

from __future__ import annotations

import math
import time

import numpy as np

from ludus.agent import Agent, Thoughts
from ludus.arena.hosts.wire import Manners
from ludus.errors import AgentFault
from ludus.game import View


class Here:
    """Its overrun is noticed only when it answers. With `debug` its errors are not caught, so that one sees where."""

    def __init__(self, player: Agent, debug: bool = False):
        self.agent, self.debug = player, debug
        self.manners = Manners()
        self._is_ready = not player.compiled

    @property
    def thoughts(self) -> Thoughts | None:
        return self.agent.thoughts

    def start(self) -> None:
        """It is here."""

    def begin(self) -> None:
        """Nothing that it prints is kept apart."""

    def ask(self, view: View, rng: np.ndarray, seconds: float) -> object:
        try:
            self._make_ready(view, rng, seconds)
            before, started = view.states.tobytes(), time.perf_counter()
            answer = self.agent.act(view, rng)
        except Exception as error:
            if self.debug:
                raise
            raise AgentFault("exception", f"{type(error).__name__}: {error}"[:2000]) from error
        self.manners = Manners(self.agent.repeatable, view.states.tobytes() != before)
        if time.perf_counter() - started > seconds:
            raise AgentFault("timeout", f"no answer within {seconds:.3g} s")
        return answer

    def _make_ready(self, view: View, rng: np.ndarray, seconds: float) -> None:
        """What the first answer compiles is compiled before the clock runs, where there is one."""
        if not self._is_ready and seconds < math.inf:
            self.agent.act(view, rng.copy())
            self._is_ready = True

    def end(self) -> str:
        return ""

    def close(self) -> None:
        self.agent.close()
