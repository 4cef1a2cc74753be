"""A game in which one seat may not do one thing, or may do it once for free: what is that thing worth?

Whoever is ahead can often do more, so that players who do a thing win more, though it does nothing for them. Forbidding
it to one seat, or giving it, in matches otherwise the same, tells what it does (restricted play: Jaffe et al. 2012).

For free means: the first time that the seat does it, this uses up neither an action of its turn nor the turn. Where a
game counts the actions of a turn (`ACTIONS_LEFT`) one is added; else the field that says whose turn it is gets the
value that it had before. The wrapped game has three params more, so that one compilation serves every action and seat.
"""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.handicaps import bound, extended
from ludus.rules import MAX_ACTIONS, Param, choice
from ludus.rules import is_legal as base_is_legal
from ludus.rules import legal as base_legal
from ludus.rules import step as base_step
from ludus.rules import to_act as base_to_act
from ludus.rules import valid as base_valid

MOST = 1 << 20
"""Action numbers below this can be looked up."""
KINDS = np.zeros(1, np.int32)
TURN = ""
FORBIDDEN, FREE = 0, 1


@template
def is_treated(state, player, action):
    wanted = state.params.treated
    is_seat = wanted > 0 and player == state.params.treated_seat
    return is_seat and 0 <= action < len(KINDS) and KINDS[action] == wanted


@template
def is_forbidden(state, player, action):
    return state.params.treatment == FORBIDDEN and is_treated(state, player, action)


@template
def is_free(state, seat, action):
    return state.params.treatment == FREE and state.was_given == 0 and is_treated(state, seat, action)


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


@template
def step_by_count(state, actions, rng):
    """The free action is one more."""
    seat = state.params.treated_seat
    if state[TURN] > 0 and is_free(state, seat, actions[seat]):
        state[TURN] += 1
        state.was_given = 1
    base_step(state, actions, rng)


@template
def step_by_turn(state, actions, rng):
    """The turn comes back, if it has gone and if there is something left to do."""
    seat, before = state.params.treated_seat, state[TURN]
    is_gift = is_free(state, seat, actions[seat])
    base_step(state, actions, rng)
    if not is_gift:
        return
    state.was_given = 1
    acting, after = base_to_act(state), state[TURN]
    if acting == 0 or acting >> seat & 1:
        return
    state[TURN] = before
    if not (base_to_act(state) >> seat & 1 and base_legal(state, seat, np.empty(MAX_ACTIONS, np.int32)) > 0):
        state[TURN] = after


@template
def valid(state):
    """After a gift a player may have had a turn more than the rules can explain."""
    return state.was_given == 1 or base_valid(state)


def restricted(game: Game, kinds: np.ndarray, turn: str = "") -> Game:
    """The game with the params `treated`, the number of a kind of action (0: none), `treated_seat` and `treatment`;
    `kinds` has the number of the kind of each action. `turn` is the field that says whose turn it is; without one, only
    a game that counts the actions of a turn can give."""
    extra = {
        "treated": Param(0, 0, int(kinds.max(initial=0)), help="the kind of action that is forbidden or free"),
        "treated_seat": Param(0, 0, game.facts.players[1] - 1, help="for this seat"),
        "treatment": choice("forbidden", "free", help="which of the two"),
    }
    module = ModuleType(f"{game.module.__name__}+restricted", game.module.__doc__)
    names: dict[str, Any] = extended(game, extra, ("was_given",))
    names["FACTS"] = replace(game.facts, max_plies=game.facts.max_plies + 1)
    base = {f"base_{name}": game.names[name] for name in ("legal", "to_act", "step", "valid")}
    base |= {"KINDS": kinds, "MAX_ACTIONS": game.facts.max_actions, "TURN": counter(game) or turn}
    names |= {"legal": bound(legal, **base), "valid": bound(valid, **base)}
    if counter(game) or turn:
        names["step"] = bound(step_by_count if counter(game) else step_by_turn, **base)
    if game.writes("is_legal"):
        names["is_legal"] = bound(is_legal, base_is_legal=game.module.is_legal, **base)
    vars(module).update(names)
    return Game(module, game.source)


def counter(game: Game) -> str:
    """The field that counts the actions left in a turn; "" where there is none."""
    return getattr(game.module, "ACTIONS_LEFT", "")
