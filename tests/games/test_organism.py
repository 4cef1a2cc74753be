"""Organism: worked positions, published counts and games, statistics that were measured apart, and a second opinion."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import kernels, load
from ludus.errors import BadNotation, BadParams
from ludus.rng import match_words
from tests.games.naive_organism import naive_from
from tests.games.second_opinion import agree

GAME = load("organism")
CHOOSE, DECLARE, ACT, PAY, RECEIVE, PUSH, OVER = range(1, 8)
WEB3 = {"rings": 3}  # the positions of web presets are on three rings
WORDS = np.zeros((1, 3), np.uint64)  # there is no chance


# ------------------------------------------------------------------------------------------------ helpers


def cell(ring, step):
    return 3 * ring * (ring - 1) + 1 + step if ring else 0


def position(elements, preset="P", food="", player=0, tokens=(0, 0), **rules):
    """The first choice of a turn, from ``E1(2,1)f2 …``: kind, owner, (ring, step) and food. Free food: ``(2,0)1 …``."""
    states = GAME.start(WORDS, 2, GAME.rule_values(preset, rules))
    state = states[0]
    cells = 3 * state.params.rings * (state.params.rings - 1) + 1
    state.piece[:cells] = state.food[:] = state.role[:] = 0
    for kind, owner, ring, step, amount in re.findall(r"([EGM])([12])\((\d),(\d+)\)(?:f(\d+))?", elements):
        at = cell(int(ring), int(step))
        state.piece[at] = 4 * int(owner) + "EGM".index(kind)
        state.food[at] = int(amount or 0)
        state.role[at] = 2 if int(owner) == 1 + player else 0
    for ring, step, amount in re.findall(r"\((\d),(\d+)\)(\d+)", food):
        state.food[cell(int(ring), int(step))] = int(amount)
    state.mover = player
    state.tokens[:] = tokens
    state.phase = CHOOSE if state.role.any() else 0
    return play(states, menu(states)[0]) if state.phase == CHOOSE and len(menu(states)) == 1 else states


def menu(states):
    return sorted(GAME.menu(states, int(states[0].mover)).tolist())


def texts(states, verb=""):
    """The menu in words; only those that begin with a verb if one is given."""
    player = int(states[0].mover)
    return sorted(t for a in menu(states) if (t := GAME.action_text(states[0], player, a)).startswith(verb))


def play(states, *actions):
    """The position after these actions, by number or in words, each of which must be legal."""
    after = states.copy()
    for action in actions:
        player = int(after[0].mover)
        code = GAME.parse_action(after, player, action) if isinstance(action, str) else action
        assert code in menu(after)
        joint = np.full((1, 2), -1, np.int32)
        joint[0, player] = code
        GAME.advance(after, joint, WORDS)
    return after


def idle(states):
    """The position after a turn without a single action; for rules under which passing is always allowed."""
    player = states[0].mover
    while states[0].phase != OVER and states[0].mover == player:
        states = play(states, "pass" if states[0].phase == ACT else menu(states)[0])
    return states


def piece(states, ring, step):
    return (".", *"???", *"EGM", "?", *"egm", "?", "#")[states[0].piece[cell(ring, step)]]


def food(states, ring, step):
    return int(states[0].food[cell(ring, step)])


def tokens(states):
    return states[0].tokens.tolist()


def winner(states):
    """1 or 2, 0 for a draw, None while the game goes on."""
    return int(states[0].winner) if states[0].phase == OVER else None


def whole_turns(states):
    """Every distinct position at the end of the mover's turn."""
    player, reached, frontier, seen = states[0].mover, [], [states], set()
    while frontier:
        before = frontier.pop()
        actions = menu(before)
        after = np.repeat(before, len(actions))
        joint = np.full((len(actions), 2), -1, np.int32)
        joint[:, player] = actions
        GAME.advance(after, joint, np.zeros((len(actions), 3), np.uint64))
        for k in range(len(actions)):
            one = after[k : k + 1]
            if (content := one.tobytes()) not in seen:
                seen.add(content)
                (reached if one[0].phase == OVER or one[0].mover != player else frontier).append(one)
    return reached


def start(preset, count=1, seed=3, **rules):
    words = np.array([match_words(seed, block, 0, 2) for block in range(count)])
    return GAME.start(words, 2, GAME.rule_values(preset, rules)), words


def random_matches(preset, count, seed=3, **rules):
    states, words = start(preset, count, seed, **rules)
    plies = np.zeros(count, np.int64)
    GAME.kernel(kernels.rollouts)(states, words, plies, GAME.facts.max_plies)
    return states, plies


def at_ply(preset, seed, plies, **rules):
    states, words = start(preset, 1, seed, **rules)
    GAME.kernel(kernels.rollouts)(states, words, np.zeros(1, np.int64), plies)
    return states


# ------------------------------------------------------------------------------------------------ worked positions


