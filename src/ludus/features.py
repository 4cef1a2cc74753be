"""What learners see of a game that writes no `observe`: its record, turned towards the viewer.

Fields shaped like the board become planes; a field with one entry a seat begins with the viewer's; all else follows as
numbers. Numbers are squashed into (-1, 1), and of 64-bit whole numbers, which are sets more often than counts, the bits
are shown. The viewer's seat comes last: a cell that holds `1 + player` means nothing without it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.compile import rule
from ludus.rules import field_names
from ludus.shapes import Board, Shape, squares

SMALLEST = 3  # rows and columns of a field that is taken for a board
BITS = 64


@rule
def squashed(number):
    return number / (1.0 + abs(number))


def default_observe(state: np.dtype, seats: int, module: str, board: Board | None) -> tuple[Any, Shape]:
    """A compiled `observe` for such a record, and the shape of what it writes; `board` is the game's, if it has one."""
    board = board or _board_of(state)
    fields = [name for name in field_names(state) if not state[name].base.names]  # no params
    on_board = [name for name in fields if board and _planes(state[name], board)]
    lines, at = ["def observe(state, player, out):"], 0
    for name in [*on_board, *(name for name in fields if name not in on_board)]:
        is_board = name in on_board and board is not None and _planes(state[name], board) == 1
        text, length = _field_code(name, state[name], 0 if is_board else seats, at)
        lines.append(text)
        at += length
    lines.append(f"    out[{at}] = player / {max(seats - 1, 1)}")
    scope: dict[str, Any] = {"__name__": module, "squashed": squashed}
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


def _board_of(state: np.dtype) -> Board | None:
    """The largest two-dimensional field that could be one."""
    shapes = [state[name].shape for name in field_names(state)]
    boards = [shape for shape in shapes if len(shape) == 2 and min(shape) >= SMALLEST]
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


def _field_code(name: str, column: np.dtype, seats: int, at: int) -> tuple[str, int]:
    """Lines that write one field from place `at` on, and how many numbers it has."""
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
    size = int(np.prod(shape, dtype=int))
    if _is_set(column):
        text += f"{indent}for bit in range({BITS}):\n"
        text += f"{indent}    out[{at} + ({flat}) * {BITS} + bit] = (int({value}) >> bit) & 1"
        return text, size * BITS
    number = value if column.base.kind == "b" else f"squashed(float({value}))"
    return f"{text}{indent}out[{at} + {flat}] = {number}", size
