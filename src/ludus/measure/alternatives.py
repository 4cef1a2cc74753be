"""What is at stake in a decision: means over decisions that were opened up into all their actions.

The evaluator's agent chooses by its own lights, so its choices do not favour the actions that noise made look good:
means over its policy are honest where a maximum over noisy values is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from statistics import NormalDist

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.replays import Alternatives, Replay
from ludus.measure.sampling import Replays, blocks_of, ratio
from ludus.measure.traces import trace_of, traced

MATTERS = 0.02
"""A difference in expected share that a player may care about."""

Measure = Callable[[Alternatives, int], float]
"""A number for a decision and its mover; nan where it says nothing."""


def with_alternatives(replays: Replays) -> list[Replay]:
    return [replay for replay in traced(replays) if trace_of(replay).opened]


def sums_of(replays: Replays, measure: Measure) -> tuple[list[float], list[int], np.ndarray]:
    """The sum of a measure over the opened decisions of each match, how many had one, and the blocks."""
    replays = with_alternatives(replays)
    sums, counts = [], []
    for replay in replays:
        values = np.array([measure(one, int(replay.movers[one.decision])) for one in trace_of(replay).opened])
        sums.append(float(np.nansum(values)))
        counts.append(int((~np.isnan(values)).sum()))
    return sums, counts, blocks_of(replays)


def mean_of(replays: Replays, measure: Measure, floor: float, ceiling: float) -> Interval:
    return ratio(*sums_of(replays, measure), floor, ceiling)


def policy_of(one: Alternatives) -> np.ndarray:
    return one.policy / one.policy.sum() if one.policy.sum() else np.full(len(one.policy), math.nan)


def stir_of(one: Alternatives, mover: int) -> float:
    """The variance of what comes next. N choices show (N - 1)/N of it; noise adds Σ π(1 - π) error²."""
    policy, choices = policy_of(one)[:, None], float(one.policy.sum())
    if not choices > 1:
        return math.nan
    centre = (policy * one.expected).sum(axis=0)
    seen = (policy * (one.expected - centre) ** 2).sum() - (policy * (1 - policy) * one.errors**2).sum()
    return float(seen / 2 * choices / (choices - 1))


@cache
def reach_of(comparisons: int) -> float:
    """Standard errors that the largest of so many differences exceeds by noise once in twenty decisions."""
    return NormalDist().inv_cdf(1 - 0.05 / comparisons)
