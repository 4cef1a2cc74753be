"""Breakthrough.

White has the two rows of the board next to him full of pieces, Black the two rows at the other end; on a board of fewer
than six rows it is one row each. White begins, then they take turns. A piece moves one step towards the rival's end,
straight ahead or diagonally, never sideways or back. It moves diagonally to an empty cell or onto a piece of the rival,
which is thereby captured; straight ahead it moves only to an empty cell. Whoever brings a piece to the last row, or
captures every piece of the rival, wins. There are no draws: the foremost piece can always move.

    56 57 58 59 60 61 62 63   8, Black's    A cell is 8 * row + column, on smaller boards too, and the number of a bit
    …                                       in the sets below. In notation it is a letter for the column and a digit for
     8  9 10 11 12 13 14 15   2             the row: a1 is cell 0, h8 is cell 63.
     0  1  2  3  4  5  6  7   1, White's
     a  b  c  d  e  f  g  h                 An action is 3 * cell + direction, with direction 0 towards column a, 1
                                            straight, 2 towards column h: written a2-b3, or a2xb3 if it captures.

Options: the number of rows and of columns. Presets: 6x6, 5x5 and 4x4, which are small enough for exhaustive study.
"""

import numpy as np

from ludus.errors import BadNotation
from ludus.games._breakthrough_terms import TERMS, count, terms
from ludus.rules import Facts, Param, Params, record, rule
from ludus.shapes import planes, squares

__all__ = ["TERMS", "terms"]  # written next door

# Every move but the last brings a piece one row nearer to the row before its goal: 8 * 6 + 8 * 5 such moves a player.
FACTS = Facts("Breakthrough", players=(2, 2), max_actions=48, max_plies=177)

PARAMS = Params(rows=Param(8, 3, 8, help="rows of the board"), columns=Param(8, 2, 8, help="columns of the board"))
PRESETS = {name: {"rows": int(name[0]), "columns": int(name[2])} for name in ("6x6", "5x5", "4x4")}

State = record(params=PARAMS, players=np.int32, turn=np.int32, winner=np.int32, pieces=(np.uint64, 2))
# turn: the bit of the player who moves, 1 or 2, and 0 when the game is over; winner: 1 + p, or 0
# pieces: for each player the set of his cells. All 64 bits are needed, hence unsigned; such a number must not meet a
# signed one in compiled code, where the sum of the two is a float.

ONE, SEVEN, EIGHT, NINE = np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)
FIRST_ROW, FIRST_COLUMN = np.uint64(0xFF), np.uint64(0x0101010101010101)
NOT_A, NOT_H = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)
"""Where a step to the right or to the left can end; the others have run over the edge into the next row."""


# ------------------------------------------------------------------------------------------------ rules


@rule
def row_of_pieces(state):
    return np.uint64((1 << state.params.columns) - 1)


@rule
def rows_of_pieces(state):
    return 2 if state.params.rows >= 6 else 1


@rule
def setup(state, rng):
    for row in range(rows_of_pieces(state)):
        state.pieces[0] |= row_of_pieces(state) << np.uint64(8 * row)
        state.pieces[1] |= row_of_pieces(state) << np.uint64(8 * (state.params.rows - 1 - row))
    state.turn = 1


@rule
def to_act(state):
    return state.turn


@rule
def legal(state, player, out):
    mine = state.pieces[player]
    open_cells = row_of_pieces(state) * FIRST_COLUMN & ~mine  # rows beyond the board are never reached
    empty = open_cells & ~state.pieces[1 - player]
    # The cells from which a step in each direction is allowed:
    if player == 0:
        left, ahead, right = (open_cells & NOT_H) >> SEVEN, empty >> EIGHT, (open_cells & NOT_A) >> NINE
    else:
        left, ahead, right = (open_cells & NOT_H) << NINE, empty << EIGHT, (open_cells & NOT_A) << SEVEN
    n = 0
    mine &= left | ahead | right
    while mine != 0:
        rest = mine & (mine - ONE)
        piece = mine ^ rest  # the lowest bit
        mine = rest
        cell = count(piece - ONE)
        # Without a branch: what is not allowed is overwritten by the next.
        out[n] = 3 * cell
        n += (left & piece) != 0
        out[n] = 3 * cell + 1
        n += (ahead & piece) != 0
        out[n] = 3 * cell + 2
        n += (right & piece) != 0
    return n


