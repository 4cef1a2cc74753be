"""Who will probably win: an estimate for the curve beside a board.

The position is played on many times, from the truth, by the same quick agent in all seats, and the results are counted.
Nobody's view counts more than another's, so the curve does not jump with whoever is to move; and because the agent
takes what it can get, a position is valued at rest: what hangs in the air is settled first. Counts give an interval.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from ludus.agent import Agent
from ludus.arena.lockstep import play_to_the_end
from ludus.catalogue import agent
from ludus.game import Game
from ludus.rng import match_words
from ludus.rules import share

BATCH = 32
MOST = 256
"""Continuations of a position."""
SECONDS = 0.25
"""No further batch is begun after this."""


@dataclass(frozen=True)
class Chances:
    """Each seat's expected share of the point, with the bounds between 95 % of which the truth should lie."""

    shares: list[float]
    low: list[float]
    high: list[float]

    @classmethod
    def certain(cls, shares: list[float]) -> Chances:
        """Of a match that is over."""
        return cls(shares, shares, shares)


def expected(game: Game, states: np.ndarray) -> Chances:
    """The chances in a single position."""
    players = int(states[0].players)
    if int(game.waiting(states)[0]) == 0:
        return Chances.certain(_shares(game, states, players)[0].tolist())
    player, deadline = agent(quick_agent(game), game), time.perf_counter() + SECONDS
    found: list[np.ndarray] = []
    while len(found) * BATCH < MOST and (not found or time.perf_counter() < deadline):
        found.append(_continued(game, player, states, players, BATCH * len(found)))
    return _interval(np.concatenate(found))


def quick_agent(game: Game) -> str:
    """Who plays on: one step of thought half of the time, else anything. Strict one-step play turns on a tempo, and
    random play sees no threat: between them the curve jumps least, and foretells results as well as either."""
    return "greedy:slip=0.5" if game.writes("heuristic") else "greedy:slip=0.5,samples=2"


def _continued(game: Game, player: Agent, states: np.ndarray, players: int, number: int) -> np.ndarray:
    ends, plies = np.repeat(states, BATCH), np.zeros(BATCH, np.int64)
    words = match_words(1, number + np.arange(BATCH), 0, players)
    play_to_the_end(game, [player], ends, np.zeros((BATCH, players), np.int64), words, plies)
    return _shares(game, ends, players)


def _shares(game: Game, ends: np.ndarray, players: int) -> np.ndarray:
    """What is not over counts as a draw."""
    over = game.waiting(ends) == 0
    payoffs = np.where(over[:, None], game.payoffs(ends)[:, :players], 0.0)
    return share(payoffs, players)


def _interval(shares: np.ndarray) -> Chances:
    """Wilson's interval with the spread that was seen; where all ended alike it is not empty: one more might not."""
    n, mean = len(shares), shares.mean(axis=0)
    spread = shares.var(axis=0) / np.maximum(mean * (1 - mean), 1e-9)  # 1 where every match has one winner
    z2 = 1.96**2 * np.where((mean > 0) & (mean < 1), np.clip(spread, 0.05, 1), 1)
    middle = (mean + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * mean * (1 - mean) / n + (z2 / (2 * n)) ** 2) / (1 + z2 / n)
    rounded = (np.round(values, 4).tolist() for values in (mean, middle - half, middle + half))
    return Chances(*rounded)
