"""What players of Thrones look at: where a step leads, how far home is, and who can reach a trail before that.

Distances: `home` counts the steps of the shortest way from a head to its own territory, around walls, walkers and own
trail. `reach_of_enemy` and `reach_of_walkers` say how far the enemy's head and the walkers are from the nearest cell of
a player's head and trail: the former walks (Manhattan), the latter go diagonally (Chebyshev).
"""

from __future__ import annotations

import numpy as np

from ludus.compile import rule
from ludus.games.thrones import (
    COL_STEP,
    EMPTY,
    FROZEN,
    HEAD,
    MAX_CELLS,
    RANDOM,
    ROW_STEP,
    TERRITORY,
    TRAIL,
    WALKER,
    WALL,
    can_take_heads,
    steps_apart,
)
from ludus.rng import below

UP = 0
NEVER = 10_000
"""Longer than any way."""
START = 4
"""Where a search for ways began, in the place of the step that led to a cell."""


@rule
def reverse(action):
    """Up and down change places, as do left and right."""
    return action ^ 1


@rule
def ahead(state, cell, action):
    """The cell one step on."""
    return cell + ROW_STEP[action] * state.cols + COL_STEP[action]


@rule
def is_fatal(state, player, action):
    """Whether the step itself kills who takes it; what walkers do afterwards does not count."""
    code = state.board[ahead(state, state.head[player], action)]
    if code == HEAD + 1 - player:
        return state.params.head_kill == 0
    return code in (WALL, WALKER, TRAIL + player)


@rule
def is_land(state, player, code):
    """Whether such a cell can be won: empty, or the enemy's territory."""
    return code == EMPTY or code == TERRITORY + 1 - player


@rule
def safe_actions(state, player, out):
    """The course's "safe" actions: not into a wall, the own trail or the enemy's head. Their number."""
    n = 0
    for action in range(4):
        code = state.board[ahead(state, state.head[player], action)]
        if code != WALL and code != TRAIL + player and code != HEAD + 1 - player:
            out[n] = action
            n += 1
    return n


@rule
def home(state, player, queue, seen):
    """Steps from the head to own territory, 0 inside, NEVER without a way. `queue` and `seen` are scratch."""
    if state.inside[player] != 0:
        return 0
    cells = state.rows * state.cols
    seen[:cells] = 0
    queue[0] = state.head[player]
    seen[state.head[player]] = 1
    first, last, steps = 0, 1, 0
    while first < last:
        steps += 1
        for place in range(first, last):
            first += 1
            for action in range(4):
                cell = ahead(state, queue[place], action)
                code = state.board[cell]
                if seen[cell] != 0:
                    continue
                if code == TERRITORY + player:
                    return steps
                if code != WALL and code != WALKER and code != TRAIL + player:
                    seen[cell] = 1
                    queue[last] = cell
                    last += 1
    return NEVER


@rule
def way_home(state, player, berth, queue, came, steps):
    """Write the shortest such way that keeps more than `berth` steps away from where the enemy is now; its length."""
    if state.inside[player] != 0:
        return 0
    came[: state.rows * state.cols] = -1
    queue[0] = state.head[player]
    came[state.head[player]] = START
    first, last = 0, 1
    while first < last:
        cell = queue[first]
        first += 1
        for action in range(4):
            there = ahead(state, cell, action)
            code = state.board[there]
            blocked = came[there] >= 0 or code in (WALL, WALKER) or code == TRAIL + player
            if blocked or steps_apart(there, state.head[1 - player], state.cols) <= berth:
                continue
            came[there] = action
            if code == TERRITORY + player:
                return write_way(state, there, came, steps)
            queue[last] = there
            last += 1
    return NEVER


@rule
def sure_way(state, player, queue, came, steps):
    """Write the shortest way home on which the enemy, who moves next, can be nowhere in time; its length, NEVER without
    one. An enemy who can take heads must not be beside the one that is home again, either."""
    hunted = can_take_heads(state, 1 - player) & state.params.head_kill
    way, berth = way_home(state, player, -1, queue, came, steps), -1
    while way < NEVER and berth < way + hunted:
        berth = way + hunted
        way = way_home(state, player, berth, queue, came, steps)
    return way


