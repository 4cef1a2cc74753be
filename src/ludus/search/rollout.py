"""What a leaf is worth: by random play to the end, or by an evaluation after some random steps."""

from __future__ import annotations

from ludus.compile import template
from ludus.kernels import any_place
from ludus.rules import MAX_PLIES, SEATS, legal, returns, step, to_act
from ludus.search.evaluation import estimate, is_judged


@template
def play_at_random(state, most, rng, menu, actions):
    """So many random steps, or to the end; who is to act then."""
    left, mask = most, to_act(state)
    while mask != 0 and left > 0:
        for player in range(SEATS):
            actions[player] = -1
            if mask >> player & 1:
                actions[player] = menu[any_place(legal(state, player, menu), rng)]
        step(state, actions, rng)
        left -= 1
        mask = to_act(state)
    return mask


@template
def roll_out(state, horizon, evaluation, rng, menu, actions, values):
    """Random play to the end, or for `horizon` more steps; what each player then has, or may hope for."""
    mask = play_at_random(state, horizon if horizon >= 0 else MAX_PLIES, rng, menu, actions)
    if mask == 0 or not is_judged(evaluation):
        returns(state, values)
    else:
        for player in range(state.players):
            values[player] = estimate(state, player, evaluation)
