"""A contest: some agents, one lineup, many mirrored blocks; who does how well, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from ludus.arena.hall import Hall, rotations
from ludus.arena.hosts import Clock
from ludus.arena.statistics import score_interval
from ludus.catalogue import load
from ludus.records import MatchRecord


@dataclass(frozen=True)
class Standing:
    """How one agent did; the score is its mean share of the point, with a 95 % interval over blocks."""

    spec: str
    wins: int
    draws: int
    score: float
    low: float
    high: float


@dataclass(frozen=True)
class Contest:
    game: str
    games: int
    seed: int
    agents: list[Standing]
    mean_plies: float
    faults: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def contest(
    game: str,
    specs: Sequence[str],
    *,
    games: int = 100,
    seed: int = 0,
    preset: str = "default",
    rules: Mapping[str, object] | None = None,
    start: np.ndarray | None = None,
    clock: Clock | None = None,
    jobs: int = 1,
    watch: Callable[[int], None] = lambda done: None,
    keep: Callable[[MatchRecord], None] | None = None,
) -> Contest:
    """Play at least `games` matches, in whole blocks; `watch` hears of progress, `keep` gets every record."""
    rulebook = load(game)
    values = rulebook.rule_values(preset, rules)
    players = len(specs)
    rulebook.check_setting(players, values)
    hall = Hall(rulebook, specs, values, seed=seed, start=start, clock=clock, jobs=jobs)
    blocks = -(-games // players)
    shares = np.empty((blocks, players, players))  # block, rotation, agent
    tops = np.zeros((2, players), np.int64)  # wins and draws of each agent
    faults: Counter[str] = Counter()
    plies = 0
    tables = (table for block in range(blocks) for table in rotations(range(players), block))
    for group in hall.play(tables, with_actions=keep is not None):
        for table, record in group:
            shares[table.block, table.rotation, list(table.seats)] = record.shares
            best = np.flatnonzero(np.array(record.returns) == max(record.returns))
            tops[int(len(best) > 1), [table.seats[seat] for seat in best]] += 1
            plies += record.plies
            if record.outcome != "finished":
                faults[record.outcome] += 1
            if keep:
                keep(record)
        watch(len(group))
    standings = [_standing(spec, shares[:, :, k], tops[:, k]) for k, spec in enumerate(specs)]
    return Contest(rulebook.source, blocks * players, seed, standings, plies / (blocks * players), dict(faults))


def _standing(spec: str, shares: np.ndarray, tops: np.ndarray) -> Standing:
    interval = score_interval(shares)
    return Standing(spec, int(tops[0]), int(tops[1]), interval.value, interval.low, interval.high)
