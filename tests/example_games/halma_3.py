"""Halma for three, on a board of 37 hexagons. Each player has four stones: in a corner and on its three
neighbours. The goal is the corner across the board with its neighbours, where nobody starts.

In turn, move one of your stones in any of six directions: to the empty cell beside it, or over one stone beside it, of
whatever colour, to the empty cell right behind. Who cannot move passes. Who first has all four stones in the goal wins.
If nobody has after a number of rounds, those whose stones have fewest steps left to their corner share the win.
"""

import numpy as np

from ludus import Facts, Param, Params, record, rule
from ludus.parts import hexagons
from ludus.shapes import planes

RINGS, SEATS, STONES = 4, 3, 4
BOARD = hexagons(RINGS)
POLICY = planes(6, BOARD, extra=1)
NEAR = BOARD.neighbours
CELLS = BOARD.cells
PASS = 6 * CELLS  # smaller numbers are 6 * cell + direction


def steps_from(start):
    """The distance of every cell from one."""
    far = np.full(CELLS, -1, np.int32)
    far[start], edge = 0, [start]
    for cell in edge:
        for beside in NEAR[cell]:
            if beside >= 0 and far[beside] < 0:
                far[beside] = far[cell] + 1
                edge.append(beside)
    return far


def corner(way):
    cell = 0
    for _ in range(RINGS - 1):
        cell = NEAR[cell, way]
    return cell


HOME = np.array([steps_from(corner(2 * player)) for player in range(SEATS)])  # steps from a cell to the own corner
GOAL = np.array([steps_from(corner((2 * player + 3) % 6)) for player in range(SEATS)])  # and to the one across

FACTS = Facts("Halma for three", players=(3, 3), max_actions=6 * STONES, max_plies=3 * 60)
PARAMS = Params(rounds=Param(30, 5, 60, help="after so many the nearest win"))
State = record(params=PARAMS, players=np.int32, plies=np.int32, winner=np.int32, board=(np.int8, CELLS))
# board: 0 empty, 1 + player; winner likewise


@rule
def setup(state, rng):
    for player in range(SEATS):
        for cell in range(CELLS):
            if HOME[player, cell] <= 1:
                state.board[cell] = 1 + player


@rule
def to_act(state):
    over = state.winner != 0 or state.plies == SEATS * state.params.rounds
    return 0 if over else 1 << (state.plies % SEATS)


@rule
def target(state, cell, way):
    """Where a stone comes to in a direction; -1 if it cannot go there."""
    to = NEAR[cell, way]
    if to >= 0 and state.board[to] != 0:
        to = NEAR[to, way]
    return to if to >= 0 and state.board[to] == 0 else -1


@rule
def legal(state, player, out):
    n = 0
    for cell in range(CELLS):
        if state.board[cell] == 1 + player:
            for way in range(6):
                if target(state, cell, way) >= 0:
                    out[n] = 6 * cell + way
                    n += 1
    if n == 0:
        out[0] = PASS
        n = 1
    return n


@rule
def is_home(state, player):
    count = 0
    for cell in range(CELLS):
        count += state.board[cell] == 1 + player and GOAL[player, cell] <= 1
    return count == STONES


@rule
def step(state, actions, rng):
    player = state.plies % SEATS
    action = actions[player]
    if action != PASS:
        to = target(state, action // 6, action % 6)
        state.board[action // 6] = 0
        state.board[to] = 1 + player
    if is_home(state, player):
        state.winner = 1 + player
    state.plies += 1


@rule
def steps_left(state, player):
    left = 0
    for cell in range(CELLS):
        if state.board[cell] == 1 + player:
            left += GOAL[player, cell]
    return 0 if state.winner == 1 + player else left


@rule
def returns(state, out):
    fewest, sharing = 100, 0
    for player in range(SEATS):
        fewest = min(fewest, steps_left(state, player))
    for player in range(SEATS):
        sharing += steps_left(state, player) == fewest
    for player in range(SEATS):
        share = 1.0 / sharing if steps_left(state, player) == fewest else 0.0
        out[player] = (SEATS * share - 1.0) / (SEATS - 1.0)


@rule
def policy_slot(state, player, action):
    return PASS if action == PASS else action % 6 * CELLS + action // 6


def action_text(state, player, action):
    return "pass" if action == PASS else f"{action // 6} {('E', 'NE', 'NW', 'W', 'SW', 'SE')[action % 6]}"
