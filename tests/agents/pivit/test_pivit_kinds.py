"""Kinds of moves and situations against what menus say, and that a table of them learns."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import load
from ludus.agents._abstraction import column_of, find_abstraction, row_of
from ludus.compile import template
from ludus.learn.qlearning import Learner, Settings
from ludus.rules import legal
from tests.agents.minimax import mover_of, random_positions, successors

CORNERS = {0, 7, 56, 63}


@template
def read_kinds(states, player, menu, out):
    count = legal(states[0], player, menu)
    for k in range(count):
        out[k] = column_of(states[0], player, menu[k], k)
    return row_of(states[0], player)


def ranks(state, cells) -> int:
    """The most that stands on these cells: 0 nothing, 1 a minion, 2 a master."""
    return max((0 if state.board[k] == 0 else 2 if state.board[k] & 2 else 1 for k in cells), default=0)


def moves_of(game, states, player) -> list[tuple[int, int]]:
    """Where from and where to, were the player on move."""
    turned = states.copy()
    turned[0].turn = player
    return [(int(action) >> 6, int(action) & 63) for action in game.menu(turned, player)]


def kind(game, states, player, origin, target, after) -> int:
    """The number of a kind, from menus alone."""
    board, rival = states[0].board, 1 - player
    before = {to for _, to in moves_of(game, states, rival)}
    then = after.reshape(1)
    own = [to for origin, to in moves_of(game, then, player) if origin == target]
    is_master = int(after.board[target] & 2 != 0)
    promotes = is_master and not board[origin] & 2
    at_door = not is_master and bool(CORNERS & {*own})
    attacked = target in {to for _, to in moves_of(game, then, rival)}
    threat = ranks(after, own)
    number = (ranks(states[0], [target]) + 3 * promotes) * 2 + is_master
    return ((number * 2 + (origin in before)) * 2 + attacked) * 6 + at_door * 3 + threat


@pytest.mark.parametrize("plies", [0, 20, 50, 80])
def test_kinds_are_what_menus_say(plies):
    game, menu, out = load("pivit"), np.empty(84, np.int32), np.empty(84, np.int64)
    read = find_abstraction("auto", game, 1).kernel(read_kinds, game)
    for states in random_positions(game, plies, 4):
        player = mover_of(game, states)
        row = read(states, player, menu, out)
        for k, after in enumerate(successors(game, states, player)):
            origin, target = int(menu[k]) >> 6, int(menu[k]) & 63
            if after.ending == 0:
                assert out[k] == kind(game, states, player, origin, target, after)
        own = {k for k in range(64) if states[0].board[k] >> 2 == 1 + player}
        attacked = own & {to for _, to in moves_of(game, states, 1 - player)}
        assert row % 3 == ranks(states[0], attacked)
        assert row // 3 % 3 == sum(states[0].minions.sum() > few for few in (1, 4))
        assert (row // 9 % 3 == 1) == (states[0].promoted[player] == 1)


def test_a_table_of_kinds_learns():
    game = load("pivit")
    settings = Settings(games=1500, rivals="self", rule="sarsa", trace=1.0)
    learner = Learner(game, game.rule_values(), settings, 1)
    learner.play(0, 1500)
    pupil = Learner(game, game.rule_values(), Settings(rivals="random"), 2)
    pupil.cells = learner.cells
    assert float(str(pupil.play(0, 200)["win_rate"])) > 0.9
