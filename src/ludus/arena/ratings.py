"""Who is stronger, from many matches at once: ratings on the Elo scale with a term for each seat.

One model serves any number of players. Every agent has a strength, every seat an advantage; what sits in a seat weighs
w = exp(strength + advantage). A match is read from the top as a row of choices, each among those not placed yet: one of
weight w is placed next with a chance in proportion to w, and k tied ones together in proportion to τ_k times the
geometric mean of their weights (Turner, van Etten, Firth and Kosmidis 2020). With two players this is the model of
Bradley and Terry (1952) with the ties of Davidson (1970), without ties that of Plackett (1975) and Luce (1959).

What stays tied at the bottom was not placed at all: where one player wins and all others lose, only the choice of the
winner counts. A draw of everybody is a choice like any other.

The prior: each strength, each advantage and each ln τ has one virtual match against zero, half won and half lost. It
keeps the rating of an agent finite that won every match, and holds agents together that never met. Intervals come from
the Bayesian bootstrap (Rubin 1981) over blocks: each block weighs Exp(1), each half of a virtual match Gamma(1/2). For
a rate that would be Jeffreys' posterior, so also an agent that won all has an interval worth the name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.arena.choices import Choices, Placed, Units
from ludus.arena.statistics import ELO, Interval, expanded_quantile
from ludus.errors import BadInput

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """One agent's strength, and its score: the mean share of first places, a tie among k counting 1/k."""

    name: str
    elo: Interval
    score: float


@dataclass(frozen=True)
class Ratings:
    """All agents, best first. An even match is one at a difference of 0; 400 points are ten wins to one loss."""

    rows: tuple[Rating, ...]
    seats: tuple[Interval, ...]
    """The advantage of each seat over the mean of the others, in Elo; with two players, of moving first or second."""
    anchor: str
    """The agent at 0; "" where 0 is the mean of all."""
    note: str = ""
    """What a reader must know, such as agents that never met."""


def rate(
    agents: Sequence[Sequence[str]], results: ArrayLike, blocks: ArrayLike | None = None, **options: Any
) -> Ratings:
    """Rate the agents of matches: `agents` names who sat in each seat, `results` holds what each seat got (returns or
    shares; only their order counts), `blocks` which matches belong together; the rest goes to `rate_units`."""
    names, lineups = _number(agents)
    matches = zip(map(tuple, lineups.tolist()), map(tuple, _places(results, lineups.shape).tolist()))
    together: dict[object, list[Placed]] = {}
    for block, match in zip(range(len(lineups)) if blocks is None else np.asarray(blocks).tolist(), matches):
        together.setdefault(block, []).append(match)
    return rate_units(names, Counter(tuple(sorted(unit)) for unit in together.values()), **options)


