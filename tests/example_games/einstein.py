"""EinStein würfelt nicht: a dice race on a board of five by five. Each player has six stones with the numbers 1 to 6,
at random in three rows of a corner: three, two, one. The first starts top left, the second bottom right.

In turn, a die is rolled, and you move the stone with that number; if it is gone, the one with the next lower or the one
with the next higher number of those you have left. A stone goes one cell towards the far corner: along the row, along
the column, or diagonally. What stands there is taken off, whoever owns it. Who reaches the far corner wins, and so does
who takes the last stone of the rival.
"""

import numpy as np

from ludus import Facts, record, rule
from ludus.parts import die, squares
from ludus.rng import shuffle

SIDE = 5
BOARD = squares(SIDE, SIDE)
CELLS, STONES = SIDE * SIDE, 6
NEAR = BOARD.neighbours
AHEAD = np.array([[4, 7, 6], [1, 0, 3]])  # for each player: east, south-east, south; north, north-west, west
START = np.array([0, 1, 2, 5, 6, 10])  # cells of the first player; for the second, 24 less that

FACTS = Facts("EinStein würfelt nicht", players=(2, 2), max_actions=6, max_plies=50, chance=True)
State = record(
    players=np.int32,
    mover=np.int32,
    die=np.int32,
    winner=np.int32,  # 1 + player
    board=(np.int8, CELLS),  # 1 … 6 stones of the first player, 7 … 12 of the second
)


@rule
def setup(state, rng):
    order = np.arange(STONES)
    for player in range(2):
        shuffle(rng, order, STONES)
        for k in range(STONES):
            cell = START[k] if player == 0 else CELLS - 1 - START[k]
            state.board[cell] = 1 + STONES * player + order[k]
    state.die = die(rng, 6)


@rule
def to_act(state):
    return 0 if state.winner != 0 else 1 << state.mover


@rule
def find(state, player, number):
    """The cell of a stone; -1 if it is gone or there is no such number."""
    if 1 <= number <= STONES:
        for cell in range(CELLS):
            if state.board[cell] == STONES * player + number:
                return cell
    return -1


@rule
def nearest(state, player, way):
    """The cell of the next stone with a lower (-1) or higher (1) number than the die; -1 if there is none."""
    number = state.die + way
    while 1 <= number <= STONES:
        cell = find(state, player, number)
        if cell >= 0:
            return cell
        number += way
    return -1


@rule
def add_moves(player, cell, out, n):
    for k in range(3):
        if cell >= 0 and NEAR[cell, AHEAD[player, k]] >= 0:
            out[n] = 3 * cell + k
            n += 1
    return n


@rule
def legal(state, player, out):
    cell = find(state, player, state.die)
    if cell >= 0:
        return add_moves(player, cell, out, 0)
    n = add_moves(player, nearest(state, player, -1), out, 0)
    return add_moves(player, nearest(state, player, 1), out, n)


@rule
def step(state, actions, rng):
    player = state.mover
    cell = actions[player] // 3
    to = NEAR[cell, AHEAD[player, actions[player] % 3]]
    state.board[to] = state.board[cell]
    state.board[cell] = 0
    left = 0
    for k in range(CELLS):
        left += (state.board[k] > STONES) != (player == 1) and state.board[k] > 0
    if left == 0 or to == (CELLS - 1 if player == 0 else 0):
        state.winner = 1 + player
    state.mover = 1 - player
    state.die = die(rng, 6)


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 1.0 if state.winner == 1 + player else -1.0


def name(cell):
    return f"{'abcde'[cell % SIDE]}{SIDE - cell // SIDE}"


def action_text(state, player, action):
    cell, k = divmod(action, 3)
    return f"{name(cell)}-{name(NEAR[cell, AHEAD[player, k]])}"


def state_text(state):
    signs = [" .", *(f"A{k}" for k in range(1, 7)), *(f"B{k}" for k in range(1, 7))]
    rows = [
        f"{SIDE - r} " + " ".join(signs[mark] for mark in state.board[SIDE * r : SIDE * r + SIDE]) for r in range(SIDE)
    ]
    return "\n".join([*rows, "   a  b  c  d  e", f"{'AB'[state.mover]} to move, the die shows {state.die}"])
