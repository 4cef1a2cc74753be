"""Games, views and agents.

`load` finds a game and gives back a `Game`: the module's rules with every default filled in, ready to be compiled.
`View` is all that a player ever gets: a masked copy. `Agent` chooses an action from a view.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import importlib.metadata
import importlib.util
import pkgutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from ludus import kernels, rules
from ludus.compile import bind, rule
from ludus.errors import BadInput, BadNotation, BadParams, BadRules, BadSpec, Mismatch, UnknownName
from ludus.files import check_fields, load_module
from ludus.rules import Facts, Params

State = Any  # one np.record of the game's State type; its fields are the game's own


class Game:
    """The rules of one game, from its module."""

    def __init__(self, module: ModuleType, source: str):
        self.source = source
        """What `load` was given: a name, or the path of a file."""
        self.name = Path(source).stem if _is_path(source) else source
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
        names |= {name: getattr(self.module, name, _own_copy(default)) for name, default in rules.DEFAULTS.items()}
        names["observe"], length = rules.default_observe(self.state_type, self.module.__name__)
        if self.writes("observe"):
            names["observe"], length = self.module.observe, _declared(self.module, "FEATURES", int)
        facts = self.facts
        return names | {
            "SEATS": facts.players[1],
            "MAX_ACTIONS": facts.max_actions,
            "MAX_PLIES": facts.max_plies,
            "HIDDEN": facts.hidden,
            "CHANCE": facts.chance,
            "SIMULTANEOUS": facts.simultaneous,
            "SECRET_ACTIONS": facts.secret_actions,
            "HAS_HEURISTIC": self.writes("heuristic"),
            "FEATURES": length,
            "SYMMETRIES": getattr(self.module, "SYMMETRIES", 1),
        }

    def writes(self, name: str) -> bool:
        """Whether the game itself writes this optional function."""
        return hasattr(self.module, name)

    def kernel(self, template: Callable) -> Callable:
        """The template, compiled against this game; once a process."""
        if template not in self._kernels:
            self._kernels[template] = bind(template, self.names, self.name)
        return self._kernels[template]

    @property
    def fingerprint(self) -> str:
        """Changes whenever a rule, a helper of one or a table does."""
        judged = (kernels.set_up, kernels.masks, kernels.menus, kernels.advance, kernels.payoffs)
        names = [getattr(bound, "py_func", bound).__qualname__ for bound in map(self.kernel, judged)]
        return hashlib.sha256("".join(names).encode()).hexdigest()[:16]

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
            reason = self.module.objection(self.blank(players, values)[0].params, players)
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

    def _examples(self, states: np.ndarray, player: int) -> str:
        menu = [self.action_text(states[0], player, int(action)) for action in self.menu(states, player)]
        return f"you may play {', '.join(menu[:12])}{' …' if len(menu) > 12 else ''}"

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


def _own_copy(default: Any) -> Any:
    """Compiled functions remember the records they were called with; games must not meet in one."""
    return rule(default.py_func) if hasattr(default, "py_func") else default


def _plain(value: Any) -> object:
    if value.dtype.names:
        return {name: _plain(value[name]) for name in rules.field_names(value.dtype)}
    return value.tolist()


def _fill_from_json(game: Game, states: np.ndarray, text: str) -> None:
    import json

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

    def _repr_svg_(self) -> str:
        """Notebooks show the picture."""
        from ludus.draw import picture

        return picture(self)


# ------------------------------------------------------------------------------------------------ agents


@dataclasses.dataclass(frozen=True)
class Thoughts:
    """Why an agent chose what it did. `value` is its expected return; the lists go together, best first."""

    value: float
    actions: list[int]
    values: list[float]
    visits: list[int]
    line: list[int] = dataclasses.field(default_factory=list)
    """The expected continuation, where the agent looks for one."""
    note: str = ""


def setting(default: Any, help: str, low: float | None = None) -> Any:
    """One setting of an agent, with the line of help that `ludus agents` prints."""
    return dataclasses.field(default=default, metadata={"help": help, "low": low})


@dataclasses.dataclass
class Agent:
    """Chooses an action from a view. Subclasses are dataclasses whose fields are their settings.

    Write `act`; an agent that answers many views at once in compiled code writes `act_many` and sets `compiled`.
    """

    name: ClassVar[str] = ""
    compiled: ClassVar[bool] = False
    """Answers batches in compiled code, and can be trusted to neither hang nor crash."""
    accepts: ClassVar[str] = "every game"
    only_for: ClassVar[str] = ""
    """The one game that a scripted agent plays."""

    def __post_init__(self) -> None:
        self.game: Game
        self.thoughts: Thoughts | None = None

    def refuses(self, facts: Facts) -> str:
        """Why this agent cannot play such a game; "" if it can."""
        return ""

    def prepare(self, game: Game) -> None:
        """Called once, before the first action, with the game that will be played."""
        self.game = game

    def act(self, view: View, rng: np.ndarray) -> int:
        """An action for `view.player`; `rng` is the stream of this seat."""
        actions = self.act_many(view.states, np.array([view.player]), rng.reshape(1, 1))
        return int(actions[0])

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        """An action for each masked state; row i of `words` is the stream of that seat."""
        raise NotImplementedError(f"{type(self).__name__} writes neither act nor act_many")

    @property
    def repeatable(self) -> bool:
        """Whether the same view and stream always give the same action (false for limits in time)."""
        return True

    def close(self) -> None:
        """Called when no more matches come."""

    @property
    def spec(self) -> str:
        """The text that makes this agent again."""
        changed = [
            f"{field.name}={getattr(self, field.name)}"
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        ]
        return self.name + (":" + ",".join(changed) if changed else "")


def read_settings(kind: type, text: str, owner: str = "") -> dict[str, Any]:
    """The settings in ``key=value,key=value``, typed by a dataclass's fields; a bare first value is the first's."""
    owner = owner or f"agent {kind.name}"
    fields = {field.name: field for field in dataclasses.fields(kind)}
    given: dict[str, Any] = {}
    for position, item in enumerate(filter(None, text.split(","))):
        key, equals, value = item.partition("=")
        if not equals and position == 0 and fields:
            key, value = next(iter(fields)), item
        key = key.strip()
        if key not in fields:
            raise UnknownName("setting", key, fields, f" of {owner}")
        given[key] = _read_setting(owner, fields[key], value.strip())
    return given


def _read_setting(owner: str, field: dataclasses.Field, text: str) -> Any:
    target = type(field.default)
    try:
        value = text.lower() in ("1", "true", "yes", "on") if target is bool else target(text)
    except ValueError:
        what = {"int": "a whole number", "float": "a number"}.get(target.__name__, target.__name__)
        raise BadSpec(f"{owner}: {field.name} is {what}, not {text!r}") from None
    low = field.metadata.get("low")
    if low is not None and not value >= low:  # which nan is not
        raise BadSpec(f"{owner}: {field.name} must be at least {low:g}, not {text}")
    return value


# ------------------------------------------------------------------------------------------------ finding things

_loaded: dict[str, Game] = {}


def game_names() -> list[str]:
    """Built-in games and those that installed packages offer."""
    import ludus.games

    built_in = [module.name for module in pkgutil.iter_modules(ludus.games.__path__) if module.name[0] != "_"]
    return sorted({*built_in, *(entry.name for entry in importlib.metadata.entry_points(group="ludus.games"))})


def load(name: str | Game) -> Game:
    """A game by name, by the path of its file, or by a package's entry point."""
    if isinstance(name, Game):
        return name
    key = str(Path(name).resolve()) if _is_path(name) else name
    if key not in _loaded:
        _loaded[key] = _load_file(name) if _is_path(name) else _load_named(name)
    return _loaded[key]


