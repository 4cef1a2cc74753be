"""What a random action costs."""

from __future__ import annotations

from collections.abc import Iterator

from ludus.arena.statistics import Interval
from ludus.measure.alternatives import mean_of, policy_of
from ludus.measure.evidence import Evidence
from ludus.measure.metric import CHOICES, SIZE, Light, Limits, Metric, Reading, of_traces
from ludus.measure.replays import Alternatives
from ludus.measure.sampling import Replays

EMPTY = Limits(0.01, 0.002)
"""What one random action costs: a point of the result is felt after a hundred matches, less never."""


def measure(replays: Replays) -> Interval:
    """What a random action costs its player, compared with the agent's choice: mean of E_π[Q] - mean Q."""
    return mean_of(replays, _cost, -1.0, 1.0)


def _cost(one: Alternatives, mover: int) -> float:
    return float((policy_of(one) - 1 / len(one.policy)) @ one.expected[:, mover])


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    if evidence.traced is None:
        return
    found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
    yield Reading("blunder_cost", "Cost of a random action", found, SIZE, **about)
    if found.n and not evidence.is_weak(about["level"]):  # who hardly searches does not know what is at stake
        words = f"Choosing at random once costs {SIZE.text(found)} of the result."
        yield EMPTY.light("Stakes", found, words, about["level"])


METRIC = Metric(CHOICES, "What it costs to choose at random once.", read, needs="traces", parts={"blunder_cost": SIZE})
