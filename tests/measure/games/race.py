"""Race, for two to four players: in turn, walk two fields or run, which a die decides: none to five fields. Whoever
first reaches the last field wins, so the leader usually does, and falls back only by running badly."""

import numpy as np

from ludus.rng import below
from ludus.rules import Facts, Param, Params, record, rule

FACTS = Facts("Race", players=(2, 4), max_actions=2, max_plies=2000, chance=True)
PARAMS = Params(fields=Param(20, 4, 40, "fields to the end"))
State = record(params=PARAMS, players=np.int32, turn=np.int32, place=(np.int32, 4))

WALK, RUN = 0, 1


@rule
def setup(state, rng):
    pass


@rule
def to_act(state):
    return 0 if state.place.max() >= state.params.fields else 1 << state.turn


@rule
def legal(state, player, out):
    out[0] = WALK
    out[1] = RUN
    return 2


@rule
def step(state, actions, rng):
    state.place[state.turn] += 2 if actions[state.turn] == WALK else below(rng, 6)
    state.turn = (state.turn + 1) % state.players


@rule
def returns(state, out):
    for player in range(state.players):
        out[player] = 1.0 if state.place[player] >= state.params.fields else -1 / (state.players - 1)


@rule
def heuristic(state, player):
    return (state.place[player] - state.place[: state.players].mean()) / 40


def action_text(state, player, action):
    return ("walk", "run")[action]
