"""A table of positions that alpha-beta has searched, and what it found."""

from __future__ import annotations

import numpy as np

from ludus.compile import template
from ludus.rng import blend
from ludus.rules import record

EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # what a stored value says; 0 marks an empty entry
ENTRY = record(key=np.uint64, worth=np.float64, best=np.int32, depth=np.int16, bound=np.int8, cut=np.int8)

PROVEN = 0.9995  # heuristics are clipped below it, so a greater value is a forced win
DELAY = 2.0**-24  # what a ply costs of a win: a power of two, so that plies can be added and taken off without rounding
DEEPEST = 4000  # so many plies do not add up to the difference between a win and a heuristic


@template
def key_of(words64, row):
    key = np.uint64(0x9E3779B97F4A7C15)
    for k in range(words64.shape[1]):
        key = blend(key, words64[row, k])
    return key


@template
def delayed(worth, plies):
    """The worth of what comes so many plies later: quick wins are better than slow ones, slow losses than quick ones.

    The table keeps wins and losses as seen from the position itself, since the root may be near or far.
    """
    if worth > PROVEN:
        return worth - plies * DELAY
    if worth < -PROVEN:
        return worth + plies * DELAY
    return worth


@template
def home_of(table, key):
    """The first of a position's two places in the table. It keeps the deepest search, the other the latest."""
    return np.int64(key >> np.uint64(1)) & (table.shape[0] - 2)


@template
def find(table, key):
    """Where the position is in the table; -1 if it is not there."""
    home = home_of(table, key)
    for slot in (home, home + 1):
        if table[slot].key == key and table[slot].bound != 0:
            return slot
    return -1


@template
def look_up(table, frame, ply):
    """Take what the table knows of the node; true if that settles it within its window."""
    slot = find(table, frame.key)
    if slot < 0:
        return False
    entry = table[slot]
    frame.best = entry.best
    if entry.cut and entry.depth < frame.left:
        return False
    frame.worth, frame.cut = delayed(entry.worth, ply), entry.cut
    if entry.bound == AT_LEAST:
        return frame.worth >= frame.beta
    if entry.bound == AT_MOST:
        return frame.worth <= frame.alpha
    return True


@template
def keep(table, frame, ply):
    """Store what the node's search has shown."""
    slot = home_of(table, frame.key)
    if table[slot].depth > frame.left and table[slot].key != frame.key:
        slot += 1
    entry = table[slot]
    entry.key = frame.key
    entry.worth = delayed(frame.worth, -ply)
    entry.best = frame.best
    entry.depth = frame.left
    entry.bound = AT_MOST if frame.worth <= frame.low else AT_LEAST if frame.worth >= frame.high else EXACT
    entry.cut = frame.cut


@template
def stored_move(table, key):
    slot = find(table, key)
    return table[slot].best if slot >= 0 else -1
