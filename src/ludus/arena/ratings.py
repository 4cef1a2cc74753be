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
one agent against one fixed other that is Jeffreys' interval, so also an agent that won all has an honest lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.arena.statistics import ELO, Interval
from ludus.errors import BadInput

Array = NDArray[np.float64]
Seats = tuple[int, ...]


@dataclass(frozen=True)
class Rating:
    """One agent's strength in Elo, and its score: the mean share of first places, a tie among k counting 1/k."""

    name: str
    rating: float
    low: float
    high: float
    games: int
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
    agents: Sequence[Sequence[str]],
    results: ArrayLike,
    blocks: ArrayLike | None = None,
    *,
    rng: np.random.Generator,
    repeats: int = 400,
    confidence: float = 0.95,
    prior: float = 1.0,
    anchor: str = "random",
) -> Ratings:
    """Rate the agents of matches: `agents` names who sat in each seat, `results` holds what each seat got (returns or
    shares; only their order counts), `blocks` which matches belong together. `prior` is the weight of a virtual match.
    """
    names, lineups = _number(agents)
    places = _places(results, lineups.shape)
    block_of = np.arange(len(lineups)) if blocks is None else np.unique(np.asarray(blocks), return_inverse=True)[1]
    choices = _Choices.of(lineups, places, len(names))
    halves = np.full((2, choices.options.shape[2]), prior / 2)
    best = choices.fit(np.ones(len(lineups)), halves, np.zeros(halves.shape[1]))
    draws = np.array(
        [
            choices.fit(rng.exponential(size=block_of.max() + 1)[block_of], rng.gamma(halves), best)
            for _ in range(repeats)
        ]
    )
    fits = ELO * np.vstack([best, draws])
    seats = slice(len(names), len(names) + lineups.shape[1])
    zero = fits[:, [names.index(anchor)]] if anchor in names else fits[:, : len(names)].mean(axis=1, keepdims=True)
    strengths = _intervals(fits[:, : len(names)] - zero, confidence, np.bincount(lineups.ravel()))
    advantages = _intervals(_over_others(fits[:, seats]), confidence, np.full(lineups.shape[1], len(lineups)))
    rows = [
        Rating(name, x.value, x.low, x.high, x.n, score)
        for name, x, score in zip(names, strengths, _scores(lineups, places))
    ]
    return Ratings(
        tuple(sorted(rows, key=lambda row: -row.rating)),
        advantages,
        anchor if anchor in names else "",
        _note(names, lineups),
    )


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


def _scores(lineups: NDArray[np.intp], places: NDArray[np.intp]) -> list[float]:
    first = places == 0
    shares = first / first.sum(axis=1, keepdims=True)
    return (np.bincount(lineups.ravel(), shares.ravel()) / np.bincount(lineups.ravel())).tolist()


def _note(names: list[str], lineups: NDArray[np.intp]) -> str:
    groups: list[set[int]] = []
    for lineup in np.unique(lineups, axis=0).tolist():
        joined = [group for group in groups if group & set(lineup)]
        groups = [group for group in groups if group not in joined] + [set(lineup).union(*joined)]
    if len(groups) == 1:
        return ""
    listed = " | ".join(", ".join(names[agent] for agent in sorted(group)) for group in groups)
    return f"these groups never met, so only the prior compares them: {listed}"


def _over_others(seats: Array) -> Array:
    """Each column less the mean of the others."""
    return (seats - seats.mean(axis=1, keepdims=True)) * seats.shape[1] / (seats.shape[1] - 1)


