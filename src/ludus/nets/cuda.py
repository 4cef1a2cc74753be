"""A network on a GPU: the arrays of `spec` laid out for the kernels of `cells`, at three precisions.

fp32 is for comparison, fp16 for matches, fp8 for self-play: products of 8-bit numbers with a scale for each output
channel and one for each layer's activations, added to a stream of 16 bits. The scales follow the largest activations on
positions of the game, so they are measured again with each network. Weights are refilled in place, so that what was
captured in a CUDA graph stays good.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ludus import kernels
from ludus.errors import BadInput
from ludus.game import Game
from ludus.nets.play import next_wave
from ludus.nets.spec import NetSpec, Weights
from ludus.search.forest import Forest, Leaves

TILES: dict[str, dict[str, int]] = {
    "fp32": {"ROWS": 64, "STEP": 32, "together": 16, "num_warps": 4, "num_stages": 2},
    "fp16": {"ROWS": 128, "STEP": 64, "together": 16, "num_warps": 4, "num_stages": 3},
    "fp8": {"ROWS": 128, "STEP": 128, "together": 8, "num_warps": 4, "num_stages": 3},
}
SUMMARY = {"ROWS": 16, "num_warps": 2, "num_stages": 4}
"""For an H200; `bench/selfplay.py tiles` tries others."""
PAD = 128
"""Positions of a batch are a multiple of this."""
FEWEST, BATCH = 512, 4096
"""Leaves of a search that are judged at once: what is missing is filled up, which costs a GPU nothing; and the most, if
there is memory for so many."""
MOST_CELLS = 128
LARGEST_8 = 448.0
HEADROOM = 0.5  # the largest activation that was measured comes to this share of the largest 8-bit number
CAPTURING = threading.Lock()
"""While one thread captures a graph no other may: it would ask the card to wait for all streams, which fails then."""

log = logging.getLogger(__name__)


class Room(NamedTuple):
    """Where one batch is computed; unused parts are empty."""

    x0: Tensor  # [positions, features as numbers]
    x: Tensor  # [cells * positions, channels]
    h: Tensor
    x8: Tensor
    h8: Tensor
    planes: Tensor  # [cells * positions, policy planes]
    summary: Tensor  # float32[positions, hidden]
    rest: Tensor  # float32[positions, other slots, then values]


def power_of_two(n: int, least: int = 16) -> int:
    return max(least, 1 << (n - 1).bit_length())


def neighbour_table(spec: NetSpec) -> np.ndarray:
    """int64[cells, taps]: the cell that each tap looks at, -1 beyond the edge."""
    own = np.arange(spec.cells)[:, None]
    return own if spec.board is None else np.concatenate([own, spec.board.neighbours], axis=1).astype(np.int64)


def layers(spec: NetSpec, weights: Weights, features: Tensor) -> Iterator[Tensor]:
    """The activations after the stem and after each layer, [positions, cells, channels], in plain float32: what the
    kernels are measured by, and where the scales of 8 bits come from. `features` are numbers."""
    arrays = {name: torch.as_tensor(array, device=features.device) for name, array in weights.items()}
    table = torch.as_tensor(neighbour_table(spec), device=features.device)

    def summed(x: Tensor, taps: Tensor) -> Tensor:
        x = functional.pad(x, (0, 0, 0, 1))  # what lies beyond the edge
        return sum(functional.linear(x[:, table[:, t]], taps[t]) for t in range(spec.taps))  # pyright: ignore[reportReturnType]

    planes = features[:, : spec.planes * spec.cells].reshape(len(features), spec.planes, spec.cells).transpose(1, 2)
    extra = functional.linear(features[:, spec.features - spec.extra :], arrays["stem.extra"])[:, None]
    x = functional.relu(summed(planes, arrays["stem.taps"]) + extra + arrays["stem.bias"])
    yield x
    for block in range(spec.blocks):
        first, second = 2 * block, 2 * block + 1
        h = functional.relu(summed(x, arrays["trunk.taps"][first]) + arrays["trunk.bias"][first])
        yield h
        x = functional.relu(summed(h, arrays["trunk.taps"][second]) + arrays["trunk.bias"][second] + x)
        yield x


@torch.no_grad()
def largest_activations(spec: NetSpec, weights: Weights, features: Tensor) -> Tensor:
    return torch.stack([x.amax() for x in layers(spec, weights, features)])


class CudaNet:
    """One network in the memory of a GPU. `device` is for tests without one."""

    def __init__(self, spec: NetSpec, precision: str = "fp16", device: str = "cuda"):
        if spec.cells > MOST_CELLS:
            raise BadInput(f"networks on a GPU are for boards of up to {MOST_CELLS} cells, not {spec.cells}")
        self.spec, self.precision, self.device = spec, precision, device
        self.kind = torch.float32 if precision == "fp32" else torch.float16
        self.kind_8 = torch.float8_e4m3fn if precision == "fp8" else self.kind
        self.channels, self.hidden = power_of_two(spec.channels, 32), power_of_two(spec.hidden)
        self.narrow, self.planes = power_of_two(spec.narrow), power_of_two(spec.policy_planes)
        self.inputs = -(-spec.features // 64) * 64
        self.rest = power_of_two(spec.policy_extra + spec.seats)
        self.scales = torch.ones(2 * spec.blocks + 1, device=device)
        self._tables()
        self._arrays()

    def _tables(self) -> None:
        table = neighbour_table(self.spec)
        taps = [np.flatnonzero(row >= 0) for row in table]
        counts = np.array([len(row) for row in taps], np.int32)

        def packed(rows: list[np.ndarray]) -> Tensor:
            numbers = [sum(int(value) << 7 * k for k, value in enumerate(row)) for row in rows]
            return torch.tensor(numbers, dtype=torch.int64, device=self.device)

        def plain(numbers: np.ndarray) -> Tensor:
            return torch.as_tensor(numbers.astype(np.int32), device=self.device)

        self.order, self.counts = plain(np.argsort(-counts, kind="stable")), plain(counts)
        self.sources, self.kinds = packed([table[cell, row] for cell, row in enumerate(taps)]), packed(taps)
        cells = range(self.spec.cells)  # of the stem: one tap, its own
        self.ones, self.zeros = plain(np.ones(self.spec.cells)), packed([np.zeros(1, np.int64) for _ in cells])
        self.own = packed([np.array([cell]) for cell in cells])

    def _arrays(self) -> None:
        spec, channels = self.spec, self.channels

        def zeros(*shape: int, kind: Any = torch.float32) -> Tensor:
            return torch.zeros(shape, dtype=kind, device=self.device)

        self.stem, self.stem_bias = zeros(spec.cells * channels, self.inputs, kind=self.kind), zeros(channels)
        count = 2 * spec.blocks
        self.taps = [zeros(spec.taps * channels, channels, kind=self.kind_8) for _ in range(count)]
        self.bias, self.scale = [zeros(channels) for _ in range(count)], [zeros(channels) for _ in range(count)]
        self.cells_weight = zeros(self.planes, channels, kind=self.kind)
        self.cells_bias = zeros(self.planes)
        self.narrow_weight, self.narrow_bias = zeros(self.narrow, channels, kind=self.kind), zeros(self.narrow)
        self.summary_narrow = zeros(spec.cells * self.hidden, self.narrow, kind=self.kind)
        self.summary_mean = zeros(self.hidden, channels, kind=self.kind)
        self.summary_most = zeros(self.hidden, channels, kind=self.kind)
        self.summary_bias = zeros(self.hidden)
        self.rest_weight, self.rest_bias = zeros(self.rest, self.hidden), zeros(self.rest)

    # -------------------------------------------------------------------------------------------- weights

    @torch.no_grad()
    def fill(self, weights: Weights, features: Tensor | None = None) -> None:
        """Take the arrays of a network; for 8 bits with features (bytes) of some positions, which set the scales."""
        arrays = {name: torch.as_tensor(array, device=self.device) for name, array in weights.items()}
        if self.precision == "fp8":
            if features is None:
                raise BadInput("8-bit numbers need some positions to be scaled by")
            seen = largest_activations(self.spec, weights, features.to(self.device).float() / 127)
            self.scales.copy_(HEADROOM * LARGEST_8 / seen.clamp_min(1e-3))
        self.stem.copy_(self._stem(arrays))
        _put(self.stem_bias, arrays["stem.bias"])
        for k in range(2 * self.spec.blocks):
            self._fill_layer(k, arrays["trunk.taps"][k], arrays["trunk.bias"][k])
        _put(self.cells_weight, arrays["cells.weight"])
        _put(self.cells_bias, arrays["cells.bias"])
        _put(self.narrow_weight, arrays["narrow.weight"])
        _put(self.narrow_bias, arrays["narrow.bias"])
        if self.spec.narrow:
            by_cell = self.summary_narrow.view(self.spec.cells, self.hidden, self.narrow)
            _put(by_cell, arrays["summary.narrow"].permute(2, 0, 1))
        _put(self.summary_mean, arrays["summary.mean"])
        _put(self.summary_most, arrays["summary.most"])
        _put(self.summary_bias, arrays["summary.bias"])
        _put(self.rest_weight, torch.cat([arrays["extra.weight"], arrays["value.weight"]]))
        _put(self.rest_bias, torch.cat([arrays["extra.bias"], arrays["value.bias"]]))

    def _stem(self, arrays: dict[str, Tensor]) -> Tensor:
        """One linear map from all features to every cell."""
        spec, table = self.spec, neighbour_table(self.spec)
        out = torch.zeros(spec.cells, self.channels, self.inputs, device=self.device)
        columns = torch.arange(spec.planes, device=self.device) * spec.cells
        for cell in range(spec.cells):
            for tap in np.flatnonzero(table[cell] >= 0):
                if spec.planes:
                    out[cell, : spec.channels, columns + int(table[cell, tap])] += arrays["stem.taps"][tap]
        out[:, : spec.channels, spec.features - spec.extra : spec.features] += arrays["stem.extra"]
        return out.reshape(-1, self.inputs)

    def _fill_layer(self, k: int, taps: Tensor, bias: Tensor) -> None:
        whole = torch.zeros(self.spec.taps, self.channels, self.channels, device=self.device)
        _put(whole, taps)
        _put(self.bias[k], bias)
        if self.precision == "fp8":
            unit = whole.abs().amax((0, 2)).clamp_min(1e-8) / LARGEST_8
            self.scale[k].copy_(unit / self.scales[k])  # undoes both scales of a product
            whole = whole / unit[None, :, None]
        self.taps[k].copy_(whole.reshape(-1, self.channels).to(self.kind_8))

    # -------------------------------------------------------------------------------------------- a batch

    def room(self, positions: int) -> Room:
        """For a batch of so many positions, a multiple of PAD."""
        cells, wide = self.spec.cells * positions, self.channels

        def zeros(*shape: int, kind: Any = self.kind) -> Tensor:
            return torch.zeros(shape, dtype=kind, device=self.device)

        is_8 = self.precision == "fp8"
        return Room(
            zeros(positions, self.inputs), zeros(cells, wide), zeros(0 if is_8 else cells, wide),
            zeros(cells if is_8 else 0, wide, kind=self.kind_8), zeros(cells if is_8 else 0, wide, kind=self.kind_8),
            zeros(cells if self.spec.policy_planes else 1, self.planes),
            zeros(positions, self.hidden, kind=torch.float32), zeros(positions, self.rest, kind=torch.float32),
        )  # fmt: skip

    def forward(self, features: Tensor, slots: Tensor, answers: Tensor, room: Room) -> None:
        """From bytes int8[positions, features] and slots int16[positions, width] to float32[positions, width + seats]:
        a prior for each slot, then the values."""
        cells = _kernels()
        spec, positions, width = self.spec, len(features), slots.shape[1]
        wide = power_of_two(self.inputs)
        cells.unpack[(positions // 16,)](features, room.x0, spec.features, self.inputs, wide, 16)
        self._trunk(room, positions)
        tile, descriptor = dict(SUMMARY), _descriptors()
        rows = tile.pop("ROWS")
        precision = "ieee" if self.precision == "fp32" else "tf32"
        cells.summarise[(positions // rows,)](
            descriptor(room.x, [rows, self.channels]), self.narrow_weight, self.narrow_bias, self.summary_narrow,
            self.summary_mean, self.summary_most, self.summary_bias, room.summary, positions,
            spec.cells, self.channels, self.narrow, self.hidden, rows, spec.narrow > 0, precision, **tile,
        )  # fmt: skip
        torch.mm(room.summary, self.rest_weight.t(), out=room.rest)
        if spec.policy_planes:
            torch.mm(room.x, self.cells_weight.t(), out=room.planes)
        cells.answer[(positions // 16,)](
            room.planes, self.cells_bias, room.rest, self.rest_bias, slots, answers, positions,
            spec.cells, spec.policy_planes, self.planes, spec.policy_extra, self.rest,
            spec.seats, power_of_two(spec.seats, 2), width, power_of_two(width), 16,
        )  # fmt: skip

    def _trunk(self, room: Room, positions: int) -> None:
        spec, wide, is_8, descriptor = self.spec, self.channels, self.precision == "fp8", _descriptors()
        tile = dict(TILES[self.precision])
        rows, step, together = tile.pop("ROWS"), min(tile.pop("STEP"), wide), tile.pop("together")
        rows = rows if positions % rows == 0 else PAD
        blocks, first = positions // rows, 64 if self.precision != "fp32" else 32
        grid = (spec.cells * blocks,)
        layer = _kernels().layer
        precision = "ieee" if self.precision == "fp32" else "tf32"
        x, h = (room.x8, room.h8) if is_8 else (room.x, room.h)
        stream, into = descriptor(room.x, [rows, wide]), [descriptor(part, [rows, wide]) for part in (h, x)]
        layer[grid](
            descriptor(room.x0, [rows, first]), descriptor(self.stem, [wide, first]), self.stem_bias, self.stem_bias,
            stream, stream, into[1], self.scales[0:1], self.order, self.ones, self.zeros, self.own, positions, blocks,
            together, spec.cells, self.inputs, wide, rows, first, False, True, is_8, False, precision, **tile,
        )  # fmt: skip
        seen = descriptor(x, [rows, step]), descriptor(h, [rows, step])
        for k in range(2 * spec.blocks):
            is_second, is_last = k % 2 == 1, k == 2 * spec.blocks - 1
            layer[grid](
                seen[k % 2], descriptor(self.taps[k], [wide, step]), self.bias[k], self.scale[k], stream,
                stream if is_8 else into[k % 2], into[k % 2], self.scales[k + 1 : k + 2], self.order, self.counts,
                self.sources, self.kinds, positions, blocks, together, spec.cells, wide, wide, rows, step, is_second,
                is_second or not is_8, is_8 and not is_last, is_8, precision, **tile,
            )  # fmt: skip


def _put(target: Tensor, array: Tensor) -> None:
    """Into the upper corner; the rest stays 0."""
    if array.numel():
        target[tuple(slice(0, n) for n in array.shape)] = array.to(target.dtype)


def _kernels() -> Any:
    """Imported late: triton is where CUDA is."""
    return import_module("ludus.nets.cells")


def _descriptors() -> Any:
    from triton.tools.tensor_descriptor import TensorDescriptor  # pyright: ignore[reportMissingImports]

    return TensorDescriptor.from_tensor


class Captured:
    """One pass from pinned memory through a network and back, as a graph on a stream of its own; kernel by kernel where
    it cannot be captured."""

    def __init__(self, net: CudaNet, features: Tensor, slots: Tensor, answers: Tensor):
        self.stream, self.event = torch.cuda.Stream(priority=-1), torch.cuda.Event()  # goes before what is learnt
        self.host = features, slots, answers
        self.card = [tensor.to("cuda") for tensor in self.host]
        self.net, self.room = net, net.room(len(features))
        with CAPTURING:
            torch.cuda.synchronize()
            with torch.no_grad(), torch.cuda.stream(self.stream):
                self._pass()  # compiles
            self.stream.synchronize()
            self.graph = self._capture()

    def _capture(self) -> torch.cuda.CUDAGraph | None:
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.no_grad(), torch.cuda.graph(graph, stream=self.stream, capture_error_mode="thread_local"):
                self._pass()
        except torch.cuda.OutOfMemoryError:
            raise
        except RuntimeError as error:
            log.warning("a pass of the network was not captured, so it runs kernel by kernel, slower: %s", error)
            self.stream = torch.cuda.Stream(priority=-1)  # the other may still be capturing
            return None
        return graph

    def _pass(self) -> None:
        features, slots, answers = self.card
        features.copy_(self.host[0], non_blocking=True)
        slots.copy_(self.host[1], non_blocking=True)
        self.net.forward(features, slots, answers, self.room)
        self.host[2].copy_(answers, non_blocking=True)

    def launch(self) -> None:
        with torch.no_grad(), torch.cuda.stream(self.stream):
            self.graph.replay() if self.graph else self._pass()
            self.event.record()

    def is_ready(self) -> bool:
        return self.event.query()

    def wait(self) -> None:
        self.event.synchronize()


class CudaEvaluator:
    """A network that judges the leaves of a search on a GPU."""

    def __init__(self, game: Game, spec: NetSpec, weights: Weights, precision: str = "fp16"):
        self.game, self.spec, self.net = game, spec, CudaNet(spec, precision)
        self.net.fill(weights)
        self.batch = BATCH
        self._passes: dict[int, Captured] = {}
        self._row = np.zeros(game.features.length, np.float32)
        self._turn = threading.Lock()  # there is one room for all threads

    def evaluate(self, leaves: Leaves) -> None:
        first = 0
        while first < len(leaves.trees):
            part = Leaves(*(column[first : first + self.batch] for column in leaves))
            try:
                with self._turn:
                    self._evaluate(part)
            except torch.cuda.OutOfMemoryError:
                self._shrink()
                continue
            first += len(part.trees)

    def search(self, forest: Forest, most: int = 0) -> int:
        return next_wave(self, forest)

    def _shrink(self) -> None:
        """Go on with what the card has room for."""
        self._passes.clear()
        torch.cuda.empty_cache()
        if self.batch == PAD:
            raise BadInput("the GPU has no memory for this network; say device=cpu")
        self.batch //= 2
        log.warning("the GPU has no memory for so many positions at once: going on with %s", self.batch)

    def _evaluate(self, leaves: Leaves) -> None:
        count, width = leaves.slots.shape
        positions = power_of_two(count, min(FEWEST, self.batch))
        if positions not in self._passes:
            self._passes[positions] = Captured(self.net, *self._pinned(positions, width))
        captured = self._passes[positions]
        features, slots, answers = (tensor.numpy() for tensor in captured.host)
        self.game.kernel(kernels.byte_features)(leaves.views, leaves.players, self._row, features[:count])
        slots[:count], slots[count:] = leaves.slots, -1
        captured.launch()
        captured.wait()
        leaves.priors[:], leaves.values[:] = answers[:count, :width], answers[:count, width:]

    def _pinned(self, positions: int, width: int) -> tuple[Tensor, Tensor, Tensor]:
        features = torch.zeros((positions, self.spec.features), dtype=torch.int8)
        slots = torch.zeros((positions, width), dtype=torch.int16)
        answers = torch.zeros((positions, width + self.spec.seats))
        return features.pin_memory(), slots.pin_memory(), answers.pin_memory()
