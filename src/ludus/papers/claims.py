"""Claims and verdicts: what a paper says beside what we measured, compared by numbers and never by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import Any

from ludus.arena.statistics import Interval, wilson
from ludus.papers.experiments import Unmeasured


class Verdict(StrEnum):
    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    CANNOT_BE = "cannot be reproduced"
    NOT_MEASURED = "not measured"
    REACHED = "reached"
    """Of an aim of ours that the paper does not have."""
    NOT_REACHED = "not reached"
    ANSWERED = "answered"
    """Of a question that the paper leaves open."""


@dataclass(frozen=True)
class Measure:
    """One number of ours: what it is, the interval it lies in, and how many games it rests on."""

    label: str
    value: float
    low: float
    high: float
    games: int
    unit: str = "%"
    rules: str = ""
    """Under which rules it was played; "" for a number that no rule touches."""

    @property
    def interval(self) -> Interval:
        return Interval(self.value, self.low, self.high, self.games)

    @property
    def text(self) -> str:
        if self.unit == "%" and self.low == self.high:
            return _share(self.value)
        if self.unit == "%":
            return f"{100 * self.value:.1f} % [{100 * self.low:.1f}, {100 * self.high:.1f}]"
        if self.low == self.high:
            return self.number(self.value)
        return f"{self.number(self.value)} [{self.number(self.low)}, {self.number(self.high)}]"

    def number(self, value: float) -> str:
        if isinstance(value, int):
            return f"{count_text(value)} {self.unit}".strip()
        shown = f"{value:,.0f}" if abs(value) >= 1000 or value == round(value) else f"{value:,.3g}"
        return f"{shown} {self.unit}".strip()

    def minus(self, other: Measure, label: str = "") -> Measure:
        """The difference to an independent measure; half-widths of intervals add like standard errors."""
        low = math.hypot(self.value - self.low, other.high - other.value)
        high = math.hypot(self.high - self.value, other.value - other.low)
        value = self.value - other.value
        games = self.games + other.games
        return replace(self, label=label, value=value, low=value - low, high=value + high, games=games)


def rate_of(wins: float, games: int, label: str = "published", rules: str = "") -> Measure:
    """A published count of wins, or one of whom the label names, with the interval that its games allow."""
    rate = wilson(wins, games)
    return Measure(label, rate.value, rate.low, rate.high, games, rules=rules)


@dataclass(frozen=True)
class Claim:
    """What a paper says, where, and in which number."""

    key: str
    where: str
    text: str
    published: str


@dataclass(frozen=True)
class Finding:
    """A claim beside our numbers, and what follows."""

    claim: Claim
    measures: tuple[Measure, ...]
    verdict: Verdict
    why: str
    timed: bool = False
    """Rests on a clock: not the same number twice."""

    def to_dict(self) -> dict[str, Any]:
        measures = [{**asdict(measure), "text": measure.text} for measure in self.measures]
        return {**asdict(self.claim), "ours": measures, "verdict": str(self.verdict), "why": self.why,
                "timed": self.timed}  # fmt: skip


Judgement = tuple[Verdict, str]
Found = tuple[Sequence[Measure], Judgement]


def judged(claim: Claim, measure: Callable[[], Found], timed: bool = False) -> Finding:
    """The finding on a claim; one whose numbers are not there says why."""
    try:
        measures, (verdict, why) = measure()
    except Unmeasured as reason:
        return Finding(claim, (), Verdict.NOT_MEASURED, str(reason), timed)
    return Finding(claim, tuple(measures), verdict, why, timed)


def near(ours: Measure, published: float, tolerance: float) -> Judgement:
    """Reproduced if our interval holds the published number, or ours is within the tolerance of it."""
    gap = abs(ours.value - published)
    away = f"{_points(gap)} from the published {_share(published)}"
    if ours.low <= published <= ours.high:
        return Verdict.REPRODUCED, f"the published {_share(published)} lies in our interval"
    if gap <= tolerance:
        return Verdict.REPRODUCED, f"{away}, {_points(tolerance)} allowed"
    return Verdict.NOT_REPRODUCED, away


def agrees(ours: Measure, published: Measure) -> Judgement:
    """Reproduced if ours and a published number, each with the noise of its own games, need not differ."""
    difference = ours.minus(published)
    told = f"{published.label} {published.text} ({published.games:,} games)"
    if difference.low <= 0 <= difference.high:
        return Verdict.REPRODUCED, f"{told}, no difference beyond noise"
    return Verdict.NOT_REPRODUCED, f"{told}, ours differs by {_signed(difference)}"


def all_near(ours: Sequence[Measure], published: Sequence[float], tolerance: float) -> Judgement:
    """`near` for several numbers at once; the farthest that fails speaks, or the farthest of all."""
    gaps = {k: abs(one.value - value) for k, (one, value) in enumerate(zip(ours, published))}
    failed = [k for k in gaps if near(ours[k], published[k], tolerance)[0] is Verdict.NOT_REPRODUCED]
    worst = max(failed or gaps, key=lambda k: gaps[k])
    why = f"the largest gap is {_points(gaps[worst])} ({ours[worst].label}), {_points(tolerance)} allowed"
    return (Verdict.NOT_REPRODUCED if failed else Verdict.REPRODUCED), why


def no_difference(ours: Sequence[Measure], published: Sequence[Measure] = ()) -> Judgement:
    """Reproduced if every difference is within its noise; the published ones are only told beside them."""
    shown = [f"{one.label} {_signed(one)}".strip() for one in ours]
    shown = [f"{text}, published {_signed(theirs)}" for text, theirs in zip(shown, published)] or shown
    if all(one.low <= 0 <= one.high for one in ours):
        return Verdict.REPRODUCED, f"no difference beyond noise: {'; '.join(shown)}"
    return Verdict.NOT_REPRODUCED, f"there is a difference: {'; '.join(shown)}"


def answered(difference: Measure) -> Judgement:
    """A question whether something matters is answered if the difference that it makes is certain."""
    if difference.low <= 0 <= difference.high:
        return Verdict.NOT_MEASURED, f"too few games to tell: {_signed(difference)}"
    return Verdict.ANSWERED, f"it matters: {_signed(difference)}"


def larger(difference: Measure, least: float = 0.0) -> Judgement:
    """Reproduced if a difference is certainly more than `least`."""
    shown = f"the difference is {_signed(difference)}"
    if difference.low > least:
        return Verdict.REPRODUCED, shown
    return Verdict.NOT_REPRODUCED, f"{shown}, not certainly above {_points(least)}"


def in_order(measures: Sequence[Measure]) -> Judgement:
    """Reproduced if each is certainly above the next."""
    for one, two in pairwise(measures):
        if one.minus(two).low <= 0:
            return Verdict.NOT_REPRODUCED, f"{one.label} is not certainly above {two.label}"
    return Verdict.REPRODUCED, "in this order: " + " > ".join(measure.label for measure in measures)


def exactly(ours: Sequence[int], published: Sequence[int]) -> Judgement:
    if list(ours) == list(published):
        return Verdict.REPRODUCED, "an independent count gives the same numbers"
    return Verdict.NOT_REPRODUCED, "an independent count gives " + ", ".join(map(count_text, ours))


def at_least(ours: Measure, aim: float) -> Judgement:
    """An aim of ours: reached if the number is at least that."""
    verdict = Verdict.REACHED if ours.value >= aim else Verdict.NOT_REACHED
    sure = ", and so is its whole interval" if ours.low >= aim else ""
    if verdict is Verdict.NOT_REACHED and ours.high >= aim:
        sure = "; too few games to exclude it"
    side = "at least" if verdict is Verdict.REACHED else "below"
    return verdict, f"{_share(ours.value)} is {side} {_share(aim)}{sure}"


def at_most(ours: Measure, aim: float) -> Judgement:
    """An aim of ours for a cost."""
    verdict = Verdict.REACHED if ours.value <= aim else Verdict.NOT_REACHED
    return verdict, f"{ours.text}, at most {ours.number(aim)} wanted"


def unless_unseen(judged: Judgement, ours: Sequence[Measure], theirs: Sequence[Measure], size: str) -> Judgement:
    """A difference that the paper could not see, as it lies within the noise of its own, does not contradict it."""
    verdict, why = judged
    if verdict is Verdict.NOT_REPRODUCED and all(b.low <= a.value <= b.high for a, b in zip(ours, theirs)):
        return Verdict.REPRODUCED, f"{why}; too small for {size} to show"
    return judged


def all_likely(ours: Sequence[Measure], spreads: Sequence[dict[str, float]], published: Sequence[float]) -> Judgement:
    """Reproduced if every published number lies where one training of ours, with as many games, would fall."""
    odd = [
        f"{one.label} is {100 * value:.1f} % there, and one training falls between"
        f" {100 * at['one_low']:.1f} and {100 * at['one_high']:.1f} % here"
        for one, at, value in zip(ours, spreads, published)
        if not at["one_low"] <= value <= at["one_high"]
    ]
    if odd:
        return Verdict.NOT_REPRODUCED, f"{'; '.join(odd)}; {len(ours) - len(odd)} of {len(ours)} fit"
    return Verdict.REPRODUCED, "every published number lies where one training falls"


def ranking(measures: Sequence[Measure]) -> list[Measure]:
    return sorted(measures, key=lambda one: -one.value)


def order_text(measures: Sequence[Measure]) -> str:
    """Who comes before whom; ≈ where that is not certain."""
    ranked = ranking(measures)
    signs = (">" if one.minus(two).low > 0 else "≈" for one, two in pairwise(ranked))
    return ranked[0].label + "".join(f" {sign} {one.label}" for sign, one in zip(signs, ranked[1:]))


def count_text(number: int) -> str:
    return f"{number:,}" if number < 10**13 else f"{number:.4e}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _points(value: float) -> str:
    return f"{100 * value:.1f} points"


def _signed(difference: Measure) -> str:
    value, low, high = (f"{100 * x:+.1f}" for x in (difference.value, difference.low, difference.high))
    return f"{value} [{low}, {high}] points"
