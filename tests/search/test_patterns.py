"""Patterns: walks over neighbours, symbols as the game shows them, numbers for each seat; boards that do not fit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ludus import load
from ludus.agents._evaluation import judging
from ludus.errors import Mismatch
from ludus.learn.td import Coherence, move_entries
from ludus.search.evaluation import evaluation, prospect
from ludus.search.patterns import new_patterns, walks_over, weigh_patterns
from ludus.shapes import hexagons, squares


@pytest.mark.parametrize("board", [squares(3, 3), squares(7, 6), hexagons(3)])
def test_patterns_are_walks_over_neighbours_and_cover_the_board(board):
    found = walks_over(board, 5, 2)
    assert set(found.ravel()) == set(range(board.cells))
    assert len({frozenset(walk) for walk in found.tolist()}) == len(found)
    for walk in found:
        assert len(set(walk)) == 5
        assert all(after in board.neighbours[before] for before, after in pairwise(walk))
    assert (walks_over(board, 5, 2) == found).all()


@pytest.fixture(scope="module")
def of_tic_tac_toe():
    game = load("tic_tac_toe")
    return game, new_patterns(game, 2, game.rule_values(), 2)


def test_symbols_are_what_random_play_puts_on_cells(of_tic_tac_toe):
    _, patterns = of_tic_tac_toe
    assert len(patterns.keys) == 3
    assert patterns.cells.shape[1] == 8  # 3 ** 9 numbers would be too many
    assert patterns.seats == 2


def test_who_sits_where_and_who_is_on_move_have_numbers_of_their_own(of_tic_tac_toe):
    game, patterns = of_tic_tac_toe
    patterns.tables[:] = np.arange(len(patterns.tables))
    states, weigh = game.start(np.zeros((1, 3), np.uint64), 2), game.kernel(weigh_patterns)
    first = weigh(states[0], 0, patterns)
    entries = patterns.entries.copy()
    assert first == entries.sum()
    weigh(states[0], 1, patterns)
    quarter = len(patterns.tables) // 4
    assert (entries // quarter == 1).all()  # first seat, on move
    assert (patterns.entries // quarter == 2).all()  # second seat, not on move
    assert (patterns.entries % quarter == entries % quarter).all()  # an empty board looks alike to both


def test_games_without_a_board_have_none():
    game = load("kuhn_poker")
    assert len(new_patterns(game, 2, game.rule_values(), 2).cells) == 0


def test_steps_shrink_where_corrections_cancel_out():
    tables, coherence = np.zeros(3, np.float32), Coherence(np.zeros(3, np.float32), np.zeros(3, np.float32))
    move = load("tic_tac_toe").kernel(move_entries)
    for step in (1.0, -0.5, 1.0):
        move(tables, coherence, np.array([1, -1], np.int32), step)
    assert tables.tolist() == pytest.approx([0, 1 - 0.5 + 0.5 / 1.5, 0])


def test_a_board_of_another_size_and_other_players_are_refused():
    game = load("connect_four")
    values = game.rule_values("default", {"rows": 4})
    judged = evaluation(game)._replace(patterns=new_patterns(game, 2, values, 1))
    small, whole = game.blank(2, values), game.blank(2, game.rule_values())
    assert judging(game, small, judged).patterns.seen is not judged.patterns.seen
    with pytest.raises(Mismatch, match="on a board of 28 cells, and this one has 42; train one"):
        judging(game, whole, judged)
    small["players"] = 3
    with pytest.raises(Mismatch, match="trained for 2 players, and here are 3"):
        judging(game, small, judged)


def test_a_prospect_is_never_worse_than_a_loss_and_never_flat():
    judge = load("tic_tac_toe").kernel(prospect)
    assert judge(0.7, 2) == pytest.approx(np.tanh(0.7))
    for players in (2, 3, 4):
        assert judge(0.0, players) == pytest.approx(0)
        assert judge(-20.0, players) == pytest.approx(-1 / (players - 1))
    assert judge(8.0, 2) < judge(8.1, 2) < 1
