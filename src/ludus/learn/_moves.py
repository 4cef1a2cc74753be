"""What happens between two searches of a match in self-play, compiled: moves are chosen, positions are noted, the match
goes on or another begins. `_pipeline` runs it.

A match owns one tree, or one for each seat where players act at once. Its positions wait in its history until it is
over, turned by a symmetry that is drawn for each; of a match longer than the history a random choice of them stays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import inlined, template
from ludus.learn._atomics import DONE, OUT, STOP, atomic_add, atomic_load, take, wait_a_little
from ludus.learn._selfplay import recall
from ludus.rng import below, uniform
from ludus.rules import (
    MAX_PLIES,
    SEATS,
    SIMULTANEOUS,
    SYMMETRIES,
    hide,
    legal,
    observe,
    policy_slot,
    record,
    reflect,
    reflect_action,
    returns,
    setup,
    step,
    to_act,
)
from ludus.search.borrowed import borrow
from ludus.search.forest.memory import FORCED, FRESH
from ludus.search.forest.roots import SMALLEST, aim, best_arm, mixes
from ludus.search.forest.waves import absorb, go_on, plant_one

MATCH = record(
    ply=np.int32, noted=np.int32, searched=np.int32, blind=np.int32, fast=np.int32, plays_on=np.int32,
    quitter=np.int32, begun=np.int32, hopeless=np.int64,
)  # fmt: skip
# noted and searched: positions in the history, and in the match; blind: plies at random; fast: a mask of the players
# whose search is a fast one; quitter: 1 + who gave up first, or would have; begun: 0 before the first match;
# hopeless: 8 bits for each player, how many searches running expected to lose

FINISHED, PLIES, RESIGNED, CHECKED, WRONG, DROPPED = range(4, 10)  # of a tally
SIMS, FAST_SIMS, FAST_SHARE, TEMPERATURE, HALF_LIFE, OPENINGS, SCATTERED, RESIGN, PLAY_ON, KEEP = range(10)
HINDSIGHT, SETTINGS = 10, 11
COLDEST = 0.2  # below this temperature the best action is played


class Matches(NamedTuple):
    """All matches, and what they leave."""

    heads: np.ndarray  # MATCH[matches]
    truths: np.ndarray  # State[matches]
    words: np.ndarray  # uint64[matches, 1]: of chance, and of all draws outside the trees
    blank: np.ndarray  # State[1]: how a match begins, before `setup`
    settings: np.ndarray  # float64[SETTINGS]
    features: np.ndarray  # int8[matches, history, …]
    slots: np.ndarray  # int16[matches, history, …]
    targets: np.ndarray  # float32[matches, history, …]
    seen: np.ndarray  # float32[matches, history, 3]: the viewer, what its search expected, whether it was a full one
    out_features: np.ndarray  # int8[…, …]: of matches that are over; rows beyond control[OUT] are free
    out_slots: np.ndarray
    out_targets: np.ndarray
    out_values: np.ndarray  # float32[…, SEATS]
    out_worths: np.ndarray  # float32[…, SEATS]
    out_weights: np.ndarray  # float32[…]


# ------------------------------------------------------------------------------------------------ positions


@inlined
def note(trees, index, work, matches, match, player, worth):
    """Write the position that a tree was planted on into the history, and what its search expects; `work.shares` holds
    its targets."""
    head, rng = matches.heads[match], matches.words[match]
    root, width = trees.points[index, trees.heads[index].root], matches.slots.shape[2]
    row, head.searched = head.noted, head.searched + 1
    if row == matches.slots.shape[1]:
        row = below(rng, head.searched)
        if row >= head.noted:
            return
    else:
        head.noted += 1
    symmetry, view = below(rng, SYMMETRIES), trees.roots[index]
    hide(view, player)
    if mixes(trees):
        leave_prior_out(trees, index, root, work.shares)
    for k in range(root.count):
        work.menu[k] = reflect_action(view, symmetry, trees.actions[index, root.first_arm + k])
    reflect(view, symmetry)  # the tree is done with it
    observe(view, player, work.features)
    for k in range(matches.features.shape[2]):
        bounded = min(max(work.features[k], np.float32(-1.0)), np.float32(1.0))
        matches.features[match, row, k] = np.int8(np.rint(bounded * np.float32(127.0)))
    least = least_kept(work.shares, root.count, width)
    n, total = 0, np.float32(0.0)
    for k in range(root.count):
        if work.shares[k] > least and n < width:
            matches.slots[match, row, n] = policy_slot(view, player, work.menu[k])
            matches.targets[match, row, n] = work.shares[k]
            total += work.shares[k]
            n += 1
    for k in range(width):
        if k < n:
            matches.targets[match, row, k] /= total
        else:
            matches.slots[match, row, k], matches.targets[match, row, k] = -1, 0.0
    matches.seen[match, row, 0], matches.seen[match, row, 1] = player, worth
    matches.seen[match, row, 2] = 1.0 - (head.fast >> player & 1)


@inlined
def leave_prior_out(trees, index, root, shares):
    """Where players mix, a lesson is what the search adds to the prior, whatever that will be by then."""
    for k in range(root.count):
        shares[k] /= max(trees.arms[index, root.first_arm + k].prior, np.float32(SMALLEST))


@inlined
def least_kept(shares, count, width):
    """Only shares above this are noted: all that are not 0, or about the `width` greatest."""
    least, step = np.float32(0.0), np.float32(1.0)
    if count > width:
        for _ in range(20):
            step *= np.float32(0.5)
            above = 0
            for k in range(count):
                above += shares[k] > least + step
            if above >= width:
                least += step
    return least


@inlined
def hand_in(matches, match, work, control):
    """The positions of a match that is over, with what each viewer got; `work.values` holds what everybody did."""
    head, players = matches.heads[match], matches.truths[match].players
    count = head.noted
    first = atomic_add(control, OUT, count)
    if first + count > matches.out_slots.shape[0]:
        atomic_add(control, OUT, -count)
        work.tally[DROPPED] += 1
        return
    hopes, share = work.values.copy(), 1.0 - matches.settings[HINDSIGHT]
    for k in range(count - 1, -1, -1):
        row, viewer = first + k, np.int64(matches.seen[match, k, 0])
        for j in range(matches.features.shape[2]):
            matches.out_features[row, j] = matches.features[match, k, j]
        for j in range(matches.slots.shape[2]):
            matches.out_slots[row, j], matches.out_targets[row, j] = (
                matches.slots[match, k, j],
                matches.targets[match, k, j],
            )
        for seat in range(players):
            matches.out_values[row, seat] = work.values[(viewer + seat) % players]
        recall(hopes, viewer, matches.seen[match, k, 1], share, players, matches.out_worths[row])
        matches.out_weights[row] = matches.seen[match, k, 2]


# ------------------------------------------------------------------------------------------------ moves


@inlined
def begin(matches, match):
    head, rng, settings = matches.heads[match], matches.words[match], matches.settings
    matches.truths[match] = matches.blank[0]
    setup(matches.truths[match], rng)
    head.ply = head.noted = head.searched = head.fast = head.quitter = 0
    head.hopeless = 0
    head.plays_on = uniform(rng) < settings[PLAY_ON]
    head.blind = below(rng, 1 + np.int64(settings[OPENINGS])) if uniform(rng) < settings[SCATTERED] else 0
    head.begun = 1


@inlined
def plant_all(trees, work, matches, match):
    """Everybody who owes an action begins to search, unless the ply is one at random."""
    head, rng, settings = matches.heads[match], matches.words[match], matches.settings
    mask = to_act(matches.truths[match])
    head.fast = 0
    for player in range(matches.truths[match].players):
        index = match * SEATS + player if SIMULTANEOUS else match
        if mask >> player & 1 == 0:
            if SIMULTANEOUS:
                trees.heads[index].root, trees.heads[index].goal, trees.heads[index].sims = FORCED, 0, 0
            continue
        if head.ply < head.blind:
            trees.heads[index].root, trees.heads[index].goal, trees.heads[index].sims = FORCED, 0, 0
            continue
        fast = uniform(rng) < settings[FAST_SHARE]
        head.fast |= np.int32(fast) << player
        sims = np.int64(settings[FAST_SIMS] if fast else settings[SIMS])
        work.scratch[0] = matches.truths[match]
        knows = np.int64(mixes(trees))
        if knows == 0:
            hide(work.scratch[0], player)
        plant_one(trees, index, work, work.scratch[0], player, sims, np.int64(fast), knows, settings[KEEP] > 0.0)


@inlined
def choose_place(trees, index, work, matches, match):
    """Which entry of the root's menu is played: drawn by the targets at first, later the best. Where the root halves,
    its luck is all there is of chance. And what the root is worth."""
    point, settings = trees.points[index, trees.heads[index].root], matches.settings
    worth = aim(trees, index, point, work.shares)
    heat = settings[TEMPERATURE]
    if settings[HALF_LIFE] > 0.0:
        heat *= 0.5 ** (matches.heads[match].ply / settings[HALF_LIFE])
    if heat < COLDEST or trees.heads[index].considered > 0:
        return best_arm(trees, index, point), worth
    total = 0.0
    for k in range(point.count):
        total += work.shares[k] ** (1.0 / heat)
    left = total * uniform(matches.words[match])
    for k in range(point.count):
        left -= work.shares[k] ** (1.0 / heat)
        if left < 0.0 and work.shares[k] > 0.0:
            return k, worth
    return best_arm(trees, index, point), worth


@inlined
def watch_hope(matches, match, player, worth):
    """Who has expected to lose in two searches running would give up."""
    head = matches.heads[match]
    running = head.hopeless >> 8 * player & 255
    running = running + 1 if worth < -matches.settings[RESIGN] else 0
    head.hopeless &= ~(np.int64(255) << 8 * player)
    head.hopeless |= min(running, 255) << 8 * player
    if running >= 2 and head.quitter == 0:
        head.quitter = 1 + player


@inlined
def move(trees, work, matches, match):
    """All searches of a match are done: everybody plays, and the match takes a step."""
    head, truth, rng = matches.heads[match], matches.truths[match], matches.words[match]
    mask = to_act(truth)
    for player in range(SEATS):
        work.actions[player] = -1
    for player in range(truth.players):
        if mask >> player & 1 == 0:
            continue
        index = match * SEATS + player if SIMULTANEOUS else match
        if trees.heads[index].root < 0:
            count = legal(truth, player, work.menu)
            work.actions[player] = work.menu[below(rng, count) if count > 1 else 0]
            continue
        root = trees.points[index, trees.heads[index].root]
        chosen, worth = choose_place(trees, index, work, matches, match)
        action = trees.actions[index, root.first_arm + chosen]
        if matches.settings[RESIGN] > 0.0 and truth.players == 2:
            watch_hope(matches, match, player, worth)
        note(trees, index, work, matches, match, player, worth)
        work.actions[player] = action
    step(truth, work.actions, rng)
    head.ply += 1


@inlined
def is_over(work, matches, match):
    """Whether a match has ended, or somebody gave up; then `work.values` holds what everybody gets."""
    head, truth = matches.heads[match], matches.truths[match]
    ended = to_act(truth) == 0
    if ended:
        returns(truth, work.values)
        if head.quitter > 0 and head.plays_on == 1:
            work.tally[CHECKED] += 1
            work.tally[WRONG] += work.values[head.quitter - 1] > -1.0
        return True
    if head.quitter > 0 and head.plays_on == 0:
        for player in range(truth.players):
            work.values[player] = -1.0 if player == head.quitter - 1 else 1.0
        work.tally[RESIGNED] += 1
        return True
    if head.ply >= MAX_PLIES:
        for player in range(truth.players):
            work.values[player] = 0.0
        return True
    return False


# ------------------------------------------------------------------------------------------------ turns


@inlined
def search_on(trees, work, leaves, match, searchers, rows_a_tree):
    """Take the searches of a match to their next leaves; how many rows they have."""
    rows = 0
    for index in range(match * searchers, (match + 1) * searchers):
        head = trees.heads[index]
        if head.rows > 0:
            absorb(trees, index, work, leaves)
        if head.sims < head.goal or head.root == FRESH:
            rows += go_on(trees, index, work, leaves, index * rows_a_tree)
    return rows


@inlined
def turn(trees, work, leaves, matches, control, match, searchers, rows_a_tree):
    """Take one match to the next leaves of its searches, by as many moves as that takes."""
    head = matches.heads[match]
    is_planted = head.begun == 1
    while True:
        if head.begun == 0:
            begin(matches, match)
        if not is_planted:
            plant_all(trees, work, matches, match)
        if search_on(trees, work, leaves, match, searchers, rows_a_tree) > 0:
            return
        move(trees, work, matches, match)
        is_planted = False
        if is_over(work, matches, match):
            hand_in(matches, match, work, control)
            work.tally[FINISHED] += 1
            work.tally[PLIES] += head.ply
            head.begun = 0


@template
def serve(worker, size, groups, chunk, spins, rows_a_tree, control, trees, work, leaves, matches):
    """The life of one worker: it takes chunks of the group at work until none is left."""
    trees, work, leaves, matches = borrow(trees), borrow(work), borrow(leaves), borrow(matches)
    searchers, waited = trees.heads.shape[0] // matches.heads.shape[0], 0
    while atomic_load(control, STOP) == 0:
        job, place, count = take(control, worker, size, chunk)
        if count == 0:
            waited = wait_a_little(waited, spins)
            continue
        waited, first = 0, (job - 1) % groups * size + place
        for match in range(first, first + count):
            turn(trees, work, leaves, matches, control, match, searchers, rows_a_tree)
        atomic_add(control, DONE, count)
