"""Searches of many matches together, with the network that values what their turns lead to."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ludus import kernels
from ludus.agents.organism._tree import PLANES, chosen_edge, make_trees, plant, see, wave
from ludus.agents.organism._turns import key_of, way_to
from ludus.compile import template
from ludus.game import Game
from ludus.rng import match_words
from ludus.shapes import hexagons

LENGTHS = 16  # of random play, two plies apart
MOST_TURNS = 3072
"""Turns of one position that are looked at; on three rings none was seen with as many."""


class Limits(NamedTuple):
    """How a move is searched."""

    sims: int = 25
    c: float = 1.0
    temperature: float = 0.5
    """Of the priors."""


@template
def plant_all(trees, states, wanted):
    for tree in range(states.shape[0]):
        trees.heads[tree].leaf = -1
        trees.heads[tree].sims = np.int32(2**31 - 1)  # nothing to do
        if wanted[tree]:
            plant(trees, tree, states[tree])


@template
def move_all(trees, states, wanted, sampled, words):
    """Play the chosen turn where one was searched for."""
    for tree in range(states.shape[0]):
        if wanted[tree]:
            edge = chosen_edge(trees, tree, sampled[tree], words[tree])
            states[tree] = trees.states[tree, trees.edges[tree, edge].child]


@template
def ways(trees, states, bits, out, counts):
    """The single decisions that lead from each state to where its turn ends."""
    for row in range(states.shape[0]):
        counts[row] = way_to(trees.desk, states[row], key_of(bits[row]), out[row])


@template
def see_all(states, places, side, out):
    for row in range(states.shape[0]):
        see(states[row], places, side, out[row])


class Search:
    """Trees for so many matches on one board, which serve them from their first move to their last."""

    def __init__(
        self,
        game: Game,
        count: int,
        rings: int,
        values: Callable[[np.ndarray], np.ndarray],
        limits: Limits,
        room: int = 1 << 14,
    ):
        self.game, self.values, self.limits = game, values, limits
        self.side, self.places = grid(rings)
        self.trees = make_trees(game, count, room, min(MOST_TURNS, room // 4))
        self._planes = np.empty((count * len(self.trees.found), PLANES * self.side**2), np.int8)
        self._wave = game.kernel(wave)

    def think(self, states: np.ndarray, wanted: np.ndarray) -> None:
        """Search a move in each of these matches."""
        self.game.kernel(plant_all)(self.trees, states, wanted)
        values, (sims, c, temperature) = np.empty(0, np.float32), self.limits
        while rows := self._wave(self.trees, sims, c, temperature, values, self.places, self.side, self._planes):
            values = self.values(self._planes[:rows])

    def move(self, states: np.ndarray, wanted: np.ndarray, sampled: np.ndarray, words: np.ndarray) -> None:
        """Play what was found, in place; by shares of visits where `sampled`."""
        self.game.kernel(move_all)(self.trees, states, wanted, sampled, words)

    def ways(self, states: np.ndarray, ends: np.ndarray, room: int) -> tuple[np.ndarray, np.ndarray]:
        """The decisions of each turn, so many of them at most, and how many it has."""
        out, counts = np.zeros((len(states), room), np.int32), np.zeros(len(states), np.int64)
        bits = ends.view(np.uint64).reshape(len(ends), -1)
        self.game.kernel(ways)(self.trees, states, bits, out, counts)
        return out, counts


def grid(rings: int) -> tuple[int, np.ndarray]:
    """The side of the grid that holds a board, and the place of each cell in it."""
    side, places = 2 * rings - 1, hexagons(rings).places
    return side, (places[:, 0] * side + places[:, 1]).astype(np.int64)


def some_planes(game: Game, rings: int, count: int = 512) -> np.ndarray:
    """What a network sees of positions from random play, of every length up to a short match."""
    words = match_words(0, np.arange(count), 0, 2)
    states, plies = game.start(words, 2, game.rule_values(changes={"rings": rings})), np.zeros(count, np.int64)
    for part in np.array_split(np.arange(count), LENGTHS):
        later, luck, made = states[part], words[part], plies[part]
        game.kernel(kernels.rollouts)(later, luck, made, 2 * LENGTHS * int(part[0]) // count)
        states[part] = later
    side, places = grid(rings)
    planes = np.empty((count, PLANES * side**2), np.int8)
    game.kernel(see_all)(states, places, side, planes)
    return planes


def forms(rings: int) -> np.ndarray:
    """int64[12, side * side]: for each turning and mirroring of the board, which place comes to which."""
    side = 2 * rings - 1
    rows, columns = np.divmod(np.arange(side * side), side) - np.array([[rings - 1]])
    on_board, found = abs(rows + columns) < rings, []
    for mirrored in (False, True):
        r, c = (columns, rows) if mirrored else (rows, columns)
        for _ in range(6):
            places = (r + rings - 1) * side + c + rings - 1
            found.append(np.where(on_board, places, np.arange(side * side)))
            r, c = -c, r + c
    return np.array(found)
