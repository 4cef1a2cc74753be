"""Thrones: the published positions, every option, a naive second opinion, and the bots of the course as yardstick."""

from __future__ import annotations

import functools
import math
import os
import random
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import kernels, load
from ludus.compile import template
from ludus.errors import BadNotation, BadParams
from ludus.games import thrones
from ludus.games._thrones_text import ENDINGS
from ludus.games.thrones import COL_STEP, ROW_STEP, TRAIL, WALKER, WALL, can_take_heads, end_round, move
from ludus.rng import below, match_words
from ludus.rules import step, to_act
from tests.games.naive_thrones import NaiveThrones, room_text
from tests.games.second_opinion import agree

GAME = load("thrones")
UDLR = "UDLR"

# ------------------------------------------------------------------------------------------------ tools


@template
def solo(states, player, actions):
    """One player moves several times, as if the other and the walkers slept."""
    for k in range(actions.shape[0]):
        if states[0].winner == 0:
            move(states[0], player, actions[k])


@template
def walk(states, words):
    """Only the walkers move."""
    for i in range(states.shape[0]):
        end_round(states[i], words[i, :1])


@template
def hunters(states, out):
    for i in range(states.shape[0]):
        for player in range(2):
            out[i, player] = can_take_heads(states[i], player)


@template
def careful(states, words, plies, limit):
    """Random play that avoids walls, walkers and own trail while it can: matches in which things happen."""
    actions = np.empty(2, np.int32)
    menu = np.empty(4, np.int32)
    for i in range(states.shape[0]):
        state = states[i]
        while to_act(state) != 0 and plies[i] < limit:
            player = to_act(state) - 1
            count = 0
            for action in range(4):
                code = state.board[state.head[player] + ROW_STEP[action] * state.cols + COL_STEP[action]]
                if code != WALL and code != WALKER and code != TRAIL + player:
                    menu[count] = action
                    count += 1
            actions[:] = -1
            actions[player] = menu[below(words[i, 1 + player : 2 + player], count)] if count > 0 else 0
            step(state, actions, words[i, :1])
            plies[i] += 1


def values(**rules):
    return GAME.rule_values("default", rules)


def at(text, **rules):
    return GAME.parse_state(text, 2, values(**rules))


def words_for(count, seed=1):
    return np.array([match_words(seed, block, 0, 2) for block in range(count)])


def start(count=1, seed=1, **rules):
    words = words_for(count, seed)
    return GAME.start(words, 2, values(**rules)), words


def play_alone(states, moves, player=0):
    GAME.kernel(solo)(states, player, np.array([UDLR.index(sign) for sign in moves.replace(" ", "")]))
    return states[0]


def play(states, moves, seed=1):
    """Moves in turn, through the public door."""
    words = words_for(1, seed)
    for sign in moves.replace(" ", ""):
        mask = int(GAME.waiting(states)[0])
        assert mask, "the match is over"
        actions = np.full((1, 2), -1, np.int32)
        actions[0, mask - 1] = UDLR.index(sign)
        GAME.advance(states, actions, words)
    return states[0]


def walkers_move(states, seed=1):
    GAME.kernel(walk)(states, words_for(len(states), seed))
    return states[0]


def play_carefully(states, words, limit=10**6):
    plies = np.zeros(len(states), np.int64)
    GAME.kernel(careful)(states, words, plies, limit)
    return plies


def room(state):
    """The map alone."""
    return [line for line in GAME.state_text(state).splitlines() if line.startswith("#")]


def walker_at(state, k=0):
    """Row, column and direction of a walker."""
    heading = int(state.heading[k])
    return *divmod(int(state.walker[k]), int(state.cols)), 1 - (heading & 2), 1 - 2 * (heading & 1)


def steps_apart(state):
    """Between the heads."""
    (row, col), (other_row, other_col) = (divmod(int(cell), int(state.cols)) for cell in state.head)
    return abs(row - other_row) + abs(col - other_col)


def land(state, player):
    return {divmod(int(cell), int(state.cols)) for cell in np.flatnonzero(state.board == 2 + player)}


# ------------------------------------------------------------------------------------------------ G1-G6


def test_G1_loop_of_four():
    state = play_alone(start(map="empty_room")[0], "RDLU")
    assert (state.area[0], state.trail[0], state.inside[0]) == (4, 0, 1)
    assert divmod(int(state.head[0]), 13) == (1, 1)
    assert land(state, 0) | {(1, 1)} == {(1, 1), (1, 2), (2, 1), (2, 2)}


def test_G1_loop_of_eight_fills_the_centre():
    state = play_alone(start(map="empty_room")[0], "RRDDLLUU")
    assert state.area[0] == 9
    assert (2, 2) in land(state, 0)


G2 = """
#######
#  1  #
#     #
#X    #
#     #
#    2#
#######
"""


def test_G2_wall_is_no_border():
    state = play_alone(at(G2), "DDLL")
    assert state.area[0] == 5
    assert room(state) == ["#######", "#  X  #", "#  X  #", "#1XX  #", "#     #", "#    2#", "#######"]


def test_G2_wall_encloses():
    state = play_alone(at(G2, wall_encloses="on"), "DDLL")
    assert state.area[0] == 9
    assert room(state)[1:4] == ["#XXX  #", "#XXX  #", "#1XX  #"]


G3A = """
#######
#XXXX #
#X  * #
#X 2* #
#X  * #
#XXX1 #
#######
"""


def test_G3a_enclosed_head_dies():
    state = play(at(G3A), "L")
    assert (state.winner, state.ending) == (1, thrones.ENCLOSED)
    assert GAME.outcome_text(np.array([state])) == "X wins: X enclosed the head of O"
    assert room(state) == G3A.split("\n")[1:-1], "a kill leaves the board as it was"


G3B = """
#######
#     #
# X*1 #
#   2 #
#   OO#
#    O#
#######
O inside
"""


