"""Books of what was met: things get numbers, in the order in which they come, and are known again by a key.

A key is made of several marks, words that stand for parts of the thing. Two things of a match with the same key are as
likely as a broken processor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import template
from ludus.nets.tiles import fetch

MIXER = np.uint64(0x9E3779B97F4A7C15)
NUMBER = np.uint64((1 << 20) - 1)  # the bits of a slot that hold a number


class Book(NamedTuple):
    slots: np.ndarray  # uint64[a power of two]: a key without its last bits, and a number; 0 where there is none
    met: np.ndarray  # int64[1]: the next number; 0 is none


def make_book(room: int) -> Book:
    return Book(np.zeros(1 << (2 * room - 1).bit_length(), np.uint64), np.ones(1, np.int64))


def forget(book: Book) -> None:
    book.met[0], book.slots[:] = 1, 0


@template
def mark_cells(marks, planes):
    """A word for what the planes say of each place, of many places at once; the last mark is of none."""
    places = marks.shape[0] - 1
    marks[:] = 0
    for first in range(0, planes.shape[0], places):
        for place in range(places):
            marks[place] = marks[place] * MIXER + np.uint64(np.uint8(planes[first + place]))
    for place in range(places):
        marks[place] = (marks[place] ^ (marks[place] >> np.uint64(32))) * MIXER


@template
def make_keys(book, marks, near, keys):
    """A key for each row of `near`, and its slot is sent for: the memory is large, and far."""
    mask = np.uint64(book.slots.shape[0] - 1)
    for at in range(near.shape[0]):
        key = np.uint64(0)
        for tap in range(near.shape[1]):
            key = (key + np.uint64(marks[near[at, tap]])) * MIXER
        keys[at] = key
        fetch(book.slots.ctypes.data + 8 * np.int64(key & mask))


@template
def number_of(book, key):
    """The number of what has this key, and whether it is new. The last bits of a key say where it is looked for, so
    that a slot can do without them."""
    mask = book.slots.shape[0] - 1
    slot = np.int64(key) & mask
    while book.slots[slot] != 0:
        if (book.slots[slot] ^ key) <= NUMBER:
            return np.int64(book.slots[slot] & NUMBER), False
        slot = (slot + 1) & mask
    number = book.met[0]
    book.slots[slot] = (key & ~NUMBER) | np.uint64(number)
    book.met[0] += 1
    return number, True
