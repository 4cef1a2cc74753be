"""How much what happened did change."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import SIZE, TENSION, Metric, Reading, of_traces
from ludus.measure.sampling import Replays, blocks_of, ratio, root_ratio
from ludus.measure.traces import Noisy, looked_at, trace_of, traced


@dataclass(frozen=True)
class Surprise:
    size: Noisy
    """How far expectations move in a ply, on average."""
    real: Interval
    """The root of the mean square of it, without what noise adds."""


def measure(replays: Replays) -> Surprise:
    """The distance of two vectors of expectations is √(Σ change² / 2): with two players the change of either."""
    replays = traced(replays)
    blocks, plies = blocks_of(replays), [replay.plies for replay in replays]
    squares, noises = [], []
    for replay in replays:
        expected, errors = looked_at(trace_of(replay))
        squares.append((np.diff(expected, axis=0) ** 2).sum(axis=1) / 2)
        noises.append((errors[1:] ** 2 + errors[:-1] ** 2).sum(axis=1) / 2)
    usual = _mean_length(replays[0].players - 1) if replays else 1.0
    real = [(square - noise).sum() for square, noise in zip(squares, noises)]
    seen = ratio([np.sqrt(square).sum() for square in squares], plies, blocks, ceiling=1.0)
    noise = ratio([usual * np.sqrt(noise).sum() for noise in noises], plies, blocks, ceiling=1.0)
    return Surprise(Noisy(seen, noise), root_ratio(real, plies, blocks))


def _mean_length(dimensions: int) -> float:
    """The mean length of a normal vector whose mean square is 1: √(2/π) in one dimension."""
    return math.sqrt(2 / dimensions) * math.gamma((dimensions + 1) / 2) / math.gamma(dimensions / 2)


def read(evidence: Evidence) -> Iterator[Reading]:
    if evidence.traced is not None:
        found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
        noise = f"noise alone would give {SIZE.text(found.size.noise)}"
        yield Reading("surprise", "Surprise: what a ply changes, without noise", found.real, SIZE, **about)
        yield Reading("seen", "Surprise as seen", found.size.seen, SIZE, **about, beside=noise)


METRIC = Metric(
    TENSION,
    "How much what happened did change what players could expect.",
    read,
    needs="traces",
    parts={"surprise": SIZE, "seen": SIZE},
)