def _is_path(name: str) -> bool:
    return name.endswith(".py") or "/" in name or "\\" in name


def _load_named(name: str) -> Game:
    if name.isidentifier() and importlib.util.find_spec(f"ludus.games.{name}"):
        return Game(importlib.import_module(f"ludus.games.{name}"), name)
    for entry in importlib.metadata.entry_points(group="ludus.games"):
        if entry.name == name:
            return Game(entry.load(), name)
    raise UnknownName("game", name, game_names())


def _load_file(name: str) -> Game:
    path = Path(name)
    game = Game(load_module(path), name)
    check_fields(path, {"state": game.state_type, "params": game.params.dtype})
    return game


def _declared(module: ModuleType, name: str, kind: type) -> Any:
    if not hasattr(module, name):
        raise BadRules(f"{module.__file__}: the game declares no {name}")
    value = getattr(module, name)
    if not isinstance(value, kind):
        wanted = {"Facts": "Facts(…)", "dtype": "record(…)"}.get(kind.__name__, f"an {kind.__name__}")
        raise BadRules(f"{module.__file__}: {name} must be {wanted}, not a {type(value).__name__}")
    return value


def agent_kinds(prefix: str = "") -> dict[str, type[Agent]]:
    """Built-in agents, those scripted for one game, and those that installed packages offer; a prefix leaves out files
    whose name does not begin with it."""
    import ludus.agents

    found: dict[str, type[Agent]] = {}
    for module in pkgutil.walk_packages(ludus.agents.__path__, "ludus.agents."):
        file = module.name.rpartition(".")[2]
        if not module.ispkg and file[0] != "_" and file.startswith(prefix):
            found |= {kind.name: kind for kind in _agents_in(importlib.import_module(module.name))}
    for entry in importlib.metadata.entry_points(group="ludus.agents"):
        found[entry.name] = entry.load()
    return found


def _agents_in(module: ModuleType) -> list[type[Agent]]:
    found = []
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Agent) and value.__module__ == module.__name__:
            value.name = value.name or module.__name__.rpartition(".")[2]
            found.append(value)
    if not found:
        raise BadRules(f"{module.__file__} has no class that derives from ludus.Agent")
    return found


def agent_kind(name: str) -> type[Agent]:
    """The class behind an agent's name or file."""
    if _is_path(name):
        kind = _agents_in(load_module(Path(name)))[0]
        kind.name = name
        return kind
    likely = agent_kinds(prefix=name)  # importing all of them would take longer than many a match
    if name in likely:
        return likely[name]
    kinds = agent_kinds()
    if name not in kinds:
        raise UnknownName("agent", name, kinds)
    return kinds[name]


def agent(spec: str | Agent, game: str | Game) -> Agent:
    """An agent from a spec like ``mcts:sims=400,c=1.4`` or ``my_bot.py:depth=3``, ready to play the game."""
    game = load(game)
    if isinstance(spec, str):
        name, _, text = spec.partition(":")
        kind = agent_kind(name.strip())
        made = kind(**read_settings(kind, text))
    else:
        made = spec
    reason = made.refuses(game.facts)
    if made.only_for and made.only_for != game.name:
        reason = f"it is scripted for {made.only_for}"
    if reason:
        raise Mismatch(f"{made.name} cannot play {game.name}: {reason}")
    made.prepare(game)
    return made
