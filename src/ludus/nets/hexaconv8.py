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
WORDS = len(TAPS) * CELL // 8
SHELF = 1 << 14  # patches that are kept: about as many as a match has
FINE = 8  # bits that a product loses on the shelf
MOST = 255  # of a byte
AT_ONCE = 64  # rows that are valued at a time, so that a layer stays in the processor's cache
NARROWEST = 128  # channels; with fewer onnxruntime is as quick


class Layer(NamedTuple):
    """A layer whose inputs and answers are bytes."""

    weight: np.ndarray  # int8[columns // 32, …], in tiles
    factor: np.ndarray  # float32[columns]: what one unit of a product is, in units of the answer
    bias: np.ndarray  # float32[columns], in those units, and half of one to round by


class Net(NamedTuple):
    """The arrays as they are read here."""

    first: np.ndarray  # float32[taps * CELL, channels], in units of its answers
    first_bias: np.ndarray
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
    """The patches that were met, what the second layer's taps make of each, and room for the layers."""

    cells: np.ndarray  # int8[places + 1, CELL]: the planes of one position, cell by cell; the last one is off the grid
    words: np.ndarray  # uint64[places + 1, CELL // 8]: the same memory
    known: np.ndarray  # uint64[SHELF, WORDS]: the patches; the first is none, for what is off the grid
    inputs: np.ndarray  # int8[SHELF, taps * CELL]: the same memory
    slots: np.ndarray  # int32[a power of two]: their numbers, by a hash
    met: np.ndarray  # int64[1]: how many there are
    products: np.ndarray  # int16[SHELF, taps * channels]
    patches: np.ndarray  # int32[rows, cells + 1]: their numbers in each position
    places: np.ndarray  # int64[…]: which inputs of a patch are not 0
    sums: np.ndarray  # float32[channels]
    alone: np.ndarray  # int64[1]: the only cell of a layer
    layout: np.ndarray
    block: np.ndarray  # int32[32, 32]
    new: np.ndarray  # uint8[1, …, channels]: the first layer of the patches that are new
    second: np.ndarray  # uint8[cells, rows, channels], and so on
    third: np.ndarray
    fourth: np.ndarray
    fifth: np.ndarray
    sixth: np.ndarray


# ------------------------------------------------------------------------------------------------ patches


