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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.arena.statistics import ELO, Interval, expanded_quantile
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
    fits = ELO * _bootstrap(_Choices.of(lineups, places, len(names)), block_of, prior, rng, repeats)
    strengths, advantages = fits[:, : len(names)], fits[:, len(names) : len(names) + lineups.shape[1]]
    zero = strengths[:, [names.index(anchor)]] if anchor in names else strengths.mean(axis=1, keepdims=True)
    # Two parameters are no news: strengths and advantages are known up to a constant each.
    reach = expanded_quantile(int(block_of.max()) + 1, fits.shape[1] - 2, confidence)
    games = np.bincount(lineups.ravel()).tolist()
    rated = [_interval(column, reach, n) for column, n in zip((strengths - zero).T, games)]
    rows = (Rating(name, x.value, x.low, x.high, x.n, s) for name, x, s in zip(names, rated, _scores(lineups, places)))
    return Ratings(
        rows=tuple(sorted(rows, key=lambda row: -row.rating)),
        seats=tuple(_interval(column, reach, len(lineups)) for column in _over_others(advantages).T),
        anchor=anchor if anchor in names else "",
        note=_note(names, lineups),
    )


def _bootstrap(choices: _Choices, block_of: NDArray, prior: float, rng: np.random.Generator, repeats: int) -> Array:
    """Parameters [1 + repeats, parameters]: the estimate first, then those of blocks and prior weighed at random."""
    halves = np.full((2, choices.options.shape[2]), prior / 2)
    best = choices.fit(np.ones(len(block_of)), halves, np.zeros(halves.shape[1]))
    weights = rng.exponential(size=(repeats, block_of.max() + 1))
    return np.array([best, *(choices.fit(weight[block_of], rng.gamma(halves), best) for weight in weights)])


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


# ------------------------------------------------------------------------------------------------ the model


@dataclass(frozen=True)
class _Choices:
    """All choices made in all matches, and the menus they were made from. An option is what it adds up from the
    parameters: the mean of its agents' strengths and of its seats' advantages, and ln τ_k for a tie."""

    options: Array  # [menus, options, parameters]
    missing: NDArray[np.bool_]  # [menus, options]: padding
    taken: NDArray[np.intp]  # [choices]: menu · options + option
    match: NDArray[np.intp]  # [choices]: the match in which the choice was made

    @classmethod
    def of(cls, lineups: NDArray[np.intp], places: NDArray[np.intp], agents: int) -> _Choices:
        seats = lineups.shape[1]
        stages = [(match, *stage) for match, row in enumerate(places.tolist()) for stage in _stages(row)]
        ties = sorted({len(taken) for _, taken, _ in stages} - {1})
        subsets = {rest: _subsets(rest, ties, seats) for rest in {rest for _, _, rest in stages}}
        # A menu is who is left, and in which seats.
        keys = [(rest, tuple(lineups[match, list(rest)].tolist())) for match, _, rest in stages]
        menus = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        width = max(map(len, subsets.values()))
        options = np.zeros((len(menus), width, agents + seats + len(ties)))
        for (rest, who), number in menus.items():
            _describe(options[number], subsets[rest], dict(zip(rest, who)), agents, agents + seats, ties)
        taken = [menus[key] * width + subsets[key[0]].index(choice) for key, (_, choice, _) in zip(keys, stages)]
        missing = np.arange(width) >= np.array([[len(subsets[rest])] for rest, _ in menus])
        return cls(options, missing, np.array(taken), np.array([match for match, _, _ in stages]))

    def fit(self, weights: Array, halves: Array, start: Array) -> Array:
        """The most likely parameters for matches of these weights and a prior of `halves` [won, lost]: Newton's method
        with short steps. The problem is concave: there is one summit."""
        taken = np.bincount(self.taken, weights[self.match], minlength=self.missing.size).astype(float)
        taken = taken.reshape(self.missing.shape)
        here = start
        height, slope, bend = self._climb(here, taken, halves)
        for _ in range(200):
            step = np.linalg.solve(bend, slope)
            step *= min(1.0, 2.0 / max(np.abs(step).max(), 1e-12))
            while (there := self._climb(here + step, taken, halves))[0] < height - 1e-9 * abs(height):
                step = step / 2
            here, (height, slope, bend) = here + step, there
            if np.abs(step).max() < 1e-5:
                break
        return here

    def _climb(self, parameters: Array, taken: Array, halves: Array) -> tuple[float, Array, Array]:
        """The log-posterior, its gradient, and its second derivative with the sign turned."""
        flat = self.options.reshape(-1, len(parameters))
        gain = (flat @ parameters).reshape(taken.shape)
        gain -= np.where(self.missing, -np.inf, gain).max(axis=1, keepdims=True)
        chance = np.where(self.missing, 0.0, np.exp(gain))
        total = chance.sum(axis=1, keepdims=True)
        chance /= total
        made = taken.sum(axis=1, keepdims=True)
        mean = np.einsum("mo,mop->mp", chance, self.options)
        height = (taken * (gain - np.log(total))).sum()
        slope = (taken - made * chance).ravel() @ flat
        bend = (flat.T * (made * chance).ravel()) @ flat - (mean.T * made[:, 0]) @ mean
        won, lost = halves
        ahead = 0.5 + 0.5 * np.tanh(parameters / 2)
        height -= won @ np.logaddexp(0, -parameters) + lost @ np.logaddexp(0, parameters)
        slope += won * (1 - ahead) - lost * ahead
        # The last term moves no summit; it lets Newton's step exist where a small prior leaves a direction flat.
        return float(height), slope, bend + np.diag((won + lost) * ahead * (1 - ahead) + 1e-7)


def _stages(places: Sequence[int]) -> Iterator[tuple[Seats, Seats]]:
    """From the top: the seats placed next, and those they were chosen from."""
    rest = tuple(range(len(places)))
    for place in range(max(max(places), 1)):
        taken = tuple(seat for seat in rest if places[seat] == place)
        yield taken, rest
        rest = tuple(seat for seat in rest if seat not in taken)


def _subsets(rest: Seats, ties: Sequence[int], seats: int) -> list[Seats]:
    """Who may be placed next; all the rest at once only as a draw of everybody."""
    sizes = [1, *(size for size in ties if size < len(rest) or size == seats)]
    return [subset for size in sizes for subset in combinations(rest, size)]


def _describe(
    menu: Array, subsets: list[Seats], who: dict[int, int], first_seat: int, first_tie: int, ties: list[int]
) -> None:
    """Fill in the parameters that each option adds up from."""
    for option, subset in zip(menu, subsets):
        for seat in subset:
            option[who[seat]] += 1 / len(subset)
            option[first_seat + seat] += 1 / len(subset)
        if len(subset) > 1:
            option[first_tie + ties.index(len(subset))] = 1.0


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
