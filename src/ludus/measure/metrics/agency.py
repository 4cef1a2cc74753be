"""How often it matters what one chooses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.alternatives import MATTERS, mean_of, reach_of, sums_of
from ludus.measure.evidence import Evidence
from ludus.measure.metric import CHOICES, SHARE, SIZE, Metric, Reading, of_traces
from ludus.measure.replays import Alternatives
from ludus.measure.sampling import Replays, root_ratio


@dataclass(frozen=True)
class Agency:
    agency: Interval
    """Decisions whose best action is surely better than the median one, as a share of those with a choice."""
    narrowness: Interval
    """At those, the share of actions that come near the best."""
    spread: Interval
    """The standard deviation of what the actions are worth, without what noise adds."""


def measure(replays: Replays) -> Agency:
    return Agency(
        mean_of(replays, lambda one, mover: float(_matters(one, mover)), 0.0, 1.0),
        mean_of(replays, _near_best, 0.0, 1.0),
        root_ratio(*sums_of(replays, _variance)),
    )


def _matters(one: Alternatives, mover: int) -> bool:
    order = np.argsort(one.expected[:, mover])
    values, errors = one.expected[order, mover], one.errors[order, mover]
    low, high = (len(order) - 1) // 2, len(order) // 2
    noise = reach_of(len(order)) * math.hypot(errors[-1], errors[low])
    return bool(values[-1] - (values[low] + values[high]) / 2 > MATTERS + noise)


def _near_best(one: Alternatives, mover: int) -> float:
    """Ludii's narrowness: the share above mean + 3/4 (max - mean)."""
    if not _matters(one, mover):
        return math.nan
    values = one.expected[:, mover]
    return float((values > values.mean() + 0.75 * (values.max() - values.mean())).mean())


def _variance(one: Alternatives, mover: int) -> float:
    values, errors = one.expected[:, mover], one.errors[:, mover]
    return float(values.var() - (errors**2).mean() * (1 - 1 / len(values)))


def read(evidence: Evidence) -> Iterator[Reading]:
    if evidence.traced is not None:
        found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
        yield Reading("agency", "Choices that surely matter", found.agency, **about)
        yield Reading("narrowness", "Actions near the best one", found.narrowness, **about)
        yield Reading("spread", "Spread of what actions are worth", found.spread, SIZE, **about)


METRIC = Metric(
    CHOICES,
    "How often it matters what one chooses, and how clear the best choice is.",
    read,
    needs="traces",
    parts={"agency": SHARE, "narrowness": SHARE, "spread": SIZE},
)
