"""The shape of what learners see and of what they answer: planes over the cells of a board, then numbers of no cell.

Both are rows of numbers. `planes(2, squares(3, 3))` is two planes of nine cells, first the whole first plane, cell by
cell, then the second; `planes(…, extra=4)` has four numbers more behind them; `flat(13)` has no board at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SQUARE_STEPS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
HEXAGON_STEPS = ((0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0))
"""(row, column) of each direction: counter-clockwise from the east, in a skewed grid."""


@dataclass(frozen=True, eq=False)
class Board:
    """Cells, and which lie next to each other."""

    kind: str
    """squares or hexagons."""
    places: np.ndarray
    """int32[cells, 2]: row and column of each cell; of hexagons in the skewed grid that holds them."""
    neighbours: np.ndarray
    """int32[cells, directions]: the cell in each direction, -1 beyond the edge."""

    @property
    def cells(self) -> int:
        return len(self.places)

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of the smallest grid that holds all cells."""
        rows, columns = self.places.max(axis=0) + 1
        return int(rows), int(columns)


def squares(rows: int, columns: int) -> Board:
    """A board of squares, numbered row by row; eight directions."""
    return _board("squares", [(row, column) for row in range(rows) for column in range(columns)], SQUARE_STEPS)


def hexagons(rings: int) -> Board:
    """A hexagonal board of so many rings, the centre counted; six directions. The centre is cell 0, then ring by ring,
    each counter-clockwise from the east."""
    cells = [(0, 0)]
    for ring in range(1, rings):
        for step in range(6 * ring):
            corner, along = divmod(step, ring)
            (row, column), (to_row, to_column) = HEXAGON_STEPS[corner], HEXAGON_STEPS[(corner + 1) % 6]
            cells.append((ring * row + along * (to_row - row), ring * column + along * (to_column - column)))
    return _board("hexagons", [(row + rings - 1, column + rings - 1) for row, column in cells], HEXAGON_STEPS)


def _board(kind: str, places: list[tuple[int, int]], steps: tuple[tuple[int, int], ...]) -> Board:
    number = {place: cell for cell, place in enumerate(places)}
    table = [[number.get((row + r, column + c), -1) for r, c in steps] for row, column in places]
    return Board(kind, np.array(places, np.int32), np.array(table, np.int32))


@dataclass(frozen=True, eq=False)
class Shape:
    """So many planes over a board, one after the other, then so many numbers more."""

    board: Board | None
    planes: int
    extra: int = 0

    @property
    def cells(self) -> int:
        return self.board.cells if self.board else 0

    @property
    def length(self) -> int:
        return self.planes * self.cells + self.extra


def planes(count: int, board: Board, extra: int = 0) -> Shape:
    return Shape(board, count, extra)


def flat(count: int) -> Shape:
    """Numbers of no board."""
    return Shape(None, 0, count)
