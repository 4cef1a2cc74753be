"""Each rule over a batch of states: the only way that Python calls a rule.

A call with a batch costs 0.4 microseconds, one with a single record 2, and a rule called directly would compile in
every process; so states always come as an array, even one alone.
"""

from __future__ import annotations

import numpy as np

from ludus.compile import template
from ludus.rng import below
from ludus.rules import (
    MAX_ACTIONS,
    SEATS,
    deterministic,
    determinize,
    heuristic,
    hide,
    is_legal,
    legal,
    observe,
    policy_slot,
    reflect,
    reflect_action,
    returns,
    setup,
    step,
    to_act,
    twin,
    valid,
)


@template
def set_up(states, words):
    for i in range(states.shape[0]):
        setup(states[i], words[i, :1])


@template
def masks(states, out):
    for i in range(states.shape[0]):
        out[i] = to_act(states[i])


@template
def menus(states, players, out, counts):
    for i in range(states.shape[0]):
        counts[i] = legal(states[i], players[i], out[i])


@template
def advance(states, actions, words):
    for i in range(states.shape[0]):
        if to_act(states[i]) != 0:
            step(states[i], actions[i], words[i, :1])


@template
def payoffs(states, out):
    for i in range(states.shape[0]):
        returns(states[i], out[i])


@template
def mask_views(states, players):
    for i in range(states.shape[0]):
        hide(states[i], players[i])


@template
def guess_worlds(states, players, words):
    for i in range(states.shape[0]):
        determinize(states[i], players[i], words[i])


@template
def features(states, players, out):
    for i in range(states.shape[0]):
        observe(states[i], players[i], out[i])


@template
def byte_features(states, players, row, out):
    """Features as bytes, 127 for 1, which is what networks are fed in bulk; `row` is room for one position's. What lies
    outside [-1, 1] is cut off."""
    for i in range(states.shape[0]):
        observe(states[i], players[i], row)
        for k in range(out.shape[1]):
            out[i, k] = np.int8(np.rint(min(max(row[k], np.float32(-1.0)), np.float32(1.0)) * np.float32(127.0)))


@template
def policy_slots(states, players, actions, out):
    for i in range(states.shape[0]):
        out[i] = policy_slot(states[i], players[i], actions[i])


@template
def verdicts(states, players, actions, out):
    for i in range(states.shape[0]):
        out[i] = is_legal(states[i], players[i], actions[i])


@template
def estimates(states, players, out):
    for i in range(states.shape[0]):
        out[i] = heuristic(states[i], players[i])


@template
def validity(states, out):
    for i in range(states.shape[0]):
        out[i] = valid(states[i])


@template
def certainties(states, out):
    for i in range(states.shape[0]):
        out[i] = deterministic(states[i])


@template
def swap_secrets(states, players, words, out):
    for i in range(states.shape[0]):
        out[i] = twin(states[i], players[i], words[i])


@template
def turn_boards(states, symmetry):
    for i in range(states.shape[0]):
        reflect(states[i], symmetry)


@template
def turn_actions(states, symmetry, actions, out):
    for i in range(states.shape[0]):
        out[i] = reflect_action(states[i], symmetry, actions[i])


@template
def any_place(count, rng):
    """A place in a menu of so many actions, each as likely. Nothing is drawn where there is no choice: all who play at
    random must play the same match."""
    return 0 if count == 1 else below(rng, count)


@template
def random_step(state, row, menu, actions, mask):
    """Every acting player chooses uniformly, each with the word of its own seat."""
    for player in range(SEATS):
        actions[player] = -1
        if mask >> player & 1:
            actions[player] = menu[any_place(legal(state, player, menu), row[1 + player : 2 + player])]
    step(state, actions, row[:1])


@template
def rollouts(states, words, plies, limit):
    """Random play to the end, or to `limit` joint steps; `plies` counts them."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    actions = np.empty(SEATS, np.int32)
    for i in range(states.shape[0]):
        state, row, n = states[i], words[i], plies[i]
        mask = to_act(state)
        while mask != 0 and n < limit:
            random_step(state, row, menu, actions, mask)
            n += 1
            mask = to_act(state)
        plies[i] = n
