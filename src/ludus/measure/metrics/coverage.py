"""How much of what the rules offer is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import CHOICES, SHARE, Metric, Reading
from ludus.measure.sampling import Replays, unknown


def measure(replays: Replays, legal: Mapping[str, int]) -> Interval:
    """The share of all kinds ever legal that were ever chosen. More matches can only add to it: so the interval."""
    chosen = {kind for replay in replays for kind in replay.kinds}
    kinds = chosen | {kind for kind, times in legal.items() if times}
    if not kinds:
        return unknown(0.0, 1.0)
    share = len(chosen) / len(kinds)
    return Interval(share, share, 1.0, len(replays))


def read(evidence: Evidence) -> Iterator[Reading]:
    for lineup in evidence.judged():
        found = measure(lineup.replays, evidence.legal_kinds)
        yield Reading("coverage", "Kinds of action ever chosen", found, level=lineup.specs[0])


METRIC = Metric(
    CHOICES,
    "How many of the kinds of action that the rules offer are ever chosen.",
    read,
    needs="menus",
    parts={"coverage": SHARE},
)
