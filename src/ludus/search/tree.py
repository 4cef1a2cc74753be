"""Decision points and their arms: the memory of a tree search, for every kind of game.

A *decision point* is a player together with all that this player knows, so it is keyed by a hash of that player's view:
in open games the position, so that move orders which transpose share a point; with chance or secrets whatever the
player has seen of them. A point's arms lie side by side, and since `legal` on a view gives the same menu every time,
arm k is menu entry k.

All that a search works on is one `Tree`, a record of arrays. Compiled code takes it apart for nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.rng import blend
from ludus.rules import HIDDEN, hide, record

POINT = record(
    key=np.uint64, worth=np.float64, first_arm=np.int32, count=np.int32, visits=np.int32, unproven=np.int32
)  # fmt: skip
ARM = record(worth=np.float64, spread=np.float64, visits=np.int64)
# An arm's worth is the mean return; its spread is 1 / sqrt(visits), kept so that choosing needs neither a root nor a
# division, and 0 once the worth is proven. A point has so many arms, of which some are unproven; with none left the
# point is solved, and its worth is what its player gets there.

POINTS, ARMS, SIMS = 0, 1, 2  # what of the tables is used, and the simulations so far
WORLD, SEEN = 0, 1  # rows of the scratch states: the world of this simulation, and one player's view of it
PLAYER, SLOT, CHOSEN = 0, 1, 2  # columns of the path: who chose, at which point, which arm


class Tree(NamedTuple):
    """The memory of one search."""

    scratch: np.ndarray  # State[2]
    words64: np.ndarray  # uint64[2, …]: the same memory, for hashing
    points: np.ndarray  # POINT[a power of two]: a table with open addressing
    arms: np.ndarray  # ARM[…]
    used: np.ndarray  # int64[3]
    path: np.ndarray  # int64[…, 3]: the choices of this simulation
    menu: np.ndarray  # int32[MAX_ACTIONS]
    actions: np.ndarray  # int32[SEATS]
    values: np.ndarray  # float64[SEATS]: what each player gets of this simulation


def make_tree(game: Game, sims: int, points: int = 0, arms: int = 0) -> Tree:
    """An empty tree with room for so many simulations; a full table only stops it from growing."""
    facts = game.facts
    seats = facts.players[1]
    openings = sims * (seats if facts.simultaneous else 1) + 1
    scratch = np.zeros(2, game.state_type)
    return Tree(
        scratch,
        scratch.view(np.uint64).reshape(2, -1),
        np.zeros(points or 1 << (2 * openings - 1).bit_length(), POINT),
        np.empty(arms or min(openings * facts.max_actions, 1 << 23), ARM),
        np.zeros(3, np.int64),
        np.empty((min(facts.max_plies, sims + 1) * seats, 3), np.int64),
        np.empty(facts.max_actions, np.int32),
        np.empty(seats, np.int32),
        np.zeros(seats),
    )


@template
def clear(tree):
    """Forget everything."""
    tree.used[:] = 0
    for k in range(tree.points.shape[0]):
        tree.points[k].key = 0


@template
def key_of(scratch, words64, player):
    """The key of the player's decision point in the world at hand."""
    row = WORLD
    if HIDDEN:
        scratch[SEEN] = scratch[WORLD]
        hide(scratch[SEEN], player)
        row = SEEN
    key = blend(np.uint64(player + 1), np.uint64(0x9E3779B97F4A7C15))
    for k in range(words64.shape[1]):
        key = blend(key, words64[row, k])
    return key | np.uint64(1)  # zero marks an empty slot


@template
def slot_of(points, key):
    """Where the point is in the table, or the empty slot where it belongs."""
    mask = points.shape[0] - 1
    slot = np.int64(key >> np.uint64(1)) & mask
    while points[slot].key != key and points[slot].key != 0:
        slot = (slot + 1) & mask
    return slot


@template
def open_point(points, arms, used, slot, key, count):
    """Make the point; false if the tables are full."""
    if used[POINTS] * 4 >= points.shape[0] * 3 or used[ARMS] + count > arms.shape[0]:
        return False
    point = points[slot]
    point.key = key
    point.first_arm = used[ARMS]
    point.count = point.unproven = count
    point.visits = 0
    for k in range(used[ARMS], used[ARMS] + count):
        arms[k].worth, arms[k].spread, arms[k].visits = 0.0, 1.0, 0
    used[POINTS] += 1
    used[ARMS] += count
    return True


@template
def prove(tree, length):
    """What comes of the path is certain: so is its last arm, and perhaps the point above it, and so on up.
    MCTS-Solver, for two players whose returns are opposite."""
    points, arms, path, values = tree.points, tree.arms, tree.path, tree.values
    for k in range(length - 1, -1, -1):
        player, point, arm = path[k, PLAYER], points[path[k, SLOT]], arms[path[k, CHOSEN]]
        if arm.spread > 0.0:
            arm.worth, arm.spread = values[player], 0.0
            point.unproven = 0 if arm.worth >= 1.0 else point.unproven - 1
        if point.unproven > 0:
            return
        point.worth = -1.0
        for a in range(point.first_arm, point.first_arm + point.count):
            if arms[a].spread == 0.0:
                point.worth = max(point.worth, arms[a].worth)
        values[player], values[1 - player] = point.worth, 0.0 - point.worth
