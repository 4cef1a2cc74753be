"""The network of the Organism paper in 16 bits, for processors without tiles; as in 8 bits, what patches of the board
have in common is multiplied once (`patches`).

A layer's answer for a cell is a sum over the cells that it looks at, and what one of them adds to it depends on what is
there and on the direction alone. Each such product of the second and third layers is made when it is first asked for,
and kept. Inputs that are 0, about half of them, cost nothing (`shorts`).

Channels are short numbers in units of their own, and so are products: a quarter of the largest is the most that was
seen in some positions of random play.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ludus.compile import bind, template
from ludus.nets.hexaconv import Arrays
from ludus.nets.patches import (
    AT_ONCE,
    CELL,
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
)
from ludus.nets.shorts import BLOCK, LANES, MOST, ONE, add_lines, add_up, has_shorts
from ludus.nets.tiles import aligned, in_one

SHELF = 1 << 13  # patches that are kept; with twice as many a position takes as long
SEVENS, PRODUCTS = 4, (4, 8)  # times as many cells of the second layer, and products of the second and third
CHUNK = 128  # inputs whose lines of one block of columns stay in the processor's nearest cache
GROUP = 256  # rows that are multiplied together
SEEN = ONE // 4  # what the most that was seen is
SAMPLE = 128  # positions by which channels are measured


class Layer(NamedTuple):
    weight: np.ndarray  # int16[taps, columns // BLOCK, inputs, BLOCK]
    factor: np.ndarray  # float32[columns]: what one unit of a product is, in units of the answer
    bias: np.ndarray  # float32[columns], in those units, and half of one to round by


class Net(NamedTuple):
    first: np.ndarray  # float32[taps, planes, channels]
    first_bias: np.ndarray
    second: Layer
    third: Layer
    fourth: Layer
    fifth: Layer
    sixth: Layer
    last: np.ndarray  # float32[channels]
    last_bias: np.ndarray


class Orders(NamedTuple):
    """What is to be multiplied, tap by tap."""

    counts: np.ndarray  # int64[taps]
    things: np.ndarray  # int32[taps, …]: which row of inputs
    outs: np.ndarray  # int32[taps, …]: the line that its product is added to
    rows: np.ndarray  # int32[taps, …]: where its entries are
    known: np.ndarray  # int32[rows of inputs]: 1 + the same, 0 if they are not listed
    starts: np.ndarray  # int32[…, chunks + 1]: where the entries of each chunk begin
    entries: np.ndarray  # uint32[…]: as `add_lines` reads them


class Stock(NamedTuple):
    """Products that were made."""

    where: np.ndarray  # int32[things, taps]: the line of each; 0 if there is none
    lines: np.ndarray  # int16[…, channels]; the first is 0
    made: np.ndarray  # int64[1]: the next line


class Shelf(NamedTuple):
    """What was met so far, and room for the layers."""

    ledger: Ledger
    first: np.ndarray  # int16[patches, channels]
    second: np.ndarray  # int16[sevens, channels]
    sums: np.ndarray  # int16[rows * cells, twice the channels]
    totals: np.ndarray  # float32[channels]
    places: np.ndarray  # int64[taps]: addresses of what is added up
    of_patches: Stock
    of_sevens: Stock
    orders: Orders
    third: np.ndarray  # int16[rows * cells, channels]
    fourth: np.ndarray
    fifth: np.ndarray
    sixth: np.ndarray


# ------------------------------------------------------------------------------------------------ products


@template
def order(orders, tap, thing, out):
    at = orders.counts[tap]
    orders.things[tap, at], orders.outs[tap, at] = thing, out
    orders.counts[tap] += 1


@template
def want(stock, orders, tap, thing):
    """Order a product that was never made; nothing is what there is no cell for."""
    if thing != 0 and stock.where[thing, tap] == 0:
        line = stock.made[0]
        stock.where[thing, tap] = line
        stock.lines[line, :] = 0
        stock.made[0] += 1
        order(orders, tap, thing, line)


@template
def list_entries(row, entries, count, starts):
    """The inputs that are not 0, chunk by chunk; how many entries there are now."""
    for first in range(0, row.shape[0], CHUNK):
        starts[first // CHUNK] = count
        for k in range(CHUNK):
            entries[count] = np.int32(row[first + k]) << 16 | 2 * BLOCK * k
            count += row[first + k] > 0
    starts[row.shape[0] // CHUNK :] = count
    return count


@template
def list_inputs(orders, inputs):
    """The entries of everything that is ordered, once each."""
    count, used = 0, 0
    for tap in range(orders.counts.shape[0]):
        for k in range(orders.counts[tap]):
            thing = orders.things[tap, k]
            if orders.known[thing] == 0:
                count = list_entries(inputs[thing], orders.entries, count, orders.starts[used])
                used += 1
                orders.known[thing] = used
            orders.rows[tap, k] = orders.known[thing] - 1


@template
def carry_out(orders, weight, inputs, outs):
    """Make what was ordered, some orders at a time: their entries, and the lines of one chunk, stay near."""
    list_inputs(orders, inputs)
    for tap in range(weight.shape[0]):
        for first in range(0, orders.counts[tap], GROUP):
            last = min(first + GROUP, orders.counts[tap])
            for column in range(weight.shape[1]):
                lines = weight.ctypes.data + 2 * BLOCK * weight.shape[2] * (tap * weight.shape[1] + column)
                to = outs.ctypes.data + 2 * BLOCK * column
                add_chunks(
                    orders, orders.rows[tap, first:last], lines, orders.outs[tap, first:last], to, outs.strides[0]
                )
    forget_orders(orders)


@template
def add_chunks(orders, rows, lines, outs, to, stride):
    """What the inputs of each row make of one block of columns."""
    entries = orders.entries.ctypes.data
    for chunk in range(orders.starts.shape[1] - 1):
        for k in range(rows.shape[0]):
            first, last = orders.starts[rows[k], chunk], orders.starts[rows[k], chunk + 1]
            add_lines(entries + 4 * first, np.int64(last - first), lines, to + stride * outs[k])
        lines += 2 * BLOCK * CHUNK


@template
def forget_orders(orders):
    for tap in range(orders.counts.shape[0]):
        for k in range(orders.counts[tap]):
            orders.known[orders.things[tap, k]] = 0
        orders.counts[tap] = 0


# ------------------------------------------------------------------------------------------------ layers


@template
def first_layer(net, shelf, patches):
    """The channels of the patches from this one on; of their planes few are not 0."""
    totals = shelf.totals
    for row in range(shelf.ledger.patches.met[0] - patches):
        totals[:] = net.first_bias
        for tap in range(net.first.shape[0]):
            cell = shelf.ledger.new[row >> 4, tap >> 2, row & 15, CELL * (tap & 3) :]
            for plane in range(net.first.shape[1]):
                if cell[plane] != ZERO:
                    amount = np.float32(np.int32(cell[plane]) - ZERO)
                    for k in range(totals.shape[0]):
                        totals[k] += amount * net.first[tap, plane, k]
        for k in range(totals.shape[0]):
            shelf.first[patches + row, k] = np.int16(min(max(totals[k], np.float32(0)), np.float32(MOST)))


@template
def add_seven(places, layer, out, columns):
    """What a layer says of a cell, from the products at seven places."""
    table, factor, bias = places.ctypes.data, layer.factor.ctypes.data, layer.bias.ctypes.data
    for k in range(0, columns, LANES):
        add_up(table, SEVEN, 2 * k, factor + 4 * k, bias + 4 * k, out + 2 * k)


@template
def line_at(lines, number):
    """The address of a line."""
    return lines.ctypes.data + number * lines.strides[0]


@template
def second_layer(net, shelf, sevens):
    """Of the sevens from this one on."""
    stock, count = shelf.of_patches, shelf.ledger.sevens.met[0] - sevens
    for k in range(count):
        for tap in range(SEVEN):
            want(stock, shelf.orders, tap, shelf.ledger.new_sevens[k, tap])
    carry_out(shelf.orders, net.second.weight, shelf.first, stock.lines)
    for k in range(count):
        for tap in range(SEVEN):
            shelf.places[tap] = line_at(stock.lines, stock.where[shelf.ledger.new_sevens[k, tap], tap])
        add_seven(shelf.places, net.second, line_at(shelf.second, sevens + k), shelf.second.shape[1])


@template
def third_layer(net, shelf, near, rows):
    stock, cells = shelf.of_sevens, near.shape[0]
    for row in range(rows):
        for at in range(cells):
            for tap in range(SEVEN):
                want(stock, shelf.orders, tap, shelf.ledger.wanted[near[at, tap], row])
    carry_out(shelf.orders, net.third.weight, shelf.second, stock.lines)
    for row in range(rows):
        for at in range(cells):
            for tap in range(SEVEN):
                shelf.places[tap] = line_at(stock.lines, stock.where[shelf.ledger.wanted[near[at, tap], row], tap])
            add_seven(shelf.places, net.third, line_at(shelf.third, row * cells + at), shelf.third.shape[1])


@template
def layer_of(shelf, source, near, rows, layer, out):
    """A layer of which nothing is kept. `near` numbers the cells of a position in the layer before."""
    cells, before, columns = near.shape[0], source.shape[0] // shelf.ledger.wanted.shape[1], out.shape[1]
    shelf.sums[: rows * cells, :columns] = 0
    for row in range(rows):
        for at in range(cells):
            for tap in range(near.shape[1]):
                order(shelf.orders, tap, row * before + near[at, tap], row * cells + at)
    carry_out(shelf.orders, layer.weight, source, shelf.sums)
    table, factor, bias = shelf.places.ctypes.data, layer.factor.ctypes.data, layer.bias.ctypes.data
    for row in range(rows * cells):
        shelf.places[0] = line_at(shelf.sums, row)
        to = line_at(out, row)
        for k in range(0, columns, LANES):
            add_up(table, 1, 2 * k, factor + 4 * k, bias + 4 * k, to + 2 * k)


@template
def last_layer(net, source, totals, values):
    for row in range(values.shape[0]):
        for k in range(totals.shape[0]):
            totals[k] = net.last[k] * np.float32(source[row, k])
        values[row] = np.tanh(totals.sum() + net.last_bias[0])


@template
def value_all(net, near, shelf, planes, values):
    """What each position is worth to who moves there."""
    rows, patches, sevens = planes.shape[0], shelf.ledger.patches.met[0], shelf.ledger.sevens.met[0]
    find_all(shelf.ledger, near, planes)
    first_layer(net, shelf, patches)
    second_layer(net, shelf, sevens)
    third_layer(net, shelf, near.third, rows)
    layer_of(shelf, shelf.third, near.fourth, rows, net.fourth, shelf.fourth)
    layer_of(shelf, shelf.fourth, near.fifth, rows, net.fifth, shelf.fifth)
    layer_of(shelf, shelf.fifth, near.sixth, rows, net.sixth, shelf.sixth)
    last_layer(net, shelf.sixth, shelf.totals, values)


# ------------------------------------------------------------------------------------------------ scales


def make_net(arrays: Arrays, near: Near, planes: np.ndarray) -> Net:
    seen = measure(arrays, near, planes)
    later = enumerate(pairwise(seen), 1)
    layers = [_layer(one, before, arrays[k][1]) for k, (before, one) in later]
    packed = in_one([layer.weight for layer in layers])
    second, third, fourth, fifth, sixth = (layer._replace(weight=weight) for layer, weight in zip(layers, packed))
    unit = seen[0].channel / SEEN
    first, bias = floats(seen[0].taps / unit), floats(arrays[0][1] / unit + 0.5)
    last, last_bias = floats(arrays[-1][0][0] * seen[-1].channel / SEEN), floats(arrays[-1][1])
    return Net(first, bias, second, third, fourth, fifth, sixth, last, last_bias)


def _layer(seen: Seen, before: Seen, bias: np.ndarray) -> Layer:
    """A product's unit is so large that neither a sum nor a weight is too large for 16 bits."""
    unit, taps = seen.channel / SEEN, seen.taps * before.channel[:, None] / SEEN
    step = np.maximum(np.maximum(seen.product / SEEN, abs(taps).max(axis=(0, 1)) * ONE / MOST), 1e-12)
    count, inputs, columns = taps.shape
    weight = np.round(taps / step * ONE).astype(np.int16).reshape(count, inputs, columns // BLOCK, BLOCK)
    return Layer(weight.transpose(0, 2, 1, 3), floats(step / unit), floats(bias / unit + 0.5))


# ------------------------------------------------------------------------------------------------ the network


def fits(arrays: Arrays) -> bool:
    """Whether this processor can value with such a network here."""
    width = len(arrays[0][0])
    return has_shorts() and width % CHUNK == 0 and width >= NARROWEST


@cache
def kernel() -> Callable:
    return bind(value_all, {}, "hexaconv")


class ShortValues(PatchValues):
    """In 16 bits."""

    def _make_net(self, arrays: Arrays, positions: np.ndarray) -> Net:
        return make_net(arrays, self.near, positions[:: -(-len(positions) // SAMPLE)])

    def _kernel(self) -> Callable:
        return kernel()

    def _rows(self) -> int:
        return min(AT_ONCE, PRODUCTS[0] * SHELF // (2 * SEVEN * len(self.near.second)))

    def _rooms(self, shelf: Shelf) -> list[Room]:
        ledger, of_patches, of_sevens = shelf.ledger, shelf.of_patches, shelf.of_sevens
        first, second, third = (len(cells) for cells in self.near[:3])
        return [
            Room(ledger.patches.met, first, len(shelf.first)),
            Room(ledger.sevens.met, second, len(shelf.second)),
            Room(of_patches.made, SEVEN * second, len(of_patches.lines)),
            Room(of_sevens.made, SEVEN * third, len(of_sevens.lines)),
        ]

    def _clear(self, shelf: Shelf) -> None:
        super()._clear(shelf)
        for stock in (shelf.of_patches, shelf.of_sevens):
            stock.where[:], stock.made[0] = 0, 1

    def _make_shelf(self) -> Shelf:
        width, rows = self.width, self._rows()
        cells, sevens = [rows * len(near) for near in self.near], SEVENS * SHELF
        widths = (width, width, 2 * width, width)
        room = [aligned((count, columns), np.int16) for count, columns in zip(cells[2:], widths)]
        return Shelf(
            make_ledger(self.near, self.side, rows, SHELF, sevens), aligned((SHELF, width), np.int16),
            aligned((sevens, width), np.int16), aligned((cells[3], 2 * width), np.int16),
            np.zeros(width, np.float32), np.zeros(SEVEN, np.int64),
            make_stock(SHELF, PRODUCTS[0] * SHELF, width), make_stock(sevens, PRODUCTS[1] * SHELF, width),
            make_orders(max(SEVEN, len(self.near.fourth)), cells[0], sevens, 2 * width), *room,
        )  # fmt: skip


def make_stock(things: int, room: int, width: int) -> Stock:
    return Stock(np.zeros((things, SEVEN), np.int32), aligned((room, width), np.int16), np.ones(1, np.int64))


def make_orders(taps: int, room: int, things: int, inputs: int) -> Orders:
    """For at most so many things at a time, of so many in all."""
    what, to, rows = (np.zeros((taps, room), np.int32) for _ in range(3))
    starts, entries = np.zeros((room, inputs // CHUNK + 1), np.int32), np.zeros(room * inputs + 1, np.uint32)
    return Orders(np.zeros(taps, np.int64), what, to, rows, np.zeros(things, np.int32), starts, entries)
