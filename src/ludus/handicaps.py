"""Handicaps that designers reach for, as params of any game for two, without touching its rules.

    pie              after the first turn the second player may take the first player's side instead of moving
    first_actions    actions more, or fewer, in the first turn of the player who begins; second_actions likewise: where
                     turns have several actions, which a game tells by `ACTIONS_LEFT = "left"`, the field that counts
                     them
    komi             what the second player gets in the final count: where a game counts, which it tells by the rule
                     `final_count(state, player)`, nan where something else has decided the match

``connect_four+handicaps`` is the game with those that fit it. Its state is the game's own with a few fields more, so
all rules work on it as they are; only what must be different goes through a function of this file. `variant` gives the
same game with other numbers as its defaults: what a tuning found, as a game of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ludus.compile import is_template, rule, template
from ludus.errors import BadInput
from ludus.game import Game
from ludus.rules import SMALL, Param, Params, field_names, record, switch
from ludus.rules import is_legal as base_is_legal
from ludus.rules import legal as base_legal
from ludus.rules import reflect_action as base_reflect_action
from ludus.rules import returns as base_returns
from ludus.rules import setup as base_setup
from ludus.rules import step as base_step
from ludus.rules import to_act as base_to_act

SUFFIX = "+handicaps"
SWAP = 2**31 - 1
"""The action of who takes the other side."""
FIRST, SECOND, LATER = 0, 1, 2
"""Whose first turn it is."""
MOST = 2
COUNTER = ""
HANDICAPPED = "handicapped"
SOME = {"pie": "on", "first_actions": -1, "second_actions": 1, "komi": 0.5}
"""A preset in which every handicap is there, so that `ludus check` sees them at work."""
MARKS = ("swapped", "turn_one", "turned", "given")
"""What the state has more: whether sides were swapped, whose first turn it is, whether the second player has decided,
and whether a first turn got its actions."""

# ------------------------------------------------------------------------------------------------ the rules, wrapped
# `base_…` are the game's own functions; `bound` puts them behind these names.


def own(*given: Any) -> Any:
    """A rule of the game that one player is asked about."""


def give_actions(state: Any) -> Any:
    """What a first turn has more or fewer; see `add_actions`."""


@template
def setup(state, rng):
    base_setup(state, rng)
    give_actions(state)


@template
def swapped_mask(state, mask):
    """Players of the table for players of the game, or the other way round."""
    return (mask & 1) << 1 | mask >> 1 if state.swapped else mask


@template
def to_act(state):
    return swapped_mask(state, base_to_act(state))


@template
def may_swap(state):
    """Whether this is the second player's first decision, under the pie rule."""
    return state.params.pie == 1 and state.turn_one == SECOND and state.turned == 0


@template
def legal(state, player, out):
    n = base_legal(state, player ^ state.swapped, out)
    if may_swap(state):
        out[n] = SWAP
        n += 1
    return n


@template
def is_legal(state, player, action):
    if action == SWAP:
        return may_swap(state)
    return base_is_legal(state, player ^ state.swapped, action)


@template
def step(state, actions, rng):
    before = base_to_act(state)
    if actions[0] == SWAP or actions[1] == SWAP:
        state.swapped = 1
        state.turned = 1
        return
    if state.swapped:
        first = actions[0]
        actions[0] = actions[1]
        actions[1] = first
        base_step(state, actions, rng)
        first = actions[0]
        actions[0] = actions[1]
        actions[1] = first
    else:
        base_step(state, actions, rng)
    if state.turn_one == SECOND:
        state.turned = 1
    if base_to_act(state) != before and state.turn_one < LATER:
        state.turn_one += 1
        state.given = 0
    give_actions(state)


@template
def returns(state, out):
    base_returns(state, out)
    margin = 0.0
    if state.params.komi != 0.0:
        margin = own(state, 0) - own(state, 1) - state.params.komi
    if state.params.komi != 0.0 and not math.isnan(margin):
        out[0] = 1.0 if margin > 0 else -1.0 if margin < 0 else 0.0
        out[1] = -out[0]
    if state.swapped:
        first = out[0]
        out[0] = out[1]
        out[1] = first


@template
def uncounted_returns(state, out):
    base_returns(state, out)
    if state.swapped:
        first = out[0]
        out[0] = out[1]
        out[1] = first


