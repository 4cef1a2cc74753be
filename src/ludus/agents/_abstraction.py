"""How a table sees a game: what a tabular learner and the agent that plays by its tables share.

A table has a row for each kind of situation and a column for each kind of action. An *abstraction* says which: it is a
handful of compiled functions over a player's view, all but `row_of` with a default. A game's own abstractions lie in
`<game>/_abstractions.py`; a user's is a function or an `Abstraction` in a file, named as ``file.py:name``; for any
other game the view is hashed into a table of fixed size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from ludus.agents._own import own_part
from ludus.agents._rivals import find_in_code
from ludus.compile import bind, rule, template
from ludus.errors import Mismatch, UnknownName
from ludus.game import Game
from ludus.rng import blend
from ludus.rules import FEATURES, MAX_ACTIONS, SEATS, legal, observe, record, returns, to_act

MOST_CELLS = 1 << 25
"""A larger table would not fit beside its counts into half a gigabyte."""

# ------------------------------------------------------------------------------------------------ the functions
# `view` is what the player may know, `before` and `after` are views at two successive choices of the same table. Only
# after the last one `after` is the position in which the match ended.

TABLES = 1
"""How many tables there are."""


def row_of(view, player) -> Any:
    """The row of this situation; rows are counted through all tables."""


@rule
def table_of(view, player):
    """The table that decides here; -1: none does, it is left to a habit. Default: there is one table for everything."""
    return 0


@rule
def column_of(view, player, action, place):
    """The column of an action, which is entry `place` of the menu. Default: that place."""
    return place


@template
def reward(table, before, action, after, player):
    """What an action has brought until the player's next choice by this table. Default: the match's return."""
    if to_act(after) != 0:
        return 0.0
    values = np.zeros(SEATS)
    returns(after, values)
    return values[player]


@rule
def continues(table, before, action, after, player):
    """Whether what may be had from `after` on counts too. At the end of a match nothing follows."""
    return True


@rule
def episode_of(view):
    """The number of a part of the match; the learner learns from a part when it is over. Default: the match is one."""
    return 0


@template
def first_choice(view, player, rng):
    """The habit where there is no better: the first entry of the menu."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    legal(view, player, menu)
    return menu[0]


# ------------------------------------------------------------------------------------------------ tables


@dataclass(frozen=True)
class Table:
    """One table, and how it learns unless the training says otherwise."""

    name: str
    rows: int
    alpha: float = 0.2
    """Step size."""
    discount: float = 1.0
    """Worth of what comes one choice later."""
    temperature: float = 0.1
    """Of Boltzmann's distribution over the actions; 0 always takes the best."""
    initial: float = 0.0
    penalty: float = 1.0
    """Negative rewards are multiplied by this."""
    floor: float = -np.inf
    """The worth of the next situation is at least this."""
    whole_row: bool = False
    """The best of the next situation is sought in its whole row, also among actions that are not on the menu."""
    episode_discounts: tuple[float, float] = (1.0, 1.0)
    """Discounts where an episode is rewarded as a whole: between its choices, and beyond its end."""


TABLE = record(
    alpha=np.float64,
    discount=np.float64,  # within an episode
    last_discount=np.float64,  # beyond its end
    temperature=np.float64,
    penalty=np.float64,
    floor=np.float64,
    whole_row=np.int64,
    whole_episode=np.int64,  # the last choice gets the reward of all
)


