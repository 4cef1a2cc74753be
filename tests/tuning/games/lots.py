"""Lots: a biased auction. Five lots are sold; for each, both bid what a die of ten shows, the first player 2 more, and
a tie goes to a coin. Which hand is raised makes no difference. A tax takes something off the first player's bids: 2
make it fair. The colour of the hammer changes nothing at all."""

import numpy as np

from ludus.rng import below
from ludus.rules import Facts, Param, Params, choice, record, rule

FACTS = Facts("Lots", players=(2, 2), max_actions=2, max_plies=5, chance=True, simultaneous=True)
PARAMS = Params(
    tax=Param(0, 0, 6, help="taken off each bid of the first player"),
    hammer=choice("red", "blue", "green", "black", help="its colour"),
    weight=Param(5, 1, 9, help="of the hammer, in pounds"),
)
State = record(params=PARAMS, players=np.int32, sold=np.int32, won=(np.int32, 2))
BIAS, LOTS = 2, 5


@rule
def setup(state, rng):
    pass


@rule
def to_act(state):
    return 0 if state.sold == LOTS else 3


@rule
def legal(state, player, out):
    out[0] = 0
    out[1] = 1
    return 2


@rule
def step(state, actions, rng):
    difference = below(rng, 10) + BIAS - state.params.tax - below(rng, 10)
    first = difference > 0 or (difference == 0 and below(rng, 2) == 0)
    state.won[0 if first else 1] += 1
    state.sold += 1


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 1.0 if state.won[player] > LOTS // 2 else -1.0


def action_text(state, player, action):
    return ("left hand", "right hand")[action]
