"""From the answer to a tree's last leaf to its next one; new roots, and roots that keep what hangs on them."""

from __future__ import annotations

import numpy as np

from ludus.compile import inlined, template
from ludus.rules import HIDDEN, SIMULTANEOUS, deterministic, determinize, legal
from ludus.search.borrowed import borrow
from ludus.search.forest.leaves import hand_out, is_remembered, mix_in_play, remember, take_back
from ludus.search.forest.memory import (
    FORCED,
    FRESH,
    GUMBEL,
    NONE,
    PLAYOUTS,
    SIMULATIONS,
    STEP_ARM,
    STEP_POINT,
    child_of,
    is_proven,
)
from ludus.search.forest.roots import prepare_root
from ludus.search.forest.walk import back_up, descend, follow_links, key_of, place_of, prove


@inlined
def is_linked(trees, index):
    """Whether arms are linked to points: nothing is hidden, no two act at once, and no dice can fall."""
    return not HIDDEN and not SIMULTANEOUS and deterministic(trees.roots[index])


@inlined
def settle(trees, index, work, length):
    """Back up a simulation whose end is known; the search is over if that solves the root."""
    head, values = trees.heads[index], work.values
    back_up(trees, index, values, length)
    head.sims += 1
    work.tally[SIMULATIONS] += 1
    root = trees.roots[index]
    certain = not HIDDEN and not SIMULTANEOUS and root.players == 2 and deterministic(root)
    if certain and values[0] == -values[1]:
        prove(trees, index, values, length)
        if length == 0 or trees.points[index, trees.paths[index, 0, STEP_POINT]].unproven == 0:
            head.goal = head.sims


@inlined
def absorb(trees, index, work, leaves):
    """Take the answer to a tree's last leaf."""
    head = trees.heads[index]
    first, rows = head.first_row, head.rows
    take_back(trees, index, work, leaves, first, rows)
    head.rows = 0
    if SIMULTANEOUS and head.resumes == 1:
        return
    if not SIMULTANEOUS:
        remember(trees, index, work, leaves, first)
    if trees.knobs[PLAYOUTS] > 0.0 and head.root != FRESH:
        mix_in_play(trees, index, work)
    back_up(trees, index, work.values, head.length)
    if head.root == FRESH:  # the root itself, which is no simulation
        for row in range(first, first + rows):
            if leaves.players[row] == head.player:
                head.root = leaves.points[row]
        prepare_root(trees, index, work)
    else:
        head.sims += 1
        work.tally[SIMULATIONS] += 1


@inlined
def go_on(trees, index, work, leaves, first):
    """Take a tree to its next leaf, whose rows begin at `first`; how many they are, 0 when the tree is done."""
    head, linked = trees.heads[index], is_linked(trees, index)
    while head.sims < head.goal or head.root == FRESH:
        row, length, is_known = head.points if linked else 0, 0, False
        if linked and head.root >= 0:
            length, is_known = follow_links(trees, index, work)
        elif SIMULTANEOUS and head.resumes == 1:
            length, head.resumes = head.length, 0
        else:
            trees.states[index, row] = trees.roots[index]
            if HIDDEN and head.knows == 0:
                determinize(trees.states[index, row], head.player, trees.words[index])
        player, count, key = 0, 0, np.uint64(0)
        if not is_known:
            length, is_known, player, count, key = descend(trees, index, row, work, length, linked)
        if is_known:
            settle(trees, index, work, length)
            continue
        head.rows = hand_out(trees, index, row, work, leaves, first, player, count, key)
        head.first_row, head.length, head.leaf = first, length, row
        if linked and length > 0 and leaves.points[first] >= 0:
            trees.arms[index, trees.paths[index, length - 1, STEP_ARM]].child = leaves.points[first]
        if SIMULTANEOUS or not is_remembered(trees, index, work, leaves, first):
            return head.rows
        absorb(trees, index, work, leaves)
    return 0


@inlined
def wave_on(trees, work, leaves, low, high, rows_a_tree):
    """Take the trees low … high-1 to their next leaves; the number of rows, which begin at low * rows_a_tree."""
    for index in range(low, high):  # all answers first: new rows are written over old ones
        if trees.heads[index].rows > 0:
            absorb(trees, index, work, leaves)
    first = row = low * rows_a_tree
    for index in range(low, high):
        head = trees.heads[index]
        if head.sims < head.goal or head.root == FRESH:
            row += go_on(trees, index, work, leaves, row)
    return row - first


