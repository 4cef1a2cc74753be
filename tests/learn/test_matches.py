"""Pieces of work: all of it, once, and none so long that Ctrl-C would wait."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ludus.learn import _matches
from ludus.learn._matches import CHUNK_SECONDS, Pace, in_pieces, one_by_one, pieces
from ludus.workers import Threads


def test_pieces_cover_everything_once():
    done = sorted(in_pieces(lambda first, last: (first, last), 1000, Threads(3)))
    assert done[0][0] == 0
    assert done[-1][1] == 1000
    assert all(one[1] == two[0] for one, two in pairwise(done))
    assert [part for piece in one_by_one(100) for part in range(100)[piece]] == list(range(100))


def test_a_piece_is_as_long_as_the_last_one_allows():
    pace = Pace()
    pace.note(1, 1e-9)
    assert pace.size == 4  # it grows step by step: the first match of all may be a short one
    pace.note(400, 2 * CHUNK_SECONDS)
    assert pace.size == 200
    pace.note(1, 60.0)
    assert pace.size == 1
    assert list(pieces(3, pace)) == [(0, 1), (1, 2), (2, 3)]


def test_slow_work_is_cut_small(monkeypatch):
    """A clock on which every match takes a tenth of a second."""
    now = [0.0]
    monkeypatch.setattr(_matches.time, "perf_counter", lambda: now[0])
    lengths = []
    for piece in one_by_one(40):
        lengths.append(piece.stop - piece.start)
        now[0] += 0.1 * lengths[-1]
    assert max(lengths) * 0.1 <= CHUNK_SECONDS + 0.1 + 1e-9
    assert sum(lengths) == 40


def test_an_interrupt_abandons_the_rest():
    played = []

    def play(first: int, last: int) -> None:
        played.append(first)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(in_pieces(play, 10**9, Threads(1)))
    assert len(played) == 1
