"""Sweeping: plans that walk to the own border, out, along and back, and the guard that lets a step of one be taken.

A plan is tried out until it is home again, while the enemy stands still; the champion's with the walkers on their ways,
the assistant's with everything else standing still. Two ways of bounding its length are known. The assistant's
(`boldness` 0) compares it with the way that enemy and walker have to the border. The champion's compares it with the
enemy's way to the nearest cell that the plan leaves uncovered: with a boldness of 1 nobody can be in time, whatever it
does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.agents.thrones._terms import (
    NEVER,
    START,
    UP,
    ahead,
    any_of,
    for_search,
    home,
    is_fatal,
    is_land,
    reach_of_enemy,
    reach_of_walkers,
    reverse,
    sure_way,
    trail_cells,
    write_way,
)
from ludus.compile import rule
from ludus.games.thrones import (
    AREA,
    BOUNCE,
    HEAD,
    HEAD_TAKEN,
    MAX_CELLS,
    RANDOM,
    TERRITORY,
    TRAIL,
    bounce,
    can_take_heads,
    move,
    step,
    steps_apart,
)
from ludus.rng import below
from ludus.rules import record

WIN_SCORE = 1000.0
CATCH_SCORE = 500.0
"""Of a plan that shuts a walker in, less its steps: where no walker roams the hunter wins by force."""
FINE = 8
"""Sides of the champion's rectangles up to which every length is tried."""

LOST, WON, OPEN = 0, 1, 2  # what a step comes to

LIMITS = record(
    longest=np.int64, widest=np.int64, borders=np.int64, boldness=np.float64, enemy_loss=np.float64,
    venture=np.float64, berth=np.float64, walk=np.float64, haste=np.float64, distance=np.float64,
)  # fmt: skip
"""The longest way out and along, and how many border cells are tried; the rest as `champion` explains it."""


class Scratch(NamedTuple):
    """Room for one decision."""

    after: np.ndarray
    cells: np.ndarray
    queue: np.ndarray
    came: np.ndarray
    seen: np.ndarray
    steps: np.ndarray
    best: np.ndarray
    path: np.ndarray
    home: np.ndarray
    spare: np.ndarray
    limits: np.ndarray


def new_scratch(state_type: np.dtype, limits: np.ndarray) -> Scratch:
    cells, queue, came = np.zeros((3, MAX_CELLS), np.int64)
    steps, best, path, home = np.zeros((4, 2 * MAX_CELLS), np.int64)
    after, spare = np.zeros((2, 1), state_type)
    return Scratch(after, cells, queue, came, np.zeros(MAX_CELLS, np.int8), steps, best, path, home, spare, limits)


# ------------------------------------------------------------------------------------------------ the guard


@rule
def take_step(state, player, action, room):
    """What a step leads to, and whether that decides already."""
    actions = np.full(2, -1, np.int32)
    actions[player] = action
    room[0] = state
    after = room[0]
    for_search(after)
    step(after, actions, np.zeros(1, np.uint64))
    if after.winner != 0:
        return WON if after.winner == 1 + player else LOST
    return OPEN


@rule
def is_guarded(state, player, action, scratch):
    """The assistant's guard: whether the player lives after a step and, outside, wins a race home with everybody else.
    Inside it does not mind an enemy's head beside its own."""
    after = scratch.after[0]
    fate = take_step(state, player, action, scratch.after)
    if fate != OPEN:
        return fate == WON
    n = trail_cells(after, player, scratch.cells)
    walkers = reach_of_walkers(after, scratch.cells, n)
    if after.inside[player] != 0:
        return walkers > 1
    way = home(after, player, scratch.queue, scratch.seen)
    return reach_of_enemy(after, player, scratch.cells, n) > way and walkers > way + 1


@rule
def is_sure(state, player, action, left, scratch):
    """The champion's guard: whether there is a way home after a step on which no enemy can be in time, and which the
    walkers, whose ways are known, leave free: the shortest, or the plan, of which `left` steps are in scratch.path."""
    after = scratch.after[0]
    fate = take_step(state, player, action, scratch.after)
    if fate != OPEN:
        return fate == WON
    if steps_apart(after.head[0], after.head[1], after.cols) == 1:  # as good as lost
        return False
    n = trail_cells(after, player, scratch.cells)
    enemy = reach_of_enemy(after, player, scratch.cells, n)
    rest = scratch.path[1:]
    known = 1 < left <= enemy and is_clear(after, player, rest, left - 1)
    if known and outlives(after, player, rest, left - 1, scratch.spare):
        return True
    way = sure_way(after, player, scratch.queue, scratch.came, scratch.home)
    if way >= enemy:
        return False
    if state.params.walkers == RANDOM:
        return reach_of_walkers(after, scratch.cells, n) > way + 1
    return outlives(after, player, scratch.home, way, scratch.spare)


