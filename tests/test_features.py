"""The default `observe`: planes, the viewer first, numbers squashed and named, sets as bits."""

from __future__ import annotations

import numpy as np

from ludus.compile import bind, template
from ludus.features import BOARD_ROOM, CURVES, MOST_NAMES, cut_to, default_observe
from ludus.rules import Param, Params, observe, record
from ludus.shapes import hexagons, squares

RULES = Params(rings=Param(3, 1, 9))


@template
def observed(states, player, out):
    observe(states[0], player, out)


def seen(states: np.ndarray, player: int, seats: int, board=None) -> tuple[np.ndarray, object]:
    compiled, shape = default_observe(states.dtype, seats, __name__, board)
    out = np.full(shape.length + 2, -77, np.float32)
    bind(observed, {"observe": compiled}, "test_features")(states, player, out)
    assert out[-2:].tolist() == [-77, -77]
    return out[:-2], shape


def squash(numbers) -> list[float]:
    return [np.float32(x / (1 + abs(x))) for x in np.asarray(numbers, float).ravel()]


def spelled(numbers, names: int) -> list[float]:
    """As `spell` writes them: two curves, then a place for what is below 0, for 1, for 2, …"""
    found = []
    for x in np.asarray(numbers, float).ravel().tolist():
        place = 0 if x < 0 else int(x)
        named = [float(x != 0 and k == place) for k in range(names)]
        found += [*(np.float32(x / (curve + abs(x))) for curve in CURVES), *named]
    return found


def contents(cells, player: int, players: int, seats: int, names: int) -> list[float]:
    """As `spell_cell` writes them, plane by plane: numbers; each seat's, the viewer's first; names, for each viewer."""
    cells, found = np.asarray(cells).ravel(), []
    for seat in range(seats):
        found.append((cells == 1 + (player + seat) % players) & (seat < players))
    places = np.where(cells < 0, 0, cells)
    for viewer in range(seats):
        found += [(places == k) & (cells != 0) & (viewer == player) for k in range(names)]
    return [*squash(cells), *np.array(found, float).ravel().tolist()]


def test_boards_come_first_and_the_viewer_first_in_all():
    kind = record(
        params=RULES, players=np.int8, score=(np.float64, 3), over=np.bool_,
        board=(np.int8, (3, 4)), owned=(np.int8, (3, 3, 4)),
    )  # fmt: skip
    states = np.zeros(1, kind)
    states["players"], states["over"], states["score"] = 2, True, [5, -7, 9]
    states["board"] = np.arange(12).reshape(3, 4)
    states["owned"] = np.arange(36).reshape(3, 3, 4)
    out, shape = seen(states, 1, 3)
    own = 1 + 3 + 3 * MOST_NAMES  # planes of the board, which has room for all names
    assert (shape.planes, shape.board.grid, shape.extra) == (own + 3, (3, 4), len(CURVES) * 4 + MOST_NAMES + 2)
    turned = states["owned"][0][[1, 0, 2]]  # two of three seats are taken
    numbers = [*spelled([2], MOST_NAMES), *spelled([-7, 5, 9], 0)]  # what is no whole number has no name
    board = contents(states["board"], 1, 2, 3, MOST_NAMES)
    assert out.tolist() == [*board, *squash(turned), *numbers, 1, np.float32(0.5)]


def test_cells_name_the_viewer_first_and_other_things_for_each_viewer_apart():
    for side, names in ((7, 5), (13, 0)):
        cells = side * side
        assert names == (BOARD_ROOM // cells - 3) // 2 or names == 0
        states = np.zeros(1, record(players=np.int32, board=(np.int8, (side, side))))
        states["players"], states["board"] = 2, np.arange(cells).reshape(side, side) % 9 - 2
        for player in range(2):
            out, shape = seen(states, player, 2)
            assert shape.planes == 3 + 2 * names
            assert out[: shape.planes * cells].tolist() == contents(states["board"], player, 2, 2, names)


def test_names_are_given_as_far_as_there_is_room():
    for entries, names in ((3, MOST_NAMES), (60, 6), (300, 0)):
        states = np.zeros(1, record(players=np.int32, cards=(np.int16, entries)))
        states["players"], states["cards"] = 2, np.arange(entries) - 1
        assert seen(states, 0, 2)[0].tolist() == [*spelled([2], names), *spelled(states["cards"], names), 0]


def test_a_row_for_each_seat_is_no_board():
    for shape, is_board in (((4, 6), False), ((4, 4), True), ((5, 6), True)):
        states = np.zeros(1, record(players=np.int32, faces=(np.int32, shape)))
        states["players"], states["faces"] = 4, np.arange(np.prod(shape)).reshape(shape)
        out, found = seen(states, 1, 4)
        assert (found.board is not None) == is_board
        if not is_board:
            names = 512 // 25 - len(CURVES)
            turned = states["faces"][0][[1, 2, 3, 0]]
            assert out[len(CURVES) + min(names, MOST_NAMES) : -1].tolist() == spelled(turned, min(names, MOST_NAMES))


def test_sets_are_shown_as_bits():
    states = np.zeros(1, record(players=np.int32, stones=(np.int64, 2), cells=(np.uint64, 1)))
    states["players"], states["stones"], states["cells"] = 2, [5, 1 << 62], 1 << 63
    out, shape = seen(states, 1, 2)
    assert shape.board is None
    bits = out[len(CURVES) + MOST_NAMES : -1].reshape(3, 64)
    assert [np.flatnonzero(row).tolist() for row in bits] == [[62], [0, 2], [63]]


def test_a_declared_board_makes_planes_of_rows_of_cells():
    states = np.zeros(1, record(players=np.int32, cells=(np.int8, 7), food=(np.int8, (2, 7)), left=np.int8))
    for board in (hexagons(2), None):
        _, shape = seen(states, 0, 2, board)
        assert shape.planes == (3 + 2 * (1 + MOST_NAMES) if board else 0)
    amounts = np.zeros(1, record(players=np.int32, cells=(np.float32, 9)))  # which are no names
    assert seen(amounts, 0, 2, squares(3, 3))[1].planes == 1


def test_a_smaller_board_has_the_first_cells():
    rowed = record(players=np.int32, board=(np.int8, 25), score=(np.int32, 2))
    whole = default_observe(rowed, 2, __name__, squares(5, 5))[1]
    cut = cut_to(whole, rowed, squares(3, 3))
    assert (cut.cells, cut.planes, cut.length) == (9, 1, whole.length)
    assert cut_to(whole, rowed, squares(5, 5)) is whole
    table = record(players=np.int32, board=(np.int8, (5, 5)))
    whole = default_observe(table, 2, __name__, squares(5, 5))[1]
    assert cut_to(whole, table, squares(3, 3)) is whole  # its rows stay where they are
