"""Many trees at once, guided by priors; they stop at their leaves, hand them out in batches, and go on with answers.

A *wave* takes every tree from the answer to its last leaf to its next one: one leaf a tree, no virtual loss. Leaves
that need nobody's answer (the match is over, the point solved) are backed up at once. The search serves every kind of
game, as `uct` does: points are keyed by views, every acting player chooses at its own point by its own prior, each
simulation of a game with secrets starts from a fresh guess, and dice lead to points of their own.

A leaf is a state in which some player's point is new. Every player who has a choice there gets a row of the batch: its
view, its menu and their policy slots. The answer is a prior for each entry and a value for each player, *the viewer
first and then in the order of the seats*, as in the features.

Where nothing is hidden, no two act at once and no dice can fall, each arm is linked to the point that it leads to, and
a point keeps its position: then a simulation takes one step of the rules, however deep the tree is.

    (forest := Forest(game, trees=1024, sims=64)).plant(views, players, words)
    while len((leaves := forest.wave()).trees):
        leaves.priors[:], leaves.values[:] = …          # from leaves.views, .players, .menus, .slots and .counts
    roots = forest.roots()
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.rules import (
    HIDDEN,
    SEATS,
    SIMULTANEOUS,
    deterministic,
    determinize,
    legal,
    policy_slot,
    record,
    returns,
    step,
    to_act,
)
from ludus.search.tree import (
    CHOSEN,
    PLAYER,
    POINTS,
    SEEN,
    SIMS,
    SLOT,
    WORLD,
    Tree,
    key_of,
    open_point,
    prove,
    slot_of,
)
from ludus.search.uct import is_better

POINT = record(
    key=np.uint64, first_arm=np.int32, count=np.int32, visits=np.int32, unproven=np.int32,
    player=np.int32, row=np.int32, average=np.float32, worth=np.float32,
)  # fmt: skip
ARM = record(worth=np.float32, prior=np.float32, spread=np.float32, child=np.int32, visits=np.int32, action=np.int32)
# A point's average is what its player got so far, its worth counts once it is solved; row is where its position is kept
# if arms are linked. An arm's spread is 1 / (1 + visits), and 0 once its worth is proven; its child is a slot, or -1.

ROOT, LENGTH, FIRST, ROWS = range(4)  # of a tree that waits: the root's slot or -1, the path, and its rows of the batch
FRESH, FORCED = -1, -2  # roots that wait for their first answer, and that need none


class Trees(NamedTuple):
    """The memory of all trees, the first axis of every array."""

    roots: np.ndarray  # State[trees]: the view that is searched
    players: np.ndarray  # int64[trees]: for whom
    words: np.ndarray  # uint64[trees, 1]
    goals: np.ndarray  # int64[trees]: simulations wanted
    used: np.ndarray  # int64[trees, 3]
    waits: np.ndarray  # int64[trees, 4]
    points: np.ndarray  # POINT[trees, a power of two]
    arms: np.ndarray  # ARM[trees, …]
    states: np.ndarray  # State[trees, …]: the position of each point, where arms are linked
    paths: np.ndarray  # int64[trees, …, 3]


class Work(NamedTuple):
    """Room for what one thread does."""

    scratch: np.ndarray
    words64: np.ndarray
    menu: np.ndarray
    actions: np.ndarray
    values: np.ndarray


class Leaves(NamedTuple):
    """A batch of leaves, one row for each player who has a choice in one."""

    trees: np.ndarray  # int32[rows]
    views: np.ndarray  # State[rows]: masked
    players: np.ndarray  # int64[rows]
    points: np.ndarray  # int32[rows]: the slot that gets the prior; -1 if the tree has no room, or knows the point
    counts: np.ndarray  # int32[rows]: length of the menu
    menus: np.ndarray  # int32[rows, MAX_ACTIONS]
    slots: np.ndarray  # int32[rows, MAX_ACTIONS]: the policy slot of each
    priors: np.ndarray  # float32[rows, MAX_ACTIONS]: the answer
    values: np.ndarray  # float32[rows, SEATS]: the answer


class Roots(NamedTuple):
    """What came of the searches."""

    counts: np.ndarray  # int32[trees]; 0 where the move was forced
    best: np.ndarray  # int32[trees]: proven wins before most visits, as `uct.is_better` says
    actions: np.ndarray  # int32[trees, MAX_ACTIONS]
    slots: np.ndarray  # int32[trees, MAX_ACTIONS]
    visits: np.ndarray  # int32[trees, MAX_ACTIONS]
    priors: np.ndarray  # float32[trees, MAX_ACTIONS]
    worths: np.ndarray  # float32[trees, MAX_ACTIONS]
    values: np.ndarray  # float32[trees]: the mean return of the player who searches; exact where it is solved
    solved: np.ndarray  # bool[trees]


# ------------------------------------------------------------------------------------------------ one simulation


@template
def choose_by_prior(point, arms, c, fpu):
    """The arm with the highest bound (PUCT). One that was never tried counts as a little worse than the point."""
    weight, unseen = c * np.sqrt(np.float64(point.visits)), point.average - fpu
    best, best_bound = point.first_arm, -np.inf
    for a in range(point.first_arm, point.first_arm + point.count):
        worth = arms[a].worth if arms[a].visits > 0 else unseen
        bound = worth + weight * arms[a].prior * arms[a].spread
        if bound > best_bound:
            best, best_bound = a, bound
    return best


@template
def follow_links(tree, states, slot, c, fpu, rng):
    """Along the links from the root as far as they go, and one step on. As `descend` answers."""
    scratch, _, points, arms, _, path, _, actions, values = tree
    length, arm, last = 0, 0, slot
    while slot >= 0 and length < path.shape[0]:
        last, point = slot, points[slot]
        if point.unproven == 0:
            values[point.player], values[1 - point.player] = point.worth, 0.0 - point.worth
            return length, True
        arm = choose_by_prior(point, arms, c, fpu)
        path[length, PLAYER], path[length, SLOT], path[length, CHOSEN] = point.player, slot, arm
        length += 1
        slot = arms[arm].child
    scratch[WORLD] = states[points[last].row]
    for player in range(SEATS):
        actions[player] = -1
    actions[points[last].player] = arms[arm].action
    step(scratch[WORLD], actions, rng)
    return length, False


@template
def descend(tree, length, linked, c, fpu, rng):
    """From the world at hand down to a state in which some point is new. The length of the path, and whether it is
    known what comes of it; then the tree's values hold it."""
    scratch, words64, points, arms, _, path, menu, actions, values = tree
    state = scratch[WORLD]
    mask = to_act(state)
    while mask != 0:
        before = length
        for player in range(SEATS):
            actions[player] = -1
            if mask >> player & 1 == 0:
                continue
            count = legal(state, player, menu)
            if count == 1:
                actions[player] = menu[0]
                continue
            slot = slot_of(points, key_of(scratch, words64, player))
            if points[slot].key == 0 or length == path.shape[0]:
                return before, False
            if linked and length > 0:
                arms[path[length - 1, CHOSEN]].child = slot
            point = points[slot]
            if point.unproven == 0:
                values[player], values[1 - player] = point.worth, 0.0 - point.worth
                return length, True
            arm = choose_by_prior(point, arms, c, fpu)
            actions[player] = arms[arm].action
            path[length, PLAYER], path[length, SLOT], path[length, CHOSEN] = player, slot, arm
            length += 1
        step(state, actions, rng)
        mask = to_act(state)
    returns(state, values)
    return length, True


