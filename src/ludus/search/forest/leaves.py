"""Leaves: what is handed out, what comes back, and what is remembered of it."""

from __future__ import annotations

import numpy as np

from ludus.compile import inlined
from ludus.rules import HIDDEN, MAX_PLIES, SEATS, SIMULTANEOUS, legal, observe, policy_slot, returns, to_act
from ludus.search.forest.memory import EVALUATIONS, FRESH, FULL, HITS, PLAYOUTS
from ludus.search.forest.walk import key_of, open_point, place_of
from ludus.search.rollout import play_at_random

ALL, THE_OTHERS = range(2)

# ------------------------------------------------------------------------------------------------ out


@inlined
def show(view, player, work, leaves, row, count):
    """Write the view and the policy slots of its menu, which is at hand, into a row of the batch."""
    if leaves.views.shape[0] > 0:
        leaves.views[row] = view
    length = leaves.features.shape[1]
    if length > 0:
        observe(view, player, work.features)
        for k in range(length):
            bounded = min(max(work.features[k], np.float32(-1.0)), np.float32(1.0))
            leaves.features[row, k] = np.int8(np.rint(bounded * np.float32(127.0)))
    width = leaves.slots.shape[1]
    for k in range(min(count, width)):
        leaves.slots[row, k] = policy_slot(view, player, work.menu[k])
    for k in range(count, min(leaves.counts[row], width)):  # of the leaf that was here before
        leaves.slots[row, k] = -1
    leaves.players[row], leaves.counts[row] = player, count


@inlined
def hand_out_one(trees, index, state, work, leaves, row, player, count, key):
    """A row for the player whose menu is at hand, and whose view is in the scratch if something is hidden."""
    place = place_of(trees, index, key)
    slot = -1
    if trees.table[index, place] == 0:
        slot = open_point(trees, index, work, place, key, player, count)
        work.tally[FULL] += slot < 0
    show(work.scratch[0] if HIDDEN else trees.states[index, state], player, work, leaves, row, count)
    leaves.trees[row], leaves.points[row] = index, slot
    work.tally[EVALUATIONS] += 1


@inlined
def hand_out(trees, index, state, work, leaves, first, player, count, key):
    """A row for each player who is asked in this state; how many."""
    head = trees.heads[index]
    if not SIMULTANEOUS:
        hand_out_one(trees, index, state, work, leaves, first, player, count, key)
        return 1
    mask, row, asked = to_act(trees.states[index, state]), first, who_is_asked(trees, index, state, work, key)
    head.resumes = asked == THE_OTHERS
    for seat in range(SEATS):
        if mask >> seat & 1:
            entries = legal(trees.states[index, state], seat, work.menu)
            if entries > 1:
                name = key_of(trees, index, state, work, seat)
                if asked == THE_OTHERS and is_open(trees, index, name):
                    continue
                hand_out_one(trees, index, state, work, leaves, row, seat, entries, name)
                if leaves.points[row] < 0:
                    head.resumes = 0
                row += 1
    return row - first


@inlined
def is_open(trees, index, key):
    return trees.table[index, place_of(trees, index, key)] != 0


@inlined
def who_is_asked(trees, index, state, work, key):
    """Where players act at once, all are asked when the point of who searches is new. The others are asked when it is
    known and somebody has to choose; then the simulation goes on. If it ended there, then in a game of many secrets,
    where each guess of a world makes their points new, nothing would ever be tried. (To ask who searches alone at
    first played worse.) All are asked as well where who searches has no choice, and where the
    path is too long, so that the point of this key is known."""
    head, position = trees.heads[index], trees.states[index, state]
    if (
        head.root == FRESH
        or is_open(trees, index, key)
        or to_act(position) >> head.player & 1 == 0
        or legal(position, head.player, work.menu) < 2
    ):
        return ALL
    return THE_OTHERS if is_open(trees, index, key_of(trees, index, state, work, head.player)) else ALL


# ------------------------------------------------------------------------------------------------ back


@inlined
def take_back(trees, index, work, leaves, first, rows):
    """Give the new points their priors, and every player its value: its own judgement, else what the others think. An
    action beyond the width of the batch gets the least prior of the others."""
    players, width = trees.roots[index].players, leaves.priors.shape[1]
    for player in range(players):
        total = 0.0
        for row in range(first, first + rows):
            seat = (player - leaves.players[row]) % players
            if seat == 0:
                total = np.float64(leaves.values[row, 0])
                break
            total += leaves.values[row, seat] / rows
        work.values[player] = total
    for row in range(first, first + rows):
        slot = leaves.points[row]
        if slot >= 0:
            point, least = trees.points[index, slot], np.float32(1.0)
            point.visits, point.worth = 1, work.values[point.player]
            for k in range(point.count):
                prior = leaves.priors[row, k] if k < width else least
                least = min(least, prior)
                trees.arms[index, point.first_arm + k].prior = prior


@inlined
def mix_in_play(trees, index, work):
    """Mix what the network thinks of a leaf with the result of one random play-out from it."""
    share = trees.knobs[PLAYOUTS]
    work.scratch[0] = trees.states[index, trees.heads[index].leaf]
    play_at_random(work.scratch[0], MAX_PLIES, trees.words[index], work.menu, work.actions)
    returns(work.scratch[0], work.rolled)
    for player in range(trees.roots[index].players):
        work.values[player] += share * (work.rolled[player] - work.values[player])


# ------------------------------------------------------------------------------------------------ what is remembered


@inlined
def remember(trees, index, work, leaves, row):
    """Keep the answer to a leaf for the next tree that comes to the same point."""
    if work.keys.shape[0] > 0 and leaves.points[row] >= 0:
        key = trees.points[index, leaves.points[row]].key
        place = np.int64(key >> np.uint64(8)) & (work.keys.shape[0] - 1)
        work.keys[place] = key
        for k in range(min(leaves.counts[row], leaves.priors.shape[1])):
            work.priors[place, k] = leaves.priors[row, k]
        for seat in range(SEATS):
            work.judged[place, seat] = leaves.values[row, seat]


@inlined
def is_remembered(trees, index, work, leaves, row):
    """Whether the answer to a leaf is known; then it is in place."""
    if work.keys.shape[0] == 0 or leaves.points[row] < 0:
        return False
    key = trees.points[index, leaves.points[row]].key
    place = np.int64(key >> np.uint64(8)) & (work.keys.shape[0] - 1)
    if work.keys[place] != key:
        return False
    for k in range(min(leaves.counts[row], leaves.priors.shape[1])):
        leaves.priors[row, k] = work.priors[place, k]
    for seat in range(SEATS):
        leaves.values[row, seat] = work.judged[place, seat]
    work.tally[EVALUATIONS] -= 1
    work.tally[HITS] += 1
    return True
