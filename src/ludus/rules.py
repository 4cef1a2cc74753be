"""The contract: what a game file writes.

A game is a module. Its docstring is the rule book. It declares `FACTS`, a `State` record and, if its rules have numbers
that may be changed, `PARAMS` and `PRESETS`. Its rules are the functions below, each marked ``@rule``; templates import
the names from here, and `bind` puts the game's own functions in their place.

Required: setup, to_act, legal, step, returns.        Optional: all others, with the defaults given here.

For learners, each optional; see `ludus.shapes`:
    FEATURES = planes(2, squares(3, 3))               the shape of what `observe` writes: planes over a board, then
                                                      numbers of no cell; or a number, where there is no board
    POLICY = planes(1, squares(3, 3), extra=1)        the shape of the policy slots that `policy_slot` gives, likewise
    BOARD = squares(3, 3)                             for a game without `observe`: fields of this shape become planes
    shapes(params, players) -> (FEATURES, POLICY)     for the board at hand, where a param sets its size: `observe` and
                                                      `policy_slot` then number its cells, and no others
    TERMS = ("pieces", "mobility", …)                 the names of what `terms` writes
    Symmetries need nothing more: a learner turns the position with `reflect` and the action with `reflect_action`, and
    asks `observe` and `policy_slot` about those.

In plain Python, each optional:
    action_text(state, player, action) -> str         parse_action(state, player, text) -> action
    state_text(state) -> str                          parse_state(text, state)        fills a zeroed record in place
    outcome_text(state) -> str                        who won and why
    objection(params, players) -> str                 why these params make no game; "" if they do
    is_public(state, player, action) -> bool          whether rivals may see this action once the step is taken; `state`
                                                      is the truth before it. Asked only where FACTS says hidden or
                                                      secret_actions; default there: no, until the match is over
    is_revealed(earlier, now, player, action) -> bool whether a secret action, taken in `earlier`, has come out by now
    action_kind(state, player, action) -> str         what sort of action, for statistics; ACTION_KINDS may list all
    draw(view, before) -> Picture                     its picture, and clicks(view, action) -> the parts to click for an
                                                      action; see `ludus.draw`
    contest_text(state, player) -> str                the position as a program is told it, with `parse_contest` for the
                                                      other way round and `parse_orders(state, player, text)` for its
                                                      answer, a turn's actions: see `cmd:` and `ludus bot`
    KNOWN = {metric: (value, sentence)}               what theory knows, to stand beside a playtest's measurement

For handicaps, each optional; see `ludus.handicaps`:
    ACTIONS_LEFT = "left"                             the field that counts the actions left in a turn
    final_count(state, player) -> float               a rule: what the player has in the final count, nan where no count
                                                      decided the match
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludus.compile import rule, template
from ludus.errors import BadParams, BadRules, UnknownName

# ------------------------------------------------------------------------------------------------ facts


@dataclass(frozen=True)
class Facts:
    """What a game is, before any rule. Where a param changes a fact, the fact states the widest case."""

    title: str
    players: tuple[int, int]
    """Fewest and most players."""
    max_actions: int
    """Room for the longest menu that `legal` lists."""
    max_plies: int
    """No match has more joint steps than this."""
    version: str = "1"
    """Changes whenever the rules do, so that results stay comparable."""
    hidden: bool = False
    """Some player may not know something: the game writes `hide`, `determinize` and `twin`."""
    chance: bool = False
    """`setup` or `step` draws random numbers."""
    simultaneous: bool = False
    """Several players may owe an action at once."""
    secret_actions: bool = False
    """A player's orders of a turn stay unseen by rivals until the turn ends."""
    zero_sum: bool = True


# ------------------------------------------------------------------------------------------------ records

Field = Any  # a scalar type, or (type, shape)

_TAKEN = frozenset(dir(np.recarray)) | frozenset(dir(np.record))


def record(**fields: Field) -> np.dtype:
    """A record type: named fields in one aligned block of memory, read as ``state.board[i]``.

    A field is a scalar type, ``(type, shape)`` or another record. Every gap that alignment leaves is itself a named
    field: NumPy copies no nameless bytes, and equality of states is equality of bytes.
    """
    columns: list[tuple] = []
    offset = widest = 0
    for name, field in fields.items():
        _check_field_name(name)
        kind, shape = field if isinstance(field, tuple) else (field, ())
        kind = kind.dtype if isinstance(kind, Params) else np.dtype(kind)
        widest = max(widest, _alignment(kind))
        offset = _fill_gap(columns, offset, _alignment(kind))
        columns.append((name, kind, shape))
        offset += np.dtype((kind, shape)).itemsize
    # Whole 64-bit words, so that a search can hash a state a word at a time.
    _fill_gap(columns, offset, max(widest, 8))
    return np.dtype((np.record, np.dtype(columns, align=True)))


