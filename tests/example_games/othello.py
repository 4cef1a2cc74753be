"""Othello: in turn, put a disc where it traps at least one line of the rival's discs between itself and a disc of one's
own; all trapped discs turn over. Who cannot do so passes. When neither can, the player with more discs wins.
"""

import numpy as np

from ludus import Facts, Param, Params, record, rule
from ludus.parts import squares
from ludus.shapes import planes

LOW, HIGH = 4, 8
BOARD = squares(HIGH, HIGH)
FEATURES, POLICY = planes(2, BOARD), planes(1, BOARD, extra=1)
NEAR = np.full((HIGH + 1, BOARD.cells, 8), -1, np.int32)
for _side in range(LOW, HIGH + 1, 2):
    NEAR[_side, : _side * _side] = squares(_side, _side).neighbours

FACTS = Facts("Othello", players=(2, 2), max_actions=BOARD.cells, max_plies=2 * BOARD.cells)
PARAMS = Params(side=Param(6, LOW, HIGH, help="cells along a side; an even number"))
PRESETS = {"tiny": {"side": 4}, "full": {"side": 8}}
State = record(
    params=PARAMS,
    players=np.int32,
    mover=np.int32,
    over=np.int32,
    board=(np.int8, BOARD.cells),  # row by row: 0 empty, 1 + player
)


def shapes(params, players):
    board = squares(params.side, params.side)
    return planes(2, board), planes(1, board, extra=1)


@rule
def cells(state):
    return state.params.side * state.params.side


@rule
def setup(state, rng):
    side = state.params.side
    corner = (side // 2 - 1) * side + side // 2 - 1  # the first of the four cells in the middle
    state.board[corner], state.board[corner + side + 1] = 2, 2
    state.board[corner + 1], state.board[corner + side] = 1, 1


@rule
def trapped(state, player, cell, way):
    """How many rival discs lie in a line between this cell and a disc of the player."""
    near = NEAR[state.params.side]
    count, at = 0, near[cell, way]
    while at >= 0 and state.board[at] == 2 - player:
        count += 1
        at = near[at, way]
    return count if at >= 0 and state.board[at] == 1 + player else 0


@rule
def places(state, player, out):
    """The cells where the player may put a disc; returns how many."""
    n = 0
    for cell in range(cells(state)):
        turned = 0
        for way in range(8):
            turned += trapped(state, player, cell, way)
        if state.board[cell] == 0 and turned > 0:
            out[n] = cell
            n += 1
    return n


@rule
def to_act(state):
    return 0 if state.over else 1 << state.mover


@rule
def legal(state, player, out):
    out[0] = cells(state)  # pass, if there is nothing else
    return max(1, places(state, player, out))


@rule
def step(state, actions, rng):
    player, near = state.mover, NEAR[state.params.side]
    cell = actions[player]
    if cell < cells(state):
        for way in range(8):
            at = cell
            for _ in range(trapped(state, player, cell, way)):
                at = near[at, way]
                state.board[at] = 1 + player
        state.board[cell] = 1 + player
    state.mover = 1 - player
    menu = np.empty(HIGH * HIGH, np.int32)
    state.over = places(state, 0, menu) == 0 and places(state, 1, menu) == 0


@rule
def discs(state, player):
    count = 0
    for cell in range(cells(state)):
        count += state.board[cell] == 1 + player
    return count


@rule
def returns(state, out):
    lead = discs(state, 0) - discs(state, 1)
    out[0] = 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
    out[1] = -out[0]


@rule
def observe(state, player, out):
    for cell in range(cells(state)):
        out[cell] = 1.0 if state.board[cell] == 1 + player else 0.0
        out[cells(state) + cell] = 1.0 if state.board[cell] == 2 - player else 0.0


def action_text(state, player, action):
    side = state.params.side
    return "pass" if action == side * side else f"{'abcdefgh'[action % side]}{1 + action // side}"


def state_text(state):
    side = state.params.side
    rows = [f"{1 + r} " + " ".join(".XO"[state.board[side * r + c]] for c in range(side)) for r in range(side)]
    return "\n".join(["  " + " ".join("abcdefgh"[:side]), *rows])


def objection(params, players):
    return "the side of the board must be even" if params.side % 2 else ""
