"""Games and views.

A `Game` is a module's rules with every default filled in, ready to be compiled; `catalogue.load` finds one.
A `View` is all that a player ever gets: a masked copy.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ludus import kernels, rules
from ludus.compile import bind, content, is_template, rule
from ludus.errors import BadInput, BadNotation, BadParams, BadRules, UnknownName
from ludus.features import cut_to, default_observe
from ludus.rng import config
from ludus.rules import Facts, Params
from ludus.shapes import Board, Shape, flat

State = Any  # one np.record of the game's State type; its fields are the game's own


class Game:
    """The rules of one game, from its module."""

    def __init__(self, module: ModuleType, source: str):
        self.source = source
        """What `load` was given: a name, or the path of a file."""
        self.name = Path(source).stem if is_path(source) else source
        self.module = module
        self.facts: Facts = _declared(module, "FACTS", Facts)
        self.state_type: np.dtype = _declared(module, "State", np.dtype)
        self.params: Params = getattr(module, "PARAMS", None) or Params()
        self.presets: dict[str, dict[str, object]] = {"default": {}, **getattr(module, "PRESETS", {})}
        self._kernels: dict[Callable, Callable] = {}
        self._check_state_type()
        self.names = self._names()

    def __repr__(self) -> str:
        return f"Game({self.name!r})"

    def _check_state_type(self) -> None:
        fields = self.state_type.names or ()
        if "players" not in fields:
            raise BadRules(f"{self._file}: State needs a field `players`, which the engine fills in before setup")
        if self.params.declared and "params" not in fields:
            raise BadRules(f"{self._file}: PARAMS are declared, so State needs a field `params=PARAMS`")

    @property
    def _file(self) -> str:
        return str(self.module.__file__ or self.module.__name__)

    def _names(self) -> dict[str, Any]:
        """What templates see behind the contract's names."""
        missing = [name for name in rules.REQUIRED if not hasattr(self.module, name)]
        if missing:
            raise BadRules(f"{self._file}: the game does not write {', '.join(missing)}")
        names = {name: getattr(self.module, name) for name in rules.REQUIRED}
        for name in (*rules.REQUIRED, *rules.DEFAULTS, "observe", "terms"):
            _refuse_unmarked(getattr(self.module, name, None), name)
        names |= {name: getattr(self.module, name, _own_copy(default)) for name, default in rules.DEFAULTS.items()}
        facts = self.facts
        self._refuse_missing_shapes()
        names["observe"], self.features = self._observation()
        names["terms"] = self.module.terms if self.writes("terms") else names["observe"]
        self.policy = _shape(self.module, "POLICY") if self.writes("POLICY") else flat(rules.SMALL + facts.max_actions)
        return names | {
            "SEATS": facts.players[1],
            "MAX_ACTIONS": facts.max_actions,
            "MAX_PLIES": facts.max_plies,
            "HIDDEN": facts.hidden,
            "CHANCE": facts.chance,
            "SIMULTANEOUS": facts.simultaneous,
            "HAS_HEURISTIC": self.writes("heuristic"),
            "HAS_POLICY": self.writes("POLICY"),
            "FORCES": self.writes("forcing"),
            "TERMS": len(_declared(self.module, "TERMS", tuple)) if self.writes("terms") else self.features.length,
            "FEATURES": self.features.length,
            "POLICY": self.policy.length,
            "SYMMETRIES": getattr(self.module, "SYMMETRIES", 1),
        }

    def _refuse_missing_shapes(self) -> None:
        """Buffers are as long as FEATURES and POLICY say, whatever `shapes` gives for the params at hand."""
        for function, name in (("observe", "FEATURES"), ("policy_slot", "POLICY")):
            if self.writes(function) and not self.writes(name):
                largest = f"declare {name} for the largest board" if self.writes("shapes") else f"declare {name}"
                raise BadRules(f"{self._file}: the game writes {function} but declares no {name}; {largest}")

    def _observation(self) -> tuple[Callable, Shape]:
        board = _declared(self.module, "BOARD", Board) if self.writes("BOARD") else None
        if self.writes("observe"):
            return self.module.observe, _shape(self.module, "FEATURES")
        return default_observe(self.state_type, self.facts.players[1], self.module.__name__, board)

    def shapes(self, players: int, values: Mapping[str, object] | None = None) -> tuple[Shape, Shape]:
        """The shapes of features and of policy slots under these params; the lengths are what `observe` and
        `policy_slot` use of FEATURES and POLICY."""
        values = self.params.values({}) if values is None else values
        return self.shapes_of(self.blank(players, values)[0])

    def shapes_of(self, state: State) -> tuple[Shape, Shape]:
        """The same for the params that a state holds."""
        if not self.writes("shapes"):
            return self.features, self.policy
        found = self.module.shapes(state.params if "params" in state.dtype.names else None, int(state.players))
        if not isinstance(found, tuple) or len(found) != 2:
            raise BadRules(f"{self._file}: `shapes` gives two shapes: of the features, and of the policy slots")
        features, policy = (flat(int(one)) if isinstance(one, int | np.integer) else one for one in found)
        if not self.writes("observe"):
            features = cut_to(self.features, self.state_type, features.board)
        for shape, most, name in ((features, self.features, "FEATURES"), (policy, self.policy, "POLICY")):
            if shape.length > most.length:
                what = f"`shapes` gives {shape.length} numbers, and {name} has room for {most.length}"
                raise BadRules(f"{self._file}: {what}; declare {name} for the largest board")
        return features, policy

    def writes(self, name: str) -> bool:
        """Whether the game itself writes this optional function."""
        return hasattr(self.module, name)

    def kernel(self, template: Callable) -> Callable:
        """The template, compiled against this game; once a process."""
        if template not in self._kernels:
            self._kernels[template] = bind(template, self.names, self.name)
        return self._kernels[template]

    def weighing(self, terms: Callable, names: tuple[str, ...]) -> Game:
        """The same game with other terms for evaluations to weigh."""
        other = object.__new__(Game)  # `copy` asks how a game travels, which is by its name, and would give this one
        own_names = self.names | {"terms": terms, "TERMS": len(names)}
        other.__dict__.update(self.__dict__, names=own_names, _kernels={})
        return other

    @property
    def fingerprint(self) -> str:
        """Changes whenever a function of the game that is played with does, a helper of one, or a table.

        What only Ludus adds does not count, nor what only tests use, nor `terms`, which a run of TD is bound to by
        itself; ``python3.11-…``, see `other_rules`.
        """
        names = sorted({*rules.REQUIRED, *rules.DEFAULTS, "observe"} - {"forcing", "valid", "twin"})
        written = [(name, getattr(self.module, name)) for name in names if self.writes(name)]
        return _tag(content(self.state_type, self.facts.players, self.facts.max_plies, written))

    @property
    def terms_fingerprint(self) -> str:
        """The same for the game's own `terms`; "" if it writes none."""
        return _tag(content(self.module.terms)) if self.writes("terms") else ""

    # -------------------------------------------------------------------------------------------- positions

    def rule_values(self, preset: str = "default", changes: Mapping[str, object] | None = None) -> dict[str, object]:
        """The params of a preset with changes on top."""
        if preset not in self.presets:
            raise UnknownName("preset", preset, self.presets, f" in {self.name}")
        return self.params.values(self.presets[preset] | dict(changes or {}))

    def check_setting(self, players: int, values: Mapping[str, object]) -> None:
        """Refuse a number of players or a combination of params that makes no game."""
        low, high = self.facts.players
        if not low <= players <= high:
            span = f"{low} players" if low == high else f"{low} to {high} players"
            raise BadInput(f"{self.name} is for {span}, not {players}")
        if self.writes("objection"):
            params = self.blank(players, values)[0].params if self.params.declared else None
            reason = self.module.objection(params, players)
            if reason:
                raise BadParams(f"{self.name}: {reason}")

    def blank(self, players: int, values: Mapping[str, object], count: int = 1) -> np.ndarray:
        """Zeroed states with `players` and `params` filled in, as `setup` gets them."""
        states = np.zeros(count, self.state_type)
        states["players"] = players
        if self.params.declared:
            self.params.fill(states["params"], values)
        return states

    def start(self, words: np.ndarray, players: int, values: Mapping[str, object] | None = None) -> np.ndarray:
        """Fresh positions, one for each row of `words`, whose chance column is used."""
        values = self.params.values({}) if values is None else values
        self.check_setting(players, values)
        states = self.blank(players, values, len(words))
        self.kernel(kernels.set_up)(states, words)
        return states

    def waiting(self, states: np.ndarray) -> np.ndarray:
        """For each state the mask of players that owe an action."""
        out = np.empty(len(states), np.int64)
        self.kernel(kernels.masks)(states, out)
        return out

    def menu(self, states: np.ndarray, player: int) -> np.ndarray:
        """The legal actions of a player in a single state."""
        out = np.empty((1, self.facts.max_actions), np.int32)
        count = np.empty(1, np.int64)
        self.kernel(kernels.menus)(states, np.array([player]), out, count)
        return out[0, : count[0]]

    def stuck(self, states: np.ndarray) -> int:
        """The first player who must act in a single state and has no action there: a fault of the game; -1 if none."""
        mask = int(self.waiting(states)[0])
        acting = (player for player in range(mask.bit_length()) if mask >> player & 1)
        return next((player for player in acting if not len(self.menu(states, player))), -1)

    def allows(self, states: np.ndarray, player: int, action: int) -> bool:
        """Whether the action is legal in a single state."""
        out = np.empty(1, np.bool_)
        self.kernel(kernels.verdicts)(states, np.array([player]), np.array([action]), out)
        return bool(out[0])

    def advance(self, states: np.ndarray, actions: np.ndarray, words: np.ndarray) -> None:
        """One joint step in every state that is not over."""
        self.kernel(kernels.advance)(states, actions, words)

    def payoffs(self, states: np.ndarray) -> np.ndarray:
        """Returns, one row a state and one column a seat."""
        out = np.zeros((len(states), self.facts.players[1]))
        self.kernel(kernels.payoffs)(states, out)
        return out

    def masked(self, states: np.ndarray, players: np.ndarray) -> np.ndarray:
        """Copies of the states as the given players may know them."""
        views = states.copy()
        self.kernel(kernels.mask_views)(views, players)
        return views

    # -------------------------------------------------------------------------------------------- notation

    def action_text(self, state: State, player: int, action: int) -> str:
        if self.writes("action_text"):
            return self.module.action_text(state, player, action)
        return str(action)

    def action_kind(self, state: State, player: int, action: int) -> str:
        """What sort of action it is, for statistics: a card, a piece, a direction."""
        if self.writes("action_kind"):
            return self.module.action_kind(state, player, action)
        return self.action_text(state, player, action)

    def state_text(self, state: State) -> str:
        if self.writes("state_text"):
            return self.module.state_text(state)
        lines = (f"{name}: {state[name]}" for name in rules.field_names(self.state_type) if name != "params")
        return "\n".join(lines)

    def outcome_text(self, states: np.ndarray) -> str:
        """Who won and why."""
        if self.writes("outcome_text"):
            return self.module.outcome_text(states[0])
        payoffs = self.payoffs(states)[0, : states[0].players]
        best = np.flatnonzero(payoffs == payoffs.max())
        if len(best) == len(payoffs):
            return "a draw"
        return " and ".join(f"player {player + 1}" for player in best) + (" win" if len(best) > 1 else " wins")

    def parse_action(self, states: np.ndarray, player: int, text: str) -> int:
        """The legal action that a person wrote."""
        state, text = states[0], text.strip()
        if self.writes("parse_action"):
            action = self.module.parse_action(state, player, text)
        else:
            action = self._action_on_menu(states, player, text)
        if not self.allows(states, player, action):
            raise BadNotation(f"{text!r} is not allowed now; {self._examples(states, player)}")
        return int(action)

    def _action_on_menu(self, states: np.ndarray, player: int, text: str) -> int:
        for action in self.menu(states, player):
            if self.action_text(states[0], player, int(action)).lower() == text.lower():
                return int(action)
        raise BadNotation(f"{text!r} is no action here; {self._examples(states, player)}")

    def _examples(self, states: np.ndarray, player: int, whose: str = "your") -> str:
        menu = [self.action_text(states[0], player, int(action)) for action in self.menu(states, player)]
        return f"{whose} menu: {', '.join(menu[:12])}{' …' if len(menu) > 12 else ''}"

    def refusal(self, states: np.ndarray, player: int, action: int) -> str:
        """Why an action cannot be, in the game's words; where there is no other, the fault is the game's."""
        if not len(self.menu(states, player)):
            raise BadRules(f"{self._file}: `legal` gives player {player} no action, though `to_act` says it owes one")
        try:
            words = self.action_text(states[0], player, action)
        except Exception:  # the game has no words for what is no action of its
            words = str(action)
        named = f"{action} ({words})" if words != str(action) else words
        return f"player {player} may not play {named} now; {self._examples(states, player, 'its')}"

    def parse_state(self, text: str, players: int, values: Mapping[str, object] | None = None) -> np.ndarray:
        """A position from the game's own notation, or from the JSON that `state_json` writes."""
        states = self.blank(players, self.params.values({}) if values is None else values)
        if text.lstrip().startswith("{"):
            _fill_from_json(self, states, text)
            self._check_valid(states)
        elif self.writes("parse_state"):
            self.module.parse_state(text, states[0])
        else:
            raise BadNotation(f"{self.name} has no notation for positions; give one as JSON fields")
        return states

    def _check_valid(self, states: np.ndarray) -> None:
        good = np.empty(1, np.bool_)
        self.kernel(kernels.validity)(states, good)
        if not good[0]:
            raise BadNotation(f"the position cannot be: {self.name} denies it")

    def state_json(self, state: State) -> dict[str, object]:
        """Every field of a state but its gaps, as plain numbers and lists."""
        return {name: _plain(state[name]) for name in rules.field_names(self.state_type)}


