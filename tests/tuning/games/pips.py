"""Pips: a race of dice in which moving first is worth half a throw. In turn throw 10 to 18 pips with either hand, which
makes no difference; whoever first has 50 wins. The second player starts with a handicap: 7 pips make it fair."""

import numpy as np

from ludus.rng import below
from ludus.rules import Facts, Param, Params, record, rule

FACTS = Facts("Pips", players=(2, 2), max_actions=2, max_plies=20, chance=True)
PARAMS = Params(handicap=Param(0, 0, 20, help="pips with which the second player starts"))
State = record(params=PARAMS, players=np.int32, turn=np.int32, place=(np.int32, 2))
GOAL, LEAST, FACES = 50, 10, 9


@rule
def setup(state, rng):
    state.place[1] = state.params.handicap


@rule
def to_act(state):
    return 0 if state.place.max() >= GOAL else 1 << state.turn


@rule
def legal(state, player, out):
    out[0] = 0
    out[1] = 1
    return 2


@rule
def step(state, actions, rng):
    state.place[state.turn] += LEAST + below(rng, FACES)
    state.turn = 1 - state.turn


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 1.0 if state.place[player] >= GOAL else -1.0


def action_text(state, player, action):
    return ("left", "right")[action]
