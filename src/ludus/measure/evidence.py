"""What was played to measure a game: matches of every lineup, read as numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar, cast

from ludus.game import Game
from ludus.measure.intervention import Worth
from ludus.measure.replays import Replay
from ludus.measure.strength import pair_score
from ludus.records import MatchRecord

T = TypeVar("T")

WEAK = 64
"""Simulations below which a search says little of what good players would do."""
CLOSE = 0.75
"""A level is strong enough to be judged by if the strongest does not surely score more than this against it."""


@dataclass(frozen=True)
class Level:
    """One strength of play."""

    spec: str
    sort: Literal["random", "heuristic", "search", "given"] = "given"
    simulations: int = 0
    """Of a search, for each decision."""

    @property
    def is_weak(self) -> bool:
        return self.sort in ("random", "heuristic") or (self.sort == "search" and self.simulations < WEAK)

    def __str__(self) -> str:
        return self.spec


@dataclass(frozen=True)
class Lineup:
    """Who played, and the matches; `replays[i]` is `records[i]` read as numbers."""

    name: str
    specs: tuple[str, ...]
    replays: list[Replay] = field(repr=False)
    records: list[MatchRecord] = field(repr=False)
    aim: float = 0.0
    """The half-width that was wanted for a share of 50 %."""
    wanted: int = 0
    """How many matches that takes; fewer are there if the time did not allow it."""

    @property
    def is_self_play(self) -> bool:
        return len(set(self.specs)) == 1


@dataclass(frozen=True)
class Evidence:
    game: Game
    rules: dict[str, object]
    players: int
    seed: int
    levels: list[Level]
    """The skill ladder, weakest first."""
    lineups: list[Lineup]
    """Self-play of every level, and pairs of levels."""
    traced: Lineup | None
    """Matches of the strongest affordable level, each with a trace."""
    legal_kinds: dict[str, int]
    """How often each kind of action was legal in random play."""
    restricted: Sequence[Worth] = field(default=(), kw_only=True)
    """What kinds of action are worth, where some were forbidden."""

    _kept: dict[tuple, object] = field(init=False, repr=False, compare=False, default_factory=dict)

    def once(self, measure: Callable[..., T], *given: object) -> T:
        """What a measure finds, worked out once: a table, a light and a chart may all ask for it."""
        key = (measure, *map(id, given))
        if key not in self._kept:
            self._kept[key] = measure(*given)
        return cast(T, self._kept[key])

    @property
    def specs(self) -> list[str]:
        return [level.spec for level in self.levels]

    def is_weak(self, spec: str) -> bool:
        return any(level.spec == spec and level.is_weak for level in self.levels)

    def self_play(self, spec: str) -> Lineup | None:
        return next((lineup for lineup in self.lineups if lineup.is_self_play and lineup.specs[0] == spec), None)

    def pair(self, strong: str, weak: str) -> Sequence[Replay]:
        """Matches in which these two levels met."""
        met = (lineup.replays for lineup in self.lineups if set(lineup.specs) == {strong, weak})
        return next(met, ())

    def self_plays(self) -> list[Lineup]:
        """Self-play of every level that has some, the strongest first."""
        found = (self.self_play(level.spec) for level in reversed(self.levels))
        return [lineup for lineup in found if lineup is not None and lineup.replays]

    def judged(self) -> list[Lineup]:
        """The self-play that lights rest on: of the levels that are strong enough, the one with the most matches."""
        found = self.self_plays()
        close = [lineup for lineup in found if self._is_close(lineup.specs[0], found[0].specs[0])]
        return [max(close, key=lambda lineup: len(lineup.replays))] if close else []

    def _is_close(self, spec: str, strongest: str) -> bool:
        if spec == strongest:
            return True
        return not self.is_weak(spec) and pair_score(self.pair(strongest, spec), strongest).low <= CLOSE

    def both_ends(self) -> list[Lineup]:
        """The self-play that is judged, and that of the weakest level: what lies between says little more."""
        found = self.judged()
        return found + [lineup for lineup in self.self_plays()[-1:] if lineup not in found]

    def weakest(self) -> Lineup | None:
        return next(reversed(self.self_plays()), None)
