"""Bulk play: any number of matches between a set of agents, as fast as the agents allow; seatings in, records out.

Compiled agents play in lock-step, in chunks; others move by move through the stepper, each in a process of its own.
Both ways give the same records, and neither knows where its workers are: an arena travels as its settings.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import islice

import numpy as np

from ludus.arena.hosts import Clock, Safety
from ludus.arena.lockstep import Seating, play_batch, records_of
from ludus.arena.stepwise import Stepwise
from ludus.catalogue import load
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
        safety: Safety | None = None,
    ):
        self.game, self.specs, self.seed, self.start = game, list(specs), seed, start
        self.values = dict(game.params.values({}) if values is None else values)
        self.options = {"seed": seed, "start": start, "clock": clock, "apart": apart, "safety": safety}
        self._stepwise = Stepwise(game, specs, values, **self.options)
        self.agents = [one for one in self._stepwise.residents if one is not None and one.compiled]
        self.in_lockstep = clock is None and not apart and len(self.agents) == len(specs)
        self._stepwise.check()

    def __reduce__(self) -> tuple:
        return _arena, (self.game.source, self.specs, self.values, self.options)

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
        return [(seating, self._stepwise.play(seating)) for seating in seatings]

    def close(self) -> None:
        self._stepwise.close()


def _arena(source: str, specs: list[str], values: dict[str, object], options: dict) -> Arena:
    return Arena(load(source), specs, values, **options)
