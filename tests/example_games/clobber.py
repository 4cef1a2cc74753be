"""Clobber: a board of five rows and six columns is full of stones, light and dark like a chessboard. In turn, move one
of your stones onto a stone of the rival beside it, up, right, down or left; that stone is taken off. Who cannot move
loses.
"""

import numpy as np

from ludus import Facts, record, rule
from ludus.parts import squares
from ludus.shapes import planes

ROWS, COLUMNS = 5, 6
BOARD = squares(ROWS, COLUMNS)
POLICY = planes(4, BOARD)
NEAR = BOARD.neighbours[:, [1, 4, 6, 3]].copy()  # up, right, down, left
CELLS = BOARD.cells
FACTS = Facts("Clobber", players=(2, 2), max_actions=2 * CELLS, max_plies=CELLS)
State = record(players=np.int32, mover=np.int32, over=np.int32, board=(np.int8, CELLS))  # board: 0 empty, 1 + player


@rule
def setup(state, rng):
    for cell in range(CELLS):
        state.board[cell] = 1 + (cell // COLUMNS + cell % COLUMNS) % 2


@rule
def to_act(state):
    return 0 if state.over else 1 << state.mover


@rule
def legal(state, player, out):
    n = 0
    for cell in range(CELLS):
        if state.board[cell] == 1 + player:
            for way in range(4):
                to = NEAR[cell, way]
                if to >= 0 and state.board[to] == 2 - player:
                    out[n] = 4 * cell + way
                    n += 1
    return n


@rule
def step(state, actions, rng):
    player = state.mover
    cell, way = actions[player] // 4, actions[player] % 4
    state.board[cell] = 0
    state.board[NEAR[cell, way]] = 1 + player
    state.mover = 1 - player
    menu = np.empty(2 * CELLS, np.int32)
    state.over = legal(state, state.mover, menu) == 0


@rule
def returns(state, out):
    out[state.mover], out[1 - state.mover] = -1.0, 1.0


@rule
def policy_slot(state, player, action):
    return action % 4 * CELLS + action // 4


def name(cell):
    return f"{'abcdef'[cell % COLUMNS]}{ROWS - cell // COLUMNS}"


def action_text(state, player, action):
    return f"{name(action // 4)}-{name(NEAR[action // 4, action % 4])}"


def state_text(state):
    rows = [
        f"{ROWS - r} " + " ".join(".XO"[mark] for mark in state.board[COLUMNS * r : COLUMNS * (r + 1)])
        for r in range(ROWS)
    ]
    return "\n".join([*rows, "  a b c d e f"])