@template
def back_up(tree, length):
    points, arms, path, values = tree.points, tree.arms, tree.path, tree.values
    for k in range(length):
        point, arm, value = points[path[k, SLOT]], arms[path[k, CHOSEN]], values[path[k, PLAYER]]
        point.visits += 1
        point.average += (value - point.average) / point.visits
        arm.visits += 1
        if arm.spread > 0.0:
            arm.worth += (value - arm.worth) / arm.visits
            arm.spread = 1.0 / (1.0 + arm.visits)


# ------------------------------------------------------------------------------------------------ leaves


@template
def hand_out(tree, states, linked, leaves, index, first):
    """Write a row for each player who has a choice in the world at hand, opening its point if it is new; how many."""
    scratch, words64, points, arms, used, _, menu, _, _ = tree
    owners, views, players, opened, counts, menus, slots, _, _ = leaves
    mask, row = to_act(scratch[WORLD]), first
    for player in range(SEATS):
        count = legal(scratch[WORLD], player, menu) if mask >> player & 1 else 0
        if count < 2:
            continue
        key = key_of(scratch, words64, player)
        slot, place = slot_of(points, key), used[POINTS]
        is_opened = points[slot].key == 0 and open_point(points, arms, used, slot, key, count)
        if is_opened:
            name_arms(points[slot], arms, menu, player, place)
            if linked:
                states[place] = scratch[WORLD]
        owners[row], players[row], counts[row] = index, player, count
        opened[row] = slot if is_opened else -1
        views[row] = scratch[SEEN if HIDDEN else WORLD]
        for k in range(count):
            menus[row, k] = menu[k]
            slots[row, k] = policy_slot(views[row], player, menu[k])
        row += 1
    return row - first


@template
def name_arms(point, arms, menu, player, place):
    point.player, point.row, point.average, point.worth = player, place, 0.0, 0.0
    for k in range(point.count):
        arm = arms[point.first_arm + k]
        arm.action, arm.child, arm.prior = menu[k], -1, 0.0


