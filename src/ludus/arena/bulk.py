"""Bulk play: any number of matches between a set of agents, as fast as the agents allow; seatings in, records out.

Compiled agents play in lock-step, in chunks; others move by move through the stepper, each in a process of its own.
Both ways give the same records, and neither knows where its workers are: an arena travels as its settings.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import islice

import numpy as np

from ludus.arena.hosts import Clock, Host, host
from ludus.arena.lockstep import Seating, play_batch, records_of
from ludus.arena.match import Match, fresh_salt
from ludus.catalogue import agent, is_ours, load
from ludus.errors import AgentFault
from ludus.game import Game
from ludus.records import MatchRecord
from ludus.workers import Threads, Workers

CHUNK_SECONDS = 0.5
"""A killed process loses what is in play; a chunk should not take much longer than this."""
MOST_TOGETHER = 4096

Played = tuple[Seating, MatchRecord]


class Arena:
    """Agents, rules and clocks; `play` takes the seatings."""

    def __init__(
        self,
        game: Game,
        specs: Sequence[str],
        values: Mapping[str, object] | None = None,
        *,
        seed: int = 0,
        start: np.ndarray | None = None,
        clock: Clock | None = None,
        apart: bool | None = None,
    ):
        self.game, self.specs, self.seed, self.start = game, list(specs), seed, start
        self.values = dict(game.params.values({}) if values is None else values)
        self.limit, self.clock = clock, clock or Clock()
        self.apart = apart
        self.agents = [agent(spec, game) for spec in specs]
        self.in_lockstep = clock is None and not apart and all(player.compiled for player in self.agents)
        self._own = threading.local()
        self._hosts: list[Host] = []

    def __reduce__(self) -> tuple:
        options = {"seed": self.seed, "start": self.start, "clock": self.limit, "apart": self.apart}
        return _arena, (self.game.source, self.specs, self.values, options)

    def play(
        self, seatings: Iterable[Seating], workers: Workers | None = None, with_actions: bool = True
    ) -> Iterator[list[Played]]:
        """The records of the seatings, in groups, as they are finished; here and now where no workers are given."""
        waiting, size = iter(seatings), 1

        def chunks() -> Iterator[list[Seating]]:
            while chunk := list(islice(waiting, size)):
                yield chunk

        with closing(self):
            work = partial(self._timed, with_actions=with_actions)
            for played, seconds in (workers or Threads(1)).stream(work, chunks()):
                size = self._next_size(len(played), seconds)
                yield played

    def _next_size(self, played: int, seconds: float) -> int:
        if not self.in_lockstep:
            return 1
        return int(min(MOST_TOGETHER, 2 * played + 1, 1 + played * CHUNK_SECONDS / max(seconds, 1e-6)))

    def _timed(self, seatings: list[Seating], with_actions: bool) -> tuple[list[Played], float]:
        started = time.perf_counter()
        play = self._in_lockstep if self.in_lockstep else self._move_by_move
        return play(seatings, with_actions), time.perf_counter() - started

    def _in_lockstep(self, seatings: list[Seating], with_actions: bool) -> list[Played]:
        batch = play_batch(self.game, self.agents, seatings, self.seed, self.values, self.start, with_actions)
        return list(zip(seatings, records_of(batch, self.game, self.agents, self.seed, self.values, self.start)))

    def _move_by_move(self, seatings: list[Seating], with_actions: bool) -> list[Played]:
        return [(seating, self._one_match(seating)) for seating in seatings]

    def _one_match(self, seating: Seating) -> MatchRecord:
        ours = all(is_ours(self.specs[k], self.game.source) for k in seating.seats)
        match = Match(
            self.game, len(seating.seats), self.values, seed=self.seed, block=seating.block, rotation=seating.rotation,
            start=None if self.start is None else self.start[[seating.block % len(self.start)]],
            salt="" if ours else fresh_salt(),
        )  # fmt: skip
        used = [0.0] * match.players
        while not match.over:
            for player, view in match.waiting().items():
                try:
                    started = time.perf_counter()
                    chosen = self._host(seating.seats[player])
                    answer = chosen.ask(view, match.stream(player), self.clock.left(used[player]))
                    used[player] += time.perf_counter() - started
                    match.submit(player, answer)
                except AgentFault as fault:
                    match.forfeit(player, fault.reason, str(fault))
                    break
        return match.record([self.agents[k].spec for k in seating.seats], used)

    def _host(self, k: int) -> Host:
        """The host of agent k in this thread."""
        hosts = self._own.__dict__.setdefault("hosts", {})
        if k not in hosts:
            hosts[k] = host(self.specs[k], self.game, apart=self.apart)
            self._hosts.append(hosts[k])
        return hosts[k]

    def close(self) -> None:
        for one in self._hosts:
            one.close()
        self._hosts = []
        self._own = threading.local()


def _arena(source: str, specs: list[str], values: dict[str, object], options: dict) -> Arena:
    return Arena(load(source), specs, values, **options)
