"""One simulation: down the tree, by priors and by what was found so far, and up again."""

from __future__ import annotations

import numpy as np

from ludus.compile import inlined
from ludus.rng import blend
from ludus.rules import HIDDEN, SEATS, hide, legal, returns, step, to_act
from ludus.search.forest.memory import FPU, NONE, PLAYOUTS, STEP_ARM, STEP_POINT, C, child_of, is_proven, mark_proven
from ludus.search.forest.roots import choose_by_halving, choose_by_luck, choose_by_share, mixes

DOUBT = 0.8
"""How much is left in doubt by play-outs, where nothing else counts."""

# ------------------------------------------------------------------------------------------------ points


@inlined
def key_of(trees, index, row, work, player):
    """The key of the player's decision point in one of the tree's states. Where something is hidden, the player's view
    is then in the scratch."""
    key = blend(np.uint64(player + 1), np.uint64(0x9E3779B97F4A7C15))
    if HIDDEN:
        work.scratch[0] = trees.states[index, row]
        hide(work.scratch[0], player)
        for k in range(work.bits.shape[1]):
            key = blend(key, work.bits[0, k])
    else:
        for k in range(trees.bits.shape[2]):
            key = blend(key, trees.bits[index, row, k])
    return key


@inlined
def place_of(trees, index, key):
    """Where the table names the point, or the empty place where it belongs."""
    table, points = trees.table, trees.points
    mask = table.shape[1] - 1
    place = np.int64(key >> np.uint64(1)) & mask
    while table[index, place] != 0 and points[index, table[index, place] - 1].key != key:
        place = (place + 1) & mask
    return place


@inlined
def open_point(trees, index, work, place, key, player, count):
    """Make a point with the menu at hand, and name it at this place of the table; -1 if the tree is full."""
    head = trees.heads[index]
    slot, first = head.points, head.arms
    if slot == trees.points.shape[1] or first + count > trees.arms.shape[1]:
        return -1
    point = trees.points[index, slot]
    point.key, point.first_arm, point.player = key, first, player
    point.count = point.unproven = count
    for k in range(count):
        arm = trees.arms[index, first + k]
        arm.worth, arm.prior, arm.visits, arm.child = 0.0, 0.0, 0, NONE
        trees.actions[index, first + k] = work.menu[k]
    head.points, head.arms = slot + 1, first + count
    trees.table[index, place] = slot + 1
    return slot


# ------------------------------------------------------------------------------------------------ down


@inlined
def choose_by_prior(trees, index, point):
    """The arm with the highest bound (PUCT). One that was never tried counts as a little worse than the point; one
    that is proven for what it is. Where play-outs count, a few that went badly say little: what they leave in doubt
    counts as in `uct`, else an arm without a prior would never be tried again."""
    weight = np.float32(trees.knobs[C]) * np.sqrt(np.float32(point.visits))
    unseen = point.worth - np.float32(trees.knobs[FPU])
    doubt = np.float32(DOUBT * trees.knobs[PLAYOUTS]) * np.sqrt(np.log(np.float32(point.visits)))
    best, best_bound = point.first_arm, np.float32(-np.inf)
    for a in range(point.first_arm, point.first_arm + point.count):
        arm = trees.arms[index, a]
        bound = arm.worth if arm.visits > 0 else unseen
        if not is_proven(arm):
            bound += weight * arm.prior / np.float32(1 + arm.visits)
            bound += doubt / np.sqrt(np.float32(1 + arm.visits)) if doubt > 0.0 else np.float32(0.0)
        if bound > best_bound:
            best, best_bound = a, bound
    return best


@inlined
def choose(trees, index, slot, length):
    """The arm to take, at the root perhaps by halving; where players mix, each as its prior says. Noted in the path."""
    arm, is_root = -1, slot == trees.heads[index].root
    if mixes(trees):
        arm = choose_by_share(trees, index) if is_root else choose_by_luck(trees, index, trees.points[index, slot])
    elif is_root and trees.heads[index].considered > 0:
        arm = choose_by_halving(trees, index)
    if arm < 0:
        arm = choose_by_prior(trees, index, trees.points[index, slot])
    trees.paths[index, length, STEP_POINT], trees.paths[index, length, STEP_ARM] = slot, arm
    return arm