@pytest.mark.parametrize("preset", ["P", "PE"])
def test_7_1_opening(preset):
    states, _ = start(preset)
    assert [piece(states, 2, step) for step in (1, 2, 3, 7, 8, 9)] == list("EMGemg")
    assert {food(states, 2, step) for step in range(12)} == {1}
    assert {food(states, 1, step) for step in range(6)} == {2}
    assert food(states, 0, 0) == 3
    assert texts(states) == ["declare E", "declare G", "declare M"]
    assert [len(menu(play(states, f"declare {kind}"))) for kind in "EGM"] == [6, 12, 10]
    assert texts(play(states, "declare E"), "eat") == ["eat c1 b0", "eat c1 b1", "eat c1 c0"]
    grown = texts(play(states, "declare G"), "grow")
    assert grown == sorted(f"grow {kind} {at}" for kind in "EGM" for at in ("b1", "b2", "c4"))
    moving = play(states, "declare M")
    choices = {}
    for move in texts(moving, "move"):
        moved = play(moving, move)
        choices[move] = len(menu(moved)) if moved[0].phase == PUSH else 1
    # A pile of one food on c0 can go two ways, and so on: the moves with all their pushes are 23.
    assert choices == {
        "move c1 c0": 2,
        "move c1 b0": 5,
        "move c1 b1": 3,
        "move c2 b1": 3,
        "move c3 c4": 2,
        "move c3 b1": 3,
        "move c3 b2": 5,
    }
    circulated = [
        (source, to) for source in texts(moving, "circ") for to in texts_after(moving, source, ("c1", "c2", "c3"))
    ]
    assert len(circulated) == 4
    turns = whole_turns(states)
    lost = [after for after in turns if winner(after) == 2]
    assert (len(turns), len(lost)) == (39, 14)
    assert all(tokens(after) == [0, 3] and not (after[0].piece[:19] >> 2 == 1).any() for after in lost)
    assert all(winner(after) is None for after in turns if after not in lost)


def texts_after(states, action, names):
    """Receivers after a circulation: those asked for, or the only one."""
    after = play(states, action)
    if after[0].phase == RECEIVE:
        return texts(after, "to")
    return [name for name in names if food_of(after, name) > food_of(states, name)]


def food_of(states, name):
    return food(states, "abc".index(name[0]), int(name[1:]))


EATERS = "E1(2,1)f2 E1(1,1)f3 M1(2,2) G1(2,3) E2(2,8)f1 M2(2,9)f1 G2(2,10)f1"


def test_7_2_eat_from_the_board():
    states = play(position(EATERS, food="(2,0)1 (1,0)2 (0,0)3"), "declare E")
    assert states[0].left == 2
    assert texts(states) == ["circulate b1", "circulate c1", "eat c1 b0", "eat c1 c0"]
    assert texts(play(states, "circulate b1")) == ["to c1", "to c2", "to c3"]
    given = play(states, "circulate c1")  # the other E is full, so M it must be
    assert (given[0].phase, food(given, 2, 1), food(given, 2, 2)) == (ACT, 1, 1)
    eaten = play(states, "eat c1 b0")
    assert (food(eaten, 2, 1), food(eaten, 1, 0)) == (3, 1)


def test_7_2_eat_piles():
    states = play(position(EATERS, "T", food="(2,0)1 (1,0)2 (0,0)3", **WEB3), "declare E")
    assert texts(states, "eat") == ["eat b1", "eat b1 a0", "eat b1 b0", "eat c1 b0", "eat c1 c0"]
    assert texts(states, "pass") == []
    held = {action: play(states, action) for action in texts(states, "eat")}
    assert food(held["eat b1 a0"], 1, 1) == 7
    assert food(held["eat b1 b0"], 1, 1) == 6
    assert food(held["eat b1"], 1, 1) == 4
    assert food(held["eat c1 b0"], 2, 1) == 5
    assert food(held["eat c1 c0"], 2, 1) == 4
    assert food(held["eat b1 a0"], 0, 0) == 0


GROWERS = "G1(2,1)f2 G1(2,2)f1 E1(2,3) E1(2,4) M1(1,1) E2(2,8)f1 M2(2,9)f1 G2(2,10)f1"


@pytest.mark.parametrize(("preset", "circulations"), [("P", 5), ("T", 8)])
def test_7_3_grow_and_payment(preset, circulations):
    states = play(position(GROWERS, preset, **WEB3), "declare G")
    assert states[0].left == 2
    assert texts(states, "grow") == sorted(f"grow {kind} {at}" for kind in "EGM" for at in ("b0", "c0"))
    paid = set()
    for action in texts(states, "grow"):
        frontier = [play(states, action)]
        while frontier:
            after = frontier.pop()
            if after[0].phase == PAY:
                frontier += [play(after, payment) for payment in menu(after)]
            else:
                paid.add(after.tobytes())
    assert len(paid) == 12
    given = [to for source in texts(states, "circ") for to in texts(play(states, source), "to")]
    assert len(given) == circulations


def test_7_3_what_can_be_grown_next():
    states = play(position(GROWERS), "declare G", "grow E b0", "pay c1", "pay c2")
    assert (food(states, 2, 1), food(states, 2, 2), piece(states, 1, 0)) == (1, 0, "E")
    assert texts(states, "grow") == ["grow M c0"]


def test_all_growers_pay_all_they_have_without_being_asked():
    states = play(position(GROWERS.replace("f2", "f1")), "declare G", "grow G b0")
    assert (food(states, 2, 1), food(states, 2, 2), piece(states, 1, 0)) == (0, 0, "G")


