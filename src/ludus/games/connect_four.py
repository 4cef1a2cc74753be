"""Connect four.

Two players take turns to drop a stone into one of seven columns of an upright board six cells high; the stone falls to
the lowest empty cell of its column. Whoever first has four stones in a row, across, up or along a diagonal, wins. A
full board without such a row is a draw. X begins.

     5 12 19 26 33 40 47        A cell is the number of a bit: 7 to a column, from the bottom up. The seventh bit of a
     4 11 18 25 32 39 46        column (6, 13, …, 48) is never set, so that a row of four cannot run from the top of one
     3 10 17 24 31 38 45        column into the bottom of the next.
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43        An action is the number of a column, 0 … 6 from the left; in notation it is written
     0  7 14 21 28 35 42        1 … 7. A position may also be given as the columns that were played, like 4453.
     1  2  3  4  5  6  7

Smaller boards (`rows`, `columns`) are the lower left part of this one.
"""

import numpy as np

from ludus.errors import BadNotation
from ludus.games._connect_four_terms import TERMS, count, terms
from ludus.rules import Facts, Param, Params, record, rule
from ludus.shapes import flat, planes, squares

__all__ = ["TERMS", "terms"]  # written next door

FACTS = Facts("Connect four", players=(2, 2), max_actions=7, max_plies=42)

PARAMS = Params(
    rows=Param(6, 1, 6, help="rows of the board"),
    columns=Param(7, 1, 7, help="columns of the board"),
)

State = record(
    params=PARAMS, players=np.int32, turn=np.int32, winner=np.int32, board=np.int64, stones=(np.int64, 2)
)  # fmt: skip
# turn: the bit of the player who moves, 1 or 2, and 0 when the game is over; winner: 1 + p, or 0
# board: the set of all cells; stones: for each player the set of his cells

BOTTOM = sum(1 << 7 * column for column in range(7))
STRIDES = (1, 6, 7, 8)
"""From a cell to the next one up, falling to the right, across, and rising to the right."""


# ------------------------------------------------------------------------------------------------ rules


@rule
def setup(state, rng):
    state.turn = 1
    for column in range(int(state.params.columns)):
        state.board |= ((1 << int(state.params.rows)) - 1) << 7 * column


@rule
def to_act(state):
    return state.turn


@rule
def legal(state, player, out):
    free = (state.board & ~(state.stones[0] | state.stones[1])) >> (state.params.rows - 1)  # each column's top cell
    n = 0
    for column in range(7):  # without a branch: a full column is overwritten by the next
        out[n] = column
        n += free >> 7 * column & 1
    return n


def _has_four(stones):
    up = stones & stones >> 1
    falling = stones & stones >> 6
    across = stones & stones >> 7
    rising = stones & stones >> 8
    return (up & up >> 2 | falling & falling >> 12 | across & across >> 14 | rising & rising >> 16) != 0


has_four = rule(_has_four)


@rule
def step(state, actions, rng):
    player = state.turn >> 1
    taken = state.stones[0] | state.stones[1]
    # Adding to the bottom of a column carries into its lowest empty cell.
    cell = (taken + (1 << 7 * int(actions[player]))) & ~taken
    state.stones[player] |= cell
    state.turn = 3 - state.turn
    if has_four(state.stones[player]):
        state.winner = 1 + player
        state.turn = 0
    elif taken | cell == state.board:
        state.turn = 0


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 0.0 if state.winner == 0 else 1.0 if state.winner == 1 + player else -1.0


@rule
def valid(state):
    first, second = state.stones[0], state.stones[1]
    taken = first | second
    if first & second or taken & ~state.board or taken & (taken + BOTTOM):  # shared, outside, or floating
        return False
    lead = count(first) - count(second)
    if has_four(first) or has_four(second):
        moved_last = 2 - lead
        other = second if lead == 1 else first
        return 0 <= lead <= 1 and state.winner == moved_last and state.turn == 0 and not has_four(other)
    return 0 <= lead <= 1 and state.winner == 0 and state.turn == (0 if taken == state.board else 1 + lead)


# ------------------------------------------------------------------------------------------------ values and features


@rule
def prospects(board, mine, theirs):
    """Every line of four without a rival's stone counts the square of one's own stones in it."""
    room = board & ~theirs
    total = 0
    for stride in STRIDES:
        lines = room & room >> stride & room >> 2 * stride & room >> 3 * stride
        for j in range(4):
            stones = lines & mine >> j * stride
            for k in range(4):
                total += count(stones & mine >> k * stride)
    return total


@rule
def heuristic(state, player):
    lead = prospects(state.board, state.stones[player], state.stones[1 - player])
    lead -= prospects(state.board, state.stones[1 - player], state.stones[player])
    return lead / (40.0 + abs(lead))


