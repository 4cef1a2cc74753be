"""Nim with one heap: take one, two or three of ten stones in turn; whoever takes the last one wins. No chance. Played
well the first player wins, by always leaving a multiple of four."""

import numpy as np

from ludus.rules import Facts, record, rule

FACTS = Facts("Nim", players=(2, 2), max_actions=3, max_plies=10)
State = record(players=np.int32, stones=np.int32, turn=np.int32)


@rule
def setup(state, rng):
    state.stones = 10


@rule
def to_act(state):
    return 0 if state.stones == 0 else 1 << state.turn


@rule
def legal(state, player, out):
    for k in range(3):
        out[k] = 1 + k
    return min(3, state.stones)


@rule
def step(state, actions, rng):
    state.stones -= actions[state.turn]
    if state.stones > 0:
        state.turn = 1 - state.turn


@rule
def returns(state, out):
    out[state.turn] = 1.0
    out[1 - state.turn] = -1.0


def action_text(state, player, action):
    return f"take {action}"