MOVERS = "E1(1,1)f1 M1(2,2)f1 G1(2,3) E2(1,3)f1 G2(2,5)f1 M2(2,6)f1"


@pytest.mark.parametrize("preset", ["P", "PO", "T"])
def test_7_4_move_and_same_type_block(preset):
    states = play(position(MOVERS, preset, food="(0,0)2", **WEB3), "declare M")
    barred = set() if preset == "P" else {"move b1 b2", "move b1 a0"}
    moves = {"move b1 c1", "move b1 b0", "move b1 b2", "move b1 a0", "move c2 c1"}
    assert set(texts(states, "move")) == moves - barred
    assert texts(states, "circ") == ["circulate b1", "circulate c2"]


def test_7_4_push():
    states = play(position(MOVERS, food="(0,0)2"), "declare M", "move b1 a0")
    assert states[0].phase == PUSH
    assert texts(states) == ["push b0", "push b2", "push b4", "push b5"]
    pushed = play(states, "push b4")
    assert food(pushed, 1, 4) == 2


KILL = "E1(2,3) G1(1,2) M1(1,1)f1 E2(1,4)f3 M2(2,8)f1 G2(2,9)"


@pytest.mark.parametrize("preset", ["P", "PE"])
def test_7_5_clean_kill(preset):
    states = play(position(KILL, preset), "declare M", "move b1 a0")
    assert (food(states, 0, 0), food(states, 1, 4), food(states, 2, 8), food(states, 2, 9)) == (4, 0, 2, 1)
    assert (tokens(states), winner(states)) == ([3, 0], 1)
    assert GAME.outcome_text(states) == "the first player wins: no enemy element is left"


def test_7_5_clean_kill_on_the_web():
    states = play(position(KILL, "T", **WEB3), "declare M", "move b1 a0")
    assert (food(states, 0, 0), food(states, 1, 4)) == (1, 4)
    assert (tokens(states), winner(states)) == ([2, 0], None)
    assert texts(states)[0] == "introduce EGM"
    introduced = play(states, "introduce EGM")
    assert [piece(introduced, 2, step) for step in (6, 7, 8)] == list("egm")
    back = play(introduced, "declare E", "eat c6")
    assert (back[0].mover, tokens(back)) == (0, [3, 0])  # the centre pays at the start of the turn


CHAIN = "E1(1,2)f1 M1(0,0)f1 G1(1,1) G2(1,3)f2 M2(2,6)f1 E2(2,7)"


def test_7_6_chain_and_mutual_integrity_loss():
    states = idle(position(CHAIN, passing="always"))
    assert not (states[0].piece[:19]).any()
    assert [food(states, 1, 2), food(states, 1, 1), food(states, 2, 6), food(states, 2, 7)] == [5, 1, 2, 1]
    assert (tokens(states), winner(states)) == ([3, 3], 2)


def test_7_6_chain_on_the_web():
    states = idle(position(CHAIN, "T", passing="always", **WEB3))
    assert (tokens(states), winner(states)) == ([2, 2], None)
    assert [food(states, 0, 0), food(states, 1, 3)] == [2, 3]
    assert [food(states, 1, 2), food(states, 1, 1), food(states, 2, 6), food(states, 2, 7)] == [0, 0, 2, 1]
    assert texts(states)[0] == "introduce EGM"
    assert states[0].mover == 1


@pytest.mark.parametrize("preset", ["P", "PE", "PO"])
@pytest.mark.parametrize("target", ["a0", "b2"])
def test_7_7_suicidal_attack(preset, target):
    elements = "E1(2,1) M1(1,1)f2 G1(2,2)f1 E2(1,3)f3 M2(2,6)f1 G2(2,7)"
    states = play(position(elements, preset), "declare M", f"move b1 {target}")
    assert (tokens(states), winner(states)) == ([3, 3], 2)
    assert not states[0].piece[:19].any()


SIX_CYCLE = "E1(1,0)f1 G2(1,1)f1 M1(1,2)f1 E2(1,3)f1 G1(1,4)f1 M2(1,5)f1"


def test_7_8_six_cycle():
    states = idle(position(SIX_CYCLE, passing="always"))
    assert (tokens(states), winner(states)) == ([6, 6], 2)
    assert [food(states, 1, step) for step in range(6)] == [2] * 6


def test_7_8_six_cycle_on_the_web():
    states = idle(position(SIX_CYCLE, "T", passing="always", **WEB3))
    assert (tokens(states), states[0].mover) == ([1, 0], 1)
    assert [food(states, 1, step) for step in range(6)] == [0, 2, 0, 2, 0, 2]


def test_7_9_core():
    elements = "E1(0,0)f1 G1(1,0) M1(1,1) E2(2,6)f1 G2(2,7) M2(2,8)"
    states = position(elements, "T", player=1, tokens=(4, 0), **WEB3)
    states = play(states, "declare E", "eat c6")
    assert (tokens(states), winner(states)) == ([5, 0], 1)
    assert GAME.outcome_text(states) == "the first player wins: enough tokens"


