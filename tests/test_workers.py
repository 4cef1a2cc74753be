"""Workers: every item once, drawn when it is wanted, failures passed on, and nobody waits for the abandoned."""

from __future__ import annotations

import pickle
from threading import Event

import pytest

from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.catalogue import load
from ludus.errors import UnknownName
from ludus.workers import Threads, workers


@pytest.mark.parametrize("count", [1, 3])
def test_every_item_once(count):
    assert sorted(Threads(count).stream(lambda n: n * n, range(50))) == [n * n for n in range(50)]


def test_an_item_is_drawn_only_when_a_worker_is_free_for_it():
    drawn = []
    stream = Threads(2).stream(lambda n: n, (drawn.append(n) or n for n in range(100)))
    next(stream)
    assert len(drawn) <= 3
    stream.close()


def test_a_failure_is_raised_where_the_results_are_awaited():
    with pytest.raises(ZeroDivisionError):
        list(Threads(2).stream(lambda n: 1 // n, [3, 2, 1, 0]))


def test_closing_does_not_wait_for_what_is_still_at_work():
    """Else this would never end."""
    never = Event()
    stream = Threads(2).stream(lambda n: never.wait() if n else n, [0, 1])
    assert next(stream) == 0
    stream.close()
    never.set()


def test_a_place_that_is_none_is_named():
    assert workers(count=2).count == 2
    with pytest.raises(UnknownName, match="place to work"):
        workers("moon")


def test_an_arena_travels_as_its_settings():
    arena = Arena(load("tic_tac_toe"), ["random", "greedy"], seed=3)
    other = pickle.loads(pickle.dumps(arena))
    seatings = rotations([0, 1], 7)
    assert list(other.play(seatings)) == list(arena.play(seatings))
