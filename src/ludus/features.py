"""What learners see of a game that writes no `observe`: its record, turned towards the viewer.

Fields shaped like the board become planes; a field with one entry a seat begins with the viewer's; all else follows as
numbers. Numbers are squashed into (-1, 1), those of no cell twice: one curve tells small ones apart, the other larger
ones. A whole number may as well be a name, of a card or a colour; so as far as there is room, each of the first has a
place of its own. On a board, where `1 + player` is the usual name, each seat has a plane, the viewer's first; and since
other names mean one thing to one seat and another to the next, each viewer has planes of its own for the first of them.
Of 64-bit whole numbers, which are sets more often than counts, the bits are shown. The viewer's seat comes last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.compile import rule
from ludus.rules import field_names
from ludus.shapes import Board, Shape, squares

SMALLEST = 3  # rows and columns of a field that is taken for a board
BITS = 64
CURVES = 2.0, 20.0  # half of the way is reached at these numbers
ROOM, MOST_NAMES = 512, 16  # features for all numbers of no cell together, about; places for the values of each at most
BOARD_ROOM = 700  # features for the contents of all cells together, about


@rule
def squashed(number):
    return number / (1.0 + abs(number))


@rule
def spell(number, names, out, at):
    """A number twice squashed, and its name: one place for all below 0, then one each for 1, 2, …; 0 has none."""
    out[at], out[at + 1] = number / (CURVES[0] + abs(number)), number / (CURVES[1] + abs(number))
    for k in range(at + 2, at + 2 + names):
        out[k] = 0.0
    place = 0 if number < 0 else int(number)
    if number != 0 and place < names:
        out[at + 2 + place] = 1.0


@rule
def spell_cell(number, player, players, seats, names, out, at, cells):
    """What a cell holds, a plane apart each: the number squashed; whether it is the name of the viewer, of the next
    seat, …; and, in the planes of this viewer, as in `spell`."""
    out[at] = squashed(number)
    for seat in range(seats):
        out[at + (1 + seat) * cells] = 1.0 if seat < players and number == 1 + (player + seat) % players else 0.0
    first = at + (1 + seats) * cells
    for k in range(names * seats):
        out[first + k * cells] = 0.0
    place = 0 if number < 0 else int(number)
    if number != 0 and place < names:
        out[first + (player * names + place) * cells] = 1.0


def default_observe(state: np.dtype, seats: int, module: str, board: Board | None) -> tuple[Any, Shape]:
    """A compiled `observe` for such a record, and the shape of what it writes; `board` is the game's, if it has one."""
    board = board or _board_of(state, seats)
    fields = [name for name in field_names(state) if not state[name].base.names]  # no params
    on_board = [name for name in fields if board and _planes(state[name], board)]
    elsewhere = [name for name in fields if name not in on_board]
    names = _names(sum(_count(state[name]) for name in elsewhere if not _is_set(state[name])))
    named = [name for name in on_board if board and _is_named(state[name], board)]
    places = _places(len(named) * board.cells, seats) if board and named else 0
    lines, at, planes = ["def observe(state, player, out):"], 0, 0
    for name in [*on_board, *elsewhere]:
        if board and name in named:
            text, length = _cell_code(name, state[name], board.cells, seats, places, at)
        else:
            spelling = None if name in on_board else names if state[name].base.kind in "iu" else 0
            text, length = _field_code(name, state[name], 0 if _is_one(state[name], board) else seats, at, spelling)
        planes += length // board.cells if board and name in on_board else 0
        lines.append(text)
        at += length
    lines.append(f"    out[{at}] = player / {max(seats - 1, 1)}")
    scope: dict[str, Any] = {"__name__": module, "squashed": squashed, "spell": spell, "spell_cell": spell_cell}
    exec("\n".join(lines), scope)  # the record's fields are known only now, and compiled code cannot loop over fields
    return rule(scope["observe"]), Shape(board, planes, at + 1 - (planes * board.cells if board else 0))


def cut_to(features: Shape, state: np.dtype, board: Board | None) -> Shape:
    """The shape of the same numbers where a param makes the board smaller. A field that holds cell after cell has those
    of the smaller board first, and all else counts as numbers of no cell; one in rows and columns keeps its places."""
    whole = features.board
    if board is None or whole is None or board.cells >= whole.cells:
        return features
    first = next((state[name].shape for name in field_names(state) if _planes(state[name], whole)), ())
    return Shape(board, 1, features.length - board.cells) if first[-1:] == (whole.cells,) else features


