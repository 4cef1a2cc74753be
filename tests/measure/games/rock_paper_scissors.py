"""Rock, paper, scissors: one secret throw each, revealed together. Paper beats rock, scissors beat paper, rock beats
scissors; equal throws are a draw."""

import numpy as np

from ludus.rules import Facts, record, rule

FACTS = Facts("Rock, paper, scissors", players=(2, 2), max_actions=3, max_plies=1, simultaneous=True)
State = record(players=np.int32, thrown=(np.int32, 2))
# thrown: 0 not yet, 1 rock, 2 paper, 3 scissors


@rule
def setup(state, rng):
    pass


@rule
def to_act(state):
    return 0 if state.thrown[0] else 3


@rule
def legal(state, player, out):
    for k in range(3):
        out[k] = 1 + k
    return 3


@rule
def step(state, actions, rng):
    for player in range(2):
        state.thrown[player] = actions[player]


@rule
def returns(state, out):
    beaten_by = (state.thrown[1] - state.thrown[0]) % 3
    out[0] = 0.0 if beaten_by == 0 else -1.0 if beaten_by == 1 else 1.0
    out[1] = -out[0]


def action_text(state, player, action):
    return ("rock", "paper", "scissors")[action - 1]
