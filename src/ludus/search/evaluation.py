"""What a position that is not over is worth to a player: by weights that were learnt, else by the game's heuristic.

Learnt is a weighted sum of the game's terms; and, where single terms say little, of a few units, each of which is a
weighted sum of its own where that is above 0. On a board, what is on neighbouring cells counts beside: see `patterns`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.rules import HAS_HEURISTIC, TERMS, heuristic, terms, to_act
from ludus.search.patterns import Patterns, no_patterns, weigh_patterns

OWN_TERMS = 2
"""Weights behind those of the game's terms: of being on move, and of nothing at all."""


SURE = 0.999
"""The most that is ever hoped for by what was learnt: less than a win, and no two hopes become the same by it."""


class Evaluation(NamedTuple):
    """Weights, and room for what they weigh."""

    weights: np.ndarray  # float64[TERMS + OWN_TERMS]; empty: the game's heuristic counts
    terms: np.ndarray  # float32[TERMS + OWN_TERMS]
    layer: np.ndarray  # float32[TERMS + OWN_TERMS, units]
    outward: np.ndarray  # float32[units]: the weight of each unit
    units: np.ndarray  # float32[units]: room
    patterns: Patterns


def evaluation(game: Game, numbers: np.ndarray | None = None) -> Evaluation:
    """`numbers` are the weights of the terms, then, unit by unit, the weights of its terms and its own."""
    return evaluation_of(game.names["TERMS"] + OWN_TERMS, numbers)


def evaluation_of(count: int, numbers: np.ndarray | None = None) -> Evaluation:
    """… of so many terms, those of its own among them."""
    given = np.zeros(count) if numbers is None else numbers
    rows = given[count:].reshape(-1, count + 1)
    return Evaluation(
        np.empty(0) if numbers is None else given[:count].copy(), np.zeros(count, np.float32),
        np.ascontiguousarray(rows[:, :count].T, np.float32), rows[:, count].astype(np.float32),
        np.zeros(len(rows), np.float32), no_patterns(),
    )  # fmt: skip


def numbers_of(evaluation: Evaluation) -> np.ndarray:
    """All that was learnt, as `evaluation` takes it."""
    rows = np.concatenate([evaluation.layer, evaluation.outward[None, :]]).T
    return np.concatenate([evaluation.weights, rows.ravel().astype(np.float64)])


def own_room(evaluation: Evaluation) -> Evaluation:
    """The same weights with room of its own: threads that share an agent must not share that."""
    patterns = evaluation.patterns
    seen, symbols, entries = patterns.seen.copy(), patterns.symbols.copy(), patterns.entries.copy()
    return evaluation._replace(
        terms=evaluation.terms.copy(), units=evaluation.units.copy(),
        patterns=patterns._replace(seen=seen, symbols=symbols, entries=entries),
    )  # fmt: skip


def fits(game: Game, count: int) -> bool:
    """Whether so many numbers can be an evaluation of this game."""
    own = game.names["TERMS"] + OWN_TERMS
    return count >= own and (count - own) % (own + 1) == 0


@template
def weigh(state, player, evaluation):
    """The sum of the weighted terms and units and of all patterns; they are left in the evaluation's room."""
    weights, room, layer, outward, units, patterns = evaluation
    terms(state, player, room)
    room[TERMS] = 1.0 if to_act(state) >> player & 1 else -1.0
    room[TERMS + 1] = 1.0
    units[:] = 0.0
    total = 0.0
    for k in range(TERMS + OWN_TERMS):
        if room[k] != 0.0:
            total += weights[k] * room[k]
            for unit in range(units.shape[0]):
                units[unit] += layer[k, unit] * room[k]
    for unit in range(units.shape[0]):
        units[unit] = max(units[unit], np.float32(0.0))
        total += outward[unit] * units[unit]
    return total + weigh_patterns(state, player, patterns)


@template
def prospect(total, players):
    """A sum as a return: 0 is an equal share of the win, and nothing is worse than a loss, which costs the less the
    more players there are. For two it is the hyperbolic tangent."""
    part = 1.0 / (1.0 + (players - 1.0) * np.exp(-2.0 * total))
    return (players * part - 1.0) / (players - 1.0)


@template
def is_judged(evaluation):
    """Whether positions can be judged at all."""
    return HAS_HEURISTIC or evaluation.weights.shape[0] > 0


@template
def estimate(state, player, evaluation):
    """The return that the player may hope for, in [-1, 1]."""
    if evaluation.weights.shape[0] > 0:
        return SURE * prospect(weigh(state, player, evaluation), state.players)
    return heuristic(state, player)
