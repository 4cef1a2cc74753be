"""Connect four: counts of positions, lines in every direction, notation, mirror."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import View, agent, kernels, load
from ludus.errors import BadNotation
from ludus.rng import match_words, stream
from tests.games.classics import (
    are_valid,
    check_symmetries,
    digest,
    levels,
    plain_digest,
    play,
    positions,
    value_of_start,
)

GAME = load("connect_four")


def heuristics(states):
    out = np.empty((2, len(states)))
    for player in range(2):
        GAME.kernel(kernels.estimates)(states, np.full(len(states), player), out[player])
    return out


def test_positions_after_each_ply_are_as_many_as_published():
    """The published numbers of different positions after n plies (OEIS A212693)."""
    assert [len(states) for states in islice(levels("connect_four"), 8)] == [1, 7, 49, 238, 1120, 4263, 16422, 54859]


def four_lines():
    """The 69 lines, by columns and rows."""
    for column in range(7):
        for row in range(6):
            for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(column + k * right, row + k * up) for k in range(4)]
                if all(0 <= c < 7 and 0 <= r < 6 for c, r in cells):
                    yield cells


def rows_of(states):
    return [line.split() for line in GAME.state_text(states[0]).splitlines()[:6]][::-1]


def test_there_are_69_lines_and_random_matches_end_as_soon_as_one_is_filled():
    lines, seen = list(four_lines()), set()
    assert len(lines) == 69
    for states in positions("connect_four", 300):
        over = GAME.waiting(states) == 0
        for k in range(len(states)):
            board = rows_of(states[k : k + 1])
            filled = [line for line in lines if len({board[r][c] for c, r in line} - {"."}) == 1
                      and all(board[r][c] != "." for c, r in line)]  # fmt: skip
            full = all(sign != "." for row in board for sign in row)
            assert over[k] == (bool(filled) or full)
            assert {".XO".index(board[r][c]) for line in filled for c, r in line[:1]} == (
                {int(states[k].winner)} if states[k].winner else set()
            )
            seen.update(tuple(line) for line in filled)
    assert len(seen) > 60


@pytest.mark.parametrize(
    ("moves", "why"),
    [("1 2 1 2 1 2 1", "up"), ("1 1 2 2 3 3 4", "across"), ("1 2 2 3 3 4 3 4 4 6 4", "rising"),
     ("7 6 6 5 5 4 5 4 4 2 4", "falling")],
)  # fmt: skip
def test_four_in_a_row_wins(moves, why):
    states = play("connect_four", moves)
    assert GAME.waiting(states)[0] == 0
    assert GAME.payoffs(states)[0].tolist() == [1, -1]
    assert GAME.outcome_text(states) == "X has four in a row"


def test_four_stones_do_not_run_over_the_edge_of_a_column():
    # X has the two top cells of column 1 and the two bottom cells of column 2.
    states = GAME.parse_state("X......\nX......\nO......\nX......\nOX.....\nOX.O.O.", 2)
    assert GAME.waiting(states)[0] == 1
    assert are_valid(GAME, states)[0]


def test_a_full_column_leaves_the_menu():
    states = play("connect_four", "3 3 3 3 3 3")
    assert GAME.menu(states, 0).tolist() == [0, 1, 3, 4, 5, 6]
    with pytest.raises(BadNotation, match="not allowed now"):
        GAME.parse_action(states, 0, "3")


def test_a_full_board_is_a_draw():
    drawn = "1 2 1 2 1 2 2 1 2 1 2 1 3 4 3 4 3 4 4 3 4 3 4 3 5 6 5 6 5 6 6 5 6 5 6 5 7 7 7 7 7 7"
    states = play("connect_four", drawn)
    assert GAME.waiting(states)[0] == 0
    assert GAME.payoffs(states)[0].tolist() == [0, 0]
    assert GAME.outcome_text(states) == "a draw: the board is full"


def test_positions_read_back_drawn_and_played():
    states = play("connect_four", "4 4 5 3 7")
    text = GAME.state_text(states[0])
    assert text.splitlines()[-3:] == [". . . O . . .", ". . O X X . X", "1 2 3 4 5 6 7"]
    assert GAME.parse_state(text, 2).tobytes() == states.tobytes()
    assert GAME.parse_state("44537", 2).tobytes() == states.tobytes()
    for states in positions("connect_four", 20):
        for k in range(len(states)):
            assert GAME.parse_state(GAME.state_text(states[k]), 2).tobytes() == states[k].tobytes()


EMPTY = ".......\n" * 5


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "6 rows"),
        (EMPTY, "this one 5"),
        (EMPTY + "...X..", "line 6: a row has 7 cells"),
        (EMPTY + "...Z...", "line 6: a row has 7 cells"),
        (".......\n" * 4 + "...X...\n.......", "column 4 hangs"),
        (EMPTY + "XX.....", "X begins"),
        (EMPTY + "O......", "X begins"),
        (EMPTY[8:] + "OOO....\nXXXXO..", "O moved after X had won"),
        ("4444444", "move 7: column 4 is full"),
        ("48", "move 2: column 8 is not on the board"),
        ("12121213", "move 8: the game was over"),
    ],
)
def test_bad_positions_are_refused(text, reason):
    with pytest.raises(BadNotation, match=reason):
        GAME.parse_state(text, 2)


@pytest.mark.parametrize("text", ["", "0", "8", "a", "12", "²"])
def test_bad_actions_are_refused(text):
    with pytest.raises(BadNotation, match="no column"):
        GAME.parse_action(play("connect_four", ""), 0, text)


@settings(deadline=None)
@given(st.lists(st.integers(1, 7), min_size=1, max_size=42))
def test_whatever_is_read_as_a_position_is_valid(columns):
    try:
        states = GAME.parse_state("".join(map(str, columns)), 2)
    except BadNotation:
        return
    assert are_valid(GAME, states).all()
    assert int(np.bitwise_count(states["stones"]).sum()) == len(columns)


def test_impossible_positions_are_not_valid():
    for stones, turn, winner in [
        ([0b10, 0], 2, 0),  # floating
        ([1, 1], 1, 0),  # shared
        ([0, 1], 1, 0),  # O began
        ([1 << 6, 1], 1, 0),  # above the board
        ([1, 1 << 7], 2, 0),  # the wrong player's turn
        ([0b1111, 0b111 << 7], 2, 0),  # won, but it goes on
        ([0b1111, 0b1111 << 7], 0, 1),  # both have won
    ]:
        states = play("connect_four", "")
        states["stones"], states["turn"], states["winner"] = stones, turn, winner
        assert not are_valid(GAME, states)[0], (stones, turn, winner)


def test_heuristic_is_even_at_the_start_and_likes_the_middle():
    assert heuristics(play("connect_four", "")).ravel().tolist() == [0, 0]
    middle, edge = heuristics(play("connect_four", "4")), heuristics(play("connect_four", "1"))
    assert middle[0, 0] > edge[0, 0] > 0
    assert (middle[0] == -middle[1]).all()


def test_heuristic_counts_the_open_lines_of_a_stone():
    for moves, lead in (("1", 3), ("4", 7), ("1 7", 0)):
        assert heuristics(play("connect_four", moves))[0, 0] == pytest.approx(lead / (40 + abs(lead)))


def line_sum(states, own, other):
    board = rows_of(states)
    marks = [[board[r][c] for c, r in line] for line in four_lines()]
    return sum(signs.count(own) ** 2 for signs in marks if other not in signs)


def test_heuristic_is_the_sum_over_lines_everywhere():
    for states in islice(positions("connect_four", 40), 4, 30, 5):
        found = heuristics(states)
        for k in range(len(states)):
            lead = line_sum(states[k : k + 1], "X", "O") - line_sum(states[k : k + 1], "O", "X")
            assert found[:, k].tolist() == pytest.approx([lead / (40 + abs(lead)), -lead / (40 + abs(lead))])


def test_observe_shows_own_stones_first():
    states, out = play("connect_four", "1 7 1"), np.zeros((1, 84), np.float32)
    for player, cells in ((0, [0, 1, 42 + 36]), (1, [36, 42, 43])):
        GAME.kernel(kernels.features)(states, np.array([player]), out)
        assert np.flatnonzero(out[0]).tolist() == cells


def test_the_mirror_swaps_columns():
    states, mirrored = play("connect_four", "1 2 2 7"), play("connect_four", "7 6 6 1")
    GAME.kernel(kernels.turn_boards)(states, 1)
    assert states.tobytes() == mirrored.tobytes()
    assert check_symmetries("connect_four", 30) > 500


def test_plain_python_gives_the_same():
    assert plain_digest("connect_four", 12, 2, {}) == digest("connect_four", 12, 2, {})


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (3, 5), (5, 3), (2, 7), (1, 4)])
def test_alphabeta_solves_small_boards_to_their_values(rows, columns):
    """The values come from looking at every position, from the last backwards."""
    rules = {"rows": rows, "columns": columns}
    game = load("connect_four")
    states = game.start(match_words(1, [0], [0], 2), 2, game.rule_values("default", rules))
    solver = agent("alphabeta:nodes=20000000,table=20", game)
    solver.act(View(game, states, 0), stream(1))
    assert solver.thoughts is not None
    assert round(solver.thoughts.value) == value_of_start("connect_four", rules)


def test_small_boards_are_drawn_and_read():
    game = load("connect_four")
    values = game.rule_values("default", {"rows": 4, "columns": 5})
    states = game.parse_state("1155", 2, values)
    assert game.state_text(states[0]) == ". . . . .\n. . . . .\nO . . . O\nX . . . X\n1 2 3 4 5"
    assert game.menu(states, 0).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(BadNotation, match="column 6 is not on the board"):
        game.parse_state("16", 2, values)
    with pytest.raises(BadNotation, match="write a digit 1-5"):
        game.parse_action(states, 0, "7")