def test_G3b_head_is_taken_even_at_home():
    state = play(at(G3B), "D")
    assert (state.winner, state.ending) == (1, thrones.HEAD_TAKEN)


def test_G3b_the_other_player_could_do_it_too():
    state = play(at(G3B, first=1), "U")
    assert (state.winner, state.ending) == (2, thrones.HEAD_TAKEN)


def round_walker(*marks):
    """7x7 with a walker in the middle, the heads far away unless `marks` put them elsewhere."""
    lines = [list(line) for line in ["#######", *["#     #"] * 5, "#######"]]
    lines[3][3], lines[1][5] = "W", "2"
    for row, col, sign in marks if any(sign == "1" for _, _, sign in marks) else [(5, 1, "1"), *marks]:
        lines[row][col] = sign
    return "\n".join("".join(line) for line in lines)


@pytest.mark.parametrize(
    ("marks", "where"),
    [
        ([], (4, 4, 1, 1)),
        ([(4, 4, "X")], (2, 2, -1, -1)),
        ([(4, 4, "O")], (2, 2, -1, -1)),
        ([(3, 4, "X")], (4, 2, 1, -1)),
        ([(4, 3, "O")], (2, 4, -1, 1)),
        ([(4, 4, "1"), (4, 5, "X"), (3, 4, "X")], (4, 2, 1, -1)),
    ],
)
def test_G4_walker_bounces(marks, where):
    state = walkers_move(at(round_walker(*marks)))
    assert walker_at(state) == where
    assert state.winner == 0
    assert state.board[where[0] * 7 + where[1]] == WALKER
    assert (state.board == WALKER).sum() == 1


@pytest.mark.parametrize(
    ("marks", "note"),
    [([(4, 4, "1")], "X outside"), ([(4, 4, "1"), (4, 5, "X")], "X inside"), ([(4, 4, "*"), (4, 5, "1")], "X outside")],
)
def test_G4_walker_kills(marks, note):
    state = walkers_move(at(round_walker(*marks) + "\n" + note))
    assert (state.winner, state.ending) == (2, thrones.WALKER_HIT)
    assert walker_at(state) == (3, 3, 1, 1), "it stays"


def test_G4_walker_of_the_large_room():
    states, _ = start(map="large_room")
    path = {}
    for number in range(19):
        path[number] = walker_at(states[0])[:2]
        walkers_move(states)
    expected = {0: (15, 19), 1: (16, 20), 2: (17, 21), 14: (29, 33), 16: (27, 35), 17: (26, 36), 18: (25, 35)}
    assert {number: path[number] for number in expected} == expected


def test_G5_stealing():
    text = "#######\n#     #\n#X1OO #\n#     #\n#     #\n#    2#\n#######"
    states = at(text)
    assert list(states[0].area) == [2, 3]
    assert play_alone(states, "R").area[1] == 2
    assert list(play_alone(states, "RDLLU").area) == [7, 1]


@pytest.mark.parametrize(
    ("name", "shape", "heads", "fillable", "half"),
    [
        ("empty_room", (13, 13), [(1, 1), (11, 11)], 121, 61),
        ("small_room", (13, 13), [(1, 1), (11, 11)], 120, 60),
        ("large_room", (31, 38), [(1, 1), (29, 36)], 1043, 522),
    ],
)
def test_G6_counts(name, shape, heads, fillable, half):
    state = start(map=name)[0][0]
    assert (state.rows, state.cols) == shape
    assert [divmod(int(cell), shape[1]) for cell in state.head] == heads
    assert (state.fillable, list(state.area), list(state.inside)) == (fillable, [1, 1], [1, 1])
    assert f"fillable {fillable}, {half} win" in GAME.state_text(state)
    assert room(state) == room_text(name).splitlines()


