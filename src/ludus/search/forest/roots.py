"""What is particular about a root: noise, choosing by halving, and what the search says in the end.

*Halving* (Danihelka et al., "Policy improvement by planning with Gumbel", 2022) is for few simulations: the root draws
some actions without replacement by its prior, tries all equally often, drops the worse half, and so on. An action that
was not tried is worth what the root is, so that the policy which the search asks for is never worse than its prior.

*Mixing* is for secrets and for players who act at once, where any fixed choice can be answered. Everybody in the tree
draws by its prior, so that nobody answers what it could not know; the root tries its actions by prior as well, and asks
for its prior times e to the power of what each action is worth: a step towards the better ones. In self-play such
steps, each a little back to an even policy as well, come to rest where nobody gains by changing (magnetic mirror
descent; Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and two-player
zero-sum games", 2023).
"""

from __future__ import annotations

import numpy as np

from ludus.compile import inlined, template
from ludus.rng import uniform
from ludus.rules import HIDDEN, SIMULTANEOUS, policy_slot
from ludus.search.forest.memory import ALPHA, GUMBEL, MIX, NOISE, is_proven

VISITS_BEFORE, SMALLEST = 50.0, 1e-9
"""How many visits an action's worth counts for before any is made, as published; and the least prior that has a log."""
ALPHA_OVER_MENU = 10.0
PREFERRED = 8
"""Visits of the best arm from which on a single visit of another was curiosity, not preference."""
CURIOUS, DOUBTED = 0.25, 2.0
"""Where players mix: the share of the root's simulations that go to all actions alike; and the visits for which an
action's worth counts as the root's."""

# ------------------------------------------------------------------------------------------------ noise


@inlined
def normal(rng):
    return np.sqrt(-2.0 * np.log(1.0 - uniform(rng))) * np.cos(2.0 * np.pi * uniform(rng))


@inlined
def gamma(rng, shape):
    """A gamma variate (Marsaglia and Tsang)."""
    boost = 1.0
    if shape < 1.0:
        boost = (1.0 - uniform(rng)) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    while True:
        x = normal(rng)
        v = (1.0 + x / np.sqrt(9.0 * d)) ** 3
        if v > 0.0 and np.log(1.0 - uniform(rng)) < 0.5 * x * x + d - d * v + d * np.log(v):
            return d * v * boost


@inlined
def prepare_root(trees, index, work):
    """Once a root has its priors: draw the luck of halving, or mix noise into them (Dirichlet)."""
    head, rng = trees.heads[index], trees.words[index]
    root = trees.points[index, head.root]
    first, count = root.first_arm, root.count
    head.judged, head.considered = root.worth, min(np.int64(trees.knobs[GUMBEL]), count)
    if head.considered > 0:
        for k in range(count):
            gumbel = -np.log(-np.log(1.0 - uniform(rng) * (1.0 - SMALLEST) - SMALLEST * 0.5))
            trees.luck[index, k] = gumbel + np.log(max(trees.arms[index, first + k].prior, SMALLEST))
        return
    noise = np.float32(trees.knobs[NOISE])
    if noise > 0.0 and head.quiet == 0 and not mixes(trees):
        alpha, total = trees.knobs[ALPHA], 0.0
        for k in range(count):
            work.shares[k] = gamma(rng, alpha if alpha > 0.0 else ALPHA_OVER_MENU / count)
            total += work.shares[k]
        for k in range(count):
            share = work.shares[k] / total if total > 0.0 else 1.0 / count
            arm = trees.arms[index, first + k]
            arm.prior += noise * (np.float32(share) - arm.prior)


# ------------------------------------------------------------------------------------------------ halving


