"""Connect four: what tells who is ahead.

Every line of four without a rival's stone counts, by one's own stones in it; the empty cell of a line with three is a
*threat*. When nothing else is left to play, who began gets the cells of the odd rows and the other those of the even
ones: there a threat can wait, elsewhere it must be used before the rows below it are full.
"""

import numpy as np

from ludus.rules import rule

TERMS = (
    "lines with a stone", "lines with two", "lines with three", "threats that can wait", "other threats",
    "threats to play now", "somebody can wait lowest", "middle column",
)  # fmt: skip
ONES, TWOS, THREES, WAITING, OTHERS, NOW, LOWEST, MIDDLE = range(len(TERMS))
SCALE = np.array([20, 8, 3, 2, 2, 1, 1, 3], np.float32)  # what of each is about 1

STRIDES = (1, 6, 7, 8)
BOTTOM = sum(1 << 7 * column for column in range(7))
ODD = BOTTOM | BOTTOM << 2 | BOTTOM << 4
"""The first, third and fifth rows."""
CENTRE = 0b111111 << 21


@rule
def count(cells):
    n = 0
    while cells != 0:  # compilers know this loop and make one instruction of it
        cells &= cells - 1
        n += 1
    return n


@rule
def lowest_row(cells):
    """The lowest row, from 1, that holds one of the cells; 7 if there is none."""
    for row in range(6):
        if cells & BOTTOM << row:
            return row + 1
    return 7


@rule
def count_terms(state, player, counted):
    mine, taken = state.stones[player], state.stones[0] | state.stones[1]
    room, threats = state.board & ~state.stones[1 - player], np.int64(0)
    counted[:] = 0.0
    for stride in STRIDES:
        lines = room & room >> stride & room >> 2 * stride & room >> 3 * stride
        a, b, c, d = mine, mine >> stride, mine >> 2 * stride, mine >> 3 * stride
        odd = a ^ b ^ c ^ d
        several = (a & b) | (c & d) | ((a ^ b) & (c ^ d))
        three = lines & odd & several
        counted[ONES] += count(lines & odd & ~several)
        counted[TWOS] += count(lines & ~odd & several)
        counted[THREES] += count(three)
        for k in range(4):
            threats |= (three & ~(mine >> k * stride)) << k * stride
    playable = (taken + BOTTOM) & state.board
    waiting = threats & ~playable
    good = ODD if player == 0 else ~ODD
    counted[NOW] = count(threats & playable)
    counted[WAITING], counted[OTHERS] = count(waiting & good), count(waiting & ~good)
    counted[LOWEST] = 7 - lowest_row(waiting & good)
    counted[MIDDLE] = count(mine & CENTRE)


@rule
def terms(state, player, out):
    """The player's less the rival's; of the lowest threat that can wait only who has it."""
    theirs = np.empty(len(TERMS), np.float32)
    count_terms(state, player, out)
    count_terms(state, 1 - player, theirs)
    for k in range(len(TERMS)):
        out[k] = (out[k] - theirs[k]) / SCALE[k]
    out[LOWEST] = 1.0 if out[LOWEST] > 0 else -1.0 if out[LOWEST] < 0 else 0.0