def _alignment(kind: np.dtype) -> int:
    """NumPy takes a record within a record for unaligned; compiled code does not."""
    return max(_alignment(kind[name].base) for name in kind.names) if kind.names else kind.alignment


def _fill_gap(columns: list[tuple], offset: int, alignment: int) -> int:
    gap = -offset % alignment
    if gap:
        columns.append((f"gap{len(columns)}_", np.int8, (gap,)))
    return offset + gap


def _check_field_name(name: str) -> None:
    if name in _TAKEN:
        hint = f"add a word, as in 'this_{name}'"
        raise BadRules(f"a field cannot be called {name!r}: NumPy records have an attribute of that name; {hint}")
    if name.startswith("_") or name.endswith("_"):
        raise BadRules(f"a field cannot be called {name!r}: names with an outer underscore belong to the engine")


def field_names(dtype: np.dtype) -> list[str]:
    """The names of a record without the gaps."""
    return [name for name in dtype.names or () if not name.endswith("_")]


# ------------------------------------------------------------------------------------------------ params


@dataclass(frozen=True)
class Param:
    """One number of the rules that may be changed: a whole number, a float, or one of some named choices."""

    default: int | float | str
    low: float = 0
    high: float = 0
    help: str = ""
    choices: tuple[str, ...] = ()

    @property
    def kind(self) -> type:
        return np.float64 if isinstance(self.default, float) else np.int32

    @property
    def span(self) -> str:
        return " | ".join(self.choices) if self.choices else f"{self.low:g} … {self.high:g}"


def choice(default: str, *others: str, help: str = "") -> Param:
    """A param with named values; rules see 0 for the default, 1 for the next, …"""
    return Param(default, help=help, choices=(default, *others))


def switch(default: bool, help: str = "") -> Param:
    """A param that is off or on; rules see 0 or 1."""
    return Param("on" if default else "off", help=help, choices=("off", "on"))


class Params:
    """The declared params of a game, and the record type that holds their values."""

    def __init__(self, **declared: Param):
        self.declared = declared
        # A record must hold something, also for a game without params.
        self.dtype = record(**{name: param.kind for name, param in declared.items()} or {"none": np.int32})

    def values(self, changes: Mapping[str, object]) -> dict[str, object]:
        """Defaults with `changes` applied; texts are read, ranges checked."""
        for name in changes:
            if name not in self.declared:
                raise UnknownName("rule", name, self.declared)
        return {
            name: _read(name, param, changes[name]) if name in changes else param.default
            for name, param in self.declared.items()
        }

    def fill(self, target: Any, values: Mapping[str, object]) -> None:
        """Write values into the `params` of a state."""
        for name, value in values.items():
            choices = self.declared[name].choices
            target[name] = choices.index(str(value)) if choices else value

    def read(self, params: Any) -> dict[str, object]:
        """The values that a state's `params` hold."""
        return {
            name: param.choices[int(params[name])] if param.choices else params[name].item()
            for name, param in self.declared.items()
        }


def _read(name: str, param: Param, value: object) -> object:
    if param.choices:
        text = {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)
        if text not in param.choices:
            raise BadParams(f"rule {name} is one of {', '.join(param.choices)}, not {text!r}")
        return text
    kind = float if isinstance(param.default, float) else int
    try:
        number = kind(str(value))
    except ValueError:
        raise BadParams(f"rule {name} is a {'number' if kind is float else 'whole number'}, not {value!r}") from None
    if not param.low <= number <= param.high:
        raise BadParams(f"rule {name} must lie in {param.span}, not {number}")
    return number


# ------------------------------------------------------------------------------------------------ the compiled rules
# `state` is one record, `player` 0 … players-1, `actions` int32[seats], `rng` a stream of one uint64 word.
# Values for templates, replaced by `bind` with those of the game:

