"""The network as Triton kernels, on a GPU. Activations lie cell by cell, [cell][position][channel]: then each neighbour
of a cell is a plain matrix, a layer is relu(bias + the sum over neighbours of x[neighbour] @ tap), nothing is computed
beyond the edge, and squares and hexagons differ by a table. Rows of a tile are positions of one cell.

This file needs triton, which comes with torch for CUDA; `cuda` imports it where it is used.
"""

from __future__ import annotations

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]


@triton.jit
def unpack(features, x, FEATURES: tl.constexpr, K: tl.constexpr, WIDE: tl.constexpr, ROWS: tl.constexpr):
    """Bytes become numbers, 127 for 1; columns up to K are filled with 0."""
    rows, columns = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDE)
    at = rows[:, None] * FEATURES + columns[None, :]
    number = tl.load(features + at, mask=(columns < FEATURES)[None, :], other=0).to(tl.float32) * (1.0 / 127.0)
    tl.store(x + rows[:, None] * K + columns[None, :], number.to(x.dtype.element_ty), mask=(columns < K)[None, :])


@triton.jit
def layer(
    x, taps, bias, scale, residual, y, y8, scale8, order, counts, sources, kinds, positions, blocks, together,
    CELLS: tl.constexpr, K: tl.constexpr, N: tl.constexpr, ROWS: tl.constexpr, STEP: tl.constexpr,
    IS_SECOND: tl.constexpr, WRITES: tl.constexpr, WRITES_8: tl.constexpr, IS_8: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """One tile: a block of positions at one cell. `together` blocks go cell by cell, so that what neighbours share
    stays in the cache; cells with most neighbours first, so that none of them comes last."""
    program = tl.program_id(0)
    each = together * CELLS
    first = (program // each) * together
    size = min(blocks - first, together)
    block = first + (program % each) % size
    cell = tl.load(order + (program % each) // size)
    # Neighbours and their taps, 7 bits each in one number: a look-up within the loop would stop its pipeline.
    count, near, kind = tl.load(counts + cell), tl.load(sources + cell), tl.load(kinds + cell)
    total = tl.zeros((ROWS, N), tl.float32)
    STEPS: tl.constexpr = K // STEP
    for i in tl.range(0, count * STEPS):
        t = i // STEPS
        k = (i % STEPS) * STEP
        a = x.load([((near >> (7 * t)) & 127).to(tl.int32) * positions + block * ROWS, k])
        b = taps.load([((kind >> (7 * t)) & 127).to(tl.int32) * N, k])
        total = tl.dot(a, b.T, total, input_precision=PRECISION)
    columns = tl.arange(0, N)
    if IS_8:
        total = total * tl.load(scale + columns)[None, :]
    total += tl.load(bias + columns)[None, :]
    row = cell * positions + block * ROWS
    if IS_SECOND:
        total += residual.load([row, 0]).to(tl.float32)
    total = tl.maximum(total, 0.0)
    if WRITES:
        y.store([row, 0], total.to(y.dtype))
    if WRITES_8:
        y8.store([row, 0], tl.minimum(total * tl.load(scale8), 448.0).to(tl.float8e4nv))


@triton.jit
def summarise(
    x, narrow, narrow_bias, cells_weight, mean_weight, most_weight, bias, summary, positions,
    CELLS: tl.constexpr, K: tl.constexpr, NARROW: tl.constexpr, HIDDEN: tl.constexpr, ROWS: tl.constexpr,
    HAS_NARROW: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """relu of a linear map of the mean and the greatest of every channel, and of the narrow channels of each cell."""
    block = tl.program_id(0)
    channels, thin, wide = tl.arange(0, K), tl.arange(0, NARROW), tl.arange(0, HIDDEN)
    total, most = tl.zeros((ROWS, K), tl.float32), tl.zeros((ROWS, K), tl.float32)
    out = tl.zeros((ROWS, HIDDEN), tl.float32)
    thin_weight = tl.load(narrow + thin[None, :] * K + channels[:, None])
    thin_bias = tl.load(narrow_bias + thin)
    for cell in tl.range(0, CELLS):
        a = x.load([cell * positions + block * ROWS, 0])
        total += a.to(tl.float32)
        most = tl.maximum(most, a.to(tl.float32))
        if HAS_NARROW:
            h = tl.dot(a, thin_weight, input_precision=PRECISION) + thin_bias[None, :]
            h = tl.maximum(h, 0.0).to(a.dtype)
            weight = tl.load(cells_weight + (cell * HIDDEN + wide[None, :]) * NARROW + thin[:, None])
            out = tl.dot(h, weight, out, input_precision=PRECISION)
    kind = mean_weight.dtype.element_ty
    mean = tl.load(mean_weight + wide[None, :] * K + channels[:, None])
    out = tl.dot((total * (1.0 / CELLS)).to(kind), mean, out, input_precision=PRECISION)
    greatest = tl.load(most_weight + wide[None, :] * K + channels[:, None])
    out = tl.dot(most.to(kind), greatest, out, input_precision=PRECISION)
    out = tl.maximum(out + tl.load(bias + wide)[None, :], 0.0)
    rows = block * ROWS + tl.arange(0, ROWS)
    tl.store(summary + rows[:, None] * HIDDEN + wide[None, :], out)


@triton.jit
def answer(
    planes, planes_bias, rest, rest_bias, slots, answers, positions,
    CELLS: tl.constexpr, PLANES: tl.constexpr, PLANES_WIDE: tl.constexpr, EXTRA: tl.constexpr, REST: tl.constexpr,
    SEATS: tl.constexpr, SEATS_WIDE: tl.constexpr, WIDTH: tl.constexpr, WIDE: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """The softmax over the slots of each menu (-1 fills it up), then the values. Slots are first the planes, cell by
    cell, then the others."""
    rows, columns = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDE)
    slot = tl.load(slots + rows[:, None] * WIDTH + columns[None, :], mask=(columns < WIDTH)[None, :], other=-1)
    slot = slot.to(tl.int32)
    on_cell, beyond = (slot >= 0) & (slot < PLANES * CELLS), slot >= PLANES * CELLS
    plane, cell = slot // CELLS, slot % CELLS
    at = (cell * positions + rows[:, None]) * PLANES_WIDE + plane
    x = tl.load(planes + at, mask=on_cell, other=0.0).to(tl.float32)
    x += tl.load(planes_bias + plane, mask=on_cell, other=0.0)
    other = slot - PLANES * CELLS
    x += tl.load(rest + rows[:, None] * REST + other, mask=beyond, other=0.0)
    x += tl.load(rest_bias + other, mask=beyond, other=0.0)
    x = tl.where(slot >= 0, x, -1e30)
    e = tl.where(slot >= 0, tl.exp(x - tl.max(x, 1)[:, None]), 0.0)
    e = e / tl.maximum(tl.sum(e, 1)[:, None], 1e-30)
    tl.store(answers + rows[:, None] * (WIDTH + SEATS) + columns[None, :], e, mask=(columns < WIDTH)[None, :])
    seats = tl.arange(0, SEATS_WIDE)
    seated = (seats < SEATS)[None, :]
    z = tl.load(rest + rows[:, None] * REST + EXTRA + seats[None, :], mask=seated, other=0.0)
    z += tl.load(rest_bias + EXTRA + seats, mask=seats < SEATS, other=0.0)[None, :]
    at = rows[:, None] * (WIDTH + SEATS) + WIDTH + seats[None, :]
    tl.store(answers + at, 1.0 - 2.0 / (tl.exp(2.0 * z) + 1.0), mask=seated)  # tanh
