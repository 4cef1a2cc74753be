"""Breakthrough: what tells who is ahead.

A piece is *attacked* if a rival's could capture it now, *guarded* if one of its own colour could capture on its cell,
*hanging* if it is attacked and not guarded. It is *past* all rivals if none of them stands before it in its column or
in those beside it: nobody can stop it any more.
"""

import numpy as np

from ludus.rules import rule

TERMS = (
    "at home", "a row on", "two rows on", "three rows on", "four rows on", "five rows on", "six rows on", "foremost",
    "attacked", "hanging", "guarded", "side by side", "past all rivals", "the foremost of those",
)  # fmt: skip
ROWS, FOREMOST, ATTACKED, HANGING, GUARDED, ABREAST, PAST, FIRST_PAST = 7, 7, 8, 9, 10, 11, 12, 13
SCALE = np.array([4, 4, 4, 3, 2, 1, 1, 4, 3, 2, 6, 6, 2, 4], np.float32)  # what of each is about 1

ONE, SEVEN, EIGHT, NINE = np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)
SIXTEEN, THIRTY_TWO = np.uint64(16), np.uint64(32)
FIRST_ROW = np.uint64(0xFF)
NOT_A, NOT_H = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)


@rule
def count(cells):
    n = 0
    while cells != 0:  # compilers know this loop and make one instruction of it
        cells &= cells - ONE
        n += 1
    return n


@rule
def reach(pieces, player):
    """The cells on which a player could capture."""
    if player == 0:
        return (pieces << SEVEN & NOT_H) | (pieces << NINE & NOT_A)
    return (pieces >> NINE & NOT_H) | (pieces >> SEVEN & NOT_A)


@rule
def shadow(rivals, player):
    """The cells from which a player's piece still has a rival before it."""
    if player == 0:
        below = rivals >> EIGHT
        below |= below >> EIGHT
        below |= below >> SIXTEEN
        below |= below >> THIRTY_TWO
    else:
        below = rivals << EIGHT
        below |= below << EIGHT
        below |= below << SIXTEEN
        below |= below << THIRTY_TWO
    return below | (below & NOT_A) >> ONE | (below & NOT_H) << ONE


@rule
def count_terms(state, player, counted):
    mine, theirs, rows = state.pieces[player], state.pieces[1 - player], state.params.rows
    guarded, attacked = reach(mine, player) & mine, reach(theirs, 1 - player) & mine
    past = mine & ~shadow(theirs, player)
    counted[:] = 0.0
    for way in range(rows - 1):
        row = np.uint64(8 * (way if player == 0 else rows - 1 - way))
        here = count(mine >> row & FIRST_ROW)
        counted[max(way + ROWS + 1 - rows, 0)] += here  # smaller boards are counted from the goal
        if here:
            counted[FOREMOST] = way + 8 - rows
        if past >> row & FIRST_ROW != 0:
            counted[FIRST_PAST] = way + 8 - rows
    counted[ATTACKED], counted[GUARDED] = count(attacked), count(guarded)
    counted[HANGING] = count(attacked & ~guarded)
    counted[ABREAST] = count(mine & (mine & NOT_A) >> ONE)
    counted[PAST] = count(past)


@rule
def terms(state, player, out):
    """The player's less the rival's."""
    theirs = np.empty(len(TERMS), np.float32)
    count_terms(state, player, out)
    count_terms(state, 1 - player, theirs)
    for k in range(len(TERMS)):
        out[k] = (out[k] - theirs[k]) / SCALE[k]
