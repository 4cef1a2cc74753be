"""The complete turn of an organism as one move, which is what the Organism paper's agents choose from.

A turn is a walk of single decisions from one reckoning to the next. Walks that lead to the same position are one turn,
and half-finished ones that meet go on together, else the orders of four actions alone would be thousands of walks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.rng import blend
from ludus.rules import legal, step, to_act

DEEPEST = 96
"""Decisions in a turn; longer ones are not looked at."""
MET = 1 << 14
"""Positions within a turn that are told apart; beyond three quarters of them no new ones are looked at."""


class Desk(NamedTuple):
    """Room to list turns in: the walk so far, decision by decision."""

    states: np.ndarray  # State[DEEPEST + 1]
    bits: np.ndarray  # uint64[DEEPEST + 1, …]: the same memory, for hashing
    menus: np.ndarray  # int32[DEEPEST + 1, MAX_ACTIONS]
    counts: np.ndarray  # int32[DEEPEST + 1]
    tried: np.ndarray  # int32[DEEPEST + 1]: entries of each menu
    met: np.ndarray  # uint64[MET]: keys of positions
    actions: np.ndarray  # int32[SEATS]
    words: np.ndarray  # uint64[1]: Organism has no dice


def make_desk(game: Game) -> Desk:
    states = np.zeros(DEEPEST + 1, game.state_type)
    return Desk(
        states,
        states.view(np.uint64).reshape(DEEPEST + 1, -1),
        np.empty((DEEPEST + 1, game.facts.max_actions), np.int32),
        np.zeros(DEEPEST + 1, np.int32),
        np.zeros(DEEPEST + 1, np.int32),
        np.zeros(MET, np.uint64),
        np.zeros(game.facts.players[1], np.int32),
        np.zeros(1, np.uint64),
    )


@template
def key_of(bits):
    """The key of a position, the number of turns played being a part of it. Four chains go on side by side: one alone
    would wait for every product."""
    key, quarter = np.uint64(0x9E3779B97F4A7C15), bits.shape[0] // 4
    second, third, fourth = key, key, key
    for k in range(quarter):
        key, second = blend(key, bits[k]), blend(second, bits[quarter + k])
        third, fourth = blend(third, bits[2 * quarter + k]), blend(fourth, bits[3 * quarter + k])
    for k in range(4 * quarter, bits.shape[0]):
        key = blend(key, bits[k])
    return blend(blend(blend(key, second), third), fourth) | np.uint64(1)  # zero marks an empty slot


@template
def meet(met, key):
    """Whether a position is new; it is not any more."""
    mask = met.shape[0] - 1
    slot = np.int64(key >> np.uint64(1)) & mask
    while met[slot] != key and met[slot] != 0:
        slot = (slot + 1) & mask
    is_new = met[slot] == 0
    met[slot] = key
    return is_new


@template
def is_complete(begun, state):
    """Whether the turn is over: something was reckoned, or the other player is on."""
    return to_act(state) == 0 or state.turns != begun.turns or state.mover != begun.mover


@template
def is_same_board(one, other):
    for cell in range(one.piece.shape[0]):
        if one.piece[cell] != other.piece[cell] or one.food[cell] != other.food[cell]:
            return False
    return True


@template
def begin_walk(desk, state):
    desk.met[:] = 0
    desk.states[0] = state
    desk.counts[0] = legal(desk.states[0], state.mover, desk.menus[0])
    desk.tried[0] = 0


@template
def next_turn(desk, depth, room):
    """Walk on from this depth to the end of a turn that leads somewhere new; its depth, or -1 after the last."""
    states, mover = desk.states, desk.states[0].mover
    while depth >= 0:
        if desk.tried[depth] == desk.counts[depth] or depth == DEEPEST or room <= 0:
            depth -= 1
            continue
        desk.actions[mover] = desk.menus[depth, desk.tried[depth]]
        desk.tried[depth] += 1
        states[depth + 1] = states[depth]
        step(states[depth + 1], desk.actions, desk.words)
        if not meet(desk.met, key_of(desk.bits[depth + 1])):
            continue
        room -= 1
        depth += 1
        if is_complete(states[0], states[depth]):
            return depth, room
        desk.counts[depth] = legal(states[depth], mover, desk.menus[depth])
        desk.tried[depth] = 0
    return -1, room


@template
def list_turns(desk, state, out):
    """Write where each turn leads to, as many as there is room for; their number. A turn that changes nothing on the
    board is none, unless there is no other."""
    begin_walk(desk, state)
    depth, room, count, idle = 0, desk.met.shape[0] * 3 // 4, 0, False
    while count < out.shape[0]:
        depth, room = next_turn(desk, depth, room)
        if depth < 0:
            break
        out[count] = desk.states[depth]
        if is_same_board(state, desk.states[depth]):
            idle = True
        else:
            count += 1
        depth -= 1
    if count == 0 and idle:
        return 1
    return count


@template
def way_to(desk, state, key, way):
    """The decisions that lead to the position with this key; how many they are, 0 if none do."""
    begin_walk(desk, state)
    depth, room = 0, desk.met.shape[0] * 3 // 4
    while True:
        depth, room = next_turn(desk, depth, room)
        if depth < 0:
            return 0
        if key_of(desk.bits[depth]) == key:
            for k in range(min(depth, way.shape[0])):
                way[k] = desk.menus[k, desk.tried[k] - 1]
            return depth
        depth -= 1
