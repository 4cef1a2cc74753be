"""How a tournament grows with workers: matches a second on 1, 2 and 4 of them, on threads and on Ray, on this machine;
and what a packet costs the driver, from which follows how many workers one driver can feed.

python bench/cluster.py                                    --matches 3000 --times 3
"""

from __future__ import annotations

import argparse
import time

from ludus.arena.blocks import rotations
from ludus.arena.bulk import CHUNK_SECONDS, Arena
from ludus.catalogue import load
from ludus.workers import Ray, Threads, Workers

AGENTS = ("mcts:sims=200", "mcts:sims=200")
PACKETS = 3000
COUNTS = (1, 2, 4)
FAR = 1000
"""The number of workers that is reckoned with."""


def rate(places: Workers, matches: int) -> float:
    """Matches a second, after some that warm every worker up."""
    arena = Arena(load("connect_four"), AGENTS)
    for _ in arena.play([one for block in range(16) for one in rotations((0, 1), block)], places):
        pass
    started = time.perf_counter()
    seatings = [one for block in range(matches // 2) for one in rotations((0, 1), block)]
    played = sum(len(group) for group in arena.play(seatings, places))
    return played / (time.perf_counter() - started)


def packet_seconds(count: int) -> float:
    """CPU seconds of the driver for a packet that carries nothing, with so many of them under way."""
    places = Ray("ray", count)
    list(places.stream(abs, range(count)))
    started = time.process_time()
    list(places.stream(abs, range(PACKETS)))
    return (time.process_time() - started) / PACKETS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=3000)
    parser.add_argument("--times", type=int, default=3, help="the best of so many is shown, threads and Ray in turn")
    given = parser.parse_args()
    Ray("ray", max(COUNTS))  # one cluster for all
    print("| workers | threads, matches a second | Ray | Ray / threads |\n|---:|---:|---:|---:|")
    for count in COUNTS:
        pairs = [
            (rate(Threads(count), given.matches), rate(Ray("ray", count), given.matches)) for _ in range(given.times)
        ]
        threads, ray = map(max, zip(*pairs))
        print(f"| {count} | {threads:,.0f} | {ray:,.0f} | {ray / threads:.2f} |", flush=True)
    for count in (*COUNTS, FAR):
        cost = min(packet_seconds(count) for _ in range(given.times))
        print(f"{count} under way: {1e6 * cost:,.0f} µs of the driver's CPU for a packet", flush=True)
    print(
        f"{FAR} workers ask for {FAR / CHUNK_SECONDS:,.0f} packets a second: {FAR / CHUNK_SECONDS * cost:.2f} of a core"
    )


if __name__ == "__main__":
    main()
