"""How long one waits for others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import NUMBER, TABLE, Metric, Reading
from ludus.measure.replays import Replay, played
from ludus.measure.sampling import Replays, blocks_of, mean, ratio


@dataclass(frozen=True)
class Downtime:
    wait: Interval
    """Decisions of others between two turns of one player."""
    longest: Interval
    """The longest such wait of a match, on average over matches."""


def measure(replays: Replays) -> Downtime:
    replays = played(replays)
    waits = [_waits(replay) for replay in replays]
    blocks = blocks_of(replays)
    longest = [wait.max() if len(wait) else math.nan for wait in waits]
    return Downtime(
        ratio([wait.sum() for wait in waits], [len(wait) for wait in waits], blocks), mean(longest, blocks, floor=0.0)
    )


def _waits(replay: Replay) -> np.ndarray:
    """Every wait of every seat. Others who decide in the same step keep nobody waiting."""
    waits = []
    for seat in range(replay.players):
        own = replay.steps[replay.movers == seat]
        waits.append(np.searchsorted(replay.steps, own[1:], "left") - np.searchsorted(replay.steps, own[:-1], "right"))
    every = np.concatenate(waits)
    return every[every > 0]


def read(evidence: Evidence) -> Iterator[Reading]:
    for lineup in evidence.judged():
        level, found = lineup.specs[0], measure(lineup.replays)
        yield Reading("wait", "Decisions of others between two turns", found.wait, NUMBER, level)
        yield Reading("longest", "The longest wait of a match", found.longest, NUMBER, level)


METRIC = Metric(
    TABLE,
    "How many decisions of others one waits for between two turns of one's own.",
    read,
    parts={"wait": NUMBER, "longest": NUMBER},
)
