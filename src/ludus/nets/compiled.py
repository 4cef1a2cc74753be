"""Compiled code judges the leaves of a search with a network that has no board: each as soon as the search comes to it.

Such a network is so small that handing leaves out in batches would cost more than judging them. What is 0 is skipped:
most features are, and half of what comes out of a layer. Two positions go together, so that weights are read once for
both. So a core judges half a million positions a second.
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
    """The arrays of a network as they are read here, a row for each input; and room for two positions."""

    stem: np.ndarray  # float32[features, channels]
    stem_bias: np.ndarray
    trunk: np.ndarray  # float32[2 * blocks, channels, channels]
    trunk_bias: np.ndarray
    summary: np.ndarray  # float32[hidden, channels]: a row for each output; hidden is filled up to fours
    summary_bias: np.ndarray
    slots: np.ndarray  # float32[slots, hidden], likewise
    slots_bias: np.ndarray
    worths: np.ndarray  # float32[seats, hidden], likewise
    worths_bias: np.ndarray
    features: np.ndarray  # float32[2, …]
    wide: np.ndarray  # float32[3, 2, channels]: the stream, and what each layer of a block makes of it
    thin: np.ndarray  # float32[2, hidden]
    places: np.ndarray  # int64[…]: which inputs of a layer are not 0
    amounts: np.ndarray  # float32[2, …]: and what they are


@rule(fastmath=True)
def add_rows(both, weights, places, amounts, out):
    """Add x @ weights to what is there, for both x; four rows at a time: so each number of `out` is read and written
    once for all of them."""
    n, x, y, first, second = 0, both[0], both[1], amounts[0], amounts[1]
    for i in range(weights.shape[0]):
        places[n], first[n], second[n] = i, x[i], y[i]
        n += (x[i] != np.float32(0.0)) | (y[i] != np.float32(0.0))
    places[n : n + 4], first[n : n + 4], second[n : n + 4] = 0, 0.0, 0.0
    left, right = out[0], out[1]
    for k in range(0, n, 4):
        a, b, c, d = first[k], first[k + 1], first[k + 2], first[k + 3]
        e, f, g, h = second[k], second[k + 1], second[k + 2], second[k + 3]
        p, q, r, s = weights[places[k]], weights[places[k + 1]], weights[places[k + 2]], weights[places[k + 3]]
        for j in range(left.shape[0]):
            left[j] += (a * p[j] + b * q[j]) + (c * r[j] + d * s[j])
            right[j] += (e * p[j] + f * q[j]) + (g * r[j] + h * s[j])


@rule(fastmath=True)
def product(x, y):
    total = np.float32(0.0)
    for j in range(x.shape[0]):
        total += x[j] * y[j]
    return total


@rule(fastmath=True)
def summarise(both, weights, bias, thin):
    """relu(bias + weights @ x) for both x, four outputs at a time."""
    zero, x, y = np.float32(0.0), both[0], both[1]
    for k in range(0, weights.shape[0], 4):
        p, q, r, s = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        a = b = c = d = e = f = g = h = zero
        for j in range(x.shape[0]):
            a, b, c, d = a + x[j] * p[j], b + x[j] * q[j], c + x[j] * r[j], d + x[j] * s[j]
            e, f, g, h = e + y[j] * p[j], f + y[j] * q[j], g + y[j] * r[j], h + y[j] * s[j]
        thin[0, k], thin[0, k + 1], thin[0, k + 2], thin[0, k + 3] = a, b, c, d
        thin[1, k], thin[1, k + 1], thin[1, k + 2], thin[1, k + 3] = e, f, g, h
    for lane in range(2):
        for k in range(weights.shape[0]):
            thin[lane, k] = max(thin[lane, k] + bias[k], zero)


@inlined
def begin(target, bias):
    """Both sums begin with the bias."""
    for lane in range(2):
        for j in range(bias.shape[0]):
            target[lane, j] = bias[j]


@inlined
def cut(both):
    """relu, in place."""
    for lane in range(2):
        for j in range(both.shape[1]):
            both[lane, j] = max(both[lane, j], np.float32(0.0))


@inlined
def think(net):
    """From the features at hand to the summaries."""
    x, y, z = net.wide[0], net.wide[1], net.wide[2]
    begin(x, net.stem_bias)
    add_rows(net.features, net.stem, net.places, net.amounts, x)
    cut(x)
    for block in range(net.trunk.shape[0] // 2):
        begin(y, net.trunk_bias[2 * block])
        add_rows(x, net.trunk[2 * block], net.places, net.amounts, y)
        cut(y)
        begin(z, net.trunk_bias[2 * block + 1])
        add_rows(y, net.trunk[2 * block + 1], net.places, net.amounts, z)
        for lane in range(2):
            for j in range(x.shape[1]):
                x[lane, j] = max(x[lane, j] + z[lane, j], np.float32(0.0))
    summarise(x, net.summary, net.summary_bias, net.thin)


@inlined
def answer(net, leaves, row, lane):
    """Fill in one row from a summary: priors by softmax over its menu, and the values."""
    thin, count, most, total = net.thin[lane], leaves.counts[row], np.float32(-np.inf), np.float32(0.0)
    for k in range(count):
        slot = leaves.slots[row, k]
        leaves.priors[row, k] = net.slots_bias[slot] + product(thin, net.slots[slot])
        most = max(most, leaves.priors[row, k])
    for k in range(count):
        leaves.priors[row, k] = np.exp(leaves.priors[row, k] - most)
        total += leaves.priors[row, k]
    for k in range(count):
        leaves.priors[row, k] /= total
    for seat in range(net.worths_bias.shape[0]):
        leaves.values[row, seat] = np.tanh(net.worths_bias[seat] + product(thin, net.worths[seat]))


@inlined
def see(view, player, out):
    """Features as the network learnt them: what lies outside [-1, 1] is cut off."""
    observe(view, player, out)
    for k in range(out.shape[0]):
        out[k] = min(max(out[k], np.float32(-1.0)), np.float32(1.0))


@inlined
def judge(net, leaves, rows):
    """The first so many rows, two at a time; one that is left over goes with itself."""
    for row in range(0, rows, 2):
        last = min(row + 1, rows - 1)
        see(leaves.views[row], leaves.players[row], net.features[0])
        see(leaves.views[last], leaves.players[last], net.features[1])
        think(net)
        answer(net, leaves, row, 0)
        if last > row:
            answer(net, leaves, last, 1)


@template
def judge_all(net, leaves):
    leaves = borrow(leaves)
    judge(borrow(net), leaves, leaves.counts.shape[0])


@template
def search(trees, work, leaves, net, rows_a_tree, waves, most):
    """So many waves of all trees, every leaf judged at once; how many there were, which is 0 when all are done."""
    trees, work, leaves, net = borrow(trees), borrow(work), borrow(leaves), borrow(net)
    judged = 0
    for _ in range(waves):
        rows = wave_on(trees, work, leaves, 0, trees.heads.shape[0], rows_a_tree)
        judge(net, leaves, rows)
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
        shapes = (2, self.game.features.length), (3, 2, spec.channels), (2, _fours(spec.hidden))
        rooms = [np.zeros(shape, np.float32) for shape in shapes]
        return Layers._make([*self._arrays, *rooms, np.zeros(longest, np.int64), np.zeros((2, longest), np.float32)])


def _fours(n: int) -> int:
    return -(-n // 4) * 4


def _by_input(weights: Weights) -> list[np.ndarray]:
    """The arrays of `Layers`. The only cell is its own mean and its own greatest."""
    hidden = len(weights["summary.bias"])
    more = (0, _fours(hidden) - hidden)
    summary = np.pad(weights["summary.mean"] + weights["summary.most"], (more, (0, 0)))
    slots, worths = (np.pad(weights[name], ((0, 0), more)) for name in ("extra.weight", "value.weight"))
    return [
        weights["stem.extra"].T, weights["stem.bias"], weights["trunk.taps"][:, 0].transpose(0, 2, 1),
        weights["trunk.bias"], summary, np.pad(weights["summary.bias"], more), slots, weights["extra.bias"], worths,
        weights["value.bias"],
    ]  # fmt: skip
