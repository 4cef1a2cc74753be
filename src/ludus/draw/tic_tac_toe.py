"""Tic-tac-toe: click a cell to mark it."""

from __future__ import annotations

from ludus.draw.boards import MARGIN, Grid, Strip, counted, framed, sign, turn_or_outcome
from ludus.draw.canvas import Picture, Point
from ludus.game import View
from ludus.games.tic_tac_toe import LINES

NAMES = ("X", "O")
GRID = Grid(3, 3, 104, 34)


def draw(view: View, before: View | None) -> Picture:
    board = view.state.board
    strip = Strip(NAMES, [counted(list(board).count(1 + seat), "mark") for seat in range(2)], token)
    made = framed(view, 34 + 3 * GRID.side + 14, 3 * GRID.side + 18, strip, turn_or_outcome(view, NAMES))
    made.rect(GRID.left, GRID.top, 3 * GRID.side, 3 * GRID.side, "board", round=MARGIN)
    for k in (1, 2):
        near, far = GRID.left + k * GRID.side, GRID.top + k * GRID.side
        made.line((near, GRID.top + 8), (near, GRID.top + 3 * GRID.side - 8), "rim")
        made.line((GRID.left + 8, far), (GRID.left + 3 * GRID.side - 8, far), "rim")
    GRID.labels(made, "abc", "123")
    for cell in range(9):
        row, column = divmod(cell, 3)
        with made.part(_name(cell), f"{_name(cell)}, {('empty', *NAMES)[board[cell]]}"):
            if before is not None and board[cell] != before.state.board[cell]:
                GRID.square(made, row, column, "none last", 5)
            if board[cell]:
                token(made, board[cell] - 1, GRID.centre(row, column), 34)
            GRID.square(made, row, column, "halo", 5)
    for line in LINES:
        if board[line[0]] and len(set(board[line])) == 1:
            ends = [GRID.centre(*divmod(int(cell), 3)) for cell in line[::2]]
            made.line(ends[0], ends[1], "last")
    return made


def clicks(view: View, action: int) -> tuple[str, ...]:
    return (_name(action),)


def _name(cell: int) -> str:
    return "abc"[cell % 3] + "123"[cell // 3]


def token(picture: Picture, seat: int, at: Point, radius: float) -> None:
    sign(picture, seat, at, radius, f"seat{seat}")
