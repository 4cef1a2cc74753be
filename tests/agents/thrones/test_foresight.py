"""Foresight: who the rival is, and lines against a copy of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.agents.thrones import _foresight
from ludus.agents.thrones._foresight import FIRST, MOST_LEFT, NOTE, TRUST, Copy, Foresight, take_off, write_line
from ludus.agents.thrones._terms import way_home
from ludus.agents.thrones.assistants import Ta1
from ludus.agents.thrones.bots import Bot1, Bot2
from ludus.agents.thrones.course import Attack, Rand, attack_memory
from ludus.catalogue import agent, load
from ludus.papers.thrones.duels import play

GAME = load("thrones")
RIVALS = (Ta1(), Bot1(run="thrones-bot1-small"), Rand())
NO_STEP = np.array([-1])


def position(text: str) -> np.ndarray:
    return GAME.parse_state(text, 2, GAME.rule_values())


def foresight() -> Foresight:
    return Foresight(GAME, [Copy(RIVALS[0]), Copy(RIVALS[1])], deep=6, lines=8, walk=4)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=MOST_LEFT))
def test_a_line_is_walked_as_it_was_written(line):
    """And after each step but the last the answer to it is known."""
    note = np.zeros(1, NOTE)
    steps, answers = [step for step, _ in line], [answer for _, answer in line]
    write_line(note[0], steps, answers)
    walked = []
    while note["left"][0] > 0:
        walked.append((take_off(note[0]), int(note["answers"][0]) & 3))
    assert [step for step, _ in walked] == steps
    assert [answer for _, answer in walked[:-1]] == answers[:-1]


@pytest.mark.parametrize("who", range(len(RIVALS)))
def test_the_copy_that_fits_is_believed_and_a_stranger_is_not(who):
    mind, rival, notes = foresight(), agent(RIVALS[who].spec, GAME), np.zeros(1, NOTE)
    states = GAME.start(np.ones((1, 3), np.uint64), 2, GAME.rule_values("paper_small"))
    me, words = np.zeros(1, int), np.ones((1, 1), np.uint64)
    for turn in range(14):
        mind.choose(states, me, np.zeros(1, np.bool_), notes)
        step = np.array([(1, 3, 0, 2)[turn % 4]], np.int32)  # round a square, far from everybody
        mind.expect(states, me, step, notes)
        GAME.kernel(_foresight.take_steps)(states, me, step)
        GAME.kernel(_foresight.take_steps)(states, 1 - me, rival.act_many(states, 1 - me, words))
    beliefs = notes["beliefs"][0, :2].astype(int) ^ FIRST
    assert (beliefs >= TRUST).any() == (who < 2)
    if who < 2:
        assert beliefs[who] == beliefs.max()
    chosen = mind.choose(states, me, np.ones(1, np.bool_), notes)
    assert (chosen[0] >= 0) == (who < 2)


@pytest.mark.parametrize(("said", "change"), [(0b0001, 1), (0b0101, 0), (0b1010, -1), (0, 0)])
def test_to_be_right_with_one_of_several_says_little(said, change):
    mind, notes = foresight(), np.zeros(1, NOTE)
    notes["said"][0, 0] = said
    before = notes["beliefs"][0, 0].astype(int) ^ FIRST
    mind._recall(np.array([0]), notes)  # pyright: ignore[reportPrivateUsage]
    assert np.sign((notes["beliefs"][0, 0].astype(int) ^ FIRST) - before) == change


TRAIL_AHEAD = """
#########
#XX     #
#XX1    #
#       #
#    .  #
#    .  #
#    .OO#
#   2.OO#
#########
"""


def test_a_trail_that_can_be_cut_is_cut():
    states = position(TRAIL_AHEAD)
    line, _ = foresight().look(states, 0, Copy(_ready(Ta1()), tosses=1), NO_STEP)
    assert len(line) <= 4  # down and right, where the trail is
    assert set(line[:-1]) <= {1, 3}


SHUT_IN = """
#########
#1*     #
#**     #
#X      #
#       #
#      2#
#########
"""


def test_who_is_shut_in_has_no_line():
    assert foresight().look(position(SHUT_IN), 0, Copy(_ready(Ta1())), NO_STEP)[0] == []


WAY = """
#########
#XX     #
#X**    #
#  *    #
#  1    #
#       #
#      2#
#########
"""


def test_the_way_home_goes_round_the_own_trail():
    state, steps = position(WAY)[0], np.zeros(_foresight.MAX_CELLS, np.int64)
    queue, came = np.zeros((2, _foresight.MAX_CELLS), np.int64)
    n = way_home(state, 0, -1, queue, came, steps)
    assert n == 4
    assert sorted(steps[:n].tolist()) == [0, 0, 2, 2]


def test_a_copy_that_remembers_foretells_its_player():
    """Whatever coins it tosses, the copy's answers hold what Attack does."""
    mind, rival, notes = (
        Foresight(GAME, [Copy(Attack(), attack_memory, tosses=6)], 4, 8, 4),
        agent("attack", GAME),
        np.zeros(1, NOTE),
    )
    states = GAME.start(np.ones((1, 3), np.uint64), 2, GAME.rule_values("paper_small"))
    me, words = np.zeros(1, int), np.ones((1, 2), np.uint64)
    for turn in range(40):
        mind.choose(states, me, np.zeros(1, np.bool_), notes)
        step = np.array([(1, 3, 0, 2)[turn % 4]], np.int32)
        mind.expect(states, me, step, notes)
        GAME.kernel(_foresight.take_steps)(states, me, step)
        answer = rival.act_many(states, 1 - me, words)
        assert notes["said"][0, 0] >> answer[0] & 1
        GAME.kernel(_foresight.take_steps)(states, 1 - me, answer)


