"""What a playtest plays: a ladder of skill, how many matches of each lineup, and gates on the way.

The cheapest matches come first, and what they show decides whether the next are worth it: random play takes seconds,
shallow search minutes, strong search the rest of the time. At the first red light the playtest stops and says why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from ludus.catalogue import agent
from ludus.errors import BadInput
from ludus.game import Game
from ludus.identity import agent_parts, game_parts
from ludus.measure.evidence import Level
from ludus.measure.replays import Replay

# ------------------------------------------------------------------------------------------------ how much


@dataclass(frozen=True)
class Mode:
    """How much time there is, and how sure one wants to be."""

    name: str
    seconds: float
    precision: float
    """The half-width wanted for a share of 50 %."""
    top: int
    """The most simulations of the strongest search."""


QUICK = Mode("quick", 60, 0.05, 1024)
DEFAULT = Mode("default", 600, 0.03, 2048)
RANDOM_PRECISION = 0.01
"""Random matches cost so little that one may be surer of them."""
FEWEST = 32
"""Matches of a lineup below which it is not worth to begin."""
MOST_HOURS = 10_000
"""A year and more: who writes a larger number has mistyped it."""
MOST_MATCHES = 10_000_000
SHARES = {"random": 0.1, "traces": 0.3}
BANS, TRAINING = 0.15, 0.3
"""The same, of the time of what is only done where it is asked for; it comes on top of the ladder's."""
"""Of the time; levels share the rest, each taking half of what is left, so that the strongest get the most."""


def mode_for(quick: bool = False, hours: float = 0.0, precision: float = 0.0) -> Mode:
    if quick and hours:
        raise BadInput("either --quick or --hours, not both")
    if hours and not 0.01 <= hours <= MOST_HOURS:  # which nan is not
        raise BadInput(f"a playtest takes 0.01 to {MOST_HOURS:,} hours, not {hours:g}")
    if precision and not 0.001 <= precision <= 0.3:
        raise BadInput(f"the precision is a half-width between 0.001 and 0.3, not {precision:g}")
    mode = QUICK if quick else DEFAULT
    if hours:
        mode = Mode(f"{hours:g} hour{'s' * (hours != 1)}", 3600 * hours, 0.02, 16384)
    return replace(mode, precision=precision or mode.precision)


def matches_for(half_width: float) -> int:
    """Matches for a 95 % interval of this half-width around a share of 50 %."""
    return math.ceil(0.25 * (1.96 / half_width) ** 2)


def half_width(matches: int) -> float:
    """What a number of matches gives: `matches_for` backwards."""
    return 1.96 / (2 * math.sqrt(matches))


@dataclass(frozen=True)
class Count:
    """How many matches of a lineup are wanted, and how many are played."""

    wanted: int
    played: int

    def note(self, cell: str, seconds_each: float) -> str:
        """What it would take, where the time was too short."""
        if self.played >= self.wanted:
            return ""
        seconds = self.wanted * seconds_each
        time = f"{seconds / 60:,.0f} minutes" if seconds > 90 else f"{max(seconds, 1):.0f} seconds"
        return (
            f"{cell}: {self.played:,} matches give ± {100 * half_width(self.played):.1f} points; "
            f"± {100 * half_width(self.wanted):.1f} takes {self.wanted:,}, about {time}"
        )


def count_for(half_width: float, seconds: float, seconds_each: float, block: int) -> Count:
    """Matches for a precision, or as many as the time allows, in whole blocks; none if that is too few to begin."""
    wanted = _whole_blocks(matches_for(half_width), block)
    affordable = int(seconds / max(seconds_each, 1e-9)) // block * block
    if affordable < min(FEWEST, wanted):
        return Count(wanted, 0)
    return Count(wanted, min(wanted, affordable))


