"""What chance may do, as a list with probabilities: for algorithms that must see every outcome.

Rules draw their random numbers from the caller's stream. Here they run in plain Python with a script in its place: each
`below(rng, n)` is one branching into n, and the script that was followed says which comes next. So the list is exact.
Rules that draw floats, or that branch too often, have no such list.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ludus import rng
from ludus.errors import LudusError

MOST_SCRIPTS = 20_000


class NoList(LudusError):
    """What chance may do here is too much to list."""


class Script:
    """Stands in the place of a stream: the choices to make, then the first of each branching that follows."""

    def __init__(self, choices: list[int]):
        self.choices, self.sizes = choices, []

    def below(self, n: int) -> int:
        at = len(self.sizes)
        self.sizes.append(int(n))
        if at == len(self.choices):
            self.choices = [*self.choices, 0]
        return self.choices[at]

    def __getitem__(self, part: Any) -> Script:
        """A stream handed on as a part of a row of words is still this one."""
        return self

    def following(self) -> list[int] | None:
        """The choices of the next script; None after the last."""
        choices = list(self.choices)
        while choices and choices[-1] == self.sizes[len(choices) - 1] - 1:
            choices.pop()
        return [*choices[:-1], choices[-1] + 1] if choices else None


def _below(stream: Script, n: int) -> int:
    return stream.below(n)


def _refuse(*_: object) -> int:
    raise NoList("the rules draw numbers that cannot be listed")


_REPLACED = {id(rng.below): _below, id(rng.uniform): _refuse, id(rng.draw): _refuse}


def plain(function: Any, made: dict[int, Callable] | None = None) -> Callable:
    """A compiled rule as plain Python, with all that it calls, over scripts in the place of streams."""
    made = {} if made is None else made
    if id(function) in _REPLACED:
        return _REPLACED[id(function)]
    if id(function) not in made:
        source = getattr(function, "py_func", function)
        scope = dict(source.__globals__)
        copy = types.FunctionType(source.__code__, scope, source.__name__, source.__defaults__, source.__closure__)
        made[id(function)] = copy
        for name in source.__code__.co_names:
            if hasattr(scope.get(name), "py_func"):
                scope[name] = plain(scope[name], made)
    return made[id(function)]


def outcomes(rule: Callable, states: np.ndarray, *arguments: Any) -> list[tuple[np.ndarray, float]]:
    """Every state that a plain rule may make of this one, with its probability."""
    found: dict[bytes, float] = {}
    choices: list[int] | None = []
    for _ in range(MOST_SCRIPTS):
        script, after = Script(choices), states.copy()
        rule(after[0], *arguments, script)
        found[after.tobytes()] = found.get(after.tobytes(), 0.0) + float(np.prod([1 / n for n in script.sizes]))
        if np.prod(script.sizes, dtype=float) > MOST_SCRIPTS:
            break
        choices = script.following()
        if choices is None:
            return [(np.frombuffer(one, states.dtype).copy(), found[one]) for one in sorted(found)]
    raise NoList(f"chance has more than {MOST_SCRIPTS:,} ways here")
