"""How much expectations move up and down."""

from __future__ import annotations

from collections.abc import Iterator

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import FINE, TENSION, Metric, Reading, of_traces
from ludus.measure.replays import Trace
from ludus.measure.sampling import Replays, blocks_of, mean
from ludus.measure.traces import looked_at, trace_of, traced


def measure(replays: Replays) -> Interval:
    """How much expectations vary over a match, Σ over seats of the variance, without what noise adds. Large means
    unstable."""
    replays = traced(replays)
    return mean([_variance(trace_of(replay)) for replay in replays], blocks_of(replays), floor=0.0)


def _variance(trace: Trace) -> float:
    expected, errors = (rows[:-1] for rows in looked_at(trace))
    # The mean of T noisy values is less noisy itself: so (1 - 1/T).
    return float(expected.var(axis=0).sum() - (errors**2).sum(axis=1).mean() * (1 - 1 / len(expected)))


def read(evidence: Evidence) -> Iterator[Reading]:
    if evidence.traced is not None:
        found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
        yield Reading("stability", "How much chances vary in a match", found, FINE, **about)


METRIC = Metric(
    TENSION,
    "How much expectations move up and down over a match; large means unstable.",
    read,
    needs="traces",
    parts={"stability": FINE},
)
