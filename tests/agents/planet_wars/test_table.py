"""Drafts of both sides: the same in any order, carried out together, and what a table says of each."""

from __future__ import annotations

import numpy as np
import pytest

from ludus.agents.planet_wars._drafts import DRAFT, call_off, carry_out, note
from ludus.agents.planet_wars._outlook import MINE, OUTLOOK, RIVALS
from ludus.agents.planet_wars._steps import PARTS
from ludus.agents.planet_wars._table import ROUNDS, TABLE, is_new, solve
from tests.agents.planet_wars.test_outlook import GAME, outlooks

SKY = """
P 0 0 1 20 5
P 4 0 1 30 5
P 8 0 2 60 5
"""


def draft_of(*steps: tuple[int, int, int, int]) -> np.ndarray:
    """One draft, of (source, dest, ships, leave)."""
    draft, parts = np.zeros(1, DRAFT), np.zeros(1, PARTS)
    for source, dest, ships, leave in steps:
        parts["count"], parts["source"][0, 0], parts["ships"][0, 0], parts["leave"][0, 0] = 1, source, ships, leave
        note(draft[0], dest, parts[0])
    return draft


def seen() -> np.ndarray:
    outlook = outlooks(GAME.parse_state(SKY, 2, GAME.rule_values()), 0)
    assert outlook.dtype == OUTLOOK
    return outlook


def test_the_same_parts_in_another_order_are_the_same_draft():
    one, other = draft_of((0, 1, 5, 0), (1, 2, 9, 3)), draft_of((1, 2, 9, 3), (0, 1, 5, 0))
    assert not is_new(np.concatenate([one, other]), 1)
    assert is_new(np.concatenate([one, draft_of((1, 2, 9, 4), (0, 1, 5, 0))]), 1)


def test_what_leaves_a_lost_planet_later_is_called_off():
    outlook = seen()
    mine, rivals = draft_of((1, 2, 30, 6)), draft_of((2, 1, 60, 0))
    carry_out(outlook[0], 0, mine[0])
    carry_out(outlook[0], 1, rivals[0])
    assert outlook["owner"][0, 1, 4] == RIVALS
    assert outlook["landing"][0, 0, 2, 10] == 30
    call_off(outlook[0], 0, mine[0])
    assert outlook["landing"][0, 0, 2, 10] == 0
    assert outlook["leaving"][0, 0, 1, 6] == 0


def test_what_leaves_a_held_planet_later_is_not_called_off():
    outlook, mine = seen(), draft_of((1, 2, 30, 6))
    carry_out(outlook[0], 0, mine[0])
    call_off(outlook[0], 0, mine[0])
    assert outlook["owner"][0, 1, 6] == MINE
    assert outlook["landing"][0, 0, 2, 10] == 30


def solved(worth: list[list[float]], alone: list[float], trust: float) -> np.ndarray:
    """What each row is worth."""
    table = np.zeros(1, TABLE)
    rows, columns = len(alone), len(worth[0]) if worth else 0
    table["rows"], table["columns"], table["alone"][0, :rows] = rows, columns, alone
    if columns:
        table["worth"][0, :rows, :columns] = worth
    solve(table[0], trust)
    return table["total"][0, 0, :rows] / ROUNDS


def test_rows_are_worth_what_they_bring_against_the_rivals_best_mixture():
    assert solved([[3, -1], [-1, 1]], [0, 0], 1.0) == pytest.approx([1 / 3, 1 / 3], abs=0.1)
    assert solved([[3, -1], [-1, 1], [-1, -2]], [0, 0, 0], 1.0) == pytest.approx([1 / 3, 1 / 3, -5 / 3], abs=0.1)


def test_rows_count_alone_where_the_rival_is_not_trusted():
    assert solved([], [1, 4, 2], 0.0) == pytest.approx([1, 4, 2])
    assert solved([[5], [0]], [0, 4], 0.5) == pytest.approx([2.5, 2])
    assert solved([[5], [0]], [0, 4], 0.25) == pytest.approx([1.25, 3])
