"""Rivals of those who learn: compiled functions (view, player, rng) -> action.

Every game has random ones; a game's own lie in `<game>/_rivals.py`, the usual one first; a user's is a function in a
file, named as ``file.py:name``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ludus.agents._own import own_part
from ludus.compile import is_template, rule, template
from ludus.errors import BadInput, UnknownName
from ludus.files import load_module
from ludus.game import Game
from ludus.kernels import any_place
from ludus.rules import MAX_ACTIONS, legal


@template
def random_choice(view, player, rng):
    menu = np.empty(MAX_ACTIONS, np.int32)
    return menu[any_place(legal(view, player, menu), rng)]


def find_rival(name: str, game: Game) -> Callable:
    """A rival by name, or by file and name; `auto` is the game's usual one."""
    known = own_part(game, "rivals", {}) | {"random": random_choice}
    if name == "auto":
        return next(iter(known.values()))
    if ":" in name:
        return find_in_code(name)
    if name not in known:
        raise UnknownName("rival", name, ["auto", *known], f" for {game.name}; a file's is written file.py:name")
    return known[name]


def find_in_code(name: str) -> Any:
    """What ``file.py:name`` or ``module:name`` names: a function, compiled if it is not, or something else."""
    place, _, attribute = name.rpartition(":")
    try:
        module = load_module(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except ImportError as error:
        raise BadInput(f"{name}: {error}") from None
    if not hasattr(module, attribute):
        raise UnknownName("function", attribute, [key for key in vars(module) if key[0] != "_"], f" in {place}")
    found = getattr(module, attribute)
    is_plain = callable(found) and not is_template(found) and not hasattr(found, "py_func")
    return rule(found) if is_plain else found
