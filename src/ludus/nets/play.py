"""onnxruntime judges the leaves of a search, on one thread: work is spread over trees, never within a network."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ludus import kernels
from ludus.compile import template
from ludus.errors import BadInput
from ludus.game import Game
from ludus.search.forest import Leaves

BATCH = 128
"""Rows at a time: activations of more do not stay in the processor's cache."""


class Evaluator(Protocol):
    """Whatever judges leaves."""

    def evaluate(self, leaves: Leaves) -> None:
        """Fill in the priors, in the order of each menu, and the values, the viewer's first."""
        ...


@template
def answer(counts, slots, logits, judged, priors, values):
    """Priors by softmax over the slots of each menu; values as they are."""
    for row in range(counts.shape[0]):
        count, most, total = counts[row], np.float32(-np.inf), np.float32(0.0)
        for k in range(count):
            most = max(most, logits[row, slots[row, k]])
        for k in range(count):
            priors[row, k] = np.exp(logits[row, slots[row, k]] - most)
            total += priors[row, k]
        for k in range(count):
            priors[row, k] /= total
        for seat in range(judged.shape[1]):
            values[row, seat] = judged[row, seat]


class CpuEvaluator:
    """A network that judges on one thread of this processor."""

    def __init__(self, game: Game, content: bytes):
        self.session = session(content)
        self.length = int(self.session.get_inputs()[0].shape[1])
        self._see, self._answer = game.kernel(kernels.features), game.kernel(answer)

    def evaluate(self, leaves: Leaves) -> None:
        for first in range(0, len(leaves.trees), BATCH):
            self._evaluate(Leaves(*(column[first : first + BATCH] for column in leaves)))

    def _evaluate(self, leaves: Leaves) -> None:
        features = np.zeros((len(leaves.trees), self.length), np.float32)
        self._see(leaves.views, leaves.players, features)
        logits, values = self.session.run(None, {"features": features})
        self._answer(leaves.counts, leaves.slots, logits, values, leaves.priors, leaves.values)


def session(content: bytes) -> Any:
    """A network that is ready to play."""
    runtime = onnxruntime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def onnxruntime() -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise BadInput("networks play with onnxruntime, which is missing: pip install 'ludus[learn]'") from None
    return onnxruntime
