"""A candidate climbs: what the rules object to, random play, shallow search, deeper search; cheap gates first.

At every gate matches come in growing numbers, and a candidate is dropped as soon as an interval says that a target
cannot be met. Random play only drops what no playtest would go on with, since no target speaks of random players.
Weaker search must miss a target by half its range and more, since stronger search may still bring it inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ludus.arena.statistics import Interval
from ludus.errors import BadParams
from ludus.game import Game
from ludus.measure.metric import Metric
from ludus.measure.readings import Readings
from ludus.measure.run import Table
from ludus.playtest.plan import gate
from ludus.tuning.targets import Target
from ludus.workers import Workers

LOOKS = (0.25, 0.5, 1.0)
"""Shares of a gate's matches after which one looks."""
DOUBT = 1.5
"""How much wider an interval must be to drop a candidate than to report it: three standard errors and not two."""
CONFIRMING = 2
"""The strongest levels, at which a winner must meet every target."""
SLACK = 1.0
"""By how many scales weaker search must miss a target."""

Found = dict[str, Interval]
"""What was measured, by the text of each target."""


@dataclass(frozen=True)
class Candidate:
    """A rule set, and how far it climbed."""

    values: dict[str, Any]
    """Of the rules with a range."""
    found: dict[str, Found] = field(default_factory=dict)
    """By level of play, as far as it came."""
    dropped: str = ""
    """The gate that it did not pass; "" for who passed all."""
    reason: str = ""
    gates_left: int = 0
    matches: int = 0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Candidate:
        found = {
            level: {text: Interval(**numbers) for text, numbers in own.items()} for level, own in kept["found"].items()
        }
        return cls(**{**kept, "found": found})

    @property
    def last(self) -> Found:
        """Of the strongest level that it reached."""
        return next(reversed(self.found.values()), {})

    def miss(self, targets: Sequence[Target]) -> float:
        """How far from the targets, each where it is farthest: a winner must meet them at both strengths. Every gate
        that it never saw counts as one more."""
        return self.gates_left + sum(max(map(one.miss, self._values(one)), default=0.0) for one in targets)

    def loss(self, targets: Sequence[Target]) -> float:
        """The same, and among those that miss nothing the central ones come first."""
        inside = (max(map(one.eccentricity, self._values(one)), default=0.0) for one in targets)
        return self.miss(targets) + 0.1 * sum(inside)

    def _values(self, target: Target) -> list[float]:
        """What the strongest levels say, those that confirm."""
        levels = list(self.found.values())[-CONFIRMING:]
        return [own[target.text].value for own in levels if target.text in own]


@dataclass(frozen=True)
class Climb:
    """Everything that decides how a candidate is measured."""

    game: Game
    base: dict[str, object]
    """The rules to which a candidate's values are changes."""
    targets: Sequence[Target]
    agents: Sequence[str]
    """From weak to strong."""
    players: int
    seed: int
    matches: int
    workers: Workers
    watch: Callable[[str, int, int], None] = lambda doing, done, total: None

    def table(self, values: Mapping[str, object], seed: int) -> Table:
        rules = self.game.params.values({**self.base, **values})
        return Table(self.game, rules, self.players, seed, self.workers)

    def candidate(self, values: dict[str, Any]) -> Candidate:
        """Try a rule set, gate after gate."""
        gates = 1 + len(self.agents)
        try:
            table = self.table(values, self.seed)
        except BadParams as objection:
            return Candidate(values, dropped="objection", reason=str(objection), gates_left=1 + gates)
        lowest = table.lineup(["random"], self.matches)
        shut = gate("random", lowest.replays)
        if not shut.is_open:
            return Candidate(values, {}, "random", shut.sentence, gates, len(lowest.records))
        found: dict[str, Found] = {}
        for k, spec in enumerate(self.agents):
            found[spec], reason = self._gate(table, k)
            if reason:
                left = len(self.agents) - 1 - k
                return Candidate(values, found, spec, reason, left, _played(table))
        return Candidate(values, found, matches=_played(table))

    def _gate(self, table: Table, k: int) -> tuple[Found, str]:
        """What one level shows, and why it drops the candidate, if it does."""
        is_last = k == len(self.agents) - 1
        found: Found = {}
        for share in LOOKS if self.metrics(k, is_last) else ():
            readings = table.read(self.metrics(k, is_last and share == 1.0), self.specs(k), round(share * self.matches))
            found = dict(self.found_in(readings))
            reason = self._objection(found, 0.0 if is_last else SLACK)
            if reason:
                return found, reason
        missing = [one.name for one in self.targets if is_last and one.text not in found]
        return found, f"{', '.join(missing)} could not be measured" if missing else ""

    def specs(self, k: int) -> list[str]:
        """The level and the one below, which it meets where a metric asks who beats whom."""
        return [*(self.agents[k - 1 : k] or ["random"]), self.agents[k]]

    def metrics(self, k: int, thorough: bool) -> list[Metric]:
        """Those that self-play tells; of the strongest level, in the end, all."""
        found = {one.metric.name: one.metric for one in self.targets}
        return [metric for metric in found.values() if thorough or metric.is_cheap]

    def found_in(self, readings: Readings) -> Iterator[tuple[str, Interval]]:
        for target in self.targets:
            if (found := target.find(readings)) is not None:
                yield target.text, found

    def _objection(self, found: Found, slack: float) -> str:
        for target in self.targets:
            if target.text in found and target.is_out_of_reach(widened(found[target.text], DOUBT), slack):
                return f"{target.name} is {target.show(found[target.text])}, wanted: {target.text}"
        return ""


def widened(found: Interval, factor: float) -> Interval:
    """An interval that reaches so many times as far from its value."""
    low = found.value - factor * (found.value - found.low)
    return Interval(found.value, low, found.value + factor * (found.high - found.value), found.n)


def _played(table: Table) -> int:
    return sum(len(kept) for kept in table.kept.values())
