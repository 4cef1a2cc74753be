"""Products of bytes by a processor's tiles: newer ones from Intel have a unit that multiplies 16 x 64 bytes by 64 x 16
at once (AMX), many times as fast as floats go one vector after the other.

A block is 48 rows by 32 columns: six tiles are added to, from three of the rows and two of the columns. Both are laid
down tile by tile, and all memory begins with a cache line: a tile across lines takes four times as long to load.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import extending
from numba.core import cgutils, types

from ludus.compile import inlined, template

ROWS, DEEP, TILE = 16, 64, 1024  # of a tile: rows, bytes of a row, bytes
TALLEST, BLOCK = 3, 32  # tiles in the height of a block, and its columns
LINE = 64  # bytes of the cache
HALF = 8  # rows whose sums fit into the registers of a processor without tiles
SYSCALL, ASK, TILES = 158, 0x1023, 18  # arch_prctl, ARCH_REQ_XCOMP_PERM, and what is asked for

intrinsic: Any = extending.intrinsic
BYTE, SHORT, INTEGER, WORD = (ir.IntType(bits) for bits in (8, 16, 32, 64))
FLOAT, NOTHING = ir.FloatType(), ir.VoidType()
SIXTEEN = ir.VectorType(INTEGER, 16)
POINTER = ir.PointerType(BYTE)


@cache
def has_tiles() -> bool:
    """Whether this processor has them, and Linux lets this process use them."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return False
    if not binding.get_host_cpu_features().get("amx-int8"):
        return False
    return ctypes.CDLL(None).syscall(SYSCALL, ASK, TILES) == 0


# ------------------------------------------------------------------------------------------------ instructions


def _call(builder: Any, name: str, kinds: list[Any], arguments: list[Any]) -> None:
    kind = ir.FunctionType(NOTHING, kinds)
    builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}"), arguments)


def _moves(name: str) -> Any:
    """Between a tile, which must be a plain number in the code, and memory."""

    @intrinsic(prefer_literal=True)
    def move(typing, tile, address, stride):
        def code(context, builder, signature, args):
            pointer = builder.inttoptr(args[1], POINTER)
            _call(builder, name, [BYTE, POINTER, WORD], [ir.Constant(BYTE, tile.literal_value), pointer, args[2]])
            return context.get_dummy_value()

        return types.void(tile, types.int64, types.int64), code

    return move


load, store = _moves("x86.tileloadd64"), _moves("x86.tilestored64")


@intrinsic(prefer_literal=True)
def multiply(typing, total, rows, columns):
    """Add the product of two tiles to a third; rows have no sign, columns have."""

    def code(context, builder, signature, args):
        numbers = [ir.Constant(BYTE, tile.literal_value) for tile in (total, rows, columns)]
        _call(builder, "x86.tdpbusd", [BYTE] * 3, numbers)
        return context.get_dummy_value()

    return types.void(total, rows, columns), code


@intrinsic
def begin(typing, address):
    """Tell the thread's unit how large its tiles are, as `layout` says."""

    def code(context, builder, signature, args):
        _call(builder, "x86.ldtilecfg", [POINTER], [builder.inttoptr(args[0], POINTER)])
        return context.get_dummy_value()

    return types.void(types.int64), code


@intrinsic
def clear(typing):
    """The six tiles that are added to."""

    def code(context, builder, signature, args):
        for tile in range(6):
            _call(builder, "x86.tilezero", [BYTE], [ir.Constant(BYTE, tile)])
        return context.get_dummy_value()

    return types.void(), code


@intrinsic
def end(typing):
    """Let go of the unit: what is in it is not kept when threads change any more."""

    def code(context, builder, signature, args):
        _call(builder, "x86.tilerelease", [], [])
        return context.get_dummy_value()

    return types.void(), code


@intrinsic
def fetch(typing, address):
    """Bring a line of memory near while other work goes on."""

    def code(context, builder, signature, args):
        how = [ir.Constant(INTEGER, number) for number in (0, 3, 1)]  # to read, as near as can be, data
        _call(builder, "prefetch.p0", [POINTER] + [INTEGER] * 3, [builder.inttoptr(args[0], POINTER), *how])
        return context.get_dummy_value()

    return types.void(types.int64), code


