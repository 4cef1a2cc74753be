"""Numbers as a designer reads them: written out, with an interval, a light and a sentence."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace

from ludus.arena.statistics import Interval

LIGHTS = {"red": ("✕", "a problem"), "amber": ("!", "to watch"), "green": ("✓", "fine"), "none": ("·", "no judgement")}
"""A sign and a meaning for each light, the worst first: colours alone would not reach everybody."""

UNSURE = "More matches are needed to be sure."


@dataclass(frozen=True)
class Reading:
    key: str
    """Its page in docs/metrics."""
    group: str
    name: str
    text: str
    value: float
    low: float
    high: float
    n: int
    light: str = "none"
    topic: str = ""
    sentence: str = ""
    """What the light says; empty for a number that no verdict rests on."""
    evaluator: str = ""
    level: str = ""
    beside: str = ""
    """What to hold it against: the exact value where theory has one, or what noise alone would give."""

    def judged(self, topic: str, light: str, sentence: str) -> Reading:
        return replace(self, topic=topic, light=light, sentence=sentence)

    def to_dict(self) -> dict[str, object]:
        """JSON knows no infinity."""
        return {name: None if _is_odd(value) else value for name, value in asdict(self).items()}


def _is_odd(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


COUNTED = {"red": ("problem", "problems"), "amber": ("thing to watch", "things to watch"), "green": ("fine", "fine")}
HEADLINES = ("duration", "seat_advantage", "endings", "skill_ladder", "luck_share")
"""Metrics whose first reading is worth a large print."""


@dataclass(frozen=True)
class Readings:
    """All of a playtest. Of each metric the first is the most telling: the strongest players', the first seat's."""

    found: tuple[Reading, ...]

    def of(self, group: str) -> list[Reading]:
        """The numbers of a group; a light without a number is no row of a table."""
        return [reading for reading in self.found if reading.group == group and reading.text]

    def verdict(self) -> list[Reading]:
        """What has a light, the worst first, and what is certain before what is not."""
        judged = [reading for reading in self.found if reading.light != "none"]
        return sorted(judged, key=lambda reading: (list(LIGHTS).index(reading.light), UNSURE in reading.sentence))

    def summary(self) -> str:
        """How many lights of each colour, and the worst."""
        lights = [reading.light for reading in self.verdict()]
        counts = [(lights.count(colour), words) for colour, words in COUNTED.items() if colour in lights]
        parts = [f"{n} {words[n > 1]}" for n, words in counts]
        worst = [reading.sentence for reading in self.verdict()[:1] if reading.light != "green"]
        return " ".join([f"{', '.join(parts) or 'Nothing could be judged'}.", *worst])

    def headlines(self) -> list[Reading]:
        return [self.first(key) for key in HEADLINES if any(reading.key == key for reading in self.found)]

    def first(self, key: str) -> Reading:
        return next(reading for reading in self.found if reading.key == key)

    def to_dict(self) -> dict[str, object]:
        return {"summary": self.summary(), "readings": [reading.to_dict() for reading in self.found]}


# ------------------------------------------------------------------------------------------------ words and numbers


def as_sentence(words: str) -> str:
    """With a capital letter and a full stop."""
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")


@dataclass(frozen=True)
class Style:
    """How a kind of number is written."""

    scale: float = 1.0
    unit: str = ""
    digits: int = 1
    signed: bool = False

    def number(self, value: float) -> str:
        if math.isinf(value):
            return "∞" if value > 0 else "-∞"
        return f"{self.scale * value:{'+' if self.signed else ''}z,.{self.digits}f}"

    def text(self, found: Interval) -> str:
        """Without brackets where the value is exact."""
        value, low, high = map(self.number, (found.value, found.low, found.high))
        return f"{value}{self.unit}" + (f" [{low}, {high}]" if found.low != found.high else "")


SHARE = Style(100, " %")
POINTS = Style(100, " points", signed=True)
SIZE = Style(100, " points")
ELO = Style(1, " Elo", 0, signed=True)
NUMBER = Style()
FINE = Style(digits=2)


# ------------------------------------------------------------------------------------------------ lights


def light(found: Interval, amber: float, red: float) -> str:
    """The light of a number of which more is worse if amber < red, and less is worse if red < amber.

    Red needs an interval that excludes green, and green one that excludes red; amber is all between, also what is not
    known well enough.
    """
    side = 1 if red > amber else -1
    value, amber, red = side * found.value, side * amber, side * red
    best, worst = sorted((side * found.low, side * found.high))
    if value >= red and best >= amber:
        return "red"
    return "green" if value < amber and worst < red else "amber"