@rule
def step(state, actions, rng):
    player = state.turn >> 1
    origin = int(actions[player]) // 3
    target = origin + int(actions[player]) % 3 - 1 + (8 if player == 0 else -8)
    arrival = ONE << np.uint64(target)
    state.pieces[player] ^= ONE << np.uint64(origin) | arrival
    state.pieces[1 - player] &= ~arrival
    state.turn = 3 - state.turn
    if target >> 3 == goal_row(state, player) or state.pieces[1 - player] == 0:
        state.winner = 1 + player
        state.turn = 0


@rule
def goal_row(state, player):
    return state.params.rows - 1 if player == 0 else 0


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 0.0 if state.winner == 0 else 1.0 if state.winner == 1 + player else -1.0


@rule
def valid(state):
    board = np.uint64(0)
    for row in range(state.params.rows):
        board |= row_of_pieces(state) << np.uint64(8 * row)
    if state.pieces[0] & state.pieces[1] or (state.pieces[0] | state.pieces[1]) & ~board:
        return False
    winner = 0
    for player in range(2):
        goal = FIRST_ROW << np.uint64(8 * goal_row(state, player))
        home = count(state.pieces[player] & goal)
        if count(state.pieces[player]) > rows_of_pieces(state) * state.params.columns or home > 1:
            return False
        if home == 1 or state.pieces[1 - player] == 0:
            winner = winner * 3 + 1 + player  # no winner's number if both have won
    return state.winner == winner and (state.turn == 0) == (winner != 0) and 0 <= state.turn <= 2


# ------------------------------------------------------------------------------------------------ values and features


@rule
def strength(state, player):
    """A piece counts more, the nearer it is to its goal."""
    total = 0
    for row in range(state.params.rows):
        way = row if player == 0 else state.params.rows - 1 - row
        total += (12 + way * way) * count(state.pieces[player] >> np.uint64(8 * row) & FIRST_ROW)
    return total


@rule
def heuristic(state, player):
    lead = strength(state, player) - strength(state, 1 - player)
    return lead / (60.0 + abs(lead))


def shapes(params, players):
    """Rows are counted from the player's own side; a policy slot is a direction and the cell that is left."""
    board = squares(int(params.rows), int(params.columns))
    return planes(2, board), planes(3, board)


FEATURES, POLICY = planes(2, squares(8, 8)), planes(3, squares(8, 8))


@rule
def observe(state, player, out):
    """One's own pieces and the rival's."""
    k, rows = 0, state.params.rows
    for side in range(2):
        pieces = state.pieces[player if side == 0 else 1 - player]
        for way in range(rows):
            row = pieces >> np.uint64(8 * (way if player == 0 else rows - 1 - way))
            for column in range(state.params.columns):
                out[k] = 1.0 if row >> np.uint64(column) & ONE != 0 else 0.0
                k += 1


@rule
def policy_slot(state, player, action):
    cell, rows, columns = action // 3, state.params.rows, state.params.columns
    way = cell >> 3 if player == 0 else rows - 1 - (cell >> 3)
    return (action % 3 * rows + way) * columns + cell % 8


# ------------------------------------------------------------------------------------------------ symmetries

SYMMETRIES = 2


@rule
def reflect(state, symmetry):
    if symmetry == 1:
        for player in range(2):
            before = state.pieces[player]
            state.pieces[player] = 0
            for column in range(state.params.columns):
                files = before >> np.uint64(column) & FIRST_COLUMN
                state.pieces[player] |= files << np.uint64(state.params.columns - 1 - column)


@rule
def reflect_action(state, symmetry, action):
    if symmetry == 0:
        return action
    cell, direction = action // 3, action % 3
    mirrored = cell - cell % 8 + state.params.columns - 1 - cell % 8
    return 3 * mirrored + 2 - direction


# ------------------------------------------------------------------------------------------------ notation

COLOURS = ("White", "Black")


