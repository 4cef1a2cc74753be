"""What a game brings along for general methods: parts of theirs that lie beside the game's own agents."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from ludus.game import Game


def own_part(game: Game, name: str, default: Any) -> Any:
    """What `agents/<game>/_<name>.py` holds under that name in capitals; the default for most games, and for every
    file of a user's, whatever it is called."""
    place = f"ludus.agents.{game.name}"
    if game.source != game.name or not importlib.util.find_spec(place):
        return default
    place += f"._{name}"
    return getattr(importlib.import_module(place), name.upper()) if importlib.util.find_spec(place) else default
