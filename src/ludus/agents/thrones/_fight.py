"""Fights: the referee's own transition, walkers included, searched by iterative deepening with a transposition table.

Who can be run down, shut in or cut off is found by looking, as deep as the number of positions allows. Where the look
ends, an estimate stands in for the rest: somebody outside who cannot be home before the enemy or a walker reaches head
or trail counts as all but lost, and the hunted one is worth as much more as it can still run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.agents.thrones._terms import for_search
from ludus.compile import template
from ludus.games.thrones import step
from ludus.search.alphabeta import BEGIN, DONE, FRAME, HISTORY, NODES, PLY, Stack, search_to
from ludus.search.table import ENTRY, PROVEN

DEEPEST = 30
TABLE_BITS = 13


def new_stack(state_type: np.dtype, evaluation: Any) -> Stack:
    states = np.zeros(DEEPEST + 1, state_type)
    return Stack(
        states, states.view(np.uint64).reshape(DEEPEST + 1, -1), np.zeros(DEEPEST + 1, FRAME),
        np.empty((DEEPEST + 1, 4), np.int32), np.empty((DEEPEST + 1, 4), np.int64),
        np.full((DEEPEST + 1, 2), -1, np.int32), np.zeros((2, HISTORY), np.int64), np.zeros(1 << TABLE_BITS, ENTRY),
        np.zeros(2, np.int64), np.empty(2, np.int32), np.zeros(2), evaluation,
    )  # fmt: skip


@template
def forget(stack):
    """Make the stack ready for another position."""
    stack.counters[NODES] = 0
    stack.killers[:] = -1
    stack.history[:] = 0
    for slot in range(stack.table.shape[0]):
        stack.table[slot].bound = 0
        stack.table[slot].depth = 0


@template
def fight(stack, state, player, nodes):
    """The best step of whoever moves, and what the position is worth to the player: more than PROVEN is a win, less
    than -PROVEN a loss."""
    forget(stack)
    stack.states[0] = state
    for_search(stack.states[0])
    dice = np.zeros(1, np.uint64)
    best, worth = 0, 0.0
    for depth in range(1, DEEPEST + 1):
        stack.counters[PLY] = BEGIN
        root = stack.frames[0]
        root.count, root.alpha, root.beta = 4, -np.inf, np.inf
        for action in range(4):
            stack.menus[0, action] = action
        search_to(stack, depth, player, False, nodes, dice)
        if root.best >= 0 and abs(root.worth) <= 1.0:
            best, worth = root.best, root.worth
        if stack.counters[PLY] != DONE or abs(worth) > PROVEN or root.cut == 0:
            break
    return best, worth


@template
def follow(spare, state, player, action):
    """The position after the player's step, in `spare`."""
    actions = np.full(2, -1, np.int32)
    actions[player] = action
    spare[0] = state
    for_search(spare[0])
    step(spare[0], actions, np.zeros(1, np.uint64))
