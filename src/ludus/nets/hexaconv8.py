"""The network of the Organism paper in 8 bits, for processors that multiply bytes in tiles; and what patches of the
board have in common is multiplied once.

What the first layer says of a cell depends on the cell and its six neighbours alone, and among the positions of a
search such a patch comes again and again. So a patch is met once: what each tap of the second layer makes of it is put
on a shelf, and the second layer only adds up seven rows for a cell. Only those cells of a layer are worked out that a
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
from ludus.nets.hexaconv import PLANES, Arrays, side_of
from ludus.nets.tiles import BLOCK, DEEP, aligned, begin, block, end, has_tiles, in_tiles, layout
from ludus.rng import blend

TAPS = tuple((row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row * column != 1)
"""A cell and its six neighbours, as steps on the skewed grid."""
CELL = 16  # bytes for the planes of a cell, two words
SHELF = 1 << 14  # patches that are kept: about as many as a match has
FINE = 9  # bits that a product loses on the shelf
DEPTH = 2 * DEEP  # bytes of a patch, as many as tiles are deep
ZERO = 128  # the byte of a plane that is 0: bytes have no sign
HALF = 128  # of what a lower byte can count, to either side
MIXER = np.uint64(0x9E3779B97F4A7C15)
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
    taps: np.ndarray  # int8[…, …]: the second layer, all taps side by side, in tiles
    second: Layer
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
    """What the second layer's taps make of the patches that were met, and room for the layers."""

    cells: np.ndarray  # uint8[places + 1, CELL]: the planes of one position, cell by cell; the last one is off the grid
    words: np.ndarray  # uint64[places + 1, CELL // 8]: the same memory
    marks: np.ndarray  # uint64[places + 1]: a hash of each cell
    keys: np.ndarray  # uint64[SHELF]: of the patches; the first is none, for what is off the grid
    slots: np.ndarray  # int32[a power of two]: their numbers, by their keys
    met: np.ndarray  # int64[1]: how many there are
    products: np.ndarray  # int16[SHELF, taps * channels]
    patches: np.ndarray  # int32[rows, cells + 1]: their numbers in each position
    new: np.ndarray  # uint8[1, …, DEPTH]: the patches that are new
    new_words: np.ndarray  # uint64[…, DEPTH // 8]: the same memory
    alone: np.ndarray  # int64[1]: the only cell of a layer
    layout: np.ndarray
    block: np.ndarray  # int32[32, 32]
    lower: np.ndarray  # the same, of the weights' lower bytes
    first: np.ndarray  # uint8[1, …, channels]: of the new patches
    second: np.ndarray  # uint8[cells, rows, channels], and so on
    third: np.ndarray
    fourth: np.ndarray
    fifth: np.ndarray
    sixth: np.ndarray


# ------------------------------------------------------------------------------------------------ patches


