"""A game in which one seat may not do one thing: what is that thing worth?

Whoever is ahead can often do more, so that players who do a thing win more, though it does nothing for them. Forbidding
it to one seat, in matches otherwise the same, tells what it does (restricted play: Jaffe et al. 2012). The wrapped game
has two params more, so that one compilation serves every action and every seat.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.handicaps import bound, extended
from ludus.rules import Param
from ludus.rules import is_legal as base_is_legal
from ludus.rules import legal as base_legal

MOST = 1 << 20
"""Action numbers below this can be looked up."""
KINDS = np.zeros(1, np.int32)


@template
def is_forbidden(state, player, action):
    wanted = state.params.forbidden
    return wanted > 0 and player == state.params.forbidden_seat and action < len(KINDS) and KINDS[action] == wanted


@template
def legal(state, player, out):
    """The menu without what is forbidden, unless nothing else is on it."""
    count, kept = base_legal(state, player, out), 0
    for k in range(count):
        if not is_forbidden(state, player, out[k]):
            out[kept] = out[k]
            kept += 1
    return kept if kept > 0 else base_legal(state, player, out)


@template
def is_legal(state, player, action):
    return base_is_legal(state, player, action) and not is_forbidden(state, player, action)


def restricted(game: Game, kinds: np.ndarray) -> Game:
    """The game with the params `forbidden`, the number of a kind of action (0: none), and `forbidden_seat`; `kinds` has
    the number of the kind of each action."""
    extra = {
        "forbidden": Param(0, 0, int(kinds.max(initial=0)), help="the kind of action that one seat may not do"),
        "forbidden_seat": Param(0, 0, game.facts.players[1] - 1, help="that seat"),
    }
    module = ModuleType(f"{game.module.__name__}+restricted", game.module.__doc__)
    names: dict[str, Any] = extended(game, extra)
    names["legal"] = bound(legal, base_legal=game.module.legal, KINDS=kinds)
    if game.writes("is_legal"):
        names["is_legal"] = bound(is_legal, base_is_legal=game.module.is_legal, KINDS=kinds)
    vars(module).update(names)
    return Game(module, game.source)
