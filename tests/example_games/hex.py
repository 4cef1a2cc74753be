"""Hex: in turn, put a stone on an empty cell of a board of 7 by 7 hexagons. The first player wins with a chain of
stones from the top to the bottom, the second with one from the left to the right. There are no draws.

A cell touches six others: left, right, two above and two below. Each row is drawn half a cell further to the right.
"""

import numpy as np

from ludus import Facts, record, rule
from ludus.parts import group, squares
from ludus.shapes import planes

SIDE = 7
BOARD = squares(SIDE, SIDE)
POLICY = planes(1, BOARD)
NEAR = BOARD.neighbours[:, 1:7].copy()  # of the eight directions all but those to the north-west and the south-east
FACTS = Facts("Hex", players=(2, 2), max_actions=SIDE * SIDE, max_plies=SIDE * SIDE)
State = record(players=np.int32, plies=np.int32, winner=np.int32, board=(np.int8, SIDE * SIDE))
# board: 0 empty, 1 + player; winner likewise


@rule
def setup(state, rng):
    pass


@rule
def to_act(state):
    return 0 if state.winner != 0 else 1 << (state.plies & 1)


@rule
def legal(state, player, out):
    n = 0
    for cell in range(SIDE * SIDE):
        if state.board[cell] == 0:
            out[n] = cell
            n += 1
    return n


@rule
def joins_sides(state, player, cell):
    """Whether the stones that hang together with this one touch both sides of the player."""
    chain = np.empty(SIDE * SIDE, np.int32)
    first, last = False, False
    for k in range(group(state.board, NEAR, cell, chain)):
        place = chain[k] // SIDE if player == 0 else chain[k] % SIDE
        first = first or place == 0
        last = last or place == SIDE - 1
    return first and last


@rule
def step(state, actions, rng):
    player = state.plies & 1
    state.board[actions[player]] = 1 + player
    if joins_sides(state, player, actions[player]):
        state.winner = 1 + player
    state.plies += 1


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 1.0 if state.winner == 1 + player else -1.0


def action_text(state, player, action):
    return f"{'abcdefg'[action % SIDE]}{1 + action // SIDE}"


def state_text(state):
    return "\n".join(
        " " * row + f"{1 + row} " + " ".join(".XO"[mark] for mark in state.board[SIDE * row : SIDE * (row + 1)])
        for row in range(SIDE)
    )


def outcome_text(state):
    return ("X has joined top and bottom", "O has joined left and right")[state.winner - 1]
