"""What moves what: how each rule moves each target, and which targets pull against each other.

All candidates are used, those that were dropped as well, each with the numbers of the level that most of them reached.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import t as student

from ludus.arena.statistics import Interval
from ludus.tuning.gates import Candidate
from ludus.tuning.ranges import Range
from ludus.tuning.targets import Target

SPARE = 3
"""Candidates beyond the number of unknowns before anything is said."""


@dataclass(frozen=True)
class Effect:
    """How much a target changes, in its own unit, by one step of a rule, or by another choice."""

    label: str
    target: Target
    found: Interval
    """n is the number of candidates."""
    level: str


@dataclass(frozen=True)
class Pull:
    """Two targets: below 0 one is served at the other's cost."""

    one: Target
    other: Target
    correlation: Interval

    @property
    def is_sure(self) -> bool:
        r = self.correlation
        return not math.isnan(r.value) and not r.low <= 0 <= r.high

    @property
    def sentence(self) -> str:
        r = self.correlation
        if not self.is_sure:
            return f"{self.one.name} and {self.other.name}: neither helps nor hurts the other, as far as can be seen."
        words = "pull against each other" if r.value < 0 else "go together"
        return (
            f"{self.one.name} and {self.other.name} {words} (correlation {r.value:+.2f} [{r.low:+.2f}, {r.high:+.2f}])."
        )


def level_of(candidates: Sequence[Candidate], target: Target) -> str:
    """The level of play at which most candidates tell about a target; of several the strongest."""
    counts: dict[str, int] = {}
    for one in candidates:
        for level, found in one.found.items():
            counts[level] = counts.get(level, 0) + (target.text in found)
    return max(reversed(counts), key=lambda level: counts[level], default="")


def effects(candidates: Sequence[Candidate], ranges: Sequence[Range], targets: Sequence[Target]) -> list[Effect]:
    return [effect for target in targets for effect in _effects(candidates, ranges, target)]


def _effects(candidates: Sequence[Candidate], ranges: Sequence[Range], target: Target) -> list[Effect]:
    """A line through all candidates, all rules at once, each candidate weighing as much as its matches."""
    level = level_of(candidates, target)
    told = [one for one in candidates if target.text in one.found.get(level, {})]
    columns = [column for one in ranges for column in _columns(one, told)]
    found = [one.found[level][target.text] for one in told]
    if len(told) < len(columns) + 1 + SPARE or len({one.value for one in found}) == 1:  # nothing moves what never moves
        return []
    weights = np.sqrt([one.n for one in found])
    table = np.column_stack([np.ones(len(told)), *(values for _, values in columns)]) * weights[:, None]
    wanted = np.array([one.value for one in found]) * weights
    slopes, _, rank, _ = np.linalg.lstsq(table, wanted, rcond=None)
    spare = len(told) - table.shape[1]
    if rank < table.shape[1]:
        return []
    variance = float(((wanted - table @ slopes) ** 2).sum()) / spare
    errors = np.sqrt(variance * np.diag(np.linalg.inv(table.T @ table)))
    reach = float(student.ppf(0.975, spare)) * errors
    return [
        Effect(label, target, Interval(float(b), float(b - r), float(b + r), len(told)), level)
        for (label, _), b, r in zip(columns, slopes[1:], reach[1:])
    ]


def _columns(one: Range, told: Sequence[Candidate]) -> list[tuple[str, np.ndarray]]:
    values = [candidate.values[one.name] for candidate in told]
    if one.is_number:
        step = one.values[1] - one.values[0]
        columns = [(f"{one.name} +{step:g}", np.array(values, float) / step)]
    else:
        columns = [
            (f"{one.name}: {other}, not {one.values[0]}", np.array([value == other for value in values], float))
            for other in one.values[1:]
        ]
    return [(label, column) for label, column in columns if len(column) and np.ptp(column) > 0]


def goodness(one: Candidate, target: Target) -> float:
    """How well a target is served; nan where nobody knows."""
    found = one.last.get(target.text)
    if found is None:
        return math.nan
    if target.aim:
        return target.aim * found.value
    return -target.miss(found.value) - 0.1 * target.eccentricity(found.value)


def pulls(candidates: Sequence[Candidate], targets: Sequence[Target]) -> list[Pull]:
    """Every two targets, over all candidates that tell about both."""
    table = np.array([[goodness(one, target) for target in targets] for one in candidates], float)
    found = []
    for k, m in combinations(range(len(targets)), 2):
        both = table[~np.isnan(table[:, [k, m]]).any(axis=1)][:, [k, m]] if len(table) else np.empty((0, 2))
        if len(both) >= SPARE + 2 and np.ptp(both, axis=0).min() > 0:
            found.append(Pull(targets[k], targets[m], _correlation(both)))
    return found


def _correlation(both: np.ndarray) -> Interval:
    """Of ranks, with Fisher's interval: distances from targets are skewed."""
    ranks = both.argsort(axis=0).argsort(axis=0)
    r = min(max(float(np.corrcoef(*ranks.T).item(1)), -0.999), 0.999)
    reach = 1.96 / math.sqrt(max(len(both) - 3, 1))
    low, high = (math.tanh(math.atanh(r) + side * reach) for side in (-1, 1))
    return Interval(r, low, high, len(both))


def front(candidates: Sequence[Candidate], targets: Sequence[Target]) -> list[Candidate]:
    """Those that no other beats in one target without losing in another."""
    passed = [one for one in candidates if all(target.text in one.last for target in targets)]
    table = [[goodness(one, target) for target in targets] for one in passed]
    return [
        one
        for one, own in zip(passed, table)
        if not any(all(b >= a for a, b in zip(own, other)) and other != own for other in table)
    ]