@template
def find_patches(shelf, near, planes):
    """Number the patch round each wanted cell of each position; new ones are put on the shelf."""
    places = shelf.cells.shape[0] - 1
    for row in range(planes.shape[0]):
        for place in range(places):
            for plane in range(planes.shape[1] // places):
                shelf.cells[place, plane] = planes[row, plane * places + place]
        for at in range(near.shape[0]):
            shelf.patches[row, at] = number_of(shelf, near[at])


@template
def number_of(shelf, near):
    """The number of one patch, which may be new."""
    new, key = shelf.met[0], np.uint64(0)
    patch = shelf.known[new]
    for tap in range(near.shape[0]):
        for k in range(2):
            patch[2 * tap + k] = shelf.words[near[tap], k]
            key = blend(key, patch[2 * tap + k])
    mask = shelf.slots.shape[0] - 1
    slot = np.int64(key >> np.uint64(1)) & mask
    while shelf.slots[slot] != 0:
        if is_same(shelf.known[shelf.slots[slot]], patch):
            return shelf.slots[slot]
        slot = (slot + 1) & mask
    shelf.slots[slot] = new
    shelf.met[0] += 1
    return np.int32(new)


@template
def is_same(one, other):
    same = True
    for k in range(one.shape[0]):
        same &= one[k] == other[k]
    return same


@template
def first_layer(net, inputs, places, sums, out):
    """The channels of one patch, as bytes. Most of its inputs are 0; the others go four at a time, so that each sum is
    read and written once for all of them."""
    count = 0
    for k in range(inputs.shape[0]):
        places[count] = k
        count += inputs[k] != 0
    places[count : count + 3] = inputs.shape[0] - 1  # a byte that is always 0
    sums[:] = net.first_bias
    for k in range(0, count, 4):
        p, q, r, s = places[k], places[k + 1], places[k + 2], places[k + 3]
        a, b, c, d = np.float32(inputs[p]), np.float32(inputs[q]), np.float32(inputs[r]), np.float32(inputs[s])
        e, f, g, h = net.first[p], net.first[q], net.first[r], net.first[s]
        for channel in range(sums.shape[0]):
            sums[channel] += (a * e[channel] + b * f[channel]) + (c * g[channel] + d * h[channel])
    for channel in range(sums.shape[0]):
        out[channel] = to_byte(sums[channel])


@template
def to_byte(amount):
    return np.uint8(min(max(amount, np.float32(0.0)), np.float32(255.0)))


@template
def to_short(amount):
    """A product without its last bits; by way of floats, which compilers do for many at once."""
    amount = np.float32(amount) * np.float32(1 / (1 << FINE))
    return np.int16(np.int32(min(max(amount, np.float32(-32767.0)), np.float32(32767.0))))


@template
def make_products(net, shelf, first):
    """What every tap of the second layer makes of the patches from this one on. They keep so few bits that there is
    half as much memory to read again and again."""
    rows, width = shelf.met[0] - first, shelf.sums.shape[0]
    for row in range(rows):
        first_layer(net, shelf.inputs[first + row], shelf.places, shelf.sums, shelf.new[0, row])
    for left in range(0, net.taps.shape[0], width // 32):  # tap by tap: so many columns stay in the cache
        for row in range(0, rows, 32):
            for column in range(left, left + width // 32):
                into_block(shelf, shelf.new, shelf.alone, row, rows, net.taps, column)
                for i in range(min(32, rows - row)):
                    out, found = shelf.products[first + row + i, 32 * column : 32 * column + 32], shelf.block[i]
                    for j in range(32):
                        out[j] = to_short(found[j])


@template
def into_block(shelf, source, near, row, rows, weight, column):
    """The product of 32 rows, or what is left of them, with 32 columns."""
    columns = weight.ctypes.data + column * weight.shape[1]
    block(source, near, row, columns, shelf.block.ctypes.data, rows - row <= 16)


# ------------------------------------------------------------------------------------------------ layers


@template
def add_up(net, shelf, near, rows):
    """The second layer: for every cell the products of its neighbours' patches."""
    width = shelf.sums.shape[0]
    for row in range(rows):
        patches = shelf.patches[row]
        for at in range(near.shape[0]):
            add_rows(shelf.products, patches, near[at], width, net.second, shelf.second[at, row])


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
                into_block(shelf, source, near[at], row, rows, layer.weight, column)
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
    first = np.zeros((len(TAPS), CELL, width), np.float32)
    first[:, :PLANES] = (weights[0] / units[0]).reshape(len(TAPS), PLANES, width)
    taps = layers[0].weight.reshape(len(TAPS), width, width).transpose(1, 0, 2).reshape(width, -1)
    second = layers[0]._replace(weight=np.zeros((0, 0), np.int8), factor=layers[0].factor * np.float32(1 << FINE))
    third, fourth, fifth, sixth = (layer._replace(weight=in_tiles(layer.weight)) for layer in layers[1:])
    return Net(
        first.reshape(-1, width), _floats(arrays[0][1] / units[0] + 0.5), in_tiles(taps), second, third, fourth, fifth,
        sixth, _floats(weights[-1][:, 0] * units[-1]), _floats(arrays[-1][1]),
    )  # fmt: skip


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
        cells, known = np.zeros((self.side**2 + 1, CELL), np.int8), np.zeros((SHELF, WORDS), np.uint64)
        widths = [width, width, width, 2 * width, width]
        return Shelf(
            cells, cells.view(np.uint64), known, known.view(np.int8), np.zeros(2 * SHELF, np.int32),
            np.ones(1, np.int64), aligned((SHELF, len(TAPS) * width), np.int16),
            np.zeros((AT_ONCE, first + 1), np.int32), np.zeros(len(TAPS) * CELL + 3, np.int64),
            np.zeros(width, np.float32), np.zeros(1, np.int64), layout(), aligned((BLOCK, BLOCK), np.int32),
            aligned((1, AT_ONCE * first, width), np.uint8),
            *(aligned((count, AT_ONCE, channels), np.uint8) for count, channels in zip(layers, widths)),
        )  # fmt: skip
