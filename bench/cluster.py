"""How a tournament grows with workers: matches a second on 1, 2 and 4 of them, on threads and on Ray, on this machine.

python bench/cluster.py                                    --matches 400
"""

from __future__ import annotations

import argparse
import time

from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.catalogue import load
from ludus.workers import Ray, Threads, Workers

AGENTS = ("mcts:sims=200", "mcts:sims=200")


def rate(places: Workers, matches: int) -> float:
    """Matches a second, after some that warm every worker up."""
    arena = Arena(load("connect_four"), AGENTS)
    for _ in arena.play([one for block in range(16) for one in rotations((0, 1), block)], places):
        pass
    started = time.perf_counter()
    seatings = [one for block in range(matches // 2) for one in rotations((0, 1), block)]
    played = sum(len(group) for group in arena.play(seatings, places))
    return played / (time.perf_counter() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=400)
    matches = parser.parse_args().matches
    Ray("ray", 4)  # one cluster for all
    print("| workers | threads, matches a second | Ray |\n|---:|---:|---:|")
    for count in (1, 2, 4):
        print(
            f"| {count} | {rate(Threads(count), matches):,.0f} | {rate(Ray('ray', count), matches):,.0f} |", flush=True
        )


if __name__ == "__main__":
    main()
