"""Compiled code judges the leaves of a search with a network that has no board: each as soon as the search comes to it.

Such a network is so small that handing leaves out in batches would cost more than judging them. What is 0 is skipped:
most features are, and half of what comes out of a layer. So a core judges half a million positions a second.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import inlined, template
from ludus.game import Game
from ludus.nets.spec import NetSpec, Weights
from ludus.rules import observe, rule
from ludus.search.borrowed import borrow
from ludus.search.forest import Forest, Leaves
from ludus.search.forest.waves import wave_on

WAVES = 32
"""Before somebody may look at the clock."""


class Layers(NamedTuple):
    """The arrays of a network as they are read here, a row for each input; and room for one position."""

    stem: np.ndarray  # float32[features, channels]
    stem_bias: np.ndarray
    trunk: np.ndarray  # float32[2 * blocks, channels, channels]
    trunk_bias: np.ndarray
    summary: np.ndarray  # float32[channels, hidden]
    summary_bias: np.ndarray
    slots: np.ndarray  # float32[slots, hidden]: a row for each output
    slots_bias: np.ndarray
    worths: np.ndarray  # float32[seats, hidden], likewise
    worths_bias: np.ndarray
    features: np.ndarray  # float32[…]
    wide: np.ndarray  # float32[3, channels]: the stream, and what each layer of a block makes of it
    thin: np.ndarray  # float32[hidden]
    places: np.ndarray  # int64[…]: which inputs of a layer are not 0
    amounts: np.ndarray  # float32[…]: and what they are


@rule(fastmath=True)
def add_rows(x, weights, places, amounts, out):
    """Add x @ weights to what is there, four rows at a time: so each number of `out` is read and written once for all
    of them."""
    n = 0
    for i in range(weights.shape[0]):
        places[n], amounts[n] = i, x[i]
        n += x[i] != np.float32(0.0)
    places[n : n + 4], amounts[n : n + 4] = 0, 0.0
    for k in range(0, n, 4):
        a, b, c, d = amounts[k], amounts[k + 1], amounts[k + 2], amounts[k + 3]
        first, second, third, fourth = places[k], places[k + 1], places[k + 2], places[k + 3]
        p, q, r, s = weights[first], weights[second], weights[third], weights[fourth]
        for j in range(out.shape[0]):
            out[j] += (a * p[j] + b * q[j]) + (c * r[j] + d * s[j])


@rule(fastmath=True)
def product(x, y):
    total = np.float32(0.0)
    for j in range(x.shape[0]):
        total += x[j] * y[j]
    return total


@inlined
def cut(x):
    """relu, in place."""
    for j in range(x.shape[0]):
        x[j] = max(x[j], np.float32(0.0))


@inlined
def fill(target, source):
    for j in range(target.shape[0]):
        target[j] = source[j]


@inlined
def summarise(net):
    """From the features at hand to the summary."""
    x, y, z = net.wide[0], net.wide[1], net.wide[2]
    fill(x, net.stem_bias)
    add_rows(net.features, net.stem, net.places, net.amounts, x)
    cut(x)
    for block in range(net.trunk.shape[0] // 2):
        fill(y, net.trunk_bias[2 * block])
        add_rows(x, net.trunk[2 * block], net.places, net.amounts, y)
        cut(y)
        fill(z, net.trunk_bias[2 * block + 1])
        add_rows(y, net.trunk[2 * block + 1], net.places, net.amounts, z)
        for j in range(x.shape[0]):
            x[j] = max(x[j] + z[j], np.float32(0.0))
    fill(net.thin, net.summary_bias)
    add_rows(x, net.summary, net.places, net.amounts, net.thin)
    cut(net.thin)


@inlined
def judge(net, view, player, leaves, row):
    """Fill in one row: priors by softmax over its menu, and the values."""
    observe(view, player, net.features)
    summarise(net)
    count, most, total = leaves.counts[row], np.float32(-np.inf), np.float32(0.0)
    for k in range(count):
        slot = leaves.slots[row, k]
        leaves.priors[row, k] = net.slots_bias[slot] + product(net.thin, net.slots[slot])
        most = max(most, leaves.priors[row, k])
    for k in range(count):
        leaves.priors[row, k] = np.exp(leaves.priors[row, k] - most)
        total += leaves.priors[row, k]
    for k in range(count):
        leaves.priors[row, k] /= total
    for seat in range(net.worths_bias.shape[0]):
        leaves.values[row, seat] = np.tanh(net.worths_bias[seat] + product(net.thin, net.worths[seat]))


@template
def judge_all(net, leaves):
    net, leaves = borrow(net), borrow(leaves)
    for row in range(leaves.counts.shape[0]):
        judge(net, leaves.views[row], leaves.players[row], leaves, row)


@template
def search(trees, work, leaves, net, rows_a_tree, waves, most):
    """So many waves of all trees, every leaf judged at once; how many there were, which is 0 when all are done."""
    trees, work, leaves, net = borrow(trees), borrow(work), borrow(leaves), borrow(net)
    judged = 0
    for _ in range(waves):
        rows = wave_on(trees, work, leaves, 0, trees.heads.shape[0], rows_a_tree)
        for row in range(rows):
            judge(net, leaves.views[row], leaves.players[row], leaves, row)
        judged += rows
        if rows == 0 or judged >= most:
            break
    return judged


class CompiledEvaluator:
    """A network without a board that judges on one thread of this processor."""

    def __init__(self, game: Game, spec: NetSpec, weights: Weights):
        self.game, self.spec = game, spec
        self._arrays = [np.ascontiguousarray(array, np.float32) for array in _by_input(weights)]

    def evaluate(self, leaves: Leaves) -> None:
        self.game.kernel(judge_all)(self._layers(), leaves)

    def search(self, forest: Forest, most: int = 1 << 60) -> int:
        work = (forest.trees, forest.work, forest.leaves)
        return self.game.kernel(search)(*work, self._layers(), forest.rows_a_tree, WAVES, most)

    def _layers(self) -> Layers:
        """With room that no other thread uses."""
        spec = self.spec
        longest = max(spec.features, spec.channels) + 4
        shapes = (self.game.features.length,), (3, spec.channels), (spec.hidden,)
        rooms = [np.zeros(shape, np.float32) for shape in shapes]
        lists = [np.zeros(longest, kind) for kind in (np.int64, np.float32)]
        return Layers._make([*self._arrays, *rooms, *lists])


def _by_input(weights: Weights) -> list[np.ndarray]:
    """The arrays of `Layers`. The only cell is its own mean and its own greatest."""
    return [
        weights["stem.extra"].T, weights["stem.bias"], weights["trunk.taps"][:, 0].transpose(0, 2, 1),
        weights["trunk.bias"], (weights["summary.mean"] + weights["summary.most"]).T, weights["summary.bias"],
        weights["extra.weight"], weights["extra.bias"], weights["value.weight"], weights["value.bias"],
    ]  # fmt: skip
