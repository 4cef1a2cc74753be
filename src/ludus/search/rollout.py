"""What a leaf is worth: by random play to the end, or by the game's heuristic after some random steps."""

from __future__ import annotations

from ludus.compile import template
from ludus.kernels import any_place
from ludus.rules import HAS_HEURISTIC, MAX_PLIES, SEATS, heuristic, legal, returns, step, to_act


@template
def roll_out(state, horizon, rng, menu, actions, values):
    """Random play to the end, or for `horizon` more steps; what each player then has, or may hope for."""
    left = horizon if horizon >= 0 else MAX_PLIES
    mask = to_act(state)
    while mask != 0 and left > 0:
        for player in range(SEATS):
            actions[player] = -1
            if mask >> player & 1:
                actions[player] = menu[any_place(legal(state, player, menu), rng)]
        step(state, actions, rng)
        left -= 1
        mask = to_act(state)
    if mask == 0 or not HAS_HEURISTIC:
        returns(state, values)
    else:
        for player in range(state.players):
            values[player] = heuristic(state, player)