@dataclass(frozen=True, eq=False)
class Abstraction:
    """How to see one game. `functions` are those of the functions above that differ from their defaults."""

    tables: tuple[Table, ...]
    columns: int
    functions: Mapping[str, Any]
    habits: Mapping[str, Callable] = field(default_factory=lambda: {"first": first_choice})
    """Who chooses where no table does, by name; the first is the default."""
    _kernels: dict[Any, Callable] = field(default_factory=dict, repr=False)

    def kernel(self, function: Callable, game: Game, **names: Any) -> Callable:
        """A template, compiled against the game as this abstraction sees it."""
        key = (function, game.name, *names.values())
        if key not in self._kernels:
            scope = game.names | DEFAULTS | dict(self.functions) | {"TABLES": len(self.tables)} | names
            self._kernels[key] = bind(function, scope, game.name)
        return self._kernels[key]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    def blank_cells(self) -> np.ndarray:
        """All tables, one below the other, at their first worth."""
        cells = np.empty((self.rows, self.columns), np.float32)
        cells[:] = np.repeat([table.initial for table in self.tables], [table.rows for table in self.tables])[:, None]
        return cells

    def habit(self, name: str) -> Callable:
        if name == "auto":
            return next(iter(self.habits.values()))
        if name not in self.habits:
            raise UnknownName("habit", name, self.habits)
        return self.habits[name]

    def check_fits(self, game: Game) -> None:
        """Refuse a game whose actions the table cannot hold."""
        actions, cells = game.facts.max_actions, self.rows * self.columns
        if "column_of" not in self.functions and self.columns < actions:
            raise Mismatch(
                f"a table cannot represent {game.name}: it lists up to {actions} actions at once, and the table has "
                f"{self.columns} columns; give an abstraction that says which column an action belongs to"
            )
        if cells > MOST_CELLS:
            raise Mismatch(
                f"a table cannot represent {game.name}: {self.rows:,} rows with a column for each of up to "
                f"{self.columns:,} actions are {cells:,} cells, more than {MOST_CELLS:,}; set fewer rows, or give an "
                "abstraction that puts like actions into one column"
            )


FUNCTIONS = (table_of, column_of, reward, continues, episode_of)
DEFAULTS = {function.__name__: function for function in FUNCTIONS}


def pack(tables: tuple[Table, ...]) -> np.ndarray:
    """The numbers of the tables for compiled code."""
    packed = np.zeros(len(tables), TABLE)
    for row, table in zip(packed, tables):
        for name in ("alpha", "discount", "temperature", "penalty", "floor", "whole_row"):
            row[name] = getattr(table, name)
        row["last_discount"] = table.discount
    return packed


# ------------------------------------------------------------------------------------------------ any game


@template
def hash_of_features(view, player):
    """All that `observe` shows, in 64 bits."""
    features = np.zeros(FEATURES, np.float32)
    observe(view, player, features)
    bits = features.view(np.uint32)
    word = blend(np.uint64(player + 1), np.uint64(0x9E3779B97F4A7C15))
    for k in range(FEATURES):
        word = blend(word, np.uint64(bits[k]))
    return word


@template
def row_by_hash(view, player):
    """The features of the view, hashed; situations that meet in a row are taken for one."""
    return np.int64(hash_of_features(view, player) >> np.uint64(1)) % ROWS


ROWS = 0
"""Of a hashed table."""


@cache
def hashed(rows: int, columns: int) -> Abstraction:
    return Abstraction((Table("main", rows),), columns, {"row_of": row_by_hash, "ROWS": rows})


# ------------------------------------------------------------------------------------------------ finding them


def find_abstraction(name: str, game: Game, rows: int) -> Abstraction:
    """An abstraction by name, or from a file or module; `rows` is for those that do not know their size."""
    own = own_part(game, "abstractions", {})
    if name == "auto":
        name = next(iter(own), "hash")
    if name == "hash":
        found = hashed(rows, game.facts.max_actions)
    elif name in own:
        found = own[name]
    elif ":" in name:
        found = _from_code(name, rows, game.facts.max_actions)
    else:
        raise UnknownName("abstraction", name, [*own, "hash"], f" for {game.name}; a file's is written file.py:name")
    found.check_fits(game)
    return found


@cache
def _from_code(name: str, rows: int, columns: int) -> Abstraction:
    found = find_in_code(name)
    if isinstance(found, Abstraction):
        return found
    return Abstraction((Table("main", rows),), columns, {"row_of": found})