@intrinsic
def copy(typing, source, target):
    """A line of memory, in one go."""

    def code(context, builder, signature, args):
        line = ir.PointerType(ir.VectorType(BYTE, LINE))
        found = builder.load(builder.inttoptr(args[0], line), align=LINE)
        builder.store(found, builder.inttoptr(args[1], line), align=LINE)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), code


# ------------------------------------------------------------------------------------------------ lines of a block


def _numbers(builder: Any, address: Any, kind: Any) -> Any:
    """32 numbers of a kind from memory."""
    return builder.load(builder.inttoptr(address, ir.PointerType(ir.VectorType(kind, BLOCK))), align=BLOCK)


def _all(kind: Any, number: float) -> Any:
    return ir.Constant(ir.VectorType(kind, BLOCK), [number] * BLOCK)


def _put(builder: Any, numbers: Any, address: Any) -> None:
    builder.store(numbers, builder.inttoptr(address, ir.PointerType(numbers.type)), align=BLOCK)


def _put_bytes(builder: Any, amounts: Any, factor: Any, bias: Any, out: Any) -> None:
    """Floats, in other units and cut to what a byte can hold; bytes have no sign, which is the floor of 0."""
    amounts = builder.fmul(amounts, _numbers(builder, factor, FLOAT))
    amounts = builder.fadd(amounts, _numbers(builder, bias, FLOAT))
    amounts = builder.select(builder.fcmp_ordered(">", amounts, _all(FLOAT, 0.0)), amounts, _all(FLOAT, 0.0))
    amounts = builder.select(builder.fcmp_ordered("<", amounts, _all(FLOAT, 255.0)), amounts, _all(FLOAT, 255.0))
    whole = builder.fptosi(amounts, ir.VectorType(INTEGER, BLOCK))
    _put(builder, builder.trunc(whole, ir.VectorType(BYTE, BLOCK)), out)


@intrinsic
def write_bytes(typing, found, factor, bias, out):
    """32 products as bytes; all are addresses."""

    def code(context, builder, signature, args):
        amounts = builder.sitofp(_numbers(builder, args[0], INTEGER), ir.VectorType(FLOAT, BLOCK))
        _put_bytes(builder, amounts, *args[1:])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4), code


@intrinsic(prefer_literal=True)
def write_both(typing, upper, lower, times, factor, bias, out):
    """The same of products that are in two parts: the upper one counts so many times, a plain number in the code."""

    def code(context, builder, signature, args):
        high, low = (builder.sitofp(_numbers(builder, part, INTEGER), ir.VectorType(FLOAT, BLOCK)) for part in args[:2])
        amounts = builder.fadd(builder.fmul(high, _all(FLOAT, times.literal_value)), low)
        _put_bytes(builder, amounts, *args[3:])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, times, *[types.int64] * 3), code


@intrinsic(prefer_literal=True)
def write_short(typing, found, bits, out):
    """32 products in 16 bits each, without so many of their last ones: a plain number in the code."""

    def code(context, builder, signature, args):
        half, fine = _all(INTEGER, 1 << bits.literal_value - 1), _all(INTEGER, bits.literal_value)
        short = builder.ashr(builder.add(_numbers(builder, args[0], INTEGER), half), fine)
        _put(builder, builder.trunc(short, ir.VectorType(SHORT, BLOCK)), args[2])
        return context.get_dummy_value()

    return types.void(types.int64, bits, types.int64), code


@intrinsic(prefer_literal=True)
def add_short(typing, lines, count, offset, factor, bias, out):
    """The sum of lines of 32 short numbers, as bytes. `lines` is the address of so many addresses, a plain number in
    the code; each line is this far from its address."""

    def code(context, builder, signature, args):
        table = builder.inttoptr(args[0], ir.PointerType(WORD))
        places = [builder.load(builder.gep(table, [ir.Constant(WORD, k)])) for k in range(count.literal_value)]
        found = [_numbers(builder, builder.add(place, args[2]), SHORT) for place in places]
        total, *others = [builder.sext(line, ir.VectorType(INTEGER, BLOCK)) for line in found]
        for other in others:
            total = builder.add(total, other)
        _put_bytes(builder, builder.sitofp(total, ir.VectorType(FLOAT, BLOCK)), *args[3:])
        return context.get_dummy_value()

    return types.void(types.int64, count, *[types.int64] * 4), code


