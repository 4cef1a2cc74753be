"""A published curiosity: choice by length."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import CHOICES, FINE, Metric, Reading
from ludus.measure.replays import played
from ludus.measure.sampling import Array, Replays, blocks_of, bootstrap


def measure(replays: Replays) -> Interval:
    """√(mean menu) / mean decisions."""
    replays = played(replays)
    columns = np.array([[replay.menus.sum(), len(replay.menus), 1.0] for replay in replays], float).reshape(-1, 3)

    def statistic(sums: Array) -> Array:
        menus, decisions, matches = np.moveaxis(sums, -1, 0)
        return np.sqrt(menus / decisions) * matches / decisions

    return bootstrap(columns, blocks_of(replays), statistic, floor=0.0)


def read(evidence: Evidence) -> Iterator[Reading]:
    for lineup in evidence.judged():
        yield Reading("refinement", "Game refinement", measure(lineup.replays), FINE, lineup.specs[0])


METRIC = Metric(
    CHOICES,
    "The root of the choices a decision over the decisions a match: a published curiosity.",
    read,
    parts={"refinement": FINE},
)
