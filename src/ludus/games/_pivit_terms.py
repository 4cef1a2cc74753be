"""Pivit: what tells who is ahead, and which moves force matters.

A piece is *attacked* if some rival could capture it now, *guarded* if a piece of its own colour could capture on its
square, and *hanging* if it is attacked and not guarded. A minion is at the door of a corner if one move takes it there;
two moves away, if one along its axis to the edge and one along the edge do, on the board as it stands.
"""

import numpy as np

from ludus.games._pivit_bits import NONE, count, near_corners, owned, reach, read_sets
from ludus.games._pivit_lines import MASTER
from ludus.rules import rule

TERMS = (
    "minions", "masters", "promoted first", "promoted", "minions at a corner's door", "minions two moves away",
    "attacked minions", "attacked masters", "hanging minions", "hanging masters", "mobility", "masters late",
)  # fmt: skip
MINIONS, MASTERS, FIRST, PROMOTED, DOOR, TWO_AWAY, ATTACKED, HANGING, MOBILITY, LATE = 0, 1, 2, 3, 4, 5, 6, 8, 10, 11
SCALE = np.array([6, 3, 1, 1, 3, 3, 3, 2, 3, 2, 30, 3], np.float32)  # what of each is about 1


@rule
def count_terms(state, counted):
    """Fill in what each player has on the board: counted[player, term]."""
    small = int(state.params.board)
    sets = read_sets(state.board, small)
    attacked = guarded = NONE
    for player in range(state.players):
        own = owned(sets, player)
        moves, reached = reach(sets, own, small)
        attacked, guarded = attacked | reached & ~own, guarded | reached & own
        first, second = near_corners(sets, own, small)
        counted[player, MOBILITY], counted[player, DOOR], counted[player, TWO_AWAY] = moves, count(first), count(second)
    for player in range(state.players):
        own = owned(sets, player) & attacked
        hanging = own & ~guarded
        counted[player, ATTACKED], counted[player, ATTACKED + 1] = by_rank(sets, own)
        counted[player, HANGING], counted[player, HANGING + 1] = by_rank(sets, hanging)


@rule
def by_rank(sets, pieces):
    """How many of these are minions, and how many masters."""
    return count(pieces & ~sets.masters), count(pieces & sets.masters)


@rule
def terms(state, player, out):
    """The player's numbers less the mean of its rivals'."""
    counted = np.zeros((4, len(TERMS)), np.float32)
    everybody = 0
    count_terms(state, counted)
    for rival in range(state.players):
        everybody += state.minions[rival]
    for rival in range(state.players):
        own = counted[rival]
        own[MINIONS], own[MASTERS] = state.minions[rival], state.masters[rival]
        own[FIRST], own[PROMOTED] = state.promoted[rival] == 1, state.promoted[rival] > 0
        own[LATE] = state.masters[rival] * (1.0 - everybody / 24.0)
    for k in range(len(TERMS)):
        others = np.float32(0.0)
        for rival in range(state.players):
            if rival != player:
                others += counted[rival, k]
        out[k] = (counted[player, k] - others / (state.players - 1)) / SCALE[k]


@rule
def forcing(state, player, action):
    """Captures and promotions: a master taken first, then promotions, then minions taken, by minions first."""
    origin, target = action >> 6, action & 63
    piece, met = int(state.board[origin]), int(state.board[target])
    row, column, last = target >> 3, target & 7, 7 - 2 * int(state.params.board)
    is_corner = (row == 0 or row == last) and (column == 0 or column == last)
    promotes = is_corner and state.params.promotion and not piece & MASTER
    if met == 0 and not promotes:
        return 0
    gained = (8 if met & MASTER else 2 if met else 0) + (6 if promotes else 0)
    return 2 * gained - (1 if piece & MASTER else 0)
