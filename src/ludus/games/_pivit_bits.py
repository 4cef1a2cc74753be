"""Pivit on bit boards: what stands on a board and what it can reach, for all pieces of a sort at once.

A set of squares is one word; the square in row r and column c, both from 0, is bit 8 * c + r. Pieces go four ways:
down and up (v), right and left (h). `_pivit_lines` says the same of single pieces, square by square.
"""

from typing import Any, NamedTuple

import numpy as np

from ludus.rules import rule

NONE, ONE = np.uint64(0), np.uint64(1)
EACH_BYTE = np.uint64(0x0101010101010101)
WAYS = 4
ON, BACK = np.array([1, 0, 8, 0], np.uint64), np.array([0, 1, 0, 8], np.uint64)
"""By how many bits a step goes on or back, each way."""


def _squares(test):
    """Those of the 8x8 board and of the 6x6 board that pass."""
    return [
        sum(1 << 8 * column + row for row in range(side) for column in range(side) if test(row, column, side - 1))
        for side in (8, 6)
    ]


CORNERS = np.array(_squares(lambda row, column, last: row % last == 0 and column % last == 0), np.uint64)
BOARD = np.array(_squares(lambda row, column, last: True), np.uint64)
INSIDE = np.array(
    [
        _squares(lambda row, column, last: row < last), _squares(lambda row, column, last: row > 0),
        _squares(lambda row, column, last: column < last), _squares(lambda row, column, last: column > 0),
    ],
    np.uint64,
)  # fmt: skip
"""From where there is a step to make, each way."""


class Sets(NamedTuple):
    """What stands where, a word each. The player's number, from 1, is written in three bits."""

    horizontal: Any
    masters: Any
    ones: Any
    twos: Any
    fours: Any
    taken: Any
    free: Any


@rule
def count(squares):
    n = 0
    while squares != NONE:  # compilers know this loop and make one instruction of it
        squares &= squares - ONE
        n += 1
    return n


@rule
def with_bit(rows, bit):
    """The squares whose byte has this bit."""
    squares = NONE
    for row in range(8):
        squares |= (rows[row] >> np.uint64(bit) & EACH_BYTE) << np.uint64(row)
    return squares


@rule
def read_sets(board, small):
    rows = board.view(np.uint64)
    ones, twos, fours = with_bit(rows, 2), with_bit(rows, 3), with_bit(rows, 4)
    taken = ones | twos | fours
    return Sets(with_bit(rows, 0), with_bit(rows, 1), ones, twos, fours, taken, BOARD[small] & ~taken)


@rule
def owned(sets, player):
    number = player + 1
    own = sets.taken & (sets.ones if number & 1 else ~sets.ones)
    own &= sets.twos if number & 2 else ~sets.twos
    return own & (sets.fours if number & 4 else ~sets.fours)


@rule
def on_axis(sets, way):
    """Where a piece that stands there could go this way."""
    return ~sets.horizontal if way < 2 else sets.horizontal


@rule
def hops(minions, way, free, small):
    """Where these land one, three, five or seven squares on, over free ones: on a free square or on the first piece."""
    on, back, inside = ON[way], BACK[way], INSIDE[way, small]
    free &= inside
    landed = reached = (minions & inside) << on >> back
    for _ in range(3):
        reached = ((reached & free) << on >> back & free) << on >> back
        landed |= reached
    return landed


@rule
def slides(masters, way, free, small):
    """… and any number of squares on."""
    on, back, inside = ON[way], BACK[way], INSIDE[way, small]
    free &= inside
    landed = reached = (masters & inside) << on >> back
    for _ in range(6):
        reached = (reached & free) << on >> back
        landed |= reached
    return landed


@rule
def reach(sets, own, small):
    """How many moves these pieces have, and where they could capture were the square a rival's."""
    moves, reached = 0, NONE
    for way in range(WAYS):
        movers = own & on_axis(sets, way)
        landed = hops(movers & ~sets.masters, way, sets.free, small)
        landed |= slides(movers & sets.masters, way, sets.free, small)
        moves += count(landed & ~own)
        reached |= landed
    return moves, reached


@rule
def near_corners(sets, own, small):
    """The own minions that one move takes to a corner; and two, the first of them to the edge.

    A way is as long from its end, so what hops from a corner comes to where minions could hop to it."""
    doors_v = doors_h = first = second = NONE
    for way in range(WAYS):
        found = hops(CORNERS[small] & ~own, way, sets.free, small)
        first |= found & on_axis(sets, way)
        if way < 2:
            doors_v |= found
        else:
            doors_h |= found
    for way in range(WAYS):
        doors = (doors_h if way < 2 else doors_v) & ~own & ~CORNERS[small]
        second |= hops(doors, way, sets.free, small) & on_axis(sets, way)
    minions = own & ~sets.masters
    return minions & first, minions & second