SEATS = 0
"""Most players."""
MAX_ACTIONS = 0
MAX_PLIES = 0
HIDDEN = CHANCE = SIMULTANEOUS = HAS_HEURISTIC = HAS_POLICY = FORCES = False
FEATURES = POLICY = TERMS = 0
"""Length of what `observe` writes, the number of policy slots, and how many `terms` there are."""


def setup(state, rng) -> Any:
    """Deal and place. The record comes zeroed, with `params` and `players` filled in."""


def to_act(state) -> Any:
    """A mask: bit p is set if player p owes an action now; 0 when it is over. On a view only the own bit binds."""


def legal(state, player, out) -> Any:
    """Write the player's actions to `out` and return their number, at least 1. Called only for a set bit."""


def step(state, actions, rng) -> Any:
    """One joint action; -1 where the bit is clear. Legality is the caller's business."""


def returns(state, out) -> Any:
    """Payoffs, each from the player's own side, in [-1/(n-1), 1] for n players: 1 for a sole winner and -1/(n-1) for
    the others. For two players that is [-1, 1]."""


@template
def share(payoff, players):
    """A payoff as a share of the point: 1 for a single winner, 1/k for a k-way tie, 0 for who lost."""
    return ((players - 1) * payoff + 1) / players


@rule
def hide(state, player):
    """Mask, in place, what this player may not know. Twice is once. Default: nothing is hidden."""


@rule
def determinize(state, player, rng):
    """Fill a masked record with a guess that `player` cannot tell from the truth: its `hide` is the record it got."""


def observe(state, player, out) -> Any:
    """float32 features for learners, in [-1, 1], from a masked record and from the player's side. `out` may hold more
    than the shape at hand needs, and is not zeroed: write all of that shape, and no more. Default: the record's fields,
    see `ludus.features`."""


def terms(state, player, out) -> Any:
    """float32 numbers about how `player` stands, about 1 at most, whose weighted sum is to tell who is ahead, as many
    as TERMS names. `ludus train td` learns the weights. Default: what `observe` gives."""


@template
def is_legal(state, player, action):
    """Whether an action is allowed. Default: it is on the menu; a game whose menu is a selection writes its own."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    for k in range(legal(state, player, menu)):  # noqa: SIM110 (compiled)
        if menu[k] == action:
            return True
    return False


SMALL = 1024


@template
def policy_slot(state, player, action):
    """Where an action stands among a network's answers, 0 … POLICY-1: two actions on one menu never share a slot, and
    one that means the same in two positions should have the same slot in both. Default, where the game declares POLICY:
    the action's own number. Else numbers below SMALL are their own slots, and greater ones go by their place in the
    menu, behind them: that works for every game and says little about such actions."""
    if HAS_POLICY or action < SMALL:
        return action
    menu = np.empty(MAX_ACTIONS, np.int32)
    for k in range(legal(state, player, menu)):
        if menu[k] == action:
            return SMALL + k
    return SMALL


@rule
def heuristic(state, player):
    """An estimate of the player's return, in [-1, 1]. Default: none."""
    return 0.0


@rule
def forcing(state, player, action):
    """How forcing an action is: 0 for a quiet one, most for what should be looked at first. A search goes on with such
    actions where its depth ends, so that no position is judged in the middle of an exchange. Default: none is."""
    return 0


@rule
def valid(state):
    """Whether a state can be at all; `ludus check` asks it of true and of determinized states."""
    return True


@rule
def twin(state, player, rng):
    """Swap two things that `player` cannot know; False if there is nothing to swap now. A must where FACTS says hidden:
    only the author knows what is secret, and `ludus check` uses it to see that no view gives it away."""
    return False


@template
def deterministic(state):
    """Whether no dice can fall from here on. Default: what FACTS says of chance; a game that only rolls dice under some
    params writes its own, so that searches for games without chance may play it under the others."""
    return not CHANCE


SYMMETRIES = 1
"""How many ways the board can be turned or mirrored, the identity (0) counted; with more than 1, write the next two."""


@rule
def reflect(state, symmetry):
    """Turn the position, in place."""


@rule
def reflect_action(state, symmetry, action):
    """The same action on the turned board; `state` is the position before it was turned."""
    return action


REQUIRED = ("setup", "to_act", "legal", "step", "returns")
OPTIONAL = (
    hide, determinize, is_legal, policy_slot, heuristic, forcing, valid, twin, deterministic, reflect, reflect_action,
)  # fmt: skip
DEFAULTS = {function.__name__: function for function in OPTIONAL}