@pytest.mark.parametrize(
    ("name", "fillable", "half"), [("empty_room", 121, 61), ("small_room", 120, 60), ("large_room", 1043, 522)]
)
def test_G6_the_win_comes_exactly_at_half(name, fillable, half):
    """Own land beside the head, so that the next step is a move on own territory: one cell too few, or just enough."""
    width = 36 if name == "large_room" else 11
    for own, winner, ending in ((half - 1, 0, 0), (half, 1, thrones.AREA)):
        lines = [list(line) for line in room_text(name).replace("W", " ").splitlines()]
        for k in range(1, own):
            lines[1 + k // width][1 + k % width] = "X"
        state = play(at("\n".join("".join(line) for line in lines) + f"\nfillable {fillable}"), "R")
        assert (state.area[0], state.winner, state.ending) == (own, winner, ending)


# ------------------------------------------------------------------------------------------------ single rules


@pytest.mark.parametrize(
    ("text", "moves", "winner", "words"),
    [
        ("#####\n#1  #\n#  2#\n#####", "U", 2, "O wins: X ran into a wall"),
        ("#####\n#1W #\n#  2#\n#####", "R", 2, "O wins: X ran into a walker"),
        ("######\n#X*1 #\n#   2#\n######", "L", 2, "O wins: X ran into its own trail"),
        ("######\n#1.2 #\n#   O#\n######", "R", 1, "X wins: X cut the trail of O"),
        ("#####\n#12 #\n#   #\n#####", "R", 1, "X wins: X took the head of O"),
    ],
)
def test_what_kills(text, moves, winner, words):
    states = at(text, walkers="frozen")
    before = states[0].board.copy()
    state = play(states, moves)
    assert state.winner == winner
    assert GAME.outcome_text(states) == words
    assert not GAME.waiting(states)[0]
    assert GAME.payoffs(states)[0].tolist() == ([1, -1] if winner == 1 else [-1, 1])
    assert (state.board == before).all()


def test_head_of_a_player_one_step_out_is_no_trail():
    """Reversing is fatal only once a tile of trail lies behind."""
    assert play_alone(start(map="empty_room")[0], "RL").winner == 0
    assert play_alone(start(map="empty_room")[0], "RRL").winner == 2


def test_out_and_straight_back_gains_the_cell():
    state = play_alone(start(map="empty_room")[0], "RL")
    assert (state.area[0], land(state, 0)) == (2, {(1, 2)})


def test_hole_is_filled_at_the_next_closing_anywhere():
    text = "#########\n#       #\n# XXX   #\n# XOX   #\n# XXX1  #\n#       #\n#      2#\n#########"
    states = at(text)
    assert list(states[0].area) == [9, 2]
    state = play_alone(states, "RL")
    assert list(state.area) == [11, 1], "the cell stepped on, and the hole that was the enemy's"


def test_flood_passes_between_cells_that_touch_at_a_corner():
    text = "########\n#      #\n#  X   #\n# X X  #\n#  X1  #\n#     2#\n########\nX outside"
    state = play_alone(at(text), "L")
    assert room(state)[2:5] == ["#  X   #", "# X X  #", "#  1X  #"]


MAZE = """
###########
#         #
# XXXXXXX #
# X X   X #
# X X X X #
# X X X X1#
# X X X X #
# X   X X #
# XXXXX{}X #
#        2#
###########
X outside
"""


def test_flood_winds_its_way_in():
    """Up, down and up again: one sweep of the rows is not enough."""
    state = play_alone(at(MAZE.format(" ")), "L")
    assert (state.area[0], room(state)[3]) == (32, "# X X   X #")
    state = play_alone(at(MAZE.format("X")), "L")
    assert (state.area[0], room(state)[3]) == (50, "# XXXXXXX #")


def test_own_land_needs_no_trail_to_win():
    """A plain move on own territory is enough, and needs no closing."""
    state = play(at("#####\n#1X #\n#  2#\n#####"), "R")
    assert state.winner == 0
    state = play(at("#####\n#1XX#\n#  2#\n#####"), "R")
    assert (state.winner, state.ending) == (1, thrones.AREA)


def test_area_is_not_judged_outside():
    """Enough land, but the mover steps out: the match goes on."""
    assert play(at("######\n#1XXX#\n#X  2#\n######"), "D").winner == 1
    assert play(at("######\n#1XXX#\n#   2#\n######"), "D").winner == 0


def test_landless_enemy_plays_on():
    text = "#######\n#1O   #\n#     #\n#     #\n#     #\n#   .2#\n#######"
    state = play_alone(at(text), "R")
    assert list(state.area) == [1, 0]
    assert state.winner == 0


def test_enclosed_walkers_vanish_and_the_rest_keep_their_order():
    text = """
    #########
    #XXXX   #
    #X  *   #
    #XW *   #
    #X  * W #
    #1***W  #
    #      2#
    #########
    walker 5,5 up-left
    walker 3,2 up-right
    walker 4,6 down-left
    """
    state = play_alone(at(text), "U")
    assert [walker_at(state, k) for k in range(state.walkers)] == [(5, 5, -1, -1), (4, 6, 1, -1)]
    assert not state.walker[2:].any()
    assert not state.heading[2:].any()
    assert (3, 2) in land(state, 0)
    assert state.area[0] == 20
    assert state.fillable == 6 * 7 - 3, "what counts as half does not change"


def test_walls_inside_an_enclosure_stay():
    text = "#######\n#XXX  #\n#X#X  #\n#X1   #\n#     #\n#    2#\n#######"
    state = play_alone(at(text), "RU")
    assert room(state)[2] == "#X#1  #"
    assert state.area[0] == 8


def test_walkers_move_once_a_round_and_only_if_nobody_died():
    states, _ = start()
    assert walker_at(play(states, "R"))[:2] == (6, 6)
    assert walker_at(play(states, "L"))[:2] == (7, 7)
    state = play(states, "RD")
    assert (state.winner, walker_at(state)[:2]) == (1, (7, 7))


def test_walkers_move_one_after_the_other():
    """The second finds the cell taken that the first has just entered."""
    text = "########\n#1     #\n# W    #\n#      #\n#   W  #\n#      #\n#     2#\n########"
    states = at(text + "\nwalker 2,2 down-right\nwalker 4,4 up-left")
    walkers_move(states)
    assert [walker_at(states[0], k) for k in range(2)] == [(3, 3, 1, 1), (5, 5, 1, 1)]


def test_walker_turns_and_waits_if_the_way_back_is_blocked_too():
    text = "#####\n#1X2#\n#XWX#\n#X X#\n#####"
    assert walker_at(walkers_move(at(text, head_kill="off"))) == (2, 2, 1, -1)


BOTH = """
#########
#1{}    2#
# W   W #
#       #
#########
walker 2,2 up-left
walker 2,6 up-right
"""


@pytest.mark.parametrize(("sign", "winner"), [(" ", 3), ("X", 1), ("O", 2)])
def test_walkers_that_hit_both_leave_it_to_the_areas(sign, winner):
    state = walkers_move(at(BOTH.format(" ").replace("#       #", f"#   {sign}   #")))
    assert (state.winner, state.ending) == (winner, thrones.WALKERS_HIT_BOTH)


# ------------------------------------------------------------------------------------------------ options


def test_head_kill_off_makes_heads_obstacles():
    states = at(G3B, head_kill="off")
    assert (play(states, "D").winner, states[0].ending) == (2, thrones.RAN_INTO_HEAD)
    assert GAME.outcome_text(states) == "O wins: X ran into the head of O"


def test_head_kill_off_spares_heads_from_walkers_but_not_trails():
    spared = walkers_move(at(round_walker((4, 4, "1")), head_kill="off"))
    assert (spared.winner, walker_at(spared)) == (0, (3, 3, 1, 1))
    assert walkers_move(at(round_walker((4, 4, "*"), (4, 5, "1")), head_kill="off")).winner == 2


def test_wall_encloses_leaves_the_side_of_the_enemy_open():
    """A line across the room: all behind it is taken, however large."""
    text = "########\n#      #\n#      #\n#XXXXX1#\n#     2#\n########\nX outside"
    state = play_alone(at(text, wall_encloses="on"), "L")
    assert room(state)[1:5] == ["#XXXXXX#", "#XXXXXX#", "#XXXX1X#", "#     2#"]
    assert play_alone(at(text), "L").area[0] == 6


def test_wall_encloses_still_kills_a_head_within_the_border():
    assert play(at(G3A, wall_encloses="on"), "L").ending == thrones.ENCLOSED


def test_cap_and_larger_territory():
    states = start(map="empty_room", cap=2)[0]
    state = play(states, "RL LU")
    assert (state.winner, state.ending, state.plies) == (1, thrones.ROUNDS, 4)
    assert GAME.outcome_text(states) == "X wins: the last round is over, territory 2 to 1"


def test_walkers_move_before_the_last_round_is_judged():
    state = play(start(cap=1)[0], "RL")
    assert (state.ending, walker_at(state)[:2]) == (thrones.ROUNDS, (7, 7))


def test_tie_is_a_draw():
    states = start(map="empty_room", cap=1)[0]
    assert play(states, "RL").winner == thrones.DRAW
    assert GAME.payoffs(states)[0].tolist() == [0, 0]
    assert GAME.outcome_text(states) == "draw: the last round is over, territory 1 to 1"


def test_tie_is_tossed_for():
    states, words = start(4000, map="empty_room", cap=1, tie="coin")
    for player, action in ((0, 3), (1, 2)):
        actions = np.full((4000, 2), -1, np.int32)
        actions[:, player] = action
        GAME.advance(states, actions, words)
    wins = np.bincount(states["winner"], minlength=4)
    assert wins[1] + wins[2] == 4000
    assert abs(wins[1] - 2000) < 4 * math.sqrt(1000)
    assert GAME.outcome_text(states[:1]).endswith("territory 1 to 1, and the coin decided")


def test_first_mover():
    states = start(first=1)[0]
    assert GAME.waiting(states)[0] == 2
    play(states, "L")
    assert GAME.waiting(states)[0] == 1


def test_frozen_walkers_stand_still_and_are_fatal():
    state = play(start(walkers="frozen")[0], "RLLR")
    assert walker_at(state) == (6, 6, 1, 1)
    assert play(at("#####\n#1W #\n#  2#\n#####", walkers="frozen"), "R").ending == thrones.RAN_INTO_WALKER


def test_search_model_is_one_field_of_a_copy():
    """What the published bots searched with: the same match, but the walkers stand still."""
    states = start()[0]
    copy = states.copy()
    copy["params"]["walkers"] = thrones.FROZEN
    play(states, "RL")
    play(copy, "RL")
    assert (walker_at(states[0])[:2], walker_at(copy[0])[:2]) == ((7, 7), (6, 6))


def test_random_walkers_choose_evenly():
    states = np.repeat(at(round_walker(), walkers="random"), 4000)
    walkers_move(states)
    went = Counter(walker_at(state)[:2] for state in states)
    assert set(went) == {(2, 2), (2, 4), (4, 2), (4, 4)}
    assert all(abs(count - 1000) < 4 * math.sqrt(750) for count in went.values())


def test_random_walkers_go_to_empty_cells_alone():
    marks = (4, 4, "*"), (4, 5, "1"), (2, 2, "O"), (3, 4, "X")
    states = np.repeat(at(round_walker(*marks), walkers="random"), 3000)
    walkers_move(states)
    assert not states["winner"].any()
    assert {walker_at(state)[:2] for state in states} == {(2, 4), (4, 2)}


def test_random_walker_without_a_way_stays():
    text = "#####\n#1X2#\n# W #\n#X X#\n#####"
    assert walker_at(walkers_move(at(text, walkers="random", head_kill="off"))) == (2, 2, 1, 1)


@pytest.mark.parametrize(
    ("rules", "certain"),
    [
        ({}, True),
        ({"map": "large_room", "walkers": "frozen"}, True),
        ({"walkers": "random"}, False),
        ({"walkers": "random", "map": "empty_room"}, True),
        ({"tie": "coin"}, False),
    ],
)
def test_deterministic(rules, certain):
    out = np.zeros(1, np.bool_)
    GAME.kernel(kernels.certainties)(start(**rules)[0], out)
    assert out[0] == certain


def test_presets():
    assert set(GAME.presets) == {"default", "paper_small", "paper_large", "paper_text", "short"}
    for preset in GAME.presets:
        GAME.start(words_for(1), 2, GAME.rule_values(preset))
    with pytest.raises(BadParams, match="cap must lie in 1 … 1000"):
        values(cap=1001)


# ------------------------------------------------------------------------------------------------ second opinion

HALL = """\
##########
#1       #
#   W    #
#  ##  W #
#   #    #
# W     W#
#    #   #
#     #  #
#       2#
##########"""
PEN = """\
###########
#         #
# XXXXXXX #
# X     X #
# X W O X #
# X   2 1 #
# X W     #
# XXXXXXX #
#  O   W  #
###########"""
CAGE = PEN.replace("2", " ").replace("#  O   W", "#  2   W")
LANE = "########\n#1   W #\n#  W   #\n#     2#\n########"


def naive_start(state):
    rules = GAME.params.read(state.params)
    return NaiveThrones(room_text(rules["map"]), rules)


@pytest.mark.parametrize(
    ("matches", "rules"),
    [
        (700, {}),
        (500, {"map": "empty_room", "first": 1}),
        (200, {"map": "large_room"}),
        (300, {"walkers": "random", "tie": "coin", "cap": 2}),
        (300, {"wall_encloses": "on", "head_kill": "off", "cap": 1}),
        (200, {"walkers": "frozen", "tie": "coin", "cap": 1, "first": 1}),
    ],
)
def test_naive_rules_agree_in_uniform_play(matches, rules):
    assert agree("thrones", naive_start, matches, rules=rules) > matches


def wise_action(naive, player, dice, patience):
    """Rarely fatal, seldom deadly, shy of walkers, home again after a while: matches in which land changes hands."""
    me, foe = naive.heroes[player], naive.heroes[1 - player]
    steps = {0: (-1, 0), 1: (1, 0), 2: (0, -1), 3: (0, 1)}
    cells = {action: (me.at[0] + dr, me.at[1] + dc) for action, (dr, dc) in steps.items()}
    if dice.random() < 0.003:
        return dice.randrange(4)
    fine = [action for action in cells if naive.cells[cells[action]] not in ("#", "W", me.tail)]
    kind = [action for action in fine if naive.cells[cells[action]] not in (foe.tail, foe.sign)]
    tail = naive._find(me.tail)
    homes = naive._find(me.land)

    def danger(action):
        spots = [(ghost.at[0] - r, ghost.at[1] - c) for ghost in naive.ghosts for r, c in [cells[action], *tail]]
        return any(abs(r) == abs(c) == 1 for r, c in spots)

    def way_home(action):
        return min(abs(cells[action][0] - r) + abs(cells[action][1] - c) for r, c in homes)

    options = (kind if dice.random() < 0.9 else fine) or fine
    options = [action for action in options if not danger(action)] or options
    if homes and not me.home and len(tail) >= patience:
        options = [action for action in options if way_home(action) == min(map(way_home, options))]
    elif me.home and dice.random() < 0.7:
        options = [action for action in options if naive.cells[cells[action]] != me.land] or options
    return dice.choice(options) if options else 0


def long_match(match, plan, rules):
    """One match in step with the naive rules, which are returned at its end, and how it ended."""
    dice = random.Random(match)
    words = words_for(1, match)
    states = at(plan, **rules) if plan else GAME.start(words, 2, values(**rules))
    naive = NaiveThrones(plan or room_text(values(**rules)["map"]), values(**rules))
    patience = dice.randint(0, 7)
    while mask := int(GAME.waiting(states)[0]):
        player = mask - 1
        assert naive.to_act() == {player}
        action = wise_action(naive, player, dice, patience)
        actions = np.full((1, 2), -1, np.int32)
        actions[0, player] = action
        GAME.advance(states, actions, words)
        naive.step({player: action}, states[0])
        difference = naive.differs(states[0])
        assert not difference, f"match {match}, ply {naive.ply}, {UDLR[action]}: {difference}"
    assert naive.to_act() == set()
    assert GAME.payoffs(states)[0].tolist() == naive.returns()
    return naive, int(states[0].ending)


LONG_PLAY = [
    (30, None, {}),
    (30, None, {"map": "empty_room", "first": 1, "cap": 200}),
    (30, None, {"map": "small_room", "wall_encloses": "on", "cap": 40}),
    (30, None, {"map": "small_room", "head_kill": "off", "walkers": "random", "tie": "coin", "cap": 60}),
    (6, None, {"map": "large_room", "cap": 80}),
    (100, HALL, {"cap": 100}),
    (60, HALL, {"walkers": "random", "cap": 100}),
    (60, HALL, {"head_kill": "off", "wall_encloses": "on", "cap": 100}),
    (100, LANE, {"first": 1, "cap": 100}),
    (100, LANE, {"head_kill": "off", "walkers": "frozen", "cap": 100}),
    (150, PEN, {"walkers": "random"}),
    (100, PEN, {"first": 1, "wall_encloses": "on"}),
    (80, CAGE, {"cap": 50}),
]


@functools.cache
def long_play(case):
    """What happened in the matches of one case."""
    matches, plan, rules = LONG_PLAY[case]
    seen = Counter()
    for match in range(matches):
        naive, ending = long_match(match, plan, rules)
        seen.update(plies=naive.ply, closings=naive.closings, thefts=naive.thefts, buried=naive.buried)
        seen[ENDINGS[ending][0]] += 1
    return seen


@pytest.mark.parametrize("case", range(len(LONG_PLAY)))
def test_naive_rules_agree_in_long_play(case):
    assert long_play(case)["closings"] > 0


def test_long_play_has_seen_everything():
    seen = sum((long_play(case) for case in range(len(LONG_PLAY))), Counter())
    assert {name for name, _ in ENDINGS if name} <= set(seen)
    assert min(seen["closings"] / 20, seen["thefts"], seen["buried"]) >= 50


# ------------------------------------------------------------------------------------------------ laws

ROOMS = ("small_room", "empty_room", "large_room")


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), limit=st.integers(0, 120), room=st.sampled_from(ROOMS), first=st.integers(0, 1))
def test_positions_keep_the_laws(seed, limit, room, first):
    states, words = start(1, seed, map=room, first=first)
    apart = steps_apart(states[0])
    plies = play_carefully(states, words, limit)
    state = states[0]
    sound = np.zeros(1, np.bool_)
    GAME.kernel(kernels.validity)(states, sound)
    assert sound[0]
    if state.winner == 0:
        assert (steps_apart(state) - apart - plies[0]) % 2 == 0, "each move changes the distance by one"
    estimates = np.zeros((2, 1))
    for player in range(2):
        GAME.kernel(kernels.estimates)(states, np.array([player]), estimates[player])
    assert estimates[0, 0] == -estimates[1, 0]
    assert abs(estimates[0, 0]) <= 1
    again = GAME.parse_state(GAME.state_text(state), 2, GAME.params.read(state.params))
    assert again.tobytes() == states.tobytes()


