"""Sums of weighted lines of short numbers, which any processor with AVX2 adds 16 at a time.

Where about half of a layer's inputs are 0, the product with a matrix is best made input by input: the others pick their
lines of the matrix, and each line is weighted and added. A line is 128 columns, which stay in registers meanwhile.
Numbers are fractions of 2**15; a product is rounded to 16 bits, and a sum that is too large stays at the largest.
"""

from __future__ import annotations

import platform
from functools import cache
from typing import Any

from llvmlite import binding, ir
from numba import extending
from numba.core import cgutils, types

BLOCK = 128  # columns of a line
ONE = 1 << 15
MOST = ONE - 1
LANES = 16  # of a register

intrinsic: Any = extending.intrinsic
SHORT, INTEGER, WORD = (ir.IntType(bits) for bits in (16, 32, 64))
FLOAT = ir.FloatType()
SHORTS, INTEGERS, FLOATS = (ir.VectorType(kind, LANES) for kind in (SHORT, INTEGER, FLOAT))


@cache
def has_shorts() -> bool:
    return platform.machine() in ("x86_64", "AMD64") and bool(binding.get_host_cpu_features().get("avx2"))


def _at(builder: Any, address: Any, offset: int, kind: Any) -> Any:
    """A pointer to so many bytes beyond an address."""
    return builder.inttoptr(builder.add(address, ir.Constant(WORD, offset)), ir.PointerType(kind))


def _all(kind: Any, number: float) -> Any:
    return ir.Constant(ir.VectorType(kind, LANES), [number] * LANES)


def _both(builder: Any, name: str, one: Any, other: Any) -> Any:
    kind = ir.FunctionType(SHORTS, [SHORTS, SHORTS])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}"), [one, other])


def _everywhere(builder: Any, number: Any) -> Any:
    """A register full of one number."""
    one = builder.insert_element(ir.Constant(SHORTS, ir.Undefined), number, ir.Constant(INTEGER, 0))
    return builder.shuffle_vector(one, one, _all(INTEGER, 0))


@intrinsic
def add_lines(typing, entries, count, lines, out):
    """Add lines to one of them. An entry is a uint32: how far its line is from the first one, in bytes, and above these
    16 bits its weight. But for the count all are addresses."""

    def code(context, builder, signature, args):
        entries, count, lines, out = args
        registers = range(BLOCK // LANES)
        sums = [cgutils.alloca_once_value(builder, builder.load(_at(builder, out, 32 * k, SHORTS))) for k in registers]
        with cgutils.for_range(builder, count) as loop:
            entry = builder.add(entries, builder.shl(loop.index, ir.Constant(WORD, 2)))
            place = builder.add(lines, builder.zext(builder.load(_at(builder, entry, 0, SHORT)), WORD))
            weight = _everywhere(builder, builder.load(_at(builder, entry, 2, SHORT)))
            for k in registers:
                part = _both(builder, "x86.avx2.pmul.hr.sw", builder.load(_at(builder, place, 32 * k, SHORTS)), weight)
                builder.store(_both(builder, "sadd.sat.v16i16", builder.load(sums[k]), part), sums[k])
        for k in registers:
            builder.store(builder.load(sums[k]), _at(builder, out, 32 * k, SHORTS))
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4), code


@intrinsic(prefer_literal=True)
def add_up(typing, places, count, offset, factor, bias, out):
    """The sum of 16 numbers from each of so many places (a plain number in the code), in other units, at least 0 and at
    most what a short number holds. All are addresses; `offset` is how far from their places the numbers are."""

    def code(context, builder, signature, args):
        table, total = builder.inttoptr(args[0], ir.PointerType(WORD)), _all(INTEGER, 0)
        for k in range(count.literal_value):
            place = builder.add(builder.load(builder.gep(table, [ir.Constant(WORD, k)])), args[2])
            total = builder.add(total, builder.sext(builder.load(_at(builder, place, 0, SHORTS)), INTEGERS))
        amounts = builder.fmul(builder.sitofp(total, FLOATS), builder.load(_at(builder, args[3], 0, FLOATS), align=4))
        amounts = builder.fadd(amounts, builder.load(_at(builder, args[4], 0, FLOATS), align=4))
        for sign, limit in ((">", 0.0), ("<", float(MOST))):
            bound = _all(FLOAT, limit)
            amounts = builder.select(builder.fcmp_ordered(sign, amounts, bound), amounts, bound)
        short = builder.trunc(builder.fptosi(amounts, INTEGERS), SHORTS)
        builder.store(short, _at(builder, args[5], 0, SHORTS), align=2)
        return context.get_dummy_value()

    return types.void(types.int64, count, *[types.int64] * 4), code