@pytest.mark.parametrize("rival", [Ta1(), Bot1(run="thrones-bot1-small"), Bot2(run="thrones-bot2", race=1.0)])
def test_a_copy_says_between_which_steps_its_player_tosses(rival):
    """However its coins fall, the player does what the copy said; and where it said one thing, always that."""
    copy, states = _ready(rival), GAME.start(np.ones((1, 3), np.uint64), 2, GAME.rule_values("paper_small"))
    walker, rng, several = agent("rand", GAME), np.random.default_rng(5), 0
    for turn in range(60):
        player = np.array([turn % 2])
        bits = int(copy.equals(states, player)[0])
        taken = {
            int(copy.act_many(states, player, words)[0]) for words in rng.integers(1, 2**62, (40, 1, 1), np.uint64)
        }
        assert taken == {action for action in range(4) if bits >> action & 1}
        several += len(taken) > 1
        mover = copy if turn % 4 < 3 else walker
        GAME.kernel(_foresight.take_steps)(
            states, player, mover.act_many(states, player, rng.integers(1, 99, (1, 1), np.uint64))
        )
        if states["winner"][0]:
            break
    assert several > 0


def test_a_line_is_left_when_the_rival_does_otherwise():
    mind, notes = foresight(), np.zeros(1, NOTE)
    states, me = position(TRAIL_AHEAD), np.zeros(1, int)
    notes["beliefs"][0, 1] = 255 ^ FIRST
    notes["head"] = states["head"][0, 1] + states["cols"][0]  # it stepped up, bit 0
    for answer, dropped in ((0, False), (3, True)):
        note = notes.copy()
        write_line(note[0], [2, 2, 2], [answer, 0, 0])
        take_off(note[0])
        chosen = mind.choose(states, me, np.ones(1, np.bool_), note)
        assert (chosen[0] != 2) == dropped


def test_the_hunted_champion_beats_a_hunter_that_it_knows():
    played = play(("champion:nodes=500", "bot1:run=thrones-bot1-small"), GAME.rule_values("paper_small"), 3, 0, 0, 4)
    assert played["wins"] >= 3


def _ready(copy):
    copy.prepare(GAME)
    return copy
