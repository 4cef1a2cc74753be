"""Compiled workers that stay: threads which wait for the next job in compiled code, since a Python thread that is woken
for each would cost more than the job. Each has a queue of places, which is one number, a ticket: the job, and the next
place in its share of it. Who is done with its own share takes from the others', so that nobody waits for one who has no
core for a while; but mostly the same worker takes the same places, whose memory is near it.
"""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending
from numba.core import cgutils, types

from ludus.compile import inlined, template

DONE, STOP, OUT, QUEUES = 0, 8, 16, 24  # numbers of a control, each on a cache line of its own; a queue a worker
LINE = 8  # numbers in a cache line
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


def control_for(workers: int) -> np.ndarray:
    """With nothing in any queue."""
    control = np.zeros(QUEUES + LINE * workers, np.int64)
    control[QUEUES:] = PLACE >> 1
    return control


@template
def post(control, job):
    """Begin the next job."""
    for queue in range(QUEUES, control.shape[0], LINE):
        atomic_store(control, queue, job << 32)


@inlined
def take(control, worker, size, chunk):
    """Some places of the job at hand, from the own queue or from another: the job, the first place, and how many."""
    workers = (control.shape[0] - QUEUES) // LINE
    for k in range(workers):
        queue = (worker + k) % workers
        low, high = size * queue // workers, size * (queue + 1) // workers
        if atomic_load(control, QUEUES + LINE * queue) & PLACE < high - low:
            ticket = atomic_add(control, QUEUES + LINE * queue, chunk)
            place = low + (ticket & PLACE)
            if place < high:
                return ticket >> 32, place, min(chunk, high - place)
    return 0, 0, 0


@template
def await_done(control, total, spins):
    """Wait until so many places of all jobs so far are done."""
    waited = 0
    while atomic_load(control, DONE) < total:
        waited = wait_a_little(waited, spins)