@rule
def is_clear(state, player, steps, n):
    """Whether the enemy, who moves next, can be nowhere in time where a player walks."""
    hunted, cell = can_take_heads(state, 1 - player) & state.params.head_kill, state.head[player]
    for k in range(n):
        cell = ahead(state, cell, steps[k])
        if steps_apart(cell, state.head[1 - player], state.cols) <= n + hunted:
            return False
    return True


@rule
def outlives(state, player, steps, n, spare):
    """Whether a player who walks so lives through the walkers' moves, if the enemy stands still."""
    spare[0] = state
    after = spare[0]
    if after.plies & 1 != 0 and roam(after) >> player & 1:
        return False
    for k in range(n):
        if is_fatal(after, player, steps[k]):
            return False
        move(after, player, steps[k])
        if after.winner != 0:
            return after.winner == 1 + player
        if roam(after) >> player & 1:
            return False
    return True


@rule
def roam(state):
    """The walkers' move, where it can be foretold: whom they hit, as bits."""
    victims = 0
    if state.params.walkers == BOUNCE:
        for k in range(state.walkers):
            victims |= bounce(state, k)
    return victims


@rule
def strike(state, player):
    """A step onto the enemy's trail or head, or -1."""
    for action in range(4):
        code = state.board[ahead(state, state.head[player], action)]
        if code == TRAIL + 1 - player or (code == HEAD + 1 - player and state.params.head_kill != 0):
            return action
    return -1


