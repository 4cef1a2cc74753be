"""Market: four rounds of dice, each player in turn. Before a throw who is ahead may show a crown, which does nothing;
then anybody may oil the dice, which makes the own next throw three better. Most pips win; a tie goes to the second."""

import numpy as np

from ludus.rng import below
from ludus.rules import Facts, record, rule

FACTS = Facts("Market", players=(2, 2), max_actions=2, max_plies=16, chance=True)
State = record(players=np.int32, plies=np.int32, pips=(np.int32, 2), oiled=(np.int32, 2))
WAIT, CROWN, OIL = 0, 1, 2


@rule
def setup(state, rng):
    for player in range(2):
        state.pips[player] = below(rng, 6)


@rule
def to_act(state):
    return 0 if state.plies == 16 else 1 << (state.plies >> 1 & 1)


@rule
def legal(state, player, out):
    out[0] = WAIT
    out[1] = OIL
    if state.plies & 1:
        return 2
    out[1] = CROWN
    return 2 if state.pips[player] > state.pips[1 - player] else 1


@rule
def step(state, actions, rng):
    player = state.plies >> 1 & 1
    if state.plies & 1:
        state.pips[player] += below(rng, 6) + 3 * state.oiled[player]
        state.oiled[player] = 1 if actions[player] == OIL else 0
    state.plies += 1


@rule
def returns(state, out):
    first = state.pips[0] > state.pips[1]
    out[0] = 1.0 if first else -1.0
    out[1] = -out[0]


def action_text(state, player, action):
    return ("wait", "crown", "oil")[action]
