"""Patterns: what the contents of some neighbouring cells are worth together, learnt by heart (an n-tuple network).

A board is read as one symbol a cell, by the planes that the game observes: empty, mine, a rival's king. A pattern is a
walk over neighbouring cells, and its table has a number for each way to fill them; who sits where and who is on move
have tables of their own, since a threat is worth something else to each of them. The walks begin everywhere and turn at
random, always in the same way: short lines, blocks and hooks all over the board. What a position is worth is a sum of
as many numbers as there are patterns, so that each can be learnt from every match that has ever filled it so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ludus import kernels
from ludus.compile import template
from ludus.game import Game
from ludus.rng import match_words
from ludus.rules import observe, to_act
from ludus.shapes import Board, Shape

WALKS = 2
"""Patterns that begin at each cell."""
ENTRIES = 1 << 14
"""No table is longer; so the more symbols a game has, the shorter its patterns."""
MOST = 32
"""Symbols of a game; with more of them a board is not learnt by heart."""
MATCHES, LONGEST = 64, 200
"""Random matches in which the symbols of a game are looked for, and how many plies of each."""
FINE, NEAR = 4, 1e-3
"""Digits by which sums are told apart."""
TRIES = 20


class Patterns(NamedTuple):
    """Tables, how a board is read, and room for what was read last."""

    spread: np.ndarray  # float32[planes]: weighs what is on a cell, so that different contents give different sums
    keys: np.ndarray  # float32[symbols]: those sums
    cells: np.ndarray  # int32[patterns, width]
    tables: np.ndarray  # float32[seats * 2 * patterns * symbols ** width]
    seen: np.ndarray  # float32[FEATURES]: room
    symbols: np.ndarray  # int32[cells of the board]: room
    entries: np.ndarray  # int32[patterns]: room; which numbers were added

    @property
    def seats(self) -> int:
        count, width = self.cells.shape
        return len(self.tables) // (2 * count * len(self.keys) ** width)


def no_patterns() -> Patterns:
    floats, whole = np.zeros(0, np.float32), np.zeros(0, np.int32)
    return Patterns(floats, floats, np.zeros((0, 0), np.int32), floats, floats, whole, whole)


# ------------------------------------------------------------------------------------------------ compiled


@template
def read_symbols(state, player, patterns):
    """One symbol a cell, as the player sees the board; contents that are new count as the first symbol."""
    spread, keys, _, _, seen, symbols, _ = patterns
    observe(state, player, seen)
    for cell in range(symbols.shape[0]):
        key = np.float32(0.0)
        for plane in range(spread.shape[0]):
            key += spread[plane] * seen[plane * symbols.shape[0] + cell]
        symbols[cell] = 0
        for symbol in range(keys.shape[0]):
            if abs(key - keys[symbol]) < NEAR:
                symbols[cell] = symbol


@template
def weigh_patterns(state, player, patterns):
    """The sum of what all patterns say; `entries` are the places of the numbers."""
    _, keys, cells, tables, _, symbols, entries = patterns
    if cells.shape[0] == 0:
        return 0.0
    read_symbols(state, player, patterns)
    length = keys.shape[0] ** cells.shape[1]
    first = (2 * player + (to_act(state) >> player & 1)) * cells.shape[0] * length
    total = 0.0
    for k in range(cells.shape[0]):
        place = 0
        for j in range(cells.shape[1]):
            place = place * keys.shape[0] + symbols[cells[k, j]]
        entries[k] = first + k * length + place
        total += tables[entries[k]]
    return total


# ------------------------------------------------------------------------------------------------ made for a game


def new_patterns(game: Game, players: int, values: Mapping[str, object], walks: int) -> Patterns:
    """Patterns that say nothing yet; none where the game shows no board, or cells with more than MOST contents."""
    shape = game.shapes(players, values)[0]
    if shape.board is None or not shape.planes or not walks:
        return no_patterns()
    spread = np.sqrt(2.0 + np.arange(shape.planes)).astype(np.float32)  # no two contents have the same sum
    keys = _contents(game, players, values, shape, spread)
    if not 1 < len(keys) <= MOST:
        return no_patterns()
    width = min(int(math.log(ENTRIES + 1, len(keys))), shape.cells)
    cells = walks_over(shape.board, width, walks)
    tables = np.zeros(players * 2 * len(cells) * len(keys) ** width, np.float32)
    return patterns_of(game, spread, keys, cells, tables, shape.cells)


def patterns_of(
    game: Game, spread: np.ndarray, keys: np.ndarray, cells: np.ndarray, tables: np.ndarray, board: int
) -> Patterns:
    """With room for what is read of a board of so many cells."""
    seen = np.zeros(game.names["FEATURES"], np.float32)
    return Patterns(spread, keys, cells, tables, seen, np.zeros(board, np.int32), np.zeros(len(cells), np.int32))


def _contents(game: Game, players: int, values: Mapping[str, object], shape: Shape, spread: np.ndarray) -> np.ndarray:
    """What is ever on a cell in random play, by its sum."""
    words = match_words(0, np.arange(MATCHES), 0, players)
    states, plies = game.start(words, players, values), np.zeros(MATCHES, np.int64)
    found, seen = np.empty(0), np.zeros((MATCHES, game.names["FEATURES"]), np.float32)
    for limit in range(1, min(game.facts.max_plies, LONGEST) + 1):
        for player in range(players):
            game.kernel(kernels.features)(states, np.full(MATCHES, player), seen)
            planes = seen[:, : shape.planes * shape.cells].reshape(MATCHES, shape.planes, shape.cells)
            found = np.unique(np.append(found, np.einsum("mpc,p->mc", planes, spread).round(FINE)))
        if len(found) > MOST or not game.waiting(states).any():
            break
        game.kernel(kernels.rollouts)(states, words, plies, limit)
    return found.astype(np.float32)


def walks_over(board: Board, width: int, each: int) -> np.ndarray:
    """So many walks from each cell that never cross themselves; each set of cells once."""
    rng, found = np.random.default_rng(0), dict[frozenset[int], list[int]]()
    for start in np.repeat(np.arange(board.cells), each):
        for _ in range(TRIES):
            walk = _walk(board, int(start), width, rng)
            if len(walk) == width and frozenset(walk) not in found:
                found[frozenset(walk)] = walk
                break
    return np.array(list(found.values()), np.int32).reshape(-1, width)


def _walk(board: Board, start: int, width: int, rng: np.random.Generator) -> list[int]:
    walk = [start]
    while len(walk) < width:
        ways = [int(cell) for cell in board.neighbours[walk[-1]] if cell >= 0 and cell not in walk]
        if not ways:
            break
        walk.append(ways[rng.integers(len(ways))])
    return walk