@template
def add_actions(state):
    """More or fewer actions for a first turn, as soon as it has some; a turn keeps one at least."""
    more = state.params.first_actions if state.turn_one == FIRST else state.params.second_actions
    left = state[COUNTER]
    if state.turn_one < LATER and state.given == 0 and left > 0:
        state[COUNTER] = max(left + more, 1)
        state.given = 1


@template
def add_none(state):
    return


@template
def by_player(state, player):
    return own(state, player ^ state.swapped)


@template
def by_player_and(state, player, third):
    return own(state, player ^ state.swapped, third)


@template
def reflect_action(state, symmetry, action):
    return SWAP if action == SWAP else base_reflect_action(state, symmetry, action)


@template
def policy_slot(state, player, action):
    return SWAP_SLOT if action == SWAP else own(state, player ^ state.swapped, action)


SWAP_SLOT = 0
WITH_PLAYER = {
    "hide": by_player, "heuristic": by_player, "determinize": by_player_and, "twin": by_player_and,
    "forcing": by_player_and, "observe": by_player_and, "terms": by_player_and,
}  # fmt: skip
"""Rules of one player, who may sit on the other side by now."""
SLOTS = ("policy_slot", "POLICY")
"""Where a board has several sizes, a slot for the swap has no place behind the others: the default slots have one."""


def bound(function: Callable, **names: Any) -> Any:
    """A rule of this file with others behind its names."""
    scope = {**function.__globals__, **names}
    for name in function.__code__.co_names:
        if is_template(scope.get(name)):
            scope[name] = bound(scope[name], **names)
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    copy.__module__ = __name__
    return rule(copy)


# ------------------------------------------------------------------------------------------------ the game, wrapped


def offered(game: Game) -> dict[str, Param]:
    """The handicaps that fit a game and that it does not have already."""
    if not game.facts.players[0] <= 2 <= game.facts.players[1]:
        return {}
    found: dict[str, Param] = {}
    if not (game.facts.hidden or game.facts.simultaneous):
        found["pie"] = switch(False, help="the second player may take the first player's side after the first turn")
    if hasattr(game.module, "ACTIONS_LEFT"):
        for who in ("first", "second"):
            found[f"{who}_actions"] = Param(0, -MOST, MOST, help=f"actions more in the first turn of the {who} player")
    if game.writes("final_count"):
        found["komi"] = Param(0.0, -100, 100, help="what the second player gets in the final count")
    return {name: param for name, param in found.items() if name not in game.params.declared}


def with_handicaps(game: Game) -> Game:
    """The game under its own name and `+handicaps`."""
    extra = offered(game)
    if not extra:
        raise BadInput(
            f"{game.name} offers no handicap: a pie rule needs two players who move in turn and have no secrets, first "
            "actions a declared ACTIONS_LEFT, a komi the rule `final_count`"
        )
    module = ModuleType(f"{game.module.__name__}{SUFFIX}", game.module.__doc__)
    vars(module).update(_names(game, extra))
    return Game(module, f"{game.source}{SUFFIX}")


def _names(game: Game, extra: Mapping[str, Param]) -> dict[str, Any]:
    """All that the module of a wrapped game writes."""
    facts = game.facts
    names = extended(game, extra, MARKS)
    if "pie" in extra and game.writes("shapes"):
        names = {name: value for name, value in names.items() if name not in SLOTS}
        names["shapes"] = _shapes(game)
    names |= {
        "FACTS": replace(facts, max_actions=facts.max_actions + 1, max_plies=facts.max_plies + 1),
        "BUTTONS": (SWAP,),
        "PRESETS": {**getattr(game.module, "PRESETS", {}), HANDICAPPED: {name: SOME[name] for name in extra}},
    }
    return names | _wrapped_rules(game, extra) | _wrapped_words(game)


def extended(game: Game, extra: Mapping[str, Param], marks: tuple[str, ...] = ()) -> dict[str, Any]:
    """What a game's module writes, with more params and with whole numbers more in its state."""
    names = {name: value for name, value in vars(game.module).items() if not name.startswith("__")}
    names.pop("parse_state", None)  # a game's own notation knows nothing of them
    params = Params(**game.params.declared, **extra)
    state = _state(game, params, marks)
    return names | {"__file__": game.module.__file__, "PARAMS": params, "State": state, "DRAWN_AS": game.name}


def _state(game: Game, params: Params, marks: tuple[str, ...]) -> np.dtype:
    """What is new comes first: a record that begins like the game's own would be taken for it by Numba."""
    own_type = game.state_type
    fields: dict[str, Any] = {name: own_type[name] for name in field_names(own_type) if name != "params"}
    fields = {name: (kind.base, kind.shape) if kind.shape else kind for name, kind in fields.items()}
    return record(params=params, **dict.fromkeys(marks, np.int32), **fields)


