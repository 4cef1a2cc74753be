"""A metric: one record that says what is measured, how it is read, when a light turns, and what is drawn.

Each lies in a file of its own in `metrics/`, under the name of its page in docs/metrics. The folder is searched: adding
a metric is adding a file, and its page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence, Lineup
from ludus.measure.replays import Replay

RULES, SEATS, LENGTH, CHOICES, SKILL, TENSION, TABLE = GROUPS = (
    "Rules", "Seats", "Length", "Choices", "Skill and luck", "Tension", "At the table",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ numbers


@dataclass(frozen=True)
class Unit:
    """How a kind of number is written."""

    scale: float = 1.0
    words: str = ""
    digits: int = 1
    signed: bool = False

    def number(self, value: float) -> str:
        if math.isinf(value):
            return "∞" if value > 0 else "-∞"
        return f"{self.scale * value:{'+' if self.signed else ''}z,.{self.digits}f}"

    def text(self, found: Interval) -> str:
        """Without brackets where the value is exact."""
        value, low, high = map(self.number, (found.value, found.low, found.high))
        return f"{value}{self.words}" + (f" [{low}, {high}]" if found.low != found.high else "")


SHARE = Unit(100, " %")
POINTS = Unit(100, " points", signed=True)
SIZE = Unit(100, " points")
ELO = Unit(1, " Elo", 0, signed=True)
NUMBER = Unit()
COUNT = Unit(digits=0)
FINE = Unit(digits=2)


@dataclass(frozen=True)
class Reading:
    """One number of a metric, with its interval and whose matches it speaks of."""

    part: str
    """Short, for programs: like "draws" of the metric "endings"."""
    name: str
    found: Interval
    unit: Unit = SHARE
    level: str = ""
    evaluator: str = ""
    beside: str = ""
    """What to hold it against: the exact value where theory has one, or what noise alone would give."""
    metric: str = ""
    group: str = ""

    @property
    def text(self) -> str:
        return self.unit.text(self.found)

    def to_dict(self) -> dict[str, object]:
        """JSON knows no infinity."""
        numbers = {name: getattr(self.found, name) for name in ("value", "low", "high")}
        finite = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        words = ("metric", "part", "group", "name", "text", "level", "evaluator", "beside")
        return {**{name: getattr(self, name) for name in words}, **finite, "n": self.found.n}


# ------------------------------------------------------------------------------------------------ lights


@dataclass(frozen=True)
class Light:
    """What a number means to a designer: a colour, and a plain sentence."""

    colour: str
    """red, amber, unsure (too few matches to tell) or green."""
    topic: str
    sentence: str
    level: str = ""
    """Whose matches it rests on; the reader is told where they are weak."""
    metric: str = ""
    found: Interval | None = None
    """How far beyond what is fine, where that was measured: 0 where the light turns amber, 1 where red."""

    def to_dict(self) -> dict[str, object]:
        """For JSON, in words."""
        return {name: getattr(self, name) for name in ("colour", "topic", "sentence", "level", "metric")}


@dataclass(frozen=True)
class Limits:
    """Where a light turns amber, and where red. Little is bad where `red` lies below `amber`."""

    amber: float
    red: float

    def colour(self, found: Interval) -> str:
        """Amber and red need an interval that excludes what is fine, and green one that excludes red. All else needs
        more matches."""
        side = 1 if self.red > self.amber else -1
        value, amber, red = side * found.value, side * self.amber, side * self.red
        best, worst = sorted((side * found.low, side * found.high))
        if best >= amber:
            return "red" if value >= red else "amber"
        return "green" if value < amber and worst < red else "unsure"

    def light(self, topic: str, found: Interval, sentence: str, level: str = "") -> Light:
        return Light(self.colour(found), topic, sentence, level, found=self.excess(found))

    def excess(self, found: Interval) -> Interval:
        """How far beyond amber, measured by the way from there to red."""
        value, low, high = ((x - self.amber) / (self.red - self.amber) for x in (found.value, found.low, found.high))
        return Interval(value, min(low, high), max(low, high), found.n)


def as_sentence(words: str) -> str:
    """With a capital letter and a full stop."""
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")


# ------------------------------------------------------------------------------------------------ charts


@dataclass(frozen=True)
class Intervals:
    """A chart of numbers with their intervals: rows of one entry a series, beside the line of what is even."""

    title: str
    words: str
    series: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Interval]]]
    even: float = 0.0
    """0 for differences, else the share that chance gives."""


@dataclass(frozen=True)
class Counts:
    """A chart of how a number is spread: counts between every two edges."""

    title: str
    words: str
    axis: str
    edges: Sequence[float]
    counts: Sequence[tuple[str, Sequence[int]]]


Chart = Intervals | Counts

# ------------------------------------------------------------------------------------------------ one match


@dataclass(frozen=True)
class Quantity:
    """A number of a single match, by which `compare` sees what a rule changes."""

    key: str
    name: str
    unit: str
    read: Callable[[Replay], float]
    matters: float
    """The smallest difference that matters, in units …"""
    matters_part: float = 0.0
    """… or, if that is more, as a part of what A has."""
    rises: str = ""
    falls: str = ""
    """How a sentence about a change begins; what has such sentences is a headline, and the comparison waits for it."""
    most: float = 0.0
    """The quantity lies between 0 and this; 0 where nobody knows."""

    @property
    def is_headline(self) -> bool:
        return bool(self.rises)


# ------------------------------------------------------------------------------------------------ the record


@dataclass(frozen=True)
class Metric:
    group: str
    what: str
    """One sentence."""
    read: Callable[[Evidence], Iterator[Reading | Light]]
    """The most telling number first."""
    chart: Callable[[Evidence], Chart | None] = lambda evidence: None
    quantities: Callable[[int], Sequence[Quantity]] = lambda players: ()
    """Numbers of single matches, for so many players."""
    needs: str = ""
    """What it takes beside self-play: "menus" that are looked at, "pairs" of levels, or "traces" of an evaluator."""
    name: str = ""
    """That of its file and of its page."""
    parts: Mapping[str, Unit] = field(default_factory=dict)
    """The readings that `read` may give, by their parts, and their units; the most telling first."""

    @property
    def is_cheap(self) -> bool:
        """Whether nothing more has to be played than self-play."""
        return self.needs in ("", "menus")

    def found_in(self, evidence: Evidence) -> Iterator[Reading | Light]:
        """Its numbers and its lights, with its name; nothing is said of what could not be measured."""
        for one in self.read(evidence):
            if isinstance(one, Light):
                yield replace(one, metric=self.name, sentence=as_sentence(one.sentence))
            elif one.found.n:
                yield replace(one, metric=self.name, group=self.group)


class Source(TypedDict):
    """Whose matches a reading speaks of, and who looked at them."""

    level: str
    evaluator: str


def of_traces(lineup: Lineup) -> Source:
    """For readings of a traced lineup."""
    evaluators = [replay.trace.evaluator for replay in lineup.replays if replay.trace is not None]
    return {"level": lineup.specs[0], "evaluator": evaluators[0] if evaluators else ""}


def size_of(found: Interval) -> Interval:
    """Without its sign."""
    return found if found.value >= 0 else Interval(-found.value, -found.high, -found.low, found.n)
