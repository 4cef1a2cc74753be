"""How often the lead passes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import FINE, TENSION, Metric, Reading, of_traces
from ludus.measure.sampling import Replays, blocks_of, mean, ratio
from ludus.measure.traces import lead_changes_of, trace_of, traced


@dataclass(frozen=True)
class LeadChanges:
    count: Interval
    """A match."""
    rate: Interval
    """A ply."""


def measure(replays: Replays) -> LeadChanges:
    """How often the lead passes on; taking it first is no change, losing it with the last step is one."""
    replays = traced(replays)
    changes = [lead_changes_of(trace_of(replay)) for replay in replays]
    blocks = blocks_of(replays)
    return LeadChanges(
        mean(changes, blocks, floor=0.0), ratio(changes, [replay.plies for replay in replays], blocks, ceiling=1.0)
    )


def read(evidence: Evidence) -> Iterator[Reading]:
    if evidence.traced is not None:
        found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
        yield Reading("lead_changes", "Changes of the lead in a match", found.count, FINE, **about)


METRIC = Metric(
    TENSION, "How often the lead passes from one player to another.", read, needs="traces", parts={"lead_changes": FINE}
)
