"""How long the Organism paper's agent takes for a move of 25 roll-outs on one core, beside its authors' half a minute.

    python bench/organism_pace.py                    # a network of the published size that knows nothing
    python bench/organism_pace.py RUN/weights.onnx   # one that was trained

A move is the mean over whole matches against itself, each with one tree from its first turn to its last; turns are
drawn by visits. What a network keeps of patches that it met is forgotten before every match. In CPU time of the thread,
the best of several rounds. How few bits agree with 32 is printed as well.

    python bench/organism_pace.py RUN/weights.onnx --as-wide

takes each channel of a narrow network so many times that there are 512: it says the same, at the published size.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from ludus.agents.organism._search import Limits, Search
from ludus.agents.organism.hexaconv import quickest_values
from ludus.catalogue import load
from ludus.nets.hexaconv import Arrays, CpuValues, from_onnx, side_of
from ludus.papers.organism.lineups import WIDTH, unlearnt

PUBLISHED = 30.0  # seconds
MATCHES, ROUNDS, LONGEST = 12, 3, 60  # matches differ much: the few turns of one are no measure
PLAIN = 3  # matches in 32 bits


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


def network() -> Arrays:
    if len(sys.argv) < 2:
        return unlearnt(WIDTH)
    arrays = from_onnx(Path(sys.argv[1]).read_bytes())
    return widened(arrays) if "--as-wide" in sys.argv else arrays


def main() -> None:
    game, arrays = load("organism"), network()
    rings, plain = (side_of(arrays) + 1) // 2, CpuValues(arrays)
    asked = Kept(quickest_values(game, arrays, "cpu"))
    play(game, asked, rings, 0)  # compiles
    asked.planes.clear()
    moves = sum(play(game, asked, rings, seed)[1] for seed in range(MATCHES))
    planes = np.concatenate(asked.planes)
    print(json.dumps({"positions a move": round(len(planes) / moves), "moves": moves}), flush=True)
    for values, rounds, matches in ((asked.values, ROUNDS, MATCHES), (plain, 1, PLAIN)):
        seconds, moves = pace(game, values, rings, rounds, matches)
        print(json.dumps({"network": type(values).__name__, "ms a move": round(1000 * seconds, 2),
                          "times faster": round(PUBLISHED / seconds), "moves": moves}), flush=True)  # fmt: skip
    some = planes[np.random.default_rng(1).permutation(len(planes))[:4000]]
    short, long = asked.values(some), plain(some)
    print(json.dumps({"positions": len(some), "mean difference": float(abs(short - long).mean()),
                      "largest": float(abs(short - long).max()), "spread of values": float(long.std())}))  # fmt: skip
    same = [int(asked.values(part).argmin() == plain(part).argmin()) for part in asked.planes[:500]]
    print(json.dumps({"same best turn": float(np.mean(same)), "of": len(same)}))


if __name__ == "__main__":
    main()