def _names(numbers: int) -> int:
    """How many places each of so many numbers gets for its values; a single one would be no use."""
    names = min(ROOM // max(numbers, 1) - len(CURVES), MOST_NAMES)
    return names if names > 1 else 0


def _count(column: np.dtype) -> int:
    return int(np.prod(column.shape, dtype=int))


def _board_of(state: np.dtype, seats: int) -> Board | None:
    """The largest two-dimensional field that could be one: not one with a row for each seat, unless it is square, or
    another field has planes over it."""
    shapes = [state[name].shape for name in field_names(state)]
    boards = [shape for shape in shapes if len(shape) == 2 and min(shape) >= SMALLEST]
    boards = [
        (rows, columns)
        for rows, columns in boards
        if rows not in {seats} - {columns} or any(shape[1:] == (rows, columns) for shape in shapes)
    ]
    return squares(*max(boards, key=lambda shape: shape[0] * shape[1])) if boards else None


def _planes(column: np.dtype, board: Board) -> int:
    """How many planes over the board a field is; 0 if it is none."""
    shape, is_set = column.shape, _is_set(column)
    for cells in ((board.cells,), board.grid if board.kind == "squares" else ()):
        if cells and not is_set and shape[len(shape) - len(cells) :] == cells:
            return int(np.prod(shape[: len(shape) - len(cells)], dtype=int))
    return 0


def _is_one(column: np.dtype, board: Board | None) -> bool:
    """Whether a field is a single plane."""
    return board is not None and _planes(column, board) == 1


def _is_named(column: np.dtype, board: Board) -> bool:
    """Whether the cells of a field may hold names."""
    return _is_one(column, board) and column.base.kind in "iu"


def _places(cells: int, seats: int) -> int:
    """How many names each viewer has planes for, so many cells of all fields having to share the room."""
    names = min((BOARD_ROOM // cells - 1 - seats) // seats, MOST_NAMES)
    return names if names > 1 else 0


def _is_set(column: np.dtype) -> bool:
    return column.base.kind in "iu" and column.base.itemsize == 8


def _cell_code(name: str, column: np.dtype, cells: int, seats: int, names: int, at: int) -> tuple[str, int]:
    """Lines that write what the cells of a field hold, from place `at` on, and how many features it has."""
    index = "cell" if len(column.shape) == 1 else f"cell // {column.shape[1]}, cell % {column.shape[1]}"
    call = (
        f"spell_cell(float(state.{name}[{index}]), player, state.players, {seats}, {names}, out, {at} + cell, {cells})"
    )
    return f"    for cell in range({cells}):\n        {call}", (1 + seats + seats * names) * cells


def _field_code(name: str, column: np.dtype, seats: int, at: int, names: int | None) -> tuple[str, int]:
    """Lines that write one field from place `at` on, and how many features it has; with so many `names` its numbers
    are spelled."""
    shape, text, indent = column.shape, "", "    "
    for k, n in enumerate(shape):
        text += f"{indent}for i{k} in range({n}):\n"
        indent += "    "
    indices, flat = [f"i{k}" for k in range(len(shape))], "0"
    for k, n in enumerate(shape):
        flat = f"({flat}) * {n} + i{k}"
    if shape and shape[0] == seats > 1:  # the viewer's comes first
        indices[0] = "((player + i0) % state.players if i0 < state.players else i0)"
    value = f"state.{name}[{', '.join(indices)}]" if shape else f"state.{name}"
    if _is_set(column):
        text += f"{indent}for bit in range({BITS}):\n"
        text += f"{indent}    out[{at} + ({flat}) * {BITS} + bit] = (int({value}) >> bit) & 1"
        return text, _count(column) * BITS
    if names is None or column.base.kind == "b":
        number = value if column.base.kind == "b" else f"squashed(float({value}))"
        return f"{text}{indent}out[{at} + {flat}] = {number}", _count(column)
    width = len(CURVES) + names
    return f"{text}{indent}spell(float({value}), {names}, out, {at} + ({flat}) * {width})", _count(column) * width