def _intervals(fits: Array, confidence: float, games: NDArray) -> tuple[Interval, ...]:
    """The first row is the estimate, the others are the bootstrap's."""
    low, high = np.quantile(fits[1:], [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return tuple(Interval(float(v), float(a), float(b), int(n)) for v, a, b, n in zip(fits[0], low, high, games))


# ------------------------------------------------------------------------------------------------ the model


@dataclass(frozen=True)
class _Choices:
    """All choices made in all matches, equal matches together. An option is what it adds up from the parameters: the
    mean of its agents' strengths and of its seats' advantages, and ln τ_k for a tie."""

    options: Array  # [choices, options, parameters]; option 0 is the one taken
    missing: NDArray[np.bool_]  # [choices, options]: padding
    kind: NDArray[np.intp]  # [choices]: the kind of match that the choice is from
    kind_of: NDArray[np.intp]  # [matches]

    @classmethod
    def of(cls, lineups: NDArray[np.intp], places: NDArray[np.intp], agents: int) -> _Choices:
        seats = lineups.shape[1]
        kinds, kind_of = np.unique(np.hstack([lineups, places]), axis=0, return_inverse=True)
        chosen = [(kind, *stage) for kind, row in enumerate(kinds) for stage in _stages(row[seats:].tolist())]
        ties = sorted({len(taken) for _, taken, _ in chosen} - {1})
        menus = [[taken, *_alternatives(taken, rest, {1, *ties}, seats)] for _, taken, rest in chosen]
        width = max(map(len, menus))
        options = np.zeros((len(menus), width, agents + seats + len(ties)))
        for c, ((kind, _, _), menu) in enumerate(zip(chosen, menus)):
            for o, option in enumerate(menu):
                for seat in option:
                    options[c, o, kinds[kind, seat]] += 1 / len(option)
                    options[c, o, agents + seat] += 1 / len(option)
                if len(option) > 1:
                    options[c, o, agents + seats + ties.index(len(option))] = 1
        missing = np.arange(width) >= np.array([[len(menu)] for menu in menus])
        return cls(options, missing, np.array([kind for kind, _, _ in chosen]), kind_of.ravel())

    def fit(self, weights: Array, halves: Array, start: Array) -> Array:
        """The most likely parameters for matches of these weights and a prior of `halves` [won, lost]: Newton's method,
        each step halved until it climbs. The problem is concave: there is one summit."""
        weights = np.bincount(self.kind_of, weights)[self.kind].astype(float)
        here = start
        height, slope, bend = self._climb(here, weights, halves)
        for _ in range(100):
            step = np.linalg.solve(bend, slope)
            while (there := self._climb(here + step, weights, halves))[0] < height - 1e-9 * abs(height):
                step = step / 2
            here, (height, slope, bend) = here + step, there
            if np.abs(step).max() < 1e-5:
                break
        return here

    def _climb(self, parameters: Array, weights: Array, halves: Array) -> tuple[float, Array, Array]:
        """The log-posterior, its gradient, and its second derivative with the sign turned."""
        gain = np.where(self.missing, -np.inf, self.options @ parameters)
        gain -= gain.max(axis=1, keepdims=True)
        chance = np.exp(gain)
        total = chance.sum(axis=1, keepdims=True)
        chance /= total
        mean = (chance[:, None, :] @ self.options)[:, 0]
        won, lost = halves
        ahead = 0.5 + 0.5 * np.tanh(parameters / 2)
        height = weights @ (gain[:, 0] - np.log(total[:, 0]))
        height -= won @ np.logaddexp(0, -parameters) + lost @ np.logaddexp(0, parameters)
        slope = weights @ (self.options[:, 0] - mean) + won * (1 - ahead) - lost * ahead
        flat = self.options.reshape(-1, len(parameters))
        bend = (flat.T * (weights[:, None] * chance).ravel()) @ flat - (mean.T * weights) @ mean
        return float(height), slope, bend + np.diag((won + lost) * ahead * (1 - ahead))


def _stages(places: Sequence[int]) -> Iterator[tuple[Seats, Seats]]:
    """From the top: the seats placed next, and those they were chosen from."""
    rest = tuple(range(len(places)))
    for place in range(max(max(places), 1)):
        taken = tuple(seat for seat in rest if places[seat] == place)
        yield taken, rest
        rest = tuple(seat for seat in rest if seat not in taken)


def _alternatives(taken: Seats, rest: Seats, sizes: set[int], seats: int) -> list[Seats]:
    """What else could have been placed; all the rest at once only as a draw of everybody."""
    sizes = {size for size in sizes if size < len(rest) or size == seats}
    return [option for size in sorted(sizes) for option in combinations(rest, size) if option != taken]


# ------------------------------------------------------------------------------------------------ circles


def cyclic_share(payoffs: ArrayLike) -> float:
    """How much of a table of payoffs [agent, opponent] no ratings can explain: 0 for a ladder, 1 for rock, paper and
    scissors. With A = (P - Pᵀ)/2 and r_i the mean of row i it is ‖A_ij - (r_i - r_j)‖² / ‖A‖², the cyclic part of its
    Hodge split (Balduzzi et al. 2018). Noise of measured payoffs counts as cycles."""
    payoffs = np.asarray(payoffs, float)
    odd = (payoffs - payoffs.T) / 2
    mean = odd.mean(axis=1)
    whole = float((odd**2).sum())
    return float(((odd - (mean[:, None] - mean)) ** 2).sum()) / whole if whole else 0.0


def alpha_rank(payoffs: ArrayLike, alpha: float = 100.0, population: int = 50) -> Array:
    """How much of the time evolution spends with each agent, from payoffs [agent, opponent] (Omidshafiei et al. 2019).

    All of a population of m play one agent; now and then one tries another, and the newcomer, ahead by
    Δ = P[new, old] - P[old, new], takes over with the chance (1 - e^-αΔ) / (1 - e^-αmΔ), or 1/m where Δ = 0. The
    answer is the long run of that chain. A large α asks only who beats whom.
    """
    payoffs = np.asarray(payoffs, float)
    if len(payoffs) == 1:
        return np.ones(1)
    lead = alpha * (payoffs.T - payoffs)  # [old, new]
    size = np.maximum(np.abs(lead), 1e-12)  # in the limit of an even lead the chance is 1/m
    takeover = np.expm1(-size) / np.expm1(-population * size)
    takeover *= np.exp(np.minimum(lead, 0.0) * (population - 1))
    # The chance of a hopeless newcomer rounds to 0; a little of it keeps the chain in one piece.
    return _stationary(np.maximum(takeover, 1e-12))


def _stationary(rates: Array) -> Array:
    """The long run of a chain with these rates of change, by the elimination of Grassmann, Taksar and Heyman (1985):
    without subtraction, so that tiny rates lose no digits."""
    rates = rates.copy()
    share = np.ones(len(rates))
    for k in range(len(rates) - 1, 0, -1):
        rates[:k, k] /= rates[k, :k].sum()
        rates[:k, :k] += np.outer(rates[:k, k], rates[k, :k])
    for k in range(1, len(rates)):
        share[k] = share[:k] @ rates[:k, k]
    return share / share.sum()
