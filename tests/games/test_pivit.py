"""Pivit: worked positions, published counts, statistics that were measured apart, and a second opinion."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import kernels, load
from ludus.compile import template
from ludus.errors import BadInput, BadNotation, BadParams
from ludus.games import pivit
from ludus.rng import below, match_words
from ludus.rules import MAX_ACTIONS, SEATS, legal, step, to_act
from tests.games.naive_pivit import NaivePivit
from tests.games.second_opinion import agree

GAME = load("pivit")
NAMES = ("Red", "Blue", "Green", "Yellow")


# ------------------------------------------------------------------------------------------------ helpers


def position(pieces, turn="Red", promoted="", players=2, preset="default", extra=(), **rules):
    """A position from {(row, column): "Rh", …}, rows and columns counted from 0 at the top left."""
    values = GAME.rule_values(preset, rules)
    side = int(values["board"][0])
    rows = [" ".join(pieces.get((row, column), ".") for column in range(side)) for row in range(side)]
    lines = [*rows, f"turn {turn}", *([f"promoted {promoted}"] if promoted else []), *extra]
    return GAME.parse_state("\n".join(lines), players, values)


def start(players=2, preset="default", count=1, seed=5, **rules):
    words = np.array([match_words(seed, block, 0, players) for block in range(count)])
    return GAME.start(words, players, GAME.rule_values(preset, rules)), words


def menu(states):
    mask = int(GAME.waiting(states)[0])
    assert mask.bit_count() == 1
    return sorted(GAME.menu(states, mask.bit_length() - 1).tolist())


def play(states, *codes):
    """The position after these moves, each of which must be legal."""
    after = states.copy()
    for code in codes:
        assert code in menu(after)
        joint = np.full((1, 4), -1, np.int32)
        joint[0, after[0].turn] = code
        GAME.advance(after, joint, np.zeros((1, 5), np.uint64))
    return after


def sign(states, row, column):
    return pivit.SIGNS[states[0].board[8 * row + column]]


def over(states):
    return int(GAME.waiting(states)[0]) == 0


def payoffs(states):
    return GAME.payoffs(states)[0, : states[0].players].tolist()


def random_state(players, preset, seed, plies):
    states, words = start(players, preset, seed=seed)
    GAME.kernel(kernels.rollouts)(states, words, np.zeros(1, np.int64), plies)
    return states


# ------------------------------------------------------------------------------------------------ worked positions


def test_T1_both_sides_have_36_moves_at_the_start():
    states, _ = start()
    red, blue = GAME.menu(states, 0), GAME.menu(states, 1)
    assert len(red) == len(blue) == 36
    assert all(sum(code // 64 == origin for code in red) == 3 for origin in red // 64)
    assert {code for code in red if code // 64 == 2} == {138, 154, 170}
    assert GAME.waiting(states)[0] == 0b01, "Red moves first"


@template
def successors(states, out):
    """Every position one move on; how many were written."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    actions = np.full(SEATS, -1, np.int32)
    n = 0
    for i in range(states.shape[0]):
        player = states[i].turn
        for k in range(legal(states[i], player, menu) if to_act(states[i]) else 0):
            out[n] = states[i]
            actions[player] = menu[k]
            step(out[n], actions, np.zeros(1, np.uint64))
            n += 1
    return n


@template
def count_moves(states):
    menu = np.empty(MAX_ACTIONS, np.int32)
    total = 0
    for i in range(states.shape[0]):
        if to_act(states[i]):
            total += legal(states[i], states[i].turn, menu)
    return total


def expand(states):
    after = np.zeros(GAME.kernel(count_moves)(states), GAME.state_type)
    assert GAME.kernel(successors)(states, after) == len(after)
    return after


def test_T1_node_counts():
    level, _ = start()
    counts = []
    for _ in range(3):
        level = expand(level)
        counts.append(len(level))
    counts.append(GAME.kernel(count_moves)(level))
    assert counts == [36, 1256, 41528, 1330952]
    # Two own moves bring no piece to a corner; the next test does it in three.
    assert level["masters"].sum() == 0


