"""Auction: three or four players bid for five prizes, each the throw of a die.

Everybody has ten coins and as many more as a secret die showed. All bid at once, and in secret. The highest bidder pays
the bid, which all then see, and takes the prize; if several bid the most, nobody pays and the prize is lost. Who has
prizes worth most at the end wins; several share the win.
"""

import numpy as np

from ludus import Facts, record, rule
from ludus.rng import below

ROUNDS, COINS, SIDES = 5, 10, 6
FACTS = Facts(
    "Auction",
    players=(3, 4),
    max_actions=COINS + SIDES + 1,
    max_plies=ROUNDS,
    chance=True,
    hidden=True,
    simultaneous=True,
)
State = record(
    players=np.int32,
    played=np.int32,  # rounds
    prize=np.int32,
    extra=(np.int32, 4),  # coins above ten; 0 is unknown
    paid=(np.int32, 4),
    points=(np.int32, 4),
)


@rule
def setup(state, rng):
    state.prize = 1 + below(rng, SIDES)
    for player in range(state.players):
        state.extra[player] = 1 + below(rng, SIDES)


@rule
def to_act(state):
    return 0 if state.played == ROUNDS else (1 << state.players) - 1


@rule
def legal(state, player, out):
    coins = COINS + state.extra[player] - state.paid[player]
    for bid in range(coins + 1):
        out[bid] = bid
    return coins + 1


@rule
def step(state, actions, rng):
    best, winner = -1, -1
    for player in range(state.players):
        if actions[player] > best:
            best, winner = actions[player], player
        elif actions[player] == best:
            winner = -1
    if winner >= 0:
        state.paid[winner] += best
        state.points[winner] += state.prize
    state.played += 1
    state.prize = 1 + below(rng, SIDES) if state.played < ROUNDS else 0


@rule
def returns(state, out):
    best = state.points.max()
    winners = 0
    for player in range(state.players):
        winners += state.points[player] == best
    n = state.players
    for player in range(n):
        share = 1.0 / winners if state.points[player] == best else 0.0
        out[player] = (n * share - 1.0) / (n - 1.0)


# ------------------------------------------------------------------------------------------------ secrets


@rule
def least(state, player):
    """What the player has paid, it had."""
    return max(1, state.paid[player] - COINS)


@rule
def hide(state, player):
    if state.played < ROUNDS:
        for rival in range(state.players):
            if rival != player:
                state.extra[rival] = 0


@rule
def determinize(state, player, rng):
    for rival in range(state.players):
        if state.extra[rival] == 0:
            low = least(state, rival)
            state.extra[rival] = low + below(rng, SIDES + 1 - low)


@rule
def twin(state, player, rng):
    """Another rival's secret die showed something else."""
    rival = (player + 1) % state.players
    low = least(state, rival)
    if state.played == ROUNDS or low == SIDES:
        return False
    state.extra[rival] = low if state.extra[rival] == SIDES else state.extra[rival] + 1
    return True


@rule
def valid(state):
    for player in range(state.players):  # noqa: SIM110 (compiled)
        if not least(state, player) <= state.extra[player] <= SIDES:
            return False
    return True


def action_text(state, player, action):
    return f"bid {action}"


def action_kind(state, player, action):
    return "nothing" if action == 0 else "low" if action <= COINS // 2 else "high"


def state_text(state):
    seats = range(int(state.players))
    lines = [f"round {min(state.played + 1, ROUNDS)} of {ROUNDS}, prize {state.prize}"]
    lines += [f"player {p + 1}: paid {state.paid[p]}, prizes {state.points[p]}, {_purse(state, p)}" for p in seats]
    return "\n".join(lines)


def _purse(state, player):
    if state.extra[player] == 0:
        return "coins unknown"
    return f"{COINS + state.extra[player] - state.paid[player]} coins"


def is_public(state, player, action):
    return False  # only what the winner pays is seen, and that is in the state
