"""A view becomes a picture: SVG with parts that can be clicked.

A game's picture is the file of the same name here, or lies in the user's own game file; it writes

    draw(view, before) -> Picture              what the viewer may know, and nothing else
    clicks(view, action) -> tuple[str, ...]    the parts that a person clicks, one after the other, to play an action

`before` is the same seat's view of one step earlier, or None: what differs is drawn as the last action, so that a
picture cannot show what its viewer did not see. `view.player` is -1 for somebody who only watches. An action without
clicks is a button beside the picture. A game that writes neither gets its text, or its record's fields, as a picture.
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
    artist = artist_of(view.game)
    if view.player < 0 or not hasattr(artist, "clicks"):
        return {int(action): () for action in view.legal}
    return {int(action): tuple(artist.clicks(view, int(action))) for action in view.legal}


def artist_of(game: Game) -> ModuleType:
    """Who draws this game."""
    if hasattr(game.module, "draw"):
        return game.module
    if game.module.__name__.startswith("ludus.games.") and importlib.util.find_spec(f"ludus.draw.{game.name}"):
        return importlib.import_module(f"ludus.draw.{game.name}")
    return default
