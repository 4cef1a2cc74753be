"""Breakthrough: click a piece, then where it goes. Pieces point to their goal."""

from __future__ import annotations

from ludus.draw.boards import Grid, Strip, counted, framed, trace, turn_or_outcome
from ludus.draw.canvas import Picture, Point
from ludus.game import View
from ludus.games.breakthrough import COLOURS

SIDE = 50


def draw(view: View, before: View | None) -> Picture:
    rows, columns = int(view.state.params.rows), int(view.state.params.columns)
    width = max(340, columns * SIDE + 48)
    grid = Grid(rows, columns, SIDE, (width - columns * SIDE) / 2 + 6)
    pieces = _pieces(view)
    details = [counted(list(pieces.values()).count(seat), "piece") for seat in range(2)]
    made = framed(view, width, rows * SIDE + 20, Strip(COLOURS, details, token), turn_or_outcome(view, COLOURS))
    grid.chequered(made)
    grid.labels(made, "abcdefgh", "87654321"[8 - rows :])
    _last_move(made, grid, pieces, before)
    for row in range(rows):
        for column in range(columns):
            _square(made, grid, pieces, row, column)
    return made


def clicks(view: View, action: int) -> tuple[str, ...]:
    origin, aside = divmod(action, 3)
    return _name(origin), _name(origin + aside - 1 + (8 if view.player == 0 else -8))


def token(picture: Picture, seat: int, at: Point, radius: float) -> None:
    """A disc with an arrow, up for White and down for Black."""
    x, y = at
    w, h = 0.45 * radius, (-0.45, 0.45)[seat] * radius
    picture.circle(x, y, radius, ("white rim", "black rim")[seat])
    picture.polygon([(x - w, y - 0.6 * h), (x, y + h), (x + w, y - 0.6 * h)], ("black", "white")[seat])


def _square(made: Picture, grid: Grid, pieces: dict[int, int], row: int, column: int) -> None:
    cell = 8 * (grid.rows - 1 - row) + column
    owner = pieces.get(cell)
    with made.part(_name(cell), f"{_name(cell)}, {'empty' if owner is None else COLOURS[owner]}"):
        if owner is not None:
            token(made, owner, grid.centre(row, column), 18)
        grid.square(made, row, column, "halo", 3)


def _last_move(made: Picture, grid: Grid, pieces: dict[int, int], before: View | None) -> None:
    earlier = _pieces(before) if before is not None else pieces
    arrived = [cell for cell, owner in pieces.items() if earlier.get(cell) != owner]
    for cell in arrived:
        origin = next(old for old, owner in earlier.items() if owner == pieces[cell] and old not in pieces)
        ends = [(grid.rows - 1 - square // 8, square % 8) for square in (origin, cell)]
        grid.square(made, *ends[1], "none last", 2)
        trace(made, grid.centre(*ends[0]), grid.centre(*ends[1]), 18)


def _pieces(view: View) -> dict[int, int]:
    """The owner of every cell that holds a piece."""
    return {cell: seat for seat, cells in enumerate(view.state.pieces) for cell in range(64) if int(cells) >> cell & 1}


def _name(cell: int) -> str:
    return "abcdefgh"[cell % 8] + "12345678"[cell // 8]