@pytest.mark.parametrize(
    ("text", "first", "hunter"),
    [(room_text("small_room"), 0, 1), (room_text("empty_room"), 1, 0), (LANE, 0, 0), (LANE, 1, 1)],
)
def test_parity_law_only_one_player_can_take_heads(text, first, hunter):
    """20 steps apart in the small rooms, so the second mover is the hunter; 7 in the lane, so the first is."""
    states = np.repeat(at(text, first=first, walkers="frozen"), 20000)
    out = np.zeros((20000, 2), np.int64)
    GAME.kernel(hunters)(states, out)
    assert (out[:, hunter] == 1).all()
    assert (out[:, 1 - hunter] == 0).all()
    play_carefully(states, words_for(20000))
    taken = states["winner"][states["ending"] == thrones.HEAD_TAKEN]
    assert len(taken) > 20
    assert (taken == 1 + hunter).all()


def test_parity_of_the_large_room():
    out = np.zeros((1, 2), np.int64)
    GAME.kernel(hunters)(start(map="large_room")[0], out)
    assert out[0].tolist() == [1, 0], "63 steps apart: only the first mover can"


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), limit=st.integers(0, 60), action=st.integers(0, 3), room=st.sampled_from(ROOMS))
def test_mirror_commutes_with_step(seed, limit, action, room):
    states, words = start(1, seed, map=room)
    play_carefully(states, words, limit)
    if not (mask := int(GAME.waiting(states)[0])):
        return
    mirrored_action = np.zeros(1, np.int32)
    GAME.kernel(kernels.turn_actions)(states, 1, np.array([action]), mirrored_action)
    mirrored = states.copy()
    GAME.kernel(kernels.turn_boards)(mirrored, 1)
    for batch, chosen in ((states, action), (mirrored, mirrored_action[0])):
        actions = np.full((1, 2), -1, np.int32)
        actions[0, mask - 1] = chosen
        GAME.advance(batch, actions, words.copy())
    GAME.kernel(kernels.turn_boards)(states, 1)
    assert states.tobytes() == mirrored.tobytes()


