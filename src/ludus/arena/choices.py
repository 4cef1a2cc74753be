"""The model behind ratings: matches read as rows of choices, and the parameters that make them most likely.

A *unit* is what stands and falls together when matches are drawn anew: the matches of one block. Blocks with the same
results are one unit with a count, so the work does not grow with the number of matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ludus.compile import bind, template

Array = NDArray[np.float64]
Seats = tuple[int, ...]
Placed = tuple[Seats, Seats]
"""A match: the agent in each seat, and the place of each seat, 0 for the best and equal for the tied."""
Units = dict[tuple[Placed, ...], int]
"""How often blocks with these matches were played."""


@dataclass(frozen=True)
class Choices:
    """All choices made in all matches, and the menus they were made from. An option is what it adds up from the
    parameters: the mean of its agents' strengths and of its seats' advantages, and ln τ_k for a tie."""

    parameters: int
    menus: NDArray[np.int64]  # [menus + 1]: where each menu's options begin
    options: NDArray[np.int64]  # [options + 1]: where each option's terms begin
    terms: NDArray[np.int64]  # the parameter of each term
    weights: Array  # its weight
    taken: NDArray[np.int64]  # [choices]: the option
    unit: NDArray[np.int64]  # [choices]: the unit to which the choice belongs

    @classmethod
    def of(cls, units: Units, agents: int, seats: int) -> Choices:
        ties = sorted({len(taken) for unit in units for _, places in unit for taken, _ in stages(places)} - {1})
        book = _Menus(agents, seats, ties)
        made = [
            (option, number) for number, unit in enumerate(units) for match in unit for option in book.options_of(match)
        ]
        taken, unit = np.array(made, np.int64).reshape(-1, 2).T.copy()
        return cls(agents + seats + len(ties), *book.arrays(), taken, unit)

    def fit(self, counts: Array, halves: Array, start: Array, tolerance: float = 1e-5) -> Array:
        """The most likely parameters for units of these counts and a prior of `halves` [won, lost]: Newton's method
        with short steps. The problem is concave: there is one summit."""
        taken = self._taken(counts)
        here = start
        height, slope, bend = self._climb(here, taken, halves)
        for _ in range(200):
            step = np.linalg.solve(bend, slope)
            step *= min(1.0, 2.0 / max(np.abs(step).max(), 1e-12))
            while (there := self._climb(here + step, taken, halves))[0] < height - 1e-9 * abs(height):
                step = step / 2
            here, (height, slope, bend) = here + step, there
            if np.abs(step).max() < tolerance:
                break
        return here

    def refit(self, counts: Array, halves: Array, start: Array, bend: Array, tolerance: float) -> Array:
        """`fit` for counts that differ little from those at `start`: the matches' second derivative there serves for
        all steps, as long as each is at most half of the last."""
        taken = self._taken(counts)
        here, size = start, np.inf
        while size >= tolerance:
            slope = self._matches(here, taken, curved=False)[1] + _prior(here, halves)[1]
            step = np.linalg.solve(bend + np.diag(_prior(here, halves)[2]), slope)
            if np.abs(step).max() > size / 2:
                return self.fit(counts, halves, start, tolerance)
            here, size = here + step, float(np.abs(step).max())
        return here

    def bend(self, counts: Array, here: Array) -> Array:
        """The second derivative of the matches' part, with the sign turned."""
        return self._matches(here, self._taken(counts))[2]

    def _taken(self, counts: Array) -> Array:
        """How often each option was taken."""
        return np.bincount(self.taken, counts[self.unit], minlength=len(self.options) - 1).astype(float)

    def _climb(self, parameters: Array, taken: Array, halves: Array) -> tuple[float, Array, Array]:
        """The log-posterior, its gradient, and its second derivative with the sign turned."""
        height, slope, bend = self._matches(parameters, taken)
        more, steeper, rounder = _prior(parameters, halves)
        return height + more, slope + steeper, bend + np.diag(rounder)

    def _matches(self, parameters: Array, taken: Array, curved: bool = True) -> tuple[float, Array, Array]:
        slope, bend = np.zeros(self.parameters), np.zeros((self.parameters, self.parameters))
        height = _compiled_climb()(
            self.menus, self.options, self.terms, self.weights, taken, parameters, slope, bend, curved
        )
        return float(height), slope, bend


def _prior(parameters: Array, halves: Array) -> tuple[float, Array, Array]:
    """The same of the virtual matches, the second derivative as its diagonal."""
    won, lost = halves
    ahead = 0.5 + 0.5 * np.tanh(parameters / 2)
    height = -float(won @ np.logaddexp(0, -parameters) + lost @ np.logaddexp(0, parameters))
    # The last term moves no summit; it lets Newton's step exist where a small prior leaves a direction flat.
    return height, won * (1 - ahead) - lost * ahead, (won + lost) * ahead * (1 - ahead) + 1e-7


