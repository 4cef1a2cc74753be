"""Kalah: two rows of six pits with four stones each, and a store at the right hand of each player.

In turn, take all stones of one of your pits and sow them one by one: into your pits to the right, your store, the
rival's pits, and on round the board, leaving out the rival's store. If the last stone falls into your store, you move
again. If it falls into an empty pit of your own, and the pit across holds stones, all of those and the last stone go
into your store. When the pits of one player are empty the game is over; what lies in the pits of the other belongs to
the other. More stones win.
"""

import numpy as np

from ludus import Facts, record, rule

PITS, STONES = 6, 4
FACTS = Facts("Kalah", players=(2, 2), max_actions=PITS, max_plies=300)
State = record(players=np.int32, mover=np.int32, pits=(np.int32, (2, PITS)), store=(np.int32, 2))


@rule
def setup(state, rng):
    state.pits[:] = STONES


@rule
def to_act(state):
    over = state.pits[0].sum() == 0 or state.pits[1].sum() == 0
    return 0 if over else 1 << state.mover


@rule
def legal(state, player, out):
    n = 0
    for pit in range(PITS):
        if state.pits[player, pit] > 0:
            out[n] = pit
            n += 1
    return n


@rule
def capture(state, player, pit):
    across = PITS - 1 - pit
    if state.pits[player, pit] == 1 and state.pits[1 - player, across] > 0:
        state.store[player] += 1 + state.pits[1 - player, across]
        state.pits[player, pit] = 0
        state.pits[1 - player, across] = 0


@rule
def step(state, actions, rng):
    player = state.mover
    place = actions[player]  # 0 … 5 are the own pits, 6 the store, 7 … 12 the pits of the rival
    stones = state.pits[player, place]
    state.pits[player, place] = 0
    for _ in range(stones):
        place = (place + 1) % (2 * PITS + 1)
        if place < PITS:
            state.pits[player, place] += 1
        elif place == PITS:
            state.store[player] += 1
        else:
            state.pits[1 - player, place - PITS - 1] += 1
    if place < PITS:
        capture(state, player, place)
    if place != PITS:
        state.mover = 1 - player


@rule
def returns(state, out):
    lead = state.store[0] + state.pits[0].sum() - state.store[1] - state.pits[1].sum()
    out[0] = 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
    out[1] = -out[0]


def action_text(state, player, action):
    return f"pit {1 + action}"


def state_text(state):
    far = " ".join(f"{stones:2}" for stones in state.pits[1][::-1])
    near = " ".join(f"{stones:2}" for stones in state.pits[0])
    return f"   {far}\n{state.store[1]:2} {' ' * len(far)} {state.store[0]:2}\n   {near}"