def test_mirror_turns_board_heads_and_walkers():
    states = at("#####\n#1 X#\n#* W#\n#  2#\n#####\nwalker 2,3 down-left")
    GAME.kernel(kernels.turn_boards)(states, 1)
    assert room(states[0]) == ["#####", "#1* #", "#   #", "#XW2#", "#####"]
    assert walker_at(states[0]) == (3, 2, -1, 1)


def test_valid_notices_wrong_counts():
    good = start()[0]
    for field, value in (("area", 2), ("trail", 1), ("inside", 0), ("head", 20)):
        bad = good.copy()
        bad[field][0, 0] = value
        out = np.ones(1, np.bool_)
        GAME.kernel(kernels.validity)(bad, out)
        assert not out[0], field


# ------------------------------------------------------------------------------------------------ features


def features(states, player):
    out = np.full((1, GAME.names["FEATURES"]), 9, np.float32)
    GAME.kernel(kernels.features)(states, np.array([player]), out)
    return out[0, -18:], out[0, :-18].reshape(3, 21, 21)


def test_features_show_all_of_a_small_room():
    states = at("######\n#XX* #\n#  1 #\n#W OO#\n#  .2#\n######\nwalker 3,1 up-left\nO outside\nply 6")
    for player in range(2):
        scalars, (lands, trails, obstacles) = features(states, player)
        row, col = divmod(int(states[0].head[player]), 6)
        inner = np.s_[10 - row : 16 - row, 10 - col : 16 - col]
        sign = 1 - 2 * player
        assert lands.sum() == lands[inner].sum() == 0
        assert lands[inner][1, 1] == sign
        assert lands[inner][3, 3] == -sign
        assert (trails[inner][1, 3], trails[inner][2, 3]) == (sign * 0.5, sign)
        assert trails[10, 10] == 1, "one's own head is in the middle"
        assert obstacles[inner][3, 1] == -1
        assert (obstacles[inner] == 1).sum() == 20
        assert (obstacles == 1).sum() == 21 * 21 - 16
        assert scalars[0] == scalars[5] == 0
        assert scalars[1] == scalars[6] == np.float32(2 / 8)
        assert scalars[10] == (player == 0), "X is to move"
        assert scalars[15:].tolist() == [np.float32((1 - col) / 6), -1, -1]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), limit=st.integers(0, 200), room=st.sampled_from(ROOMS), player=st.integers(0, 1))
