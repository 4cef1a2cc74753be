"""Every game's features and policy slots keep their shapes and turn with the board; and faults in them are found."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import kernels, load
from ludus.catalogue import game_names
from ludus.game import Game
from ludus.rng import match_words
from ludus.rules import rule
from ludus.shapes import flat, hexagons, planes, squares
from ludus.testing.report import settings_of
from ludus.testing.shapes import features, slot_fault, stays_within, turned_fault


def positions(game: Game, preset: str, players: int) -> np.ndarray:
    """Some of random matches, each at another ply."""
    words = match_words(1, np.arange(12), 0, players)
    states = game.start(words, players, game.rule_values(preset))
    for k in range(12):
        game.kernel(kernels.rollouts)(states[k : k + 1], words[k : k + 1], np.zeros(1, np.int64), 2 * k)
    return states[game.waiting(states) != 0]


def faults(game: Game, preset: str, players: int) -> set[str]:
    """What is wrong with a game, in all its positions."""
    shape, policy = game.shapes(players, game.rule_values(preset))
    found = set()
    for state in np.split(states := positions(game, preset, players), len(states)):
        mask = int(game.waiting(state)[0])
        player = (mask & -mask).bit_length() - 1
        view = game.masked(state, np.array([player]))
        found.add(slot_fault(game, policy, view, player, game.menu(view, player)))
        if not stays_within(game, shape, view, np.array([player]))[0]:
            found.add("behind")
        for symmetry in range(1, game.names["SYMMETRIES"]):
            turned = state.copy()
            game.kernel(kernels.turn_boards)(turned, symmetry)
            found.add(turned_fault(game, shape, state, turned, player))
    return found - {""}


@pytest.mark.parametrize("name", game_names())
def test_shapes_of_the_games(name):
    game = load(name)
    for setting in settings_of(game, seed=1, matches=1):
        assert not faults(game, setting.preset, setting.players)


@pytest.mark.parametrize("name", game_names())
def test_features_lie_between_minus_one_and_one(name):
    game, players = load(name), load(name).facts.players[1]
    states = positions(game, "default", players)
    length = game.shapes(players)[0].length
    for player in range(players):
        seen = features(game, game.masked(states, seats := np.full(len(states), player)), seats)[:, :length]
        assert np.abs(seen).max() <= 1


def changed(**names) -> Game:
    game = Game(load("tic_tac_toe").module, "tic_tac_toe")
    game.names = game.names | names
    return game


def test_faults_are_found():
    shared = changed(policy_slot=rule(lambda state, player, action: action // 2))
    assert {fault for fault in faults(shared, "default", 2) if "share slot" in fault}
    outside = changed(policy_slot=rule(lambda state, player, action: action + 5))
    assert {fault for fault in faults(outside, "default", 2) if "outside 0 … 8" in fault}

    @rule
    def looks_at_a_corner(state, player, out):
        out[:18] = 0
        out[0] = state.board[0] != 0

    assert "`observe` shows other planes on the turned board, seat 0" in faults(
        changed(observe=looks_at_a_corner), "default", 2
    )
    small = changed()
    small.features = flat(18)
    assert not stays_within(small, flat(17), positions(small, "default", 2)[:1], np.array([0]))[0]


def test_bytes():
    game = load("tic_tac_toe")
    states, out = game.parse_state("X.. .O. ...", 2), np.empty((1, 18), np.int8)
    game.kernel(kernels.byte_features)(states, np.array([0]), np.zeros(18, np.float32), out)
    assert np.flatnonzero(out).tolist() == [0, 9 + 4]
    assert out.max() == 127


def test_a_game_without_declarations_has_slots():
    game = Game(load("tic_tac_toe").module, "tic_tac_toe")
    game.names = game.names | {"HAS_POLICY": False, "POLICY": 1024 + 9}
    assert not faults(game, "default", 2)


def test_boards():
    assert squares(2, 3).neighbours[0].tolist() == [-1, -1, -1, -1, 1, -1, 3, 4]
    assert hexagons(2).neighbours[0].tolist() == [1, 2, 3, 4, 5, 6]
    assert hexagons(3).cells == 19
    assert hexagons(3).grid == (5, 5)
    for board, back in ((hexagons(4), [3, 4, 5, 0, 1, 2]), (squares(4, 5), [7 - way for way in range(8)])):
        for cell, near in enumerate(board.neighbours):
            assert all(other < 0 or board.neighbours[other, back[d]] == cell for d, other in enumerate(near))
    assert planes(3, squares(2, 3), extra=4).length == 22
