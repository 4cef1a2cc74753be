"""Halves: turns of two actions. An action takes a point or not; after eight actions who has more points wins."""

import numpy as np

from ludus.rules import Facts, record, rule

FACTS = Facts("Halves", players=(2, 2), max_actions=2, max_plies=8)
ACTIONS_LEFT = "left"
State = record(players=np.int32, mover=np.int32, left=np.int32, plies=np.int32, points=(np.int32, 2))


@rule
def setup(state, rng):
    state.left = 2


@rule
def to_act(state):
    return 0 if state.plies == 8 else 1 << state.mover


@rule
def legal(state, player, out):
    out[0] = 0
    out[1] = 1
    return 2


@rule
def step(state, actions, rng):
    state.points[state.mover] += actions[state.mover]
    state.plies += 1
    state.left -= 1
    if state.left == 0:
        state.mover = 1 - state.mover
        state.left = 2


@rule
def final_count(state, player):
    return float(state.points[player])


@rule
def returns(state, out):
    difference = state.points[0] - state.points[1]
    for player in range(2):
        out[player] = 0.0 if difference == 0 else 1.0 if (difference > 0) == (player == 0) else -1.0
