"""Where an agent lives during a match: in this process, or alone in one of its own.

Our own agents live here. Somebody else's gets a process of its own: it can raise, hang, exit or answer rubbish, and the
match that it spoils is recorded with the reason, while everything else goes on. Which of the two it is depends on where
its file lies and on what the user allows, never on what the file says of itself.

A new way to talk to programs is a file here: a class that is a `Host`, over a `Cage` that keeps the program.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ludus.agent import Agent, Thoughts
from ludus.arena.hosts.apart import Apart, told, windows
from ludus.arena.hosts.cage import Walls
from ludus.arena.hosts.here import Here
from ludus.arena.hosts.program import TURN, Program
from ludus.arena.hosts.wire import Manners
from ludus.catalogue import agent, agent_kind, check_name, describe, is_command, is_ours
from ludus.game import Game, View

__all__ = ["USERS_CLOCK", "Apart", "Clock", "Here", "Host", "Safety", "description", "full_spec", "host", "resident"]


@dataclass(frozen=True)
class Clock:
    """Thinking time in seconds; 0 is without limit."""

    move: float = 0.0
    match: float = 0.0
    start: float = 120.0
    """What a process may take to import and to compile before its first answer."""

    def left(self, used: float) -> float:
        """What a player may spend on this move, having used that much in the match."""
        limits = [limit for limit in (self.move, self.match and max(self.match - used, 1e-9)) if limit]
        return min(limits, default=float("inf"))


USERS_CLOCK = Clock(move=60.0)
"""Where nothing else is said and somebody's own agent plays: nobody waits for ever."""


@dataclass(frozen=True)
class Safety:
    """How far users' agents are believed."""

    trust: frozenset[str] = frozenset()
    """Files, and names that installed packages offer, that may run in this process."""
    sandbox: bool = False
    """Whether the others are kept behind bubblewrap."""
    debug: bool = False
    """Whether all run in this process, their errors uncaught."""
    memory: float = 4.0
    """GiB that a process may take."""

    def allows(self, spec: str) -> bool:
        """Whether this process may run the agent's code though it is not ours."""
        return self.debug or _place(spec) in {_place(one) for one in self.trust}


def _place(spec: str) -> str:
    name = spec.partition(":")[0].strip()
    return os.path.realpath(name) if name.endswith(".py") else name  # a ring of links is refused later, in a sentence


class Host(Protocol):
    """Asks one agent in one seat. Of an answer of several actions it hands out one a question, and keeps the rest."""

    @property
    def thoughts(self) -> Thoughts | None:
        """What the agent told of its last answer."""
        ...

    @property
    def manners(self) -> Manners:
        """How it answered."""
        ...

    def start(self) -> None:
        """Have the agent ready; `BadInput` if it cannot play this game, `AgentFault` if it fails."""
        ...

    def begin(self) -> None:
        """A match begins."""
        ...

    def ask(self, view: View, rng: np.ndarray, seconds: float) -> object: ...

    def end(self) -> str:
        """A match is over; what the agent printed in it, cut."""
        ...

    def close(self) -> None: ...


def resident(spec: str, game: Game, safety: Safety | None = None) -> Agent | None:
    """The agent itself, where it may live in this process."""
    if is_command(spec):
        return None
    allowed = (safety or Safety()).allows(spec)
    return agent(spec, game, trust=allowed) if allowed or is_ours(spec, game.source) else None


def full_spec(spec: str, game: Game, safety: Safety | None = None) -> str:
    """The name under which an agent's results are kept. Somebody's own has the one that it is called by: what it says
    itself might be another's."""
    check_name(spec, game.source)
    made = resident(spec, game, safety)
    return made.spec if made else spec.strip()


def host(
    spec: str,
    game: Game,
    *,
    safety: Safety | None = None,
    clock: Clock | None = None,
    apart: bool | None = None,
) -> Host:
    """A host for the agent: a process of its own unless it is ours or trusted."""
    safety = safety or Safety()
    check_name(spec, game.source)
    made = None if apart else resident(spec, game, safety)
    if made is not None:
        return Here(made, safety.debug)
    walls = Walls(safety.memory, safety.sandbox, windows(spec, game.source))
    if is_command(spec):
        contest = game.writes("contest_text") and clock in (None, USERS_CLOCK)
        return Program(spec, game, walls, TURN if contest else None)
    return Apart(spec, game, walls, (clock or Clock()).start)


def description(name: str, safety: Safety | None = None) -> dict[str, Any]:
    """What an agent says of itself; one that is not ours is asked in its own process, and may say anything."""
    check_name(name)
    if is_ours(name):
        return describe(name, agent_kind(name))
    if is_command(name):
        return {"name": name, "about": "a program of yours", "accepts": "every game", "only_for": "",
                "settings": {}}  # fmt: skip
    safety = safety or Safety()
    return told(name, Walls(safety.memory, safety.sandbox, windows(name)), Clock().start)
