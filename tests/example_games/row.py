"""Row: a small open game for tests, with a board that can be mirrored.

0 | 1 | 2 | 3 | 4        In turn, mark an empty cell. Two marks of one's own side by side win; a full row is a draw.
"""

import numpy as np

from ludus.rules import Facts, record, rule

FACTS = Facts("Row", players=(2, 2), max_actions=5, max_plies=5)

State = record(players=np.int32, plies=np.int32, winner=np.int32, board=(np.int8, 5))
# board: 0 empty, 1 + p a mark of player p; winner likewise, 0 while nobody has won


@rule
def setup(state, rng):
    pass


@rule
def to_act(state):
    return 0 if state.winner != 0 or state.plies == 5 else 1 << (state.plies & 1)


@rule
def legal(state, player, out):
    n = 0
    for cell in range(5):
        if state.board[cell] == 0:
            out[n] = cell
            n += 1
    return n


@rule
def step(state, actions, rng):
    mark = 1 + (state.plies & 1)
    cell = actions[mark - 1]
    state.board[cell] = mark
    state.plies += 1
    for left in range(4):
        if state.board[left] == mark and state.board[left + 1] == mark:
            state.winner = mark


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 0.0 if state.winner == 0 else 1.0 if state.winner == 1 + player else -1.0


SYMMETRIES = 2


@rule
def reflect(state, symmetry):
    for cell in range(2):
        held = state.board[cell]
        state.board[cell] = state.board[4 - cell]
        state.board[4 - cell] = held


@rule
def reflect_action(state, symmetry, action):
    return 4 - action