@template
def find_patches(shelf, near, planes):
    """Number the patch round each wanted cell of each position; new ones are put on the shelf."""
    places, first = shelf.cells.shape[0] - 1, shelf.met[0]
    for row in range(planes.shape[0]):
        for place in range(places):
            for plane in range(planes.shape[1] // places):
                shelf.cells[place, plane] = np.uint8(planes[row, plane * places + place] + ZERO)
            shelf.marks[place] = blend(blend(shelf.words[place, 0], MIXER), shelf.words[place, 1])
        for at in range(near.shape[0]):
            shelf.patches[row, at] = number_of(shelf, near[at], first)


@template
def number_of(shelf, near, first):
    """The number of one patch, which may be new. It is known by a key of 64 bits: two in a match with the same one are
    as likely as a broken processor."""
    key = np.uint64(0)
    for tap in range(near.shape[0]):
        key = key * MIXER + shelf.marks[near[tap]]
    mask = shelf.slots.shape[0] - 1
    slot = np.int64(key >> np.uint64(40)) & mask
    while shelf.slots[slot] != 0:
        if shelf.keys[shelf.slots[slot]] == key:
            return shelf.slots[slot]
        slot = (slot + 1) & mask
    number = shelf.met[0]
    for tap in range(near.shape[0]):
        for k in range(CELL // 8):
            shelf.new_words[number - first, CELL // 8 * tap + k] = shelf.words[near[tap], k]
    shelf.slots[slot], shelf.keys[number] = number, key
    shelf.met[0] += 1
    return np.int32(number)


@template
def first_layer(net, shelf, rows):
    """The channels of the new patches, as bytes."""
    layer, columns = net.first, net.first.weight.shape[0] // 2
    for column in range(columns):
        factor, bias = layer.factor[32 * column : 32 * column + 32], layer.bias[32 * column : 32 * column + 32]
        for row in range(0, rows, 32):
            into_block(shelf.block, shelf.new, shelf.alone, row, rows, layer.weight, column)
            into_block(shelf.lower, shelf.new, shelf.alone, row, rows, layer.weight, columns + column)
            for i in range(min(32, rows - row)):
                answer = shelf.first[0, row + i, 32 * column : 32 * column + 32]
                upper, lower = shelf.block[i], shelf.lower[i]
                for j in range(32):
                    amount = np.float32(upper[j]) * np.float32(HALF) + np.float32(lower[j])
                    answer[j] = to_byte(amount * factor[j] + bias[j])


@template
def to_byte(amount):
    return np.uint8(min(max(amount, np.float32(0.0)), np.float32(255.0)))


@template
def make_products(net, shelf, first):
    """What every tap of the second layer makes of the patches from this one on. They lose so many bits that the others
    always fit, and that there is half as much memory to read again and again."""
    rows, width = shelf.met[0] - first, shelf.first.shape[2]
    first_layer(net, shelf, rows)
    for left in range(0, net.taps.shape[0], width // 32):  # tap by tap: so many columns stay in the cache
        for row in range(0, rows, 32):
            for column in range(left, left + width // 32):
                into_block(shelf.block, shelf.first, shelf.alone, row, rows, net.taps, column)
                for i in range(min(32, rows - row)):
                    out, found = shelf.products[first + row + i, 32 * column : 32 * column + 32], shelf.block[i]
                    for j in range(32):
                        out[j] = np.int16((found[j] + (1 << FINE - 1)) >> FINE)


@template
def into_block(out, source, near, row, rows, weight, column):
    """The product of 32 rows, or what is left of them, with 32 columns."""
    columns = weight.ctypes.data + column * weight.shape[1]
    block(source, near, row, columns, out.ctypes.data, rows - row <= 16)


# ------------------------------------------------------------------------------------------------ layers


@template
def add_up(net, shelf, near, rows):
    """The second layer: for every cell the products of its neighbours' patches. Positions that follow each other are
    often alike round a cell, so it goes cell by cell."""
    width = shelf.second.shape[2]
    for at in range(near.shape[0]):
        for row in range(rows):
            if row > 0 and is_alike(shelf.patches[row], shelf.patches[row - 1], near[at]):
                shelf.second[at, row] = shelf.second[at, row - 1]
            else:
                add_rows(shelf.products, shelf.patches[row], near[at], width, net.second, shelf.second[at, row])


@template
def is_alike(one, other, near):
    alike = True
    for tap in range(near.shape[0]):
        alike &= one[near[tap]] == other[near[tap]]
    return alike


@template
def add_rows(products, patches, near, width, layer, out):
    """One cell; a loop over its channels that becomes a few instructions for many of them at once."""
    p, q = products[patches[near[0]], :width], products[patches[near[1]], width : 2 * width]
    r, s = products[patches[near[2]], 2 * width :], products[patches[near[3]], 3 * width :]
    t, u = products[patches[near[4]], 4 * width :], products[patches[near[5]], 5 * width :]
    v = products[patches[near[6]], 6 * width :]
    for k in range(out.shape[0]):
        total = np.int32(p[k] + q[k] + r[k] + s[k] + t[k] + u[k] + v[k])
        out[k] = to_byte(np.float32(total) * layer.factor[k] + layer.bias[k])


@template
def layer_of(shelf, source, near, rows, layer, out):
    """Bytes in, bytes out: they have no sign, which is the floor of 0."""
    for column in range(layer.weight.shape[0]):
        factor, bias = layer.factor[32 * column : 32 * column + 32], layer.bias[32 * column : 32 * column + 32]
        for at in range(near.shape[0]):
            for row in range(0, rows, 32):
                into_block(shelf.block, source, near[at], row, rows, layer.weight, column)
                for i in range(min(32, rows - row)):
                    answer, found = out[at, row + i, 32 * column : 32 * column + 32], shelf.block[i]
                    for j in range(32):
                        answer[j] = to_byte(np.float32(found[j]) * factor[j] + bias[j])


@template
def value_all(net, near, shelf, planes, values):
    """What each position is worth to who moves there."""
    rows, first = planes.shape[0], shelf.met[0]
    find_patches(shelf, near.first, planes)
    begin(shelf.layout.ctypes.data)
    make_products(net, shelf, first)
    add_up(net, shelf, near.second, rows)
    layer_of(shelf, shelf.second, near.third, rows, net.third, shelf.third)
    layer_of(shelf, shelf.third, near.fourth, rows, net.fourth, shelf.fourth)
    layer_of(shelf, shelf.fourth, near.fifth, rows, net.fifth, shelf.fifth)
    layer_of(shelf, shelf.fifth, near.sixth, rows, net.sixth, shelf.sixth)
    end()
    for row in range(rows):
        total = net.last_bias[0]
        for k in range(net.last.shape[0]):
            total += net.last[k] * shelf.sixth[0, row, k]
        values[row] = np.tanh(total)


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
    taps = layers[0].weight.reshape(len(TAPS), width, width).transpose(1, 0, 2).reshape(width, -1)
    second = layers[0]._replace(weight=np.zeros((0, 0), np.int8), factor=layers[0].factor * np.float32(1 << FINE))
    third, fourth, fifth, sixth = (layer._replace(weight=in_tiles(layer.weight)) for layer in layers[1:])
    return Net(
        _first(weights[0] / units[0], arrays[0][1] / units[0]), in_tiles(taps), second, third, fourth, fifth, sixth,
        _floats(weights[-1][:, 0] * units[-1]), _floats(arrays[-1][1]),
    )  # fmt: skip


def _first(weight: np.ndarray, bias: np.ndarray) -> Layer:
    """Planes are few and their sizes differ, so that one byte a weight would be too little."""
    step = np.maximum(abs(weight).max(axis=0), 1e-12) / (127 * HALF)
    whole, width = np.zeros((DEPTH // CELL, CELL, weight.shape[1]), np.int64), weight.shape[1]
    whole[: len(TAPS), :PLANES] = np.round(weight / step).reshape(len(TAPS), PLANES, width)
    whole = whole.reshape(DEPTH, width)
    upper = (whole + HALF // 2) // HALF
    both = np.concatenate([upper, whole - HALF * upper], axis=1).astype(np.int8)
    return Layer(in_tiles(both), _floats(step), _floats(bias + 0.5 - ZERO * whole.sum(axis=0) * step))


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
            if shelf.met[0] + shelf.patches.size >= SHELF:
                shelf.met[0], shelf.slots[:] = 1, 0
            part = slice(first, first + AT_ONCE)
            self._value_all(self._net, self._near, shelf, planes[part], values[part])
        self._shelves.append(shelf)
        return values

    def _make_shelf(self) -> Shelf:
        width, (first, *layers) = self._width, (len(near) for near in self._near)
        cells, new = np.zeros((self.side**2 + 1, CELL), np.uint8), aligned((1, AT_ONCE * first, DEPTH), np.uint8)
        cells[:, :PLANES] = ZERO
        widths = [width, width, width, 2 * width, width]
        return Shelf(
            cells, cells.view(np.uint64), np.zeros(len(cells), np.uint64), np.zeros(SHELF, np.uint64),
            np.zeros(2 * SHELF, np.int32), np.ones(1, np.int64), aligned((SHELF, len(TAPS) * width), np.int16),
            np.zeros((AT_ONCE, first + 1), np.int32), new, new[0].view(np.uint64), np.zeros(1, np.int64), layout(),
            aligned((BLOCK, BLOCK), np.int32), aligned((BLOCK, BLOCK), np.int32),
            aligned((1, AT_ONCE * first, width), np.uint8),
            *(aligned((count, AT_ONCE, channels), np.uint8) for count, channels in zip(layers, widths)),
        )  # fmt: skip
