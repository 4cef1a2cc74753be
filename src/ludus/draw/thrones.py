"""Thrones: click the cell next to the head, or an arrow below the board.

Territory is pale, that of X striped; trails are strong and carry their owner's sign. Walkers are diamonds; where they
bounce, a black corner shows the diagonal on which they go.
"""

from __future__ import annotations

from itertools import groupby

from ludus.draw.boards import Grid, Strip, framed, sign, trace, turn_or_outcome
from ludus.draw.canvas import Picture, Point
from ludus.game import View
from ludus.games.thrones import BOUNCE, DRAW, HEAD, TERRITORY, TRAIL, WALL

NAMES = ("X", "O")
WAYS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
"""Row and column steps, in the order of the actions."""
PAD = 42
"""Side of an arrow button."""


def draw(view: View, before: View | None) -> Picture:
    state = view.state
    rows, columns = int(state.rows), int(state.cols)
    side = min(32, 444 / columns, 600 / rows)
    width = max(340, columns * side + 24)
    grid = Grid(rows, columns, side, (width - columns * side) / 2)
    strip = Strip(NAMES, [_detail(view, before, player) for player in range(2)], token)
    has_pad = view.player >= 0 and not state.winner
    made = framed(view, width, rows * side + (2 * PAD + 20 if has_pad else 4), strip, _sentence(view), lines=2)
    made.rect(grid.left, grid.top, columns * side, rows * side, "board")
    _floor(made, grid)
    for row in range(rows):
        _row(made, view, grid, row)
    if before is not None:
        _moved(made, view, before, grid)
    for k in range(int(state.walkers)):
        _walker(made, view, grid, k)
    for player in range(2):
        _head(made, view, grid, player)
    if has_pad:
        _ways(made, view, grid)
    return made


def clicks(view: View, action: int) -> tuple[str, ...]:
    return (list(WAYS)[action],)


def _detail(view: View, before: View | None, player: int) -> str:
    area = int(view.state.area[player])
    gain = area - int(before.state.area[player]) if before is not None else 0
    trail = f", trail {view.state.trail[player]}" if view.state.trail[player] else ""
    return f"territory {area}{f' ({gain:+})' if gain else ''}{trail}"


def _sentence(view: View) -> str:
    state = view.state
    words = turn_or_outcome(view, NAMES)
    if state.winner:
        return words
    return f"{words}\nround {state.plies // 2 + 1} of {state.params.cap} · {(state.fillable + 1) // 2} cells win"


def token(picture: Picture, seat: int, at: Point, radius: float) -> None:
    picture.circle(*at, radius, f"seat{seat} rim")
    sign(picture, seat, at, 0.62 * radius, "on-seat")


# ------------------------------------------------------------------------------------------------ the room


def _floor(made: Picture, grid: Grid) -> None:
    """Thin lines between the cells."""
    wide, high = grid.columns * grid.side, grid.rows * grid.side
    across = (f"M{grid.left:g},{grid.top + k * grid.side:g}h{wide:g}" for k in range(1, grid.rows))
    down = (f"M{grid.left + k * grid.side:g},{grid.top:g}v{high:g}" for k in range(1, grid.columns))
    made.path("".join((*across, *down)), "none edge faint")


def _row(made: Picture, view: View, grid: Grid, row: int) -> None:
    """Cells of one kind side by side are one shape; territory lies under heads inside, too."""
    codes = view.state.board[row * grid.columns : (row + 1) * grid.columns].tolist()
    for player in range(2):
        if codes.count(HEAD + player) and view.state.inside[player]:
            codes[codes.index(HEAD + player)] = TERRITORY + player
    column = 0
    for code, run in groupby(codes):
        length = len(list(run))
        if code == WALL:
            _bar(made, grid, row, column, length, "wall")
        elif code in (TERRITORY, TERRITORY + 1):
            _bar(made, grid, row, column, length, f"seat{code - TERRITORY} faint")
            if code == TERRITORY:
                _stripe(made, grid, row, column, length)
        elif code in (TRAIL, TRAIL + 1):
            for k in range(column, column + length):
                _trail(made, grid, row, k, code - TRAIL)
        column += length