def test_7_9_introduction():
    elements = "E1(1,3)f4 G1(1,2) M1(1,1)"
    states = position(elements, "T", food="(2,6)3 (1,4)2", player=1, **WEB3)
    assert texts(states) == [f"introduce {order}" for order in ("EGM", "EMG", "GEM", "GME", "MEG", "MGE")]
    states = play(states, "introduce GEM")
    assert (piece(states, 1, 3), food(states, 1, 3), food(states, 1, 4)) == (".", 0, 2)
    assert [piece(states, 2, step) for step in (6, 7, 8)] == list("gem")
    assert [food(states, 2, step) for step in (6, 7, 8)] == [1, 1, 1]
    assert (tokens(states), texts(states)) == ([0, 0], ["declare E", "declare G", "declare M"])
    around = position(elements, "T", food="(2,6)3 (1,4)2", player=1, clearing="around", **WEB3)
    assert food(play(around, "introduce GEM"), 1, 4) == 0


# ------------------------------------------------------------------------------------------------ finer points


def test_an_organism_that_takes_up_another_acts_once_more():
    """After its reckoning A hangs together with B, which has not acted: the whole acts, with A's elements."""
    elements = "E1(2,0)f1 G1(2,1)f1 M1(1,0)f1 E1(2,4)f1 G1(2,5)f1 M1(1,2)f1 E2(2,8)f1 M2(2,9)f1 G2(2,7)f1"
    states = position(elements, "PE")
    assert texts(states) == ["organism b0", "organism b2"]
    states = play(states, "organism b0", "declare M", "move c1 b1")
    assert (states[0].mover, states[0].turns, texts(states)) == (0, 1, ["declare E", "declare G", "declare M"])
    assert play(states, "declare M")[0].left == 2
    apart = play(position(elements, "PE"), "organism b0", "declare M", "circulate b0", "to c0")
    assert play(apart, "declare M")[0].left == 1


def test_elements_keep_their_organism_when_they_drift_apart():
    elements = "E1(2,0)f1 G1(2,1)f1 M1(1,0)f1 M1(1,1)f1 E2(2,6) G2(2,7) M2(2,8)"
    states = play(position(elements, "T", **WEB3), "declare M", "move b1 b2")
    assert set(texts(play(states, "circulate c0"))) == {"to b0", "to b2", "to c1"}
    # what has left its group cannot move on, for it is alive no more
    assert [action for action in texts(states, "move") if action.startswith("move b2")] == []


@pytest.mark.parametrize(("flow", "left"), [("one", 4), ("half", 2), ("all", 0)])
def test_circulation_moves_one_half_or_all(flow, left):
    elements = "E1(2,0)f5 G1(2,1) M1(2,2) E2(2,6) G2(2,7) M2(2,8)"
    states = play(position(elements, "T", flow=flow, **WEB3), "declare G", "circulate c0", "to c2")
    assert (food(states, 2, 0), food(states, 2, 2)) == (left, 5 - left)


def test_the_food_of_a_victim_with_two_captors_is_shared():
    elements = "M1(1,0)f1 M1(1,1)f1 G1(2,2) E1(2,1)f1 E2(0,0)f5 M2(1,4) G2(1,3)"
    states = idle(position(elements, passing="always"))
    assert [food(states, 1, 0), food(states, 1, 1), food(states, 0, 0)] == [3, 3, 1]
    assert tokens(states)[0] == 2 + 2  # two pairs, and two elements without an E


@pytest.mark.parametrize("preset", ["M", "T"])
def test_one_ring_cancels_all_captures_of_a_turn_on_the_web(preset):
    # E1 of the ring also captures a G outside it, which captures nobody.
    states = idle(position(SIX_CYCLE + " G2(2,0)f1", preset, **WEB3 | {"passing": "always"}))
    assert tokens(states) == [1, 0]  # nothing but the rival's broken organisms


def test_captures_apart_from_a_ring_go_on_where_rings_stay():
    states = idle(position(SIX_CYCLE + " G2(2,0)f1", "T", passing="always", cycle="stay", **WEB3))
    assert (food(states, 2, 0), piece(states, 2, 0)) == (2, ".")
    # One victim, one rival with broken organisms; E1 captured and breaks up, which is a sacrifice.
    assert tokens(states) == [2, 1]


def test_who_is_stuck_loses_where_passing_is_never_allowed():
    elements = "E1(2,1) M1(2,2) G1(2,3) E2(2,8)f1 M2(2,9)f1 G2(2,10)f1"
    states = play(position(elements, "PO"), "declare E")
    assert GAME.outcome_text(states) == "the second player wins: the player on turn has no action left"
    passed = play(position(elements, "P"), "declare E")
    assert (passed[0].mover, winner(passed)) == (1, None)


FROZEN = (
    "E1(1,0)f1 G1(1,1) M1(1,2) M2(1,3) G2(1,4) E2(1,5) "
    "E1(2,0) E1(2,1) E1(2,2) E1(2,3) E1(2,4) M1(2,5) M2(2,6) E2(2,7) E2(2,8) E2(2,9) E2(2,10) E2(2,11)"
)


def test_who_freezes_the_board_loses():
    states = position(FROZEN, "T", action_limit=1, **WEB3)
    states = play(states, "declare E", "eat b0")
    assert (winner(states), tokens(states)) == (2, [0, 0])
    assert GAME.outcome_text(states) == "the second player wins: nobody can ever move or grow again"
    free = position(FROZEN, "T", action_limit=1, stalemate=False, **WEB3)
    assert winner(play(free, "declare E", "eat b0")) is None
    gap = FROZEN.replace("E1(2,2)", "")  # into which E1 can go, where it sits next to an M
    assert winner(play(position(gap, "T", action_limit=1, **WEB3), "declare E", "eat b0")) is None