def test_T1_quickest_promotion():
    states, _ = start()
    a2_b2, b2_b1, b1_a1 = 64 * 8 + 9, 64 * 9 + 1, 64 * 1
    after = play(states, a2_b2, 64 * 16 + 17, b2_b1, 64 * 17 + 25, b1_a1)
    assert sign(after, 0, 0) == "RV", "it arrived along a row and pivoted"
    assert after[0].minions.tolist() == [11, 11, 0, 0]
    assert after[0].masters.tolist() == [1, 0, 0, 0]
    assert after[0].promoted.tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("axis", "vh")
def test_T2a_enemy_at_even_distance_blocks_a_minion(axis):
    assert _moves_from_a4(position({(3, 0): "Rh", (3, 4): "B" + axis})) == [1561, 1563]


@pytest.mark.parametrize("axis", "vh")
def test_T2b_enemy_at_odd_distance_is_captured(axis):
    assert _moves_from_a4(position({(3, 0): "Rh", (3, 5): "B" + axis})) == [1561, 1563, 1565]


@pytest.mark.parametrize("axis", "vh")
def test_T2c_a_master_captures_at_any_distance(axis):
    states = position({(3, 0): "RH", (3, 4): "B" + axis}, promoted="Red")
    assert _moves_from_a4(states) == [1561, 1562, 1563, 1564]


