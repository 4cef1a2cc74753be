"""Books of what was met: every thing has its own number, for good."""

from __future__ import annotations

import numpy as np

from ludus import load
from ludus.compile import template
from ludus.nets.books import forget, make_book, make_keys, mark_cells, number_of

ORGANISM = load("organism")


@template
def number_all(book, near, planes, marks, keys, out):
    for row in range(planes.shape[0]):
        mark_cells(marks, planes[row])
        make_keys(book, marks, near, keys)
        for at in range(near.shape[0]):
            out[row, at] = number_of(book, keys[at])[0]


def numbers(book, planes):
    """Of pairs of places that lie side by side; the last place has none beside it."""
    places = planes.shape[1] // 2
    near = np.stack([np.arange(places), np.arange(places) + 1], axis=1)
    out = np.zeros((len(planes), places), np.int64)
    ORGANISM.kernel(number_all)(book, near, planes, np.zeros(places + 1, np.uint64), np.zeros(places, np.uint64), out)
    return out


def test_things_are_known_again_and_told_apart():
    planes = np.random.default_rng(0).integers(-2, 3, (200, 2 * 5)).astype(np.int8)  # two planes of five places
    book = make_book(1024)
    found = numbers(book, planes)
    cells = np.concatenate([planes.reshape(-1, 2, 5), np.zeros((len(planes), 2, 1), np.int8)], axis=2)
    pairs = np.concatenate([cells[:, :, :-1], cells[:, :, 1:]], axis=1).transpose(0, 2, 1)
    things = [tuple(pair) for pair in pairs.reshape(-1, 4)]
    assert len(set(zip(things, found.ravel()))) == len(set(things)) == len(set(found.ravel())) == book.met[0] - 1
    assert (numbers(book, planes) == found).all()
    assert found.min() == 1
    assert found.max() == book.met[0] - 1


def test_a_forgotten_book_begins_anew():
    planes, book = np.random.default_rng(1).integers(0, 9, (40, 10)).astype(np.int8), make_book(256)
    found = numbers(book, planes)
    forget(book)
    assert (numbers(book, planes) == found).all()