@inlined
def visits_before(considered, goal, sims):
    """How often the action was tried that simulation number `sims` tries next: all that are still considered get
    equally many, and each time about as many simulations are spent before half of them are dropped."""
    if considered == 1:
        return sims
    rounds, n = 0, considered - 1
    while n > 0:
        rounds, n = rounds + 1, n >> 1
    left, visits = considered, 0
    while True:
        each = max(1, goal // (rounds * left))
        if sims < each * left:
            return visits + sims // left
        sims -= each * left
        visits += each
        left = max(2, left // 2)


@inlined
def greatest_visits(trees, index, point):
    most = 0
    for a in range(point.first_arm, point.first_arm + point.count):
        most = max(most, trees.arms[index, a].visits)
    return most


@inlined
def importance(worth, most):
    """What a worth adds to a logit."""
    return (VISITS_BEFORE + most) * 0.5 * (1.0 + worth)


@inlined
def choose_by_halving(trees, index):
    """Of the arms of the root with as many visits as are due, the one with the best luck and worth; -1 if none is."""
    head = trees.heads[index]
    point = trees.points[index, head.root]
    due, most = visits_before(head.considered, head.goal, head.sims), greatest_visits(trees, index, point)
    best, best_score = -1, -np.inf
    for k in range(point.count):
        arm = trees.arms[index, point.first_arm + k]
        if arm.visits == due:
            score = trees.luck[index, k] + (importance(arm.worth, most) if due > 0 else 0.0)
            if score > best_score:
                best, best_score = point.first_arm + k, score
    return best


# ------------------------------------------------------------------------------------------------ mixing


@inlined
def mixes(trees):
    return (HIDDEN or SIMULTANEOUS) and trees.knobs[MIX] > 0.0


@inlined
def choose_by_luck(trees, index, point):
    """An arm, drawn by the priors."""
    left = np.float32(uniform(trees.words[index]))
    for a in range(point.first_arm, point.first_arm + point.count):
        left -= trees.arms[index, a].prior
        if left < 0.0:
            return a
    return point.first_arm


@inlined
def choose_by_share(trees, index):
    """The arm of the root that lacks most of its share of the simulations so far."""
    head = trees.heads[index]
    point = trees.points[index, head.root]
    evenly, best, most = CURIOUS / point.count, point.first_arm, -np.inf
    for a in range(point.first_arm, point.first_arm + point.count):
        arm = trees.arms[index, a]
        lack = ((1.0 - CURIOUS) * arm.prior + evenly) * (head.sims + 1) - arm.visits
        if lack > most:
            best, most = a, lack
    return best


@inlined
def mixture(trees, index, point, out):
    """The policy that a root which mixes asks for, entry by entry of its menu; what that policy is worth."""
    step, first, highest, total = trees.knobs[MIX], point.first_arm, -np.inf, 0.0
    for k in range(point.count):
        arm = trees.arms[index, first + k]
        worth = (arm.visits * arm.worth + DOUBTED * point.worth) / (arm.visits + DOUBTED)
        out[k] = np.log(max(arm.prior, SMALLEST)) + step * worth
        highest = max(highest, out[k])
    for k in range(point.count):
        out[k] = np.exp(out[k] - highest)
        total += out[k]
    expected = 0.0
    for k in range(point.count):
        arm = trees.arms[index, first + k]
        out[k] /= total
        expected += out[k] * (arm.visits * arm.worth + DOUBTED * point.worth) / (arm.visits + DOUBTED)
    return expected


# ------------------------------------------------------------------------------------------------ answers


@inlined
def is_better(arm, other):
    """Proven wins first and proven losses last; then most visits, then the higher worth."""
    proven, others = arm.worth if is_proven(arm) else 0.0, other.worth if is_proven(other) else 0.0
    if proven != others:
        return proven > others
    return arm.visits > other.visits or (arm.visits == other.visits and arm.worth > other.worth)


@inlined
def best_arm(trees, index, point):
    """Which arm of a root to play, as a place in its menu. Where it halves: of the most visited, the one with the best
    luck and worth."""
    head, best = trees.heads[index], 0
    halves = head.considered > 0 and point.unproven > 0
    most = greatest_visits(trees, index, point)
    for k in range(1, point.count):
        arm, other = trees.arms[index, point.first_arm + k], trees.arms[index, point.first_arm + best]
        if halves and arm.visits == other.visits == most and is_proven(arm) == is_proven(other):
            score = trees.luck[index, k] + importance(arm.worth, most)
            best = k if score > trees.luck[index, best] + importance(other.worth, most) else best
        elif is_better(arm, other):
            best = k
    return best


@inlined
def value_of_untried(trees, index, point):
    """The root as judged, mixed with what was found at the arms that were tried, each by its prior."""
    visits, priors, total = 0, 0.0, 0.0
    for a in range(point.first_arm, point.first_arm + point.count):
        arm = trees.arms[index, a]
        if arm.visits > 0:
            visits += arm.visits
            priors += arm.prior
            total += arm.prior * arm.worth
    judged = np.float64(trees.heads[index].judged)
    return (judged + (visits * total / priors if priors > 0.0 else 0.0)) / (1.0 + (visits if priors > 0.0 else 0.0))


@inlined
def aim(trees, index, point, out):
    """What the policy should be at the root, entry by entry of its menu: the best alone where that is proven, the
    priors where nothing was tried, the share of visits, those apart that only had a look; or, where the root halves,
    its priors improved by all worths, an untried action counting as the root does. Returns what the root is worth."""
    first, count = point.first_arm, point.count
    halves, most = trees.heads[index].considered > 0, greatest_visits(trees, index, point)
    if point.unproven == 0:
        out[:count] = 0.0
        out[best_arm(trees, index, point)] = 1.0
        return np.float64(point.worth)
    if mixes(trees) and most > 0:
        return mixture(trees, index, point, out)
    untried, highest, total = value_of_untried(trees, index, point), -np.inf, 0.0
    for k in range(count):
        arm = trees.arms[index, first + k]
        out[k] = arm.visits if most > 0 else arm.prior
        if most >= PREFERRED and arm.visits == 1:
            out[k] = 0.0
        if halves and most > 0:
            worth = np.float64(arm.worth) if arm.visits > 0 else untried
            out[k] = np.log(max(arm.prior, SMALLEST)) + importance(worth, most)
            highest = max(highest, out[k])
    for k in range(count):
        out[k] = np.exp(out[k] - highest) if halves and most > 0 else out[k]
        total += out[k]
    for k in range(count):
        out[k] = out[k] / total if total > 0.0 else 1.0 / count
    return np.float64(point.worth)


@template
def read_roots(trees, out):
    for index in range(trees.heads.shape[0]):
        head = trees.heads[index]
        if head.root < 0:
            continue
        point = trees.points[index, head.root]
        out.counts[index], out.best[index] = point.count, best_arm(trees, index, point)
        out.solved[index] = point.unproven == 0
        out.values[index] = aim(trees, index, point, out.targets[index])
        if mixes(trees):
            out.best[index] = np.argmax(out.targets[index, : point.count])
        for k in range(point.count):
            arm, action = trees.arms[index, point.first_arm + k], trees.actions[index, point.first_arm + k]
            out.actions[index, k], out.visits[index, k] = action, arm.visits
            out.priors[index, k], out.worths[index, k] = arm.prior, arm.worth
            out.slots[index, k] = policy_slot(trees.roots[index], head.player, action)
