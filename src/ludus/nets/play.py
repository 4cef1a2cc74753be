"""onnxruntime judges the leaves of a search, on one thread: work is spread over trees, never within a network."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from ludus import kernels
from ludus.compile import template
from ludus.errors import BadInput, Mismatch
from ludus.game import Game
from ludus.nets.spec import SPEC, NetSpec
from ludus.nets.variants import Variant, variant_of
from ludus.search.forest import Forest, Leaves

ANSWERS = ["logits", "values"]
NUMBERS = 1 << 19
"""Activations of a layer that stay in the processor's cache: so many rows are judged at a time, and at least …"""
FEWEST = 32


class Evaluator(Protocol):
    """Whatever judges leaves."""

    def evaluate(self, leaves: Leaves) -> None:
        """Fill in the priors, in the order of each menu, and the values, the viewer's first."""
        ...

    def search(self, forest: Forest, most: int = ...) -> int:
        """Take all trees on, judging their leaves; how many there were, about `most` at the most, and 0 when all trees
        are done. The last answers are taken by the forest's next wave."""
        ...


def next_wave(evaluator: Evaluator, forest: Forest) -> int:
    """The search of an evaluator that judges whole batches."""
    leaves = forest.wave()
    if len(leaves.trees):
        evaluator.evaluate(leaves)
    return len(leaves.trees)


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
        spec = spec_of(self.session)
        self.length = spec.features
        self.batch = max(NUMBERS // (spec.channels * spec.cells), FEWEST)
        self._see, self._answer = game.kernel(kernels.features), game.kernel(answer)

    def evaluate(self, leaves: Leaves) -> None:
        for part, logits, values in self.judge(leaves.views, leaves.players):
            answers = (leaves.counts[part], leaves.slots[part], logits, values)
            self._answer(*answers, leaves.priors[part], leaves.values[part])

    def judge(self, views: np.ndarray, players: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Part by part, the logits of all slots and the values."""
        features = np.zeros((len(views), self.length), np.float32)
        self._see(views, players, features)
        np.clip(features, -1, 1, out=features)  # as the network learnt them
        for first in range(0, len(views), self.batch):
            part = slice(first, first + self.batch)
            logits, values = self.run(features[part])
            yield part, logits, values

    def run(self, features: np.ndarray) -> list[np.ndarray]:
        """The logits of all slots and the values, of rows that are seen already."""
        return self.session.run(ANSWERS, {"features": features})

    def search(self, forest: Forest, most: int = 0) -> int:
        return next_wave(self, forest)


def evaluator_of(content: bytes, game: Game, players: int, values: Mapping[str, object], device: str) -> Evaluator:
    """The network in a file, made for the board that these rules have; refuses rules that it was not made for."""
    variant = variant_of(spec_of(session(content)), game, players, values)
    if device == "cuda":
        check_cuda()
        from ludus.nets.cuda import CudaEvaluator

        return CudaEvaluator(game, *variant.plain(_export().from_onnx(content)[1]))
    if variant.net.kind == "none":
        from ludus.nets.compiled import CompiledEvaluator

        return CompiledEvaluator(game, *variant.plain(_export().from_onnx(content)[1]))
    return by_onnxruntime(content, game, players, values)


def by_onnxruntime(content: bytes, game: Game, players: int, values: Mapping[str, object]) -> CpuEvaluator:
    """The network in a file, made for the board that these rules have, for who wants all that it answers."""
    spec = spec_of(session(content))
    variant = variant_of(spec, game, players, values)
    if variant != Variant(spec):
        content = _export().to_onnx(*variant.plain(_export().from_onnx(content)[1]))
    return CpuEvaluator(game, content)


def _export() -> Any:
    """Imported late: onnx is needed where arrays are read, and not where onnxruntime does that."""
    try:
        from ludus.nets import export
    except ImportError:
        raise BadInput("this network is read by onnx, which is missing: pip install 'ludus[learn]'") from None
    return export


def spec_of(loaded: Any) -> NetSpec:
    """The sizes of the network in a session."""
    kept = loaded.get_modelmeta().custom_metadata_map
    if SPEC not in kept:
        raise Mismatch("this ONNX file is no network of Ludus")
    return NetSpec(**json.loads(kept[SPEC]))


def session(content: bytes) -> Any:
    """A network that is ready to play."""
    runtime = onnxruntime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def check_cuda() -> None:
    try:
        import torch
    except ImportError:
        raise BadInput("networks on a GPU need torch, which is missing: pip install 'ludus[learn]'") from None
    if not torch.cuda.is_available():
        raise BadInput("there is no CUDA device here; say device=cpu")


def onnxruntime() -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise BadInput("networks play with onnxruntime, which is missing: pip install 'ludus[learn]'") from None
    return onnxruntime
