"""The best candidates again, on seeds that the search never saw, at two strengths of play; and who has won.

Whoever picks the best of many noisy numbers picks luck. So only fresh matches count, and their intervals are widened by
the number of candidates that come this far (Bonferroni). A rule set wins if each of its intervals lies inside its range
at both strengths, and if it surely differs from today's rules in something that these did not meet. Where params do
nothing at all, a winner is announced less than once in twenty tunings, wherever the truth lies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import NormalDist
from typing import Any

from ludus.arena.statistics import Interval
from ludus.measure.metric import Light
from ludus.measure.metrics import all_metrics
from ludus.measure.readings import Readings
from ludus.rng import word
from ludus.tuning.gates import CONFIRMING, Climb, Found, widened
from ludus.tuning.ranges import key_of
from ludus.tuning.targets import Target

CONFIDENCE = 0.95
FRESH = 1 << 20
"""The name of the seeds that only confirmations use."""


@dataclass(frozen=True)
class Confirmed:
    """A rule set on fresh seeds."""

    values: dict[str, Any]
    """Of the rules with a range; empty for today's rules."""
    found: dict[str, Found]
    """By level of play, each interval widened for the number of candidates."""
    lights: list[Light] = field(default_factory=list)
    """Of the strongest level."""
    matches: int = 0

    @property
    def key(self) -> str:
        return key_of(self.values)

    @property
    def top(self) -> Found:
        return next(reversed(self.found.values()), {})

    def verdicts(self, target: Target) -> list[str]:
        """One a level that speaks of the target."""
        return [target.verdict(own[target.text]) for own in self.found.values() if target.text in own]

    def meets(self, target: Target) -> bool:
        verdicts = self.verdicts(target)
        return bool(verdicts) and all(verdict == "met" for verdict in verdicts)

    def loss(self, targets: Sequence[Target]) -> float:
        """How far from the targets, all levels together."""
        cells = [(one, own[one.text].value) for own in self.found.values() for one in targets if one.text in own]
        return sum(one.miss(value) + 0.1 * one.eccentricity(value) for one, value in cells)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "lights": [light.to_dict() for light in self.lights]}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Confirmed:
        found = {level: {text: Interval(**one) for text, one in own.items()} for level, own in kept["found"].items()}
        return cls(kept["values"], found, [Light(**light) for light in kept["lights"]], kept["matches"])


def confirm(climb: Climb, values: dict[str, Any], matches: int, several: int, lights: bool = True) -> Confirmed:
    """Measure a rule set at the two strongest levels; `several` rule sets share what may go wrong."""
    table = climb.table(values, word(climb.seed, FRESH))
    found: dict[str, Found] = {}
    readings = Readings((), ())
    for k in range(max(0, len(climb.agents) - CONFIRMING), len(climb.agents)):
        is_top = k == len(climb.agents) - 1
        wanted = {metric.name: metric for metric in climb.metrics(k, is_top)}
        if is_top and lights:  # their matches are there anyway, and a verdict wants more than the targets
            wanted |= {name: one for name, one in all_metrics().items() if one.is_cheap}
        climb.watch(f"confirming {key_of(values) or 'the start'} with {climb.agents[k]}", 0, matches)
        readings = table.read(list(wanted.values()), climb.specs(k), matches)
        found[climb.agents[k]] = {text: widened(one, wider(several)) for text, one in climb.found_in(readings)}
    played = sum(len(kept) for kept in table.kept.values())
    return Confirmed(values, found, [replace(light, found=None) for light in readings.verdict()], played)


def wider(several: int) -> float:
    """How much wider intervals are of which so many must hold together."""
    normal = NormalDist()
    return normal.inv_cdf(1 - (1 - CONFIDENCE) / (2 * several)) / normal.inv_cdf((1 + CONFIDENCE) / 2)


# ------------------------------------------------------------------------------------------------ who has won


def winners(start: Confirmed, confirmed: Sequence[Confirmed], targets: Sequence[Target]) -> list[Confirmed]:
    """The rule sets that surely meet every range and surely do something that today's rules do not; the best first."""
    sure = [one for one in confirmed if _meets_all(one, targets) and _gains(start, one, targets)]
    return sorted(sure, key=lambda one: _rank(one, confirmed, targets))


def _meets_all(one: Confirmed, targets: Sequence[Target]) -> bool:
    return all(target.aim or one.meets(target) for target in targets)


def _gains(start: Confirmed, one: Confirmed, targets: Sequence[Target]) -> bool:
    """Whether some target that the start leaves open is surely better, and no aim surely worse."""
    open_ones = [target for target in targets if target.aim or not start.meets(target)]
    gains = [step(target, start, one, len(open_ones)) for target in open_ones]
    return any(gain > 0 for gain in gains) and not any(gain < 0 for gain, target in zip(gains, open_ones) if target.aim)


def step(target: Target, start: Confirmed, one: Confirmed, chances: int = 1) -> int:
    """1 where a rule set is surely better than the start at some strength, -1 where surely worse, 0 where unsure; with
    so many targets, each a chance to look better by luck."""
    levels = [(start.found[level], own) for level, own in one.found.items() if level in start.found]
    both = [(before[target.text], now[target.text]) for before, now in levels if {target.text} <= {*before} & {*now}]
    signs = [_sign(target, before, now, wider(chances * len(both))) for before, now in both]
    return max(signs, default=0) or min(signs, default=0)


def _sign(target: Target, before: Interval, now: Interval, doubt: float) -> int:
    difference = now.value - before.value
    half = doubt * math.hypot((before.high - before.low) / 2, (now.high - now.low) / 2)
    if not abs(difference) > half:
        return 0
    if target.aim:
        return 1 if difference * target.aim > 0 else -1
    return 1 if target.miss(now.value) <= target.miss(before.value) else -1


def _rank(one: Confirmed, confirmed: Sequence[Confirmed], targets: Sequence[Target]) -> tuple[float, ...]:
    """By the aims, places added up; where there is none, by how central its numbers are."""
    aims = [target for target in targets if target.aim]
    places = [
        sum(other.top[aim.text].value * aim.aim > one.top[aim.text].value * aim.aim for other in confirmed)
        for aim in aims
    ]
    return (float(sum(places)), one.loss(targets))


def matches_needed(target: Target, several: int) -> int:
    """About how many matches prove that a value in the middle of the range lies inside; 0 where nobody can say."""
    if target.aim or target.unit.words not in (" %", " points"):
        return 0
    z = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / (2 * several))
    per_cent = 100.0
    if math.isfinite(target.high - target.low):
        half = target.scale / per_cent
        middle = (target.low + target.high) / 2 / per_cent
        share = 0.5 + middle if target.unit.words == " points" else middle
        return math.ceil(share * (1 - share) * (z / half) ** 2)
    bound = target.high if math.isfinite(target.high) else per_cent - target.low
    return math.ceil(z**2 * (per_cent / max(bound, 1e-9) - 1))
