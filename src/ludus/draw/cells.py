"""The board of a game that declares one and draws nothing: its cells, coloured by what they hold, to be clicked.

A cell is drawn from the first field that has one number for each cell; where a param sets the size of the board, that
of `shapes` is drawn. Where the game says at which cells its actions stand, by ``POLICY = planes(1, BOARD)`` or more
planes and `policy_slot`, a click on a cell plays what stands there, or asks which of several.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ludus.draw.boards import MARGIN
from ludus.draw.canvas import Picture, Point
from ludus.game import View
from ludus.kernels import policy_slots
from ludus.rules import field_names
from ludus.shapes import Board

SIDE = 40
"""Of a square; a hexagon is as wide."""
ROOT = math.sqrt(3)


def board_of(view: View) -> Board | None:
    """The board under these params, if some field has its cells: that of `shapes`, else the declared one."""
    board = getattr(view.game.module, "BOARD", None)
    if view.game.writes("shapes"):
        features, policy = view.game.shapes_of(view.state)
        board = features.board or policy.board or board
    return board if isinstance(board, Board) and contents(view, board) is not None else None


def contents(view: View, board: Board) -> np.ndarray | None:
    """What each cell holds."""
    return _cells_in(view, board, name) if (name := field_of(view, board)) else None


def field_of(view: View, board: Board) -> str:
    """The field that the board is drawn from; "" if none has its cells."""
    names = field_names(view.game.state_type)
    return next((name for name in names if _cells_in(view, board, name) is not None), "")


def _cells_in(view: View, board: Board, name: str) -> np.ndarray | None:
    """Where a param sets the size, a field has room for the largest board: its first cells are those of this one, or
    its first rows and columns."""
    largest = getattr(view.game.module, "BOARD", None) or view.game.features.board or board
    value = np.asarray(view.state[name])
    if value.dtype.names is None and value.ndim:
        if value.shape == (largest.cells,) and largest.cells >= board.cells:
            return value[: board.cells]
        if value.shape == largest.grid and largest.kind == "squares":
            return value[: board.grid[0], : board.grid[1]].ravel()
    return None


def cell_of(view: View, action: int) -> int:
    """The cell that an action stands at; -1 if at none."""
    policy, slots = view.game.shapes_of(view.state)[1], np.array([action])
    if policy.board is None:
        return -1
    if view.game.writes("policy_slot"):
        view.game.kernel(policy_slots)(view.states, np.array([view.player]), np.array([action]), slots)
    return int(slots[0]) % policy.cells if 0 <= slots[0] < policy.planes * policy.cells else -1


def draw_board(made: Picture, view: View, before: View | None, board: Board, top: float) -> float:
    """Gives back where the board ends."""
    now = contents(view, board)
    assert now is not None
    then = now if before is None else contents(before, board)
    for cell, value in enumerate(now):
        corners = _corners(board, cell, top)
        x, y = np.mean(corners, axis=0)
        look, ink = looks(value)
        with made.part(f"cell-{cell}", f"cell {cell}"):
            made.polygon(corners, f"{look} edge")
            if value:
                made.text(x, y + 5, str(value), f"middle {ink}", 14)
            if then is not None and value != then[cell]:
                made.polygon(corners, "none last")
            made.polygon(corners, "halo")
    return top + max(corner[1] for cell in range(board.cells) for corner in _corners(board, cell, 0))


def _corners(board: Board, cell: int, top: float) -> list[Point]:
    row, column = board.places[cell].tolist()
    if board.kind == "squares":
        x, y = MARGIN + column * SIDE, top + row * SIDE
        return [(x, y), (x + SIDE, y), (x + SIDE, y + SIDE), (x, y + SIDE)]
    radius = SIDE / ROOT
    middle = board.grid[0] // 2  # rows of a skewed grid begin ever further to the left
    x, y = MARGIN + SIDE * (column + (row - middle) / 2 + 0.5), top + radius * (1.5 * row + 1)
    turns = [math.radians(60 * k + 30) for k in range(6)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]


def looks(value: Any) -> tuple[str, str]:
    """The looks of a cell and of the number in it."""
    if value in (1, 2, 3, 4):
        return f"seat{int(value) - 1}", "on-seat bold"
    return ("board", "soft") if value == 0 else ("board2", "")