def _whole_blocks(matches: int, block: int) -> int:
    return -(-matches // block) * block


# ------------------------------------------------------------------------------------------------ the ladder

FIRST_SIMULATIONS = 16
LONG = 60
"""Plies of a random match from which on a search does better to stop early and ask the heuristic."""
RANDOM = Level("random", "random")


def ladder(game: Game, mode: Mode, mean_plies: float) -> list[Level]:
    """Agents from weak to strong on one scale: random, greedy where the game has a heuristic, search with doubling
    budgets."""
    levels = [RANDOM]
    if game.writes("heuristic"):
        levels.append(_level("greedy:slip=0.1", game, "heuristic"))  # never slipping would play one match for ever
    far = ",horizon=20" if game.writes("heuristic") and mean_plies > LONG else ""
    simulations = FIRST_SIMULATIONS
    while simulations <= mode.top:
        levels.append(_level(f"mcts:sims={simulations}{far}", game, "search", simulations))
        simulations *= 2
    return levels


def _level(spec: str, game: Game, sort: Literal["heuristic", "search"], simulations: int = 0) -> Level:
    return Level(agent(spec, game).spec, sort, simulations)


# ------------------------------------------------------------------------------------------------ the gates


@dataclass(frozen=True)
class Gate:
    """A stage of the playtest: what was looked at, and whether it goes on from here."""

    name: str
    """random, shallow or strong."""
    is_open: bool
    sentence: str


@dataclass(frozen=True)
class Bounds:
    """Beyond these a game is not worth stronger play: first the rules need work."""

    time_outs: float = 0.5
    decisions: float = 2.0
    """A match; fewer are no game."""
    choices: float = 0.1
    """The share of decisions with more than one action."""
    one_seat: float = 0.97
    """The share of points of a single seat."""
    draws: float = 0.99


BOUNDS = Bounds()


def gate(name: str, replays: Sequence[Replay], bounds: Bounds = BOUNDS) -> Gate:
    """Whether what a level showed is good enough for the next."""
    if not replays:
        return Gate(name, False, "no match was played")
    problem = _problem(replays, bounds)
    if problem:
        return Gate(name, False, f"{problem}, in {len(replays):,} matches: the rules need work before stronger play")
    return Gate(name, True, f"{len(replays):,} matches show nothing that forbids to go on")


def _problem(replays: Sequence[Replay], bounds: Bounds) -> str:
    shares = np.array([replay.shares for replay in replays])
    endless = np.mean([replay.outcome == "limit" for replay in replays])
    decisions = np.mean([len(replay.movers) for replay in replays])
    menus = np.concatenate([replay.menus for replay in replays])
    level = np.ptp(shares, axis=1) < 1e-9
    seats, best = shares.mean(axis=0), int(shares.mean(axis=0).argmax())
    if endless > bounds.time_outs:
        return f"{100 * endless:.0f} % of the matches only end at the limit of plies"
    if decisions < bounds.decisions:
        return f"a match has only {decisions:.1f} decisions"
    if len(menus) and (menus > 1).mean() < bounds.choices:
        return f"only {100 * (menus > 1).mean():.0f} % of the decisions leave a choice"
    if level.mean() > bounds.draws:
        return f"{100 * level.mean():.0f} % of the matches are drawn"
    if seats[best] > bounds.one_seat:
        return f"player {best + 1} takes {100 * seats[best]:.0f} % of the points"
    return ""


# ------------------------------------------------------------------------------------------------ the whole


@dataclass(frozen=True)
class Order:
    """What is to be tested, and how much of it."""

    game: str
    preset: str
    rules: dict[str, object]
    players: int
    mode: Mode
    seed: int = 0
    agents: list[str] = field(default_factory=list)
    """Further agents, each a level of its own at the top of the ladder."""
    games: int = 0
    """Matches of every lineup, where they are not to be chosen by precision and time."""
    bans: bool = False
    """Whether kinds of action are forbidden to see what they are worth."""
    train: bool = False
    """Whether a network is trained to be the top of the ladder."""

    def content(self, game: Game) -> dict[str, str]:
        """All that decides the matches: the game's rules and numbers, every agent's sources, and what was asked for."""
        parts = game_parts(game, game.rule_values(self.preset, self.rules))
        for spec in ("random", "mcts", *["greedy"] * game.writes("heuristic"), *self.agents):
            parts |= agent_parts(spec, game)
        asked = {"players": self.players, "seed": self.seed, "matches": self.games, "agents": ", ".join(self.agents)}
        asked |= {name: True for name in ("bans", "train") if getattr(self, name)}
        asked |= {"time": self.mode.seconds, "precision": self.mode.precision, "simulations": self.mode.top}
        return parts | {name: f"={value}" for name, value in asked.items()}
