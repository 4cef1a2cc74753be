"""Pivit as the learners of its paper saw it: the board and no clock, own pieces and rivals' relative to who moves."""

from __future__ import annotations

import numpy as np

from ludus.agents._dictionary import Positions
from ludus.compile import rule
from ludus.games.pivit import PLY_CAP
from ludus.rng import blend


@rule
def board_key(view, player):
    """The pieces, and who promoted first: without that the tie-break would not follow from the position."""
    word = np.uint64(0x9E3779B97F4A7C15)
    for cell in range(64):
        piece = view.board[cell]
        owner = (piece // 4 - 1 - player + view.players) % view.players if piece else 0
        word = blend(word, np.uint64(0 if piece == 0 else 4 * (1 + owner) + piece % 4))
    for seat in range(view.players):
        word = blend(word, np.uint64(view.promoted[(player + seat) % view.players]))
    return max(word, np.uint64(1))


@rule
def won_or_not(state, player):
    """1 for a win, -1 for anything else, 0 where the match was cut off."""
    if state.ending == PLY_CAP:
        return 0.0
    return 1.0 if state.winners == 1 << player else -1.0


POSITIONS = Positions(board_key, won_or_not)
