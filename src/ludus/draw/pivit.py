"""Pivit: click a piece, then where it slides. Arrowheads show which way a piece goes; a master has eight points."""

from __future__ import annotations

import math

from ludus.draw.boards import Grid, Strip, counted, framed, trace, turn_or_outcome
from ludus.draw.canvas import Picture, Point
from ludus.game import View
from ludus.games.pivit import COLOURS, HORIZONTAL, MASTER

LOOKS = ("seat1", "seat0", "seat2", "star")
"""The game calls its players by colours, so they have these and not those of their seats."""
LETTERS = ("on-seat", "on-seat", "on-seat", "night")
SIDE = 54


def draw(view: View, before: View | None) -> Picture:
    state = view.state
    side, players = 6 if state.params.board else 8, int(state.players)
    grid = Grid(side, side, SIDE, 28)
    strip = Strip(COLOURS[:players], [_detail(view, player) for player in range(players)], token)
    made = framed(view, side * SIDE + 40, side * SIDE + 20, strip, _sentence(view), lines=2)
    made.tones = LOOKS
    grid.chequered(made)
    grid.labels(made, "abcdefgh", "12345678")
    if state.params.promotion:
        _corners(made, grid)
    if before is not None:
        _last_move(made, grid, view, before)
    for row in range(side):
        for column in range(side):
            _square(made, view, grid, row, column)
    return made


def clicks(view: View, action: int) -> tuple[str, ...]:
    return _name(action // 64), _name(action % 64)


def _detail(view: View, player: int) -> str:
    minions, masters = int(view.state.minions[player]), int(view.state.masters[player])
    return f"{minions}, {counted(masters, 'master')}" if masters else counted(minions, "minion")


def _sentence(view: View) -> str:
    state = view.state
    words = turn_or_outcome(view, COLOURS)
    if state.ending:
        return words
    quiet = f", {state.quiet_plies} of {state.params.quiet} without progress" if state.params.quiet else ""
    return f"{words}\n{state.plies} of at most {state.params.cap} moves{quiet}"


def token(picture: Picture, seat: int, at: Point, radius: float) -> None:
    picture.circle(*at, radius, f"{LOOKS[seat]} rim")
    picture.text(at[0], at[1] + 0.4 * radius, COLOURS[seat][0], f"middle bold {LETTERS[seat]}", 1.15 * radius)


def _piece(picture: Picture, piece: int, at: Point) -> None:
    """The colour's letter on a disc or, for a master, a star, between two arrowheads along the axis."""
    x, y = at
    seat = piece // 4 - 1
    for way in (-1, 1):
        head = [(way * 25, 0), (way * 16, -8), (way * 16, 8)]
        corners = [(x + a, y + b) if piece & HORIZONTAL else (x + b, y + a) for a, b in head]
        picture.polygon(corners, f"{LOOKS[seat]} rim")
    if piece & MASTER:
        picture.polygon(_star(at), f"{LOOKS[seat]} rim")
        picture.circle(x, y, 10, "paper rim")
        picture.text(x, y + 4.7, COLOURS[seat][0], "middle bold", 13)
    else:
        token(picture, seat, at, 14)


def _star(at: Point) -> list[Point]:
    angles = [math.pi * k / 8 for k in range(16)]
    return [
        (at[0] + radius * math.sin(angle), at[1] + radius * math.cos(angle))
        for angle, radius in zip(angles, (17.5, 13) * 8)
    ]


def _square(made: Picture, view: View, grid: Grid, row: int, column: int) -> None:
    cell = 8 * row + column
    piece = int(view.state.board[cell])
    with made.part(_name(cell), f"{_name(cell)}, {_words(piece)}"):
        if piece:
            _piece(made, piece, grid.centre(row, column))
        grid.square(made, row, column, "halo", 2)


def _words(piece: int) -> str:
    if not piece:
        return "empty"
    kind = "master" if piece & MASTER else "minion"
    axis = "left and right" if piece & HORIZONTAL else "up and down"
    return f"{COLOURS[piece // 4 - 1]} {kind}, slides {axis}"


def _corners(made: Picture, grid: Grid) -> None:
    """Where minions are promoted."""
    for row in (0, grid.rows - 1):
        for column in (0, grid.columns - 1):
            made.polygon(_star(grid.centre(row, column)), "none edge")


def _last_move(made: Picture, grid: Grid, view: View, before: View) -> None:
    now, then = view.state.board, before.state.board
    target = [cell for cell in range(64) if now[cell] != then[cell] and now[cell]]
    origin = [cell for cell in range(64) if now[cell] != then[cell] and not now[cell]]
    for start, end in zip(origin, target):
        grid.square(made, end // 8, end % 8, "none last", 1.5)
        trace(made, grid.centre(start // 8, start % 8), grid.centre(end // 8, end % 8), SIDE / 2)


def _name(cell: int) -> str:
    return "abcdefgh"[cell % 8] + "12345678"[cell // 8]
