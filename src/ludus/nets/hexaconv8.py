"""The network of the Organism paper in 8 bits, for processors that multiply bytes in tiles; and what patches of the
board have in common is multiplied once.

What the first layer says of a cell depends on the cell and its six neighbours alone, and among the positions of a
search such a patch comes again and again; so do the seven round a cell, which are all that the second layer looks
at. Each is met once, and what a layer says of it is put on a shelf. Only those cells of a layer are worked out that a
later one looks at.

Channels are bytes in units of their own: 255 is the most that was seen of a channel in some positions of random play,
and the next layer's weights are scaled accordingly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.nets.books import Book, forget, make_book, make_keys, mark_cells, number_of
from ludus.nets.hexaconv import PLANES, Arrays, side_of
from ludus.nets.tiles import (
    BLOCK,
    DEEP,
    LINE,
    ROWS,
    TALLEST,
    TILE,
    add_short,
    aligned,
    begin,
    block,
    end,
    fetch,
    has_tiles,
    in_one,
    in_tiles,
    into_tiles,
    layout,
    line_of,
    write_both,
    write_bytes,
    write_short,
)

TAPS = tuple((row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row * column != 1)
"""A cell and its six neighbours, as steps on the skewed grid."""
SEVEN = len(TAPS)
CELL = 16  # bytes for the planes of a cell
SHELF = (
    1 << 15
)  # patches that are kept, of 7 KB each: with twice as many a seventh less are new, with half a quarter more
FINE = 9  # bits that a product loses on the shelf
SEVENS = 4  # times as many cells of the second layer
DEPTH = 2 * DEEP  # bytes of a patch, as many as tiles are deep
ZERO = 128  # the byte of a plane that is 0: bytes have no sign
HALF = 128  # of what a lower byte can count, to either side
MOST = 255  # of a byte
AT_ONCE = 128  # rows that are valued at a time, so that a layer stays in the processor's cache
NARROWEST = 128  # channels; with fewer onnxruntime is as quick


class Layer(NamedTuple):
    """A layer whose inputs and answers are bytes."""

    weight: np.ndarray  # int8[columns // 32, …], in tiles
    factor: np.ndarray  # float32[columns]: what one unit of a product is, in units of the answer
    bias: np.ndarray  # float32[columns], in those units, and half of one to round by


class Net(NamedTuple):
    """The arrays as they are read here."""

    first: Layer  # its columns twice: the upper bytes of the weights, then the lower ones
    second: Layer  # all taps side by side
    third: Layer
    fourth: Layer
    fifth: Layer
    sixth: Layer
    last: np.ndarray  # float32[channels]
    last_bias: np.ndarray


class Near(NamedTuple):
    """The cells that each layer works out: where it finds what it looks at, int64[cells, taps], as numbers of the layer
    before; one more than its last where there is no cell."""

    first: np.ndarray
    second: np.ndarray
    third: np.ndarray
    fourth: np.ndarray
    fifth: np.ndarray  # a full layer is one cell that looks at all
    sixth: np.ndarray


class Shelf(NamedTuple):
    """What was met so far, and room for the layers: uint8[tiles, depth, 16, 64], cell by cell."""

    patches: Book
    products: np.ndarray  # int16[SHELF // 16, taps * channels // 32, 16, 32]: what the second layer's taps make of them
    sevens: Book  # of patches round a cell
    sums: np.ndarray  # uint8[…, channels]: the second layer of each
    marks: np.ndarray  # uint64[places + 1]: a hash of each cell of one position; the last one is off the grid
    numbers: np.ndarray  # int32[cells + 1]: the patches of one position
    keys: np.ndarray  # uint64[cells]: of what is looked for
    wanted: np.ndarray  # int32[cells, rows]: the sevens of all positions
    new: np.ndarray  # the patches that are new, of DEPTH bytes
    new_sevens: np.ndarray  # int32[…, taps]: their patches
    lines: np.ndarray  # int64[2, taps]: addresses of what is added up, and of what comes next
    alone: np.ndarray  # int64[1, 1]: what the only cell of a layer looks at
    layout: np.ndarray
    blocks: np.ndarray  # int32[2, 48, 32]
    totals: np.ndarray  # float32[64]
    first: np.ndarray  # of the new patches
    second: np.ndarray
    third: np.ndarray
    fourth: np.ndarray
    fifth: np.ndarray
    sixth: np.ndarray


# ------------------------------------------------------------------------------------------------ what was met


@template
def find_all(shelf, near, planes):
    """Number the patches of each position, and the sevens of them; new ones are written down."""
    patches, sevens, places = shelf.patches.met[0], shelf.sevens.met[0], shelf.marks.shape[0] - 1
    for row in range(planes.shape[0]):
        mark_cells(shelf.marks, planes[row])
        make_keys(shelf.patches, shelf.marks, near.first, shelf.keys)
        for at in range(near.first.shape[0]):
            number, is_new = number_of(shelf.patches, shelf.keys[at])
            shelf.numbers[at] = number
            if is_new:
                write_patch(planes[row], near.first[at], places, shelf.new, number - patches)
        make_keys(shelf.sevens, shelf.numbers, near.second, shelf.keys)
        for at in range(near.second.shape[0]):
            number, is_new = number_of(shelf.sevens, shelf.keys[at])
            shelf.wanted[at, row] = number
            if is_new:
                for tap in range(near.second.shape[1]):
                    shelf.new_sevens[number - sevens, tap] = shelf.numbers[near.second[at, tap]]


@template
def write_patch(planes, near, places, out, row):
    """Four cells are the depth of a tile."""
    for tap in range(near.shape[0]):
        cell, place = out[row >> 4, tap >> 2, row & 15, CELL * (tap & 3) :], near[tap]
        cell[:CELL] = ZERO
        if place < places:
            for plane in range(planes.shape[0] // places):
                cell[plane] = np.uint8(planes[plane * places + place] + ZERO)


# ------------------------------------------------------------------------------------------------ layers


@template
def first_layer(net, shelf, height):
    """The channels of so many tiles of new patches, as bytes."""
    layer, columns, near = net.first, net.first.weight.shape[0] // 2, shelf.alone[0]
    upper, lower = shelf.blocks[0].ctypes.data, shelf.blocks[1].ctypes.data
    for column in range(columns):
        factor, bias = layer.factor[BLOCK * column :].ctypes.data, layer.bias[BLOCK * column :].ctypes.data
        for tile in range(0, height, TALLEST):
            count = min(height - tile, TALLEST)
            into_block(upper, shelf.new, near, 0, tile, count, layer.weight, column)
            into_block(lower, shelf.new, near, 0, tile, count, layer.weight, columns + column)
            for row in range(ROWS * count):
                at, out = row * 4 * BLOCK, half_line(shelf.first, ROWS * tile + row, column)
                write_both(upper + at, lower + at, HALF, factor, bias, out)


@template
def half_line(layer, row, column):
    """The address of 32 channels of a row."""
    return line_of(layer, row) + (column >> 1) * TILE + (column & 1) * BLOCK


@template
def tiles_of(rows):
    return (rows + 15) >> 4


@template
def make_products(net, shelf, first):
    """What every tap of the second layer makes of the patches from this one on. They lose so many bits that the others
    always fit, and that there is half as much memory to read again and again."""
    height, found, near = tiles_of(shelf.patches.met[0] - first), shelf.blocks[0].ctypes.data, shelf.alone[0]
    first_layer(net, shelf, height)
    for column in range(net.second.weight.shape[0]):
        for tile in range(0, height, TALLEST):
            count = min(height - tile, TALLEST)
            into_block(found, shelf.first, near, 0, tile, count, net.second.weight, column)
            for k in range(count):
                out = shelf.products[(first >> 4) + tile + k, column].ctypes.data
                for row in range(ROWS):
                    write_short(found + (ROWS * k + row) * 4 * BLOCK, FINE, out + row * LINE)


@template
def add_up(net, shelf, first):
    """The second layer of the sevens from this one on; the lines of the next are sent for meanwhile."""
    count, columns = shelf.sevens.met[0] - first, shelf.sums.shape[1] // BLOCK
    factor, bias = net.second.factor.ctypes.data, net.second.bias.ctypes.data
    find_lines(shelf.products, columns, shelf.new_sevens[0], shelf.lines[0])
    for k in range(count):
        here, ahead = shelf.lines[k & 1], shelf.lines[1 - (k & 1)]
        find_lines(shelf.products, columns, shelf.new_sevens[min(k + 1, count - 1)], ahead)
        out = shelf.sums[first + k].ctypes.data
        for column in range(columns):
            for tap in range(ahead.shape[0]):
                fetch(ahead[tap] + column * TILE)
            far = column * 4 * BLOCK
            add_short(here.ctypes.data, SEVEN, column * TILE, factor + far, bias + far, out + column * BLOCK)


@template
def find_lines(products, columns, patches, lines):
    """Where the products of each tap with its patch begin; those of 16 patches lie side by side."""
    for tap in range(lines.shape[0]):
        lines[tap] = products[patches[tap] >> 4, columns * tap, patches[tap] & 15].ctypes.data


@template
def take_sevens(shelf, cells, rows):
    """The second layer of all positions."""
    for at in range(cells):
        for row in range(rows):
            into_tiles(shelf.sums, shelf.wanted[at, row], shelf.second, 16 * tiles_of(rows) * at + row)


@template
def layer_of(shelf, source, near, rows, layer, out):
    """Bytes in, bytes out. All rows of a tile are worked out, even those that nobody asked for."""
    part, found = tiles_of(rows), shelf.blocks[0].ctypes.data
    for column in range(layer.weight.shape[0]):
        factor, bias = layer.factor[BLOCK * column :].ctypes.data, layer.bias[BLOCK * column :].ctypes.data
        for at in range(near.shape[0]):
            for tile in range(0, part, TALLEST):
                height = min(TALLEST, part - tile)
                into_block(found, source, near[at], part, tile, height, layer.weight, column)
                for row in range(ROWS * height):
                    here = half_line(out, ROWS * (at * part + tile) + row, column)
                    write_bytes(found + row * 4 * BLOCK, factor, bias, here)


@template
def into_block(found, source, near, part, tile, height, weight, column):
    """The product of so many tiles of rows with 32 columns."""
    block(source, near, part, tile, height, weight.ctypes.data + column * weight.shape[1], found)


@template
def value_all(net, near, shelf, planes, values):
    """What each position is worth to who moves there."""
    shelf.patches.met[0] = ROWS * tiles_of(shelf.patches.met[0])  # what is new begins a tile
    rows, patches, sevens = planes.shape[0], shelf.patches.met[0], shelf.sevens.met[0]
    find_all(shelf, near, planes)
    begin(shelf.layout.ctypes.data)
    make_products(net, shelf, patches)
    add_up(net, shelf, sevens)
    take_sevens(shelf, near.second.shape[0], rows)
    layer_of(shelf, shelf.second, near.third, rows, net.third, shelf.third)
    layer_of(shelf, shelf.third, near.fourth, rows, net.fourth, shelf.fourth)
    layer_of(shelf, shelf.fourth, near.fifth, rows, net.fifth, shelf.fifth)
    layer_of(shelf, shelf.fifth, near.sixth, rows, net.sixth, shelf.sixth)
    end()
    last_layer(net, shelf.sixth, shelf.totals, values)


@template
def last_layer(net, source, totals, values):
    """Sums of every 64th product go on side by side."""
    for row in range(values.shape[0]):
        totals[:] = 0.0
        for k in range(source.shape[1]):
            line, weight = source[row >> 4, k, row & 15], net.last[DEEP * k : DEEP * k + DEEP]
            for j in range(DEEP):
                totals[j] += weight[j] * np.float32(line[j])
        values[row] = np.tanh(totals.sum() + net.last_bias[0])


# ------------------------------------------------------------------------------------------------ cells and scales


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


def flat_weights(arrays: Arrays) -> list[np.ndarray]:
    """The weights of every layer, a row for each input: of a convolution tap by tap, of the first full layer cell by
    cell."""
    width, found = len(arrays[0][0]), []
    for k, (weight, _) in enumerate(arrays):
        if k < 4:
            found.append(np.concatenate([weight[:, :, 1 + down, 1 + right].T for down, right in TAPS]))
        elif k == 4:
            found.append(weight.reshape(len(weight), width, -1).transpose(2, 1, 0).reshape(-1, len(weight)))
        else:
            found.append(weight.T)
    return found


def units_of(arrays: Arrays, weights: list[np.ndarray], near: Near, planes: np.ndarray) -> list[np.ndarray]:
    """What a byte stands for in each channel of each layer but the last: the most in these positions is 255."""
    x, found = planes.reshape(len(planes), PLANES, -1).transpose(0, 2, 1).astype(np.float32), []
    for k in range(len(arrays) - 1):
        if k < 4:
            x = np.concatenate([x, np.zeros_like(x[:, :1])], axis=1)[:, near[k]].reshape(len(x), len(near[k]), -1)
        elif k == 4:
            x = x.reshape(len(x), -1)
        x = np.maximum(x @ weights[k] + arrays[k][1], 0)
        found.append(np.maximum(x.reshape(-1, x.shape[-1]).max(axis=0), 1e-6) / MOST)
    return found


def make_net(arrays: Arrays, near: Near, planes: np.ndarray) -> Net:
    weights, width = flat_weights(arrays), len(arrays[0][0])
    units, layers = units_of(arrays, weights, near, planes), []
    for k in range(1, len(arrays) - 1):
        scaled = weights[k] * np.tile(units[k - 1], len(weights[k]) // len(units[k - 1]))[:, None]
        step = np.maximum(abs(scaled).max(axis=0), 1e-12) / 127
        bias = _floats(arrays[k][1] / units[k] + 0.5)
        layers.append(Layer(np.round(scaled / step).astype(np.int8), _floats(step / units[k]), bias))
    taps = layers[0].weight.reshape(SEVEN, width, width).transpose(1, 0, 2).reshape(width, -1)
    layers[0] = layers[0]._replace(weight=taps, factor=layers[0].factor * np.float32(1 << FINE))
    layers = [_first(weights[0] / units[0], arrays[0][1] / units[0]), *layers]
    packed = in_one([in_tiles(layer.weight) for layer in layers])
    first, second, third, fourth, fifth, sixth = (x._replace(weight=weight) for x, weight in zip(layers, packed))
    last = _floats(weights[-1][:, 0] * units[-1])
    return Net(first, second, third, fourth, fifth, sixth, last, _floats(arrays[-1][1]))


def _first(weight: np.ndarray, bias: np.ndarray) -> Layer:
    """Planes are few and their sizes differ, so that one byte a weight would be too little."""
    step = np.maximum(abs(weight).max(axis=0), 1e-12) / (127 * HALF)
    whole, width = np.zeros((DEPTH // CELL, CELL, weight.shape[1]), np.int64), weight.shape[1]
    whole[:SEVEN, :PLANES] = np.round(weight / step).reshape(SEVEN, PLANES, width)
    whole = whole.reshape(DEPTH, width)
    upper = (whole + HALF // 2) // HALF
    both = np.concatenate([upper, whole - HALF * upper], axis=1).astype(np.int8)
    return Layer(both, _floats(step), _floats(bias + 0.5 - ZERO * whole.sum(axis=0) * step))


def _floats(numbers: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(numbers, np.float32)


# ------------------------------------------------------------------------------------------------ the network


def fits(arrays: Arrays) -> bool:
    """Whether this processor can value with such a network here."""
    width = len(arrays[0][0])
    return has_tiles() and width % DEEP == 0 and width >= NARROWEST


class TileValues:
    """Values on one thread of this processor. Some positions of its game say how large its channels get."""

    def __init__(self, game: Game, arrays: Arrays, positions: np.ndarray):
        self.side, self._width = side_of(arrays), len(arrays[0][0])
        self._near = near_cells(self.side)
        self._net = make_net(arrays, self._near, positions)
        self._value_all = game.kernel(value_all)
        self._shelves: list[Shelf] = []

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        shelf = self._shelves.pop() if self._shelves else self._make_shelf()  # threads share the network, but no shelf
        values = np.empty(len(planes), np.float32)
        for first in range(0, len(planes), AT_ONCE):
            if self._is_full(shelf):
                clear(shelf)
            part = slice(first, first + AT_ONCE)
            self._value_all(self._net, self._near, shelf, planes[part], values[part])
        self._shelves.append(shelf)
        return values

    def forget(self) -> None:
        """All that was met."""
        for shelf in self._shelves:
            clear(shelf)

    def _is_full(self, shelf: Shelf) -> bool:
        """Whether there may be no room for as many new patches and sevens as one call can meet."""
        few = SHELF - AT_ONCE * (len(self._near.first) + 1)
        return shelf.patches.met[0] >= few or shelf.sevens.met[0] + len(shelf.new_sevens) >= len(shelf.sums)

    def _make_shelf(self) -> Shelf:
        width, counts = self._width, [AT_ONCE * len(near) for near in self._near]
        widths = [width, width, width, width, 2 * width, width]
        sevens = SEVENS * SHELF
        return Shelf(
            make_book(SHELF), aligned((SHELF // ROWS, SEVEN * width // BLOCK, ROWS, BLOCK), np.int16),
            make_book(sevens), aligned((sevens, width), np.uint8), np.zeros(self.side**2 + 1, np.uint64),
            np.zeros(len(self._near.first) + 1, np.int32), np.zeros(len(self._near.first), np.uint64),
            np.zeros((len(self._near.second), AT_ONCE), np.int32), room_for(counts[0], DEPTH),
            np.zeros((counts[1], SEVEN), np.int32), np.zeros((2, SEVEN), np.int64), np.zeros((1, 1), np.int64),
            layout(), aligned((2, TALLEST * ROWS, BLOCK), np.int32), np.zeros(DEEP, np.float32),
            *map(room_for, counts, widths),
        )  # fmt: skip


def clear(shelf: Shelf) -> None:
    """Begin anew."""
    forget(shelf.patches)
    forget(shelf.sevens)  # which are known by the numbers of their patches


def room_for(rows: int, width: int) -> np.ndarray:
    """So many rows, tile by tile."""
    return aligned((-(-rows // ROWS), width // DEEP, ROWS, DEEP), np.uint8)
