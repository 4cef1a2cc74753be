"""The Organism paper's network in 8 and 16 bits: the same answers as in 32, whatever is asked, in whatever order."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import load
from ludus.agents.organism import hexaconv as agents
from ludus.agents.organism._search import some_planes
from ludus.compile import bind, template
from ludus.errors import BadInput
from ludus.nets import hexaconv8, hexaconv16
from ludus.nets.hexaconv import Arrays, CpuValues, sizes
from ludus.nets.hexaconv8 import TileValues
from ludus.nets.hexaconv16 import ShortValues
from ludus.nets.patches import TAPS, near_cells
from ludus.nets.shorts import has_shorts
from ludus.nets.tiles import aligned, byte_block, has_bytes, has_tiles, in_one, in_tiles, plain_block
from ludus.workers import Threads

ORGANISM = load("organism")
WIDTH = 128

tiled = pytest.mark.skipif(not has_tiles(), reason="this processor multiplies no bytes in tiles")
byted = pytest.mark.skipif(not has_bytes(), reason="this processor multiplies no vectors of bytes")
quick = pytest.mark.skipif(not has_tiles() and not has_bytes(), reason="this processor multiplies no bytes")
short = pytest.mark.skipif(not has_shorts(), reason="this processor has no AVX2")
both = pytest.mark.parametrize(
    "kind", [pytest.param(TileValues, id="8"), pytest.param(ShortValues, marks=short, id="16")]
)


def network(side: int = 5, width: int = WIDTH) -> Arrays:
    """A random one, scaled so that values are neither all alike nor all sure."""
    rng, found = np.random.default_rng(1), []
    for shape in sizes(side, width):
        weight = rng.normal(0, (2 / np.prod(shape[1:])) ** 0.5, shape).astype(np.float32)
        if weight.ndim == 4:
            weight[:, :, 0, 0] = weight[:, :, 2, 2] = 0
        found.append((weight, rng.normal(0, 0.05, shape[0]).astype(np.float32)))
    return found


@pytest.mark.parametrize(("side", "counts"), [(5, (23, 19, 7, 1, 1, 1)), (7, (47, 43, 23, 9, 1, 1))])
def test_only_what_is_looked_at_is_worked_out(side, counts):
    near = near_cells(side)
    assert tuple(len(part) for part in near) == counts
    assert (np.sort(near.third.ravel())[[0, -1]] == [0, len(near.second) - 1]).all()  # no layer after it has a margin
    assert len(TAPS) == 7


def test_columns_are_laid_down_in_fours():
    weight = np.random.default_rng(0).integers(-127, 128, (128, 64)).astype(np.int8)
    tiles = in_tiles(weight).reshape(2, 2, 2, 16, 16, 4)  # block, depth, half, four inputs, column, which of the four
    assert tiles[1, 1, 0, 3, 5, 2] == weight[64 + 4 * 3 + 2, 32 + 5]
    assert tiles.ctypes.data % 64 == 0


def test_weights_lie_one_after_the_other():
    parts = [np.full((2, 100), k, np.int8) for k in range(3)]
    packed = in_one(parts)
    assert all((part == again).all() for part, again in zip(parts, packed))
    places = [part.ctypes.data - packed[0].ctypes.data for part in packed]
    assert places == [0, 256, 512]
    assert packed[0].ctypes.data % 64 == 0


@template
def multiply(source, near, part, tile, rows, columns, out):
    plain_block(source, near, part, tile, rows, columns, out)


@pytest.mark.parametrize("rows", [1, 16, 27, 48])
@pytest.mark.parametrize("way", ["plain", pytest.param("bytes", marks=byted)])
def test_a_block_is_a_product_of_matrices(way, rows):
    """Two parts of four tiles of rows, of which the second and the first are looked at, in this order."""
    rng, out = np.random.default_rng(0), aligned((48, 32), np.int32)
    out[:] = -1
    source, weight = aligned((8, 2, 16, 64), np.uint8), rng.integers(-127, 128, (256, 32))
    source[:] = rng.integers(0, 256, source.shape)
    kernel = bind(multiply, {"plain_block": byte_block} if way == "bytes" else {}, "test")
    kernel(source, np.array([1, 0]), 4, 1, rows, in_tiles(weight.astype(np.int8))[0], out)
    parts = [source[first : first + 3].transpose(0, 2, 1, 3).reshape(48, 128) for first in (5, 1)]
    assert (out[:rows] == (np.concatenate(parts, axis=1).astype(np.int64) @ weight)[:rows]).all()
    assert (out[-(-rows // 8) * 8 :] == -1).all()


@quick
def test_all_ways_to_multiply_bytes_say_the_same(monkeypatch):
    arrays, planes = network(), some_planes(ORGANISM, 3, 100)
    expected = TileValues(arrays, planes)(planes)
    for way in ("has_tiles", "has_bytes"):
        monkeypatch.setattr(hexaconv8, way, lambda: False)
        assert (TileValues(arrays, planes)(planes) == expected).all()


@both
@pytest.mark.parametrize("rings", [3, 4])
def test_few_bits_say_what_thirty_two_say(kind, rings):
    arrays, planes = network(2 * rings - 1), some_planes(ORGANISM, rings, 300)
    few, exact = kind(arrays, planes[::2])(planes), CpuValues(arrays)(planes)
    assert exact.std() > 0.02
    assert abs(few - exact).mean() < 0.1 * exact.std()
    assert np.corrcoef(few, exact)[0, 1] > 0.99


@short
def test_sixteen_bits_are_nearer():
    arrays, planes = network(), some_planes(ORGANISM, 3, 300)
    short, exact = ShortValues(arrays, planes[::2])(planes), CpuValues(arrays)(planes)
    assert abs(short - exact).mean() < 0.02 * exact.std()


@both
def test_a_channel_that_was_never_seen_still_counts(kind):
    """Positions by which channels are measured are few; what is 0 in all of them may be much in others."""
    arrays, planes = network(), some_planes(ORGANISM, 3, 300)
    few, exact = kind(arrays, planes[::20])(planes), CpuValues(arrays)(planes)
    assert np.corrcoef(few, exact)[0, 1] > 0.99


@both
def test_a_position_is_worth_the_same_in_any_company(kind):
    arrays, planes = network(), some_planes(ORGANISM, 3, 200)
    values = kind(arrays, planes)
    together = values(planes)
    assert (values(planes[::-1])[::-1] == together).all()
    assert (np.concatenate([values(planes[k : k + 1]) for k in range(40)]) == together[:40]).all()
    assert len(values(planes[:0])) == 0
    values.forget()
    assert (values(planes[100:]) == together[100:]).all()


@both
def test_planes_that_are_exchanged_make_another_patch(kind):
    arrays, planes = network(), some_planes(ORGANISM, 3, 64)
    other = planes.reshape(len(planes), 11, -1)[:, [8, *range(1, 8), 0, 9, 10]].reshape(planes.shape)
    mixed = kind(arrays, planes)(np.concatenate([planes, other]))
    assert (kind(arrays, planes)(other) == mixed[len(planes) :]).all()


@both
def test_a_full_shelf_begins_anew(kind, monkeypatch):
    arrays, planes = network(), some_planes(ORGANISM, 3, 500)
    expected = kind(arrays, planes[:64])(planes)
    for module in (hexaconv8, hexaconv16):
        monkeypatch.setattr(module, "SHELF", 2048)
    values = kind(arrays, planes[:64])
    assert (values(planes) == expected).all()
    assert (values(planes) == expected).all()


@both
def test_what_was_met_is_not_worked_out_again(kind):
    arrays, planes = network(), some_planes(ORGANISM, 3, 100)
    values = kind(arrays, planes)
    expected, shelf = values(planes), values._shelves[0]
    patches, sevens = int(shelf.ledger.patches.met[0]), int(shelf.ledger.sevens.met[0])
    assert patches < 23 * len(planes)
    assert sevens < 19 * len(planes)
    assert (values(planes[::-1])[::-1] == expected).all()
    assert shelf.ledger.patches.met[0] - patches < 16  # new ones begin a tile
    assert shelf.ledger.sevens.met[0] == sevens


@short
def test_products_are_made_once():
    arrays, planes = network(), some_planes(ORGANISM, 3, 100)
    values = ShortValues(arrays, planes)
    values(planes)
    shelf = values._shelves[0]
    made = [int(stock.made[0]) for stock in (shelf.of_patches, shelf.of_sevens)]
    values(planes[::-1])
    assert [int(stock.made[0]) for stock in (shelf.of_patches, shelf.of_sevens)] == made
    assert made[1] < 49 * len(planes)


@both
def test_threads_share_a_network(kind):
    arrays, planes = network(), some_planes(ORGANISM, 3, 256)
    values = kind(arrays, planes)
    expected = values(planes)
    for found in Threads(3).stream(values, [planes] * 9):
        assert (found == expected).all()


@quick
def test_bytes_are_taken_where_they_are_multiplied():
    assert hexaconv8.fits(network())
    assert not hexaconv8.fits(network(width=32))
    assert not hexaconv8.fits(network(width=136))
    assert isinstance(agents.quickest_values(ORGANISM, network(), "cpu"), TileValues)


@short
def test_narrow_networks_and_odd_ones_stay_as_they_are():
    assert hexaconv16.fits(network())
    assert not hexaconv16.fits(network(width=32))
    assert not hexaconv16.fits(network(width=192))
    assert isinstance(agents.quickest_values(ORGANISM, network(width=32), "cpu"), CpuValues)
    assert isinstance(agents.quickest_values(ORGANISM, network(), "cpu"), TileValues | ShortValues)
    assert isinstance(agents.quickest_values(ORGANISM, network(), "cpu", 16), ShortValues)
    assert isinstance(agents.quickest_values(ORGANISM, network(), "cpu", 32), CpuValues)


@pytest.mark.parametrize("bits", [8, 16])
def test_bits_that_cannot_be_had_are_refused(bits):
    with pytest.raises(BadInput, match=f"{bits} bits need"):
        agents.quickest_values(ORGANISM, network(width=32), "cpu", bits)