def test_organisms_count_before_tokens_where_the_contest_is_ranked():
    mine = "E1(3,0)f1 G1(3,1) M1(3,2)"
    theirs = "E2(3,6) G2(3,7) M2(3,8) E2(3,10) G2(3,11) M2(3,12) E2(3,14) G2(3,15) M2(3,16)"
    ranked = play(position(f"{mine} {theirs}", "T", tokens=(5, 0)), "declare E", "eat d0")
    assert (winner(ranked), GAME.outcome_text(ranked)) == (2, "the second player wins: enough organisms")
    together = position(f"{mine} {theirs}", "T", tokens=(5, 0), contest="together", tie="mover")
    assert winner(play(together, "declare E", "eat d0")) == 1


@pytest.mark.parametrize(
    ("counts", "rules", "expected"),
    [
        ((6, 5), {}, 1),
        ((5, 6), {}, 2),
        ((5, 5), {}, 2),
        ((5, 5), {"tie": "mover"}, 1),
        ((5, 5), {"tie": "draw"}, 0),
        ((6, 5), {"contest": "together"}, 2),
        ((6, 5), {"handicap": 2}, 2),
        ((5, 0), {"handicap": 1}, None),
    ],
)
def test_ties_in_tokens(counts, rules, expected):
    elements = "E1(2,0)f1 G1(2,1) M1(2,2) E2(2,6) G2(2,7) M2(2,8)"
    states = position(elements, "T", tokens=counts, **WEB3, **rules)
    assert winner(play(states, "declare E", "eat c0")) == expected


@pytest.mark.parametrize(
    ("cutoff", "counts", "expected"), [("draw", (1, 0), 0), ("tokens", (1, 0), 1), ("tokens", (1, 1), 0)]
)
def test_the_turn_limit(cutoff, counts, expected):
    elements = "E1(2,0)f1 G1(2,1) M1(2,2) E2(2,6) G2(2,7) M2(2,8)"
    states = position(elements, "T", tokens=counts, turn_limit=10, cutoff=cutoff, **WEB3)
    states[0].turns = 9
    states = play(states, "declare E", "eat c0")
    assert (winner(states), GAME.outcome_text(states)[-25:]) == (expected, "the turn limit is reached")


def test_a_wiped_out_player_leaves_food_unless_it_was_his_own_doing():
    elements = "E1(2,0)f1 G1(2,1)f2 M1(2,2)f1 E2(2,6) G2(2,7) M2(2,8)"
    for preset, left in (("T", 0), ("M", 2)):
        states = play(position(elements, preset, **WEB3), "declare M", "move c2 c3")
        assert (food(states, 2, 0), food(states, 2, 3), tokens(states)) == (left, left, [0, 0])


def test_rule_numbers_of_the_start():
    states, _ = start("PE", second_food=2, start_food=0, start_step=4, food_2=0, food_0=7)
    assert [piece(states, 2, step) for step in (4, 5, 6, 10, 11, 0)] == list("EMGemg")
    assert [food(states, 2, step) for step in (4, 10, 1)] == [0, 2, 0]
    assert food(states, 0, 0) == 7
    homes = {3: (0, 6), 4: (0, 9), 5: (1, 13), 6: (1, 16), 7: (2, 20)}
    for rings, (first, second) in homes.items():
        states, _ = start("T", rings=rings)
        expected = [[cell(rings - 1, step + k) for k in range(3)] for step in (first, second)]
        assert states[0].homes.tolist() == expected
    notched, _ = start("T", rings=5, notches=True)
    assert [piece(notched, 4, step) for step in range(5)] == list("#...#")
    assert (notched[0].piece[:61] == 0).sum() == 55


def test_an_organism_has_no_more_actions_than_the_limit():
    states = position(GROWERS, action_limit=1)
    assert play(states, "declare G")[0].left == 1


# ------------------------------------------------------------------------------------------------ published counts


OPENINGS = [  # preset, rings, distinct first turns, of these lost at once
    ("P", 3, 39, 14),
    ("PE", 3, 39, 14),
    ("PO", 3, 39, 14),
    ("P4", 4, 38, 17),
    ("P5", 5, 43, 19),
    ("M", 3, 96, 0),
    ("M", 4, 103, 0),
    ("M", 5, 110, 0),
    ("T", 3, 87, 0),
    ("T", 4, 93, 0),
    ("T", 5, 99, 0),
]


@pytest.mark.parametrize(("preset", "rings", "turns", "lost"), OPENINGS)
def test_distinct_first_turns(preset, rings, turns, lost):
    paper_food = {"food_1": 2, "food_2": 1} if preset == "PO" else {}
    reached = whole_turns(start(preset, rings=rings, **paper_food)[0])
    assert (len(reached), sum(winner(after) == 2 for after in reached)) == (turns, lost)