def shapes(params, players):
    """A plane's cells go column by column, from the bottom up; a policy slot is a column."""
    return planes(2, squares(int(params.columns), int(params.rows))), flat(int(params.columns))


FEATURES, POLICY = planes(2, squares(7, 6)), 7


@rule
def observe(state, player, out):
    """One's own stones and the rival's."""
    k, rows = 0, state.params.rows
    for side in range(2):
        stones = state.stones[player if side == 0 else 1 - player]
        for column in range(state.params.columns):
            for row in range(rows):
                out[k] = stones >> (7 * column + row) & 1
                k += 1


# ------------------------------------------------------------------------------------------------ symmetries

SYMMETRIES = 2


@rule
def reflect(state, symmetry):
    if symmetry == 1:
        for player in range(2):
            before = state.stones[player]
            after = 0
            for column in range(state.params.columns):
                after |= (before >> 7 * column & 0b111111) << 7 * (state.params.columns - 1 - column)
            state.stones[player] = after


@rule
def reflect_action(state, symmetry, action):
    return state.params.columns - 1 - action if symmetry == 1 else action


# ------------------------------------------------------------------------------------------------ notation

SIGNS = ".XO"


def action_text(state, player, action):
    return str(action + 1)


def parse_action(state, player, text):
    text = text.strip()
    if len(text) != 1 or text not in _digits(state):
        raise BadNotation(f"{text!r} is no column; write a digit 1-{state.params.columns}")
    return int(text) - 1


def _digits(state):
    return "1234567"[: state.params.columns]


def state_text(state):
    first, second = (int(stones) for stones in state.stones)
    rows = []
    for row in range(state.params.rows - 1, -1, -1):
        cells = [7 * column + row for column in range(state.params.columns)]
        rows.append(" ".join(SIGNS[(first >> cell & 1) + 2 * (second >> cell & 1)] for cell in cells))
    return "\n".join([*rows, " ".join(_digits(state))])


def parse_state(text, state):
    """Rows of signs from the top, or the digits of the columns played."""
    state.board = sum(((1 << int(state.params.rows)) - 1) << 7 * column for column in range(state.params.columns))
    stones = _stones_played(text.strip(), state) if text.strip().isdigit() else _stones_drawn(text, state)
    winners = [player for player in range(2) if _has_four(stones[player])]
    first, second = stones[0].bit_count(), stones[1].bit_count()
    lead = first - second
    if lead not in (0, 1):
        raise BadNotation(f"X has {first} stones and O {second}; X begins, then they alternate")
    if len(winners) == 2 or winners == [lead]:
        raise BadNotation(f"{SIGNS[2 - winners[0]]} moved after {SIGNS[1 + winners[0]]} had won")
    state.stones[:] = stones
    state.winner = 1 + winners[0] if winners else 0
    state.turn = 0 if winners or stones[0] | stones[1] == state.board else 1 + lead


def _stones_played(columns, state):
    stones = [0, 0]
    for ply, digit in enumerate(columns):
        taken = stones[0] | stones[1]
        cell = (taken + (1 << 7 * (int(digit) - 1))) & ~taken if digit in _digits(state) else 0
        if not cell & int(state.board):
            raise BadNotation(f"move {ply + 1}: column {digit} is {'full' if cell else 'not on the board'}")
        if _has_four(stones[0]) or _has_four(stones[1]):
            raise BadNotation(f"move {ply + 1}: the game was over")
        stones[ply % 2] |= cell
    return stones


def _stones_drawn(text, state):
    rows, columns = int(state.params.rows), int(state.params.columns)
    lines = [line for line in text.splitlines() if line.strip() and set(line) - set("1234567 ")]
    if len(lines) != rows:
        raise BadNotation(f"a position has {rows} rows of {columns} cells, this one {len(lines)}")
    stones = [0, 0]
    for number, line in enumerate(lines, 1):
        signs = line.upper().split() if " " in line.strip() else list(line.upper().strip())
        if len(signs) != columns or not all(sign in (".", "X", "O") for sign in signs):
            raise BadNotation(f"line {number}: a row has {columns} cells of X, O and '.', not {line.strip()!r}")
        for column, sign in enumerate(signs):
            if sign != ".":
                stones["XO".index(sign)] |= 1 << 7 * column + rows - number
    _check_gravity(stones[0] | stones[1])
    return stones


def _check_gravity(taken):
    for column in range(7):
        cells = taken >> 7 * column & 0b111111
        if cells & (cells + 1):
            raise BadNotation(f"a stone of column {column + 1} hangs above an empty cell")


def outcome_text(state):
    return f"{SIGNS[state.winner]} has four in a row" if state.winner else "a draw: the board is full"
