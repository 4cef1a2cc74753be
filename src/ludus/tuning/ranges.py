"""What may be changed: ranges of the game's own params, like `rings=3..5`, `tie=draw|coin` or `cap=*`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ludus.errors import BadInput, BadParams, UnknownName
from ludus.game import Game
from ludus.rules import Param

SPAN = re.compile(r"([-+]?[\d.]*\d)\s*\.\.\s*([-+]?[\d.]*\d)")
STEPS = 20
"""Into which the range of a number with a fraction is cut."""


@dataclass(frozen=True)
class Range:
    """The values of one param that candidates may have, in their order."""

    name: str
    values: tuple[Any, ...]
    is_number: bool

    @property
    def text(self) -> str:
        if not self.is_number or not self._is_whole:
            return f"{self.name}={'|'.join(str(value) for value in self.values)}"
        return f"{self.name}={self.values[0]:g}..{self.values[-1]:g}"

    @property
    def _is_whole(self) -> bool:
        """Whether no number between the ends is left out, as far as a range with two ends can say."""
        first, last = self.values[0], self.values[-1]
        return len(self.values) == (STEPS + 1 if isinstance(first, float) else last - first + 1)

    def place(self, value: object) -> float:
        """Where a value lies among its kin, as a number."""
        return float(value) if self.is_number else float(self.values.index(value))  # pyright: ignore[reportArgumentType]

    def next_to(self, value: object) -> list[Any]:
        """One step down and up; of named choices all others."""
        if not self.is_number:
            return [other for other in self.values if other != value]
        place = self.values.index(value)
        return [*self.values[max(0, place - 1) : place], *self.values[place + 1 : place + 2]]


def read_ranges(game: Game, items: Mapping[str, object]) -> tuple[list[Range], dict[str, object]]:
    """Ranges, and rules that are the same for all candidates: those with a single value."""
    ranges, fixed = [], {}
    for name, text in items.items():
        if name not in game.params.declared:
            raise UnknownName("rule", name, game.params.declared, f" in {game.name}")
        values = _values(name, game.params.declared[name], str(text).strip())
        if len(values) > 1:
            is_number = not game.params.declared[name].choices
            ranges.append(Range(name, tuple(values), is_number))
        else:
            fixed[name] = values[0]
    if not ranges:
        raise BadInput("a tuning needs a rule with a range: --rule NAME=LOW..HIGH, or NAME=ONE|OTHER for named choices")
    return ranges, fixed


def _values(name: str, param: Param, text: str) -> list[Any]:
    if text == "*":
        text = "|".join(param.choices) if param.choices else f"{param.low:g}..{param.high:g}"
    if param.choices:
        return _choices(name, param, [one.strip() for one in text.split("|")])
    if "|" in text:
        return sorted({_number(name, param, one) for one in text.split("|")})
    match = SPAN.fullmatch(text)
    if match is None:
        return [_number(name, param, text)]
    low, high = _number(name, param, match[1]), _number(name, param, match[2])
    if low > high:
        raise BadParams(f"rule {name}={text}: write the lesser end first")
    if isinstance(param.default, float):
        return [round(low + k * (high - low) / STEPS, 9) for k in range(STEPS + 1)]
    return list(range(int(low), int(high) + 1))


def _choices(name: str, param: Param, wanted: Sequence[str]) -> list[str]:
    for one in wanted:
        if one not in param.choices:
            raise BadParams(f"rule {name} is one of {', '.join(param.choices)}, not {one!r}; join several by |")
    return list(dict.fromkeys(wanted))


def _number(name: str, param: Param, text: str) -> Any:
    kind = float if isinstance(param.default, float) else int
    try:
        number = kind(text)
    except ValueError:
        raise BadParams(f"rule {name} takes a range like {param.low:g}..{param.high:g}, not {text!r}") from None
    if not param.low <= number <= param.high:
        raise BadParams(f"rule {name} lies in {param.low:g}..{param.high:g} by the game itself; {text} is outside")
    return number


def size_of(ranges: Sequence[Range]) -> int:
    """How many rule sets there are."""
    return math.prod(len(one.values) for one in ranges)


def key_of(values: Mapping[str, object]) -> str:
    """A rule set in words, the same for the same values."""
    return ", ".join(f"{name}={value}" for name, value in values.items())
