"""What is left of a gain."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import SHARE, TENSION, Metric, Reading, of_traces
from ludus.measure.replays import Replay, turns_of
from ludus.measure.sampling import Replays, blocks_of, ratio
from ludus.measure.traces import SURE, move_by_move, trace_of

GAIN = 0.05
"""The least gain whose permanence is looked at."""


def measure(replays: Replays) -> Interval:
    """The share of what turns gain that is still there when the same player's next turn begins."""
    replays = move_by_move(replays)
    totals = np.array([np.sum([[0.0, 0.0], *_gains(replay)], axis=0) for replay in replays]).reshape(-1, 2)
    return ratio(totals[:, 1], totals[:, 0], blocks_of(replays), 0.0, 1.0)


def _gains(replay: Replay) -> Iterator[tuple[float, float]]:
    """For each turn with a gain that others could answer: the gain, and what was left of it."""
    trace, turns = trace_of(replay), turns_of(replay)
    for k, turn in enumerate(turns[:-1]):
        if turn.mover < 0:
            continue
        chances, errors = trace.expected[:, turn.mover], trace.errors[:, turn.mover]
        gain = float(chances[turn.end] - chances[turn.first])
        again = next((later.first for later in turns[k + 1 :] if later.mover == turn.mover), replay.plies)
        if gain > max(GAIN, SURE * math.hypot(errors[turn.end], errors[turn.first])):
            yield gain, float(np.clip(chances[again] - chances[turn.first], 0.0, gain))


def read(evidence: Evidence) -> Iterator[Reading]:
    if evidence.traced is not None:
        found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
        yield Reading("permanence", "What is left of a gain a turn later", found, **about)


METRIC = Metric(
    TENSION,
    "How much of a gain is left when the same player's next turn begins.",
    read,
    needs="traces",
    parts={"permanence": SHARE},
)
