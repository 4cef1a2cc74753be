"""What a position that is not over is worth to a player: by weights that were learnt, else by the game's heuristic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.rules import HAS_HEURISTIC, TERMS, heuristic, terms, to_act

OWN_TERMS = 2
"""Weights behind those of the game's terms: of being on move, and of nothing at all."""


class Evaluation(NamedTuple):
    """Weights, and room for what they weigh."""

    weights: np.ndarray  # float64[TERMS + OWN_TERMS]; empty: the game's heuristic counts
    terms: np.ndarray  # float32[TERMS]


def evaluation(game: Game, weights: np.ndarray | None = None) -> Evaluation:
    return Evaluation(np.empty(0) if weights is None else weights, np.zeros(game.names["TERMS"], np.float32))


@template
def weigh(state, player, evaluation):
    """The sum of the weighted terms; the terms are left in the evaluation's room."""
    weights, room = evaluation
    terms(state, player, room)
    total = weights[TERMS + 1] + (weights[TERMS] if to_act(state) >> player & 1 else -weights[TERMS])
    for k in range(TERMS):
        total += weights[k] * room[k]
    return total


@template
def is_judged(evaluation):
    """Whether positions can be judged at all."""
    return HAS_HEURISTIC or evaluation.weights.shape[0] > 0


@template
def estimate(state, player, evaluation):
    """The return that the player may hope for, in [-1, 1]."""
    if evaluation.weights.shape[0] > 0:
        return np.tanh(weigh(state, player, evaluation))
    return heuristic(state, player)
