"""Games of OpenSpiel, played here: ``openspiel:hex``, ``openspiel:hex(board_size=5)``.

A state of ours is what was played: the flat history of moves and of what chance did. Compiled code asks OpenSpiel about
it through one call into Python a rule; positions are kept by their history, so that a step is one step there. That is
tens of thousands of steps a second, not millions: what one pays for a game that is written elsewhere.

Of a hidden game a view is the history of a world that its player cannot tell from the true one, always the same for the
same knowledge; OpenSpiel must be able to make such worlds, and a game of theirs that cannot is refused.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from llvmlite import binding
from numba import types

from ludus.compile import rule
from ludus.errors import BadInput, BadRules, MissingPackage, UnknownName
from ludus.rng import config, uniform
from ludus.rules import Facts, record

PREFIX = "openspiel:"
KEPT = 20_000
"""Positions that are remembered; then all are forgotten."""
MOST_HISTORY = 100_000


def is_foreign(name: str) -> bool:
    return name.strip().startswith(PREFIX)


# ------------------------------------------------------------------------------------------------ their side


class Borrowed:
    """One game of theirs, and its positions by history."""

    def __init__(self, game: Any):
        self.game, self.kind = game, game.get_type()
        self.players = game.num_players()
        self.hides = self.kind.information == self.kind.Information.IMPERFECT_INFORMATION
        self.lock = threading.RLock()
        self._known: dict[bytes, Any] = {}
        total = game.utility_sum() or 0.0
        self.shift = total / self.players
        low, high = game.min_utility() - self.shift, game.max_utility() - self.shift
        room = 1 / max(self.players - 1, 1)
        self.scale = min(1 / high if high > 0 else 1.0, room / -low if low < 0 else 1.0)

    def position(self, history: bytes) -> Any:
        """The state of theirs behind a history; never changed by whoever asks."""
        with self.lock:
            if history not in self._known:
                self.keep(history, self._replayed(np.frombuffer(history, np.int32).tolist()))
            return self._known[history]

    def keep(self, history: bytes, state: Any) -> None:
        if len(self._known) >= KEPT:
            self._known.clear()
        self._known[history] = state

    def _replayed(self, moves: list[int]) -> Any:
        state, at = self.game.new_initial_state(), 0
        while at < len(moves):
            if state.is_simultaneous_node():
                state.apply_actions(moves[at : at + self.players])
                at += self.players
            else:
                state.apply_action(moves[at])
                at += 1
        return state

    def acting(self, state: Any) -> int:
        """A mask, as `to_act` gives it."""
        if state.is_terminal():
            return 0
        if not state.is_simultaneous_node():
            return 1 << state.current_player()
        return sum(1 << player for player in range(self.players) if state.legal_actions(player))

    def stepped(self, state: Any, actions: list[int], draw: Callable[[], float]) -> Any:
        state = state.clone()
        if state.is_simultaneous_node():
            state.apply_actions([max(action, 0) for action in actions])
        else:
            state.apply_action(actions[state.current_player()])
        return self.dealt(state, draw)

    def dealt(self, state: Any, draw: Callable[[], float]) -> Any:
        """The state after all that chance owes now."""
        while state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes())
            at = int(np.searchsorted(np.cumsum(chances), draw(), side="right"))
            state.apply_action(actions[min(at, len(actions) - 1)])
        return state

    def world(self, state: Any, player: int, draw: Callable[[], float]) -> Any:
        """Another state that looks the same to a player."""
        return state.resample_from_infostate(player, draw)


_borrowed: dict[int, Borrowed] = {}
"""By a number made of the game's full name: the same in every process."""


def _find(which: int) -> Borrowed:
    return _borrowed[which]


def _history(moves: int) -> bytes:
    count = ctypes.c_int32.from_address(moves).value
    return ctypes.string_at(moves + 4, 4 * count)


def _write(which: int, moves: int, state: Any) -> None:
    history = state.history()
    (ctypes.c_int32 * (1 + len(history))).from_address(moves)[:] = [len(history), *history]
    found = _find(which)
    with found.lock:
        found.keep(_history(moves), state)


