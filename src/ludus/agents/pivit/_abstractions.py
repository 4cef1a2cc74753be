"""Pivit for a small table: what kind of move it is, in what kind of situation, instead of which position.

The learners of the paper store positions, of which hardly one comes twice. Here a move is known by what it takes, what
becomes of the piece and what it then threatens; a situation by who would win if masters were counted now, who promoted
first, how many minions are left, and the most that the player stands to lose. 15,552 cells are all met again and again.
"""

from __future__ import annotations

import numpy as np

from ludus.agents._abstraction import Abstraction, Table
from ludus.compile import rule
from ludus.games._pivit_lines import HORIZONTAL, MASTER, doors, far, mark_attacks
from ludus.games.pivit import by_masters, is_corner, width

ROWS, COLUMNS = 2 * 3 * 3 * 3, 6 * 2 * 2 * 2 * 2 * 3
FEW, LAST = 4, 1
"""Minions on the board: few, and the last, with which the game ends."""


@rule
def rank(piece):
    """0 for no piece, 1 for a minion, 2 for a master."""
    return 0 if piece == 0 else 2 if piece & MASTER else 1


@rule
def situation(view, player):
    marks, moves, most = np.zeros(64, np.int8), np.zeros(4, np.int32), 0
    mark_attacks(view.board, width(view), marks, moves)
    for cell in range(64):
        piece = int(view.board[cell])
        if marks[cell] & 1 and piece >> 2 == 1 + player:
            most = max(most, rank(piece))
    winners, _ = by_masters(view)
    left, promoted = view.minions.sum(), view.promoted.max() > 0
    first = 0 if not promoted else 1 if view.promoted[player] == 1 else 2
    return ((int(winners == 1 << player) * 3 + first) * 3 + (left > FEW) + (left > LAST)) * 3 + most


@rule
def met(board, cell, stride, side):
    """How far the next piece is along a line, and which; none is 0."""
    place = cell & 7 if abs(stride) == 1 else cell >> 3
    distance = far(board, cell, stride, side - 1 - place if stride > 0 else place)
    return distance, int(board[cell + distance * stride]) if distance else 0


@rule
def is_attacked(board, cell, side):
    """Whether a rival could capture what stands here."""
    for stride in (-1, 1, -8, 8):
        distance, piece = met(board, cell, stride, side)
        along = piece & HORIZONTAL if abs(stride) == 1 else not piece & HORIZONTAL
        if piece and piece >> 2 != board[cell] >> 2 and along and (distance & 1 or piece & MASTER):
            return True
    return False


@rule
def threatened(board, cell, side):
    """The most that the piece here could capture next."""
    most, own = 0, int(board[cell])
    stride = 1 if own & HORIZONTAL else 8
    for way in (-stride, stride):
        distance, piece = met(board, cell, way, side)
        if piece >> 2 != own >> 2 and (distance & 1 or own & MASTER):
            most = max(most, rank(piece))
    return most


@rule
def kind_of_move(view, player, action, place):
    side, origin, target, board = width(view), action >> 6, action & 63, view.board.copy()
    piece, taken = int(board[origin]), rank(int(board[target]))
    fled = is_attacked(board, origin, side)
    promotes = view.params.promotion and not piece & MASTER and is_corner(side, target)
    board[origin], board[target] = 0, (piece | MASTER if promotes else piece) ^ HORIZONTAL
    is_master = board[target] & MASTER != 0
    at_door = not is_master and doors(board, target, side, 1 + player) == 1
    kind = (taken + 3 * int(promotes)) * 2 + int(is_master)
    kind = (kind * 2 + int(fled)) * 2 + int(is_attacked(board, target, side))
    return (kind * 2 + int(at_door)) * 3 + threatened(board, target, side)


ABSTRACTIONS = {
    "kinds": Abstraction(
        (Table("kinds", ROWS, alpha=0.02, discount=0.97, temperature=0.003),),
        COLUMNS, {"row_of": situation, "column_of": kind_of_move},
    ),
}  # fmt: skip