def _moves_from_a4(states):
    assert all(code // 64 == 24 for code in menu(states))
    return menu(states)


def test_T2d_a_friend_blocks():
    states = position({(3, 0): "Rh", (3, 2): "Rv", (3, 5): "Bv"})
    expected = [64 * 24 + 25, *(64 * 26 + 8 * row + 2 for row in (0, 2, 4, 6))]
    assert menu(states) == sorted(expected)


def test_T3_promotion_by_capture():
    pieces = {(5, 0): "Rv", (0, 0): "BH", (7, 5): "Bv"}
    states = position(pieces, promoted="Blue")
    assert menu(states) == [2560, 2576, 2592, 2608]
    after = play(states, 2560)
    assert sign(after, 0, 0) == "RH"
    assert not over(after)
    assert after[0].masters.tolist() == [1, 0, 0, 0]
    again = position({(0, 0): "RH", (7, 5): "Bv"}, promoted="Blue Red")
    assert menu(again) == [1, 2, 3, 4, 5, 6, 7]


T4 = {(0, 1): "Rh", (7, 7): "BV"}


def test_T4_losing_promotion():
    states = position(T4, promoted="Blue", extra=["ply 12"])
    assert menu(states) == [64, 66, 68, 70]
    after = play(states, 64)
    assert over(after)
    assert payoffs(after) == [-1, 1]
    assert after[0].ending == pivit.FIRST_PROMOTION
    assert GAME.outcome_text(after) == "Blue wins: equally many masters (Red 1, Blue 1), but the earliest promotion"


def test_T4_with_ties_drawn():
    after = play(position(T4, promoted="Blue", tie="draw"), 64)
    assert over(after)
    assert payoffs(after) == [0, 0]
    assert GAME.outcome_text(after) == "a draw between Red and Blue: equally many masters (Red 1, Blue 1)"


def test_T4_without_promotion_goes_on():
    after = play(position(T4, promoted="Blue", preset="paper"), 64)
    assert not over(after)
    assert sign(after, 0, 0) == "Rv"
    assert GAME.waiting(after)[0] == 0b10


T5 = {(6, 0): "RV", (2, 5): "Rv", (2, 0): "Bh"}


def test_T5_blue_captures_and_the_game_goes_on():
    states = position(T5, turn="Blue", promoted="Red")
    assert menu(states) == [1041, 1043, 1045]
    after = play(states, 1045)
    assert not over(after)
    assert (after[0].minions.tolist(), after[0].masters.tolist()) == ([0, 1, 0, 0], [1, 0, 0, 0])
    assert sign(play(states, 1041), 2, 1) == "Bv"


def test_T5_last_colour_standing():
    after = play(position(T5, promoted="Red"), 64 * 48 + 16)
    assert over(after)
    assert payoffs(after) == [1, -1]
    assert after[0].minions[0] == 1, "a minion of the winner is left"
    assert GAME.outcome_text(after) == "Red wins: no other colour is left"


def test_the_published_start():
    states, _ = start()
    assert GAME.state_text(states[0]).splitlines() == [
        "   a  b  c  d  e  f  g  h",
        "1  .  Bv Rv Bv Bv Rv Bv .",
        "2  Rh .  .  .  .  .  .  Rh",
        "3  Bh .  .  .  .  .  .  Bh",
        "4  Rh .  .  .  .  .  .  Rh",
        "5  Rh .  .  .  .  .  .  Rh",
        "6  Bh .  .  .  .  .  .  Bh",
        "7  Rh .  .  .  .  .  .  Rh",
        "8  .  Bv Rv Bv Bv Rv Bv .",
        "turn Red",
        "ply 0",
    ]


# ------------------------------------------------------------------------------------------------ ends of the game


def test_most_masters_wins_whoever_promoted_first():
    states = position({(0, 1): "Rh", (4, 4): "RV", (7, 7): "BV"}, promoted="Blue Red")
    after = play(states, 64)
    assert payoffs(after) == [1, -1]
    assert GAME.outcome_text(after) == "Red wins with most masters (Red 2, Blue 1)"


def test_the_last_minion_may_be_captured():
    states = position({(3, 0): "RH", (3, 5): "Bv", (7, 7): "BV"}, promoted="Red Blue")
    after = play(states, 64 * 24 + 29)
    assert payoffs(after) == [1, -1]
    assert after[0].ending == pivit.FIRST_PROMOTION


def test_a_captured_first_master_still_breaks_the_tie():
    states = position({(3, 0): "RH", (3, 4): "BV", (0, 1): "Bh"}, promoted="Blue Red")
    after = play(states, 64 * 24 + 28)
    assert not over(after)
    assert after[0].masters.tolist() == [1, 0, 0, 0], "the first master of the game has fallen"
    after = play(after, 64)
    assert over(after)
    assert after[0].masters.tolist() == [1, 1, 0, 0]
    assert payoffs(after) == [-1, 1]


def test_a_tie_of_three_goes_to_the_earliest_promotion():
    pieces = {(0, 1): "Rh", (4, 4): "BV", (7, 3): "GH"}
    after = play(position(pieces, promoted="Green Blue", players=3), 64)
    assert payoffs(after) == [-0.5, -0.5, 1]
    after = play(position(pieces, promoted="Green Blue", players=3, tie="draw"), 64)
    np.testing.assert_allclose(payoffs(after), [0, 0, 0])


def test_two_of_three_share_a_tie():
    pieces = {(0, 1): "Rh", (4, 4): "BV", (7, 3): "Gh", (7, 0): "BH"}
    states = position(pieces | {(5, 5): "GV"}, promoted="Green Blue", players=3, tie="draw", quiet=1)
    after = play(states, 66)
    assert payoffs(after) == [-0.5, 1, -0.5], "Blue has two masters, Green one"
    states = position({(0, 1): "Rh", (4, 4): "BV", (7, 3): "GV"}, players=3, tie="draw", quiet=1)
    np.testing.assert_allclose(payoffs(play(states, 66)), [-0.5, 0.25, 0.25])


def test_an_eliminated_player_is_passed_over():
    after = play(position({(3, 0): "Rh", (3, 1): "Bv", (6, 6): "Gv"}, players=3), 64 * 24 + 25)
    assert GAME.waiting(after)[0] == 0b100


def test_the_cap_is_a_draw_between_those_who_are_left():
    after = play(position({(3, 0): "Rh", (3, 5): "Bv"}, cap=7, extra=["ply 6"]), 64 * 24 + 25)
    assert payoffs(after) == [0, 0]
    assert GAME.outcome_text(after) == "a draw between Red and Blue: no end after 7 moves"
    after = play(position({(3, 0): "Rh", (3, 5): "Gv"}, players=3, cap=7, extra=["ply 6"]), 64 * 24 + 25)
    np.testing.assert_allclose(payoffs(after), [0.25, -0.5, 0.25])


def test_a_win_on_the_last_move_before_the_cap_counts():
    after = play(position({(3, 0): "Rh", (3, 5): "Bv"}, cap=7, extra=["ply 6"]), 64 * 24 + 29)
    assert payoffs(after) == [1, -1]


def test_quiet_moves_run_out():
    states = position({(3, 0): "Rh", (5, 0): "RV", (3, 5): "Bv"}, promoted="Red", quiet=3, extra=["quiet 1"])
    after = play(states, 64 * 24 + 25, 64 * 29 + 37)
    assert payoffs(after) == [1, -1]
    assert after[0].ending == pivit.MOST_MASTERS
    assert play(states, 64 * 24 + 29)[0].ending == pivit.LAST_COLOUR
    corner = position({(0, 1): "Rh", (3, 3): "Rv", (3, 5): "Bv"}, quiet=3, extra=["quiet 2"])
    assert play(corner, 64)[0].quiet_plies == 0, "a promotion starts the count anew"
    nobody = position({(0, 1): "Rh", (3, 5): "Bv"}, quiet=3, extra=["quiet 2"])
    assert play(nobody, 66)[0].ending == pivit.TIED


# A row of pieces that all look along it cannot move. Red is about to close its row.
ROW = {(2, column): "Rh" for column in range(7)}
CLOSING = 64 * 31 + 23
BLUE_ROW = {(6, column): "Bh" for column in range(8)}


def test_a_stuck_player_is_passed_over():
    after = play(position(ROW | {(3, 7): "Rv", (5, 3): "Bv"}), CLOSING, 64 * 43 + 35)
    assert not over(after)
    assert GAME.waiting(after)[0] == 0b10, "Blue moves twice running"


def test_masters_are_counted_when_nobody_can_move():
    top = {(0, column): "Rh" for column in range(7)}
    after = play(position(top | BLUE_ROW | {(1, 7): "Rv"}), 64 * 15 + 7)
    assert payoffs(after) == [1, -1]
    assert after[0].ending == pivit.MOST_MASTERS
    after = play(position(ROW | BLUE_ROW | {(3, 7): "Rv"}), CLOSING)
    assert payoffs(after) == [0, 0]
    assert after[0].ending == pivit.TIED


def test_a_stuck_player_loses_if_the_rules_say_so():
    after = play(position(ROW | {(3, 7): "Rv", (5, 3): "Bv"}, stuck="loss"), CLOSING)
    assert payoffs(after) == [-1, 1]
    assert GAME.outcome_text(after) == "Red cannot move and loses to Blue"
    blue_stuck = play(position(BLUE_ROW | {(3, 7): "Rv"}, turn="Red", stuck="loss"), CLOSING)
    assert payoffs(blue_stuck) == [1, -1]
    both = play(position(ROW | BLUE_ROW | {(3, 7): "Rv"}, stuck="loss"), CLOSING)
    assert payoffs(both) == [1, -1], "of two the last in the order of play loses"
    three = play(position(ROW | {(3, 7): "Rv", (5, 3): "Bv", (5, 5): "Gv"}, players=3, stuck="loss"), CLOSING)
    np.testing.assert_allclose(payoffs(three), [-0.5, 0.25, 0.25])
    assert GAME.outcome_text(three) == "Red cannot move and loses to Blue and Green"


# ------------------------------------------------------------------------------------------------ a second opinion


@pytest.mark.parametrize(
    ("matches", "players", "preset", "rules"),
    [
        (500, 2, "default", {}),
        (400, 2, "short", {}),
        (300, 3, "default", {}),
        (300, 4, "default", {}),
        (150, 2, "paper", {"cap": 150}),
        (30, 2, "paper-training", {}),
        (150, 2, "short", {"tie": "draw", "quiet": 12}),
        (100, 2, "default", {"quiet": 30, "cap": 300, "stuck": "loss"}),
        (100, 3, "paper", {"cap": 100}),
        (100, 4, "default", {"tie": "draw", "quiet": 9}),
        (50, 4, "paper", {"cap": 60, "promotion": "on"}),
    ],
)
def test_second_opinion(matches, players, preset, rules):
    agree("pivit", NaivePivit.fresh, matches, players, preset, rules, seed=11)


def test_second_opinion_where_players_are_stuck():
    """Random play never hems a player in, so these positions begin with rows that cannot move."""
    dice = random.Random(3)
    seen = dict.fromkeys(("passed over", "nobody can move", *pivit.ENDINGS[1:]), 0)
    for _ in range(400):
        states = _crowded(dice)
        for code in menu(states):
            naive = NaivePivit.at(states[0])
            after = play(states, code)
            naive.step({int(states[0].turn): code})
            assert not naive.differs(after[0]), f"{GAME.state_text(states[0])}\n{code}: {naive.differs(after[0])}"
            if over(after):
                assert payoffs(after) == pytest.approx(naive.returns())
                seen[pivit.ENDINGS[after[0].ending]] += 1
                seen["nobody can move"] += after[0].minions.sum() > 0 and after[0].ending <= pivit.TIED
            else:
                assert set(menu(after)) == naive.legal(int(after[0].turn))
                seen["passed over"] += after[0].turn == states[0].turn
    assert seen["stuck"] > 50
    assert seen["passed over"] > 50
    assert seen["nobody can move"] > 5


def _crowded(dice):
    """One or two full rows (or columns), one square of the mover's row still to be filled, and a few loose pieces."""
    while True:
        board, players = dice.choice([("8x8", 2), ("8x8", 3), ("6x6", 2)])
        side, colours, turn = int(board[0]), "RBG"[:players], dice.randrange(players)
        lines = dice.sample(range(side), 2)
        owners = [turn, dice.choice([p for p in range(players) if p != turn])]
        gap = dice.randrange(side)
        pieces = {}
        for line, owner in zip(lines, owners[: dice.choice((1, 2, 2))]):
            for k in range(side):
                pieces[line, k] = colours[owner] + ("H" if dice.random() < 0.2 else "h")
        del pieces[lines[0], gap]
        beside = lines[0] + dice.choice((-1, 1))
        if not 0 <= beside < side or (beside, gap) in pieces:
            continue
        pieces[beside, gap] = colours[turn] + dice.choice("vV")
        for player in dice.sample(range(players), dice.randrange(players + 1)):
            square = (dice.randrange(side), dice.randrange(side))
            if square != (lines[0], gap):
                pieces.setdefault(square, colours[player] + dice.choice("vhVH"))
        if dice.random() < 0.5:
            swapped = str.maketrans("vhVH", "hvHV")
            pieces = {(column, row): piece.translate(swapped) for (row, column), piece in pieces.items()}
        promoted = " ".join(dice.sample(NAMES[:players], players))
        stuck, tie = dice.choice(("pass", "loss")), dice.choice(("first-promotion", "draw"))
        try:
            return position(pieces, NAMES[turn], promoted, players, board=board, stuck=stuck, tie=tie)
        except BadNotation:
            continue  # too many pieces of one colour, or one colour alone


# ------------------------------------------------------------------------------------------------ statistics

MATCHES = 20_000
# The reference rests on 20,000 matches too: a difference of shares has a standard error of 0.5 points at most.
SHARE = 3.5 * (0.25 / MATCHES + 0.25 / MATCHES) ** 0.5


def bulk(preset, **rules):
    states, words = start(2, preset, MATCHES, seed=2024, **rules)
    plies = np.zeros(MATCHES, np.int64)
    GAME.kernel(kernels.rollouts)(states, words, plies, 10_000)
    assert (plies == states["plies"]).all()
    first, second = (float((states["winners"] == bit).mean()) for bit in (1, 2))
    return states, plies, (first, second, 1 - first - second)


def test_random_play_official_rules():
    states, plies, shares = bulk("default")
    assert shares == pytest.approx((0.497, 0.503, 0), abs=SHARE)
    assert shares[2] < 0.001  # the cap of 500 moves: one match in some ten thousand
    assert plies.mean() == pytest.approx(208, abs=2.5)
    assert np.quantile(plies, 0.9) == pytest.approx(271, abs=5)
    assert (states["ending"] == pivit.LAST_COLOUR).mean() == pytest.approx(0.42, abs=SHARE + 0.005)
    assert (states["ending"] == pivit.FIRST_PROMOTION).mean() == pytest.approx(0.32, abs=SHARE + 0.005)


def test_random_play_as_in_the_paper():
    _, plies, shares = bulk("paper")
    assert shares == pytest.approx((0.407, 0.410, 0.184), abs=SHARE)
    assert plies.mean() == pytest.approx(289, abs=6)
    # The paper's own 1,000 matches between agents that moved at random: 429, 414 and 157 draws.
    assert shares == pytest.approx((0.429, 0.414, 0.157), abs=3.5 * (0.25 / 1000) ** 0.5)


def test_random_play_as_in_the_training_of_the_paper():
    assert bulk("paper-training")[2] == pytest.approx((0.404, 0.407, 0.189), abs=SHARE)


def test_random_play_with_ties_drawn():
    assert bulk("default", tie="draw")[2] == pytest.approx((0.337, 0.342, 0.320), abs=SHARE)


@template
def menu_lengths(states, words, out):
    """Random play to the end: out[i] is how many moves the players of match i could choose from in all."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    actions = np.full(SEATS, -1, np.int32)
    for i in range(states.shape[0]):
        while to_act(states[i]):
            player = states[i].turn
            count = legal(states[i], player, menu)
            actions[player] = menu[below(words[i, 1:2], count)]
            out[i] += count
            step(states[i], actions, words[i, :1])


def test_branching_of_random_play():
    states, words = start(count=2000, seed=8)
    choices = np.zeros(len(states), np.int64)
    GAME.kernel(menu_lengths)(states, words, choices)
    assert choices.sum() / states["plies"].sum() == pytest.approx(14.8, abs=0.2)


# ------------------------------------------------------------------------------------------------ properties

SETTINGS = st.sampled_from([(2, "default"), (2, "short"), (2, "paper"), (3, "default"), (4, "default")])
positions = st.builds(
    lambda setting, seed, plies: random_state(*setting, seed, plies),
    SETTINGS,
    st.integers(0, 10**6),
    st.integers(0, 250),
)
check = settings(max_examples=60, deadline=None)


@check
@given(positions)
def test_text_and_back(states):
    values = GAME.params.read(states[0].params)
    again = GAME.parse_state(GAME.state_text(states[0]), int(states[0].players), values)
    assert again.tobytes() == states.tobytes()
    if not over(states):
        player = int(states[0].turn)
        for code in menu(states):
            assert GAME.parse_action(states, player, GAME.action_text(states[0], player, code)) == code


@check
@given(positions)
def test_moves_keep_what_must_be_kept(states):
    """A minion changes both the colour of its square and its axis, so no minion ever changes between two kinds."""

    def kinds(state):
        count = np.zeros((5, 2), int)
        for cell, piece in enumerate(state.board.tolist()):
            if piece and not piece & pivit.MASTER:
                count[piece >> 2, (cell // 8 + cell % 8 + piece) % 2] += 1
        return count

    for code in [] if over(states) else menu(states):
        after = play(states, code)
        pieces, before = ((s[0].minions + s[0].masters).sum() for s in (after, states))
        assert before - pieces == int(states[0].board[code % 64] != 0)
        assert (kinds(after[0]) <= kinds(states[0])).all()
        ok = np.empty(1, np.bool_)
        GAME.kernel(kernels.validity)(after, ok)
        assert ok[0]


@check
@given(positions, st.integers(0, 7))
def test_turned_boards_play_alike(states, symmetry):
    turned = states.copy()
    GAME.kernel(kernels.turn_boards)(turned, symmetry)
    if over(states):
        assert over(turned)
        return
    codes = np.array(menu(states), np.int32)
    images = np.empty_like(codes)
    GAME.kernel(kernels.turn_actions)(np.repeat(states, len(codes)), symmetry, codes, images)
    assert sorted(images.tolist()) == menu(turned)
    for code, image in zip(codes.tolist(), images.tolist()):
        after = play(states, code)
        GAME.kernel(kernels.turn_boards)(after, symmetry)
        assert play(turned, image).tobytes() == after.tobytes()


def test_the_eight_symmetries_are_different():
    states = position({(1, 0): "Rh", (5, 6): "Bv"})
    images = set()
    for symmetry in range(pivit.SYMMETRIES):
        turned = states.copy()
        GAME.kernel(kernels.turn_boards)(turned, symmetry)
        images.add(turned.tobytes())
    assert len(images) == 8


@check
@given(positions)
def test_estimates_and_features(states):
    players = int(states[0].players)
    seats = np.arange(players)
    batch = np.repeat(states, players)
    estimates = np.empty(players)
    GAME.kernel(kernels.estimates)(batch, seats, estimates)
    assert abs(estimates).max() <= 1
    assert estimates.sum() == pytest.approx(0)
    if over(states):
        assert estimates.tolist() == pytest.approx(payoffs(states))
    shape, _ = GAME.shapes(players, GAME.params.read(states[0].params))
    features = np.full((players, shape.length), np.nan, np.float32)
    GAME.kernel(kernels.features)(batch, seats, features)
    assert ((features >= -1) & (features <= 1)).all()
    pieces = int((states[0].board != 0).sum())
    assert ((features[:, : -shape.extra] != 0).sum(axis=1) == pieces).all()


def test_features_are_seen_from_the_viewers_side():
    states = position({(0, 1): "Rh", (2, 2): "BV", (5, 4): "Gh"}, promoted="Blue", players=3, extra=["ply 250"])
    features = np.zeros((1, GAME.shapes(3)[0].length), np.float32)
    GAME.kernel(kernels.features)(states, np.array([1]), features)
    planes, rest = features[0, : 12 * 64].reshape(12, 8, 8), features[0, 12 * 64 :]
    assert planes[2, 2, 2] == 1, "own master, v"
    assert planes[5, 5, 4] == 1, "a minion, h, of the player who moves next"
    assert planes[9, 0, 1] == 1, "of the player after that"
    assert rest[:4].tolist() == pytest.approx([0, 1 / 12, 1, 0])
    assert rest[8:12].tolist() == pytest.approx([1 / 12, 0, 0, 1]), "Red has the turn"
    assert rest[12:].tolist() == [0.5, 0]


def test_the_estimate_prefers_masters_and_early_promotion():
    def estimate(pieces, promoted):
        out = np.empty(1)
        GAME.kernel(kernels.estimates)(position(pieces, promoted=promoted), np.array([0]), out)
        return out[0]

    even = {(3, 0): "Rh", (3, 5): "Bv", (0, 2): "RV", (7, 2): "BV"}
    assert estimate(even, "Red Blue") > 0 > estimate(even, "Blue Red")
    assert estimate(even | {(7, 2): "Bv"}, "Red") > estimate(even | {(3, 5): "."}, "Red Blue") > 0


# ------------------------------------------------------------------------------------------------ bad input

EMPTY = "\n".join([". . . . . . . ."] * 6)
TWO_ROWS = "Rh . . . . . . .\nBv . . . . . . ."
GOOD = f"{TWO_ROWS}\n{EMPTY}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "this board has 8 rows, the position 0"),
        (EMPTY, "this board has 8 rows, the position 6"),
        (GOOD + "\n. . . . . . . .", "line 9: neither row 9 of 8 rows of 8 squares, nor one of turn, ply"),
        (GOOD.replace("Rh .", "Rh"), "line 1: neither row 1 of 8 rows of 8 squares"),
        ("2 . . . . . . . .\n" + GOOD, "line 1: neither row 1"),
        (GOOD.replace("Bv", "Gv"), "line 2: 'Gv' is no piece; write one of . Rv Rh RV RH Bv Bh BV BH"),
        (GOOD + "\nturn Green", "line 9: name one of Red, Blue, not 'Green'"),
        (GOOD + "\nturn Red Blue", "line 9: name one of Red, Blue, not 'Red Blue'"),
        (GOOD + "\nturn", "line 9: name one of Red, Blue, not ''"),
        (GOOD + "\nply many", "line 9: expected a number from 0 to 500, not 'many'"),
        (GOOD + "\nply 501", "line 9: expected a number from 0 to 500, not '501'"),
        (GOOD + "\nply 500", "no moves are left to play"),
        (GOOD + "\nquiet 1", "line 9: expected a number from 0 to 0"),
        (GOOD + "\npromoted Red Red", "line 9: name some of Red, Blue, not 'Red Red'"),
        (GOOD + "\nover and out", "line 9: after `over` comes the reason, one of most-masters, "),
        (GOOD + "\nover tied", "line 9: name some of Red, Blue"),
        (GOOD.replace("Rh", "RH"), "Red has a master, but no line `promoted` names it"),
        (GOOD.replace("Bv", "."), "the game goes on only while two colours and a minion are left"),
        (GOOD.replace("Rh", "RH").replace("Bv", "BV") + "\npromoted Red Blue", "the game goes on only while"),
        (GOOD.replace("\n" + EMPTY, ("\n" + "Rh " * 8) * 2 + "\n" + EMPTY[:63]), "Red has 17 pieces, more than the 12"),
        (GOOD.replace("Rh . . . . . . .", "Rh " * 8), "it is the turn of Red, who has no move"),
    ],
)
def test_bad_positions(text, complaint):
    with pytest.raises(BadNotation) as error:
        GAME.parse_state(text, 2)
    assert str(error.value).startswith(complaint)


@pytest.mark.parametrize("text", ["", "c1", "c1-c9", "i1-c1", "138", "c1--c2", "c1>c2"])
def test_bad_moves(text):
    states, _ = start()
    with pytest.raises(BadNotation, match="is no move; write the square left and the square reached"):
        GAME.parse_action(states, 0, text)


def test_moves_in_words():
    states, _ = start()
    assert GAME.action_text(states[0], 0, 154) == "c1-c4"
    assert all(GAME.parse_action(states, 0, text) == 154 for text in ("c1-c4", "C1C4", " c1 c4 ", "c1xc4"))
    with pytest.raises(BadNotation, match="'c1-c3' is not allowed now; your menu:"):
        GAME.parse_action(states, 0, "c1-c3")
    assert GAME.action_text(position({(3, 0): "Rh", (3, 5): "Bv"})[0], 0, 1565) == "a4xf4"


def test_bad_settings():
    with pytest.raises(BadParams, match="the 6x6 board is for two players"):
        start(3, "short")
    with pytest.raises(BadInput, match="2 to 4 players, not 5"):
        start(5)
    with pytest.raises(BadParams, match="rule cap must lie in"):
        start(cap=0)


# ------------------------------------------------------------------------------------------------ plain and compiled

DIGEST = """
import hashlib
import numpy as np
from ludus import kernels, load
from ludus.rng import match_words

game, digest = load("pivit"), hashlib.sha256()
for players, preset, rules in [
    (2, "default", {"cap": 60}), (2, "short", {}), (2, "paper", {"cap": 40}), (3, "default", {"cap": 50}),
    (4, "default", {"quiet": 6}), (2, "short", {"tie": "draw", "stuck": "loss", "quiet": 9}),
]:
    words = np.array([match_words(4, block, 0, players) for block in range(2)])
    states = game.start(words, players, game.rule_values(preset, rules))
    for limit in (20, 1000):
        plies = np.zeros(2, np.int64)
        game.kernel(kernels.rollouts)(states, words, plies, limit)
        seats, features, estimates = np.arange(2), np.zeros((2, game.names["FEATURES"]), np.float32), np.zeros(2)
        game.kernel(kernels.features)(states, seats, features)
        game.kernel(kernels.estimates)(states, seats, estimates)
        ok = np.zeros(2, np.bool_)
        game.kernel(kernels.validity)(states, ok)
        assert ok.all()
        turned = states.copy()
        game.kernel(kernels.turn_boards)(turned, 5)
        for part in (states, words, plies, features, estimates, game.payoffs(states), turned):
            digest.update(part.tobytes())
print(digest.hexdigest())
"""


def test_plain_python_and_compiled_code_agree():
    def run(**changes):
        command = [sys.executable, "-W", "error", "-c", DIGEST]
        return subprocess.run(command, env=os.environ | changes, capture_output=True, text=True, check=True).stdout

    assert run(NUMBA_DISABLE_JIT="1") == run(NUMBA_DISABLE_JIT="0")
