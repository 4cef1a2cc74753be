"""Plans in an agent's memory, and the terms by which players of Thrones judge a position."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ludus.agents.thrones import _terms
from ludus.agents.thrones._foresight import take_steps
from ludus.agents.thrones._sweep import LIMITS, find_plan, find_return, new_scratch, outlives, roam
from ludus.agents.thrones.champion import Champion
from ludus.catalogue import load
from ludus.compile import template
from ludus.games.thrones import move

THRONES = load("thrones")


def position(text: str) -> np.ndarray:
    return THRONES.parse_state(text, 2, THRONES.rule_values())


@given(st.lists(st.integers(0, 3), max_size=_terms.MOST_STEPS))
def test_a_plan_is_played_as_it_was_kept(steps):
    memory = np.full(_terms.PLAN_WORDS, 7, np.uint64)
    _terms.keep_plan(memory, np.array(steps, np.int64), len(steps))
    assert [int(_terms.take_step(memory)) for _ in range(int(_terms.planned(memory)))] == steps
    assert _terms.planned(memory) == 0


CORNER = """
#########
#XX     #
#X**    #
#  *    #
#  1    #
#       #
#      2#
#########
"""


@pytest.mark.parametrize(("berth", "steps"), [(-1, 4), (6, 4), (7, _terms.NEVER)])
def test_the_way_home_keeps_clear_of_the_enemy(berth, steps):
    state = position(CORNER)[0]
    queue, came, way = np.zeros((3, _terms.MAX_CELLS), np.int64)
    assert _terms.way_home(state, 0, berth, queue, came, way) == steps


ROOM = """
###########
#1XX      #
#XX       #
#X        #
#    W    #
#         #
#         #
#       O2#
###########
"""


@template
def look_at_walks(states, steps, spare, out):
    out[0] = outlives(states[0], 0, steps, steps.shape[0], spare)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=14))
def test_who_walks_knows_where_the_walkers_will_be(steps):
    """As the referee plays it, with an enemy who goes to and fro at home."""
    states, out = position(ROOM), np.zeros(1, np.bool_)
    THRONES.kernel(look_at_walks)(states, np.array(steps), states.copy(), out)
    for k, step in enumerate(steps):
        for player, action in ((0, step), (1, 2 + k % 2)):
            if states["winner"][0] == 0:
                THRONES.kernel(take_steps)(states, np.array([player]), np.array([action], np.int32))
    assume(states["winner"][0] != 1)  # the walker hit the other one
    assert out[0] == (states["winner"][0] == 0)


SORTIE = """
#####################
#1XX                #
#XXX               2#
#XXX               .#
#                  .#
#                  .#
#      .............#
#      .            #
#      .            #
#      .            #
#      .            #
#      .            #
#      ............O#
#                 OO#
#####################
"""

CAUGHT = """
#################
# XX1           #
#  WX           #
# XXX           #
#               #
#               #
#               #
#               #
#               #
#               #
#               #
#              2#
#              O#
#################
"""

STRIP = """
#####################
#XXX                #
#XX*                #
#  *                #
#  *                #
#  *                #
#  ****1            #
#                   #
#                   #
#                   #
#                   #
#                   #
#                   #
#                   #
#                   #
#                   #
#                  O#
#                 O2#
#####################
"""

NEARLY_HALF = """
################
#XXXXXXXXXXXXXX#
#XXXXXXXXXXXXXX#
#1XXXXXXXXXXXXX#
#              #
#              #
#              #
#             2#
################
"""


@template
def look_for_plan(states, player, scratch, out):
    """The steps of the best plan, and where the player is after them."""
    words = np.ones(1, np.uint64)
    outside = states[0].inside[player] == 0
    n = find_return(states[0], player, words, scratch) if outside else find_plan(states[0], player, words, scratch)
    for k in range(n):
        move(states[0], player, scratch.best[k])
        roam(states[0])
    out[0] = n


def plan_in(text: str, player: int) -> tuple[int, np.void]:
    """How many steps the champion's best plan has, and the position after it."""
    limits, states, out = np.zeros(1, LIMITS), position(text), np.zeros(1, np.int64)
    for name in set(LIMITS.names or ()):
        limits[name] = getattr(Champion(), name)
    THRONES.kernel(look_for_plan)(states, player, new_scratch(THRONES.state_type, limits), out)
    return int(out[0]), states[0]


def test_a_plan_comes_home_instead_of_reaching_for_a_trail_that_will_be_gone():
    steps, after = plan_in(SORTIE, 0)
    assert steps > 0
    assert after["winner"] == 0
    assert after["inside"][0]


def test_a_hunter_shuts_the_walker_in():
    _, after = plan_in(CAUGHT, 0)
    assert after["walkers"] == 0


def test_a_way_home_takes_land_along():
    steps, after = plan_in(STRIP, 0)
    assert steps == 9, "no longer than the shortest"
    assert after["area"][0] == 34, "the whole rectangle, where the way along the trail wins 20"


def test_of_plans_that_win_the_shortest_is_taken():
    steps, after = plan_in(NEARLY_HALF, 0)
    assert after["winner"] == 1
    assert steps == 7, "two out, three along, two back: seven cells more are half of 98"
