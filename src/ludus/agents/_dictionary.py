"""A dictionary of positions in arrays: what was learnt of each position that was met, and of the actions tried in it.

A position is known by a hash of 64 bits; its slot is found by open addressing, and leads to a chain of pairs, one for
each action in the order of their first trial. Arrays grow between matches, so compiled code never waits for memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus.agents._abstraction import hash_of_features
from ludus.agents._own import own_part
from ludus.agents._rivals import find_in_code
from ludus.compile import bind, rule, template
from ludus.game import Game
from ludus.rng import below
from ludus.rules import SEATS, returns

# ------------------------------------------------------------------------------------------------ arrays

STATES, PAIRS = 0, 1
FREE, NONE = np.uint64(0), -1
PER_SLOT, PER_PAIR = 8 + 4, 4 + 4 + 4 + 4
"""Bytes."""


class Dictionary(NamedTuple):
    keys: np.ndarray  # uint64[slot]; FREE where nothing is stored; a power of two
    heads: np.ndarray  # int32[slot]: the first pair
    actions: np.ndarray  # int32[pair]
    values: np.ndarray  # float32[pair]
    visits: np.ndarray  # int32[pair]: how often it was learnt from
    following: np.ndarray  # int32[pair]: the next pair of the same position
    used: np.ndarray  # int64[2]: positions and pairs


def empty(slots: int, pairs: int) -> Dictionary:
    return Dictionary(
        np.zeros(slots, np.uint64), np.full(slots, NONE, np.int32), np.zeros(pairs, np.int32),
        np.zeros(pairs, np.float32), np.zeros(pairs, np.int32), np.full(pairs, NONE, np.int32), np.zeros(2, np.int64),
    )  # fmt: skip


def sizes(book: Dictionary, positions: int = 0) -> tuple[int, int]:
    """The slots and pairs of a dictionary with room for so many more; at most two thirds of the slots are used."""
    slots, pairs = len(book.keys), len(book.actions)
    while 2 * slots < 3 * (book.used[STATES] + positions):
        slots *= 2
    while pairs < book.used[PAIRS] + positions:
        pairs *= 2
    return slots, pairs


def with_room(book: Dictionary, positions: int, rehash: Callable) -> Dictionary:
    """The same dictionary with room for so many more positions and pairs."""
    slots, pairs = sizes(book, positions)
    if (slots, pairs) == (len(book.keys), len(book.actions)):
        return book
    larger = empty(slots, pairs)
    kept = slice(book.used[PAIRS])
    for name in ("actions", "values", "visits", "following"):
        getattr(larger, name)[kept] = getattr(book, name)[kept]
    larger.used[:] = book.used
    rehash(book, larger)
    return larger


def megabytes(slots: int, pairs: int) -> float:
    return (slots * PER_SLOT + pairs * PER_PAIR) / 2**20


@rule
def slot_of(book, key):
    """Where a key is, or would be put."""
    mask = np.uint64(book.keys.shape[0] - 1)
    slot = key & mask
    while book.keys[slot] != FREE and book.keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@template
def rehash(book, larger):
    for slot in range(book.keys.shape[0]):
        if book.keys[slot] != FREE:
            place = slot_of(larger, book.keys[slot])
            larger.keys[place] = book.keys[slot]
            larger.heads[place] = book.heads[slot]


@rule
def pair_of(book, slot, action):
    """The pair of an action in a position; NONE if it was never tried."""
    pair = book.heads[slot]
    while pair != NONE and book.actions[pair] != action:
        pair = book.following[pair]
    return pair


@rule
def stored_pair(book, slot, key, action):
    """The pair of an action, put down with a value of 0 if it is new."""
    if book.keys[slot] == FREE:
        book.keys[slot] = key
        book.heads[slot] = NONE
        book.used[STATES] += 1
    last, pair = NONE, book.heads[slot]
    while pair != NONE and book.actions[pair] != action:
        last, pair = pair, book.following[pair]
    if pair == NONE:
        pair = np.int32(book.used[PAIRS])
        book.used[PAIRS] += 1
        book.actions[pair], book.values[pair], book.visits[pair], book.following[pair] = action, 0.0, 0, NONE
        if last == NONE:
            book.heads[slot] = pair
        else:
            book.following[last] = pair
    return pair


# ------------------------------------------------------------------------------------------------ worths


@rule
def best_worth(book, slot, count, stored_only):
    """The best of a position with `count` actions: of those stored, or of all, where one never tried is worth 0."""
    best, tried, pair = -np.inf, 0, book.heads[slot]
    while pair != NONE:
        best = max(best, book.values[pair])
        tried += 1
        pair = book.following[pair]
    if tried == 0 or (tried < count and not stored_only):
        best = max(best, 0.0)
    return best


@rule
def greedy_action(book, slot, menu, count, stored_only, rng):
    """The best action: among those stored the first of equals, among all of them any of equals."""
    best, ties, best_value = menu[0], 0, -np.inf
    if stored_only:
        pair = book.heads[slot]
        while pair != NONE:
            if book.values[pair] > best_value:
                best, best_value = book.actions[pair], book.values[pair]
            pair = book.following[pair]
        return best
    for k in range(count):
        pair = pair_of(book, slot, menu[k])
        value = np.float32(0.0) if pair == NONE else book.values[pair]
        if value > best_value:
            best, best_value, ties = menu[k], value, 1
        elif value == best_value:
            ties += 1
            if below(rng, ties) == 0:
                best = menu[k]
    return best


# ------------------------------------------------------------------------------------------------ games


def key_of(view, player) -> Any:
    """In a template: the hash of a position as a player sees it."""


def reward_of(state, player) -> Any:
    """In a template: what a player gets for a match that is over."""


@template
def key_by_features(view, player):
    """By all that `observe` shows; two views that look alike are one position."""
    return max(hash_of_features(view, player), np.uint64(1))


@template
def own_return(state, player):
    values = np.zeros(SEATS)
    returns(state, values)
    return values[player]


@dataclass(frozen=True, eq=False)
class Positions:
    """How a game's positions are told apart, and what a published learner got for its matches."""

    key: Callable = key_by_features
    """(view, player) -> uint64, never 0."""
    reward: Callable = own_return
    """(state, player) -> what a match that is over was worth, in the published reading."""

    def kernel(self, function: Callable, game: Game, is_published: bool, **names: Any) -> Callable:
        reward = self.reward if is_published else own_return
        return bind(function, game.names | {"key_of": self.key, "reward_of": reward} | names, game.name)


def positions_of(game: Game, key: str) -> Positions:
    """`key` is auto, features, or ``file.py:function``."""
    if ":" in key:
        return Positions(find_in_code(key))
    return own_part(game, "positions", Positions()) if key == "auto" else Positions()
