"""Matches move by move, each agent asked by its host: for agents that are slow, on a clock, or somebody's own.

Whatever an agent does ends in a record. Hosts are kept from match to match; every seat of a match has one of its own,
so that an agent that plays against itself does not see both hands.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np

from ludus.arena.hosts import USERS_CLOCK, Clock, Host, Safety, host, resident
from ludus.arena.lockstep import Seating
from ludus.arena.match import Match, fresh_salt
from ludus.errors import AgentFault, BadInput
from ludus.game import Game
from ludus.records import MatchRecord


class Stepwise:
    """Agents, rules and a clock; `play` takes one seating, in any thread."""

    def __init__(
        self,
        game: Game,
        specs: Sequence[str],
        values: Mapping[str, object] | None = None,
        *,
        seed: int = 0,
        start: np.ndarray | None = None,
        clock: Clock | None = None,
        safety: Safety | None = None,
        apart: bool | None = None,
    ):
        self.game, self.values, self.seed, self.start = game, values, seed, start
        self.given, self.safety, self.apart = [spec.strip() for spec in specs], safety, apart
        self.residents = [resident(spec, game, safety) for spec in specs]
        self.specs = [one.spec if one else spec for one, spec in zip(self.residents, self.given)]
        self.clock = clock or (Clock() if all(self.residents) else USERS_CLOCK)
        self._lock = threading.Lock()
        self._free: dict[int, list[Host]] = {k: [] for k in range(len(specs))}
        self._all: list[Host] = []

    def check(self) -> None:
        """Start those that live apart: one that cannot play is refused now, one that fails will lose its matches."""
        for k, one in enumerate(self.residents):
            if one is None:
                chosen = self._take(k)
                with suppress(AgentFault):
                    chosen.start()
                self._free[k].append(chosen)

    def play(self, seating: Seating) -> MatchRecord:
        """One match to its end."""
        ours = all(self.residents[k] for k in seating.seats)
        match = Match(
            self.game, len(seating.seats), self.values, seed=self.seed, block=seating.block, rotation=seating.rotation,
            start=None if self.start is None else self.start[[seating.block % len(self.start)]],
            salt="" if ours else fresh_salt(),
        )  # fmt: skip
        hosts = [self._take(k) for k in seating.seats]
        try:
            used = play_match(match, hosts, self.clock)
            printed = [one.end() for one in hosts]
        finally:
            with self._lock:
                for k, one in zip(seating.seats, hosts):
                    self._free[k].append(one)
        return match.record([self.specs[k] for k in seating.seats], used, printed if any(printed) else ())

    def _take(self, k: int) -> Host:
        """A host of agent k that is in no match."""
        with self._lock:
            if self._free[k]:
                return self._free[k].pop()
        made = host(self.given[k], self.game, safety=self.safety, clock=self.clock, apart=self.apart)
        with self._lock:
            self._all.append(made)
        return made

    def close(self) -> None:
        for one in self._all:
            one.close()
        self._all, self._free = [], {k: [] for k in self._free}


def play_match(match: Match, hosts: Sequence[Host], clock: Clock) -> list[float]:
    """Ask until the match is over, by its rules or by an agent's fault; the seconds that each seat thought."""
    used = [0.0] * match.players
    for player, one in enumerate(hosts):
        try:
            one.start()
            one.begin()
        except (AgentFault, BadInput) as fault:
            match.forfeit(player, getattr(fault, "reason", "exception"), str(fault))
            return used
    while not match.over:
        for player, view in match.waiting().items():
            started = time.perf_counter()
            try:
                answer = hosts[player].ask(view, match.stream(player), clock.left(used[player]))
                match.submit(player, answer)
            except AgentFault as fault:
                match.forfeit(player, fault.reason, str(fault))
                break
            finally:
                used[player] += time.perf_counter() - started
    return used
