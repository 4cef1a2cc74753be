"""Boards, dice and decks, in plain Python: the rules are the same functions, compiled."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ludus import parts
from ludus.rng import stream


def plain(name):
    function = getattr(parts, name)
    return getattr(function, "py_func", function)


def test_lines_and_groups_follow_what_lies_on_a_board():
    near = parts.squares(3, 4).neighbours
    board = np.array([1, 1, 1, 0, 2, 1, 2, 2, 1, 2, 2, 2])
    east, south_west = 4, 5
    assert plain("line")(board, near, 0, east) == 3
    assert plain("line")(board, near, 2, south_west) == 3
    assert plain("line")(board, near, 11, east) == 1
    out = np.empty(12, np.int32)
    assert sorted(out[: plain("group")(board, near, 6, out)]) == [4, 6, 7, 9, 10, 11]
    assert plain("group")(np.zeros(19), parts.hexagons(3).neighbours, 7, np.empty(19, np.int32)) == 19


def test_a_guess_completes_a_deck_and_keeps_what_is_seen():
    rng, worlds = stream(1), Counter()
    for _ in range(300):
        deck = np.array([0, 2, 0, 5, 0], np.int32)
        plain("guess_deck")(deck, rng)
        assert (deck[1], deck[3], sorted(deck)) == (2, 5, [1, 2, 3, 4, 5])
        worlds[tuple(deck)] += 1
    assert len(worlds) == 6
    deck = np.zeros(6, np.int32)
    plain("fill_deck")(deck, rng)
    assert sorted(deck) == [1, 2, 3, 4, 5, 6]
    assert {plain("die")(rng, 6) for _ in range(200)} == {1, 2, 3, 4, 5, 6}
    plain("swap")(deck, 0, 5)
    assert sorted(deck) == [1, 2, 3, 4, 5, 6]