def _bar(made: Picture, grid: Grid, row: int, column: int, length: int, look: str) -> None:
    x, y = grid.left + column * grid.side, grid.top + row * grid.side
    # Without smoothing, else the page would shine through between two rows.
    made.add("rect", look, x=x, y=y, width=length * grid.side, height=grid.side, shape_rendering="crispEdges")


def _stripe(made: Picture, grid: Grid, row: int, column: int, length: int) -> None:
    _, y = grid.centre(row, column)
    made.line((grid.left + column * grid.side, y), (grid.left + (column + length) * grid.side, y), "rim0 faint")


def _trail(made: Picture, grid: Grid, row: int, column: int, player: int) -> None:
    grid.square(made, row, column, f"seat{player}", 0.14 * grid.side)
    sign(made, player, grid.centre(row, column), 0.26 * grid.side, "on-seat")


def _head(made: Picture, view: View, grid: Grid, player: int) -> None:
    cell = int(view.state.head[player])
    at = grid.centre(cell // grid.columns, cell % grid.columns)
    token(made, player, at, _radius(grid))
    if view.state.winner not in (0, DRAW, 1 + player):
        made.circle(*at, 1.5 * _radius(grid), "none last")


def _radius(grid: Grid) -> float:
    """Heads and walkers of a large room are larger than its cells."""
    return max(8, 0.46 * grid.side)


def _walker(made: Picture, view: View, grid: Grid, k: int) -> None:
    cell, heading = int(view.state.walker[k]), int(view.state.heading[k])
    x, y = grid.centre(cell // grid.columns, cell % grid.columns)
    r = _radius(grid)
    made.polygon([(x - r, y), (x, y - r), (x + r, y), (x, y + r)], "white rim")
    if view.state.params.walkers == BOUNCE:
        across, along = 1 - 2 * (heading & 1), 1 - (heading & 2)
        tip = (x + across * r, y + along * r)
        made.polygon([tip, (tip[0] - across * r, tip[1]), (tip[0], tip[1] - along * r)], "black rim")
    else:
        made.circle(x, y, 0.3 * r, "black")


def _moved(made: Picture, view: View, before: View, grid: Grid) -> None:
    """The ways of heads and walkers; those of walkers can only be told while none has vanished."""
    now, then = view.state, before.state
    pairs = list(zip(then.head, now.head))
    if now.walkers == then.walkers:
        pairs += zip(then.walker, now.walker)
    for old, new in pairs:
        if old != new:
            start, end = (grid.centre(int(cell) // grid.columns, int(cell) % grid.columns) for cell in (old, new))
            trace(made, start, end)
            made.circle(*end, 1.25 * _radius(grid), "none last")


# ------------------------------------------------------------------------------------------------ where to go


def _ways(made: Picture, view: View, grid: Grid) -> None:
    """Each way is the cell next to the head and a button below the board: cells of a large room are small."""
    row, column = divmod(int(view.state.head[view.player]), grid.columns)
    for way, (down, right) in WAYS.items():
        x = made.width / 2 + (right - 0.5) * (PAD + 4)
        y = grid.top + grid.rows * grid.side + 8 + (0 if way == "up" else PAD + 4)
        with made.part(way, way):
            made.rect(x, y, PAD, PAD, "board2 edge", round=8)
            made.polygon(_arrowhead((x + PAD / 2, y + PAD / 2), (right, down)), "ink")
            made.rect(x, y, PAD, PAD, "halo", round=8)
            grid.square(made, row + down, column + right, "halo", 0.08 * grid.side)


def _arrowhead(at: Point, way: Point) -> list[Point]:
    (x, y), (right, down) = at, way
    return [
        (x + 10 * right, y + 10 * down),
        (x - 7 * right + 10 * down, y - 7 * down + 10 * right),
        (x - 7 * right - 10 * down, y - 7 * down - 10 * right),
    ]
