"""The picture of a game that draws none: the board that it declares and the other fields below it, else its own text
where it writes one, else the fields of its record.

A table of numbers, arrays as rows of cells, tables of two dimensions as grids. 1 … 4 have the colours of the seats, for
that is how many games say whose a cell is. What the last step changed is outlined.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ludus.draw.boards import LINE, MARGIN, acting
from ludus.draw.canvas import Picture, seat_name
from ludus.draw.cells import SIDE, board_of, cell_of, draw_board, field_of, looks
from ludus.game import View
from ludus.rules import field_names

MOST = 448
"""Room for the cells of a row; a grid that needs more gets smaller cells."""
LONG = 64
"""Rows up to this length are always shown whole."""
LETTER, MONO = 7.2, 8.5
"""Width of a letter of size 12, and of one of the text's."""
Fields = dict[str, np.ndarray]


def draw(view: View, before: View | None) -> Picture:
    made = Picture(2 * MARGIN + MOST, 0, f"a position of {view.game.facts.title}")
    made.add("rect", "paper", width="100%", height="100%", rx=10)
    made.text(MARGIN, 26, view.game.facts.title, "bold", 14)
    made.text(MARGIN, 26 + LINE, _turn(view), "soft", 12)
    board = board_of(view)
    if board is not None:
        bottom = draw_board(made, view, before, board, 60)
        _draw_fields(made, view, before, bottom + 2 * LINE, {"players", field_of(view, board)})
        made.width = max(made.width, 2 * MARGIN + SIDE * board.grid[1])
    elif view.game.writes("state_text"):
        _draw_text(made, view, before, 70)
    else:
        _draw_fields(made, view, before, 70)
    return made


def clicks(view: View, action: int) -> tuple[str, ...]:
    """An action that stands at a cell of the declared board begins with a click on it."""
    cell = cell_of(view, action) if board_of(view) is not None else -1
    return (f"cell-{cell}",) if cell >= 0 else ()


def _turn(view: View) -> str:
    """Whose turn it is, or how it ended. A view of a hidden game only knows whether its own player owes an action."""
    players = acting(view)
    if view.game.facts.hidden:
        return f"{seat_name(view.player)} to move" if view.player in players else ""
    return f"{' and '.join(map(seat_name, players))} to move" if players else view.game.outcome_text(view.states)


# ------------------------------------------------------------------------------------------------ text


def _draw_text(made: Picture, view: View, before: View | None, top: float) -> None:
    lines = view.text.splitlines()
    earlier = before.text.splitlines() if before is not None else lines
    for k, line in enumerate(lines):
        y = top + 18 * k
        made.text(MARGIN + 6, y, line, "mono", 14)
        if line != (earlier[k] if k < len(earlier) else ""):
            made.line((MARGIN, y - 12), (MARGIN, y + 4), "last")
    made.width = max(made.width, 2 * MARGIN + 6 + MONO * max(map(len, lines), default=0))
    made.height = top + 18 * len(lines)


# ------------------------------------------------------------------------------------------------ fields


def _draw_fields(made: Picture, view: View, before: View | None, top: float, left_out: Collection[str] = ()) -> None:
    fields, y = {name: value for name, value in _fields(view.state).items() if name not in left_out}, top
    earlier = _fields(before.state) if before is not None else fields
    for name, value in fields.items():
        if value.ndim == 0:
            made.text(MARGIN + 6, y, name, "soft", 13)
            made.text(MARGIN + 190, y, _words(value), "bold", 13)
            if value != earlier[name]:
                made.line((MARGIN, y - 12), (MARGIN, y + 4), "last")
            y += 20
    for name, value in fields.items():
        for index in np.ndindex(value.shape[:-2]) if value.ndim else ():
            now, then = value[index], earlier[name][index]
            title, shown = name + "".join(f"[{k}]" for k in index), _worth_showing(now, then)
            if shown < now.shape[-1]:
                title += f", the first {shown} of {now.shape[-1]}; the others are 0"
            made.text(MARGIN + 6, y + 8, title, "soft", 13)
            y = 14 + _draw_cells(made, now[..., :shown], then[..., :shown], y + 16)
    made.height = y


def _fields(record: Any) -> Fields:
    """Every field but the params and the gaps; a record within the record is taken apart."""
    found: Fields = {}
    for name in field_names(record.dtype):
        value = record[name]
        if value.dtype.names and name != "params":
            found |= {f"{name}.{inner}": array for inner, array in _fields(value).items()}
        elif name != "params":
            found[name] = np.asarray(value)
    return found


def _worth_showing(now: np.ndarray, then: np.ndarray) -> int:
    """How many entries of a row; records have room for the largest case, and most of a long array is never used."""
    length = now.shape[-1]
    used = np.flatnonzero((now != 0) | (then != 0)) % max(1, length)
    return min(length, max(LONG, 1 + int(used.max(initial=0))))


def _draw_cells(made: Picture, values: np.ndarray, earlier: np.ndarray, top: float) -> float:
    """A grid, or rows as long as there is room for; gives back where it ends."""
    words = [_words(value) for value in values.flat]
    needed = max(26.0, LETTER * max(map(len, words), default=1) + 8)
    columns = values.shape[1] if values.ndim == 2 else max(1, min(values.size, int(MOST / needed)))
    width = min(needed, MOST / max(1, columns))
    height = min(26, width)
    for k, (value, word) in enumerate(zip(values.flat, words)):
        row, column = divmod(k, columns)
        x, y = MARGIN + column * width, top + row * height
        look, ink = looks(value)
        made.rect(x + 0.5, y + 0.5, width - 1, height - 1, f"{look} edge", round=2)
        if width == needed:
            made.text(x + width / 2, y + 17, word, f"middle {ink}", 12)
        if value != earlier.flat[k]:
            made.rect(x + 1, y + 1, width - 2, height - 2, "none last", round=2)
    return top + -(-values.size // columns) * height


def _words(value: Any) -> str:
    number = value.item()
    return f"{number:.4g}" if isinstance(number, float) else str(number)