def _cell_text(cell):
    return "abcdefgh"[cell % 8] + "12345678"[cell // 8]


def _target(player, action):
    return action // 3 + action % 3 - 1 + (8 if player == 0 else -8)


def action_text(state, player, action):
    target = _target(player, action)
    captures = int(state.pieces[1 - player]) >> target & 1
    return f"{_cell_text(action // 3)}{'x' if captures else '-'}{_cell_text(target)}"


def action_kind(state, player, action):
    """How the piece goes; not where."""
    captures = int(state.pieces[1 - player]) >> _target(player, action) & 1
    return "capture" if captures else "straight" if action % 3 == 1 else "aslant"


def parse_action(state, player, text):
    text = text.strip().lower()
    cells = text.replace("-", "").replace("x", "")
    columns, rows = "abcdefgh"[: state.params.columns], "12345678"[: state.params.rows]
    if len(cells) != 4 or not (cells[0] in columns and cells[1] in rows and cells[2] in columns and cells[3] in rows):
        raise BadNotation(f"{text!r} is no move; write two cells between a1 and {columns[-1]}{rows[-1]}, like a2-b3")
    origin, target = (rows.index(cells[k + 1]) * 8 + columns.index(cells[k]) for k in (0, 2))
    for direction in range(3):
        if _target(player, 3 * origin + direction) == target and abs(origin % 8 - target % 8) <= 1:
            return 3 * origin + direction
    direction = ("up", "down")[player]
    raise BadNotation(f"{text!r} is no step: {COLOURS[player]} moves one row {direction}, at most one column aside")


def state_text(state):
    rows, columns = int(state.params.rows), int(state.params.columns)
    white, black = (int(pieces) for pieces in state.pieces)
    lines = []
    for row in range(rows - 1, -1, -1):
        cells = range(8 * row, 8 * row + columns)
        lines.append(f"{row + 1} " + " ".join(".WB"[(white >> cell & 1) + 2 * (black >> cell & 1)] for cell in cells))
    lines.append("  " + " ".join("abcdefgh"[:columns]))
    lines.append(f"{COLOURS[state.winner - 1]} has won" if state.winner else f"{COLOURS[state.turn >> 1]} to move")
    return "\n".join(lines)


def parse_state(text, state):
    """The rows from the top as `state_text` writes them, then who is to move or has won."""
    rows, columns = int(state.params.rows), int(state.params.columns)
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) != rows + 2:
        raise BadNotation(f"a position is {rows} rows, a line of letters and one of who moves, not {len(lines)} lines")
    pieces = [0, 0]
    for number, line in enumerate(lines[:rows]):
        signs = line.upper().split()[1:]
        if len(signs) != columns or not all(sign in (".", "W", "B") for sign in signs):
            raise BadNotation(
                f"line {number + 1}: a row is its number and {columns} cells of W, B and '.', not {line.strip()!r}"
            )
        for column, sign in enumerate(signs):
            if sign != ".":
                pieces["WB".index(sign)] |= 1 << 8 * (rows - 1 - number) + column
    for player in range(2):
        if pieces[player].bit_count() > columns * (2 if rows >= 6 else 1):
            raise BadNotation(f"{COLOURS[player]} has {pieces[player].bit_count()} pieces, more than at the start")
    state.pieces[:] = np.array(pieces, np.uint64)
    _parse_last_line(lines[-1].strip().lower(), rows + 2, pieces, state)


def _parse_last_line(text, number, pieces, state):
    home = [(pieces[0] >> 8 * (int(state.params.rows) - 1)).bit_count(), (pieces[1] & 0xFF).bit_count()]
    colour, _, rest = text.partition(" ")
    if colour not in ("white", "black") or rest not in ("to move", "has won"):
        raise BadNotation(f"line {number}: write 'white to move', 'black to move', 'white has won' or 'black has won'")
    player = ("white", "black").index(colour)
    won = [home[side] > 0 or not pieces[1 - side] for side in range(2)]
    if won != [rest == "has won" and player == side for side in range(2)] or max(home) > 1:
        raise BadNotation(f"line {number}: {text!r} does not fit the pieces on the board")
    state.turn = 0 if any(won) else 1 + player
    state.winner = 1 + player if any(won) else 0


def outcome_text(state):
    winner, loser = COLOURS[state.winner - 1], COLOURS[2 - state.winner]
    if not state.pieces[2 - state.winner]:
        return f"{winner} has captured every piece of {loser}"
    return f"{winner} has reached the last row"