# ------------------------------------------------------------------------------------------------ blocks


@inlined
def into_tiles(source, number, out, row):
    """Copy a row of uint8[rows, bytes] to a row that lies in tiles."""
    first, to = source.ctypes.data + number * source.shape[1], line_of(out, row)
    for k in range(out.shape[1]):
        copy(first + k * LINE, to + k * TILE)


@inlined
def line_of(tiles, row):
    """The address of the first line of a row."""
    return tiles.ctypes.data + (row >> 4) * tiles.shape[1] * TILE + (row & 15) * LINE


@inlined
def block(source, near, part, tile, rows, columns, out):
    """One block of a product into int32[48, 32], of so many rows; what fills their tiles up comes along. `source` is
    uint8[tiles, depth, 16, 64], in parts of so many tiles: the inputs of a row are its bytes in each of the parts that
    are near, one part after the other. A tile is loaded while the one before it is multiplied. (To send for the next
    columns meanwhile was no quicker: the processor sees for itself that they are read in order.)"""
    depth, height = source.shape[1], (rows + 15) >> 4
    second, to = columns.ctypes.data, out.ctypes.data
    clear()
    for k in range(near.shape[0]):
        first = source.ctypes.data + (near[k] * part + tile) * depth * TILE
        for _ in range(depth):
            load(6, first, 64)
            load(7, second, 64)
            multiply(0, 6, 7)
            load(7, second + TILE, 64)
            multiply(1, 6, 7)
            if height > 1:
                load(6, first + depth * TILE, 64)
                multiply(3, 6, 7)
                load(7, second, 64)
                multiply(2, 6, 7)
            if height > 2:
                load(6, first + 2 * depth * TILE, 64)
                multiply(4, 6, 7)
                load(7, second + TILE, 64)
                multiply(5, 6, 7)
            first, second = first + TILE, second + 2 * TILE
    store(0, to, 128)
    store(1, to + 64, 128)
    if height > 1:
        store(2, to + 2048, 128)
        store(3, to + 2112, 128)
    if height > 2:
        store(4, to + 4096, 128)
        store(5, to + 4160, 128)


# ------------------------------------------------------------------------------------------------ without tiles


@cache
def has_bytes() -> bool:
    """Whether this processor at least adds products of four bytes at a time to each number of a register (VNNI)."""
    return platform.machine() in ("x86_64", "AMD64") and bool(binding.get_host_cpu_features().get("avx512vnni"))


@intrinsic
def add_products(typing, first, second, depth, out):
    """Half of a tile's rows times both tiles of columns, so many tiles deep, added to int32[8, 32]; all but the depth
    are addresses. The sums stay in registers; four bytes of a row are multiplied by those of 16 columns at once."""

    def code(context, builder, signature, args):
        first, second, depth, out = args
        places = [
            (row, part, _line(builder, out, 4 * BLOCK * row + LINE * part)) for row in range(HALF) for part in (0, 1)
        ]
        sums = [cgutils.alloca_once_value(builder, builder.load(place, align=LINE)) for _, _, place in places]
        with cgutils.for_range(builder, depth) as tile, cgutils.for_range(builder, ir.Constant(WORD, ROWS)) as four:
            rows = _moved(builder, first, tile.index, TILE, four.index, 4)
            columns = _moved(builder, second, tile.index, 2 * TILE, four.index, LINE)
            weights = [builder.load(_line(builder, columns, TILE * part), align=LINE) for part in (0, 1)]
            for (row, part, _), total in zip(places, sums):
                number = builder.load(
                    builder.inttoptr(builder.add(rows, ir.Constant(WORD, LINE * row)), ir.PointerType(INTEGER))
                )
                builder.store(_four_products(builder, builder.load(total), number, weights[part]), total)
        for (_, _, place), total in zip(places, sums):
            builder.store(builder.load(total), place, align=LINE)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4), code


def _line(builder: Any, address: Any, offset: int) -> Any:
    """A pointer to 16 numbers, so many bytes beyond an address."""
    return builder.inttoptr(builder.add(address, ir.Constant(WORD, offset)), ir.PointerType(SIXTEEN))