def _tag(played: str) -> str:
    return f"python{sys.version_info[0]}.{sys.version_info[1]}-{played}"


def other_rules(one: str, two: str) -> bool:
    """Whether two fingerprints tell of different rules; those of two versions of Python cannot be compared."""
    return one != two and one.partition("-")[0] == two.partition("-")[0]


def is_path(name: str) -> bool:
    return name.endswith(".py") or "/" in name or "\\" in name


_WANTED = {
    Facts: "Facts(…)", np.dtype: "record(…)", tuple: "a tuple of names", Shape: "a number or planes(…)",
    Board: "squares(…) or hexagons(…)",
}  # fmt: skip


def _declared(module: ModuleType, name: str, kind: type) -> Any:
    if not hasattr(module, name):
        raise BadRules(f"{module.__file__}: the game declares no {name}")
    value = getattr(module, name)
    if not isinstance(value, kind):
        raise BadRules(f"{module.__file__}: {name} must be {_WANTED[kind]}, not a {type(value).__name__}")
    return value


def _shape(module: ModuleType, name: str) -> Shape:
    """A declared shape; a bare number is a row of numbers."""
    value = getattr(module, name, None)
    return flat(value) if isinstance(value, int) else _declared(module, name, Shape)


def _refuse_unmarked(function: Any, name: str) -> None:
    if isinstance(function, FunctionType) and not config.DISABLE_JIT and not is_template(function):
        code = function.__code__
        raise BadRules(f"{code.co_filename}, line {code.co_firstlineno}: `{name}` is not marked @rule")