def _stream(words: int) -> Callable[[], float]:
    stream = np.frombuffer(memoryview((ctypes.c_uint64 * 1).from_address(words)), np.uint64)
    return lambda: float(uniform(stream))


def _setup(which: int, moves: int, player: int, words: int) -> int:
    found = _find(which)
    _write(which, moves, found.dealt(found.game.new_initial_state(), _stream(words)))
    return 0


def _to_act(which: int, moves: int, player: int, out: int) -> int:
    found = _find(which)
    return found.acting(found.position(_history(moves)))


def _legal(which: int, moves: int, player: int, out: int) -> int:
    menu = _find(which).position(_history(moves)).legal_actions(player)
    (ctypes.c_int32 * len(menu)).from_address(out)[:] = menu
    return len(menu)


def _step(which: int, moves: int, actions: int, words: int) -> int:
    found = _find(which)
    joint = list((ctypes.c_int32 * found.players).from_address(actions))
    _write(which, moves, found.stepped(found.position(_history(moves)), joint, _stream(words)))
    return 0


def _returns(which: int, moves: int, player: int, out: int) -> int:
    found = _find(which)
    payoffs = found.position(_history(moves)).returns()
    shared = [(payoff - found.shift) * found.scale for payoff in payoffs]
    (ctypes.c_double * found.players).from_address(out)[:] = shared
    return 0


def _observe(which: int, moves: int, player: int, out: int) -> int:
    state = _find(which).position(_history(moves))
    seen = state.observation_tensor(player)
    (ctypes.c_float * len(seen)).from_address(out)[:] = np.clip(seen, -1.0, 1.0).tolist()
    return 0


def _hide(which: int, moves: int, player: int, out: int) -> int:
    found = _find(which)
    state = found.position(_history(moves))
    if not state.is_terminal():
        known = np.random.default_rng(int.from_bytes(_digest(state.information_state_string(player))))
        _write(which, moves, found.world(state, player, known.random))
    return 0


def _guess(which: int, moves: int, player: int, words: int) -> int:
    found = _find(which)
    state = found.position(_history(moves))
    if state.is_terminal():
        return 0
    before = _history(moves)
    _write(which, moves, found.world(state, player, _stream(words)))
    return int(_history(moves) != before)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:7]


# ------------------------------------------------------------------------------------------------ our side

_KIND = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)
_DOORS = (_setup, _to_act, _legal, _step, _returns, _observe, _hide, _guess)


def _door(function: Callable) -> tuple[Any, Any]:
    """A function of Python that compiled code calls by a name, so that what is compiled can be kept on disk."""
    if config.DISABLE_JIT:
        return function, None
    call, name = _KIND(function), f"ludus_openspiel{function.__name__}"
    binding.add_symbol(name, ctypes.cast(call, ctypes.c_void_p).value or 0)
    return types.ExternalFunction(name, types.int64(*[types.int64] * 4)), call


_made = {function.__name__: _door(function) for function in _DOORS}
DOORS = {f"ask{name}": door for name, (door, _) in _made.items()}

RULES = """
def setup(state, rng):
    ask_setup(WHICH, state.moves.ctypes.data, 0, rng.ctypes.data)

def to_act(state):
    return ask_to_act(WHICH, state.moves.ctypes.data, 0, 0)

def legal(state, player, out):
    return ask_legal(WHICH, state.moves.ctypes.data, player, out.ctypes.data)

def step(state, actions, rng):
    ask_step(WHICH, state.moves.ctypes.data, actions.ctypes.data, rng.ctypes.data)

def returns(state, out):
    ask_returns(WHICH, state.moves.ctypes.data, 0, out.ctypes.data)
"""
OBSERVED = """
def observe(state, player, out):
    ask_observe(WHICH, state.moves.ctypes.data, player, out.ctypes.data)
"""
HIDDEN = """
def hide(state, player):
    ask_hide(WHICH, state.moves.ctypes.data, player, 0)

def determinize(state, player, rng):
    ask_guess(WHICH, state.moves.ctypes.data, player, rng.ctypes.data)

def twin(state, player, rng):
    return ask_guess(WHICH, state.moves.ctypes.data, player, rng.ctypes.data) != 0
"""


