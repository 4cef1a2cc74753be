"""What boards have in common: a frame with the seats above and a sentence below, square grids, and signs for seats."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ludus.draw.canvas import Picture, Point, seat_name
from ludus.game import View

MARGIN = 12
TOP = 60
"""Where a board begins, below the strip of seats."""
LINE = 17
"""From one line of the sentence to the next."""

Token = Callable[[Picture, int, Point, float], None]
"""Draws the piece of a seat at a point, with a radius: how the strip says which pieces are whose."""


# ------------------------------------------------------------------------------------------------ the frame


@dataclass(frozen=True)
class Strip:
    """The seats of a match as the strip above the board shows them."""

    names: Sequence[str]
    details: Sequence[str]
    """What to know of each seat: its score, its pieces, …"""
    token: Token


def framed(view: View, width: float, height: float, strip: Strip, sentence: str, lines: int = 1) -> Picture:
    """A picture with room for a board of this height below `TOP`, and for so many lines of the sentence below it."""
    made = Picture(width, TOP + height + 12 + LINE * lines, f"{view.game.facts.title}: {sentence.splitlines()[0]}")
    made.rect(0, 0, made.width, made.height, "paper", round=10)
    room = (width - 2 * MARGIN + 6) / len(strip.names)
    for seat, (name, detail) in enumerate(zip(strip.names, strip.details)):
        left = MARGIN + seat * room
        made.rect(left, 8, room - 6, 42, "board rim" if seat in acting(view) else "none edge", round=8)
        strip.token(made, seat, (left + 16, 29), 11)
        made.text(left + 32, 26, name, "bold", 13)
        made.text(left + 32, 42, detail, "soft", 11)
        if name != seat_name(seat):
            made.text(left + room - 14, 26, seat_name(seat) if room > 130 else f"P{seat + 1}", "end soft", 11)
    wrapped = [line for part in sentence.splitlines() for line in textwrap.wrap(part, int(width / 7.2))]
    for k, line in enumerate(wrapped[:lines]):
        made.text(width / 2, TOP + height + LINE * (k + 1), line, "middle soft" if k else "middle", 13)
    return made


def acting(view: View) -> list[int]:
    """The players who owe an action; true of open games, whose views are the state."""
    mask = int(view.game.waiting(view.states)[0])
    return [player for player in range(int(view.state.players)) if mask >> player & 1]


def may_act(view: View) -> bool:
    """Whether the one who looks at the picture owes an action."""
    return view.player in acting(view)


def turn_or_outcome(view: View, names: Sequence[str]) -> str:
    players = acting(view)
    return f"{names[players[0]]} to move" if players else view.game.outcome_text(view.states)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# ------------------------------------------------------------------------------------------------ square grids


@dataclass(frozen=True)
class Grid:
    """Squares in rows from the top; a square is (row, column)."""

    rows: int
    columns: int
    side: float
    left: float
    top: float = TOP

    def centre(self, row: int, column: int) -> Point:
        return self.left + (column + 0.5) * self.side, self.top + (row + 0.5) * self.side

    def square(self, picture: Picture, row: int, column: int, look: str, inset: float = 0) -> None:
        side = self.side - 2 * inset
        x, y = self.left + column * self.side + inset, self.top + row * self.side + inset
        picture.rect(x, y, side, side, look, round=inset and min(4, side / 4))

    def chequered(self, picture: Picture) -> None:
        """The board, its upper left square light."""
        picture.rect(self.left, self.top, self.columns * self.side, self.rows * self.side, "board")
        for row in range(self.rows):
            for column in range((row + 1) % 2, self.columns, 2):
                self.square(picture, row, column, "board2")
        picture.rect(self.left, self.top, self.columns * self.side, self.rows * self.side, "none edge")

    def labels(self, picture: Picture, columns: str, rows: str) -> None:
        """The names of the columns below the board, and of the rows, from the top, to its left."""
        for column, name in zip(range(self.columns), columns):
            x, _ = self.centre(0, column)
            picture.text(x, self.top + self.rows * self.side + 15, name, "middle soft", 12)
        for row, name in zip(range(self.rows), rows):
            _, y = self.centre(row, 0)
            picture.text(self.left - 10, y + 4, name, "middle soft", 12)


def trace(picture: Picture, start: Point, end: Point, clear: float = 0) -> None:
    """The way of the last action: a dot where it began, and a line that ends short of what now stands at its end."""
    share = 1 - clear / max(math.dist(start, end), clear, 1e-9)
    short = tuple(a + share * (b - a) for a, b in zip(start, end))
    picture.line(start, (short[0], short[1]), "last")
    picture.circle(*start, 4, "hot")


# ------------------------------------------------------------------------------------------------ signs


def sign(picture: Picture, seat: int, at: Point, radius: float, look: str) -> None:
    """X for the first seat, O for the second."""
    (cross if seat == 0 else ring)(picture, at, radius, look)


def cross(picture: Picture, at: Point, radius: float, look: str) -> None:
    w = 0.22 * radius
    quarter = [(w, -radius), (w, -w), (radius, -w)]  # of a plus sign, here still upright
    turns = ((1, 1), (-1, 1), (-1, -1), (1, -1))  # cosine and sine of odd eighths, times the root of two
    corners = [((c * x - s * y) / 2**0.5, (s * x + c * y) / 2**0.5) for c, s in turns for x, y in quarter]
    picture.polygon([(at[0] + x, at[1] + y) for x, y in corners], look)


def ring(picture: Picture, at: Point, radius: float, look: str) -> None:
    circles = (
        f"M{at[0] - r:g},{at[1]:g}a{r:g},{r:g} 0 1 0 {2 * r:g},0a{r:g},{r:g} 0 1 0 {-2 * r:g},0"
        for r in (0.9 * radius, 0.5 * radius)
    )
    picture.add("path", look, d="".join(circles), fill_rule="evenodd")
