"""Burnt: two pawns on a square board. In turn a player moves the pawn one step, in any of eight directions, to an empty
cell, and then burns an empty cell. Who cannot move has lost.
"""

import numpy as np

from ludus import Facts, Param, Params, record, rule

MOST = 7
FACTS = Facts("Burnt", players=(2, 2), max_actions=MOST * MOST, max_plies=2 * MOST * MOST)
PARAMS = Params(side=Param(5, 4, MOST, help="cells along a side of the board"))
PRESETS = {"small": {"side": 4}}
State = record(
    params=PARAMS,
    players=np.int32,
    mover=np.int32,
    moved=np.int32,  # 1 if the mover has moved and must burn
    stuck=np.int32,  # 1 if the mover cannot move
    pawn=(np.int32, 2),
    board=(np.int8, (MOST, MOST)),  # 0 empty, 1 + p the pawn of player p, 9 burnt
)
EMPTY, BURNT = 0, 9
# An action is a cell: 7 * row + column, on boards of every size.


@rule
def put(state, cell, what):
    state.board[cell // MOST, cell % MOST] = what


@rule
def setup(state, rng):
    last = state.params.side - 1
    state.pawn[1] = MOST * last + last
    for player in range(2):
        put(state, state.pawn[player], 1 + player)


@rule
def steps(state, player, out):
    """The cells that a pawn can go to."""
    n = 0
    row, column = state.pawn[player] // MOST, state.pawn[player] % MOST
    for r in range(max(row - 1, 0), min(row + 2, state.params.side)):
        for c in range(max(column - 1, 0), min(column + 2, state.params.side)):
            if state.board[r, c] == EMPTY:
                out[n] = MOST * r + c
                n += 1
    return n


@rule
def to_act(state):
    return 0 if state.stuck else 1 << state.mover


@rule
def legal(state, player, out):
    if not state.moved:
        return steps(state, player, out)
    n = 0
    for row in range(state.params.side):
        for column in range(state.params.side):
            if state.board[row, column] == EMPTY:
                out[n] = MOST * row + column
                n += 1
    return n


@rule
def step(state, actions, rng):
    cell = actions[state.mover]
    if not state.moved:
        put(state, state.pawn[state.mover], EMPTY)
        put(state, cell, 1 + state.mover)
        state.pawn[state.mover] = cell
        state.moved = 1
        return
    put(state, cell, BURNT)
    state.moved = 0
    state.mover = 1 - state.mover
    room = np.empty(8, np.int32)
    state.stuck = steps(state, state.mover, room) == 0


@rule
def returns(state, out):
    out[state.mover], out[1 - state.mover] = -1.0, 1.0


@rule
def heuristic(state, player):
    room = np.empty(8, np.int32)
    return (steps(state, player, room) - steps(state, 1 - player, room)) / 16.0


def action_text(state, player, action):
    return f"{'burn' if state.moved else 'go'} {'abcdefg'[action % MOST]}{action // MOST + 1}"


def action_kind(state, player, action):
    return "burn" if state.moved else "go"


def state_text(state):
    side = int(state.params.side)
    signs = {0: ".", 1: "X", 2: "O", 9: "#"}
    rows = [" ".join(signs[int(state.board[row, column])] for column in range(side)) for row in range(side)]
    return "\n".join(f"{row + 1} {text}" for row, text in enumerate(rows)) + "\n  " + " ".join("abcdefg"[:side])


def outcome_text(state):
    return f"player {2 - state.mover} wins: the other cannot move"
