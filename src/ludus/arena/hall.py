"""The hall: plays any number of tables with a set of agents, as fast as the agents allow, and hands back the records.

Compiled agents play in lock-step, in chunks, on threads; others move by move through the stepper, each in a process of
its own. Both ways give the same records.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from itertools import islice

import numpy as np

from ludus.arena.hosts import Clock, Host, host
from ludus.arena.lockstep import Table, play_batch, records_of
from ludus.arena.match import Match, fresh_salt
from ludus.catalogue import agent, is_ours
from ludus.errors import AgentFault
from ludus.game import Game
from ludus.records import MatchRecord

CHUNK_SECONDS = 0.5
"""A killed process loses what is in play; a chunk should not take much longer than this."""
MOST_TABLES = 4096

Played = tuple[Table, MatchRecord]


class Hall:
    """Agents, rules and clocks; `play` takes the tables."""

    def __init__(
        self,
        game: Game,
        specs: Sequence[str],
        values: Mapping[str, object] | None = None,
        *,
        seed: int = 0,
        start: np.ndarray | None = None,
        clock: Clock | None = None,
        jobs: int = 1,
        apart: bool | None = None,
    ):
        self.game, self.specs, self.seed, self.start, self.jobs = game, list(specs), seed, start, jobs
        self.values = dict(game.params.values({}) if values is None else values)
        self.clock = clock or Clock()
        self.apart = apart
        self.agents = [agent(spec, game) for spec in specs]
        self.in_lockstep = clock is None and not apart and all(player.compiled for player in self.agents)
        self._own = threading.local()
        self._hosts: list[Host] = []

    def play(self, tables: Iterable[Table], with_actions: bool = True) -> Iterator[list[Played]]:
        """The records of the tables, in groups, as they are finished."""
        waiting = iter(tables)
        size = 1
        running: dict[Future, None] = {}
        with ThreadPoolExecutor(self.jobs) as workers, closing(self):
            try:
                while True:
                    while len(running) < self.jobs and (chunk := list(islice(waiting, size))):
                        running[workers.submit(self._timed, chunk, with_actions)] = None
                    if not running:
                        return
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        del running[future]
                        records, seconds = future.result()
                        size = self._next_size(len(records), seconds)
                        yield records
            finally:
                for future in running:
                    future.cancel()

    def _next_size(self, played: int, seconds: float) -> int:
        if not self.in_lockstep:
            return 1
        return int(min(MOST_TABLES, 2 * played + 1, 1 + played * CHUNK_SECONDS / max(seconds, 1e-6)))

    def _timed(self, tables: list[Table], with_actions: bool) -> tuple[list[Played], float]:
        started = time.perf_counter()
        play = self._in_lockstep if self.in_lockstep else self._move_by_move
        return play(tables, with_actions), time.perf_counter() - started

    def _in_lockstep(self, tables: list[Table], with_actions: bool) -> list[Played]:
        batch = play_batch(self.game, self.agents, tables, self.seed, self.values, self.start, with_actions)
        return list(zip(tables, records_of(batch, self.game, self.agents, self.seed, self.values, self.start)))

    def _move_by_move(self, tables: list[Table], with_actions: bool) -> list[Played]:
        return [(table, self._one_match(table)) for table in tables]

    def _one_match(self, table: Table) -> MatchRecord:
        ours = all(is_ours(self.specs[k], self.game.source) for k in table.seats)
        match = Match(
            self.game, len(table.seats), self.values, seed=self.seed, block=table.block, rotation=table.rotation,
            start=self.start, salt="" if ours else fresh_salt(),
        )  # fmt: skip
        used = [0.0] * match.players
        while not match.over:
            for player, view in match.waiting().items():
                try:
                    started = time.perf_counter()
                    chosen = self._host(table.seats[player])
                    answer = chosen.ask(view, match.stream(player), self.clock.left(used[player]))
                    used[player] += time.perf_counter() - started
                    match.submit(player, answer)
                except AgentFault as fault:
                    match.forfeit(player, fault.reason, str(fault))
                    break
        return match.record([self.agents[k].spec for k in table.seats], used)

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


def rotations(seats: Sequence[int], block: int) -> list[Table]:
    """All matches of one block: every agent sits in every seat once, and chance is the same for all."""
    n = len(seats)
    return [Table(tuple(seats[(p + turn) % n] for p in range(n)), block, turn) for turn in range(n)]
