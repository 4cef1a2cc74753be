"""What should I change? One step of each rule, and what it does to the red lights.

Every rule that is a number goes one step up and down, every other to each of its choices; all play the same seeds with
the agent that the lights rest on. Rule sets are ranked by how much of what is wrong a step takes away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ludus.errors import BadParams
from ludus.game import Game
from ludus.measure.evidence import Evidence
from ludus.measure.metric import Light, Metric
from ludus.measure.metrics import metric
from ludus.measure.readings import Readings
from ludus.measure.run import Table
from ludus.rules import Param
from ludus.workers import Workers

PART = 0.1
"""Of a rule's range, for a step of it where a step by one is too small to see."""


@dataclass(frozen=True)
class Step:
    """One changed rule, and the lights under it."""

    name: str
    before: Any
    after: Any
    better: float
    """By how much the excess over what is fine shrinks, all red lights together; 1 is from red to amber."""
    error: float
    """Its standard error."""
    lights: tuple[Light, ...]

    @property
    def is_sure(self) -> bool:
        return self.better > 2 * self.error

    @property
    def sentence(self) -> str:
        words = "surely helps" if self.is_sure else "may help"
        topics = ", ".join(f"{light.topic.lower()}: {light.sentence}" for light in self.lights)
        return f"`{self.name}` from {self.before} to {self.after} {words} ({topics})"


def advice(
    evidence: Evidence, lights: Sequence[Light], seconds: float, matches: int, workers: Workers,
    watch: Callable[[str, int, int], None] = lambda doing, done, total: None,
) -> list[Step]:  # fmt: skip
    """Steps that make red lights better, the best first; as many as the time allows, all where it is 0."""
    red = [light for light in lights if light.colour == "red" and light.metric and light.found]
    wanted = [metric(name) for name in dict.fromkeys(light.metric for light in red)]
    wanted = [one for one in wanted if one.is_cheap]
    judged = evidence.judged()
    if not wanted or not judged:
        return []
    spec, began, found = judged[0].specs[0], time.monotonic(), []
    start = _lights(evidence.game, evidence, evidence.rules, wanted, spec, matches, workers)
    changes = list(steps(evidence.game, evidence.rules))
    for number, (name, value) in enumerate(changes):
        if seconds and time.monotonic() - began > seconds:
            break
        watch(f"what if {name} were {value}?", number, len(changes))
        try:
            now = _lights(evidence.game, evidence, {**evidence.rules, name: value}, wanted, spec, matches, workers)
        except BadParams:
            continue
        found.append(_step(name, evidence.rules[name], value, red, start, now))
    return sorted((one for one in found if one.better > one.error), key=lambda one: -one.better)


def steps(game: Game, rules: Mapping[str, object]) -> list[tuple[str, Any]]:
    """Every rule changed by one step."""
    return [(name, value) for name, param in game.params.declared.items() for value in _near(param, rules[name])]


def _near(param: Param, value: Any) -> list[Any]:
    if param.choices:
        return [other for other in param.choices if other != value]
    part = PART * (param.high - param.low)
    step = part if isinstance(param.default, float) else max(1, round(part)) if param.high - param.low > 50 else 1
    return [other for other in (value - step, value + step) if param.low <= other <= param.high]


def _lights(
    game: Game, evidence: Evidence, rules: Mapping[str, object], wanted: Sequence[Metric], spec: str, matches: int,
    workers: Workers,
) -> Readings:  # fmt: skip
    table = Table(game, game.params.values(rules), evidence.players, evidence.seed, workers)
    return table.read(wanted, [spec], matches)


def _step(name: str, before: Any, after: Any, red: Sequence[Light], start: Readings, now: Readings) -> Step:
    better, variance, told = 0.0, 0.0, []
    for light in red:
        old, new = (_same(light, readings) for readings in (start, now))
        if old is None or old.found is None:
            continue
        gain = max(old.found.value, 0.0) - (max(new.found.value, 0.0) if new and new.found else 0.0)
        better += gain
        halves = [one.found.high - one.found.low for one in (old, new) if one and one.found]
        variance += sum((half / 4) ** 2 for half in halves)
        told += [new] if new else []
    return Step(name, before, after, better, variance**0.5, tuple(told))


def _same(light: Light, readings: Readings) -> Light | None:
    return next((one for one in readings.lights if (one.metric, one.topic) == (light.metric, light.topic)), None)
