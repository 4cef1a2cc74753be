"""Random play: uniform, repeatable, and the same as that of the bulk kernel."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import agent, kernels, load
from ludus.arena.lockstep import Seating, play_batch
from ludus.game import View
from ludus.rng import match_words, stream


def choices(name: str, count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """What the first player to act would do in the first position with so many streams; the menu."""
    game = load(name)
    states = game.start(match_words(1, np.arange(1), 0, 2), 2)
    mask = int(game.waiting(states)[0])
    player = (mask & -mask).bit_length() - 1
    words = match_words(seed, np.arange(count), 0, 2)[:, 1:2].copy()
    views = np.repeat(game.masked(states, np.array([player])), count)
    return agent("random", game).act_many(views, np.full(count, player), words), game.menu(states, player)


@pytest.mark.parametrize("name", ["tic_tac_toe", "breakthrough", "goofspiel", "kuhn_poker"])
def test_every_action_is_as_likely(name):
    chosen, menu = choices(name, 40_000)
    counts = np.array([(chosen == action).sum() for action in menu])
    expected = 40_000 / len(menu)
    freedom = len(menu) - 1
    assert counts.sum() == 40_000
    assert ((counts - expected) ** 2 / expected).sum() < freedom + 4 * np.sqrt(2 * freedom)


def test_same_stream_same_answers():
    first, _ = choices("breakthrough", 500)
    assert (first == choices("breakthrough", 500)[0]).all()
    assert (first != choices("breakthrough", 500, seed=2)[0]).any()


def test_one_view_is_answered_as_in_a_batch():
    chosen, _ = choices("connect_four", 20)
    game = load("connect_four")
    view = View(game, game.start(match_words(1, np.arange(1), 0, 2), 2), 0)
    words = match_words(1, np.arange(20), 0, 2)
    assert [agent("random", game).act(view, words[k, 1:2].copy()) for k in range(20)] == chosen.tolist()


@pytest.mark.parametrize(("name", "players"), [("connect_four", 2), ("goofspiel", 4), ("gravwell", 3)])
def test_it_plays_the_matches_of_the_bulk_kernel(name, players):
    game, count = load(name), 40
    tables = [Seating((0,) * players, block, 0) for block in range(count)]
    batch = play_batch(game, [agent("random", game)], tables, 7, game.rule_values())
    words = match_words(7, np.arange(count), 0, players)
    states, plies = game.start(words, players), np.zeros(count, np.int64)
    game.kernel(kernels.rollouts)(states, words, plies, game.facts.max_plies)
    assert (batch.plies == plies).all()
    assert (batch.returns == game.payoffs(states)[:, :players]).all()


def test_a_forced_move_draws_nothing():
    game = load("tic_tac_toe")
    view = View(game, game.parse_state("XOX XOO OX.", 2), 0)
    rng = stream(1)
    assert agent("random", game).act(view, rng) == 8
    assert rng == stream(1)
