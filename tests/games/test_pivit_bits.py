"""Pivit's bit boards against its lines, which look along each piece square by square."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import kernels, load
from ludus.compile import rule, template
from ludus.games._pivit_lines import MASTER, doors, mark_attacks
from ludus.games._pivit_terms import ATTACKED, DOOR, HANGING, MOBILITY, TERMS, TWO_AWAY, count_terms
from ludus.rng import match_words

MATCHES = 250
SETTINGS = [(2, "default"), (2, "short"), (2, "paper"), (3, "default"), (4, "default")]


@rule
def count_plainly(state, counted):
    side, marks, moves = 8 - 2 * int(state.params.board), np.zeros(64, np.int8), np.zeros(4, np.int32)
    mark_attacks(state.board, side, marks, moves)
    counted[:, MOBILITY] = moves
    for cell in range(64):
        piece = int(state.board[cell])
        if piece:
            own, is_master = counted[(piece >> 2) - 1], 1 if piece & MASTER else 0
            own[ATTACKED + is_master] += marks[cell] & 1
            own[HANGING + is_master] += marks[cell] == 1
            door = 0 if is_master else doors(state.board, cell, side, piece >> 2)
            own[DOOR] += door == 1
            own[TWO_AWAY] += door == 2


@template
def count_both(states, by_bits, by_lines):
    for i in range(states.shape[0]):
        count_terms(states[i], by_bits[i])
        count_plainly(states[i], by_lines[i])


@pytest.mark.parametrize("plies", [0, 9, 25, 50, 80, 130])
@pytest.mark.parametrize(("players", "preset"), SETTINGS)
def test_bits_count_what_lines_do(players, preset, plies):
    """On 7,500 positions in all; `paper` has minions in corners."""
    game, words = load("pivit"), match_words(plies, np.arange(MATCHES), 0, players)
    states = game.start(words, players, game.rule_values(preset))
    game.kernel(kernels.rollouts)(states, words, np.zeros(MATCHES, np.int64), plies)
    by_bits, by_lines = np.zeros((2, MATCHES, 4, len(TERMS)), np.float32)
    game.kernel(count_both)(states, by_bits, by_lines)
    assert by_lines[:, :, MOBILITY].any()
    assert (by_bits == by_lines).all()