@template
def wave(trees, work, leaves, low, high, rows_a_tree):
    return wave_on(borrow(trees), borrow(work), borrow(leaves), low, high, rows_a_tree)


# ------------------------------------------------------------------------------------------------ roots


@inlined
def set_root(trees, index, work, view, player, sims, quiet, knows):
    """Who searches what. A forced move needs no search."""
    head = trees.heads[index]
    trees.roots[index] = view
    forced = legal(view, player, work.menu) < 2
    head.root, head.player, head.considered = FORCED if forced else FRESH, player, 0
    head.sims, head.goal, head.rows, head.quiet = 0, 0 if forced else sims, 0, quiet
    head.knows, head.resumes = knows, 0


@inlined
def clear(trees, index):
    """Forget everything."""
    trees.heads[index].points = trees.heads[index].arms = 0
    for place in range(trees.table.shape[1]):
        trees.table[index, place] = 0


@inlined
def plant_one(trees, index, work, view, player, sims, quiet, knows, keep):
    """A new root. Where the tree knows it and may keep it, what hangs on it stays; else it begins anew."""
    set_root(trees, index, work, view, player, sims, quiet, knows)
    if not keep or not is_kept(trees, index, work, player, sims):
        clear(trees, index)


@inlined
def is_kept(trees, index, work, player, sims):
    """Whether the tree knows its new root; then that is all that is left. Not where arms are not linked, and not where
    the root halves, which counts visits from none."""
    head = trees.heads[index]
    slot = -1
    if is_linked(trees, index) and trees.knobs[GUMBEL] == 0.0 and head.root == FRESH and head.points > 0:
        row = trees.states.shape[1] - 1
        trees.states[index, row] = trees.roots[index]
        slot = trees.table[index, place_of(trees, index, key_of(trees, index, row, work, player))] - 1
    if slot < 0 or trees.points[index, slot].visits == 0:
        return False
    mark_reachable(trees, index, work, slot)
    close_ranks(trees, index, work)
    head.root = work.moved[0, slot]
    head.goal = 0 if trees.points[index, head.root].unproven == 0 else sims
    prepare_root(trees, index, work)
    return True


@inlined
def mark_reachable(trees, index, work, root):
    """`work.moved[0]` becomes 0 for each point that hangs on the root, and -1 for the others."""
    moved, waiting = work.moved[0], work.moved[1]
    moved[: trees.heads[index].points] = -1
    moved[root], waiting[0], count = 0, root, 1
    while count > 0:
        count -= 1
        point = trees.points[index, waiting[count]]
        for a in range(point.first_arm, point.first_arm + point.count):
            child = child_of(trees.arms[index, a])
            if child >= 0 and moved[child] < 0:
                moved[child], waiting[count] = 0, child
                count += 1


@inlined
def close_ranks(trees, index, work):
    """Move what is marked to the front. Points and arms lie in the order in which they were made, so nothing is written
    over what is still to be moved."""
    head, moved = trees.heads[index], work.moved[0]
    before, points, arms = head.points, 0, 0
    for slot in range(before):
        if moved[slot] >= 0:
            moved[slot] = points
            points += 1
    clear(trees, index)
    for slot in range(before):
        if moved[slot] >= 0:
            arms = move_point(trees, index, slot, moved, arms)
    head.points, head.arms = points, arms


@inlined
def move_point(trees, index, slot, moved, first_arm):
    """A point and its arms to their new places; the next free arm."""
    to = moved[slot]
    trees.points[index, to] = trees.points[index, slot]
    trees.states[index, to] = trees.states[index, slot]
    point = trees.points[index, to]
    for k in range(point.count):
        trees.arms[index, first_arm + k] = trees.arms[index, point.first_arm + k]
        trees.actions[index, first_arm + k] = trees.actions[index, point.first_arm + k]
        arm = trees.arms[index, first_arm + k]
        child = child_of(arm)
        if child >= 0:
            arm.child = 2 * NONE - 1 - moved[child] if is_proven(arm) else moved[child]
    point.first_arm = first_arm
    trees.table[index, place_of(trees, index, point.key)] = to + 1
    return first_arm + point.count


@template
def plant(trees, work, which, views, players, words, sims, quiet, knows, keep):
    """New roots for some of the trees."""
    trees, work = borrow(trees), borrow(work)
    for k in range(which.shape[0]):
        index = which[k]
        trees.words[index, 0] = words[k, 0]
        plant_one(trees, index, work, views[k], players[k], sims[k], np.int64(quiet[k]), np.int64(knows), keep)
