"""Tic-tac-toe: counts of all positions and matches, notation, symmetries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import kernels, load
from ludus.errors import BadNotation
from tests.games.classics import are_valid, check_symmetries, digest, levels, plain_digest, play, value_of_start

GAME = load("tic_tac_toe")


@pytest.fixture(scope="module")
def everything():
    """All 5478 positions."""
    return np.concatenate(list(levels("tic_tac_toe")))


def test_there_are_5478_positions_and_a_draw_is_the_value(everything):
    assert len(everything) == 5478
    assert are_valid(GAME, everything).all()
    assert value_of_start("tic_tac_toe") == 0


def test_there_are_765_positions_but_for_turning_and_mirroring(everything):
    forms = []
    for symmetry in range(8):
        turned = everything.copy()
        GAME.kernel(kernels.turn_boards)(turned, symmetry)
        forms.append([state.tobytes() for state in turned])
    assert len({min(same) for same in zip(*forms)}) == 765
    assert check_symmetries("tic_tac_toe", 20) > 700


def test_626_final_positions_are_won_by_X_316_by_O_and_16_drawn(everything):
    over = everything[GAME.waiting(everything) == 0]
    payoffs = GAME.payoffs(over)
    assert [int((payoffs[:, 0] == value).sum()) for value in (1, -1, 0)] == [626, 316, 16]
    assert (payoffs.sum(axis=1) == 0).all()


def test_every_position_reads_back(everything):
    for k in range(0, len(everything), 7):
        again = GAME.parse_state(GAME.state_text(everything[k]), 2)
        assert again.tobytes() == everything[k].tobytes()


def test_a_row_wins():
    states = play("tic_tac_toe", "a1 a2 b1 b2 c1")
    assert GAME.waiting(states)[0] == 0
    assert GAME.payoffs(states)[0].tolist() == [1, -1]
    assert GAME.outcome_text(states) == "X has three in a row"


def test_a_full_board_is_a_draw():
    states = play("tic_tac_toe", "a1 b2 c3 b1 b3 a3 c1 c2 a2")
    assert GAME.payoffs(states)[0].tolist() == [0, 0]
    assert GAME.outcome_text(states) == "a draw: the board is full"


def test_notation_names_columns_and_rows():
    states = play("tic_tac_toe", "c1 a3")
    assert GAME.state_text(states[0]).splitlines() == ["1 . . X", "2 . . .", "3 O . .", "  a b c"]
    assert [GAME.action_text(states[0], 0, action) for action in (0, 2, 5)] == ["a1", "c1", "c2"]


def test_observe_and_heuristic_see_both_sides():
    states, out, hope = play("tic_tac_toe", "b2"), np.zeros((1, 18), np.float32), np.zeros(1)
    for player, mark in ((0, 4), (1, 13)):
        GAME.kernel(kernels.features)(states, np.array([player]), out)
        assert np.flatnonzero(out[0]).tolist() == [mark]
        GAME.kernel(kernels.estimates)(states, np.array([player]), hope)
        assert hope[0] == (0.5, -0.5)[player]  # the centre closes 4 of the rival's 8 lines


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("X..", "9 cells"),
        ("X..\n.Z.\n...", "9 cells"),
        ("XX.\n...\n...", "X begins"),
        ("O..\n...\n...", "X begins"),
        ("XXX\nOOO\n...", "after the other had three"),
        ("XXX\nOO.\nO..", "after the other had three"),
    ],
)
def test_bad_positions_are_refused(text, reason):
    with pytest.raises(BadNotation, match=reason):
        GAME.parse_state(text, 2)


def test_bad_actions_are_refused():
    states = play("tic_tac_toe", "a1")
    with pytest.raises(BadNotation, match="no cell"):
        GAME.parse_action(states, 1, "d4")
    with pytest.raises(BadNotation, match="not allowed now"):
        GAME.parse_action(states, 1, "a1")


@settings(deadline=None)
@given(st.text("XO.xo\n 1a", max_size=14))
def test_whatever_is_read_as_a_position_is_valid(text):
    try:
        states = GAME.parse_state(text, 2)
    except BadNotation:
        return
    assert are_valid(GAME, states).all()


def test_plain_python_gives_the_same():
    assert plain_digest("tic_tac_toe", 20, 2, {}) == digest("tic_tac_toe", 20, 2, {})
