"""What a network is made of: its sizes, and the named arrays that torch, ONNX and the GPU share."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ludus.errors import Mismatch
from ludus.shapes import HEXAGON_STEPS, SQUARE_STEPS, Board, Shape, flat, hexagons, squares

Weights = dict[str, np.ndarray]
"""float32 arrays by name, as `NetSpec.arrays` lists them: no normalisation is left in them."""

STEPS = {"squares": ((0, 0), *SQUARE_STEPS), "hexagons": ((0, 0), *HEXAGON_STEPS), "none": ((0, 0),)}
"""(row, column) of each tap: the cell itself, then the directions of its neighbours in a board's order."""


SPEC = "ludus.net"
"""Under this name an ONNX file holds the sizes of its network."""


@dataclass(frozen=True)
class NetSpec:
    """The sizes of a network; plain numbers and a word, so that a file can hold them."""

    kind: str
    """squares, hexagons or none."""
    rows: int
    columns: int
    """Of the grid that holds the board; 1 and 1 without one."""
    planes: int
    extra: int
    """Features of each cell, and of none."""
    policy_planes: int
    policy_extra: int
    seats: int
    channels: int
    blocks: int
    hidden: int
    """Of the summary."""
    narrow: int
    """Channels of each cell that the summary sees one by one; 0 for a network that serves boards of all sizes."""
    rules: str = ""
    """What it is told of the rules, with commas between: numbers as `variants` reads them; "" for one set of rules."""

    @cached_property
    def board(self) -> Board | None:
        if self.kind == "none":
            return None
        return hexagons((self.rows + 1) // 2) if self.kind == "hexagons" else squares(self.rows, self.columns)

    @property
    def cells(self) -> int:
        return self.board.cells if self.board else 1

    @property
    def told(self) -> tuple[str, ...]:
        """The numbers of the rules."""
        return tuple(filter(None, self.rules.split(",")))

    @property
    def taps(self) -> int:
        return len(STEPS[self.kind])

    @property
    def features(self) -> int:
        return self.planes * self.cells + self.extra

    @property
    def policy(self) -> int:
        return self.policy_planes * self.cells + self.policy_extra

    @property
    def arrays(self) -> dict[str, tuple[int, ...]]:
        """The name and shape of every array; a matrix is [outputs, inputs]."""
        taps, channels, hidden = self.taps, self.channels, self.hidden
        return {
            "stem.taps": (taps, channels, self.planes),
            "stem.extra": (channels, self.extra),
            "stem.rules": (channels, len(self.told)),
            "stem.bias": (channels,),
            "trunk.taps": (2 * self.blocks, taps, channels, channels),
            "trunk.bias": (2 * self.blocks, channels),
            "cells.weight": (self.policy_planes, channels),
            "cells.bias": (self.policy_planes,),
            "narrow.weight": (self.narrow, channels),
            "narrow.bias": (self.narrow,),
            "summary.mean": (hidden, channels),
            "summary.most": (hidden, channels),
            "summary.narrow": (hidden, self.narrow, self.cells if self.narrow else 0),
            "summary.bias": (hidden,),
            "extra.weight": (self.policy_extra, hidden),
            "extra.bias": (self.policy_extra,),
            "value.weight": (self.seats, hidden),
            "value.bias": (self.seats,),
        }

    @cached_property
    def grid(self) -> np.ndarray:
        """int64[rows * columns]: the cell at each place of the grid; `cells` where there is none."""
        found = np.full(self.rows * self.columns, self.cells)
        found[self.places] = np.arange(self.cells)
        return found

    @cached_property
    def places(self) -> np.ndarray:
        """int64[cells]: the place of each cell in the grid, row by row."""
        if self.board is None:
            return np.zeros(1, np.int64)
        return self.board.places[:, 0].astype(np.int64) * self.columns + self.board.places[:, 1]

    @property
    def is_whole(self) -> bool:
        """Whether the cells fill the grid in its order."""
        return self.cells == self.rows * self.columns

    @property
    def kernel(self) -> np.ndarray:
        """int64[9]: the tap at each place of a 3 x 3 kernel; `taps` where there is none."""
        taps = {step: tap for tap, step in enumerate(STEPS[self.kind])}
        return np.array([taps.get((row, column), self.taps) for row in (-1, 0, 1) for column in (-1, 0, 1)])

    def on(self, features: Shape, policy: Shape) -> NetSpec:
        """The same network on a board of another size."""
        if self.kind == "none":
            features, policy = flat(features.length), flat(policy.length)
        sizes = self.seats, self.channels, self.blocks, self.hidden, self.narrow
        other = dataclasses.replace(net_spec(features, policy, *sizes), rules=self.rules)
        if self.ends != other.ends:
            raise Mismatch(f"the network has {self.ends}, and these rules ask for {other.ends}; train one for them")
        if self.narrow and other != self:
            only = f"the network is for a board of {self.cells} cells alone, not of {other.cells}"
            raise Mismatch(f"{only}; --set any_size=on trains one for all")
        return other

    @property
    def ends(self) -> str:
        """What goes in and comes out, wherever it plays."""
        seen, answers = f"{self.planes} planes and {self.extra} numbers", f"{self.policy_planes} planes"
        return f"{seen} in, {answers} and {self.policy_extra} slots out"

    def to_json(self) -> dict[str, int | str]:
        return dataclasses.asdict(self)


def net_spec(
    features: Shape, policy: Shape, seats: int, channels: int, blocks: int, hidden: int = 64, narrow: int = 16
) -> NetSpec:
    """A network for these shapes. Policy planes count as such where they lie over the board of the features."""
    board = features.board
    rows, columns = board.grid if board else (1, 1)
    shared = board is not None and policy.board is not None and board.places.shape == policy.board.places.shape
    planes, extra = (policy.planes, policy.extra) if shared else (0, policy.length)
    return NetSpec(
        board.kind if board else "none", rows, columns, features.planes, features.extra, planes, extra, seats, channels,
        blocks, hidden, narrow if board else 0,
    )  # fmt: skip


def check_weights(spec: NetSpec, weights: Weights) -> None:
    for name, shape in spec.arrays.items():
        if name not in weights or weights[name].shape != shape:
            found = weights[name].shape if name in weights else "missing"
            raise Mismatch(f"the network's array {name} is {found}, and should have the shape {shape}")


def count_numbers(spec: NetSpec) -> int:
    return sum(int(np.prod(shape)) for shape in spec.arrays.values())
