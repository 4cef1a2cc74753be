"""Compiled workers that stay: threads which wait for the next job in compiled code, since a Python thread that is woken
for each would cost more than the job. They share one number, which is a ticket: the job, and the next place in it.
"""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba import extending
from numba.core import cgutils, types

from ludus.compile import inlined, template

NEXT, DONE, STOP, OUT = 0, 8, 16, 24  # numbers of a control, each on a cache line of its own
CONTROL = 32  # its length
PLACE = (1 << 32) - 1  # the lower half of a ticket: the next place; above it the job

intrinsic: Any = extending.intrinsic
sched_yield: Any = types.ExternalFunction("sched_yield", types.intc())
usleep: Any = types.ExternalFunction("usleep", types.intc(types.uint32))
PATIENCE, NAP = 20_000, 200  # times that a core is offered to others, then microseconds of sleep


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return cgutils.get_item_pointer(context, builder, signature.args[0], array, [args[1]])


@intrinsic
def atomic_add(typing, array, index, value):
    """Add to one entry of an int64 array; what it was."""

    def code(context, builder, signature, args):
        return builder.atomic_rmw("add", _pointer(context, builder, signature, args), args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), code


@intrinsic
def atomic_load(typing, array, index):
    def code(context, builder, signature, args):
        return builder.load_atomic(_pointer(context, builder, signature, args), "acquire", 8)

    return types.int64(array, types.intp), code


@intrinsic
def atomic_store(typing, array, index, value):
    def code(context, builder, signature, args):
        builder.store_atomic(args[2], _pointer(context, builder, signature, args), "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.int64), code


IS_X86 = platform.machine().lower() in ("x86_64", "amd64")


@intrinsic
def pause(typing):
    """Tell the processor that this thread waits."""

    def code(context, builder, signature, args):
        if IS_X86:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.void(), code


@inlined
def wait_a_little(waited, spins):
    """Where every thread has a core of its own waiting in place is quickest; else the core is for others. After long
    in vain, as while the network learns, a worker sleeps."""
    if waited < spins:
        pause()
    elif waited < spins + PATIENCE:
        sched_yield()
    else:
        usleep(NAP)
    return waited + 1


@template
def post(control, job):
    """Begin the next job."""
    atomic_store(control, NEXT, job << 32)


@template
def await_done(control, total, spins):
    """Wait until so many places of all jobs so far are done."""
    waited = 0
    while atomic_load(control, DONE) < total:
        waited = wait_a_little(waited, spins)
