"""Parts of games: boards, dice and decks, for rules of one's own to call.

A board is declared, ``BOARD = squares(8, 8)`` or ``hexagons(4)``, and ``NEAR = BOARD.neighbours`` says which cell lies
next to which: ``NEAR[cell, direction]``, -1 beyond the edge. Cards are numbered from 1, so that 0 is a card unseen.
"""

from __future__ import annotations

import numpy as np

from ludus.rng import below, shuffle
from ludus.rules import rule
from ludus.shapes import hexagons, squares

__all__ = ["die", "fill_deck", "group", "guess_deck", "hexagons", "line", "squares", "swap"]


@rule
def line(board, near, cell, direction):
    """How many cells in a row, from `cell` on in one direction, hold what it holds; itself counted."""
    count, at = 1, near[cell, direction]
    while at >= 0 and board[at] == board[cell]:
        count += 1
        at = near[at, direction]
    return count


@rule
def group(board, near, cell, out):
    """Write the cells that hang together with `cell` and hold the same to `out`; returns how many they are."""
    seen = np.zeros(near.shape[0], np.bool_)
    seen[cell] = True
    out[0] = cell
    count, looked = 1, 0
    while looked < count:
        for direction in range(near.shape[1]):
            at = near[out[looked], direction]
            if at >= 0 and not seen[at] and board[at] == board[cell]:
                seen[at] = True
                out[count] = at
                count += 1
        looked += 1
    return count


@rule
def die(rng, sides):
    """1 … sides."""
    return 1 + below(rng, sides)


@rule
def fill_deck(deck, rng):
    """The cards 1 … n in random order."""
    for k in range(len(deck)):
        deck[k] = 1 + k
    shuffle(rng, deck, len(deck))


@rule
def guess_deck(deck, rng):
    """For `determinize`: every unseen card becomes one of those that are seen nowhere, all equally likely."""
    loose, n = np.empty(len(deck), np.int32), 0
    for card in range(1, len(deck) + 1):
        found = False
        for k in range(len(deck)):
            found = found or deck[k] == card
        if not found:
            loose[n] = card
            n += 1
    shuffle(rng, loose, n)
    for k in range(len(deck)):
        if deck[k] == 0:
            n -= 1
            deck[k] = loose[n]


@rule
def swap(items, a, b):
    """For `twin`: two things change places."""
    held = items[a]
    items[a] = items[b]
    items[b] = held
