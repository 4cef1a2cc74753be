"""Pivit: what tells who is ahead, and which moves force matters.

A piece is *attacked* if some rival could capture it now, *guarded* if a piece of its own colour could capture on its
square, and *hanging* if it is attacked and not guarded. A minion is at the door of a corner if one move takes it there;
two moves away, if one along its axis to the edge and one along the edge do, on the board as it stands.
"""

import numpy as np

from ludus.rules import rule

HORIZONTAL, MASTER = 1, 2

TERMS = (
    "minions", "masters", "promoted first", "promoted", "minions at a corner's door", "minions two moves away",
    "attacked minions", "attacked masters", "hanging minions", "hanging masters", "mobility", "masters late",
)  # fmt: skip
MINIONS, MASTERS, FIRST, PROMOTED, DOOR, TWO_AWAY, ATTACKED, HANGING, MOBILITY, LATE = 0, 1, 2, 3, 4, 5, 6, 8, 10, 11
SCALE = np.array([6, 3, 1, 1, 3, 3, 3, 2, 3, 2, 30, 3], np.float32)  # what of each is about 1


@rule
def far(board, cell, stride, room):
    """How many squares a piece can go before it meets another, which then counts too; up to `room`."""
    distance = 0
    while distance < room:
        distance += 1
        if board[cell + distance * stride]:
            break
    return distance


@rule
def reaches(board, cell, stride, wanted, owner):
    """Whether a minion can land so far along a line: at an odd distance, past nothing, and on no piece of its own."""
    if wanted & 1 == 0:
        return False
    for distance in range(1, wanted):
        if board[cell + distance * stride]:
            return False
    return board[cell + wanted * stride] >> 2 != owner


@rule
def doors(board, cell, side, owner):
    """1 if a minion is one move from a corner, 2 if it is two moves away, else 0."""
    row, column, last = cell >> 3, cell & 7, side - 1
    along, across = (column, row) if board[cell] & HORIZONTAL else (row, column)
    stride, sideways = (1, 8) if board[cell] & HORIZONTAL else (8, 1)
    found = 0
    for end in (0, last):
        distance = end - along
        way = stride if distance > 0 else -stride
        if distance == 0 or not reaches(board, cell, way, abs(distance), owner):
            continue
        if across == 0 or across == last:
            return 1
        edge = cell + distance * stride
        if reaches(board, edge, -sideways, across, owner) or reaches(board, edge, sideways, last - across, owner):
            found = 2
    return found


@rule
def look_along(board, cell, stride, room, marks):
    """Go along a line as a piece would: mark what it meets as attacked (1) or guarded (2); how many moves there are."""
    piece = int(board[cell])
    distance = far(board, cell, stride, room)
    if distance == 0:
        return 0
    met = int(board[cell + distance * stride])
    can_land = piece & MASTER or distance & 1
    if met and can_land:
        marks[cell + distance * stride] |= 2 if met >> 2 == piece >> 2 else 1
    squares = distance - 1 if met and met >> 2 == piece >> 2 else distance
    return squares if piece & MASTER else (squares + 1) // 2


@rule
def mark_attacks(board, side, marks, moves):
    """Mark every piece that is attacked (1) or guarded (2), and count each player's moves."""
    for cell in range(64):
        piece = int(board[cell])
        if piece:
            stride = 1 if piece & HORIZONTAL else 8
            place = cell & 7 if piece & HORIZONTAL else cell >> 3
            moves[(piece >> 2) - 1] += look_along(board, cell, -stride, place, marks)
            moves[(piece >> 2) - 1] += look_along(board, cell, stride, side - 1 - place, marks)


@rule
def count_terms(state, side, counted):
    """Fill in what each player has on the board: counted[player, term]."""
    board, marks, moves = state.board, np.zeros(64, np.int8), np.zeros(4, np.int32)
    mark_attacks(board, side, marks, moves)
    counted[:, MOBILITY] = moves
    for cell in range(64):
        piece = int(board[cell])
        if piece == 0:
            continue
        own, is_master = counted[(piece >> 2) - 1], 1 if piece & MASTER else 0
        own[ATTACKED + is_master] += marks[cell] & 1
        own[HANGING + is_master] += marks[cell] == 1
        if not is_master:
            door = doors(board, cell, side, piece >> 2)
            own[DOOR] += door == 1
            own[TWO_AWAY] += door == 2


@rule
def terms(state, player, out):
    """The player's numbers less the mean of its rivals'."""
    counted = np.zeros((4, len(TERMS)), np.float32)
    side, everybody = 8 - 2 * int(state.params.board), 0
    count_terms(state, side, counted)
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
