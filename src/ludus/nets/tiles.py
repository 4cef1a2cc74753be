"""Products of bytes by a processor's tiles: newer ones from Intel have a unit that multiplies 16 x 64 bytes by 64 x 16
at once (AMX), many times as fast as floats go one vector after the other.

A block is 32 rows by 32 columns: four tiles are added to, from two of the rows and two of the columns. Columns are laid
down tile by tile, and all memory begins with a cache line: a tile across lines takes four times as long to load.
"""

from __future__ import annotations

import ctypes
import platform
from functools import cache
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import extending
from numba.core import cgutils, types

from ludus.compile import inlined

BLOCK, DEEP = 32, 64  # rows and columns of a block; bytes of a row in one tile
LINE = 64  # bytes of the cache
SYSCALL, ASK, TILES = 158, 0x1023, 18  # arch_prctl, ARCH_REQ_XCOMP_PERM, and what is asked for

intrinsic: Any = extending.intrinsic
BYTE, WORD, NOTHING = ir.IntType(8), ir.IntType(64), ir.VoidType()
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
    builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.x86.{name}"), arguments)


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


load, store = _moves("tileloadd64"), _moves("tilestored64")


@intrinsic(prefer_literal=True)
def multiply(typing, total, rows, columns):
    """Add the product of two tiles to a third; rows have no sign, columns have."""

    def code(context, builder, signature, args):
        numbers = [ir.Constant(BYTE, tile.literal_value) for tile in (total, rows, columns)]
        _call(builder, "tdpbusd", [BYTE] * 3, numbers)
        return context.get_dummy_value()

    return types.void(total, rows, columns), code


@intrinsic
def begin(typing, address):
    """Tell the thread's unit how large its tiles are, as `layout` says."""

    def code(context, builder, signature, args):
        _call(builder, "ldtilecfg", [POINTER], [builder.inttoptr(args[0], POINTER)])
        return context.get_dummy_value()

    return types.void(types.int64), code


@intrinsic
def clear(typing):
    """The four tiles that are added to."""

    def code(context, builder, signature, args):
        for tile in range(4):
            _call(builder, "tilezero", [BYTE], [ir.Constant(BYTE, tile)])
        return context.get_dummy_value()

    return types.void(), code


@intrinsic
def end(typing):
    """Let go of the unit: what is in it is not kept when threads change any more."""

    def code(context, builder, signature, args):
        _call(builder, "tilerelease", [], [])
        return context.get_dummy_value()

    return types.void(), code


# ------------------------------------------------------------------------------------------------ blocks


@inlined
def block(source, near, row, columns, out, is_half):
    """One block of a product into int32[32, 32]; with `is_half` only its first 16 rows. `source` is uint8[parts, rows,
    bytes]: the inputs of a row are its bytes in each of the parts that are near, one part after the other; `columns`
    and `out` are addresses. A tile is loaded while the one before it is multiplied."""
    stride = source.shape[2]
    depth, second = stride // 64, columns
    clear()
    for k in range(near.shape[0]):
        first = source.ctypes.data + (near[k] * source.shape[1] + row) * stride
        for _ in range(depth):
            load(4, first, stride)
            load(6, second, 64)
            multiply(0, 4, 6)
            load(7, second + 1024, 64)
            multiply(1, 4, 7)
            if not is_half:
                load(5, first + 16 * stride, stride)
                multiply(2, 5, 6)
                multiply(3, 5, 7)
            first, second = first + 64, second + 2048
    store(0, out, 128)
    store(1, out + 64, 128)
    if not is_half:
        store(2, out + 2048, 128)
        store(3, out + 2112, 128)


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
