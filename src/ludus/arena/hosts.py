"""Where an agent lives during a match: in this process, or alone in one of its own.

Built-in agents are trusted. A user's agent gets a process of its own: it can raise, hang, exit or answer rubbish, and
the match that it spoils is recorded with the reason, while everything else goes on.
"""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ludus.agent import Agent
from ludus.catalogue import agent, load
from ludus.errors import AgentFault, LudusError
from ludus.game import Game, View

START_UP = 120.0
"""Seconds that a fresh process may take to import and to compile before its first answer."""


@dataclass(frozen=True)
class Clock:
    """Thinking time in seconds; 0 is without limit."""

    move: float = 0.0
    match: float = 0.0

    def left(self, used: float) -> float:
        """What a player may spend on this move, having used that much in the match."""
        limits = [limit for limit in (self.move, self.match and max(self.match - used, 1e-9)) if limit]
        return min(limits, default=float("inf"))


class Host(Protocol):
    """Asks one agent."""

    def ask(self, view: View, rng: np.ndarray, seconds: float) -> object: ...

    def close(self) -> None: ...


class Here:
    """An agent in this process; its overrun is noticed only when it answers."""

    def __init__(self, player: Agent):
        self.agent = player

    def ask(self, view: View, rng: np.ndarray, seconds: float) -> object:
        started = time.perf_counter()
        try:
            answer = self.agent.act(view, rng)
        except Exception as error:
            raise AgentFault("exception", f"{type(error).__name__}: {error}") from error
        if time.perf_counter() - started > seconds:
            raise AgentFault("timeout", f"no answer within {seconds:.3g} s")
        return answer

    def close(self) -> None:
        self.agent.close()


class Apart:
    """An agent in a process of its own, started at the first question and again after a fault."""

    def __init__(self, spec: str, game: Game):
        self.spec, self.game = spec, game
        self._process: Any = None
        self._line: Any = None

    def ask(self, view: View, rng: np.ndarray, seconds: float) -> object:
        line = self._line or self._start()
        try:
            line.send((view.states, view.player, rng))
            if not line.poll(None if seconds == float("inf") else seconds):
                raise AgentFault("timeout", f"no answer within {seconds:.3g} s")
            kind, answer, word = line.recv()
        except (EOFError, OSError):
            code = self._exit_code()
            self.close()
            raise AgentFault("crash", f"its process ended with exit code {code}") from None
        except AgentFault:
            self.close()
            raise
        if kind == "error":
            raise AgentFault("exception", answer)
        rng[:] = word
        return answer

    def _start(self) -> Any:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._line = ours
        self._process = context.Process(
            target=_answer_questions, args=(theirs, self.spec, self.game.source), daemon=True
        )
        self._process.start()
        theirs.close()
        try:
            if not ours.poll(START_UP):
                raise AgentFault("timeout", f"it did not start within {START_UP:.0f} s")
            kind, answer, _ = ours.recv()
        except (EOFError, OSError):
            code = self._exit_code()
            self.close()
            raise AgentFault("crash", f"its process ended with exit code {code} before the match") from None
        except AgentFault:
            self.close()
            raise
        if kind == "error":
            self.close()
            raise AgentFault("exception", answer)
        return ours

    def _exit_code(self) -> int | None:
        if self._process is None:
            return None
        self._process.join(5)
        return self._process.exitcode

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
        if self._process is not None:
            self._process.kill()
            self._process.join(5)
        self._process = self._line = None


def _answer_questions(line: Any, spec: str, source: str) -> None:
    """The life of an agent's own process: ends when the other side closes the line."""
    try:
        game = load(source)
        player = agent(spec, game)
        line.send(("ready", None, None))
    except Exception as error:
        line.send(("error", f"{type(error).__name__}: {error}", None))
        return
    while True:
        try:
            states, seat, word = line.recv()
        except EOFError:
            return
        try:
            view = View(game, states, seat)
            line.send(("action", player.act(view, word), word))
        except LudusError as error:
            line.send(("error", str(error), word))
        except Exception as error:
            line.send(("error", f"{type(error).__name__}: {error}", word))


def host(spec: str, game: Game, *, apart: bool | None = None) -> Host:
    """A host for the agent: its own process unless it is built in."""
    made = agent(spec, game)
    trusted = type(made).__module__.startswith("ludus.agents.")
    return Here(made) if (trusted if apart is None else not apart) else Apart(spec, game)
