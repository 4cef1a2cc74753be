"""How much the next choice may change."""

from __future__ import annotations

from collections.abc import Iterator

from ludus.arena.statistics import Interval
from ludus.measure.alternatives import stir_of, sums_of
from ludus.measure.evidence import Evidence
from ludus.measure.metric import SIZE, TENSION, Metric, Reading, of_traces
from ludus.measure.sampling import Replays, root_ratio


def measure(replays: Replays) -> Interval:
    """How far the next choice may move expectations: the root of the mean square, over the agent's policy and over
    decisions, without what noise adds."""
    return root_ratio(*sums_of(replays, stir_of))


def read(evidence: Evidence) -> Iterator[Reading]:
    if evidence.traced is not None:
        found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
        yield Reading("suspense", "Suspense: what the next move may change", found, SIZE, **about)


METRIC = Metric(
    TENSION,
    "How much the next choice may change what players can expect.",
    read,
    needs="traces",
    parts={"suspense": SIZE},
)
