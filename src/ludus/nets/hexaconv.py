"""The network of the Organism paper: four hexagonal convolutions, three full layers, one value and no policy.

The kernels are 3 x 3 with two opposite corners always 0, which on the skewed grid of a hexagonal board leaves a cell
and its six neighbours. The last two convolutions have no margin, so the grid shrinks by four before it is flattened.
Training normalises after every layer but the last; that is folded into the arrays that are kept and played.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ludus.errors import Mismatch

PLANES = 11
LAYERS = 7
AT_ONCE = 128  # rows that onnxruntime values at a time, so that a layer stays in the processor's cache
FEWEST, MOST = 256, 8192  # rows that a GPU values at a time


class Values(Protocol):
    """A network that is ready to play."""

    side: int
    """Of the grid that it sees."""

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        """float32[rows] for int8[rows, PLANES * side * side]: what each position is worth to who moves there."""
        ...


Arrays = list[tuple[np.ndarray, np.ndarray]]
"""The weight and the bias of each layer."""


def sizes(side: int, width: int) -> list[tuple[int, ...]]:
    """The shapes of the weights, for a board on a grid of this side."""
    convolutions = [(width, PLANES if k == 0 else width, 3, 3) for k in range(4)]
    return [*convolutions, (2 * width, width * (side - 4) ** 2), (width, 2 * width), (1, width)]


def to_onnx(arrays: Arrays, half: bool = False) -> bytes:
    """The network as an ONNX file: `planes` in, `value` out."""
    from onnx import TensorProto, helper, numpy_helper

    nodes, tensors, name = [], [], "planes"

    def node(kind: str, *inputs: str, **settings: Any) -> str:
        nodes.append(helper.make_node(kind, list(inputs), [f"n{len(nodes)}"], **settings))
        return f"n{len(nodes) - 1}"

    def kept(label: str, array: np.ndarray) -> str:
        tensors.append(numpy_helper.from_array(array.astype(np.float16 if half else np.float32), label))
        return node("Cast", label, to=TensorProto.FLOAT) if half else label

    for k, (weight, bias) in enumerate(arrays):
        inputs = (kept(f"weight{k}", weight), kept(f"bias{k}", bias))
        if k < 4:
            name = node("Conv", name, *inputs, pads=[1 if k < 2 else 0] * 4)
        else:
            name = node("Gemm", node("Flatten", name) if k == 4 else name, *inputs, transB=1)
        name = node("Tanh" if k == LAYERS - 1 else "Relu", name)
    side = side_of(arrays)
    grid = helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["rows", PLANES, side, side])
    value = helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", 1])
    graph = helper.make_graph(nodes, "hexaconv", [grid], [value], tensors)
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9
    ).SerializeToString()  # fmt: skip


def from_onnx(content: bytes) -> Arrays:
    """The arrays of a network that `to_onnx` wrote."""
    import onnx
    from onnx import numpy_helper

    tensors = onnx.load_from_string(content).graph.initializer
    found = {tensor.name: numpy_helper.to_array(tensor).astype(np.float32) for tensor in tensors}
    if f"weight{LAYERS - 1}" not in found or found["weight0"].shape[1:] != (PLANES, 3, 3):
        raise Mismatch(f"this ONNX file is no hexaconv network with {PLANES} planes")
    return [(found[f"weight{k}"], found[f"bias{k}"]) for k in range(LAYERS)]


def side_of(arrays: Arrays) -> int:
    """Of the grid that the network was made for."""
    return 4 + round((arrays[4][0].shape[1] / arrays[3][0].shape[0]) ** 0.5)


class CpuValues:
    """Values on one thread of this processor."""

    def __init__(self, arrays: Arrays):
        from ludus.nets.play import session

        self.side, self._session = side_of(arrays), session(to_onnx(arrays))

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        grids = planes.astype(np.float32).reshape(len(planes), PLANES, self.side, self.side)
        parts = [self._session.run(None, {"planes": grids[k : k + AT_ONCE]})[0] for k in range(0, len(grids), AT_ONCE)]
        return np.concatenate(parts)[:, 0]


class CudaValues:
    """Values on a GPU, at half precision."""

    def __init__(self, arrays: Arrays):
        import torch

        self.side, self._torch = side_of(arrays), torch
        self._arrays = [tuple(torch.as_tensor(part).cuda().half() for part in layer) for layer in arrays]
        for k in range(4):
            weight, bias = self._arrays[k]
            self._arrays[k] = weight.contiguous(memory_format=torch.channels_last), bias

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        """Batches are filled up to a few sizes: each that is new costs a search for the best algorithm."""
        parts = [planes[first : first + MOST] for first in range(0, len(planes), MOST)]
        return np.concatenate([self._value(part) for part in parts])

    def _value(self, planes: np.ndarray) -> np.ndarray:
        torch, functional = self._torch, self._torch.nn.functional
        rows = max(FEWEST, 1 << (len(planes) - 1).bit_length())
        with torch.inference_mode():
            whole = torch.zeros((rows, planes.shape[1]), dtype=torch.int8, device="cuda")
            whole[: len(planes)] = torch.from_numpy(planes).cuda()
            x = whole.half().view(-1, PLANES, self.side, self.side).contiguous(memory_format=torch.channels_last)
            for k, (weight, bias) in enumerate(self._arrays):
                if k < 4:
                    x = functional.conv2d(x, weight, bias, padding=1 if k < 2 else 0)
                else:
                    x = functional.linear(x.flatten(1), weight, bias)
                x = x.tanh() if k == LAYERS - 1 else x.relu()
            return x[: len(planes), 0].float().cpu().numpy()
