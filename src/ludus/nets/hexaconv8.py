"""The network of the Organism paper in 8 bits, for processors that multiply bytes; what patches of the board have in
common is multiplied once (`patches`).

Channels are bytes in units of their own: two thirds of the largest byte are the most that was seen of a channel in some
positions of random play, and the next layer's weights are scaled accordingly. What their rounding adds on the mean of
these positions is taken off again, so that it does not grow from layer to layer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ludus.compile import bind, template
from ludus.nets.hexaconv import PLANES, Arrays
from ludus.nets.patches import (
    AT_ONCE,
    CELL,
    DEPTH,
    NARROWEST,
    SEVEN,
    ZERO,
    Ledger,
    Near,
    PatchValues,
    Room,
    Seen,
    find_all,
    floats,
    make_ledger,
    measure,
    room_for,
)
from ludus.nets.tiles import (
    BLOCK,
    BYTES,
    DEEP,
    PLAIN,
    ROWS,
    TALLEST,
    TILE,
    add_short,
    aligned,
    begin,
    block,
    end,
    fetch,
    has_bytes,
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

SHELF = (
    1 << 15
)  # patches that are kept, of 7 KB each: with twice as many a seventh less are new, with half a quarter more
SEVENS = 4  # times as many cells of the second layer
FINE = 9  # bits that a product loses on the shelf
HALF = 128  # of what a lower byte can count, to either side
SEEN = 170  # of the 255 of a byte: what the most that was seen is


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


class Shelf(NamedTuple):
    """What was met so far, and room for the layers: uint8[tiles, depth, 16, 64], cell by cell."""

    ledger: Ledger
    products: np.ndarray  # int16[SHELF // 16, taps * channels // 32, 16, 32]: what the second layer's taps make of them
    sums: np.ndarray  # uint8[sevens, channels]: the second layer of each
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


# ------------------------------------------------------------------------------------------------ layers


@template
def first_layer(net, shelf, rows):
    """The channels of so many new patches, as bytes."""
    layer, columns, near = net.first, net.first.weight.shape[0] // 2, shelf.alone[0]
    upper, lower = shelf.blocks[0].ctypes.data, shelf.blocks[1].ctypes.data
    for column in range(columns):
        factor, bias = layer.factor[BLOCK * column :].ctypes.data, layer.bias[BLOCK * column :].ctypes.data
        for tile in range(0, tiles_of(rows), TALLEST):
            count = rows_from(tile, rows)
            block(shelf.ledger.new, near, 0, tile, count, layer.weight[column], shelf.blocks[0])
            block(shelf.ledger.new, near, 0, tile, count, layer.weight[columns + column], shelf.blocks[1])
            for row in range(count):
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
def rows_from(tile, rows):
    """How many of so many rows are in the block that begins with this tile."""
    return min(rows - ROWS * tile, ROWS * TALLEST)


@template
def make_products(net, shelf, first):
    """What every tap of the second layer makes of the patches from this one on. They lose so many bits that the others
    always fit, and that there is half as much memory to read again and again."""
    rows, found, near = shelf.ledger.patches.met[0] - first, shelf.blocks[0].ctypes.data, shelf.alone[0]
    first_layer(net, shelf, rows)
    for column in range(net.second.weight.shape[0]):
        for tile in range(0, tiles_of(rows), TALLEST):
            count = rows_from(tile, rows)
            block(shelf.first, near, 0, tile, count, net.second.weight[column], shelf.blocks[0])
            for row in range(count):
                out = shelf.products[(first >> 4) + tile + (row >> 4), column, row & 15].ctypes.data
                write_short(found + row * 4 * BLOCK, FINE, out)


@template
def add_up(net, shelf, first):
    """The second layer of the sevens from this one on; the lines of the next are sent for meanwhile."""
    count, columns = shelf.ledger.sevens.met[0] - first, shelf.sums.shape[1] // BLOCK
    factor, bias = net.second.factor.ctypes.data, net.second.bias.ctypes.data
    find_lines(shelf.products, columns, shelf.ledger.new_sevens[0], shelf.lines[0])
    for k in range(count):
        here, ahead = shelf.lines[k & 1], shelf.lines[1 - (k & 1)]
        find_lines(shelf.products, columns, shelf.ledger.new_sevens[min(k + 1, count - 1)], ahead)
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
            into_tiles(shelf.sums, shelf.ledger.wanted[at, row], shelf.second, 16 * tiles_of(rows) * at + row)


@template
def layer_of(shelf, source, near, rows, layer, out):
    """Bytes in, bytes out."""
    part, found = tiles_of(rows), shelf.blocks[0].ctypes.data
    for column in range(layer.weight.shape[0]):
        factor, bias = layer.factor[BLOCK * column :].ctypes.data, layer.bias[BLOCK * column :].ctypes.data
        for at in range(near.shape[0]):
            for tile in range(0, part, TALLEST):
                count = rows_from(tile, rows)
                block(source, near[at], part, tile, count, layer.weight[column], shelf.blocks[0])
                for row in range(count):
                    here = half_line(out, ROWS * (at * part + tile) + row, column)
                    write_bytes(found + row * 4 * BLOCK, factor, bias, here)


@template
def value_all(net, near, shelf, planes, values):
    """What each position is worth to who moves there."""
    shelf.ledger.patches.met[0] = ROWS * tiles_of(shelf.ledger.patches.met[0])  # what is new begins a tile
    rows, patches, sevens = planes.shape[0], shelf.ledger.patches.met[0], shelf.ledger.sevens.met[0]
    find_all(shelf.ledger, near, planes)
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


# ------------------------------------------------------------------------------------------------ scales


def make_net(arrays: Arrays, near: Near, planes: np.ndarray) -> Net:
    seen = measure(arrays, near, planes)
    layers = [_layer(one, before, arrays[k][1]) for k, (before, one) in enumerate(pairwise(seen), 1)]
    width = len(seen[0].channel)
    taps = layers[0].weight.reshape(SEVEN, width, width).transpose(1, 0, 2).reshape(width, -1)
    layers[0] = layers[0]._replace(weight=taps, factor=layers[0].factor * np.float32(1 << FINE))
    layers = [_first(seen[0], arrays[0][1]), *layers]
    packed = in_one([in_tiles(layer.weight) for layer in layers])
    first, second, third, fourth, fifth, sixth = (x._replace(weight=weight) for x, weight in zip(layers, packed))
    last = floats(arrays[-1][0][0] * seen[-1].channel / SEEN)
    return Net(first, second, third, fourth, fifth, sixth, last, floats(arrays[-1][1]))


def _layer(seen: Seen, before: Seen, bias: np.ndarray) -> Layer:
    unit, scaled = seen.channel / SEEN, seen.taps * before.channel[:, None] / SEEN
    step = np.maximum(abs(scaled).max(axis=(0, 1)), 1e-12) / 127
    whole = np.round(scaled / step)
    added = np.einsum("ti,tic->c", seen.inputs * SEEN / before.channel, whole * step - scaled)
    weight = whole.astype(np.int8).reshape(-1, len(unit))
    return Layer(weight, floats(step / unit), floats((bias - added) / unit + 0.5))


def _first(seen: Seen, bias: np.ndarray) -> Layer:
    """Planes are few and their sizes differ, so that one byte a weight would be too little."""
    unit, width = seen.channel / SEEN, len(seen.channel)
    step = np.maximum(abs(seen.taps / unit).max(axis=(0, 1)), 1e-12) / (127 * HALF)
    whole = np.zeros((DEPTH // CELL, CELL, width), np.int64)
    whole[:SEVEN, :PLANES] = np.round(seen.taps / unit / step)
    whole = whole.reshape(DEPTH, width)
    upper = (whole + HALF // 2) // HALF
    both = np.concatenate([upper, whole - HALF * upper], axis=1).astype(np.int8)
    return Layer(both, floats(step), floats(bias / unit + 0.5 - ZERO * whole.sum(axis=0) * step))


# ------------------------------------------------------------------------------------------------ the network


def fits(arrays: Arrays) -> bool:
    """Whether this processor can value with such a network here, and is quick at it."""
    width = len(arrays[0][0])
    return (has_tiles() or has_bytes()) and width % DEEP == 0 and width >= NARROWEST


@cache
def kernel(has_tiles: bool, has_bytes: bool) -> Callable:
    """With tiles, or with what does the same without."""
    return bind(value_all, {} if has_tiles else BYTES if has_bytes else PLAIN, "hexaconv")


class TileValues(PatchValues):
    """Where there are no tiles the same numbers come slowly."""

    def _make_net(self, arrays: Arrays, positions: np.ndarray) -> Net:
        return make_net(arrays, self.near, positions)

    def _kernel(self) -> Callable:
        return kernel(has_tiles(), has_bytes())

    def _rows(self) -> int:
        return AT_ONCE

    def _rooms(self, shelf: Shelf) -> list[Room]:
        patches, sevens = shelf.ledger.patches, shelf.ledger.sevens
        return [
            Room(patches.met, len(self.near.first), SHELF - ROWS),  # what is new begins a tile
            Room(sevens.met, len(self.near.second), len(shelf.sums)),
        ]

    def _make_shelf(self) -> Shelf:
        width, counts = self.width, [AT_ONCE * len(near) for near in self.near]
        widths, sevens = [width, width, width, width, 2 * width, width], SEVENS * SHELF
        return Shelf(
            make_ledger(self.near, self.side, AT_ONCE, SHELF, sevens),
            aligned((SHELF // ROWS, SEVEN * width // BLOCK, ROWS, BLOCK), np.int16), aligned((sevens, width), np.uint8),
            np.zeros((2, SEVEN), np.int64), np.zeros((1, 1), np.int64),
            layout(), aligned((2, TALLEST * ROWS, BLOCK), np.int32), np.zeros(DEEP, np.float32),
            *map(room_for, counts, widths),
        )  # fmt: skip
