"""How far behind the later winner was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import SHARE, TENSION, Metric, Reading, of_traces
from ludus.measure.sampling import Replays, blocks_of, rate
from ludus.measure.traces import decided, deficits_of


@dataclass(frozen=True)
class Drama:
    """Of matches with a winner."""

    mean: Interval
    """The mean root of the winner's deficit, over the moments at which it trailed (Browne)."""
    peak: Interval
    """The root of its largest deficit."""
    trailing: Interval
    """The share of moments at which it trailed."""


def measure(replays: Replays) -> Drama:
    replays = decided(replays)
    deficits = [deficits_of(replay) for replay in replays]
    roots = [np.sqrt(deficit[deficit > 0]) for deficit in deficits]
    blocks = blocks_of(replays)
    return Drama(
        rate([root.mean() if len(root) else 0.0 for root in roots], blocks),
        rate([root.max(initial=0.0) for root in roots], blocks),
        rate([(deficit > 0).mean() for deficit in deficits], blocks),
    )


def read(evidence: Evidence) -> Iterator[Reading]:
    if evidence.traced is not None:
        found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
        yield Reading("drama", "Drama: how far behind winners were", found.mean, **about)
        yield Reading("peak", "Drama at its peak", found.peak, **about)
        yield Reading("trailing", "Moments at which the winner trailed", found.trailing, **about)


METRIC = Metric(
    TENSION,
    "How far behind the later winner was while it trailed.",
    read,
    needs="traces",
    parts={"drama": SHARE, "peak": SHARE, "trailing": SHARE},
)
