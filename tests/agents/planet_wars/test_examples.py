"""The example bots give the orders that the contest's did, on random positions."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ludus import agent, kernels, load
from ludus.games import planet_wars as rules
from ludus.rng import match_words
from tests.agents.planet_wars import naive_bots

GAME = load("planet_wars")
POSITIONS = 10_000


@cache
def positions() -> np.ndarray:
    """Starts of turns, all through random matches on both kinds of maps."""
    kept = []
    for preset in ("default", "finals"):
        words = match_words(5, np.arange(250), np.zeros(250, int), 2)
        states = GAME.start(words, 2, GAME.rule_values(preset, {"menu_orders": 3, "turns": 120}))
        plies = np.zeros(250, np.int64)
        for k in range(20):
            GAME.kernel(kernels.rollouts)(states, words, plies, 24 * k + 1 + k % 3)
            kept.append(states.copy())
    states = np.concatenate(kept)
    GAME.kernel(kernels.mask_views)(states, np.zeros(len(states), np.int64))
    GAME.kernel(kernels.mask_views)(states, np.ones(len(states), np.int64))  # so that no order of the turn is left
    most = np.arange(len(states))[:, None] // 2 % 7  # some with few fleets, since most bots wait for theirs to land
    states["under_way"] = np.where(most < 6, np.minimum(states["under_way"], most), states["under_way"])
    gone = np.arange(rules.MAX_FLEETS) >= states["under_way"][:, :, None]
    for table in ("fleet_ships", "fleet_route", "fleet_turns"):
        states[table][gone] = 0
    return states


def orders_of(name: str, states: np.ndarray, player: int) -> list[list[tuple[int, int, int]]]:
    """All orders of a turn, in every state."""
    bot, states = agent(name, GAME), states.copy()
    found: list[list[tuple[int, int, int]]] = [[] for _ in states]
    players, words = np.full(len(states), player), np.zeros((len(states), 1), np.uint64)
    live = np.arange(len(states))
    while len(live):
        answers = bot.act_many(states[live], players[live], words[live])
        live, answers = live[answers != rules.DONE], answers[answers != rules.DONE]
        for k, action in zip(live, answers):
            found[k].append((action // 40 % 40, action % 40, action // 1600))
        joint = np.full((len(live), 2), rules.DONE, np.int32)
        joint[:, player] = answers
        later = states[live]
        GAME.advance(later, joint, np.zeros((len(live), 3), np.uint64))
        states[live] = later
    return found


@pytest.mark.parametrize("name", ["bully", "prospector", "dual", "rage"])
def test_the_bot_gives_the_orders_of_the_contest(name):
    states = positions()
    assert len(states) == POSITIONS
    given = 0
    for player in (0, 1):
        half = states[player::2]
        half = half[half["outcome"] == 0]
        for state, orders in zip(half, orders_of(name, half, player)):
            expected = getattr(naive_bots, name)(naive_bots.Sky(rules.contest_text(state, player)))
            assert orders == [order for order in expected if order[2] > 0]
            given += len(orders)
    assert given > 500


def test_the_random_bot_sends_half_of_a_random_planet_anywhere():
    states = positions()
    states = states[(states["outcome"] == 0) & (states["under_way"][:, 0] == 0)]
    words = np.random.default_rng(3).integers(0, 2**63, (len(states), 1), np.uint64)
    answers = agent("random_bot", GAME).act_many(states, np.zeros(len(states), np.int64), words)
    assert (answers != rules.DONE).sum() > 300
    sources = set()
    for state, action in zip(states, answers):
        if action != rules.DONE:
            source = action // 40 % 40
            assert state.owner[source] == 1
            assert action // 1600 == state.ships[source] // 2
            sources.add(int(source))
    assert len(sources) > 10


def test_the_random_bot_waits_while_a_fleet_flies():
    states = positions()
    states = states[states["under_way"][:, 1] > 0]
    bot, words = agent("random_bot", GAME), np.zeros((len(states), 1), np.uint64)
    answers = bot.act_many(states, np.ones(len(states), np.int64), words)
    assert (answers == rules.DONE).all()
