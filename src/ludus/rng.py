"""Random numbers for compiled code, over one word that the caller owns.

A stream is an array ``uint64[1]``. Each draw advances the word (splitmix64), so a stream can be copied, stored and
resumed, and a match is reproduced by its words alone. Rules never own a stream: whoever calls them hands one in.
Where a stream begins is decided by a hash (SHAKE), which cannot be undone as the draws can.

Words of a match: column 0 is chance, column 1 + p the agent in seat p.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import shake_128
from typing import Any

import numpy as np
from numba import njit
from numba.core import config as numba_config

config: Any = numba_config  # its attributes are made at run time

_GAMMA = 0x9E3779B97F4A7C15
_MIX_A = 0xBF58476D1CE4E5B9
_MIX_B = 0x94D049BB133111EB
_MASK = 0xFFFFFFFFFFFFFFFF


def _mixed(word: int) -> int:
    word = ((word ^ (word >> 30)) * _MIX_A) & _MASK
    word = ((word ^ (word >> 27)) * _MIX_B) & _MASK
    return word ^ (word >> 31)


_GAMMA_64, _MIX_A_64, _MIX_B_64 = np.uint64(_GAMMA), np.uint64(_MIX_A), np.uint64(_MIX_B)
_U27, _U30, _U31, _U32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


def _draw(rng):
    word = rng[0] + _GAMMA_64
    rng[0] = word
    word = (word ^ (word >> _U30)) * _MIX_A_64
    word = (word ^ (word >> _U27)) * _MIX_B_64
    return word ^ (word >> _U31)


def _blend(word, value):
    word = (word ^ value) * _MIX_A_64
    return word ^ (word >> _U32)


# NumPy scalars warn when they overflow, and the plain run treats warnings as errors: same numbers, Python integers.
def _draw_plainly(rng):
    word = (int(rng[0]) + _GAMMA) & _MASK
    rng[0] = word
    return np.uint64(_mixed(word))


def _blend_plainly(word, value):
    word = ((int(word) ^ int(value)) * _MIX_A) & _MASK
    return np.uint64(word ^ (word >> 32))


draw = _draw_plainly if config.DISABLE_JIT else njit(inline="always")(_draw)
"""``draw(rng)``: the next 64 random bits."""
blend = _blend_plainly if config.DISABLE_JIT else njit(inline="always")(_blend)
"""``blend(word, value)``: a 64-bit value mixed into a hash."""


@njit
def below(rng, n):
    """A uniform integer in 0 … n-1 (by multiplication: no division; bias under n / 2^32)."""
    return ((np.int64(draw(rng) >> np.uint64(32))) * np.int64(n)) >> 32


@njit
def uniform(rng):
    """A uniform float in [0, 1)."""
    return np.int64(draw(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit
def shuffle(rng, items, n):
    """Put the first n of `items` in random order."""
    for i in range(n - 1, 0, -1):
        j = below(rng, i + 1)
        held = items[i]
        items[i] = items[j]
        items[j] = held


def word(*keys: int) -> int:
    """A starting word for a stream, named by integers (seed, block, …)."""
    return int.from_bytes(shake_128(b"stream" + _packed(keys)).digest(8), "little")


def stream(*keys: int) -> np.ndarray:
    """A fresh stream, named by integers."""
    return np.array([word(*keys)], np.uint64)


PAGE = 1024
"""Blocks whose words are drawn by one call: a match alone pays for a page, thousands together hardly anything."""


def match_words(seed: int, block: Any, rotation: Any, players: int, salt: str = "") -> np.ndarray:
    """The words of matches, 1 + players a row; block and rotation are numbers, or arrays of the same length.

    All rotations of a block share the chance word; every agent has a stream of its own. A player is handed its word as
    it is, so words are the output of a one-way function: whoever knows some of them knows nothing of the others. The
    seed is public; where that would help a player, the salt is what nobody knows before the match is over.
    """
    blocks, turns = np.broadcast_arrays(np.asarray(block).astype(np.uint64), np.asarray(rotation))
    words = np.empty((*blocks.shape, 1 + players), np.uint64)
    rows, key = words.reshape(-1, 1 + players), shake_128(b"matches" + _packed([seed]) + salt.encode()).digest(32)
    _fill(rows[:, :1], key, 0, blocks.ravel())
    for turn in np.unique(turns):
        seated = np.flatnonzero(turns.ravel() == turn)
        agents = np.empty((len(seated), players), np.uint64)
        _fill(agents, key, 1 + int(turn), blocks.ravel()[seated])
        rows[seated, 1:] = agents
    return words


def _fill(words: np.ndarray, key: bytes, role: int, blocks: np.ndarray) -> None:
    """One row of words for each block, in the role of chance (0) or of the agents in a rotation (from 1)."""
    pages, places = np.divmod(blocks, np.uint64(PAGE))
    order = np.argsort(pages, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(pages[order])) + 1):
        name = _packed([role, int(pages[rows[0]])])
        drawn = shake_128(key + name).digest(8 * PAGE * words.shape[1])
        words[rows] = np.frombuffer(drawn, "<u8").reshape(-1, PAGE)[:, places[rows]].T


def _packed(numbers: Iterable[int]) -> bytes:
    """Whole numbers as 64 bits each."""
    return b"".join((number & _MASK).to_bytes(8, "little") for number in numbers)
