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
from ludus.rules import observe
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
    worths: np.ndarray  # float32[hidden, seats]
    worths_bias: np.ndarray
    features: np.ndarray  # float32[…]
    wide: np.ndarray  # float32[3, channels]: the stream, and what each layer of a block makes of it
    thin: np.ndarray  # float32[hidden]
    answer: np.ndarray  # float32[seats]


@inlined
def add_rows(x, count, weights, out):
    """Add x @ weights to what is there."""
    for i in range(count):
        value = x[i]
        if value != np.float32(0.0):
            for j in range(out.shape[0]):
                out[j] += value * weights[i, j]


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
    add_rows(net.features, net.stem.shape[0], net.stem, x)
    cut(x)
    for block in range(net.trunk.shape[0] // 2):
        fill(y, net.trunk_bias[2 * block])
        add_rows(x, x.shape[0], net.trunk[2 * block], y)
        cut(y)
        fill(z, net.trunk_bias[2 * block + 1])
        add_rows(y, y.shape[0], net.trunk[2 * block + 1], z)
        for j in range(x.shape[0]):
            x[j] = max(x[j] + z[j], np.float32(0.0))
    fill(net.thin, net.summary_bias)
    add_rows(x, x.shape[0], net.summary, net.thin)
    cut(net.thin)


@inlined
def logit(net, slot):
    """Four sums side by side, so that none waits for the last."""
    weights, thin = net.slots[slot], net.thin
    a, b, c, d = net.slots_bias[slot], np.float32(0.0), np.float32(0.0), np.float32(0.0)
    for j in range(0, thin.shape[0], 4):
        a += thin[j] * weights[j]
        b += thin[j + 1] * weights[j + 1]
        c += thin[j + 2] * weights[j + 2]
        d += thin[j + 3] * weights[j + 3]
    return (a + b) + (c + d)


@inlined
def judge(net, view, player, leaves, row):
    """Fill in one row: priors by softmax over its menu, and the values."""
    observe(view, player, net.features)
    summarise(net)
    count, most, total = leaves.counts[row], np.float32(-np.inf), np.float32(0.0)
    for k in range(count):
        leaves.priors[row, k] = logit(net, leaves.slots[row, k])
        most = max(most, leaves.priors[row, k])
    for k in range(count):
        leaves.priors[row, k] = np.exp(leaves.priors[row, k] - most)
        total += leaves.priors[row, k]
    for k in range(count):
        leaves.priors[row, k] /= total
    fill(net.answer, net.worths_bias)
    add_rows(net.thin, net.thin.shape[0], net.worths, net.answer)
    for seat in range(net.answer.shape[0]):
        leaves.values[row, seat] = np.tanh(net.answer[seat])


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
        rooms = (self.game.features.length,), (3, spec.channels), (self._arrays[5].size,), (spec.seats,)
        return Layers(*self._arrays, *(np.zeros(shape, np.float32) for shape in rooms))


def _by_input(weights: Weights) -> list[np.ndarray]:
    """The arrays of `Layers`. The only cell is its own mean and its own greatest; its summary is made longer by
    numbers that are always 0, up to a multiple of four."""
    summary, bias = weights["summary.mean"] + weights["summary.most"], weights["summary.bias"]
    extra, worths = weights["extra.weight"], weights["value.weight"]
    missing = -len(bias) % 4
    wider = ((0, 0), (0, missing))
    return [
        weights["stem.extra"].T, weights["stem.bias"], weights["trunk.taps"][:, 0].transpose(0, 2, 1),
        weights["trunk.bias"], np.pad(summary.T, wider), np.pad(bias, (0, missing)), np.pad(extra, wider),
        weights["extra.bias"], np.pad(worths, wider).T, weights["value.bias"],
    ]  # fmt: skip
