"""What bit boards are worth to Pivit's champion: nanoseconds a position for its terms on bit boards, for what they
count found along the line of each piece, and for a menu.

python bench/pivit_bits.py [--positions 400] [--repeats 40]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from ludus.catalogue import load
from ludus.compile import template
from ludus.games._pivit_lines import MASTER, doors, mark_attacks
from ludus.games._pivit_terms import TERMS, count_terms
from ludus.papers.pivit.plays import some_positions
from ludus.rules import MAX_ACTIONS, legal


@template
def on_bits(states, counted):
    for i in range(states.shape[0]):
        count_terms(states[i], counted)


@template
def along_lines(states, counted):
    for i in range(states.shape[0]):
        board, marks, moves = states[i].board, np.zeros(64, np.int8), np.zeros(4, np.int32)
        mark_attacks(board, 8, marks, moves)
        for cell in range(64):
            if board[cell] and not board[cell] & MASTER:
                counted[0, doors(board, cell, 8, board[cell] >> 2)] += 1.0


@template
def menus(states, counted):
    menu = np.empty(MAX_ACTIONS, np.int32)
    for i in range(states.shape[0]):
        counted[0, 0] += legal(states[i], states[i].turn, menu)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--positions", type=int, default=400)
    options.add_argument("--repeats", type=int, default=40)
    given = options.parse_args()
    game, states = load("pivit"), np.concatenate(some_positions(5, given.positions))
    for work in (on_bits, along_lines, menus):
        print(f"{work.__name__:12} {_fastest(game.kernel(work), states, given.repeats):6.0f} ns a position")


def _fastest(kernel, states: np.ndarray, repeats: int) -> float:
    """Of many short runs: others on the machine only ever make one slower."""
    counted, spent = np.zeros((4, len(TERMS)), np.float32), []
    for _ in range(1 + repeats):
        started = time.thread_time()
        kernel(states, counted)
        spent.append(time.thread_time() - started)
    return min(spent[1:]) / len(states) * 1e9


if __name__ == "__main__":
    main()
