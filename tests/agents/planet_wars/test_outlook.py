"""The outlook is what the rules make of a position in which nobody gives another order."""

from __future__ import annotations

from functools import cache

import numpy as np

from ludus import kernels, load
from ludus.agents.planet_wars._outlook import MINE, OUTLOOK, RIVALS, look
from ludus.compile import template
from ludus.rng import match_words

GAME = load("planet_wars")
SPAN = 50


@template
def look_all(states, player, outlooks):
    for i in range(states.shape[0]):
        look(states[i], player, 50, outlooks[i])


@cache
def positions(count: int = 1000) -> np.ndarray:
    """Starts of turns of random play on both kinds of maps."""
    kept = []
    for preset in ("default", "finals"):
        words = match_words(9, np.arange(count), np.zeros(count, int), 2)
        states = GAME.start(words, 2, GAME.rule_values(preset, {"menu_orders": 4, "turns": 1000}))
        for k in range(count // 50):
            part = slice(50 * k, 50 * k + 50)
            GAME.kernel(kernels.rollouts)(states[part], words[part], np.zeros(50, np.int64), 11 * k)
        kept.append(states)
    states = np.concatenate(kept)
    for player in (0, 1):
        GAME.kernel(kernels.mask_views)(states, np.full(len(states), player))
    return states


def outlooks(states: np.ndarray, player: int) -> np.ndarray:
    out = np.zeros(len(states), OUTLOOK)
    GAME.kernel(look_all)(states, player, out)
    return out


def pass_turn(states: np.ndarray) -> None:
    GAME.advance(states, np.zeros((len(states), 2), np.int32), np.zeros((len(states), 3), np.uint64))


def test_the_outlook_is_what_the_rules_play_in_100_000_positions():
    states = positions()
    sides = [outlooks(states, player) for player in (0, 1)]
    later, compared = states.copy(), 0
    for t in range(SPAN + 1):
        playing = later["outcome"] == 0
        for player, seen in enumerate(sides):
            owner = np.where(later["owner"] == 0, 0, np.where(later["owner"] == 1 + player, MINE, RIVALS))
            there = np.arange(40) < states["planets"][:, None]
            assert (seen["owner"][:, :, t] == owner)[there & playing[:, None]].all()
            assert (seen["ships"][:, :, t] == later["ships"])[there & playing[:, None]].all()
        compared += int(playing.sum())
        pass_turn(later)
    assert compared >= 50_000  # from both sides


def test_what_is_free_can_leave_and_one_ship_more_cannot():
    states = positions()[::10]
    seen = outlooks(states, 0)
    tested = 0
    for state, outlook in zip(states, seen):
        for planet in range(state.planets):
            if state.owner[planet] == 1 and outlook["free"][planet] > 0:
                tested += 1
                without = np.array([state, state])
                without["ships"][:, planet] -= outlook["free"][planet] + np.array([0, 1])
                if (without["ships"][:, planet] < 0).any():
                    without = without[:1]
                rows = outlooks(without, 0)
                assert (rows["owner"][0, planet, : SPAN + 1] == MINE).all()
                if len(rows) == 2:
                    assert (rows["owner"][1, planet, : SPAN + 1] != MINE).any()
    assert tested > 200
