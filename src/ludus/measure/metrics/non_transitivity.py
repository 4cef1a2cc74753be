"""Circles of who beats whom."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import NormalDist

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import SHARE, SKILL, Metric, Reading
from ludus.measure.sampling import CONFIDENCE, REPEATS, Array, Replays, bounded, unknown
from ludus.measure.strength import pair_score, pairs_of


def measure(agents: Sequence[str], lineups: Sequence[Replays]) -> Interval:
    """How much of who beats whom no ratings can explain: 0 for a ladder, 1 for rock, paper and scissors; unknown for
    fewer than three agents, or where some never met.

    Noise looks like circles: what it is expected to add to the circles and to the whole is taken off both.
    """
    size, pairs = len(agents), pairs_of(agents, lineups)
    if len(pairs) < size * (size - 1) / 2 or size < 3:
        return unknown(0.0, 1.0)
    found = [pair_score(pairs[frozenset(pair)], pair[0]) for pair in combinations(agents, 2)]
    leads, lows, highs = (np.array([_log_odds(x, s.n) for s, x in zip(found, bounds)]) for bounds in _columns(found))
    errors = (highs - lows) / (2 * NormalDist().inv_cdf(0.5 + CONFIDENCE / 2))
    value = float(_cyclic(leads, errors**2, size))
    drawn = leads + errors * np.random.default_rng(0).standard_normal((REPEATS, len(leads)))
    low, high = np.quantile(_cyclic(drawn, 2 * errors**2, size), [0.025, 0.975])  # noisy as measured and as drawn
    return bounded(value, float(low), float(high), sum(s.n for s in found), 0.0, 1.0)


def _columns(found: Sequence[Interval]) -> Iterator[tuple[float, ...]]:
    """The values, the lower and the upper bounds."""
    return zip(*((s.value, s.low, s.high) for s in found))


def _log_odds(score: float, n: int) -> float:
    """Ratings add up on this scale; on that of scores a steep ladder would look like circles. Half a win and half a
    loss keep it finite."""
    return math.log((score * n + 0.5) / ((1 - score) * n + 0.5))


def _cyclic(leads: Array, variances: Array, size: int) -> Array:
    """The cyclic share of leads [..., pairs]. Ratings explain 2 / size of the noise of each pair, the rest of it looks
    like circles."""
    table = np.zeros((*leads.shape[:-1], size, size))
    i, j = np.triu_indices(size, 1)
    table[..., i, j], table[..., j, i] = leads, -leads
    strength = table.mean(axis=-1)
    circles = ((leads - (strength[..., i] - strength[..., j])) ** 2).sum(axis=-1) - (1 - 2 / size) * variances.sum()
    whole = (leads**2).sum(axis=-1) - variances.sum()
    return np.where(whole > 0, np.clip(circles / np.where(whole > 0, whole, 1.0), 0.0, 1.0), 0.0)


def read(evidence: Evidence) -> Iterator[Reading]:
    circles = measure(evidence.specs, [lineup.replays for lineup in evidence.lineups])
    yield Reading("non_transitivity", "Circles of who beats whom", circles)


METRIC = Metric(
    SKILL,
    "How much the agents beat each other in circles, like rock, paper and scissors.",
    read,
    needs="pairs",
    parts={"non_transitivity": SHARE},
)
