"""What learners see of a game that writes no `observe`: its record, turned towards the viewer.

Fields shaped like the board become planes; a field with one entry a seat begins with the viewer's; all else follows as
numbers. Numbers are squashed into (-1, 1), those of no cell twice: one curve tells small ones apart, the other larger
ones. A whole number may as well be a name, of a card or a colour; so as far as there is room, each of the first has a
place of its own. Of 64-bit whole numbers, which are sets more often than counts, the bits are shown. The viewer's seat
comes last: a cell that holds `1 + player` means nothing without it.
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


def default_observe(state: np.dtype, seats: int, module: str, board: Board | None) -> tuple[Any, Shape]:
    """A compiled `observe` for such a record, and the shape of what it writes; `board` is the game's, if it has one."""
    board = board or _board_of(state, seats)
    fields = [name for name in field_names(state) if not state[name].base.names]  # no params
    on_board = [name for name in fields if board and _planes(state[name], board)]
    elsewhere = [name for name in fields if name not in on_board]
    names = _names(sum(_count(state[name]) for name in elsewhere if not _is_set(state[name])))
    lines, at = ["def observe(state, player, out):"], 0
    for name in [*on_board, *elsewhere]:
        is_board = name in on_board and board is not None and _planes(state[name], board) == 1
        spelling = None if name in on_board else names if state[name].base.kind in "iu" else 0
        text, length = _field_code(name, state[name], 0 if is_board else seats, at, spelling)
        lines.append(text)
        at += length
    lines.append(f"    out[{at}] = player / {max(seats - 1, 1)}")
    scope: dict[str, Any] = {"__name__": module, "squashed": squashed, "spell": spell}
    exec("\n".join(lines), scope)  # the record's fields are known only now, and compiled code cannot loop over fields
    planes = sum(_planes(state[name], board) for name in on_board) if board else 0
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


def _is_set(column: np.dtype) -> bool:
    return column.base.kind in "iu" and column.base.itemsize == 8


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
