"""How many actions a good player wavers between."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ludus.arena.statistics import Interval
from ludus.measure.alternatives import mean_of
from ludus.measure.evidence import Evidence
from ludus.measure.metric import CHOICES, NUMBER, Light, Limits, Metric, Reading, of_traces
from ludus.measure.replays import Alternatives
from ludus.measure.sampling import Replays, entropy_of

OBVIOUS = Limits(1.4, 1.1)
"""Actions that a good player wavers between: at 1.1 there is hardly ever a second one."""


def measure(replays: Replays) -> Interval:
    """How many actions a good player wavers between, where there is more than one: the mean of exp(entropy)."""
    return mean_of(replays, _width, 1.0, math.inf)


def _width(one: Alternatives, mover: int) -> float:
    return min(math.exp(entropy_of(one.policy)), len(one.policy)) if one.policy.sum() else math.nan


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    if evidence.traced is None:
        return
    found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
    yield Reading("effective_choice", "Actions worth considering", found, NUMBER, **about)
    if found.n and not evidence.is_weak(about["level"]):  # who hardly searches does not know what is worth considering
        words = f"Where there is a choice, a good player wavers between {NUMBER.text(found)} actions."
        yield OBVIOUS.light("Real choices", found, words, about["level"])


METRIC = Metric(
    CHOICES,
    "How many actions a good player really wavers between.",
    read,
    needs="traces",
    parts={"effective_choice": NUMBER},
)