def _moved(builder: Any, address: Any, tile: Any, width: int, four: Any, step: int) -> Any:
    far = builder.add(builder.mul(tile, ir.Constant(WORD, width)), builder.mul(four, ir.Constant(WORD, step)))
    return builder.add(address, far)


def _four_products(builder: Any, total: Any, number: Any, weights: Any) -> Any:
    one = builder.insert_element(ir.Constant(SIXTEEN, ir.Undefined), number, ir.Constant(INTEGER, 0))
    everywhere = builder.shuffle_vector(one, one, ir.Constant(SIXTEEN, [0] * 16))
    kind = ir.FunctionType(SIXTEEN, [SIXTEEN] * 3)
    name = "llvm.x86.avx512.vpdpbusd.512"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [total, everywhere, weights])


@template
def byte_block(source, near, part, tile, rows, columns, out):
    """The same integers by vectors of bytes. The columns of one part stay in the nearest cache for all rows."""
    depth, to = source.shape[1], out.ctypes.data
    out[:rows] = 0
    for k in range(near.shape[0]):
        first = source.ctypes.data + (near[k] * part + tile) * depth * TILE
        second = columns.ctypes.data + k * depth * 2 * TILE
        for row in range(0, rows, HALF):
            add_products(first + (row >> 4) * depth * TILE + (row & 15) * LINE, second, depth, to + row * 4 * BLOCK)


@template
def plain_block(source, near, part, tile, rows, columns, out):
    """The same integers one after the other, on any processor."""
    depth, lines = source.shape[1], np.empty((DEEP, BLOCK), np.int32)
    out[:rows] = 0
    for k in range(near.shape[0] * depth):
        take_columns(columns[2 * TILE * k : 2 * TILE * (k + 1)], lines)
        first, deep = near[k // depth] * part + tile, k % depth
        for row in range(rows):
            line = source[first + (row >> 4), deep, row & 15]
            for j in range(DEEP):
                if line[j] != 0:
                    for column in range(BLOCK):
                        out[row, column] += line[j] * lines[j, column]


@template
def take_columns(columns, lines):
    """A line for each input of two tiles of weights, where four inputs of a column lie side by side."""
    for j in range(DEEP):
        for column in range(BLOCK):
            lines[j, column] = columns[TILE * (column >> 4) + LINE * (j >> 2) + 4 * (column & 15) + (j & 3)]


@template
def plain_begin(address):
    pass


@template
def plain_end():
    pass


PLAIN: dict[str, Any] = {"block": plain_block, "begin": plain_begin, "end": plain_end}
"""What takes the place of what only some processors have."""
BYTES = {**PLAIN, "block": byte_block}


# ------------------------------------------------------------------------------------------------ memory


def layout() -> np.ndarray:
    """All eight tiles have 16 rows of 64 bytes."""
    made = aligned((LINE,), np.uint8)
    made[0] = 1
    made[16:32].view(np.uint16)[:] = 64
    made[48:56] = 16
    return made


def aligned(shape: tuple[int, ...], kind: Any) -> np.ndarray:
    """Zeros that begin with a cache line."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    raw = np.zeros(size + LINE, np.uint8)
    first = -raw.ctypes.data % LINE
    return raw[first : first + size].view(kind).reshape(shape)


def in_tiles(weight: np.ndarray) -> np.ndarray:
    """int8[columns // 32, …] for int8[inputs, columns]: the tiles of each block's columns, one after the other; four
    inputs of a column lie side by side."""
    inputs, columns = weight.shape
    parts = weight.reshape(inputs // DEEP, 16, 4, columns // BLOCK, 2, 16).transpose(3, 0, 4, 1, 5, 2)
    made = aligned((columns // BLOCK, inputs * BLOCK), np.int8)
    made[:] = parts.reshape(made.shape)
    return made


def in_one(parts: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The same arrays one after the other in memory, each from a line on: together they are large enough for numpy to
    ask the system for large pages."""
    room = [part.nbytes + -part.nbytes % LINE for part in parts]
    whole, places = aligned((sum(room),), np.uint8), np.cumsum([0, *room])
    packed = [
        whole[place : place + part.nbytes].view(part.dtype).reshape(part.shape) for place, part in zip(places, parts)
    ]
    for to, part in zip(packed, parts):
        to[:] = part
    return packed