@inlined
def tell(values, point):
    """What each of two players gets of a solved point."""
    values[point.player], values[1 - point.player] = point.worth, 0.0 - point.worth


@inlined
def follow_links(trees, index, work):
    """Along the links from the root as far as they go, and one step on, into the room for one more state. The length
    of the path, and whether it is known what comes of it; then `work.values` holds it."""
    heads, points, arms, states = trees.heads, trees.points, trees.arms, trees.states
    slot, length = heads[index].root, 0
    while True:
        point = points[index, slot]
        if point.unproven == 0:
            tell(work.values, point)
            return length, True
        arm = choose(trees, index, slot, length)
        length += 1
        child = child_of(arms[index, arm])
        if child < 0 or length == trees.paths.shape[1]:
            break
        slot = child
    row = heads[index].points
    states[index, row] = states[index, slot]
    for player in range(SEATS):
        work.actions[player] = -1
    work.actions[points[index, slot].player] = trees.actions[index, arm]
    step(states[index, row], work.actions, trees.words[index])
    return length, False


@inlined
def descend(trees, index, row, work, length, linked):
    """From the state at hand down to one in which some player's point is new. The length of the path and whether it is
    known what comes of it; else the player, the length of its menu, which is at hand, and the key of its point."""
    state, paths = trees.states[index, row], trees.paths
    mask = to_act(state)
    while mask != 0:
        before = length
        for player in range(SEATS):
            work.actions[player] = -1
            if mask >> player & 1 == 0:
                continue
            count = legal(state, player, work.menu)
            if count == 1:
                work.actions[player] = work.menu[0]
                continue
            key = key_of(trees, index, row, work, player)
            slot = trees.table[index, place_of(trees, index, key)] - 1
            if slot < 0 or length == paths.shape[1]:
                return before, False, player, count, key
            if linked and length > 0:
                last = trees.arms[index, paths[index, length - 1, STEP_ARM]]
                last.child = slot if last.child == NONE else last.child
            point = trees.points[index, slot]
            if point.unproven == 0:
                tell(work.values, point)
                return length, True, 0, 0, key
            work.actions[player] = trees.actions[index, choose(trees, index, slot, length)]
            length += 1
        step(state, work.actions, trees.words[index])
        mask = to_act(state)
    returns(state, work.values)
    return length, True, 0, 0, np.uint64(0)


# ------------------------------------------------------------------------------------------------ up


@inlined
def back_up(trees, index, values, length):
    points, arms, paths = trees.points, trees.arms, trees.paths
    for k in range(length):
        point, arm = points[index, paths[index, k, STEP_POINT]], arms[index, paths[index, k, STEP_ARM]]
        value = np.float32(values[point.player])
        point.visits += 1
        arm.visits += 1
        if point.unproven > 0:
            point.worth += (value - point.worth) / np.float32(point.visits)
        if not is_proven(arm):
            arm.worth += (value - arm.worth) / np.float32(arm.visits)


@inlined
def prove(trees, index, values, length):
    """What comes of the path is certain: so is its last arm, and perhaps the point above it, and so on up.
    MCTS-Solver, for two players whose returns are opposite."""
    points, arms, paths = trees.points, trees.arms, trees.paths
    for k in range(length - 1, -1, -1):
        point, arm = points[index, paths[index, k, STEP_POINT]], arms[index, paths[index, k, STEP_ARM]]
        if not is_proven(arm):
            arm.worth = values[point.player]
            mark_proven(arm)
            point.unproven = 0 if arm.worth >= 1.0 else point.unproven - 1
        if point.unproven > 0:
            return
        point.worth = -1.0
        for a in range(point.first_arm, point.first_arm + point.count):
            if is_proven(arms[index, a]):
                point.worth = max(point.worth, arms[index, a].worth)
        tell(values, point)
