"""Connect four: click a column to drop a stone into it."""

from __future__ import annotations

from ludus.draw.boards import Grid, Strip, counted, framed, sign, turn_or_outcome
from ludus.draw.canvas import Picture, Point
from ludus.game import View
from ludus.games.connect_four import STRIDES

NAMES = ("X", "O")
SIDE = 58


def draw(view: View, before: View | None) -> Picture:
    state = view.state
    rows, columns = int(state.params.rows), int(state.params.columns)
    width = max(340, columns * SIDE + 36)
    grid = Grid(rows, columns, SIDE, (width - columns * SIDE) / 2)
    details = [counted(int(state.stones[seat]).bit_count(), "stone") for seat in range(2)]
    made = framed(view, width, rows * SIDE + 22, Strip(NAMES, details, token), turn_or_outcome(view, NAMES))
    made.rect(grid.left - 6, grid.top - 4, columns * SIDE + 12, rows * SIDE + 8, "board2 edge", round=12)
    grid.labels(made, "1234567", "")
    fresh = _stones(view) - _stones(before) if before is not None else set()
    for column in range(columns):
        with made.part(str(column + 1), f"column {column + 1}"):
            for row in range(rows):
                _cell(made, view, grid, fresh, row, column)
            made.rect(grid.left + column * SIDE + 2, grid.top, SIDE - 4, rows * SIDE, "halo", round=10)
    for line in _fours(view):
        start, end = (grid.centre(rows - 1 - cell % 7, cell // 7) for cell in line)
        made.line(start, end, "last")
    return made


def clicks(view: View, action: int) -> tuple[str, ...]:
    return (str(action + 1),)


def token(picture: Picture, seat: int, at: Point, radius: float) -> None:
    picture.circle(*at, radius, f"seat{seat}")
    sign(picture, seat, at, 0.5 * radius, "on-seat")


def _cell(made: Picture, view: View, grid: Grid, fresh: set[tuple[int, int]], row: int, column: int) -> None:
    cell, at = 7 * column + grid.rows - 1 - row, grid.centre(row, column)
    made.circle(*at, 24, "paper")
    for seat, stones in enumerate(view.state.stones):
        if int(stones) >> cell & 1:
            token(made, seat, at, 24)
            if (seat, cell) in fresh:
                made.circle(*at, 25.5, "none last")


def _stones(view: View) -> set[tuple[int, int]]:
    """Seat and cell of every stone."""
    return {(seat, cell) for seat in range(2) for cell in range(49) if int(view.state.stones[seat]) >> cell & 1}


def _fours(view: View) -> list[tuple[int, int]]:
    """The ends of every four in a row."""
    stones = _stones(view)
    return [
        (cell, cell + 3 * stride)
        for seat, cell in stones
        for stride in STRIDES
        if all((seat, cell + k * stride) in stones for k in range(4))
    ]