@template
def take_back(tree, leaves, first, rows, players):
    """Give the new points their priors, and every player its value: its own judgement, else what the others think."""
    points, arms, values = tree.points, tree.arms, tree.values
    _, _, viewers, opened, _, _, _, priors, judged = leaves
    for player in range(players):
        values[player] = 0.0
        for row in range(first, first + rows):
            seat = (player - viewers[row]) % players
            if seat == 0:
                values[player] = judged[row, 0]
                break
            values[player] += judged[row, seat] / rows
    for row in range(first, first + rows):
        if opened[row] >= 0:
            point = points[opened[row]]
            point.visits, point.average = 1, values[point.player]
            for k in range(point.count):
                arms[point.first_arm + k].prior = priors[row, k]


# ------------------------------------------------------------------------------------------------ waves


@template
def simulate(tree, trees, index, linked, c, fpu, rng):
    """One walk down a tree; as `descend` answers."""
    length, is_known, root = 0, False, trees.waits[index, ROOT]
    if linked and root >= 0:
        length, is_known = follow_links(tree, trees.states[index], root, c, fpu, rng)
    else:
        tree.scratch[WORLD] = trees.roots[index]
        if HIDDEN:
            determinize(tree.scratch[WORLD], trees.players[index], rng)
    if not is_known:
        length, is_known = descend(tree, length, linked, c, fpu, rng)
    return length, is_known


@template
def settle(tree, trees, index, length):
    """Back up a simulation whose end is known; true if that solves the root."""
    back_up(tree, length)
    tree.used[SIMS] += 1
    root, values = trees.roots[index], tree.values
    certain = not HIDDEN and not SIMULTANEOUS and root.players == 2 and deterministic(root)
    if certain and values[0] == -values[1]:
        prove(tree, length)
        return length == 0 or tree.points[tree.path[0, SLOT]].unproven == 0
    return False


@template
def go_on(tree, trees, index, leaves, first, c, fpu):
    """Take a tree to its next leaf, whose rows begin at `first`; how many they are, 0 when the tree is done."""
    waits = trees.waits[index]
    linked = not HIDDEN and not SIMULTANEOUS and deterministic(trees.roots[index])
    while tree.used[SIMS] < trees.goals[index] or waits[ROOT] == FRESH:
        length, is_known = simulate(tree, trees, index, linked, c, fpu, trees.words[index])
        if not is_known:
            rows = hand_out(tree, trees.states[index], linked, leaves, index, first)
            waits[LENGTH], waits[FIRST], waits[ROWS] = length, first, rows
            return rows
        if settle(tree, trees, index, length):
            trees.goals[index] = tree.used[SIMS]
    return 0


@template
def absorb(tree, trees, index, leaves):
    """Take the answer to a tree's last leaf."""
    waits = trees.waits[index]
    take_back(tree, leaves, waits[FIRST], waits[ROWS], trees.roots[index].players)
    back_up(tree, waits[LENGTH])
    waits[ROWS] = 0
    if waits[ROOT] == FRESH:  # the root itself, which is no simulation
        tree.scratch[WORLD] = trees.roots[index]
        waits[ROOT] = slot_of(tree.points, key_of(tree.scratch, tree.words64, trees.players[index]))
    else:
        tree.used[SIMS] += 1


@template
def tree_at(trees, index, work):
    scratch, words64, menu, actions, values = work
    return Tree(
        scratch, words64, trees.points[index], trees.arms[index], trees.used[index], trees.paths[index],
        menu, actions, values,
    )  # fmt: skip


@template
def wave(trees, work, leaves, low, high, rows_a_tree, c, fpu):
    """Take the trees low … high-1 to their next leaves; the number of rows, which begin at low * rows_a_tree."""
    for index in range(low, high):  # all answers first: new rows are written over old ones
        if trees.waits[index, ROWS] > 0:
            absorb(tree_at(trees, index, work), trees, index, leaves)
    first = row = low * rows_a_tree
    for index in range(low, high):
        if trees.used[index, SIMS] < trees.goals[index] or trees.waits[index, ROOT] == FRESH:
            row += go_on(tree_at(trees, index, work), trees, index, leaves, row, c, fpu)
    return row - first


@template
def plant(trees, work, which, views, players, words, sims):
    """New roots for some of the trees. A forced move needs no search."""
    for k in range(which.shape[0]):
        index = which[k]
        trees.roots[index], trees.players[index], trees.words[index, 0] = views[k], players[k], words[k, 0]
        trees.used[index, :] = 0
        trees.waits[index, :] = 0
        for slot in range(trees.points.shape[1]):
            trees.points[index, slot].key = 0
        forced = legal(views[k], players[k], work.menu) < 2
        trees.waits[index, ROOT] = FORCED if forced else FRESH
        trees.goals[index] = 0 if forced else sims[k]