def setting_of(name):
    """The rules of a published game, named like P_R4_0."""
    preset, rings = name.split("_")[0], int(name.split("_")[1][1:])
    if preset == "P" and rings > 3:
        return f"P{rings}", {}
    return preset, {"rings": rings} | ({"food_1": 2, "food_2": 1} if preset == "PO" else {})


def as_published(states):
    state = states[0]
    cells = range(3 * state.params.rings * (state.params.rings - 1) + 1)
    return {
        "mover": -1 if state.phase == OVER else int(state.mover),
        "winner": int(state.winner) - 1,
        "captures": state.tokens.tolist(),
        "el": [
            [at, int(state.piece[at] >> 2) - 1, "EGM"[state.piece[at] & 3], int(state.food[at])]
            for at in cells
            if state.piece[at]
        ],
        "food": [[at, int(state.food[at])] for at in cells if not state.piece[at] and state.food[at]],
    }


def test_published_games_replay(shared):
    published = json.loads((shared / "facts" / "organism_fixtures.json").read_text())
    for name, game in published["traces"].items():
        preset, rules = setting_of(name)
        states, _ = start(preset, **rules)
        assert as_published(states) == game["start"], name
        for number, turn in enumerate(game["turns"]):
            assert menu(states) == sorted(turn["legal0"]), (name, number)
            states = play(states, *turn["actions"][:-1])
            assert menu(states) == sorted(turn["legal_last"]), (name, number)
            states = play(states, turn["actions"][-1])
            assert as_published(states) == turn["after"], (name, number)


def test_published_numbers_of_turns(shared):
    meta = json.loads((shared / "facts" / "organism_fixtures.json").read_text())["meta"]
    for name, count in meta["full_turn_successors_at_start"].items():
        preset, rules = setting_of(name)
        assert len(whole_turns(start(preset, **rules)[0])) == count, name
    for name, count in meta["two_turn_edges"].items():
        preset, rules = setting_of(name)
        first = [after for after in whole_turns(start(preset, **rules)[0]) if winner(after) is None]
        assert sum(len(whole_turns(after)) for after in first) == count, name


def test_a_game_by_hand():
    """The first player grows a bridge, takes the rival's only M with a G, and pays with that G, which is cut off."""
    states, _ = start("PE")
    states = play(states, "declare G", "grow G b1")
    assert (food(states, 2, 3), food(states, 1, 1), piece(states, 1, 1)) == (0, 0, "G")
    states = play(states, "declare E", "eat c7 c6")
    assert (food(states, 2, 6), food(states, 2, 7)) == (0, 2)
    states = play(states, "declare M", "circulate c2", "to b1")
    states = play(states, "declare M", "move c8 b4", "push b3")
    assert (food(states, 1, 4), food(states, 1, 3), winner(states)) == (1, 4, None)
    states = play(states, "declare M", "move b1 a0", "push b0")
    # The M falls, and its E and G with it. The G on the centre has taken its food, and leaves one more.
    assert (food(states, 0, 0), food(states, 1, 4), food(states, 1, 0)) == (3, 0, 5)
    assert (tokens(states), winner(states)) == ([3, 1], 1)


# ------------------------------------------------------------------------------------------------ statistics

# Published from random play: reckonings a match (mean, median), decisions a reckoning. Their samples are not stated; as
# few as 1000 matches are allowed for in the intervals.
LENGTHS = [
    ("P", {}, 20_000, 10.5, 6, 2.8),
    ("PE", {}, 20_000, 11, 6, 2.8),
    ("M", {"rings": 3}, 1500, 108, 99, 3.2),
    ("T", {"rings": 3}, 1500, 104, 94, 3.4),
    ("M", {"rings": 4}, 800, 212, 203, 3.7),
    ("T", {"rings": 4}, 800, 230, None, 3.8),
]


@pytest.mark.parametrize(("preset", "rules", "count", "mean", "median", "decisions"), LENGTHS)
def test_random_play_takes_as_long_as_published(preset, rules, count, mean, median, decisions):
    limit = {"turn_limit": 500} if preset in ("P", "PE") else {}
    states, plies = random_matches(preset, count, **rules, **limit)
    turns = states["turns"]
    error = turns.std() * np.sqrt(1 / count + 1 / 1000)
    assert abs(turns.mean() - mean) < 3 * error + 0.5
    assert median is None or abs(np.median(turns) - median) < 1.25 * 3 * error
    assert abs(plies.sum() / turns.sum() - decisions) < 0.2


def test_first_player_wins_48_percent_of_random_games():
    states, _ = random_matches("P", 20_000)
    assert abs((states["winner"] == 1).mean() - 0.48) < 3.5 * np.sqrt(0.25 / 20_000 + 0.25 / 5000)


def test_one_in_seven_random_games_is_cut_off_on_four_rings():
    states, _ = random_matches("T", 1000, seed=4)
    assert abs((states["ending"] == 7).mean() - 0.14) < 3.5 * np.sqrt(0.14 * 0.86 * (1 / 1000 + 1 / 500))


# ------------------------------------------------------------------------------------------------ a second opinion


