"""Named arrays to and from ONNX: one file that onnxruntime plays, and that holds all that a network is.

The arrays are kept under their own names, in 16 or 8 bits where the file should be small (8 with a factor for each
output); the graph turns them into numbers of 32 bits and kernels of convolutions, which onnxruntime does once, when it
loads the file. For a board of hexagons the convolutions
run over the grid that holds it, and what is no cell is set to 0 after every layer: on one thread as fast as gathering
the neighbours, which loses by a third on squares.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ludus.nets.spec import SPEC, NetSpec, Weights, check_weights

OPSET, FORMAT = 18, 9
UNIT = ".unit"
"""An array in 8 bits has a second one behind its name and this: what 1 stands for."""


def to_onnx(spec: NetSpec, weights: Weights, bits: int = 32) -> bytes:
    """The network as an ONNX file: `features` in, `logits` and `values` out, any number of rows. Its arrays are kept in
    32, 16 or 8 bits."""
    check_weights(spec, weights)
    graph = _Graph(spec, weights, bits)
    graph.draw()
    features = helper.make_tensor_value_info("features", TensorProto.FLOAT, ["rows", spec.features])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows", spec.policy])
    values = helper.make_tensor_value_info("values", TensorProto.FLOAT, ["rows", spec.seats])
    drawn = helper.make_graph(graph.nodes, "ludus", [features], [logits, values], graph.tensors)
    model = helper.make_model(drawn, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=FORMAT)
    helper.set_model_props(model, {SPEC: json.dumps(spec.to_json())})
    return model.SerializeToString()


def from_onnx(content: bytes) -> tuple[NetSpec, Weights]:
    """The sizes and the arrays of a network that `to_onnx` wrote."""
    model = onnx.load_from_string(content)
    spec = NetSpec(**json.loads({entry.key: entry.value for entry in model.metadata_props}[SPEC]))
    found = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    empty = {name: np.zeros(shape, np.float32) for name, shape in spec.arrays.items() if not np.prod(shape)}
    units = {name: found.get(name + UNIT, np.float32(1)) for name in found}
    weights = empty | {name: found[name].astype(np.float32) * units[name] for name in spec.arrays if name in found}
    check_weights(spec, weights)
    return spec, weights


class _Graph:
    """Nodes and tensors while they are drawn; every method returns the name of what it computes."""

    def __init__(self, spec: NetSpec, weights: Weights, bits: int):
        self.spec, self.nodes, self.tensors = spec, [], []
        self._kept = {name: self._array(name, array, bits) for name, array in weights.items() if array.size}

    def _array(self, name: str, array: np.ndarray, bits: int) -> str:
        if bits == 8 and array.ndim > 1:
            axis = 0 if name.startswith("summary") else array.ndim - 2  # the outputs
            others = tuple(k for k in range(array.ndim) if k not in (axis, 0))
            unit = np.maximum(np.abs(array).max(axis=others, keepdims=True), 1e-12).astype(np.float32) / 127
            self.tensors.append(numpy_helper.from_array(np.rint(array / unit).astype(np.int8), name))
            self.tensors.append(numpy_helper.from_array(unit, name + UNIT))
            return self.node("Mul", self.node("Cast", name, to=TensorProto.FLOAT), name + UNIT)
        self.tensors.append(numpy_helper.from_array(array.astype(np.float16 if bits < 32 else np.float32), name))
        return self.node("Cast", name, to=TensorProto.FLOAT) if bits < 32 else name

    def node(self, kind: str, *inputs: str, result: str = "", **settings: Any) -> str:
        name = result or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **settings))
        return name

    def numbers(self, *values: int) -> str:
        """A constant."""
        name = "i" + "_".join(map(str, values))
        if all(tensor.name != name for tensor in self.tensors):
            self.tensors.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def shaped(self, x: str, *shape: int) -> str:
        return self.node("Reshape", x, self.numbers(*shape))

    def part(self, x: str, first: int, last: int) -> str:
        """Some columns."""
        return self.node("Slice", x, self.numbers(first), self.numbers(last), self.numbers(1))

    def linear(self, x: str, weight: str, bias: str = "", result: str = "") -> str:
        return self.node("Gemm", x, weight, *filter(None, [bias]), result=result, transB=1)

    # -------------------------------------------------------------------------------------------- the network

    def draw(self) -> None:
        spec, kept = self.spec, self._kept
        x = self.stem()
        for block in range(spec.blocks):
            y = self.layer(x, 2 * block)
            x = self.layer(y, 2 * block + 1, x)
        summary = self.summary(x)
        slots = [self.planes(x)] if spec.policy_planes else []
        if spec.policy_extra:
            slots.append(self.linear(summary, kept["extra.weight"], kept["extra.bias"]))
        self.node("Concat", *slots, result="logits", axis=1)
        self.node("Tanh", self.linear(summary, kept["value.weight"], kept["value.bias"]), result="values")

    def stem(self) -> str:
        spec, kept, terms = self.spec, self._kept, []
        if spec.planes:
            planes = self.part("features", 0, spec.planes * spec.cells)
            terms.append(self.convolution(self.on_grid(planes), kept["stem.taps"], kept["stem.bias"]))
        if spec.extra:
            numbers = self.part("features", spec.features - spec.extra, spec.features)
            bias = "" if terms else kept["stem.bias"]
            row = self.linear(numbers, kept["stem.extra"], bias)
            terms.append(row if spec.kind == "none" else self.shaped(row, -1, spec.channels, 1, 1))
        x = self.node("Add", *terms) if len(terms) == 2 else terms[0]
        if spec.kind != "none" and not spec.planes:
            x = self.node("Expand", x, self.numbers(1, 1, spec.rows, spec.columns))
        return self.on_board(self.node("Relu", x))

    def on_grid(self, planes: str) -> str:
        """Planes over cells, laid out on the grid."""
        spec = self.spec
        if not spec.is_whole:
            planes = self.shaped(planes, -1, spec.planes, spec.cells)
            planes = self.node("Pad", planes, self.numbers(0, 0, 0, 0, 0, 1))
            planes = self.node("Gather", planes, self.numbers(*spec.grid), axis=2)
        return self.shaped(planes, -1, spec.planes, spec.rows, spec.columns)

    def layer(self, x: str, index: int, residual: str = "") -> str:
        taps = self.node("Gather", self._kept["trunk.taps"], self.number(index), axis=0)
        bias = self.node("Gather", self._kept["trunk.bias"], self.number(index), axis=0)
        y = self.linear(x, self.matrix(taps), bias) if self.spec.kind == "none" else self.convolution(x, taps, bias)
        return self.on_board(self.node("Relu", self.node("Add", y, residual) if residual else y))

    def number(self, value: int) -> str:
        """A constant without an axis."""
        name = f"s{value}"
        if all(tensor.name != name for tensor in self.tensors):
            self.tensors.append(numpy_helper.from_array(np.array(value, np.int64), name))
        return name

    def matrix(self, taps: str) -> str:
        """The only tap of a game without a board."""
        return self.node("Gather", taps, self.number(0), axis=0)

    def convolution(self, x: str, taps: str, bias: str) -> str:
        """Taps are [taps, outputs, inputs], kernels [outputs, inputs, 3, 3]."""
        spec = self.spec
        if spec.taps < 9:
            taps = self.node("Pad", taps, self.numbers(0, 0, 0, 1, 0, 0))
        kernel = self.node("Gather", taps, self.numbers(*spec.kernel), axis=0)
        kernel = self.node("Transpose", kernel, perm=[1, 2, 0])
        kernel = self.node("Reshape", kernel, self.numbers(0, 0, 3, 3))
        return self.node("Conv", x, kernel, bias, pads=[1, 1, 1, 1])

    def on_board(self, x: str) -> str:
        """Set to 0 what is no cell."""
        if self.spec.is_whole:
            return x
        mask = (self.spec.grid < self.spec.cells).astype(np.float32).reshape(1, 1, self.spec.rows, self.spec.columns)
        if all(tensor.name != "mask" for tensor in self.tensors):
            self.tensors.append(numpy_helper.from_array(mask, "mask"))
        return self.node("Mul", x, "mask")

    def summary(self, x: str) -> str:
        spec, kept = self.spec, self._kept
        if spec.kind == "none":
            weight = self.node("Add", kept["summary.mean"], kept["summary.most"])
            return self.node("Relu", self.linear(x, weight, kept["summary.bias"]))
        mean = self.node("Flatten", self.node("GlobalAveragePool", x))  # over the grid; the mean is over the cells
        most = self.node("Flatten", self.node("GlobalMaxPool", x))
        share = numpy_helper.from_array(np.array(spec.rows * spec.columns / spec.cells, np.float32), "share")
        self.tensors.append(share)
        weights = [self.node("Mul", kept["summary.mean"], "share"), kept["summary.most"]]
        parts = [mean, most]
        if spec.narrow:
            narrow = self.cellwise(x, kept["narrow.weight"], kept["narrow.bias"], spec.narrow)
            parts.append(self.node("Relu", self.on_cells(narrow, spec.narrow)))
            weights.append(self.shaped(kept["summary.narrow"], spec.hidden, spec.narrow * spec.cells))
        whole = self.linear(self.node("Concat", *parts, axis=1), self.node("Concat", *weights, axis=1))
        return self.node("Relu", self.node("Add", whole, kept["summary.bias"]))

    def planes(self, x: str) -> str:
        spec, kept = self.spec, self._kept
        return self.on_cells(
            self.cellwise(x, kept["cells.weight"], kept["cells.bias"], spec.policy_planes), spec.policy_planes
        )

    def cellwise(self, x: str, weight: str, bias: str, outputs: int) -> str:
        """A linear map of each cell's channels, as a convolution of a single cell."""
        return self.node("Conv", x, self.shaped(weight, outputs, self.spec.channels, 1, 1), bias)

    def on_cells(self, x: str, planes: int) -> str:
        """Planes over the grid as a row of planes over cells."""
        spec = self.spec
        if not spec.is_whole:
            x = self.shaped(x, -1, planes, spec.rows * spec.columns)
            x = self.node("Gather", x, self.numbers(*spec.places), axis=2)
        return self.shaped(x, -1, planes * spec.cells)
