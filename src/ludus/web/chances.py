"""Who will probably win: a quick estimate for the chart beside a board.

With two players and open cards a short tree search values the position for whoever is to act. Elsewhere the position
is played on at random many times, from the truth.
"""

from __future__ import annotations

import time

import numpy as np

from ludus import kernels
from ludus.catalogue import agent
from ludus.game import Game, View
from ludus.rng import match_words, stream

SEARCH = "mcts:ms=10"
SECONDS = 0.02
BATCH = 16
LONGEST = 4000
"""Steps of a random continuation; one that is not over by then counts as a draw."""


def expected_shares(game: Game, states: np.ndarray) -> list[float]:
    """Each seat's expected share of the point, in a single state."""
    players = int(states[0].players)
    mask = int(game.waiting(states)[0])
    if mask == 0:
        return _shares(game.payoffs(states)[:, :players])
    acting = [player for player in range(players) if mask >> player & 1]
    if players == 2 and len(acting) == 1 and not game.facts.hidden:
        return _by_search(game, states, acting[0])
    return _by_continuations(game, states, players)


def _by_search(game: Game, states: np.ndarray, player: int) -> list[float]:
    adviser = agent(SEARCH, game)
    adviser.act(View(game, states, player), stream(1))
    assert adviser.thoughts is not None
    if adviser.thoughts.note == "forced":  # nothing was searched
        return _by_continuations(game, states, 2)
    own = (1 + adviser.thoughts.value) / 2
    return [own, 1 - own] if player == 0 else [1 - own, own]


def _by_continuations(game: Game, states: np.ndarray, players: int) -> list[float]:
    deadline = time.perf_counter() + SECONDS
    payoffs: list[np.ndarray] = []
    while not payoffs or time.perf_counter() < deadline:
        ends = np.repeat(states, BATCH)
        words = match_words(1, np.arange(BATCH) + BATCH * len(payoffs), 0, players)
        game.kernel(kernels.rollouts)(ends, words, np.zeros(BATCH, np.int64), LONGEST)
        over = game.waiting(ends) == 0
        payoffs.append(np.where(over[:, None], game.payoffs(ends)[:, :players], 0.0))
    return _shares(np.concatenate(payoffs))


def _shares(payoffs: np.ndarray) -> list[float]:
    players = payoffs.shape[1]
    return [round(float(share), 4) for share in ((players - 1) * payoffs.mean(axis=0) + 1) / players]
