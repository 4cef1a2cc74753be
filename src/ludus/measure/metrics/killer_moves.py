"""How much the best single move gains."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ludus.measure.evidence import Evidence
from ludus.measure.metric import SIZE, TENSION, Metric, Reading, of_traces
from ludus.measure.sampling import Replays, blocks_of, mean
from ludus.measure.traces import Noisy, move_by_move, trace_of


def measure(replays: Replays) -> Noisy:
    """The largest gain that a single move brought its mover, on average over matches."""
    replays = move_by_move(replays)
    blocks, rng = blocks_of(replays), np.random.default_rng(0)
    gains, noises = [], []
    for replay in replays:
        trace, at = trace_of(replay), (replay.steps, replay.movers)
        gains.append(np.diff(trace.expected, axis=0)[at].max())
        errors = np.hypot(trace.errors[1:], trace.errors[:-1])[at]
        noises.append((rng.standard_normal((50, len(errors))) * errors).max(axis=1).mean())
    return Noisy(mean(gains, blocks, -1.0, 1.0), mean(noises, blocks, floor=0.0))


def read(evidence: Evidence) -> Iterator[Reading]:
    if evidence.traced is not None:
        found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
        noise = f"noise alone would give {SIZE.text(found.noise)}"
        yield Reading("killer_moves", "Best move", found.seen, SIZE, **about, beside=noise)


METRIC = Metric(
    TENSION, "How much the best single move of a match gains.", read, needs="traces", parts={"killer_moves": SIZE}
)
