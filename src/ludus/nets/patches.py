"""What the few bits of the Organism paper's network have in common (`hexaconv8`, `hexaconv16`): which cells are worked
out, what was met of them, and how large channels get.

What the first layer says of a cell depends on the cell and its six neighbours alone, and among the positions of a
search such a patch comes again and again; so do the seven round a cell, which are all that the second layer looks
at. Each is met once, and what a layer says of it is put on a shelf. Only those cells of a layer are worked out that a
later one looks at.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus.compile import template
from ludus.nets.books import Book, forget, make_book, make_keys, mark_cells, number_of
from ludus.nets.hexaconv import PLANES, Arrays, side_of
from ludus.nets.tiles import DEEP, ROWS, aligned

TAPS = tuple((row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row * column != 1)
"""A cell and its six neighbours, as steps on the skewed grid."""
SEVEN = len(TAPS)
CELL = 16  # bytes for the planes of a cell
DEPTH = 2 * DEEP  # bytes of a patch, as many as tiles are deep
ZERO = 128  # the byte of a plane that is 0: bytes have no sign
AT_ONCE = 128  # rows that are valued at a time, so that a layer stays in the processor's cache
NARROWEST = 128  # channels; with fewer onnxruntime is as quick


class Near(NamedTuple):
    """The cells that each layer works out: where it finds what it looks at, int64[cells, taps], as numbers of the layer
    before; one more than its last where there is no cell."""

    first: np.ndarray
    second: np.ndarray
    third: np.ndarray
    fourth: np.ndarray
    fifth: np.ndarray  # a full layer is one cell that looks at all
    sixth: np.ndarray


class Ledger(NamedTuple):
    """What was met so far, and room to look the positions of one call up in it."""

    patches: Book
    sevens: Book  # of patches round a cell
    marks: np.ndarray  # uint64[places + 1]: a hash of each cell of one position; the last one is off the grid
    numbers: np.ndarray  # int32[cells + 1]: the patches of one position
    keys: np.ndarray  # uint64[cells]: of what is looked for
    wanted: np.ndarray  # int32[cells, rows]: the sevens of all positions
    new: np.ndarray  # uint8[tiles, 2, 16, 64]: the patches that are new
    new_sevens: np.ndarray  # int32[…, taps]: their patches


# ------------------------------------------------------------------------------------------------ what was met


@template
def find_all(ledger, near, planes):
    """Number the patches of each position, and the sevens of them; new ones are written down."""
    patches, sevens, places = ledger.patches.met[0], ledger.sevens.met[0], ledger.marks.shape[0] - 1
    for row in range(planes.shape[0]):
        mark_cells(ledger.marks, planes[row])
        make_keys(ledger.patches, ledger.marks, near.first, ledger.keys)
        for at in range(near.first.shape[0]):
            number, is_new = number_of(ledger.patches, ledger.keys[at])
            ledger.numbers[at] = number
            if is_new:
                write_patch(planes[row], near.first[at], places, ledger.new, number - patches)
        make_keys(ledger.sevens, ledger.numbers, near.second, ledger.keys)
        for at in range(near.second.shape[0]):
            number, is_new = number_of(ledger.sevens, ledger.keys[at])
            ledger.wanted[at, row] = number
            if is_new:
                for tap in range(near.second.shape[1]):
                    ledger.new_sevens[number - sevens, tap] = ledger.numbers[near.second[at, tap]]


@template
def write_patch(planes, near, places, out, row):
    """Four cells are the depth of a tile."""
    for tap in range(near.shape[0]):
        cell, place = out[row >> 4, tap >> 2, row & 15, CELL * (tap & 3) :], near[tap]
        cell[:CELL] = ZERO
        if place < places:
            for plane in range(planes.shape[0] // places):
                cell[plane] = np.uint8(planes[plane * places + place] + ZERO)


def make_ledger(near: Near, side: int, rows: int, patches: int, sevens: int) -> Ledger:
    """For so many positions a call; so many patches and sevens are kept."""
    cells = len(near.first)
    return Ledger(
        make_book(patches), make_book(sevens), np.zeros(side**2 + 1, np.uint64), np.zeros(cells + 1, np.int32),
        np.zeros(cells, np.uint64), np.zeros((len(near.second), rows), np.int32), room_for(rows * cells, DEPTH),
        np.zeros((rows * len(near.second), SEVEN), np.int32),
    )  # fmt: skip


def room_for(rows: int, width: int) -> np.ndarray:
    """So many rows of bytes, tile by tile."""
    return aligned((-(-rows // ROWS), width // DEEP, ROWS, DEEP), np.uint8)


# ------------------------------------------------------------------------------------------------ cells


def near_cells(side: int) -> Near:
    """Only what the last convolution depends on, from there to the first."""
    grid = [(row, column) for row in range(side) for column in range(side)]
    wanted = [[(row, column) for row, column in grid if {row, column} <= set(range(2, side - 2))]]
    for _ in range(3):
        seen = {(row + down, column + right) for row, column in wanted[0] for down, right in TAPS}
        wanted.insert(0, [place for place in grid if place in seen])
    full, alone = np.arange(len(wanted[-1]))[None], np.zeros((1, 1), np.int64)
    first, second, third, fourth = (_numbers(cells, before) for before, cells in zip([grid, *wanted], wanted))
    return Near(first, second, third, fourth, full, alone)


def _numbers(cells: Sequence[tuple[int, int]], before: Sequence[tuple[int, int]]) -> np.ndarray:
    numbers = {place: number for number, place in enumerate(before)}
    return np.array([[numbers.get((row + down, column + right), len(before)) for down, right in TAPS]
                     for row, column in cells])  # fmt: skip


# ------------------------------------------------------------------------------------------------ scales


class Seen(NamedTuple):
    """A layer's weights, and what some positions make of it."""

    taps: np.ndarray  # float32[taps, inputs, columns]: of a convolution tap by tap, of a full layer cell by cell
    inputs: np.ndarray  # float32[taps, inputs]: the mean of each
    product: np.ndarray  # float32[columns]: the most of a sum of products, to either side
    channel: np.ndarray  # float32[columns]: the most of a channel