def test_features_stay_in_range(seed, limit, room, player):
    states, words = start(1, seed, map=room)
    play_carefully(states, words, limit)
    scalars, planes = features(states, player)
    assert np.abs(scalars).max() <= 1.1
    assert np.abs(planes).max() == 1


def test_heuristic_prefers_land_and_fears_the_hunter():
    def worth(text):
        out = np.zeros(1)
        GAME.kernel(kernels.estimates)(at(text), np.array([0]), out)
        return out[0]

    even = "#########\n#1      #\n#       #\n#       #\n#      2#\n#########"
    ahead = even.replace("#1      #\n#       #", "#1X     #\n#X      #")
    bold = even.replace("#1      #\n#       #", "#X**    #\n#  1    #")
    doomed = bold.replace("1    #\n#       #\n#      2#", "1    #\n#  2    #\n#      O#")
    assert worth(even) == 0
    assert worth(ahead) > worth(bold) > 0 > worth(doomed)
    assert worth(bold + "\nover: X wins, area") == 1


# ------------------------------------------------------------------------------------------------ notation


def test_text_of_a_position_is_readable():
    states = start(map="empty_room", cap=2)[0]
    play(states, "RL")
    lines = GAME.state_text(states[0]).splitlines()
    assert lines[1] == "#X1         #"
    assert lines[13:] == [
        "ply 2",
        "X outside, territory 1, trail 0",
        "O outside, territory 1, trail 0",
        "fillable 121, 61 win",
    ]


