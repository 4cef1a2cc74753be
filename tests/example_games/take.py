"""Take: the smallest game that can be written. In turn, take one or two stones; whoever takes the last one wins."""

import numpy as np

from ludus.rules import Facts, Param, Params, record, rule

FACTS = Facts("Take", players=(2, 4), max_actions=2, max_plies=20)
PARAMS = Params(stones=Param(7, 1, 20, "stones at the start"))
State = record(params=PARAMS, players=np.int32, stones=np.int32, turn=np.int32)


@rule
def setup(state, rng):
    state.stones = state.params.stones


@rule
def to_act(state):
    return 0 if state.stones == 0 else 1 << state.turn


@rule
def legal(state, player, out):
    out[0] = 1
    out[1] = 2
    return min(2, state.stones)


@rule
def step(state, actions, rng):
    state.stones -= actions[state.turn]
    if state.stones > 0:
        state.turn = (state.turn + 1) % state.players


@rule
def returns(state, out):
    out[: state.players] = -1 / (state.players - 1)
    out[state.turn] = 1