def load_theirs(name: str) -> ModuleType:
    """The module of a game of theirs, as the contract wants it."""
    try:
        import pyspiel
    except ImportError:
        raise MissingPackage(f"the game {name}", "open_spiel", "openspiel") from None
    text = name.strip().removeprefix(PREFIX)
    if text.partition("(")[0] not in pyspiel.registered_names():
        raise UnknownName("game of OpenSpiel", text.partition("(")[0], pyspiel.registered_names())
    try:
        game = pyspiel.load_game(text)
    except Exception as error:
        raise BadInput(f"OpenSpiel cannot load {text!r}: {str(error).splitlines()[0]}") from None
    found = Borrowed(game)
    _refuse_unfit(text, found, pyspiel)
    logging.getLogger(__name__).info("%s is played through OpenSpiel, some hundred times slower than our games", text)
    which = int.from_bytes(_digest(str(game)))
    _borrowed[which] = found
    return _module(text, found, which, pyspiel)


def _refuse_unfit(text: str, found: Borrowed, pyspiel: Any) -> None:
    """Why a game of theirs cannot be one of ours."""
    kind, game = found.kind, found.game
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise BadRules(f"{text} is a mean-field game: it has a population, not players who act")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise BadRules(f"the chance of {text} has a stream of its own, so that a match could not be repeated")
    if found.players > 30:
        raise BadRules(f"{text} has {found.players} players; a match of ours seats 30 at most")
    if _room(found) > MOST_HISTORY:
        raise BadRules(f"a match of {text} may take {_room(found):,} moves; {MOST_HISTORY:,} are the most")
    if found.hides:
        state = found.dealt(game.new_initial_state(), lambda: 0.5)
        try:
            found.world(state, 0, lambda: 0.5)
            state.information_state_string(0)
        except Exception:
            what = "OpenSpiel has no resample_from_infostate for it, which the views of ours need"
            raise BadRules(f"{text} hides something, and {what}") from None


def _room(found: Borrowed) -> int:
    """The longest history."""
    game = found.game
    together = found.players if found.kind.dynamics == found.kind.Dynamics.SIMULTANEOUS else 1
    return game.max_game_length() * together + game.max_chance_nodes_in_history()


def _module(text: str, found: Borrowed, which: int, pyspiel: Any) -> ModuleType:
    game, kind, kinds = found.game, found.kind, pyspiel.GameType
    module = ModuleType(__name__, f"{kind.long_name}, a game of OpenSpiel ({text}).")
    facts = Facts(
        kind.long_name,
        players=(found.players, found.players),
        max_actions=game.num_distinct_actions(),
        max_plies=game.max_game_length(),
        hidden=found.hides,
        chance=kind.chance_mode != kinds.ChanceMode.DETERMINISTIC,
        simultaneous=kind.dynamics == kinds.Dynamics.SIMULTANEOUS,
        zero_sum=kind.utility in (kinds.Utility.ZERO_SUM, kinds.Utility.CONSTANT_SUM),
    )
    declared: dict[str, Any] = {
        "__file__": __file__,
        "FACTS": facts,
        "State": record(players=np.int32, moves=(np.int32, 1 + _room(found))),
        "POLICY": facts.max_actions,
        "state_text": lambda state: str(_state(which, state)),
        "action_text": lambda state, player, action: _state(which, state).action_to_string(player, action),
    }
    written = RULES + (HIDDEN if found.hides else "")
    if kind.provides_observation_tensor:
        declared["FEATURES"], written = game.observation_tensor_size(), written + OBSERVED
    vars(module).update(declared, **_rules(written, which))
    return module


def _rules(text: str, which: int) -> dict[str, Callable]:
    scope: dict[str, Any] = {"__name__": __name__, "WHICH": which, **DOORS}
    known = set(scope)
    exec(text, scope)  # the functions of two games differ in a number that is compiled in
    return {name: rule(scope[name]) for name in set(scope) - known - {"__builtins__"}}


def _state(which: int, state: Any) -> Any:
    return _find(which).position(state.moves[1 : 1 + state.moves[0]].astype(np.int32).tobytes())


def their_state(module: ModuleType, state: Any) -> Any:
    """The state of theirs behind a record of ours; a copy, to be changed at will."""
    return _state(module.setup.py_func.__globals__["WHICH"], state).clone()
