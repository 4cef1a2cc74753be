"""The 7-64-12-1 network of the second published bot: its inputs, and what it says of a leaf.

The inputs are small whole numbers, and the leaves of a search differ in few of them. So the answer is looked up, and
asked of the network only if it is not there: the champion's copy of this bot judges two million leaves a second.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.agents.thrones._terms import loose_tiles, reach_of_enemy, trail_cells
from ludus.compile import rule
from ludus.games.thrones import MAX_CELLS, MAX_SIDE, steps_apart

INPUTS, FIRST, SECOND = 7, 64, 12
NET_SIZE = (INPUTS + 1) * FIRST + (FIRST + 1) * SECOND + SECOND + 1
"""Numbers of a network: of each layer the weights row by row, then the biases."""
SLOT_BITS = 12
COUNT_BITS, STEP_BITS = 12, 7
"""Of a difference of counts, and of a distance, in the key under which an answer lies."""
assert MAX_CELLS < 1 << (COUNT_BITS - 1)
assert 2 * MAX_SIDE < 1 << STEP_BITS


class Net(NamedTuple):
    numbers: np.ndarray
    keys: np.ndarray
    answers: np.ndarray


def new_net(numbers: np.ndarray) -> Net:
    return Net(numbers, np.zeros(1 << SLOT_BITS, np.int64), np.empty(1 << SLOT_BITS))


@rule
def network_value(state, player, net, base, cells):
    terms = network_terms(state, player, base, cells)
    key = 1  # no key is 0, which marks an empty slot
    for k in range(3):
        key = key << COUNT_BITS | (terms[k] & ((1 << COUNT_BITS) - 1))
    for k in range(3, INPUTS):
        key = key << STEP_BITS | terms[k]
    slot = (key * 0x9E3779B97F4A7C15) >> (64 - SLOT_BITS) & ((1 << SLOT_BITS) - 1)
    if net.keys[slot] != key:
        net.keys[slot], net.answers[slot] = key, judge(net.numbers, terms, 1.0 * (state.rows + state.cols))
    return net.answers[slot]


@rule
def network_terms(state, player, base, cells):
    """Three differences to the root, four distances."""
    far = state.rows + state.cols
    n = trail_cells(state, player, cells)
    loose = loose_tiles(state, player, cells, n) - base[2]
    row, col = state.head[player] // state.cols, state.head[player] % state.cols
    border = min(min(row, state.rows - 1 - row), min(col, state.cols - 1 - col))
    walker = trail = far
    for k in range(state.walkers):
        for c in range(n):
            walker = min(walker, steps_apart(state.walker[k], cells[c], state.cols))
    enemy = reach_of_enemy(state, player, cells, n)
    for k in range(1, trail_cells(state, 1 - player, cells)):
        trail = min(trail, steps_apart(state.head[player], cells[k], state.cols))
    return state.area[player] - base[0], state.trail[player] - base[1], loose, border, trail, walker, enemy


@rule
def judge(numbers, terms, far):
    """What the network makes of these inputs."""
    inputs, first, second, out = np.empty(INPUTS), np.empty(FIRST), np.empty(SECOND), np.empty(1)
    for k in range(INPUTS):
        inputs[k] = terms[k] / (10 if k < 3 else far)
    offset = layer(numbers, 0, inputs, first)
    offset = layer(numbers, offset, np.tanh(first), second)
    layer(numbers, offset, np.tanh(second), out)
    return out[0]


@rule
def layer(numbers, offset, inputs, outputs):
    """One layer of sums; where the next layer's numbers begin."""
    for j in range(outputs.shape[0]):
        total = numbers[offset + inputs.shape[0] * outputs.shape[0] + j]
        for i in range(inputs.shape[0]):
            total += inputs[i] * numbers[offset + j * inputs.shape[0] + i]
        outputs[j] = total
    return offset + (inputs.shape[0] + 1) * outputs.shape[0]
