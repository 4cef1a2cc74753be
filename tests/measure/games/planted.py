"""Planted: a game with two flaws put in on purpose. In four turns each, players dig (one point), trade (none to two
points by a die), mine gold (four points) or burn all that they have. Most points win; equals share.

Gold is the dominant action, and burning is dead: nobody who thinks will ever choose it.
"""

import numpy as np

from ludus.rng import below
from ludus.rules import Facts, record, rule

FACTS = Facts("Planted", players=(2, 2), max_actions=4, max_plies=8, chance=True)
State = record(players=np.int32, plies=np.int32, points=(np.int32, 2))

DIG, TRADE, GOLD, BURN = 0, 1, 2, 3


@rule
def setup(state, rng):
    pass


@rule
def to_act(state):
    return 0 if state.plies == 8 else 1 << (state.plies & 1)


@rule
def legal(state, player, out):
    for k in range(4):
        out[k] = k
    return 4


@rule
def step(state, actions, rng):
    player = state.plies & 1
    found = (1, below(rng, 3), 4, -state.points[player])
    state.points[player] += found[actions[player]]
    state.plies += 1


@rule
def returns(state, out):
    out[0] = np.sign(state.points[0] - state.points[1])
    out[1] = -out[0]


@rule
def heuristic(state, player):
    return (state.points[player] - state.points[1 - player]) / 32


def action_text(state, player, action):
    return ("dig", "trade", "gold", "burn")[action]
