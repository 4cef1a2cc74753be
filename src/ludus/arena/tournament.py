"""Tournaments: many lineups, mirrored blocks, one store; can be killed at any moment and resumed.

The schedule fixes every match before the first is played: lineup, block and rotation are its key, and the key names its
random words. So a resumed tournament plays just the matches that are missing, and ends as if it had never stopped.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable

import numpy as np

from ludus.arena.blocks import scores
from ludus.arena.bulk import Arena
from ludus.arena.hosts import Clock, Safety
from ludus.arena.lockstep import Seating
from ludus.arena.schedule import Lineup, Schedule
from ludus.arena.series import Moments, open_series
from ludus.arena.standings import Standings, keep_standings, standings
from ludus.arena.statistics import Gsprt, GsprtResult, gsprt, tally
from ludus.catalogue import load
from ludus.game import Game
from ludus.identity import Parts, agent_parts, game_parts
from ludus.records import Key, MatchRecord, Store
from ludus.workers import Threads, Workers

STEP = 64
"""Matches of until-sure that are begun at once: it may stop after any of them."""


class Tournament:
    """A schedule and the series of matches that it makes grow."""

    def __init__(
        self,
        schedule: Schedule,
        store: Store,
        name: str = "tournament",
        workers: Workers | None = None,
        safety: Safety | None = None,
        start: np.ndarray | None = None,
    ):
        """Blocks begin at the positions of `start` in turn, or where the rules say."""
        self.schedule, self.store, self.workers, self.safety = schedule, store, workers or Threads(1), safety
        self.start = start
        self.game: Game = load(schedule.game)
        self.game.check_setting(schedule.players, schedule.rules)
        entrants = {spec: agent_parts(spec, self.game) for spec in schedule.agents}
        self.series, self.said = open_series(
            store, name, _setting(schedule, self.game, start), entrants, game=schedule.game
        )
        """The series, and a sentence where it is a fresh one because something changed."""
        self.lineups = schedule.lineups(self.series.enter(entrants))
        self.series.seat(self.lineups)

    @property
    def total(self) -> int:
        return self.schedule.blocks * len(self.lineups) * self.schedule.players

    def frame(self):
        """The standings so far as an Arrow table, for pandas, polars and others."""
        return standings(self.series).frame()

    def _repr_html_(self) -> str:
        return standings(self.series)._repr_html_()

    def first_scores(self) -> Moments | None:
        """The sums of the first agent's scores so far, where all matches are between two agents."""
        if len(self.lineups) > 1 or self.schedule.players != 2:
            return None
        first = list(self.series.entrants).index(self.schedule.agents[0])
        return self.series.moments().get((self.lineups[0], first))

    def run(self, watch: Callable[[int], None] = lambda played: None) -> Standings:
        """Play what is missing; `watch` hears of every group of matches."""
        with self.store.alone(self.series.name):
            watch(min(self.series.played, self.total))
            test = self._until_sure(watch) if self.schedule.format == "until-sure" else self._play_all(watch)
        found = standings(self.series, test)
        keep_standings(self.series, found)
        return found

    def _play_all(self, watch: Callable[[int], None]) -> None:
        for played in self._play(self.series.missing(self.lineups, self.schedule.blocks)):
            watch(len(played))

    def _until_sure(self, watch: Callable[[int], None]) -> GsprtResult:
        """Play until the sequential test decides; it judges whole blocks, and no more is begun than it may need."""
        pair = self.lineups[0]
        means = [self._score(block, pair) for block in self.series.blocks_of(pair)]
        missing = self.series.missing(self.lineups, self.schedule.blocks)
        while (result := self._judge(means)).state == "continue" and (batch := list(itertools.islice(missing, STEP))):
            blocks: dict[int, list[MatchRecord]] = {}
            for played in self._play(batch):
                watch(len(played))
                for (_, block, _), record in played:
                    blocks.setdefault(block, []).append(record)
            whole = (sorted(block, key=lambda record: record.rotation) for block in blocks.values() if len(block) == 2)
            means += [self._score(block, pair) for block in whole]
        return result

    def _score(self, block: list[MatchRecord], pair: Lineup) -> float:
        """Of the agent that was named first."""
        return scores([record.returns for record in block])[
            pair.index(list(self.series.entrants).index(self.schedule.agents[0]))
        ]

    def _judge(self, means: list[float]) -> GsprtResult:
        test = Gsprt(self.schedule.elo0, self.schedule.elo1)
        return gsprt(test, *tally(means)) if means else gsprt(test, [0.0, 1.0], [0, 0])

    def _play(self, missing: Iterable[tuple[Key, Seating]]) -> Iterable[list[tuple[Key, MatchRecord]]]:
        """Plays and keeps matches, group by group."""
        clock = Clock(self.schedule.move_seconds) if self.schedule.move_seconds else None
        arena = Arena(
            self.game, self.schedule.agents, self.schedule.rules,
            seed=self.schedule.seed, start=self.start, clock=clock, safety=self.safety,
        )  # fmt: skip
        entrants = list(self.series.entrants)
        place = {entrants.index(spec): k for k, spec in enumerate(self.schedule.agents)}
        keys: dict[Seating, Key] = {}

        def seated(key: Key, seating: Seating) -> Seating:
            """The arena numbers its agents as the schedule does, a series as they entered."""
            own = Seating(tuple(place[number] for number in seating.seats), seating.block, seating.rotation)
            keys[own] = key
            return own

        for group in arena.play((seated(*one) for one in missing), self.workers):
            played = [(keys.pop(seating), record) for seating, record in group]
            self.series.add(played)
            yield played


def _setting(schedule: Schedule, game: Game, start: np.ndarray | None) -> Parts:
    """What all matches of a series have in common."""
    maps = {} if start is None else {"the maps": hashlib.sha256(start.tobytes()).hexdigest()}
    return maps | {
        "the game": f"={game.name}",
        "the number of players": f"={schedule.players}",
        "the seed": f"={schedule.seed}",
        "the time for a move": f"={schedule.move_seconds:g} s",
        **game_parts(game, schedule.rules),
    }
