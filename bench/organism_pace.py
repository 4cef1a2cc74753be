"""How long the Organism paper's agent takes for a move of 25 roll-outs on one core, beside its authors' half a minute.

    python bench/organism_pace.py                    # a network of the published size that knows nothing
    python bench/organism_pace.py RUN/weights.onnx   # one that was trained

A move is the mean over whole matches against itself, each with one tree from its first turn to its last; turns are
drawn by visits. What a network keeps of patches that it met is forgotten before every match. In CPU time of the thread,
the best of several rounds.

    python bench/organism_pace.py RUN/weights.onnx --as-wide

takes each channel of a narrow network so many times that there are 512: it says the same, at the published size.

    python bench/organism_pace.py --bits

prints how well 8 and 16 bits agree with 32 instead; tiles are emulated where there are none, which takes minutes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ludus.agents.organism._search import Limits, Search, some_planes
from ludus.agents.organism.hexaconv import quickest_values
from ludus.catalogue import load
from ludus.nets.hexaconv import Arrays, CpuValues, from_onnx, side_of
from ludus.nets.hexaconv8 import TileValues
from ludus.nets.hexaconv16 import ShortValues
from ludus.nets.patches import PatchValues
from ludus.papers.organism.lineups import WIDTH, unlearnt

PUBLISHED = 30.0  # seconds
MATCHES, ROUNDS, LONGEST = 12, 3, 60  # matches differ much: the few turns of one are no measure
PLAIN = 3  # matches in 32 bits
SEARCHES = 200  # whose positions are valued with few bits and with 32


class Kept:
    """A network, and what it was asked."""

    def __init__(self, values: Any):
        self.values, self.side, self.planes = values, values.side, []

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        self.planes.append(planes.copy())
        return self.values(planes)


def play(game: Any, values: Any, rings: int, seed: int) -> tuple[float, int]:
    """Seconds of a match against itself, and its moves."""
    search, everywhere = Search(game, 1, rings, values, Limits()), np.ones(1, np.bool_)
    state, words = game.start(np.zeros((1, 3), np.uint64), 2), np.array([[seed + 1]], np.uint64)
    if hasattr(values, "forget"):
        values.forget()
    moves, began = 0, time.thread_time()
    while game.waiting(state)[0] and moves < LONGEST:
        search.think(state, everywhere)
        search.move(state, everywhere, everywhere, words)
        moves += 1
    return time.thread_time() - began, moves


def pace(game: Any, values: Any, rings: int, rounds: int, matches: int) -> tuple[float, int]:
    """Seconds a move, and moves, of the quickest round."""
    found = []
    for _ in range(rounds):
        spent, moves = zip(*(play(game, values, rings, seed) for seed in range(matches)))
        found.append((sum(spent) / sum(moves), sum(moves)))
    return min(found)


def widened(arrays: Arrays) -> Arrays:
    """The same network with every channel several times."""
    times, found = WIDTH // len(arrays[0][0]), []
    for k, (weight, bias) in enumerate(arrays):
        if k:
            parts = weight.reshape(len(weight), len(arrays[k - 1][0]), -1) / times
            weight = np.repeat(parts, times, axis=1).reshape(len(weight), -1, *weight.shape[2:])
        if k < len(arrays) - 1:
            weight, bias = np.repeat(weight, times, axis=0), np.repeat(bias, times)
        found.append((weight, bias))
    return found


def network(given: argparse.Namespace) -> Arrays:
    if not given.weights:
        return unlearnt(WIDTH)
    arrays = from_onnx(Path(given.weights).read_bytes())
    return widened(arrays) if given.as_wide else arrays


def tell(**numbers: Any) -> None:
    print(json.dumps({name.replace("_", " "): number for name, number in numbers.items()}), flush=True)


def time_moves(game: Any, asked: Kept, plain: CpuValues, rings: int) -> None:
    for values, rounds, matches in ((asked.values, ROUNDS, MATCHES), (plain, 1, PLAIN)):
        seconds, moves = pace(game, values, rings, rounds, matches)
        tell(network=type(values).__name__, ms_a_move=round(1000 * seconds, 2),
             times_faster=round(PUBLISHED / seconds), moves=moves)  # fmt: skip


def compare_bits(few: PatchValues, plain: CpuValues, searches: Sequence[np.ndarray]) -> None:
    """What is said of the positions that these searches asked for."""
    pairs = [(few(planes), plain(planes)) for planes in searches]
    short, long = (np.concatenate(one) for one in zip(*pairs))
    off = abs(short - long)
    same = sum(int(one.argmin() == other.argmin()) for one, other in pairs)
    tell(network=type(few).__name__, positions=len(long), mean_difference=round(float(off.mean()), 4),
         largest=round(float(off.max()), 4), spread_of_values=round(float(long.std()), 4),
         same_best_turn=same, of=len(pairs))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", nargs="?")
    parser.add_argument("--as-wide", action="store_true")
    parser.add_argument("--bits", action="store_true")
    given = parser.parse_args()
    game, arrays = load("organism"), network(given)
    rings, plain = (side_of(arrays) + 1) // 2, CpuValues(arrays)
    asked = Kept(quickest_values(game, arrays, "cpu"))
    play(game, asked, rings, 0)  # compiles
    asked.planes.clear()
    moves = sum(play(game, asked, rings, seed)[1] for seed in range(MATCHES))
    tell(positions_a_move=round(sum(map(len, asked.planes)) / moves), moves=moves)
    if given.bits:
        for kind in (TileValues, ShortValues):
            compare_bits(kind(arrays, some_planes(game, rings)), plain, asked.planes[:SEARCHES])
    else:
        time_moves(game, asked, plain, rings)


if __name__ == "__main__":
    main()
