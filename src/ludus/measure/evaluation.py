"""What each seat could expect at every moment of a match.

The evaluator plays on: from a position an agent continues the match against itself many times, and the mean of the
results is what each seat could expect there. For matches between such agents this is calibrated by its meaning: of all
positions valued 70 %, seven in ten are won. It knows the whole state, cards on both sides, as a spectator with a camera
behind every player does; the agents that play on still see only their own views.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ludus.agent import Agent
from ludus.arena.lockstep import play_to_the_end
from ludus.catalogue import agent
from ludus.errors import BadInput
from ludus.game import Game
from ludus.measure.replays import Alternatives, Positions, Replay, Trace, positions_of
from ludus.records import MatchRecord
from ludus.rng import match_words, word
from ludus.rules import share

BATCH = 1024
"""Continuations that are played together on one thread."""


@dataclass(frozen=True)
class Evaluator:
    spec: str
    continuations: int = 32
    """From every moment that is looked at."""
    moments: int = 40
    """Of a match at most; of a longer one every second, third … ply is looked at, and holds until the next."""
    decisions: int = 4
    """Of a match that are opened up into all their actions."""
    each: int = 16
    """Continuations after every action of those."""

    def __str__(self) -> str:
        return f"{self.continuations} continuations by {self.spec}"

    def stride(self, plies: int) -> int:
        """Every how many plies to look: an odd number, so that players who alternate are both seen."""
        return -(-max(1, plies) // self.moments) | 1


@dataclass(frozen=True)
class _Job:
    """Positions to play on from, each many times; `forced` as in `play_to_the_end`."""

    states: np.ndarray
    forced: np.ndarray
    times: int


def player_of(evaluator: Evaluator, game: Game) -> Agent:
    """The agent that plays on."""
    player = agent(evaluator.spec, game)
    if not player.compiled:
        raise BadInput(f"{evaluator.spec} cannot be an evaluator: it does not answer in batches")
    return player


def trace(game: Game, player: Agent, evaluator: Evaluator, record: MatchRecord, replay: Replay, seed: int) -> Trace:
    """What each seat could expect in a match; the same seed gives the same trace."""
    own = word(seed, record.block, record.rotation)
    return _trace(game, player, evaluator, positions_of(game, [record]), replay, own)


def _trace(game: Game, player: Agent, evaluator: Evaluator, found: Positions, replay: Replay, seed: int) -> Trace:
    stride = evaluator.stride(replay.plies)
    looked_at = found.states[:-1:stride]
    free = np.full((len(looked_at), game.facts.players[1]), -1, np.int32)
    shares, chosen = _continued(game, player, _Job(looked_at, free, evaluator.continuations), replay.players, seed)
    opened = tuple(
        _alternatives(
            game, player, evaluator, found.states, replay, int(k), chosen[replay.steps[k] // stride], word(seed, k)
        )
        for k in _opened(replay, evaluator.decisions, stride, seed)
    )
    held = np.arange(replay.plies) // stride
    expected, errors = (rows[held] for rows in _mean_and_error(shares))
    words = str(evaluator) + (f", every {stride} plies" if stride > 1 else "")
    return Trace(words, np.vstack([expected, replay.shares]), np.vstack([errors, 0 * replay.shares]), opened, stride)


def _opened(replay: Replay, count: int, stride: int, seed: int) -> list[int]:
    """Which decisions are opened up: some of those that were looked at and left a choice, drawn by lot."""
    open_ones = np.flatnonzero((replay.menus > 1) & (replay.steps % stride == 0))
    drawn = np.random.default_rng(seed).choice(open_ones, min(count, len(open_ones)), replace=False)
    return sorted(int(k) for k in drawn)


def _alternatives(game, player, evaluator, states, replay, decision, chosen, seed) -> Alternatives:
    """Every action of one decision; rivals who choose at the same moment choose freely."""
    ply, mover = int(replay.steps[decision]), int(replay.movers[decision])
    menu = game.menu(states[ply : ply + 1], mover)
    forced = np.full((len(menu), game.facts.players[1]), -1, np.int32)
    forced[:, mover] = menu
    job = _Job(np.repeat(states[ply : ply + 1], len(menu)), forced, evaluator.each)
    shares, _ = _continued(game, player, job, replay.players, seed)
    policy = (chosen[:, mover][:, None] == menu).sum(axis=0)
    return Alternatives(decision, *_mean_and_error(shares), policy)


def _continued(game: Game, player: Agent, job: _Job, players: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares and first actions of every continuation: (positions, times, seats)."""
    states, forced = np.repeat(job.states, job.times), np.repeat(job.forced, job.times, axis=0)
    shares, first = np.empty((len(states), players)), np.empty(forced.shape, np.int32)
    for own in _batches(len(states)):
        shares[own], first[own] = _play_on(game, player, states[own], forced[own], players, seed, own.start)
    shape = (len(job.states), job.times)
    return shares.reshape(*shape, -1), first.reshape(*shape, -1)


def _batches(n: int) -> Iterator[slice]:
    return (slice(k, min(k + BATCH, n)) for k in range(0, n, BATCH))


def _play_on(game, player, states, forced, players, seed, number) -> tuple[np.ndarray, np.ndarray]:
    """Continue a batch to its ends, in place; every continuation has luck of its own."""
    words = match_words(seed, number + np.arange(len(states)), 0, players)
    seats, plies = np.zeros((len(states), players), np.int64), np.zeros(len(states), np.int64)
    first = play_to_the_end(game, [player], states, seats, words, plies, history_steps=1, forced=forced)
    returns = np.where((game.waiting(states) == 0)[:, None], game.payoffs(states)[:, :players], 0.0)
    return share(returns, players), first[0]


def _mean_and_error(shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Over the continuations. Where all ended alike the error is not 0: one more might have ended otherwise."""
    times = shares.shape[1]
    spread = np.maximum(shares.var(axis=1, ddof=1), 1 / (times + 2))
    return shares.mean(axis=1), np.sqrt(spread / times)
