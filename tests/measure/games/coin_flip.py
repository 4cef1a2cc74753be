"""Coin flip: nothing but luck. Both players call heads or tails; then a coin falls, and whatever they called it names
the winner. Seats are even, choices are empty, and the chance of a match decides all of it."""

import numpy as np

from ludus.rng import below
from ludus.rules import Facts, record, rule

FACTS = Facts("Coin flip", players=(2, 2), max_actions=2, max_plies=2, chance=True)
State = record(players=np.int32, plies=np.int32, winner=np.int32)


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
        state.winner = below(rng, 2)


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 1.0 if state.winner == player else -1.0


def action_text(state, player, action):
    return ("heads", "tails")[action]
