"""How open the result is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import SHARE, TENSION, Metric, Reading, of_traces
from ludus.measure.sampling import Replays, blocks_of, rate
from ludus.measure.traces import doubt_of, trace_of, traced


@dataclass(frozen=True)
class Uncertainty:
    """0: the winner is known; 1: every seat can expect the same."""

    whole: Interval
    late: Interval
    """Over the last quarter of the match."""


def measure(replays: Replays) -> Uncertainty:
    replays = traced(replays)
    doubts = [doubt_of(trace_of(replay)) for replay in replays]
    blocks = blocks_of(replays)
    late = [doubt[-max(1, len(doubt) // 4) :].mean() for doubt in doubts]
    return Uncertainty(rate([doubt.mean() for doubt in doubts], blocks), rate(late, blocks))


def read(evidence: Evidence) -> Iterator[Reading]:
    if evidence.traced is not None:
        found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
        yield Reading("uncertainty", "Uncertainty", found.whole, **about)
        yield Reading("late", "Uncertainty in the last quarter", found.late, **about)


METRIC = Metric(
    TENSION,
    "How open the result is during a match, and in its last quarter.",
    read,
    needs="traces",
    parts={"uncertainty": SHARE, "late": SHARE},
)