@rule
def head_home(state, player, scratch):
    """The step after which home is nearest; one that the guard denies counts as half a step farther."""
    best, least = UP, NEVER * 4
    for action in range(4):
        if is_fatal(state, player, action):
            continue
        guarded = is_guarded(state, player, action, scratch)
        scratch.after[0] = state
        move(scratch.after[0], player, action)
        way = home(scratch.after[0], player, scratch.queue, scratch.seen)
        cost = 4 * min(way, NEVER // 2) + (0 if guarded else 2)
        if cost < least:
            best, least = action, cost
    return best


@rule
def stay_inside(state, player, rng, scratch):
    """A random guarded step on own territory, or -1."""
    menu, n = np.empty(4, np.int64), 0
    for action in range(4):
        code = state.board[ahead(state, state.head[player], action)]
        if code == TERRITORY + player and is_guarded(state, player, action, scratch):
            menu[n] = action
            n += 1
    return any_of(menu, n, rng) if n > 0 else -1


# ------------------------------------------------------------------------------------------------ plans


@rule
def find_plan(state, player, rng, scratch):
    """The best plan from one of the nearest border cells, in scratch.best; its steps, 0 for none and if the guard
    denies the first. The champion looks only at plans that its guard lets begin."""
    best = np.zeros(3)  # score, steps, how many have this score
    guarded = np.zeros(4, np.bool_)
    bold = scratch.limits[0].boldness > 0.0
    for action in range(4):
        if not is_fatal(state, player, action):
            guarded[action] = (
                is_sure(state, player, action, 0, scratch) if bold else is_guarded(state, player, action, scratch)
            )
    scratch.came[: state.rows * state.cols] = -1
    scratch.queue[0] = state.head[player]
    scratch.came[state.head[player]] = START
    first, last, borders = 0, 1, 0
    while first < last and borders < scratch.limits[0].borders:
        cell = scratch.queue[first]
        first += 1
        found = last
        is_border = False
        for action in range(4):
            target = ahead(state, cell, action)
            code = state.board[target]
            is_border = is_border or is_land(state, player, code)
            if code == TERRITORY + player and scratch.came[target] < 0:
                scratch.came[target] = action
                scratch.queue[found] = target
                found += 1
        last = found
        if is_border:
            borders += 1
            walk = write_way(state, cell, scratch.came, scratch.steps)
            try_rectangles(state, player, cell, walk, guarded, scratch, best, rng)
    if best[1] > 0 and not guarded[scratch.best[0]]:
        return 0
    return int(best[1])


@rule
def find_return(state, player, rng, scratch):
    """Outside: of the ways home in straight legs on which the enemy can be nowhere in time the best, in scratch.best;
    its steps, 0 for none. The first of the shortest ways often creeps along the trail and wins nothing."""
    best = np.zeros(3)
    try_rectangles(state, player, state.head[player], 0, np.ones(4, np.bool_), scratch, best, rng)
    return int(best[1])


@rule
def try_rectangles(state, player, border, walk, guarded, scratch, best, rng):
    """Every rectangle from one border cell."""
    limits = scratch.limits[0]
    for out in range(4):
        if not is_land(state, player, state.board[ahead(state, border, out)]):
            continue
        if limits.boldness > 0.0 and not guarded[scratch.steps[0] if walk > 0 else out]:
            continue
        for side in range(2):
            along = (2 - (out & 2)) + side
            length = 1
            while length <= limits.longest:
                width = 0
                while width <= limits.widest:
                    if 2 * length + width > most_steps(state, player, border, length, width, limits):
                        break
                    n = write_rectangle(scratch.steps, walk, out, along, length, width, limits.boldness > 0.0)
                    weigh(state, player, n, scratch, best, rng)
                    width += stride(width, limits)
                length += stride(length, limits)


@rule
def stride(length, limits):
    """The champion's large rectangles differ by more than a step: there are enough of them."""
    return 1 + length // FINE if limits.boldness > 0.0 else 1


@rule
def write_rectangle(steps, n, out, along, length, width, closed):
    """Out, along and back; `closed` comes back to where it began. The number of steps."""
    for side in range(4 if closed else 3):
        action = (out, along, reverse(out), reverse(along))[side]
        count = length if side % 2 == 0 else width
        steps[n : n + count] = action
        n += count
    return n


@rule
def most_steps(state, player, border, length, width, limits):
    """The assistant's bound: what enemy and walkers, coming at once, leave time for."""
    if limits.boldness > 0.0:
        return NEVER
    far = steps_apart(border, state.head[1 - player], state.cols)
    walkers = reach_of_walkers(state, np.full(1, border), 1)
    most = min(2 * (far - length - width), state.area[player] // 2 + 6)
    return max(3, min(most, 2 * (walkers - max(length, width))))


@rule
def weigh(state, player, n, scratch, best, rng):
    """Keep the plan in scratch.steps if it is better than the best so far. Of equal plans the assistant takes the
    first, the champion any."""
    score, used = score_plan(state, player, n, scratch)
    if used == 0 or score < best[0] or (score == best[0] and scratch.limits[0].boldness == 0.0):
        return
    if state.inside[player] == 0 and not is_unreachable(state, player, used, scratch):
        return
    best[2] = 1 if score > best[0] else best[2] + 1
    if score > best[0] or below(rng, np.int64(best[2])) == 0:
        best[0], best[1] = score, used
        scratch.best[:used] = scratch.steps[:used]


@rule
def is_unreachable(state, player, n, scratch):
    """Whether the enemy can be nowhere in time where the trail of a player outside is, or will be on the way home."""
    enemy = reach_of_enemy(state, player, scratch.cells, trail_cells(state, player, scratch.cells))
    return n <= enemy and is_clear(state, player, scratch.steps, n)


@rule
def score_plan(state, player, n, scratch):
    """(Own gain + enemy's loss) / steps until the plan is home again; nothing if it dies, does not come home, or is too
    long. Also how many steps it takes, 0 for nothing."""
    limits = scratch.limits[0]
    scratch.after[0] = state
    after = scratch.after[0]
    uncovered, outside = NEVER, 0
    hunted = can_take_heads(state, 1 - player) & state.params.head_kill
    for k in range(n):
        was_outside = after.inside[player] == 0
        if is_fatal(after, player, scratch.steps[k]):
            return 0.0, 0
        move(after, player, scratch.steps[k])
        if after.winner == 1 + player:
            # nobody waits to be hit; nor, as the champion knows, to be cut off or shut in
            if after.ending == HEAD_TAKEN or (limits.boldness > 0.0 and after.ending != AREA):
                return 0.0, 0
            return WIN_SCORE - (k if limits.boldness > 0.0 else 0), k + 1
        if limits.boldness > 0.0 and roam(after) >> player & 1:
            return 0.0, 0
        if after.inside[player] == 0:
            outside += 1
            uncovered = min(uncovered, steps_apart(after.head[player], after.head[1 - player], after.cols))
            if limits.boldness > 0.0 and outside + limits.walk * (k + 1 - outside) > time_for(
                limits, hunted, uncovered
            ):
                return 0.0, 0
        elif was_outside:
            cost = outside + 1 + limits.haste * (k - outside)
            if limits.boldness > 0.0 and is_catch(state, player, after):
                return CATCH_SCORE - cost, k + 1
            loss = state.area[1 - player] - after.area[1 - player]
            gain = after.area[player] - state.area[player] + limits.enemy_loss * loss
            return gain / cost + limits.distance * uncovered / (state.rows + state.cols), k + 1
    return 0.0, 0


@rule
def is_catch(state, player, after):
    """Whether a hunter's plan has shut in a walker, whose way was known."""
    hunter = can_take_heads(state, player) & state.params.head_kill
    return hunter != 0 and state.params.walkers != RANDOM and after.walkers < state.walkers


@rule
def time_for(limits, hunted, uncovered):
    """Steps that a plan may take which comes so near to the enemy; less where the enemy can take heads."""
    return limits.boldness * (uncovered - limits.berth * hunted) + limits.venture * (1 - hunted)
