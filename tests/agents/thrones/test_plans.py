"""Plans in an agent's memory, and the terms by which players of Thrones judge a position."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.agents.thrones import _terms
from ludus.catalogue import load

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
    queue, seen = np.zeros(_terms.MAX_CELLS, np.int64), np.zeros(_terms.MAX_CELLS, np.int8)
    assert _terms.home_around(state, 0, berth, queue, seen) == steps
