"""What is at stake in a decision: what every legal action would have led to.

The evaluator's agent chooses by its own lights, so its choices do not favour the actions that noise made look good:
means over its policy are honest where a maximum over noisy values is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.metrics.fairness import shares_of
from ludus.measure.metrics.traces import root_ratio, trace_of, traced
from ludus.measure.replays import Fan
from ludus.measure.sampling import Array, Replays, blocks_of, bootstrap, entropy_of, ratio, unknown

MATTERS = 0.02
"""A difference in expected share that a player may care about."""
STRIKING = 0.1
"""A difference that a player feels."""

Measure = Callable[[Fan, int], float]
"""A number for a decision and its mover; nan where it says nothing."""


def _sums(replays: Replays, measure: Measure) -> tuple[list[float], list[int], np.ndarray]:
    """The sum of a measure over the decisions of each match, how many had one, and the blocks."""
    replays = [replay for replay in traced(replays) if trace_of(replay).fans]
    sums, counts = [], []
    for replay in replays:
        values = np.array([measure(fan, int(replay.movers[fan.decision])) for fan in trace_of(replay).fans])
        sums.append(float(np.nansum(values)))
        counts.append(int((~np.isnan(values)).sum()))
    return sums, counts, blocks_of(replays)


def _mean(replays: Replays, measure: Measure, floor: float, ceiling: float) -> Interval:
    return ratio(*_sums(replays, measure), floor, ceiling)


def _policy(fan: Fan) -> np.ndarray:
    return fan.policy / fan.policy.sum() if fan.policy.sum() else np.full(len(fan.policy), math.nan)


def effective_choice(replays: Replays) -> Interval:
    """How many actions a good player wavers between, where there is more than one: the mean of exp(entropy)."""
    return _mean(replays, _width, 1.0, math.inf)


def _width(fan: Fan, mover: int) -> float:
    return min(math.exp(entropy_of(fan.policy)), len(fan.policy)) if fan.policy.sum() else math.nan


def suspense(replays: Replays) -> Interval:
    """How far the next choice may move expectations: the root of the mean square, over the agent's policy and over
    decisions, without what noise adds."""
    return root_ratio(*_sums(replays, _stir))


def _stir(fan: Fan, mover: int) -> float:
    """The variance of what comes next. N choices show (N - 1)/N of it; noise adds Σ π(1 - π) error²."""
    policy, choices = _policy(fan)[:, None], float(fan.policy.sum())
    if not choices > 1:
        return math.nan
    centre = (policy * fan.expected).sum(axis=0)
    seen = (policy * (fan.expected - centre) ** 2).sum() - (policy * (1 - policy) * fan.errors**2).sum()
    return float(seen / 2 * choices / (choices - 1))


def luck_in_play(replays: Replays) -> Interval:
    """How much of the variation of results chance decides, and not what players choose: 1 - E[Σ suspense²] / Var(u).

    What can be expected moves by choices and by chance, and the squares of all moves add up to the variance of the
    result. The matches must be played by the evaluator's own agent.
    """
    replays = [replay for replay in traced(replays) if trace_of(replay).fans]
    if not replays:
        return unknown(0.0, 1.0)
    stirs, counts, blocks = _sums(replays, _stir)
    open_ones = np.array([(replay.menus > 1).sum() for replay in replays], float)
    chosen = open_ones * np.array(stirs) / np.maximum(counts, 1)
    shares = shares_of(replays)
    columns = np.column_stack([chosen, shares, (shares**2).sum(axis=1), np.ones(len(replays))])

    def statistic(sums: Array) -> Array:
        count = sums[..., -1]
        whole = (sums[..., -2] - (sums[..., 1:-2] ** 2).sum(axis=-1) / count) * count / (count - 1) / 2
        return 1 - sums[..., 0] / np.where(whole > 1e-9, whole, math.nan)

    return bootstrap(columns, blocks, statistic, 0.0, 1.0)


def blunder_cost(replays: Replays) -> Interval:
    """What a random action costs its player, compared with the agent's choice: mean of E_π[Q] - mean Q."""
    return _mean(
        replays, lambda fan, mover: float((_policy(fan) - 1 / len(fan.policy)) @ fan.expected[:, mover]), -1, 1
    )


@dataclass(frozen=True)
class Agency:
    agency: Interval
    """Decisions whose best action is surely better than the median one, as a share of those with a choice."""
    narrowness: Interval
    """At those, the share of actions that come near the best."""
    spread: Interval
    """The standard deviation of what the actions are worth, without what noise adds."""


def agency(replays: Replays) -> Agency:
    return Agency(
        _mean(replays, lambda fan, mover: float(_matters(fan, mover)), 0.0, 1.0),
        _mean(replays, _near_best, 0.0, 1.0),
        root_ratio(*_sums(replays, _variance)),
    )


def _matters(fan: Fan, mover: int) -> bool:
    order = np.argsort(fan.expected[:, mover])
    values, errors = fan.expected[order, mover], fan.errors[order, mover]
    low, high = (len(order) - 1) // 2, len(order) // 2
    noise = _reach(len(order)) * math.hypot(errors[-1], errors[low])
    return bool(values[-1] - (values[low] + values[high]) / 2 > MATTERS + noise)


@cache
def _reach(comparisons: int) -> float:
    """Standard errors that the largest of so many differences exceeds by noise once in twenty decisions."""
    return NormalDist().inv_cdf(1 - 0.05 / comparisons)


def _near_best(fan: Fan, mover: int) -> float:
    """Ludii's narrowness: the share above mean + 3/4 (max - mean)."""
    if not _matters(fan, mover):
        return math.nan
    values = fan.expected[:, mover]
    return float((values > values.mean() + 0.75 * (values.max() - values.mean())).mean())


def _variance(fan: Fan, mover: int) -> float:
    values, errors = fan.expected[:, mover], fan.errors[:, mover]
    return float(values.var() - (errors**2).mean() * (1 - 1 / len(values)))


def kingmaking(replays: Replays) -> Interval:
    """Of three players or more: the share of decisions that mean nothing to their player and much to a rival."""
    if any(replay.players < 3 for replay in replays):
        return unknown(0.0, 1.0)
    return _mean(replays, _makes_a_king, 0.0, 1.0)


def _makes_a_king(fan: Fan, mover: int) -> float:
    actions, players = fan.expected.shape
    noise = _reach(actions * (actions - 1) * players) * math.sqrt(2) * fan.errors.mean(axis=0)
    beyond = np.ptp(fan.expected, axis=0) - noise
    return float(beyond[mover] < MATTERS and (np.delete(beyond, mover) > STRIKING).any())
