"""Who meets whom, how often: everything that decides the matches of a tournament, before the first is played."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ludus.catalogue import load
from ludus.errors import BadInput

FORMATS = ("round-robin", "gauntlet", "until-sure")
Lineup = tuple[int, ...]
"""Agents that meet, by number, in ascending order; an agent may sit in several seats."""


@dataclass(frozen=True)
class Schedule:
    game: str
    agents: list[str]
    format: str = "round-robin"
    players: int = 2
    blocks: int = 50
    """Blocks of each lineup; the most that until-sure may take."""
    seed: int = 0
    rules: dict[str, object] = field(default_factory=dict)
    move_seconds: float = 0.0
    elo0: float = 0.0
    elo1: float = 50.0
    """until-sure: normalised Elo of "A is not better" and of "A is better"."""

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise BadInput(f"a tournament is one of {', '.join(FORMATS)}, not {self.format!r}")
        if len(self.agents) < 2:
            raise BadInput("a tournament needs at least two agents")
        if len(set(self.agents)) < len(self.agents):
            raise BadInput("each agent may enter a tournament once")
        if self.format == "until-sure" and (len(self.agents) != 2 or self.players != 2):
            raise BadInput("until-sure is for two agents in a game of two players")
        if not (math.isfinite(self.elo1) and self.elo1 > self.elo0):
            raise BadInput(f"until-sure needs a lead in Elo above {self.elo0:g}, not {self.elo1:g}")

    def lineups(self, numbers: Sequence[int] | None = None) -> list[Lineup]:
        """Who meets, each agent by its number; by its place in `agents` where none is given.

        In a round robin all sets of agents meet; a gauntlet sets the first against the others, one kind at a time.
        """
        n, entered = self.players, list(numbers or range(len(self.agents)))
        if self.format == "gauntlet":
            found = [(entered[0], *[rival] * (n - 1)) for rival in entered[1:]]
        elif len(entered) >= n:
            found = list(itertools.combinations(entered, n))
        else:
            mixed = itertools.combinations_with_replacement(entered, n)
            found = [lineup for lineup in mixed if len(set(lineup)) == len(entered)]
        return [tuple(sorted(lineup)) for lineup in found]


def make_schedule(
    game: str, agents: Sequence[str], preset: str, rules: Mapping[str, object], players: int = 0, **rest: Any
) -> Schedule:
    """A schedule with the values of all rules written out, and the fewest players where nothing is said."""
    rulebook = load(game)
    values = rulebook.rule_values(preset, rules)
    return Schedule(game, list(agents), players=players or rulebook.facts.players[0], rules=values, **rest)