@pytest.mark.parametrize(
    ("preset", "rules", "matches", "limit"),
    [
        ("PE", {}, 400, None),
        ("P", {}, 400, None),
        ("PO", {}, 400, None),
        ("P4", {}, 150, None),
        ("P5", {}, 60, None),
        ("PE", {"rings": 7}, 25, None),
        ("M", {"rings": 3}, 12, None),
        ("T", {"rings": 3}, 12, None),
        ("BOOK", {"rings": 3}, 10, None),
        ("T", {"rings": 4}, 8, 500),
        ("M", {"rings": 6, "notches": "on"}, 4, 400),
        ("T", {"rings": 5, "notches": "on"}, 4, 400),
    ],
)
def test_naive_rules_agree(preset, rules, matches, limit):
    assert agree("organism", naive_from, matches, preset=preset, rules=rules, limit=limit) > matches


def random_rules(rng):
    """One value for every param, small boards and short matches preferred; only those that make a game."""
    while True:
        rules = {}
        for name, param in GAME.params.declared.items():
            numbers = range(param.low, min(param.high, param.low + 6) + 1)
            rules[name] = rng.choice(param.choices or numbers)
        rules |= {"rings": rng.choice([3, 3, 3, 4, 5]), "turn_limit": rng.choice([10, 30])}
        values = GAME.params.values(rules)
        if not GAME.module.objection(GAME.blank(2, values)[0].params, 2):
            return rules


def test_naive_rules_agree_under_random_params():
    rng = random.Random(11)
    for seed in range(150):
        agree("organism", naive_from, 4, rules=random_rules(rng), seed=seed, limit=120)


# ------------------------------------------------------------------------------------------------ properties

SETTINGS = st.sampled_from([("PE", {}), ("PO", {}), ("T", {"rings": 3}), ("BOOK", {}), ("M", {"rings": 5})])


@settings(max_examples=60, deadline=None)
@given(SETTINGS, st.integers(0, 10_000), st.integers(0, 200))
def test_positions_are_valid_and_survive_their_notation(setting, seed, plies):
    preset, rules = setting
    states = at_ply(preset, seed, plies, **rules)
    verdict = np.empty(1, np.bool_)
    GAME.kernel(kernels.validity)(states, verdict)
    assert verdict[0]
    text = GAME.state_text(states[0])
    assert GAME.parse_state(text, 2, GAME.rule_values(preset, rules)).tobytes() == states.tobytes()
    for action in menu(states) if states[0].phase != OVER else []:
        words = GAME.action_text(states[0], int(states[0].mover), action)
        assert GAME.parse_action(states, int(states[0].mover), words) == action


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 60))
def test_food_is_kept_within_a_turn(seed, plies):
    """Under the paper's rules eating, circulating and pushing only shift food; a payment uses one up."""
    before = at_ply("P4", seed, plies)
    if before[0].phase == OVER:
        return
    for action in menu(before):
        plane = action // 37
        after = play(before, action)
        if after[0].turns == before[0].turns and (6 <= plane < 12 or plane in (16, 18, 20)):
            spent = int(plane == 16)
            under_growth = int(before[0].food[before[0].spot]) if plane == 16 and after[0].phase != PAY else 0
            assert after[0].food.sum() == before[0].food.sum() - spent - under_growth


@settings(max_examples=40, deadline=None)
@given(SETTINGS, st.integers(0, 10_000), st.integers(0, 150), st.integers(0, 11))
def test_turning_the_board_changes_nothing(setting, seed, plies, symmetry):
    before = at_ply(setting[0], seed, plies, **setting[1])
    turned = before.copy()
    GAME.kernel(kernels.turn_boards)(turned, symmetry)
    if before[0].phase == OVER:
        assert GAME.payoffs(turned).tolist() == GAME.payoffs(before).tolist()
        return
    actions = menu(before)
    images = np.empty(len(actions), np.int64)
    GAME.kernel(kernels.turn_actions)(np.repeat(before, len(actions)), symmetry, np.array(actions), images)
    assert sorted(images.tolist()) == menu(turned)
    for action, image in zip(actions, images.tolist()):
        after = play(before, action)
        GAME.kernel(kernels.turn_boards)(after, symmetry)
        assert after.tobytes() == play(turned, image).tobytes()


def test_the_organism_of_a_turned_board_is_named_by_its_lowest_cell():
    elements = "E1(2,0)f1 G1(2,1)f1 M1(1,0)f1 E1(2,4)f1 G1(2,5)f1 M1(1,2)f1 E2(2,8)f1 M2(2,9)f1 G2(2,7)f1"
    states = position(elements, "PE")
    image = np.empty(1, np.int64)
    for symmetry in range(12):
        GAME.kernel(kernels.turn_actions)(states, symmetry, np.array([19 * 19 + cell(1, 2)]), image)
        turned = states.copy()
        GAME.kernel(kernels.turn_boards)(turned, symmetry)
        assert image[0] in menu(turned)


def test_features_are_seen_from_the_viewers_side():
    states, _ = start("PE")
    shape, _ = GAME.shapes(2)
    out = np.full((2, shape.length), 9, np.float32)
    GAME.kernel(kernels.features)(np.repeat(states, 2), np.array([0, 1]), out)
    own, other = out[:, : 14 * 19].reshape(2, 14, 19).transpose(0, 2, 1)
    assert own[[8, 9, 10], [0, 2, 1]].tolist() == [1, 1, 1]
    assert other[[8, 9, 10], [3, 5, 4]].tolist() == [1, 1, 1]
    half_turn = [0, *(cell(ring, (step + 3 * ring) % (6 * ring)) for ring in (1, 2) for step in range(6 * ring))]
    assert np.array_equal(own[:, :7], other[half_turn, :7])
    assert np.abs(out).max() <= 1