def _own_copy(default: Any) -> Any:
    """Compiled functions remember the records they were called with; games must not meet in one."""
    return rule(default.py_func) if hasattr(default, "py_func") else default


def _plain(value: Any) -> object:
    if value.dtype.names:
        return {name: _plain(value[name]) for name in rules.field_names(value.dtype)}
    return value.tolist()


def _fill_from_json(game: Game, states: np.ndarray, text: str) -> None:
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise BadNotation(f"the position is no JSON: {error}") from None
    for name, value in fields.items():
        if name not in (game.state_type.names or ()):
            raise UnknownName("field", name, rules.field_names(game.state_type), f" in a {game.name} position")
        try:
            parts = {name: value} if not isinstance(value, dict) else value
            for inner, numbers in parts.items():
                _fill_exactly(states[name] if inner == name else states[name][inner], numbers)
        except (ValueError, TypeError, OverflowError, IndexError) as error:
            raise BadNotation(f"field {name} of the position: {error}") from None


def _fill_exactly(column: np.ndarray, numbers: Any) -> None:
    """NumPy would cut fractions off, and repeat one number over an array."""
    given = np.asarray(numbers)
    if given.shape != column.shape[1:]:
        raise ValueError(f"it has the shape {list(column.shape[1:])}, not {list(given.shape)}")
    column[0] = given
    if not (column[0] == given).all():
        raise ValueError(f"{numbers} does not fit into {column.dtype}")


