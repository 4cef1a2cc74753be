"""Arrays whose references nobody counts.

Compiled code counts, with an atomic instruction, every array that it takes out of a record of arrays or cuts out of
another array; a search does so a hundred times a simulation. Its caller keeps all of them alive anyway.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic

from ludus.rng import config


def _borrow(typing, arrays):
    def code(context, builder, signature, args):
        return _uncounted(context, builder, signature.args[0], args[0])

    return arrays(arrays), code


def _uncounted(context, builder, kind, value):
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        parts = zip(kind.types, cgutils.unpack_tuple(builder, value))
        return context.make_tuple(builder, kind, [_uncounted(context, builder, *part) for part in parts])
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    return value


borrow: Any = (lambda arrays: arrays) if config.DISABLE_JIT else intrinsic(_borrow)
"""``borrow(record)``: the same named tuple, its arrays and those of tuples in it uncounted. Whoever called must hold
the record until the end."""
