"""Pivit: what a piece meets along its line, square by square.

`_pivit_bits` counts the same for all pieces at once.
"""

from ludus.rules import rule

HORIZONTAL, MASTER = 1, 2


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
