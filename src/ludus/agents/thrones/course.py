"""The opponents that a course handed out with the game: they ignore walkers, and mostly the enemy.

`rand` steps anywhere that is not fatal at once. `attack` grows a tongue of territory towards the enemy, one step out
and straight back. `safe` walks small loops: out to the nearest empty cell, round a square, home; each part is
planned once and then played blindly. Where the handed-out programs take the first of an unordered set, these take a
random one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents.thrones._terms import (
    MOST_STEPS,
    NEVER,
    PLAN_WORDS,
    START,
    UP,
    ahead,
    any_of,
    keep_plan,
    planned,
    reverse,
    safe_actions,
    scratch_cells,
    take_step,
    trail_cells,
    write_way,
)
from ludus.compile import rule, template
from ludus.games.thrones import EMPTY, TERRITORY, TRAIL, WALL, steps_apart
from ludus.rng import below, shuffle

# ------------------------------------------------------------------------------------------------ rand


@rule
def rand_action(state, player, rng):
    menu = np.empty(4, np.int64)
    n = safe_actions(state, player, menu)
    return any_of(menu, n, rng) if n > 0 else UP


# ------------------------------------------------------------------------------------------------ attack

STARTED, LEFT_HOME = 1, 2  # bits of its memory; above them the last action


def attack_memory(last: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """What it most likely remembers after its last steps."""
    return STARTED | np.where(inside, 0, LEFT_HOME) | last << 2


@rule
def attack_action(state, player, rng, memory):
    menu = np.empty(4, np.int64)
    n = safe_actions(state, player, menu)
    if n == 0:
        return UP
    shuffle(rng, menu, n)
    past = np.int64(memory[0])
    if past & STARTED == 0:
        action = menu[0]
        left = True
    else:
        action = attack_step(state, player, menu, n, past)
        # gone back, it takes for granted that its territory is still there
        left = past & LEFT_HOME == 0 and state.board[ahead(state, state.head[player], action)] != TERRITORY + player
    memory[0] = np.uint64(STARTED | (LEFT_HOME if left else 0) | action << 2)
    return action


@rule
def attack_step(state, player, menu, n, past):
    """Cut a trail beside it; after a step out go back; else towards the enemy."""
    for k in range(n):
        if state.board[ahead(state, state.head[player], menu[k])] == TRAIL + 1 - player:
            return menu[k]
    if past & LEFT_HOME:
        return reverse(past >> 2)
    cells = scratch_cells()
    count = trail_cells(state, 1 - player, cells)
    best, best_trail, best_head, hunting = menu[0], NEVER, NEVER, False
    for k in range(n):
        target = ahead(state, state.head[player], menu[k])
        to_head = steps_apart(target, state.head[1 - player], state.cols)
        to_trail = NEVER
        for c in range(1, count):
            to_trail = min(to_trail, steps_apart(target, cells[c], state.cols))
        hunting = hunting or to_trail <= 5
        if hunting:
            better = to_trail < best_trail
        else:
            better = to_head < best_head or (to_head == best_head and to_trail < best_trail)
        if better:
            best, best_trail, best_head = menu[k], to_trail, to_head
    return best


# ------------------------------------------------------------------------------------------------ safe
# Its memory: the plan, then what it does next (LOOP or GO_OUT) and the last step of the plan before.

LOOP, GO_OUT = 0, 1
SAFE_WORDS = PLAN_WORDS + 2


@rule
def safe_action(state, player, rng, memory):
    steps = scratch_cells()
    if planned(memory) == 0:
        if memory[PLAN_WORDS] == LOOP:
            n = loop(state, player, np.int64(memory[PLAN_WORDS + 1]) - 1, rng, steps)
            memory[PLAN_WORDS] = GO_OUT
        else:
            n = way_out(state, player, rng, steps)
            memory[PLAN_WORDS] = LOOP
        if n == 0:
            return UP
        keep_plan(memory, steps, n)
        memory[PLAN_WORDS + 1] = np.uint64(1 + steps[n - 1])
    return take_step(memory)


@rule
def loop(state, player, used, rng, steps):
    """Steps in each direction at most once, every one across the last, round a square; cells that are not own territory
    are preferred. `used` is the step that led here, -1 for none. Their number."""
    taken = 1 << used if used >= 0 else 0
    last, cell, n = used, state.head[player], 0
    while n < 4:
        action = turn_of_loop(state, player, cell, last, taken, rng)
        if action < 0:
            break
        steps[n] = action
        n += 1
        taken |= 1 << action
        last, cell = action, ahead(state, cell, action)
    return n


@rule
def turn_of_loop(state, player, cell, last, taken, rng):
    """A random step across the last one into a direction not taken yet, or -1."""
    best, ways, best_new = -1, 0, False
    for action in range(4):
        code = state.board[ahead(state, cell, action)]
        if taken >> action & 1 or code == WALL or (last >= 0 and action >> 1 == last >> 1):
            continue
        new = code != TERRITORY + player
        if new and not best_new:
            ways, best_new = 0, True
        if new == best_new:
            ways += 1
            if below(rng, ways) == 0:
                best = action
    return best


@rule
def way_out(state, player, rng, steps):
    """The way to the nearest empty cell through everything but walls; neighbours in random order. The handed-out
    program plays it from its end, so do we. The number of steps."""
    queue, came = scratch_cells(), scratch_cells()
    order = np.arange(4)
    came[:] = -1
    queue[0] = state.head[player]
    came[state.head[player]] = START
    first, last = 0, 1
    while first < last:
        cell = queue[first]
        first += 1
        shuffle(rng, order, 4)
        for action in order:
            target = ahead(state, cell, action)
            if came[target] >= 0 or state.board[target] == WALL:
                continue
            came[target] = action
            if state.board[target] == EMPTY:
                n = write_way(state, target, came, steps)
                steps[:n] = steps[:n][::-1].copy()
                return min(n, MOST_STEPS)
            queue[last] = target
            last += 1
    return 0


# ------------------------------------------------------------------------------------------------ agents

RAND, ATTACK, SAFE = range(3)


@template
def choose_course(views, players, words, who, out):
    for i in range(views.shape[0]):
        rng, memory = words[i, :1], words[i, 1:]
        if who == ATTACK:
            out[i] = attack_action(views[i], players[i], rng, memory)
        elif who == SAFE:
            out[i] = safe_action(views[i], players[i], rng, memory)
        else:
            out[i] = rand_action(views[i], players[i], rng)


def _answers(agent: Agent, who: int, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
    out = np.empty(len(views), np.int32)
    agent.game.kernel(choose_course)(views, players, words, who, out)
    return out


@dataclass
class Rand(Agent):
    """Any step that is not fatal at once, all equally likely."""

    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "thrones"
    name: ClassVar[str] = "rand"

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        return _answers(self, RAND, views, players, words)


@dataclass
class Attack(Agent):
    """Grows a tongue of territory towards the enemy, never more than one step from home."""

    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "thrones"
    name: ClassVar[str] = "attack"
    memory: ClassVar[int] = 1

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        return _answers(self, ATTACK, views, players, words)


@dataclass
class Safe(Agent):
    """Small loops beside its territory, each planned once and then played blindly."""

    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "thrones"
    name: ClassVar[str] = "safe"
    memory: ClassVar[int] = SAFE_WORDS

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        return _answers(self, SAFE, views, players, words)
