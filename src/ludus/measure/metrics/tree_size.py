"""How many lines of play there are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import CHOICES, NUMBER, Metric, Reading
from ludus.measure.replays import played
from ludus.measure.sampling import Replays, blocks_of, bootstrap, mean


@dataclass(frozen=True)
class TreeSize:
    """Powers of ten."""

    knuth: Interval
    """log10 of the mean of Π menus: of random matches, an unbiased count of the leaves."""
    ludii: Interval
    """The mean of decisions · log10(mean menu), as Ludii has it."""


def measure(replays: Replays) -> TreeSize:
    """How many lines of play there are. `replays` are matches of the random agent, else the count means nothing."""
    replays = [replay for replay in played(replays) if len(replay.menus)]
    blocks = blocks_of(replays)
    logs = np.array([np.log10(replay.menus).sum() for replay in replays])
    ludii = [len(replay.menus) * math.log10(replay.menus.mean()) for replay in replays]
    largest = float(logs.max()) if len(logs) else 0.0
    columns = np.column_stack([10.0 ** np.maximum(logs - largest, -300.0), np.ones(len(logs))])
    knuth = bootstrap(columns, blocks, lambda sums: largest + np.log10(sums[..., 0] / sums[..., 1]), floor=0.0)
    return TreeSize(knuth, mean(ludii, blocks, floor=0.0))


def read(evidence: Evidence) -> Iterator[Reading]:
    weakest = evidence.weakest()
    if weakest is not None:
        size, level = measure(weakest.replays), weakest.specs[0]
        yield Reading("knuth", "Lines of play, a power of ten", size.knuth, NUMBER, level)
        yield Reading("ludii", "The same as Ludii counts it", size.ludii, NUMBER, level)


METRIC = Metric(
    CHOICES,
    "How many different lines of play there are, as a power of ten.",
    read,
    parts={"knuth": NUMBER, "ludii": NUMBER},
)