def measure(arrays: Arrays, near: Near, planes: np.ndarray) -> list[Seen]:
    """All layers but the last."""
    x, found = planes.reshape(len(planes), PLANES, -1).transpose(0, 2, 1).astype(np.float32), []
    for k, (cells, (_, bias)) in enumerate(zip(near, arrays)):
        x = np.concatenate([x, np.zeros_like(x[:, :1])], axis=1)[:, cells]  # positions, cells, taps, inputs
        taps = _taps(arrays, k)
        parts = [x[:, :, tap].reshape(-1, x.shape[-1]) @ taps[tap] for tap in range(len(taps))]
        whole = np.maximum(sum(parts) + bias, 0)
        most = np.max([abs(part).max(axis=0) for part in [*parts, sum(parts)]], axis=0)
        found.append(Seen(taps, x.mean(axis=(0, 1)), _at_least_mean(most), _at_least_mean(whole.max(axis=0))))
        x = whole.reshape(len(planes), len(cells), -1)
    return found


def _taps(arrays: Arrays, k: int) -> np.ndarray:
    """The weights of a layer, a row for each input of each tap."""
    weight = arrays[k][0]
    if weight.ndim == 4:
        return np.stack([weight[:, :, 1 + down, 1 + right].T for down, right in TAPS])
    return weight.reshape(len(weight), len(arrays[k - 1][0]), -1).transpose(2, 1, 0)


def _at_least_mean(most: np.ndarray) -> np.ndarray:
    """What was rarely seen may be seen to be larger."""
    return np.maximum(most, max(most.mean(), 1e-6))


def floats(numbers: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(numbers, np.float32)


# ------------------------------------------------------------------------------------------------ the network


class Room(NamedTuple):
    """Of one kind of things that a shelf keeps."""

    used: np.ndarray  # int64[1]
    most: int  # that one position can add
    size: int


class PatchValues(ABC):
    """Values on one thread of this processor. Some positions say how large its channels get."""

    def __init__(self, arrays: Arrays, positions: np.ndarray):
        self.side, self.width = side_of(arrays), len(arrays[0][0])
        self.near = near_cells(self.side)
        self._net, self._value_all = self._make_net(arrays, positions), self._kernel()
        self._shelves: list[Any] = []

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        shelf = self._shelves.pop() if self._shelves else self._make_shelf()  # threads share the network, but no shelf
        values, rows = np.empty(len(planes), np.float32), self._rows()
        for first in range(0, len(planes), rows):
            part = slice(first, first + rows)
            if any(room.used[0] + len(values[part]) * room.most > room.size for room in self._rooms(shelf)):
                self._clear(shelf)
            self._value_all(self._net, self.near, shelf, planes[part], values[part])
        self._shelves.append(shelf)
        return values

    def forget(self) -> None:
        """All that was met."""
        for shelf in self._shelves:
            self._clear(shelf)

    @abstractmethod
    def _make_net(self, arrays: Arrays, positions: np.ndarray) -> Any: ...

    @abstractmethod
    def _kernel(self) -> Callable:
        """Fills in the values of some positions, by the network, its cells and a shelf."""

    @abstractmethod
    def _rows(self) -> int:
        """Positions that are valued at a time."""

    @abstractmethod
    def _make_shelf(self) -> Any: ...

    @abstractmethod
    def _rooms(self, shelf: Any) -> list[Room]: ...

    def _clear(self, shelf: Any) -> None:
        """Begin anew."""
        forget(shelf.ledger.patches)
        forget(shelf.ledger.sevens)  # which are known by the numbers of their patches
