"""Tilted: a coin flip that favours the first seat by three points. Choices are empty. Player 0 wins with the chance
that the params give in percent, 53 by default: a playtest must find a seat advantage of +3 points."""

import numpy as np

from ludus.rng import uniform
from ludus.rules import Facts, Param, Params, record, rule

FACTS = Facts("Tilted", players=(2, 2), max_actions=2, max_plies=2, chance=True)
PARAMS = Params(first=Param(53, 0, 100, "percent of matches that the first seat wins"))
PRESETS = {"fair": {"first": 50}}
State = record(params=PARAMS, players=np.int32, plies=np.int32, winner=np.int32)


@rule
def setup(state, rng):
    pass


@rule
def to_act(state):
    return 0 if state.plies == 2 else 1 << state.plies


@rule
def legal(state, player, out):
    out[0] = 0
    out[1] = 1
    return 2


@rule
def step(state, actions, rng):
    state.plies += 1
    if state.plies == 2:
        state.winner = 0 if 100 * uniform(rng) < state.params.first else 1


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 1.0 if state.winner == player else -1.0


def action_text(state, player, action):
    return ("heads", "tails")[action]
