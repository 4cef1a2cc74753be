"""How often a position comes back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import LENGTH, SHARE, Metric, Quantity, Reading
from ludus.measure.replays import Replay, played
from ludus.measure.sampling import Replays, blocks_of, rate


def measure(replays: Replays) -> Interval:
    """The share of positions that had been on the table before in the same match."""
    replays = played(replays)
    return rate([_seen_before(replay) for replay in replays], blocks_of(replays))


def _seen_before(replay: Replay) -> float:
    return 1 - len(np.unique(replay.positions)) / len(replay.positions)


def read(evidence: Evidence) -> Iterator[Reading]:
    for lineup in evidence.both_ends():
        yield Reading("repetition", "Positions seen before", measure(lineup.replays), level=lineup.specs[0])


def quantities(players: int) -> list[Quantity]:
    return [Quantity("repeats", "repetition", "points", lambda replay: 100 * _seen_before(replay), 2, most=100)]


METRIC = Metric(
    LENGTH, "How often a position comes back within a match.", read, quantities=quantities, parts={"repetition": SHARE}
)
