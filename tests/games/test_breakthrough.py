"""Breakthrough: moves and captures, the end, boards of all sizes, notation, mirror."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import kernels, load
from ludus.errors import BadNotation, BadParams
from ludus.rng import match_words
from tests.games.classics import are_valid, check_symmetries, digest, plain_digest, play, positions

GAME = load("breakthrough")
TINY = {"rows": 4, "columns": 4}


def at(text, rows=4, columns=4):
    return GAME.parse_state(text, 2, GAME.rule_values("default", {"rows": rows, "columns": columns}))


def moves_of(states):
    player = int(GAME.waiting(states)[0]) - 1
    return {GAME.action_text(states[0], player, int(action)) for action in GAME.menu(states, player)}


FIGHT = """
4 . B . .
3 . W B .
2 W . B .
1 . W W .
  a b c d
white to move
"""


def test_straight_only_to_empty_cells_and_diagonally_also_onto_rivals():
    assert moves_of(at(FIGHT)) == {"a2-a3", "b1-b2", "b1xc2", "c1-b2", "c1-d2", "b3-a4", "b3-c4"}


def test_black_moves_down():
    assert moves_of(at(FIGHT.replace("white", "black"))) == {"b4-a3", "c3-b2", "c3-d2", "c2xb1", "c2-d1"}


def test_a_capture_takes_the_piece():
    states = play("breakthrough", "a2-b3 c7-c6 b3-c4 c6-c5 c4-d5 e7-e6")
    assert "d5xe6" in moves_of(states)
    before = np.bitwise_count(states["pieces"][0]).tolist()
    after = play("breakthrough", "a2-b3 c7-c6 b3-c4 c6-c5 c4-d5 e7-e6 d5xe6")
    assert before == [16, 16]
    assert np.bitwise_count(after["pieces"][0]).tolist() == [16, 15]


def test_the_last_row_wins():
    words, states = np.zeros((1, 3), np.uint64), at(FIGHT)
    GAME.advance(states, np.array([[GAME.parse_action(states, 0, "b3-a4"), -1]], np.int32), words)
    assert GAME.waiting(states)[0] == 0
    assert GAME.payoffs(states)[0].tolist() == [1, -1]
    assert GAME.outcome_text(states) == "White has reached the last row"
    assert GAME.state_text(states[0]).endswith("White has won")
    assert at(GAME.state_text(states[0])).tobytes() == states.tobytes()


def test_the_last_capture_wins():
    states = at("4 . . . .\n3 . . B .\n2 . W . .\n1 W . . .\n  a b c d\nwhite to move")
    GAME.advance(states, np.array([[GAME.parse_action(states, 0, "b2xc3"), -1]], np.int32), np.zeros((1, 3), np.uint64))
    assert GAME.payoffs(states)[0].tolist() == [1, -1]
    assert GAME.outcome_text(states) == "White has captured every piece of Black"
    assert at(GAME.state_text(states[0])).tobytes() == states.tobytes()


@pytest.mark.parametrize("rows", range(3, 9))
@pytest.mark.parametrize("columns", range(2, 9))
def test_boards_start_full_and_no_match_is_drawn(rows, columns):
    rules = {"rows": rows, "columns": columns}
    deep = 2 if rows >= 6 else 1
    *_, states = positions("breakthrough", 50, 2, rules)
    start = next(positions("breakthrough", 1, 2, rules))
    assert np.bitwise_count(start["pieces"][0]).tolist() == [deep * columns] * 2
    assert len(GAME.state_text(start[0]).splitlines()) == rows + 2
    assert (np.abs(GAME.payoffs(states)) == 1).all()
    assert are_valid(GAME, states).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([(8, 8), (6, 6), (5, 7), (4, 4)]))
def test_every_ply_moves_one_piece_one_row_and_takes_at_most_one(seed, board):
    rules = {"rows": board[0], "columns": board[1]}
    before = None
    for states in positions("breakthrough", 1, 2, rules, seed):
        now = [{cell for cell in range(64) if int(states["pieces"][0, player]) >> cell & 1} for player in range(2)]
        if before is not None:
            (mover,) = [
                player
                for player in range(2)
                if len(before[player]) == len(now[player]) and before[player] != now[player]
            ]
            (left,), (entered,) = before[mover] - now[mover], now[mover] - before[mover]
            assert (entered // 8 - left // 8, abs(entered % 8 - left % 8) <= 1) == ((1, -1)[mover], True)
            assert before[1 - mover] - now[1 - mover] <= {entered}
            assert not now[1 - mover] - before[1 - mover]
            assert entered not in before[1 - mover] or entered % 8 != left % 8
        before = now


def test_random_play_lasts_64_plies_on_average():
    """4,000 random matches of OpenSpiel had 63.9 on average, with a standard error of 0.25; ours add 0.1 to it."""
    words = match_words(1, np.arange(20_000), 0, 2)
    states, plies = GAME.start(words, 2), np.zeros(len(words), np.int64)
    GAME.kernel(kernels.rollouts)(states, words, plies, 1000)
    assert plies.mean() == pytest.approx(63.9, abs=1.0)
    assert plies.max() <= GAME.facts.max_plies


def test_notation_and_cells():
    states = play("breakthrough", "")
    assert GAME.action_text(states[0], 0, 3 * 8 + 1) == "a2-a3"
    assert GAME.action_text(states[0], 1, 3 * 55 + 0) == "h7-g6"
    for text in ("b2-c3", "B2C3", " b2xc3 "):
        assert GAME.parse_action(states, 0, text) == 3 * 9 + 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "no move"), ("a2", "no move"), ("a2-a9", "no move"), ("i2-i3", "no move"), ("a2-a4", "no step"),
     ("a2-c3", "no step"), ("a7-a6", "no step"), ("h2-a4", "no step"), ("a1-a2", "not allowed now"),
     ("a5-a6", "not allowed now")],
)  # fmt: skip
def test_bad_actions_are_refused(text, reason):
    with pytest.raises(BadNotation, match=reason):
        GAME.parse_action(play("breakthrough", ""), 0, text)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("  a b c d\n", "", "not 5 lines"),
        ("1 . W W .", "1 . W W", "line 4: a row is its number and 4 cells"),
        ("1 . W W .", "1 . W Q .", "line 4: a row is its number and 4 cells"),
        ("white to move", "red to move", "line 6: write"),
        ("white to move", "black has won", "line 6: .* does not fit"),
        ("4 . B . .\n3 . W B .", "4 . W . .\n3 . B B .", "line 6: .* does not fit"),
        ("1 . W W .", "1 B W W .", "line 6: .* does not fit"),
    ],
)
def test_bad_positions_are_refused(old, new, reason):
    with pytest.raises(BadNotation, match=reason):
        at(FIGHT.replace(old, new))


def test_too_many_pieces_are_refused():
    crowd = "4 B B . B\n3 W W W .\n2 W B . .\n1 . W W .\n  a b c d\nwhite to move"
    with pytest.raises(BadNotation, match="White has 6 pieces"):
        at(crowd)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from("...WB"), min_size=12, max_size=12), st.sampled_from(["to move", "has won"]))
def test_whatever_is_read_as_a_position_is_valid(signs, end):
    rows = "\n".join(f"{4 - k} {' '.join(signs[3 * k : 3 * k + 3])}" for k in range(4))
    try:
        states = at(f"{rows}\n  a b c\nblack {end}", columns=3)
    except BadNotation:
        return
    assert are_valid(GAME, states)[0]


def test_sizes_outside_the_range_are_refused():
    for rules in ({"rows": 9}, {"rows": 2}, {"columns": 1}, {"columns": 9}):
        with pytest.raises(BadParams, match="must lie in"):
            GAME.rule_values("default", rules)


@pytest.mark.parametrize("rules", [{}, {"rows": 5, "columns": 3}])
def test_positions_read_back(rules):
    values = GAME.rule_values("default", rules)
    for states in positions("breakthrough", 10, 2, rules):
        for state in states:
            assert GAME.parse_state(GAME.state_text(state), 2, values).tobytes() == state.tobytes()


def test_impossible_positions_are_not_valid():
    for change in (
        lambda s: s["pieces"].__setitem__((0, 0), s["pieces"][0, 1]),  # shared cells
        lambda s: s["pieces"].__setitem__((0, 0), 1 << 20),  # outside the board
        lambda s: s["pieces"].__setitem__((0, 0), 0xF0F00),  # more than four
        lambda s: s["pieces"].__setitem__((0, 1), 0),  # all captured, and it goes on
        lambda s: s.__setitem__("winner", 1),
        lambda s: s.__setitem__("turn", 3),
    ):
        states = play("breakthrough", "", rules=TINY)
        assert are_valid(GAME, states)[0]
        change(states)
        assert not are_valid(GAME, states)[0]


def estimates(states):
    out = np.empty((2, len(states)))
    for player in range(2):
        GAME.kernel(kernels.estimates)(states, np.full(len(states), player), out[player])
    return out


def test_heuristic_is_even_at_the_start_and_rewards_pieces_and_advance():
    assert estimates(play("breakthrough", "")).ravel().tolist() == [0, 0]
    ahead, further = estimates(play("breakthrough", "a2-a3")), estimates(play("breakthrough", "a2-a3 h7-h6 a3-a4"))
    assert 0 < ahead[0, 0] < further[0, 0]
    assert (ahead[0] == -ahead[1]).all()
    assert estimates(at(FIGHT))[0, 0] > estimates(at(FIGHT.replace("1 . W W .", "1 . W . .")))[0, 0]


def test_observe_looks_from_the_players_own_side():
    states, out = play("breakthrough", "a1-a2", rules=TINY), np.zeros((2, 128), np.float32)
    for player in range(2):
        GAME.kernel(kernels.features)(states, np.array([player]), out[player : player + 1])
    assert GAME.shapes(2, GAME.rule_values("default", TINY))[0].length == 2 * 16
    assert np.flatnonzero(out[0]).tolist() == [1, 2, 3, 4, *range(16 + 12, 16 + 16)]
    assert np.flatnonzero(out[1]).tolist() == [0, 1, 2, 3, 16 + 8, 16 + 13, 16 + 14, 16 + 15]


def test_the_mirror_swaps_columns():
    for rules, moves, mirrored in ((None, "a2-b3 h7-h6", "h2-g3 a7-a6"), ({"rows": 5, "columns": 5}, "a1-b2", "e1-d2")):
        states = play("breakthrough", moves, rules=rules)
        GAME.kernel(kernels.turn_boards)(states, 1)
        assert states.tobytes() == play("breakthrough", mirrored, rules=rules).tobytes()
        assert check_symmetries("breakthrough", 20, rules) > 100


@pytest.mark.parametrize("rules", [{}, {"rows": 5, "columns": 4}])
def test_plain_python_gives_the_same(rules):
    assert plain_digest("breakthrough", 4, 2, rules) == digest("breakthrough", 4, 2, rules)