def test_the_heuristic_likes_to_be_ahead():
    states = position("E1(2,1)f1 M1(2,2) G1(2,3) E1(1,1) E2(2,8)f1 M2(2,9) G2(2,10)")
    values = np.empty(2)
    GAME.kernel(kernels.estimates)(np.repeat(states, 2), np.array([0, 1]), values)
    assert 0 < values[0] < 1
    assert values[0] == -values[1]


# ------------------------------------------------------------------------------------------------ words


def test_a_position_in_words():
    states = play(position(MOVERS, food="(0,0)2"), "declare M", "move b1 a0")
    assert GAME.state_text(states[0]) == "\n".join(
        [
            "phase: push",
            "player: first",
            "turn: 0",
            "tokens: 0 0",
            "declared: M 1",
            "from: b1",
            "at: a0",
            "      .     G*    M1*",
            "   g1    .     E1*   .",
            "m1    e1    .2    .     .",
            "   .     .     .     .",
            "      .     .     .",
        ]
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("fly c1 c2", "'fly c1 c2' is no action; write one like declare E"),
        ("", "'' is no action"),
        ("move c1", "'move c1' is no action"),
        ("declare X", "'X' is not a kind; write E, G, M"),
        ("introduce EEE", "'EEE' is not an order of the kinds"),
        ("move c1 c9", "c9 is not next to c1"),
        ("pay h1", "'h1' is no cell"),
        ("pay d1", "'d1' is not on this board"),
        ("pay c12", "'c12' is not on this board"),
        ("pass", "'pass' is not allowed now; your menu: declare E, declare G, declare M"),
    ],
)
def test_bad_actions_are_refused_with_a_sentence(text, sentence):
    states, _ = start("PE")
    with pytest.raises(BadNotation, match=re.escape(sentence)):
        GAME.parse_action(states, 0, text)


GOOD = "phase: declare\nplayer: first\n. . .\n. . . .\n. E1* G* M* .\n. . . .\n. . ."


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("phase: declare", "phase: dance", "line 1: 'dance' is not one of introduce"),
        ("phase: declare\n", "", "a position needs a line `phase: …`"),
        ("player: first", "player: third", "line 2: 'third' is not one of first, second"),
        ("player: first", "player: first\ncolour: red", "line 3: a position has no line 'colour'"),
        ("player: first", "player: first\ntokens: 3", "line 3: expected 2 numbers, found 1"),
        ("player: first", "player: first\nturn: -4", "line 3: '-4' is not a number from 0 to 9999"),
        ("player: first", "player: first\nat: z3", "line 3: 'z3' is no cell"),
        ("player: first", "player: first\nwinner: first", "line 3: expected 2 words, who and why, found 1"),
        ("E1* G* M*", "E1* Q* M*", "line 5: 'Q*' is no cell"),
        ("E1* G* M*", "E1* G* .*", "line 5: '.*' is no cell"),
        ("E1* G* M*", "E1* G*", "line 5: this row of the board has 5 cells, not 4"),
        ("\n. . .\n. . . .\n. E1", "\n. . . .\n. E1", "line 3: this row of the board has 3 cells, not 4"),
        (". . . .\n. . .", ". . . .\n. . .\n. .", "line 8: the board is complete"),
        (". . . .\n. . .", ". . . .", "the board of 3 rings has 5 rows, this one 4"),
    ],
)
def test_bad_positions_are_refused_with_a_sentence(old, new, sentence):
    assert GAME.parse_state(GOOD, 2)[0].piece.any()
    head, _, tail = GOOD.rpartition(old) if old.startswith(". .") else GOOD.partition(old)
    with pytest.raises(BadNotation, match=re.escape(sentence)):
        GAME.parse_state(head + new + tail, 2)


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"notches": "on"}, "a board with notches has five rings or more"),
        ({"notches": "on", "rings": 5, "start_step": 0}, "start_step=0 would place an element on a corner"),
        ({"elimination": "off", "token_limit": 3}, "use start=introduced"),
        ({"elimination": "off", "start": "introduced"}, "nobody can win without"),
        ({"rings": 8}, "rule rings must lie in 3 … 7, not 8"),
    ],
)
def test_rules_that_make_no_game_are_refused(rules, sentence):
    with pytest.raises(BadParams, match=re.escape(sentence)):
        start("PE", **rules)


# ------------------------------------------------------------------------------------------------ compiled and plain

DIGEST = """
import sys
from tests.games.test_organism import digest
print(digest())
"""


def digest():
    """All positions at the end of some random matches under every preset."""
    total = hashlib.sha256()
    for preset in GAME.presets:
        rings = {"rings": 3} if preset in ("T", "M", "BOOK") else {}
        states, plies = random_matches(preset, 2, seed=9, turn_limit=20, **rings)
        total.update(states.tobytes() + plies.tobytes())
    return total.hexdigest()


def test_plain_python_plays_the_same_matches():
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", DIGEST],
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
    )
    assert plain.stdout.strip() == digest(), plain.stderr