@template
def climb(menus, options, terms, weights, taken, parameters, slope, bend, curved):
    """Adds the matches' part of gradient and second derivative, and gives back the log-likelihood. Options have few
    terms, so all sums run over these alone."""
    mean, names, values = np.zeros(len(slope)), np.empty(len(slope), np.int64), np.empty(len(slope))
    chances = np.empty(np.diff(menus).max())
    height = 0.0
    for menu in range(len(menus) - 1):
        first, last = menus[menu], menus[menu + 1]
        made = taken[first:last].sum()
        if made == 0.0:
            continue
        height += choose(first, last, options, terms, weights, taken, parameters, chances)
        for option in range(first, last):
            chance = chances[option - first]
            for i in range(options[option], options[option + 1]):
                slope[terms[i]] += (taken[option] - made * chance) * weights[i]
                if curved:
                    mean[terms[i]] += chance * weights[i]
                    for j in range(options[option], options[option + 1]):
                        bend[terms[i], terms[j]] += made * chance * weights[i] * weights[j]
        if curved:
            take_off_mean(options[first], options[last], terms, made, mean, bend, names, values)
    return height


@template
def choose(first, last, options, terms, weights, taken, parameters, chances):
    """Fills in the chance of each option of a menu; gives back the log-likelihood of those that were taken."""
    best = -np.inf
    for option in range(first, last):
        gain = 0.0
        for i in range(options[option], options[option + 1]):
            gain += weights[i] * parameters[terms[i]]
        chances[option - first] = gain
        best = max(best, gain)
    total = height = made = 0.0
    for option in range(first, last):
        ahead = chances[option - first] - best
        chances[option - first] = np.exp(ahead)
        total += chances[option - first]
        height += taken[option] * ahead
        made += taken[option]
    for option in range(first, last):
        chances[option - first] /= total
    return height - made * np.log(total)


@template
def take_off_mean(first, last, terms, made, mean, bend, names, values):
    """Takes the product of a menu's mean with itself off the second derivative, and clears the mean."""
    n = 0
    for i in range(first, last):
        if mean[terms[i]] != 0.0:
            names[n], values[n] = terms[i], mean[terms[i]]
            mean[terms[i]] = 0.0
            n += 1
    for a in range(n):
        for b in range(n):
            bend[names[a], names[b]] -= made * values[a] * values[b]


@cache
def _compiled_climb() -> Callable:
    return bind(climb, {}, "ratings")


# ------------------------------------------------------------------------------------------------ menus


class _Menus:
    """Every menu that occurs, once: who is left to be placed, and in which seats."""

    def __init__(self, agents: int, seats: int, ties: Sequence[int]):
        self.agents, self.seats, self.ties = agents, seats, list(ties)
        self._first: dict[tuple[Seats, Seats], int] = {}
        self._subsets: dict[Seats, list[Seats]] = {}
        self._sizes: list[int] = []
        self._options: list[dict[int, float]] = []
        self.options_of = cache(self._options_of)

    def _options_of(self, match: Placed) -> list[int]:
        """The option that was taken at each stage of a match."""
        lineup, places = match
        return [self._option(taken, rest, lineup) for taken, rest in stages(places)]

    def _option(self, taken: Seats, rest: Seats, lineup: Seats) -> int:
        if rest not in self._subsets:
            self._subsets[rest] = _subsets(rest, self.ties, self.seats)
        key = rest, tuple(lineup[seat] for seat in rest)
        if key not in self._first:
            self._first[key] = len(self._options)
            self._sizes.append(len(self._subsets[rest]))
            self._options += [self._terms(subset, lineup) for subset in self._subsets[rest]]
        return self._first[key] + self._subsets[rest].index(taken)

    def _terms(self, subset: Seats, lineup: Seats) -> dict[int, float]:
        """The parameters that an option adds up from."""
        terms: dict[int, float] = {}
        for seat in subset:
            for parameter in (lineup[seat], self.agents + seat):
                terms[parameter] = terms.get(parameter, 0.0) + 1 / len(subset)
        if len(subset) > 1:
            terms[self.agents + self.seats + self.ties.index(len(subset))] = 1.0
        return terms

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Array]:
        menus = np.cumsum([0, *self._sizes])
        options = np.cumsum([0, *map(len, self._options)])
        terms = np.array([parameter for option in self._options for parameter in option], np.int64)
        return menus, options, terms, np.array([weight for option in self._options for weight in option.values()])


def stages(places: Sequence[int]) -> Iterator[tuple[Seats, Seats]]:
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
