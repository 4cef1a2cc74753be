"""Winners who had been nearly lost."""

from __future__ import annotations

from collections.abc import Iterator

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import SHARE, TENSION, Metric, Reading, of_traces
from ludus.measure.replays import Replay
from ludus.measure.sampling import Replays, blocks_of, rate
from ludus.measure.traces import SURE, decided, trace_of


def measure(replays: Replays) -> Interval:
    """The share of winners who once could surely expect less than 0.4/n: with two players, less than 20 %."""
    replays = decided(replays)
    return rate([_was_down(replay) for replay in replays], blocks_of(replays))


def _was_down(replay: Replay) -> bool:
    trace, winner = trace_of(replay), replay.winner
    surely = trace.expected[:-1, winner] + SURE * trace.errors[:-1, winner]
    return bool((surely < 0.4 / replay.players).any())


def read(evidence: Evidence) -> Iterator[Reading]:
    if evidence.traced is not None:
        found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
        yield Reading("comeback", "Winners who had been nearly lost", found, **about)


METRIC = Metric(
    TENSION, "How often the winner had once been nearly lost.", read, needs="traces", parts={"comeback": SHARE}
)
