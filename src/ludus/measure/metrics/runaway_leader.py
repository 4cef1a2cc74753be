"""Whether the leader wins."""

from __future__ import annotations

from collections.abc import Iterator

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import SHARE, TENSION, Light, Limits, Metric, Reading, of_traces
from ludus.measure.replays import Replay
from ludus.measure.sampling import Replays, blocks_of, rate
from ludus.measure.traces import decided, trace_of

RUNAWAY = Limits(0.85, 0.95)
"""How often the leader at half-time wins: beyond, the second half is for the record."""
QUARTERS = (0.25, 0.5, 0.75)


def measure(replays: Replays) -> tuple[Interval, ...]:
    """How often the one who leads after a quarter, half and three quarters of a match wins it."""
    replays = decided(replays)
    blocks = blocks_of(replays)
    return tuple(rate([_leads(replay, share) for replay in replays], blocks) for share in QUARTERS)


def _leads(replay: Replay, share: float) -> float:
    """1 if the eventual winner leads, 1/k if k seats do together and it is one of them."""
    chances = trace_of(replay).expected[int(share * replay.plies)]
    leading = chances >= chances.max() - 1e-9
    return float(leading[replay.winner] / leading.sum())


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    if evidence.traced is None:
        return
    about = of_traces(evidence.traced)
    early, half, late = measure(evidence.traced.replays)
    yield Reading("half", "The leader at half-time wins", half, **about)
    yield Reading("quarter", "The leader after a quarter wins", early, **about)
    yield Reading("three-quarters", "The leader after three quarters wins", late, **about)
    if half.n:
        words = f"Who leads at half-time wins {SHARE.text(half)} of the time."
        yield RUNAWAY.light("Runaway leader", half, words, about["level"])


METRIC = Metric(
    TENSION,
    "How often whoever leads after a quarter, half and three quarters of the match wins it.",
    read,
    needs="traces",
    parts={"half": SHARE, "quarter": SHARE, "three-quarters": SHARE},
)