def test_finished_positions_are_read_back():
    for rules in ({}, {"map": "empty_room", "cap": 3, "tie": "coin"}, {"map": "large_room", "first": 1}):
        states, words = start(200, 5, **rules)
        play_carefully(states, words)
        for k in range(200):
            assert at(GAME.state_text(states[k]), **rules).tobytes() == states[k].tobytes()


@pytest.mark.parametrize("text", ["U", "up", " u ", "Up"])
def test_moves_are_read(text):
    assert GAME.parse_action(start()[0], 0, text) == 0


def test_every_move_is_written_and_read():
    states = start()[0]
    assert GAME.menu(states, 0).tolist() == [0, 1, 2, 3]
    assert [GAME.parse_action(states, 0, GAME.action_text(states[0], 0, action)) for action in range(4)] == [0, 1, 2, 3]


def test_bad_move():
    with pytest.raises(BadNotation, match="'north' is no direction; write U, D, L or R"):
        GAME.parse_action(start()[0], 0, "north")


FINE = "#####\n#1 W#\n#  2#\n#####\n"
WIDE = "#" * 39


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "at least 3 rows that start with #, this one 0"),
        ("#####\n#1 2#\n####", "line 3: this row has 4 cells, the first 5"),
        ("#####\n#1 2#\n## ##", "line 3: a map has walls on all four sides"),
        ("#####\n#1 2\n#####", "line 2: this row has 4 cells"),
        ("#####\n#1 2 \n#####", "line 2: this row has 4 cells"),
        ("#####\n#1 22\n#####", "line 2: a map has walls on all four sides"),
        ("#####\n#1?2#\n#####", "line 2: '\\?' is no cell"),
        ("#####\n#1 1#\n#####", "line 2: a map has one head 1, this one 2"),
        ("#####\n#1  #\n#####", "one head 2, this one 0"),
        ("#############\n#1WWWWWWWWW2#\n#############", "at most 8 walkers, this one 9"),
        (f"{WIDE}\n#1{' ' * 35}2#\n{WIDE}", "at most 38 rows, 38 columns and 1178 cells; this one is 3x39"),
        ("\n".join(["#" * 38, "#12" + " " * 34 + "#", *["#" + " " * 36 + "#"] * 29, "#" * 38]), "this one is 32x38"),
        (FINE + "turn 3", "line 5: 'turn 3' is neither a row of the map"),
        (FINE + "ply 1001", "ply 1001 is past the cap of 500 rounds"),
        (FINE + "ply 1000", "ply 1000 is past the cap of 500 rounds, unless a line says who won"),
        (FINE + "walker 1,1 up-left", "line 5: no walker stands at 1,1"),
        (FINE + "walker 9,9 up-left", "line 5: no walker stands at 9,9"),
        (FINE + "walker 1,3 north", "line 5: a walker goes down-right, down-left, up-right, up-left, not 'north'"),
        (FINE + "walker 1,3 up-left\nwalker 1,3 up-left", "has 1 walkers, but 2 are listed"),
        (FINE + "fillable 6", "line 5: the map leaves 5 cells to fill, not 6"),
        (FINE + "over: X wins, boredom", "line 5: a match ends by wall, walker"),
        ("#####\n#1*2#\n#####\nX inside", "X has a trail, so its head cannot be inside"),
    ],
)
def test_bad_positions(text, sentence):
    with pytest.raises(BadNotation, match=sentence):
        at(text)


def test_tall_maps_are_as_good_as_wide_ones():
    text = "\n".join(["#" * 31, "#1" + " " * 28 + "#", *["#" + " " * 29 + "#"] * 34, "#" + " " * 28 + "2#", "#" * 31])
    states = at(text)
    assert (states[0].rows, states[0].cols, states[0].fillable) == (38, 31, 36 * 29)
    assert play_alone(states, "RDLU").area[0] == 4


# ------------------------------------------------------------------------------------------------ plain Python

DIGEST = """
import hashlib, random
import numpy as np
from ludus import kernels, load
from ludus.rng import match_words

game = load("thrones")
digest = hashlib.sha256()
for match, rules in enumerate([
    {}, {"map": "empty_room", "first": 1}, {"walkers": "random", "tie": "coin"}, {"map": "large_room"},
    {"wall_encloses": "on", "head_kill": "off"}, {"map": "empty_room", "cap": 20, "tie": "coin"},
] * 2):
    dice = random.Random(match)
    words = match_words(3, match, 0, 2).reshape(1, -1)
    states = game.start(words, 2, game.rule_values("default", rules))
    while mask := int(game.waiting(states)[0]):
        player, state = mask - 1, states[0]
        cols = int(state.cols)
        near = [int(state.board[state.head[player] + way]) for way in (-cols, cols, -1, 1)]
        fine = [k for k in range(4) if near[k] not in (1, 8, 4 + player)]
        home = [k for k in fine if near[k] == 2 + player]
        actions = np.full((1, 2), -1, np.int32)
        actions[0, player] = dice.choice(home if home and dice.random() < 0.5 else fine or [0])
        game.advance(states, actions, words)
        digest.update(states.tobytes() + words.tobytes())
        if dice.random() < 0.1:
            out, worth, sound = np.zeros((1, game.names["FEATURES"]), np.float32), np.zeros(1), np.zeros(1, np.bool_)
            game.kernel(kernels.features)(states, np.array([player]), out)
            game.kernel(kernels.estimates)(states, np.array([player]), worth)
            game.kernel(kernels.validity)(states, sound)
            mirrored = states.copy()
            game.kernel(kernels.turn_boards)(mirrored, 1)
            digest.update(out.tobytes() + worth.tobytes() + sound.tobytes() + mirrored.tobytes())
    digest.update(game.payoffs(states).tobytes())
print(digest.hexdigest())
"""


def test_plain_python_gives_the_same_matches():
    found = []
    for plain in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": plain}
        run = [sys.executable, "-W", "error", "-c", DIGEST]
        found.append(subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout)
    assert found[0] == found[1]
    assert len(found[0].strip()) == 64


