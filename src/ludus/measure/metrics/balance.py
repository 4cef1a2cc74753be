"""How even the seats are."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import SEATS, SHARE, Metric, Reading
from ludus.measure.replays import played, shares_of
from ludus.measure.sampling import Replays, blocks_of, bounded, redraws, tails, unknown


def measure(replays: Replays) -> Interval:
    """1 less the largest difference between two seats. The largest of noisy differences is too large: the square of
    what noise alone would add is taken off. The interval holds for all pairs of seats at once."""
    replays = played(replays)
    if not replays:
        return unknown(0.0, 1.0)
    shares, blocks = shares_of(replays), blocks_of(replays)
    rates, count = shares.mean(axis=0), int(blocks.max()) + 1
    widest = float(np.ptp(rates))
    if count < 2:
        return Interval(1 - widest, 0.0, 1.0, len(replays))
    sums = np.stack([np.bincount(blocks, column) for column in (*shares.T, np.ones(len(shares)))], axis=1)
    redrawn = redraws(count) @ sums
    noise = np.ptp(redrawn[:, :-1] / redrawn[:, -1:] - rates, axis=1)
    reach = float(np.quantile(noise, 1 - 2 * tails(count)[0]))
    gap = math.sqrt(max(0.0, widest**2 - float((noise**2).mean())))
    return bounded(1 - gap, 1 - widest - reach, 1 - widest + reach, len(replays), 0.0, 1.0)


def read(evidence: Evidence) -> Iterator[Reading]:
    for lineup in evidence.both_ends():
        yield Reading("balance", "Balance", measure(lineup.replays), level=lineup.specs[0])


METRIC = Metric(
    SEATS, "How even the seats are: 1 if all win equally often, 0 if one always wins.", read, parts={"balance": SHARE}
)