def rate_units(
    names: Sequence[str],
    units: Units,
    *,
    rng: np.random.Generator,
    repeats: int = 400,
    confidence: float = 0.95,
    prior: float = 1.0,
    anchor: str = "random",
) -> Ratings:
    """Rate agents by their numbers in units of matches; `prior` is the weight of a virtual match."""
    seats = len(next(iter(units))[0][0])
    choices = Choices.of(units, len(names), seats)
    fits = ELO * _bootstrap(choices, np.array(list(units.values()), float), prior, rng, repeats)
    strengths, advantages = fits[:, : len(names)], fits[:, len(names) : len(names) + seats]
    zero = strengths[:, [names.index(anchor)]] if anchor in names else strengths.mean(axis=1, keepdims=True)
    # Two parameters are no news: strengths and advantages are known up to a constant each.
    reach = expanded_quantile(sum(units.values()), fits.shape[1] - 2, confidence)
    games, points = _count(units, len(names))
    rated = [_interval(column, reach, int(n)) for column, n in zip((strengths - zero).T, games)]
    rows = [Rating(*row) for row in zip(names, rated, (points / games).tolist())]
    return Ratings(
        rows=tuple(sorted(rows, key=lambda row: -row.elo.value)),
        seats=tuple(_interval(column, reach, int(games.sum()) // seats) for column in _over_others(advantages).T),
        anchor=anchor if anchor in names else "",
        note=_note(names, units),
    )


def _bootstrap(choices: Choices, counts: Array, prior: float, rng: np.random.Generator, repeats: int) -> Array:
    """Parameters [1 + repeats, parameters]: the estimate first, then those of blocks and prior weighed at random. The
    weights of c equal blocks, Exp(1) each, add up to Gamma(c)."""
    halves = np.full((2, choices.parameters), prior / 2)
    best = choices.fit(counts, halves, np.zeros(choices.parameters))
    bend = choices.bend(counts, best)
    # A thousandth of a unit of log-odds is a sixth of an Elo point: less than what the draws differ by.
    drawn = (choices.refit(rng.gamma(counts), rng.gamma(halves), best, bend, 1e-3) for _ in range(repeats))
    return np.array([best, *drawn])


def _interval(fits: Array, reach: float, n: int) -> Interval:
    """The wider, on each side, of the percentiles and the bias-corrected percentiles of Efron (1981). With few matches
    a winner's estimate lies too high, and most draws higher still: the correction mends the lower bound. For an agent
    that nearly always won it would also lower the upper one, of which the matches say nothing."""
    normal = NormalDist()
    below = float(np.mean(fits[1:] < fits[0]) + np.mean(fits[1:] == fits[0]) / 2)
    shift = 2 * normal.inv_cdf(min(max(below, 0.01), 0.99))
    tails = normal.cdf(min(shift, 0.0) - reach), normal.cdf(max(shift, 0.0) + reach)
    low, high = np.quantile(fits[1:], tails)
    return Interval(float(fits[0]), float(low), float(high), n)


# ------------------------------------------------------------------------------------------------ reading matches


def _number(agents: Sequence[Sequence[str]]) -> tuple[list[str], NDArray[np.intp]]:
    """The names in order, and the matches as numbers [matches, seats]."""
    if not len(agents) or len({len(match) for match in agents}) > 1 or len(agents[0]) < 2:
        raise BadInput("ratings need matches of at least two players, all of the same number")
    table = np.asarray(agents)
    names, numbers = np.unique(table, return_inverse=True)
    return [str(name) for name in names], numbers.reshape(table.shape)


def _places(results: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.intp]:
    """How many distinct better results there were than each seat's own: 0 for the best, equal for the tied."""
    results = np.asarray(results, float).round(9)
    if results.shape != shape:
        raise BadInput(f"{shape[0]} matches of {shape[1]} players need a result for each seat, not {results.shape}")
    return np.array([np.unique(-match, return_inverse=True)[1] for match in results])


def _count(units: Units, agents: int) -> tuple[Array, Array]:
    """How many matches each agent played, and how many points it won."""
    games, points = np.zeros(agents), np.zeros(agents)
    for unit, count in units.items():
        for lineup, places in unit:
            for agent, place in zip(lineup, places):
                games[agent] += count
                points[agent] += count * (place == 0) / places.count(0)
    return games, points


def _note(names: Sequence[str], units: Units) -> str:
    groups: list[set[int]] = []
    for lineup in {lineup for unit in units for lineup, _ in unit}:
        joined = [group for group in groups if group & set(lineup)]
        groups = [group for group in groups if group not in joined] + [set(lineup).union(*joined)]
    if len(groups) == 1:
        return ""
    listed = " | ".join(", ".join(names[agent] for agent in sorted(group)) for group in sorted(groups, key=min))
    return f"these groups never met, so only the prior compares them: {listed}"


def _over_others(seats: Array) -> Array:
    """Each column less the mean of the others."""
    return (seats - seats.mean(axis=1, keepdims=True)) * seats.shape[1] / (seats.shape[1] - 1)