# ------------------------------------------------------------------------------------------------ the course's bots
# Three of the opponents that the published bots were measured against. How often they beat each other depends on every
# rule at once, and is known from 20 to 100 matches of another implementation.


class Bot:
    def __init__(self, dice):
        self.dice = dice

    def look(self, state, player):
        self.player, self.cols = player, int(state.cols)
        self.signs = [" #XO*.12W"[code] for code in state.board[: state.rows * state.cols].tolist()]
        self.ways = (-self.cols, self.cols, -1, 1)
        self.at, self.foe = int(state.head[player]), int(state.head[1 - player])
        self.land, self.tail, self.foe_tail, self.foe_sign = "XO"[player], "*."[player], ".*"[player], "21"[player]

    def sign(self, action):
        return self.signs[self.at + self.ways[action]]

    def safe(self):
        """The course's notion: walkers are overlooked, and heads are not taken."""
        actions = [action for action in range(4) if self.sign(action) not in ("#", self.tail, self.foe_sign)]
        self.dice.shuffle(actions)
        return actions

    def apart(self, cell, other):
        return abs(cell // self.cols - other // self.cols) + abs(cell % self.cols - other % self.cols)


class Rand(Bot):
    def act(self):
        return (*self.safe(), 0)[0]


class Attack(Bot):
    """Grows a tongue of land towards the enemy, never more than one step out."""

    last = None
    outside = True

    def act(self):
        actions = self.safe()
        if not actions:
            return 0
        first = self.last is None
        self.last = actions[0] if first else self.choose(actions)
        self.outside = first or self.sign(self.last) != self.land
        return self.last

    def choose(self, actions):
        for action in actions:
            if self.sign(action) == self.foe_tail:
                return action
        if self.outside:
            return self.last ^ 1
        trail = [cell for cell, sign in enumerate(self.signs) if sign == self.foe_tail]
        best, hunting = None, False
        for action in actions:
            cell = self.at + self.ways[action]
            to_trail = min((self.apart(cell, tile) for tile in trail), default=999)
            if to_trail <= 5 and not hunting:
                best, hunting = None, True
            key = (to_trail, 0) if hunting else (self.apart(cell, self.foe), to_trail)
            if best is None or key < best[0]:
                best = key, action
        return best[1]


class Safe(Bot):
    """By turns a loop of four cells and a walk to the nearest empty one, each planned once and played blindly."""

    def __init__(self, dice):
        super().__init__(dice)
        self.plan, self.last, self.looping = [], None, False

    def act(self):
        for _ in range(2):
            if not self.plan:
                self.looping = not self.looping
                self.plan = self.loop() if self.looping else self.way_to_empty()
        self.last = self.plan.pop(0) if self.plan else 0
        return self.last

    def loop(self):
        used = [] if self.last is None else [self.last]
        start, cell = len(used), self.at
        while True:
            ways = {action: self.signs[cell + self.ways[action]] for action in range(4) if action not in used}
            ways = {a: sign for a, sign in ways.items() if sign != "#" and (not used or a // 2 != used[-1] // 2)}
            if not ways:
                return used[start:]
            used.append(self.dice.choice([a for a, sign in ways.items() if sign != self.land] or list(ways)))
            cell += self.ways[used[-1]]

    def way_to_empty(self):
        paths, todo = {self.at: []}, [self.at]
        for cell in todo:
            if self.signs[cell] == " ":
                return paths[cell][::-1]
            for action in self.dice.sample(range(4), 4):
                there = cell + self.ways[action]
                if there not in paths and self.signs[there] != "#":
                    paths[there] = [*paths[cell], action]
                    todo.append(there)
        return []


def first_wins(first, second, room, matches):
    """How many matches the first mover wins."""
    wins = 0
    for match in range(matches):
        dice = random.Random(match)
        bots = first(dice), second(dice)
        states, words = start(1, match, map=room, tie="coin")
        while mask := int(GAME.waiting(states)[0]):
            bot = bots[mask - 1]
            bot.look(states[0], mask - 1)
            actions = np.full((1, 2), -1, np.int32)
            actions[0, mask - 1] = bot.act()
            GAME.advance(states, actions, words)
        wins += int(states[0].winner == 1)
    return wins


@pytest.mark.parametrize(
    ("room", "first", "second", "measured", "out_of", "matches"),
    [
        ("empty_room", Safe, Rand, 0.96, 60, 100),
        ("empty_room", Rand, Safe, 0.02, 60, 100),
        ("empty_room", Attack, Rand, 1.00, 60, 60),
        ("empty_room", Rand, Attack, 0.00, 60, 60),
        ("empty_room", Attack, Attack, 0.00, 60, 60),
        ("empty_room", Safe, Safe, 0.30, 120, 100),  # 26 first, 66 second
        ("empty_room", Safe, Attack, 0.00, 120, 60),
        ("empty_room", Attack, Safe, 0.54, 120, 100),  # 60 first, and 52 for Safe as second
        ("large_room", Safe, Rand, 0.98, 50, 40),
        ("large_room", Attack, Rand, 1.00, 50, 40),
        ("large_room", Safe, Attack, 0.49, 40, 40),  # 58 first, and 60 for Attack as second
        ("large_room", Attack, Attack, 0.80, 40, 40),  # 88 first, 28 second
    ],
)
def test_bots_beat_each_other_as_often_as_measured(room, first, second, measured, out_of, matches):
    """Within four standard errors of both samples; an observed 0 or 1 counts as if one match had gone otherwise."""
    wins = first_wins(first, second, room, matches)
    pooled = (wins + measured * out_of + 1) / (matches + out_of + 2)
    error = math.sqrt(pooled * (1 - pooled) * (1 / matches + 1 / out_of))
    assert abs(wins / matches - measured) < 4 * error, f"{wins} of {matches}"
