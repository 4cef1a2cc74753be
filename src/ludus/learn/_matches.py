"""Matches to learn from, whole and in compiled code: somebody who learns in one seat or in all, rivals elsewhere.

A method binds `learner_choice` and `rival_choice`; those that compare candidates also bind `merit`, which says how well
a seat did. All candidates play the same matches: the same deals, and rivals with the same random streams. So they
differ by what they do and hardly by luck.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ludus.compile import template
from ludus.rules import MAX_PLIES, SEATS, hide, returns, step, to_act
from ludus.workers import Workers

EVERYBODY = -1
"""In the place of a seat: all seats learn."""
CHUNK_SECONDS = 0.25
"""Compiled code hears of no Ctrl-C before it returns; so it is called for about as long as this."""

# ------------------------------------------------------------------------------------------------ one match


def learner_choice(view, player, rng, mind) -> Any:
    """In a template: what the learner does in a view; -1 if it cannot choose. `mind` is whatever it needs."""


def rival_choice(view, player, rng) -> Any:
    """In a template: what a rival does."""


@template
def play_out(state, words, learner, views, mind):
    """Play a match to its end, in place; false if the learner could not choose. `views` has room for one view."""
    actions = np.empty(SEATS, np.int32)
    mask, plies = to_act(state), 0
    while mask != 0 and plies < MAX_PLIES:
        for player in range(SEATS):
            actions[player] = -1
            if mask >> player & 1 == 0:
                continue
            rng = words[1 + player : 2 + player]
            views[0] = state
            hide(views[0], player)
            if learner != player and learner != EVERYBODY:
                actions[player] = rival_choice(views[0], player, rng)
                continue
            actions[player] = learner_choice(views[0], player, rng, mind)
            if actions[player] < 0:
                return False
        step(state, actions, words[:1])
        mask = to_act(state)
        plies += 1
    return True


@template
def share_of(state, player, payoffs):
    """The player's part of the point in a match that is over: 1 for a win, 1/k for one of k equal best, else 0."""
    returns(state, payoffs)
    equals = 0
    for rival in range(state.players):
        if payoffs[rival] > payoffs[player]:
            return 0.0
        equals += payoffs[rival] == payoffs[player]
    return 1.0 / equals


# ------------------------------------------------------------------------------------------------ candidates


def merit(state, seat, payoffs, out) -> Any:
    """In a template: write two numbers about how well a seat did in a match that is over."""


class Matches(NamedTuple):
    """What every candidate plays: starts, random words, and the seat of the candidate; one row a match."""

    starts: np.ndarray
    words: np.ndarray
    seats: np.ndarray


@template
def play_candidates(first, last, matches, states, mind, merits):
    """Of all playings, numbered candidate by candidate, those from `first` to before `last`.

    `states` has room for a match and a view; `merits` gets one row a playing.
    """
    row = np.empty(matches.words.shape[1], np.uint64)
    payoffs = np.empty(SEATS)
    for k in range(first, last):
        candidate, m = k // matches.starts.shape[0], k % matches.starts.shape[0]
        states[0] = matches.starts[m]
        row[:] = matches.words[m]
        play_out(states[0], row, matches.seats[m], states[1:2], (candidate, mind))
        merit(states[0], matches.seats[m], payoffs, merits[k - first])


def judge(
    kernel: Callable, candidates: int, matches: Matches, room: Callable[[], tuple], workers: Workers
) -> np.ndarray:
    """The merits of every candidate (row) in every match (column); `kernel` is a bound `play_candidates`, and `room`
    gives a worker states and a mind of its own."""
    total = candidates * len(matches.starts)
    merits = np.zeros((total, 2))
    kernel(0, 0, matches, *room(), merits)  # compiles here, where Ctrl-C is heard

    def play(first: int, last: int) -> tuple[int, np.ndarray]:
        own = np.zeros((last - first, 2))
        kernel(first, last, matches, *room(), own)
        return first, own

    for first, own in in_pieces(play, total, workers):
        merits[first : first + len(own)] = own
    return merits.reshape(candidates, len(matches.starts), 2)


# ------------------------------------------------------------------------------------------------ pieces of work


class Pace:
    """How much to do in one piece, by how long the last one took."""

    def __init__(self, most: int = 1 << 62) -> None:
        self.size, self.most = 1, most

    def note(self, done: int, seconds: float) -> None:
        self.size = max(1, min(4 * done, self.most, int(done * CHUNK_SECONDS / max(seconds, 1e-6))))


def pieces(total: int, pace: Pace) -> Iterator[tuple[int, int]]:
    first = 0
    while first < total:
        last = min(total, first + pace.size)
        yield first, last
        first = last


def in_pieces(play: Callable[[int, int], Any], total: int, workers: Workers) -> Iterator[Any]:
    """What `play` makes of the pieces of 0 … total, in any order, on all workers."""
    pace = Pace()

    def timed(piece: tuple[int, int]) -> tuple[Any, int, float]:
        started = time.perf_counter()
        return play(*piece), piece[1] - piece[0], time.perf_counter() - started

    for result, done, seconds in workers.stream(timed, pieces(total, pace)):
        pace.note(done, seconds)
        yield result


def one_by_one(total: int, most: int = 1 << 62) -> Iterator[slice]:
    """The pieces of 0 … total in order, for work that builds on itself, none larger than `most`."""
    pace = Pace(most)
    for first, last in pieces(total, pace):
        started = time.perf_counter()
        yield slice(first, last)
        pace.note(last - first, time.perf_counter() - started)
