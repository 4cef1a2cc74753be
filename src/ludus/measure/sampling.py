"""How sure a number is that was measured match by match.

Matches of a block share their chance, so blocks are what is redrawn or left out, never single matches. Where nothing
could be measured the value is nan and n is 0; where a single block says nothing about the spread, the interval is all
that can be. The same matches always give the same interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.arena.statistics import Interval, expanded_quantile, score_interval
from ludus.measure.replays import Replay

Array = NDArray[np.float64]
Replays = Sequence[Replay]

CONFIDENCE = 0.95
REPEATS = 1000
GROUPS = 20
_SEED = 1


def unknown(floor: float, ceiling: float) -> Interval:
    """What is said where nothing was measured."""
    return Interval(math.nan, floor, ceiling, 0)


def blocks_of(replays: Replays) -> NDArray[np.intp]:
    """The block of each match, numbered from 0."""
    return _numbered(np.array([replay.block for replay in replays], np.int64))


def _numbered(blocks: NDArray) -> NDArray[np.intp]:
    return np.unique(blocks, return_inverse=True)[1]


def rate(values: ArrayLike, blocks: NDArray) -> Interval:
    """The mean of one number in [0, 1] a match; nan where a match says nothing."""
    values, blocks = np.asarray(values, float), np.asarray(blocks)
    known = ~np.isnan(values)
    if not known.any():
        return unknown(0.0, 1.0)
    values, blocks = values[known], _numbered(blocks[known])
    means = np.bincount(blocks, values) / np.bincount(blocks)
    return replace(score_interval(np.clip(means, 0.0, 1.0)), n=len(values))


def mean(values: ArrayLike, blocks: NDArray, floor: float = -math.inf, ceiling: float = math.inf) -> Interval:
    """The mean of one number a match, of any size; nan where a match says nothing."""
    values = np.asarray(values, float)
    return ratio(values, np.where(np.isnan(values), 0.0, 1.0), blocks, floor, ceiling)


def ratio(
    above: ArrayLike, below: ArrayLike, blocks: NDArray, floor: float = 0.0, ceiling: float = math.inf
) -> Interval:
    """One sum over matches divided by another; a match with nothing below does not count."""
    columns = np.stack([np.asarray(above, float), np.asarray(below, float)], axis=1)
    used = columns[:, 1] > 0
    blocks = np.asarray(blocks)[used]
    found = bootstrap(columns[used], blocks, lambda sums: sums[..., 0] / sums[..., 1], floor, ceiling)
    if (floor, ceiling) == (0.0, 1.0) and found.value in (0.0, 1.0):
        # Never and always are no certainty, though nothing varies that could be redrawn.
        return replace(score_interval(np.full(len(np.unique(blocks)), found.value)), n=found.n)
    return found


def bootstrap(
    columns: Array,
    blocks: NDArray,
    statistic: Callable[[Array], Array],
    floor: float = -math.inf,
    ceiling: float = math.inf,
) -> Interval:
    """Any function of the column sums [..., columns] of a table [matches, columns], by redrawing blocks."""
    if not len(columns):
        return unknown(floor, ceiling)
    blocks = _numbered(blocks)
    sums = np.stack([np.bincount(blocks, column) for column in columns.T], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(statistic(sums.sum(axis=0)))
        if math.isnan(value):
            return unknown(floor, ceiling)
        if len(sums) < 2:
            return bounded(value, floor, ceiling, len(columns), floor, ceiling)
        redrawn = statistic(redraws(len(sums)) @ sums)
        low, high = np.nanquantile(redrawn, tails(len(sums)))
    return bounded(value, float(low), float(high), len(columns), floor, ceiling)


def bounded(value: float, low: float, high: float, n: int, floor: float, ceiling: float) -> Interval:
    """An interval that holds its own value and stays within what is possible."""
    value = min(max(value, floor), ceiling)
    return Interval(value, max(min(low, value), floor), min(max(high, value), ceiling), n)


def tails(blocks: int) -> tuple[float, float]:
    """The expanded percentiles, as in `statistics.block_bootstrap`."""
    tail = NormalDist().cdf(-expanded_quantile(blocks, 1, CONFIDENCE))
    return tail, 1 - tail


@lru_cache(maxsize=2)
def redraws(blocks: int) -> Array:
    """How often each block is drawn, [repeats, blocks]: kept, since all metrics of a cell redraw as many blocks."""
    repeats = min(REPEATS, max(200, 5_000_000 // blocks))  # 40 MB
    draws = np.random.default_rng(_SEED).integers(blocks, size=(repeats, blocks))
    counts = [np.bincount(draw, minlength=blocks) for draw in draws]
    return np.array(counts, float)


def jackknife(
    blocks: NDArray, statistic: Callable[[NDArray], float], floor: float = -math.inf, ceiling: float = math.inf
) -> Interval:
    """Any function of some of the matches, given by index, by leaving out a twentieth of the blocks at a time: for
    what a bootstrap would spoil, since a match drawn twice looks like an opening played twice."""
    everything = np.arange(len(blocks))
    value = statistic(everything) if len(blocks) else math.nan
    if math.isnan(value):
        return unknown(floor, ceiling)
    count = int(blocks.max()) + 1
    groups = min(GROUPS, count)
    group = np.random.default_rng(_SEED).permutation(count)[blocks] % groups
    without = np.array([statistic(everything[group != out]) for out in range(groups)] if groups > 1 else [])
    if np.isnan(without).any() or groups < 2:
        return Interval(value, floor, ceiling, len(blocks))
    reach = expanded_quantile(groups, 1, CONFIDENCE) * math.sqrt((groups - 1) * float(without.var()))
    return bounded(value, value - reach, value + reach, len(blocks), floor, ceiling)


def quantile(values: ArrayLike, blocks: NDArray, share: float) -> Interval:
    """The value that a share of the matches stays below, by the method of Woodruff (1952): the interval of the share
    of matches up to that value, read off as values."""
    values = np.asarray(values, float)
    if not len(values):
        return unknown(-math.inf, math.inf)
    value = float(np.quantile(values, share))
    below, equal = values < value, values == value
    # Of the matches at the value itself, as many count as below as make up the share.
    part = np.clip((share - below.mean()) / max(equal.mean(), 1e-9), 0.0, 1.0)
    found = rate(below + part * equal, blocks)
    low, high = np.quantile(values, [found.low, found.high])
    return bounded(value, float(low), float(high), len(values), -math.inf, math.inf)


def root_ratio(above: ArrayLike, below: ArrayLike, blocks: NDArray) -> Interval:
    """The root of a ratio of sums. Rooted last: squares freed of noise may be negative until summed."""
    columns = np.column_stack([np.asarray(above, float), np.asarray(below, float)])
    used = columns[:, 1] > 0

    def statistic(sums: Array) -> Array:
        return np.sqrt(np.maximum(sums[..., 0], 0.0) / sums[..., 1])

    return bootstrap(columns[used], np.asarray(blocks)[used], statistic, 0.0, 1.0)


def entropy_of(counts: np.ndarray) -> float:
    """In nats, with the correction of Miller and Madow: a sample shows too few kinds, too unevenly."""
    counts = counts[counts > 0]
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum() + (len(counts) - 1) / (2 * counts.sum()))
