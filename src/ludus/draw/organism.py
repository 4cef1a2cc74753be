"""Organism: click cells and, below the board, the buttons that the phase of the turn asks for.

Round elements are the first player's, square ones the second's, with food as dots beneath. Elements that act now have a
full rim, those that will a broken one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from ludus.draw.boards import MARGIN, TOP, Strip, counted, framed, may_act
from ludus.draw.canvas import Picture, Point, seat_name
from ludus.game import View
from ludus.games._organism_board import (
    ACT,
    ACTING,
    CHOOSE,
    DECLARE,
    EMPTY,
    FIRST_ORDER,
    GLOBAL,
    GONE,
    GROW,
    GROWTH,
    INTRODUCE,
    NEIGHBOUR,
    NONE,
    PASS,
    PAY,
    PAYMENT,
    PLAIN,
    PUSH,
    RECEIVE,
    WAITING,
)
from ludus.games._organism_text import KINDS, ONE_CELL, ORDERS, cell_count, cell_name, offset

VERBS = ("eat", "grow", "move")
NAMES = (seat_name(0), seat_name(1))
BUTTONS = ("kind E", "kind G", "kind M", "give", "supply", "pass")
BUTTON_ROOM = 48
ROOMY = 26
"""Cells with a larger radius have room for their names."""
RIMS = {WAITING: "rim dashed", ACTING: "rim"}


LETTERS = "E eats · G grows · M moves · dots are food"


def draw(view: View, before: View | None) -> Picture:
    state = view.state
    across = 2 * int(state.params.rings) - 1
    board = _Hexes(min(76, 452 / across), across)
    has_buttons = view.player >= 0 and not state.ending
    strip = Strip(NAMES, [_detail(view, player) for player in range(2)], token)
    height = board.height + (BUTTON_ROOM if has_buttons else 0)
    made = framed(view, board.width, height, strip, f"{_sentence(view)}\n{LETTERS}", lines=3)
    cells = [cell for cell in range(cell_count(state)) if state.piece[cell] != GONE]
    for cell in cells:
        made.polygon(board.corners(cell), "board2 edge" if cell == 0 else "board edge")
    _homes(made, view, board)
    _bonds(made, view, board, cells)
    for key, label, members in _parts(view, cells):
        with made.part(key, label):
            for cell in members:
                _contents(made, view, board, cell)
                made.polygon(board.corners(cell, 0.88), "halo")
    _under_way(made, view, board)
    if before is not None:
        for cell in cells:
            if state.piece[cell] != before.state.piece[cell] or state.food[cell] != before.state.food[cell]:
                made.polygon(board.corners(cell, 0.95), "none last")
    if may_act(view):
        _buttons(made, view, TOP + board.height + 4)
    return made


def clicks(view: View, action: int) -> tuple[str, ...]:
    plane, cell = divmod(action, cell_count(view.state))
    if plane == GLOBAL:
        return _global_clicks(cell)
    here = cell_name(cell)
    if plane < PLAIN:
        return here, cell_name(int(NEIGHBOUR[cell, plane % 6]))
    if GROWTH <= plane < PAYMENT:
        return BUTTONS[plane - GROWTH], here
    several = {"eat": (here, "supply"), "circulate": ("give", here), "organism": (f"organism {here}",)}
    return several.get(ONE_CELL[plane], (here,))


def _global_clicks(number: int) -> tuple[str, ...]:
    """A declaration, a pass, or an introduction: the kinds of the first two homes leave no choice for the third."""
    if number <= PASS:
        return ((*BUTTONS[:3], "pass")[number],)
    first, second, _ = ORDERS[number - FIRST_ORDER]
    return f"kind {first}", f"kind {second}"


# ------------------------------------------------------------------------------------------------ words


def _detail(view: View, player: int) -> str:
    state, params = view.state, view.state.params
    own = [cell for cell in range(cell_count(state)) if state.piece[cell] >> 2 == 1 + player]
    tokens = counted(int(state.tokens[player]), "token")
    if params.token_limit:
        tokens = f"tokens {state.tokens[player]}/{params.token_limit + (0 if player else params.handicap)}"
    if params.organism_limit:
        return f"{tokens}, organisms {len(_groups(own))}/{params.organism_limit}"
    return f"{tokens}, {counted(len(own), 'element')}"


def _sentence(view: View) -> str:
    state = view.state
    if state.ending:
        return view.game.outcome_text(view.states)
    declared, spot, growth = VERBS[state.declared], cell_name(max(0, int(state.spot))), KINDS[state.growth]
    does = {
        INTRODUCE: "introduces: which kinds come to homes 1 and 2?",
        CHOOSE: "chooses an organism that acts",
        DECLARE: "declares what this organism does",
        ACT: f"has {counted(int(state.left), 'action')} left: {declared} or give food",
        PAY: f"pays {state.owed} more food for {growth} at {spot}: from which G?",
        RECEIVE: f"gives food from {cell_name(max(0, int(state.source)))}: to whom?",
        PUSH: f"pushes the food of {spot} away: to where?",
    }[int(state.phase)]
    return f"{NAMES[state.mover]} {does}\nturn {state.turns + 1} of {state.params.turn_limit}"


def _button_words(view: View, key: str) -> str:
    state = view.state
    acting = Counter(int(state.piece[cell]) & 3 for cell in range(cell_count(state)) if state.role[cell] == ACTING)
    if not key.startswith("kind"):
        return {"give": "give food", "supply": "from supply"}.get(key, key)
    kind = KINDS.index(key[-1])
    if state.phase == DECLARE:
        limit = int(state.params.action_limit) or acting[kind]
        return f"{VERBS[kind]} ×{min(limit, acting[kind])}"
    return f"{key[-1]} for {acting[kind]}" if state.declared == GROW else key[-1]


def _cell_words(view: View, cell: int) -> str:
    piece, food = int(view.state.piece[cell]), int(view.state.food[cell])
    who = "empty" if piece == EMPTY else f"{NAMES[piece // 4 - 1]} {KINDS[piece & 3]}"
    return f"{cell_name(cell)}, {who}, {food} food"


# ------------------------------------------------------------------------------------------------ the board


class _Hexes:
    """Cells with a corner on top, in rows; `across` cells in the longest."""

    def __init__(self, cell_width: float, across: int):
        self.radius = cell_width / math.sqrt(3)
        self.width = across * cell_width + 2 * MARGIN
        self.height = (1.5 * across + 0.5) * self.radius
        self.cell_width = cell_width
        self.element = (0.42 if self.radius > ROOMY else 0.5) * self.radius

    def centre(self, cell: int) -> Point:
        row, column = offset(cell)
        return self.width / 2 + self.cell_width * (column + row / 2), TOP + self.height / 2 + 1.5 * self.radius * row

    def corners(self, cell: int, share: float = 1.0) -> list[Point]:
        x, y = self.centre(cell)
        turns = [math.pi / 3 * k for k in range(6)]
        return [(x + share * self.radius * math.sin(turn), y + share * self.radius * math.cos(turn)) for turn in turns]


def _groups(cells: Iterable[int]) -> list[list[int]]:
    """Cells that hang together, the lowest of each group first."""
    left, groups = set(cells), []
    while left:
        group = [min(left)]
        for cell in group:  # it grows while we walk along it
            group += sorted(left.intersection(NEIGHBOUR[cell].tolist()) - set(group))
        left -= set(group)
        groups.append(group)
    return groups


def _parts(view: View, cells: list[int]) -> list[tuple[str, str, list[int]]]:
    """Key, label and cells of every part: each cell one, but where an organism is to be chosen, each of those one."""
    waiting = [cell for cell in cells if view.state.phase == CHOOSE and view.state.role[cell] == WAITING]
    singles = [(cell_name(cell), _cell_words(view, cell), [cell]) for cell in cells if cell not in waiting]
    names = [(f"organism {cell_name(group[0])}", group) for group in _groups(waiting)]
    return singles + [(name, name, group) for name, group in names]


def _contents(made: Picture, view: View, board: _Hexes, cell: int) -> None:
    (x, y), radius = board.centre(cell), board.radius
    piece, food = int(view.state.piece[cell]), int(view.state.food[cell])
    if radius > ROOMY:
        made.text(x, y - 0.5 * radius, cell_name(cell), "middle soft", 11)
    if piece != EMPTY:
        _element(made, piece, (x, y), board.element, RIMS.get(int(view.state.role[cell]), ""))
    is_free = piece == EMPTY and cell != view.state.spot
    _food(made, food, (x, y) if is_free else (x, y + 0.66 * radius), radius)


def token(picture: Picture, seat: int, at: Point, radius: float, look: str = "") -> None:
    (x, y), r = at, 0.92 * radius
    if seat == 0:
        picture.circle(x, y, radius, f"seat0 {look}")
    else:
        picture.rect(x - r, y - r, 2 * r, 2 * r, f"seat1 {look}", round=0.2 * r)


def _element(picture: Picture, piece: int, at: Point, radius: float, look: str) -> None:
    token(picture, piece // 4 - 1, at, radius, look)
    picture.text(at[0], at[1] + 0.42 * radius, KINDS[piece & 3], "middle bold on-seat", 1.2 * radius)


def _food(picture: Picture, food: int, at: Point, radius: float) -> None:
    """A few dots, or a dot and the number."""
    (x, y), r = at, max(3, 0.1 * radius)
    if food > (5 if radius > ROOMY else 3):
        picture.circle(x - 6, y, r, "star rim")
        picture.text(x - 3 + r, y + 4, str(food), "bold", 11)
        return
    for k in range(food):
        picture.circle(x + 2.7 * r * (k - (food - 1) / 2), y, r, "star rim")


def _homes(made: Picture, view: View, board: _Hexes) -> None:
    """Where elements are introduced, numbered while they are."""
    if not view.state.params.start:
        return
    for player in range(2):
        for k, cell in enumerate(view.state.homes[player]):
            made.polygon(board.corners(int(cell), 0.8), f"none rim{player} faint")
            if view.state.phase == INTRODUCE and player == view.state.mover:
                x, y = board.centre(int(cell))
                made.text(x, y + 7, str(k + 1), "middle bold", 20)


def _bonds(made: Picture, view: View, board: _Hexes, cells: list[int]) -> None:
    """What holds an organism together."""
    sides = {cell: int(view.state.piece[cell]) >> 2 for cell in cells}
    for cell in cells:
        for near in NEIGHBOUR[cell, :3].tolist():
            if sides[cell] and sides.get(near) == sides[cell]:
                made.line(board.centre(cell), board.centre(near), f"rim{sides[cell] - 1}")


def _under_way(made: Picture, view: View, board: _Hexes) -> None:
    """An action of several steps: where it comes from, and what is to stand where."""
    state = view.state
    if state.source != NONE:
        made.polygon(board.corners(int(state.source), 0.8), "none rim dashed")
    if state.spot != NONE:
        piece = 4 * (1 + int(state.mover)) + int(state.growth)
        if state.phase == PUSH:
            piece = int(state.piece[state.source])
        _element(made, piece, board.centre(int(state.spot)), board.element, "faint")


def _buttons(made: Picture, view: View, top: float) -> None:
    keys = {key for action in view.legal for key in clicks(view, int(action))}
    shown = [key for key in BUTTONS if key in keys]
    room = (made.width - 2 * MARGIN + 6) / max(3, len(shown))
    left = made.width / 2 - room * len(shown) / 2
    for k, key in enumerate(shown):
        made.button(key, left + k * room + 3, top, room - 6, _button_words(view, key))