# ------------------------------------------------------------------------------------------------ views


class View:
    """What one player may know: a masked copy of the state. Everything else is read off it."""

    __slots__ = ("game", "player", "states")

    def __init__(self, game: Game, states: np.ndarray, player: int):
        self.game = game
        self.player = player
        self.states = game.masked(states, np.array([player]))

    @classmethod
    def public(cls, game: Game, states: np.ndarray) -> View:
        """What everybody knows, for those who only watch: hidden from every player in turn. Its player is -1."""
        view = cls(game, states, 0)
        for player in range(1, int(states[0].players)):
            view.states = game.masked(view.states, np.array([player]))
        view.player = -1
        return view

    @property
    def state(self) -> State:
        """The masked record."""
        return self.states[0]

    @property
    def legal(self) -> np.ndarray:
        """The actions on the player's menu; none for one who watches."""
        if self.player < 0:
            return np.empty(0, np.int32)
        return self.game.menu(self.states, self.player)

    def allows(self, action: int) -> bool:
        return self.game.allows(self.states, self.player, action)

    @property
    def features(self) -> np.ndarray:
        """What `observe` writes: float32."""
        out = np.zeros((1, self.game.names["FEATURES"]), np.float32)
        self.game.kernel(kernels.features)(self.states, np.array([self.player]), out)
        return out[0]

    @property
    def text(self) -> str:
        return self.game.state_text(self.state)

    def action_text(self, action: int) -> str:
        return self.game.action_text(self.state, self.player, action)

    def parse(self, text: str) -> int:
        return self.game.parse_action(self.states, self.player, text)
