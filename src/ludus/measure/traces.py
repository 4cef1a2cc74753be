"""What traces of matches have in common: who was ahead when, and what noise makes of it.

Evaluators are noisy, and noise looks like drama. So a seat counts as ahead only if its lead exceeds two standard
errors, squares lose what noise adds to them, and where neither helps the number that noise alone would give stands
beside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.replays import Replay, Trace, played
from ludus.measure.sampling import Array, Replays

SURE = 2.0
"""Standard errors that a lead must exceed."""
SETTLED = 0.95
"""An expectation from which on a match counts as settled."""


@dataclass(frozen=True)
class Noisy:
    """A number that noise of the evaluator makes larger, and what it would be if there were nothing but that noise."""

    seen: Interval
    noise: Interval


def traced(replays: Replays) -> list[Replay]:
    return [replay for replay in played(replays) if replay.trace is not None and replay.plies]


def decided(replays: Replays) -> list[Replay]:
    """Traced matches with a single winner."""
    return [replay for replay in traced(replays) if replay.winner >= 0]


def move_by_move(replays: Replays) -> list[Replay]:
    """Matches whose evaluator looked at every ply: else nobody knows which move brought a change."""
    return [replay for replay in traced(replays) if len(replay.movers) and trace_of(replay).stride == 1]


def trace_of(replay: Replay) -> Trace:
    assert replay.trace is not None
    return replay.trace


def looked_at(trace: Trace) -> tuple[Array, Array]:
    """Expectations and their errors where the evaluator looked, and at the end."""
    rows = [*range(0, len(trace.expected) - 1, trace.stride), len(trace.expected) - 1]
    return trace.expected[rows], trace.errors[rows]


def leaders(trace: Trace) -> np.ndarray:
    """Who is ahead at each moment; -1 before anybody is. The lead passes on only to a seat that is surely ahead."""
    leader, line = -1, []
    for chances, errors in zip(trace.expected.tolist(), trace.errors.tolist()):
        best = chances.index(max(chances))
        rivals = [leader] if leader >= 0 else range(len(chances))
        if all(_surely(chances, errors, best, rival) for rival in rivals if rival != best):
            leader = best
        line.append(leader)
    return np.array(line)


def _surely(chances: list[float], errors: list[float], ahead: int, behind: int) -> bool:
    # With two players the errors are one and the same, so those of a difference add up.
    return chances[ahead] - chances[behind] > SURE * (errors[ahead] + errors[behind])


def lead_changes_of(trace: Trace) -> int:
    """How often the lead passes on; taking it first is no change."""
    line = leaders(trace)
    return int((np.diff(line[line >= 0]) != 0).sum())


def deficits_of(replay: Replay) -> Array:
    """How far the winner lay behind the leader before each step, 0 where it did not surely."""
    trace, winner = trace_of(replay), replay.winner
    expected, errors = trace.expected[:-1], trace.errors[:-1]
    rows, leader = np.arange(len(expected)), expected.argmax(axis=1)
    deficit = expected[rows, leader] - expected[:, winner]
    return np.where(deficit > SURE * (errors[rows, leader] + errors[:, winner]), deficit, 0.0)


def doubt_of(trace: Trace) -> Array:
    """Entropy before each step, as a share of the largest. Noise lowers it by Σ error² / 2p, which is added again."""
    p, errors = trace.expected[:-1], trace.errors[:-1]
    safe = np.where(p > 0, p, 1.0)
    entropy = -(safe * np.log(safe)).sum(axis=1) + (errors**2 / (2 * safe)).sum(axis=1)
    return np.clip(entropy / math.log(p.shape[1]), 0.0, 1.0)