@rule
def write_way(state, cell, came, steps):
    """The steps that led to a cell, by the last one of each that a search left in `came`; their number."""
    n, back = 0, cell
    while came[back] != START:
        back = ahead(state, back, reverse(came[back]))
        n += 1
    for k in range(n - 1, -1, -1):
        steps[k] = came[cell]
        cell = ahead(state, cell, reverse(came[cell]))
    return n


@rule
def trail_cells(state, player, out):
    """The cells of the player's trail and, first, of its head; their number."""
    out[0] = state.head[player]
    n, cell = 1, 0
    while n <= state.trail[player]:
        if state.board[cell] == TRAIL + player:
            out[n] = cell
            n += 1
        cell += 1
    return n


@rule
def loose_tiles(state, player, cells, n):
    """Tiles of the trail without own territory beside them; `cells` begins with the head, which is none."""
    loose = 0
    for k in range(1, n):
        touches = False
        for action in range(4):
            touches = touches or state.board[ahead(state, cells[k], action)] == TERRITORY + player
        loose += not touches
    return loose


@rule
def reach_of_enemy(state, player, cells, n):
    """The enemy's steps to the nearest of some cells."""
    nearest = NEVER
    for k in range(n):
        nearest = min(nearest, steps_apart(state.head[1 - player], cells[k], state.cols))
    return nearest


@rule
def reach_of_walkers(state, cells, n):
    """The rounds that the nearest walker needs to one of some cells."""
    nearest = NEVER
    for w in range(state.walkers):
        row, col = state.walker[w] // state.cols, state.walker[w] % state.cols
        for k in range(n):
            nearest = min(nearest, max(abs(cells[k] // state.cols - row), abs(cells[k] % state.cols - col)))
    return nearest


@rule
def steps_to_land(state, player):
    """Manhattan distance from the head to the nearest cell that can be won; NEVER without one."""
    head, cols = state.head[player], state.cols
    row, col = head // cols, head % cols
    for radius in range(1, state.rows + cols):
        for rise in range(-radius, radius + 1):
            run = radius - abs(rise)
            if not 0 < row + rise < state.rows - 1:
                continue
            for side in (-run, run):
                if 0 < col + side < cols - 1 and is_land(state, player, state.board[head + rise * cols + side]):
                    return radius
    return NEVER


@rule
def for_search(state):
    """Make a position one that a search can follow: nobody foresees where walkers turn that wander at random."""
    if state.params.walkers == RANDOM:
        state.params.walkers = FROZEN


@rule
def any_of(actions, n, rng):
    """One of n actions; nothing is drawn for a single one."""
    return actions[below(rng, n)] if n > 1 else actions[0]


# ------------------------------------------------------------------------------------------------ plans
# A plan is a list of steps in an agent's memory: how many are left, then two bits a step, the next one lowest.

STEPS_A_WORD = 32
PLAN_WORDS = 5
MOST_STEPS = STEPS_A_WORD * (PLAN_WORDS - 1)


@rule
def keep_plan(memory, steps, n):
    """Remember the first n steps."""
    for word in range(PLAN_WORDS):
        memory[word] = 0
    n = min(n, MOST_STEPS)
    for k in range(n):
        shift = np.uint64(2 * (k % STEPS_A_WORD))
        memory[1 + k // STEPS_A_WORD] |= np.uint64(steps[k]) << shift
    memory[0] = np.uint64(n)


@rule
def planned(memory):
    """How many steps are left."""
    return np.int64(memory[0])


@rule
def steps_left(memory, out):
    """Write the steps that are left; their number."""
    n = planned(memory)
    for k in range(n):
        shift = np.uint64(2 * (k % STEPS_A_WORD))
        out[k] = np.int64(memory[1 + k // STEPS_A_WORD] >> shift & np.uint64(3))
    return n


@rule
def next_step(memory):
    return np.int64(memory[1] & np.uint64(3))


@rule
def take_step(memory):
    """The next step, which is then forgotten."""
    step = next_step(memory)
    for word in range(1, PLAN_WORDS):
        memory[word] >>= np.uint64(2)
        if word + 1 < PLAN_WORDS:
            memory[word] |= (memory[word + 1] & np.uint64(3)) << np.uint64(62)
    memory[0] -= np.uint64(1)
    return step


@rule
def scratch_cells():
    """Room for every cell of a map."""
    return np.empty(MAX_CELLS, np.int64)
