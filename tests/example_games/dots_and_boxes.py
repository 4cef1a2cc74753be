"""Dots and boxes: sixteen dots in four rows of four. In turn, draw a line between two dots that lie side by side. Who
draws the fourth side of a box owns it and draws again. When all nine boxes are drawn, who has more of them wins.

Lines are numbered: first the twelve that lie, row by row, then the twelve that stand, row by row.
"""

import numpy as np

from ludus import Facts, record, rule

SIDE = 3  # boxes along a side
LYING = SIDE * (SIDE + 1)
LINES, BOXES = 2 * LYING, SIDE * SIDE

FACTS = Facts("Dots and boxes", players=(2, 2), max_actions=LINES, max_plies=LINES)
State = record(
    players=np.int32,
    mover=np.int32,
    plies=np.int32,
    lines=(np.int8, LINES),  # 1 if drawn
    owner=(np.int8, BOXES),  # 1 + player
)


@rule
def setup(state, rng):
    pass


@rule
def to_act(state):
    return 0 if state.plies == LINES else 1 << state.mover


@rule
def legal(state, player, out):
    n = 0
    for line in range(LINES):
        if state.lines[line] == 0:
            out[n] = line
            n += 1
    return n


@rule
def is_closed(state, box):
    left = LYING + (box // SIDE) * (SIDE + 1) + box % SIDE
    return state.lines[box] + state.lines[box + SIDE] + state.lines[left] + state.lines[left + 1] == 4


@rule
def step(state, actions, rng):
    player = state.mover
    state.lines[actions[player]] = 1
    state.plies += 1
    state.mover = 1 - player
    for box in range(BOXES):
        if state.owner[box] == 0 and is_closed(state, box):
            state.owner[box] = 1 + player
            state.mover = player  # and draws again


@rule
def returns(state, out):
    lead = 0
    for box in range(BOXES):
        lead += 1 if state.owner[box] == 1 else -1
    out[0] = 1.0 if lead > 0 else -1.0
    out[1] = -out[0]


def action_text(state, player, action):
    if action < LYING:
        return f"{'abcd'[action // SIDE]}{1 + action % SIDE} right"
    action -= LYING
    return f"{'abcd'[action // (SIDE + 1)]}{1 + action % (SIDE + 1)} down"


def state_text(state):
    rows = []
    for row in range(SIDE + 1):
        rows.append("+" + "+".join("---" if state.lines[SIDE * row + c] else "   " for c in range(SIDE)) + "+")
        if row < SIDE:
            standing = LYING + (SIDE + 1) * row
            walls = ["|" if state.lines[standing + c] else " " for c in range(SIDE + 1)]
            owners = [f" {' XO'[mark]} " for mark in state.owner[SIDE * row : SIDE * (row + 1)]]
            rows.append("".join(wall + owner for wall, owner in zip(walls, [*owners, ""])))
    return "\n".join(rows)
