"""What pairs of matches say: the difference that B makes, an interval that may be watched, and a verdict in words."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from ludus.arena.statistics import Interval, bounded_sequence, mean_sequence, score_interval
from ludus.measure.metric import Quantity

CONFIDENCE = 0.95
"""That no interval of a whole comparison ever misses: what may go wrong is shared out among all that are looked at."""
FEWEST = 50
"""Pairs before the first verdict: intervals without known bounds rest on a limit theorem."""
PRECISE = 0.25
"""A difference is known well enough if its interval reaches no further than this part of it to each side."""
ORDER = ("changed", "unchanged", "not sure yet")


@dataclass(frozen=True)
class Difference:
    """What the pairs say about one quantity; `difference` is B minus A, and only its interval may be watched live."""

    quantity: Quantity
    a: Interval
    b: Interval
    difference: Interval
    noise: float
    """How much of the half-width is due to differences that were seen; the rest is due to what may come yet."""

    @property
    def matters(self) -> float:
        return max(self.quantity.matters, self.quantity.matters_part * abs(self.a.value))

    @property
    def half_width(self) -> float:
        return (self.difference.high - self.difference.low) / 2

    @property
    def verdict(self) -> str:
        """changed (0 is excluded), unchanged (all that matters is excluded), or not sure yet."""
        if self.difference.n < FEWEST:
            return "not sure yet"
        if self.difference.low > 0 or self.difference.high < 0:
            return "changed"
        is_small = -self.matters <= self.difference.low and self.difference.high <= self.matters
        return "unchanged" if is_small else "not sure yet"

    @property
    def is_settled(self) -> bool:
        """Whether more pairs would tell nothing of interest."""
        enough = max(self.matters, PRECISE * abs(self.difference.value))
        return self.verdict == "unchanged" or (self.verdict == "changed" and self.half_width <= enough)

    @property
    def pairs_needed(self) -> int:
        """About how many pairs give a verdict if the difference is what it seems: noise falls with the root of their
        number, the rest with the number itself. So target = noise · x + rest · x² at n/x² pairs."""
        seen = abs(self.difference.value)
        target = max(seen, self.matters - seen)
        rest = max(self.half_width - self.noise, 0.0)
        x = 2 * target / (self.noise + math.sqrt(self.noise**2 + 4 * rest * target))
        pairs = max(self.difference.n / x**2, FEWEST, 1.1 * self.difference.n)
        two_digits = 10 ** (math.floor(math.log10(pairs)) - 1)
        return math.ceil(pairs / two_digits) * two_digits

    @property
    def digits(self) -> int:
        return 1 if self.matters >= 0.5 else 2

    @property
    def sentence(self) -> str:
        name = self.quantity.name[0].upper() + self.quantity.name[1:]
        if self.verdict == "changed":
            return self._change() + "."
        if self.verdict == "unchanged" and self.a.value == self.b.value == 0:
            return f"No {self.quantity.name} under A or B ({self.text})."
        if self.verdict == "unchanged":
            return f"{name} unchanged ({self.text})."
        return f"{name}: not sure yet ({self.text}); about {self.pairs_needed:,} pairs would tell."

    @property
    def text(self) -> str:
        """With signs and the unit."""
        value, low, high = (_signed(x, self.digits) for x in self._bounds())
        return f"{value} {self.quantity.unit} [{low}, {high}]"

    def _change(self) -> str:
        value, low, high = self._bounds()
        if value < 0:
            value, low, high = -value, -high, -low
        rises, falls = self.quantity.rises or "raises", self.quantity.falls or "lowers"
        verb = rises if self.difference.value > 0 else falls
        what = "" if self.quantity.is_headline else f" {self.quantity.name} by"
        size = f"{value:.{self.digits}f} {self.quantity.unit} [{low:.{self.digits}f}, {high:.{self.digits}f}]"
        levels = f"from {self.a.value:.{self.digits}f} to {self.b.value:.{self.digits}f}"
        little = f", less than the {self.matters:.2g} that matter" if high < self.matters else ""
        return f"B {verb}{what} {size}, {levels}{little}"

    def _bounds(self) -> tuple[float, float, float]:
        return self.difference.value, self.difference.low, self.difference.high

    def to_dict(self) -> dict[str, object]:
        quantity = self.quantity
        return {
            "key": quantity.key,
            "name": quantity.name,
            "unit": quantity.unit,
            "headline": quantity.is_headline,
            "a": asdict(self.a),
            "b": asdict(self.b),
            "difference": asdict(self.difference),
            "matters": self.matters,
            "verdict": self.verdict,
            "pairs_needed": self.pairs_needed if self.verdict == "not sure yet" else None,
            "sentence": self.sentence,
        }


def _signed(number: float, digits: int) -> str:
    return f"{number:+z.{digits}f}".replace("-", "−")


def judge(quantity: Quantity, a: np.ndarray, b: np.ndarray, confidence: float) -> Difference:
    """The difference of pairs, at the confidence that each of several intervals must have for all to hold together."""
    # One more pair might be as different as the quantity is large, however alike all were so far.
    doubt = max(float(a.mean()), float(b.mean())) ** 2
    if quantity.most:
        difference = bounded_sequence(b - a, -quantity.most, quantity.most, confidence)
        own = [_scaled(score_interval(side / quantity.most), quantity.most) for side in (a, b)]
    else:
        difference = mean_sequence(b - a, confidence, doubt)
        own = [mean_sequence(side, CONFIDENCE, doubt) for side in (a, b)]
    noise = mean_sequence(b - a, confidence)
    return Difference(quantity, own[0], own[1], difference, (noise.high - noise.low) / 2)


def _scaled(x: Interval, factor: float) -> Interval:
    return Interval(factor * x.value, factor * x.low, factor * x.high, x.n)


@dataclass(frozen=True)
class Changes:
    """What B changes where one agent plays against itself."""

    agent: str
    differences: list[Difference]
    lengths: tuple[np.ndarray, np.ndarray]
    """Turns of every match of A and of B."""

    @property
    def pairs(self) -> int:
        return len(self.lengths[0])

    @property
    def headlines(self) -> list[Difference]:
        return [one for one in self.differences if one.quantity.is_headline]

    @property
    def leading(self) -> list[Difference]:
        """What to say first: whatever changed, the largest changes foremost, then what else is asked of every rule."""
        changed = [one for one in self.differences if one.verdict == "changed"]
        others = [one for one in self.headlines if one.verdict != "changed"]
        return [
            *sorted(changed, key=lambda one: -abs(one.difference.value) / one.matters),
            *sorted(others, key=lambda one: ORDER.index(one.verdict)),
        ]

    @property
    def is_settled(self) -> bool:
        return all(one.is_settled for one in self.headlines)

    def to_dict(self) -> dict[str, object]:
        rows = [one.to_dict() for one in self.differences]
        return {"agent": self.agent, "pairs": self.pairs, "settled": self.is_settled, "quantities": rows}
