"""A view becomes a picture: SVG with parts that can be clicked.

A game's picture is the file of the same name here, or lies in the user's own game file; it writes

    draw(view, before) -> Picture              what the viewer may know, and nothing else
    clicks(view, action) -> tuple[str, ...]    the parts that a person clicks, one after the other, to play an action

`before` is the same seat's view of one step earlier, or None: what differs is drawn as the last action, so that a
picture cannot show what its viewer did not see. `view.player` is -1 for somebody who only watches. An action without
clicks is a button beside the picture. A game that draws nothing gets the board that it declares, its text, or its
record's fields as a picture; its own `clicks` may name the parts of that board, `cell-0`, `cell-1`, …
"""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

from ludus.draw import default
from ludus.draw.canvas import Picture
from ludus.game import Game, View


def picture(view: View, before: View | None = None, can_act: bool = False) -> str:
    """The SVG of a view. With `can_act` the parts that begin one of the viewer's actions are marked."""
    can = {parts[0] for parts in choices(view).values() if parts} if can_act else set()
    drawn: Picture = artist_of(view.game).draw(view, before)
    return drawn.svg(can)


def choices(view: View) -> dict[int, tuple[str, ...]]:
    """For each of the viewer's actions the parts to click."""
    artist = view.game.module if view.game.writes("clicks") else artist_of(view.game)
    if view.player < 0 or not hasattr(artist, "clicks"):
        return {int(action): () for action in view.legal}
    buttons = getattr(view.game.module, "BUTTONS", ())
    return {int(action): () if action in buttons else tuple(artist.clicks(view, int(action))) for action in view.legal}


def click_fault(view: View) -> str:
    """An action whose clicks name a part that the picture does not have; "" if there is none."""
    drawn: Picture = artist_of(view.game).draw(view, None)
    for action, parts in choices(view).items():
        if missing := [part for part in parts if part not in drawn.parts]:
            made = ", ".join(sorted(drawn.parts)[:6]) or "none"
            return f"action {action} is a click on {missing[0]!r}, and `draw` makes no such part; it makes {made}"
    return ""


def artist_of(game: Game) -> ModuleType:
    """Who draws this game."""
    if hasattr(game.module, "draw"):
        return game.module
    name = getattr(game.module, "DRAWN_AS", game.name)  # that of the game itself, where handicaps are added
    if game.module.__name__.startswith("ludus.games.") and importlib.util.find_spec(f"ludus.draw.{name}"):
        return importlib.import_module(f"ludus.draw.{name}")
    return default
