"""Liar's dice: both players roll their dice, unseen by the other. In turn, bid how many of all dice show a face at
least; sixes count as any face. A bid must be higher than the last: more dice, or as many of a higher face. Instead of
bidding, call the last bid a lie: all dice are shown, and who was wrong loses.
"""

import numpy as np

from ludus import Facts, Param, Params, record, rule
from ludus.parts import die
from ludus.rng import below

FACES, MOST = 6, 2
LIAR = 2 * MOST * FACES  # smaller numbers are bids: FACES * (dice - 1) + face - 1

FACTS = Facts("Liar's dice", players=(2, 2), max_actions=LIAR + 1, max_plies=LIAR + 1, chance=True, hidden=True)
PARAMS = Params(dice=Param(2, 1, MOST, help="dice of each player"))
PRESETS = {"single": {"dice": 1}}
State = record(
    params=PARAMS,
    players=np.int32,
    mover=np.int32,
    bid=np.int32,  # the last one; -1 before the first
    called=np.int32,
    dice=(np.int32, (2, MOST)),  # 0 is unknown
)


@rule
def setup(state, rng):
    state.bid = -1
    for player in range(2):
        for k in range(state.params.dice):
            state.dice[player, k] = die(rng, FACES)


@rule
def to_act(state):
    return 0 if state.called else 1 << state.mover


@rule
def legal(state, player, out):
    n = 0
    for bid in range(state.bid + 1, 2 * state.params.dice * FACES):
        out[n] = bid
        n += 1
    if state.bid >= 0:
        out[n] = LIAR
        n += 1
    return n


@rule
def step(state, actions, rng):
    action = actions[state.mover]
    if action == LIAR:
        state.called = 1
    else:
        state.bid = action
        state.mover = 1 - state.mover


@rule
def is_true(state):
    """Whether the last bid holds."""
    face, count = 1 + state.bid % FACES, 0
    for player in range(2):
        for k in range(state.params.dice):
            count += state.dice[player, k] == face or state.dice[player, k] == FACES
    return count > state.bid // FACES


@rule
def returns(state, out):
    winner = 1 - state.mover if is_true(state) else state.mover  # the mover has called
    out[winner], out[1 - winner] = 1.0, -1.0


@rule
def hide(state, player):
    if not state.called:
        state.dice[1 - player] = 0


@rule
def determinize(state, player, rng):
    for k in range(state.params.dice):
        if state.dice[1 - player, k] == 0:
            state.dice[1 - player, k] = die(rng, FACES)


@rule
def twin(state, player, rng):
    if state.called:
        return False
    k = below(rng, state.params.dice)
    state.dice[1 - player, k] = 1 + state.dice[1 - player, k] % FACES
    return True


def bid_text(bid):
    return "none" if bid < 0 else f"{1 + bid // FACES} x {1 + bid % FACES}"


def action_text(state, player, action):
    return "liar" if action == LIAR else bid_text(action)


def state_text(state):
    lines = [f"last bid: {bid_text(state.bid)}"]
    for player in range(2):
        dice = " ".join("?" if face == 0 else str(face) for face in state.dice[player, : state.params.dice])
        lines.append(f"player {1 + player}: {dice}")
    return "\n".join(lines)


def is_public(state, player, action):
    return True  # bids are spoken aloud