@template
def read_roots(trees, out):
    for index in range(trees.roots.shape[0]):
        out.counts[index] = 0
        if trees.waits[index, ROOT] >= 0:
            point, player = trees.points[index, trees.waits[index, ROOT]], trees.players[index]
            out.counts[index] = point.count
            out.solved[index] = point.unproven == 0
            out.values[index] = point.worth if point.unproven == 0 else point.average
            for k in range(point.count):
                arm = trees.arms[index, point.first_arm + k]
                if is_better(arm, trees.arms[index, point.first_arm + out.best[index]]):
                    out.best[index] = k
                out.actions[index, k], out.visits[index, k] = arm.action, arm.visits
                out.priors[index, k], out.worths[index, k] = arm.prior, arm.worth
                out.slots[index, k] = policy_slot(trees.roots[index], player, arm.action)


# ------------------------------------------------------------------------------------------------ from Python

ARMS_A_POINT = 40  # room for so many on average; a tree whose tables are full stops growing, and is searched on


class Forest:
    """So many trees of one game, each with room for so many simulations."""

    def __init__(self, game: Game, trees: int, sims: int, c: float = 1.5, fpu: float = 0.25, arms: int = ARMS_A_POINT):
        facts, kind = game.facts, game.state_type
        seats, longest = facts.players[1], facts.max_actions
        self.game, self.sims, self.c, self.fpu = game, sims, c, fpu
        self.rows_a_tree = seats if facts.simultaneous else 1
        openings = (sims + 2) * self.rows_a_tree
        points = 1 << (4 * openings // 3).bit_length()
        kept = 1 if facts.hidden or facts.simultaneous else points
        self.trees = Trees(
            np.zeros(trees, kind), np.zeros(trees, np.int64), np.zeros((trees, 1), np.uint64),
            np.zeros(trees, np.int64), np.zeros((trees, 3), np.int64), np.full((trees, 4), FORCED, np.int64),
            np.zeros((trees, points), POINT),
            np.empty((trees, openings * min(arms, longest)), ARM), np.empty((trees, kept), kind),
            np.empty((trees, min(facts.max_plies, sims + 1) * seats, 3), np.int64),
        )  # fmt: skip
        self.trees.waits[:, ROWS] = 0
        self.leaves = _make_leaves(game, trees * self.rows_a_tree)

    def plant(self, views, players, words, which=None, sims=None) -> None:
        """New roots: masked states, who searches, and a stream each; for all trees or those named. `sims`: how many
        simulations each gets, at most what there is room for; 0 asks for the priors and the value of the root alone."""
        which = np.arange(len(self.trees.roots)) if which is None else np.asarray(which)
        sims = np.full(len(which), self.sims) if sims is None else np.minimum(sims, self.sims)
        self.game.kernel(plant)(self.trees, self._work(), which, views, players, words, sims)

    def wave(self, low: int = 0, high: int | None = None) -> Leaves:
        """The next leaves of all trees, or of a range of them (one thread may work on each range); empty when all are
        done. Fill in their `priors` and `values` before the next wave of these trees."""
        high = len(self.trees.roots) if high is None else high
        first, run = low * self.rows_a_tree, self.game.kernel(wave)
        count = run(self.trees, self._work(), self.leaves, low, high, self.rows_a_tree, self.c, self.fpu)
        return Leaves(*(column[first : first + count] for column in self.leaves))

    def roots(self) -> Roots:
        count = len(self.trees.roots)
        rows = (count, self.game.facts.max_actions)
        out = Roots(
            np.zeros(count, np.int32), np.zeros(count, np.int32), np.zeros(rows, np.int32), np.zeros(rows, np.int32),
            np.zeros(rows, np.int32), np.zeros(rows, np.float32), np.zeros(rows, np.float32),
            np.zeros(count, np.float32), np.zeros(count, np.bool_),
        )  # fmt: skip
        self.game.kernel(read_roots)(self.trees, out)
        return out

    def _work(self) -> Work:
        scratch, seats = np.zeros(2, self.game.state_type), self.game.facts.players[1]
        menu, actions = np.empty(self.game.facts.max_actions, np.int32), np.empty(seats, np.int32)
        return Work(scratch, scratch.view(np.uint64).reshape(2, -1), menu, actions, np.zeros(seats))


def _make_leaves(game: Game, rows: int) -> Leaves:
    longest, seats = game.facts.max_actions, game.facts.players[1]
    return Leaves(
        np.empty(rows, np.int32), np.empty(rows, game.state_type), np.empty(rows, np.int64), np.empty(rows, np.int32),
        np.empty(rows, np.int32), np.empty((rows, longest), np.int32), np.empty((rows, longest), np.int32),
        np.zeros((rows, longest), np.float32), np.zeros((rows, seats), np.float32),
    )  # fmt: skip