def _wrapped_rules(game: Game, extra: Mapping[str, Param]) -> dict[str, Any]:
    """Those that a swap, a komi or a first turn changes; params that are not offered are never asked for."""
    names = game.names
    base = {f"base_{name}": names[name] for name in ("setup", "to_act", "legal", "step", "returns", "reflect_action")}
    counter = getattr(game.module, "ACTIONS_LEFT", "")
    actions = bound(add_actions, COUNTER=counter) if "first_actions" in extra else bound(add_none)
    pie = {} if "pie" in extra else {"may_swap": bound(never_swap)}
    base |= {"give_actions": actions, "own": getattr(game.module, "final_count", None), **pie}
    made = {name: bound(globals()[name], **base) for name in ("setup", "to_act", "legal", "step", "reflect_action")}
    made["returns"] = bound(returns if "komi" in extra else uncounted_returns, **base)
    if game.writes("is_legal"):
        made["is_legal"] = bound(is_legal, base_is_legal=game.module.is_legal, **base)
    written = (name for name in WITH_PLAYER if game.writes(name))
    made |= {name: bound(WITH_PLAYER[name], own=getattr(game.module, name)) for name in written}
    if game.writes("POLICY") and not ("pie" in extra and game.writes("shapes")):
        made |= _policy(game)
    return made


def _shapes(game: Game) -> Callable:
    """The features of the board at hand, and the default slots."""

    def shapes(params: Any, players: int) -> tuple[Any, int]:
        return game.module.shapes(params, players)[0], SMALL + game.facts.max_actions + 1

    return shapes


@template
def never_swap(state):
    return False


def _policy(game: Game) -> dict[str, Any]:
    """One slot more, the last, for the swap."""
    slot = game.module.policy_slot if game.writes("policy_slot") else bound(own_number)
    wider = replace(game.policy, extra=game.policy.extra + 1)
    return {"POLICY": wider, "policy_slot": bound(policy_slot, own=slot, SWAP_SLOT=game.policy.length)}


@template
def own_number(state, player, action):
    return action


def _wrapped_words(game: Game) -> dict[str, Any]:
    """The notation, where there is a swap to be named."""

    def action_text(state: Any, player: int, action: int) -> str:
        return "swap" if action == SWAP else game.action_text(state, player ^ int(state.swapped), action)

    def action_kind(state: Any, player: int, action: int) -> str:
        return "swap" if action == SWAP else game.action_kind(state, player ^ int(state.swapped), action)

    def parse_action(state: Any, player: int, text: str) -> int:
        if text.strip().lower() == "swap":
            return SWAP
        return game.module.parse_action(state, player ^ int(state.swapped), text)

    def state_text(state: Any) -> str:
        return game.state_text(state) + "\nthe players have swapped sides" * int(state.swapped)

    def outcome_text(state: Any) -> str:
        if game.writes("final_count") and state.params.komi:
            margin = game.module.final_count(state, 0) - game.module.final_count(state, 1) - state.params.komi
            return f"the count decides, with a komi of {state.params.komi:g}: {margin:+g} for the first player"
        return game.module.outcome_text(state) + " (the players had swapped sides)" * int(state.swapped)

    def objection(params: Any, players: int) -> str:
        if players != 2 and any(params[name] for name in offered(game)):
            return "handicaps are for two players"
        return game.module.objection(params, players) if game.writes("objection") else ""

    words = {"action_text": action_text, "state_text": state_text, "objection": objection}
    optional = {"action_kind": action_kind, "parse_action": parse_action}
    words |= {name: function for name, function in optional.items() if game.writes(name)}
    if game.writes("outcome_text"):
        words["outcome_text"] = outcome_text
    return words


# ------------------------------------------------------------------------------------------------ a game of its own


def variant(game: Game, changes: Mapping[str, object]) -> dict[str, Any]:
    """The names of a game with other defaults; the usual ones are its preset `original`."""
    values = game.params.values(changes)
    declared = {name: replace(param, default=values[name]) for name, param in game.params.declared.items()}
    presets = {name: game.rule_values(name) for name in game.presets if name != "default"}
    names = {name: value for name, value in vars(game.module).items() if not name.startswith("__")}
    return names | {"PARAMS": Params(**declared), "PRESETS": {"original": game.rule_values(), **presets}}
