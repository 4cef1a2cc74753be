"""What a deep Q-learner remembers: which decision is learnt from which, and how often each is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import load
from ludus.learn._decisions import LAST, OPEN, Decisions

GAME = load("tic_tac_toe")


def decisions(size: int = 64, matches: int = 2, steps: int = 2, discount: float = 0.5) -> Decisions:
    return Decisions(GAME, 3, size, matches, steps, discount)


def decide(memory: Decisions, match: int, player: int, bold: bool = False) -> int:
    """One decision; its number."""
    slots = np.full((1, GAME.facts.max_actions), -1, np.int16)
    slots[0, :2] = 0, 1
    features = np.full((1, 3), memory.made % 100, np.int8)
    memory.add(np.array([match]), np.array([player]), features, slots, np.array([1]), np.array([bold]))
    return memory.made - 1


def test_a_decision_is_learnt_from_the_one_that_its_player_makes_some_steps_later():
    memory = decisions(steps=2)
    first = [decide(memory, 0, player) for player in (0, 1)]
    second = [decide(memory, 0, player) for player in (0, 1)]
    assert (memory.ring.following[:4] == OPEN).all()
    third = decide(memory, 0, 0)
    assert memory.ring.following[first[0]] == third
    assert memory.ring.following[first[1]] == OPEN, "the other player's waits for that player"
    assert memory.ring.following[second[0]] == OPEN
    assert memory.closed == 1


def test_at_the_end_open_decisions_get_the_discounted_return():
    memory = decisions(steps=3)
    numbers = [decide(memory, 0, 0) for _ in range(4)]
    other = decide(memory, 1, 0)
    memory.end(np.array([0]), np.array([[1.0, -1.0]]))
    ring = memory.ring
    assert ring.following[numbers[0]] == numbers[3]
    assert ring.rewards[numbers[0]] == 0
    assert (ring.following[numbers[1:]] == LAST).all()
    assert ring.rewards[numbers[1:]].tolist() == [0.25, 0.5, 1.0]
    assert ring.following[other] == OPEN, "the other match goes on"
    decide(memory, 0, 0)
    assert memory.recent.lengths[0, 0] == 1, "a new match begins anew"


def test_a_bold_decision_ends_what_came_before_it():
    memory = decisions(steps=3)
    numbers = [decide(memory, 0, 0) for _ in range(2)]
    other, bold = decide(memory, 0, 1), decide(memory, 0, 0, bold=True)
    ring = memory.ring
    assert ring.following[numbers].tolist() == [bold, bold]
    assert ring.ahead[numbers].tolist() == [0.25, 0.5]
    assert ring.following[[other, bold]].tolist() == [OPEN, OPEN]
    later = [decide(memory, 0, 0) for _ in range(3)]
    assert ring.following[bold] == later[-1]
    assert ring.ahead[bold] == 0.125
    memory.end(np.array([0]), np.array([[1.0, -1.0]]))
    assert ring.rewards[later].tolist() == [0.25, 0.5, 1.0]
    assert ring.following[numbers].tolist() == [bold, bold], "it is known already"


def test_what_has_left_the_ring_is_forgotten():
    memory = decisions(size=4, steps=1)
    old = decide(memory, 0, 0)
    for _ in range(4):
        decide(memory, 1, 0)
    decide(memory, 0, 0)
    assert memory.ring.following[old % 4] != 5, "another decision lies in its place"


def test_open_decisions_are_never_drawn_and_surprising_ones_more_often():
    memory, rng = decisions(steps=1), np.array([7], np.uint64)
    for _ in range(9):
        decide(memory, 0, 0)
    batch = memory.draw(800, rng, 1.0)
    assert set(batch.rows.tolist()) == set(range(8)), "the last is open"
    assert np.allclose(batch.weights, 1)
    memory.surprised(batch._replace(rows=np.arange(8)), np.array([1.0] + [0.0] * 7))
    again = memory.draw(8000, rng, 1.0)
    share = (again.rows == 0).mean()
    priorities = np.array([1.01**0.6] + [0.01**0.6] * 7)
    assert share == pytest.approx(priorities[0] / priorities.sum(), abs=0.02)
    assert again.weights[again.rows == 0].max() == pytest.approx(priorities[1] / priorities[0], rel=1e-3)


def test_what_follows_comes_along():
    memory, rng = decisions(steps=1), np.array([1], np.uint64)
    for _ in range(5):
        decide(memory, 0, 0)
    memory.end(np.array([0]), np.array([[1.0, 0.0]]))
    batch = memory.draw(50, rng, 0.0)
    goes_on = batch.ahead > 0
    assert (batch.next_features[goes_on, 0] == batch.features[goes_on, 0] + 1).all()
    assert (batch.rewards == np.where(goes_on, 0, 1)).all()
    assert (batch.ahead == np.where(goes_on, 0.5, 0)).all()
