"""Monte Carlo tree search by upper confidence bounds, simulation after simulation, for every kind of game.

- Simultaneous moves: every acting player chooses at its own point, by its own bound (decoupled UCT). How often each
  action was tried then tells how often it should be played.
- Hidden information: each simulation starts from a fresh guess of what is hidden; rivals choose at points keyed by what
  *they* would know in that world, so nobody in the tree plays by knowledge it lacks (multiple-observer ISMCTS).
- Chance: dice are part of what a view shows, so each outcome leads to a point of its own.
- Open games: with two players and no dice an arm that leads to the end is *proven*, and so is one that leads to a
  solved point: no average of roll-outs can talk the search into a lost move.
"""

from __future__ import annotations

import numpy as np

from ludus.compile import template
from ludus.kernels import any_place
from ludus.rng import below, uniform
from ludus.rules import (
    HIDDEN,
    MAX_ACTIONS,
    SEATS,
    SIMULTANEOUS,
    deterministic,
    determinize,
    legal,
    returns,
    step,
    to_act,
)
from ludus.search.rollout import roll_out
from ludus.search.tree import CHOSEN, PLAYER, SIMS, SLOT, WORLD, clear, key_of, open_point, prove, slot_of


@template
def choose_arm(point, arms, c, rng):
    """An untried arm while there is one, else the highest upper confidence bound."""
    first, count = point.first_arm, point.count
    if point.visits < count:
        skip = below(rng, count - point.visits)
        for k in range(count):
            if arms[first + k].visits == 0:
                if skip == 0:
                    return k
                skip -= 1
    weight = c * np.sqrt(np.log(point.visits))
    best, best_bound = 0, -np.inf
    for k in range(count):
        bound = arms[first + k].worth + weight * arms[first + k].spread
        if bound > best_bound:
            best, best_bound = k, bound
    return best


@template
def descend(tree, c, rng):
    """Walk down the tree until somebody tries something new. The number of choices on the path, and whether it is known
    what comes of them: the match is over, or the point is solved; then the tree's values hold it."""
    scratch, words64, points, arms, used, path, menu, actions, values = tree
    state = scratch[WORLD]
    length, is_new = 0, False
    mask = to_act(state)
    while mask != 0 and not is_new and length + SEATS <= path.shape[0]:
        for player in range(SEATS):
            actions[player] = -1
            if mask >> player & 1 == 0:
                continue
            count = legal(state, player, menu)
            if count == 1:
                actions[player] = menu[0]
                continue
            key = key_of(scratch, words64, player)
            slot = slot_of(points, key)
            if points[slot].key == 0 and not open_point(points, arms, used, slot, key, count):
                actions[player] = menu[any_place(count, rng)]
                is_new = True
                continue
            point = points[slot]
            if point.unproven == 0:
                values[player], values[1 - player] = point.worth, 0.0 - point.worth
                return length, True
            arm = choose_arm(point, arms, c, rng)
            is_new = is_new or arms[point.first_arm + arm].visits == 0
            actions[player] = menu[arm]
            path[length, PLAYER], path[length, SLOT], path[length, CHOSEN] = player, slot, point.first_arm + arm
            length += 1
        step(state, actions, rng)
        mask = to_act(state)
    if mask == 0:
        returns(state, values)
    return length, mask == 0


@template
def back_up(points, arms, path, length, values):
    for k in range(length):
        points[path[k, SLOT]].visits += 1
        arm = arms[path[k, CHOSEN]]
        arm.visits += 1
        if arm.spread > 0.0:
            arm.worth += (values[path[k, PLAYER]] - arm.worth) / arm.visits
            arm.spread = 1.0 / np.sqrt(arm.visits)


@template
def grow(tree, views, index, player, rng, sims, c, horizon, evaluation):
    """Add `sims` simulations to the tree of one view; true if its root is solved and no more are needed."""
    scratch, _, points, arms, used, path, menu, actions, values = tree
    certain = not HIDDEN and not SIMULTANEOUS and views[index].players == 2 and deterministic(views[index])
    for _ in range(sims):
        scratch[WORLD] = views[index]
        if HIDDEN:
            determinize(scratch[WORLD], player, rng)
        length, is_known = descend(tree, c, rng)
        if not is_known:
            roll_out(scratch[WORLD], horizon, evaluation, rng, menu, actions, values)
        back_up(points, arms, path, length, values)
        used[SIMS] += 1
        if certain and is_known and values[0] == -values[1]:
            prove(tree, length)
            if length == 0 or points[path[0, SLOT]].unproven == 0:
                return True
    return False


# ------------------------------------------------------------------------------------------------ answers


@template
def is_better(arm, other):
    """Proven wins first and proven losses last; then most visits, then the higher worth."""
    proven, others = arm.worth if arm.spread == 0.0 else 0.0, other.worth if other.spread == 0.0 else 0.0
    if proven != others:
        return proven > others
    return arm.visits > other.visits or (arm.visits == other.visits and arm.worth > other.worth)


@template
def draw_arm(arms, first, count, best, mix, rng):
    """An arm by its visits, less a share of the most that any has: those who were only explored are not played."""
    least = 1.0 + mix * arms[first + best].visits
    total = 0.0
    for k in range(first, first + count):
        total += max(arms[k].visits - least, 0.0)
    left = total * uniform(rng)
    for k in range(first, first + count):
        left -= max(arms[k].visits - least, 0.0)
        if left < 0.0:
            return k - first
    return best


@template
def decide(tree, views, index, player, rng, mix):
    """The first arm of the root, and which one to play: the best, or one by chance where others choose at once."""
    tree.scratch[WORLD] = views[index]
    root = tree.points[slot_of(tree.points, key_of(tree.scratch, tree.words64, player))]
    first, count, best = root.first_arm, root.count, 0
    for k in range(1, count):
        if is_better(tree.arms[first + k], tree.arms[first + best]):
            best = k
    if SIMULTANEOUS and mix < 1.0 and to_act(views[index]) != 1 << player:
        best = draw_arm(tree.arms, first, count, best, mix, rng)
    return first, best


@template
def search_all(tree, views, players, words, sims, c, mix, horizon, evaluation, out):
    """The best action for every view; forced moves cost nothing."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    for i in range(views.shape[0]):
        count = legal(views[i], players[i], menu)
        best = 0
        if count > 1:
            clear(tree)
            grow(tree, views, i, players[i], words[i], sims, c, horizon, evaluation)
            best = decide(tree, views, i, players[i], words[i], mix)[1]
        out[i] = menu[best]
