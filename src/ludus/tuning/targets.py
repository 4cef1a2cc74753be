"""What a designer wants: names of metrics, each with a range or an aim.

    seat_advantage in -3..3        draws < 5 %        openings > 8        maximise:skill_ladder

A name is that of a metric (its most telling number), of a part of one (`draws`), or both (`duration.turns`). Numbers
are written as a playtest prints them: shares in per cent, edges in points.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ludus.arena.statistics import Interval
from ludus.errors import BadInput, UnknownName
from ludus.measure.metric import Metric, Unit
from ludus.measure.metrics import all_metrics
from ludus.measure.readings import Readings

NUMBER = r"[-+]?\d+(?:\.\d+)?"
RANGE = re.compile(rf"([\w.-]+)\s+in\s+({NUMBER})\s*%?\s*\.\.\s*({NUMBER})\s*(?:%|points|Elo)?")
BOUND = re.compile(rf"([\w.-]+)\s*([<>])=?\s*({NUMBER})\s*(?:%|points|Elo)?")
AIM = re.compile(r"(maximi[sz]e|minimi[sz]e)\s*:\s*([\w.-]+)")
FORMS = "NAME in LOW..HIGH, NAME < NUMBER, NAME > NUMBER, maximise:NAME or minimise:NAME"
PER_CENT = 100


@dataclass(frozen=True)
class Target:
    """One wish. All numbers of a target are in the unit that pages print."""

    text: str
    name: str
    """As the designer calls it."""
    metric: Metric
    part: str
    unit: Unit
    low: float = -math.inf
    high: float = math.inf
    aim: int = 0
    """1 for as much as possible, -1 for as little; 0 for a range."""

    @property
    def scale(self) -> float:
        """What counts as far: half the range, or the bound itself where there is only one."""
        if math.isfinite(self.high - self.low):
            return max((self.high - self.low) / 2, 1e-9)
        return max(abs(self.low if math.isfinite(self.low) else self.high), 1.0)

    def find(self, readings: Readings) -> Interval | None:
        """What was measured, in the printed unit; None where the matches say nothing of it."""
        for reading in readings.numbers:
            if (reading.metric, reading.part) == (self.metric.name, self.part):
                value, low, high = (self.unit.scale * x for x in _bounds(reading.found))
                return Interval(value, low, high, reading.found.n)
        return None

    def miss(self, value: float) -> float:
        """How far a value lies outside, in scales; 0 inside."""
        return max(0.0, self.low - value, value - self.high) / self.scale

    def eccentricity(self, value: float) -> float:
        """How near the ends of the range, 1 at one of them and 0 as far away as the scale: of two that are inside, the
        one with more room is safer to confirm."""
        if self.aim:
            return 0.0
        room = min(value - self.low, self.high - value)
        return min(max(1 - room / self.scale, 0.0), 1.0)

    def is_out_of_reach(self, found: Interval, slack: float = 0.0) -> bool:
        """Whether an interval says that the range is missed, by more than so many scales."""
        reach = slack * self.scale
        return found.low > self.high + reach or found.high < self.low - reach

    def verdict(self, found: Interval) -> str:
        """met (the interval lies inside), missed (outside), or open."""
        if self.low <= found.low and found.high <= self.high:
            return "met"
        return "missed" if self.is_out_of_reach(found) else "open"

    def number(self, value: float) -> str:
        return self.unit.number(value / self.unit.scale)

    def show(self, found: Interval) -> str:
        value, low, high = (x / self.unit.scale for x in _bounds(found))
        return self.unit.text(Interval(value, low, high, found.n))


def _bounds(found: Interval) -> tuple[float, float, float]:
    return found.value, found.low, found.high


# ------------------------------------------------------------------------------------------------ reading


def read_targets(texts: Sequence[str]) -> list[Target]:
    """The targets in these texts; refuses those that contradict each other."""
    if not texts:
        raise BadInput(f"a tuning needs a target: --target {FORMS}")
    found = [_read(text.strip()) for text in texts]
    for k, one in enumerate(found):
        for other in found[:k]:
            _refuse_contradiction(other, one)
    return found


def _read(text: str) -> Target:
    if match := AIM.fullmatch(text):
        return _target(text, match[2], aim=1 if match[1].startswith("max") else -1)
    if match := RANGE.fullmatch(text):
        low, high = float(match[2]), float(match[3])
        if low >= high:
            raise BadInput(f"target {text!r}: the range begins at {low:g} and ends at {high:g}; write the lesser first")
        return _target(text, match[1], low, high)
    if match := BOUND.fullmatch(text):
        bound = float(match[3])
        below = match[2] == "<"
        return _target(text, match[1], -math.inf if below else bound, bound if below else math.inf)
    raise BadInput(f"target {text!r} does not read; write {FORMS}")


def _target(text: str, name: str, low: float = -math.inf, high: float = math.inf, aim: int = 0) -> Target:
    metric, part = resolve(name)
    made = Target(text, name, metric, part, metric.parts[part], low, high, aim)
    if made.unit.words == " %":
        _refuse_impossible_share(made)
    return made


def _refuse_impossible_share(target: Target) -> None:
    finite = [bound for bound in (target.low, target.high) if math.isfinite(bound)]
    if any(not 0 <= bound <= PER_CENT for bound in finite):
        raise BadInput(f"target {target.text!r}: a share lies between 0 and 100 %")
    if finite and "%" not in target.text and 0 < max(finite) <= 1:
        meant = f"{PER_CENT * max(finite):g} %"
        raise BadInput(f"target {target.text!r}: shares are written in per cent; did you mean {meant}?")


def resolve(name: str) -> tuple[Metric, str]:
    """The metric and the part that a name means."""
    metrics = all_metrics()
    if name in metrics:
        return metrics[name], next(iter(metrics[name].parts))
    owner, _, part = name.partition(".")
    if part and owner in metrics:
        if part not in metrics[owner].parts:
            raise UnknownName("part", part, metrics[owner].parts, f" in the metric {owner}")
        return metrics[owner], part
    owners = [metric for metric in metrics.values() if name in metric.parts]
    if len(owners) > 1:
        raise BadInput(f"{name} is a part of several metrics; write {' or '.join(f'{o.name}.{name}' for o in owners)}")
    if not owners:
        parts = {part for metric in metrics.values() for part in metric.parts}
        raise UnknownName("metric", name, {*metrics, *parts})
    return owners[0], name


def _refuse_contradiction(one: Target, other: Target) -> None:
    if (one.metric.name, one.part) != (other.metric.name, other.part):
        return
    both = f"targets {one.text!r} and {other.text!r}"
    if one.aim and other.aim:
        raise BadInput(f"{both} contradict each other: {one.name} has one aim at most")
    if max(one.low, other.low) >= min(one.high, other.high):
        raise BadInput(f"{both} contradict each other: no {one.name} meets both")
