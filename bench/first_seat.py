"""How much the first seat of a game is worth as its players get better: numbers of docs/playtests.md and of
docs/papers/organism.md.

python bench/first_seat.py [--game connect_four] [--sims 64 1024 8192] [--games 400 400 200]
"""

from __future__ import annotations

import argparse

from ludus.arena.contest import contest
from ludus.arena.statistics import wilson
from ludus.workers import Threads


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--game", default="connect_four")
    options.add_argument("--preset", default="default")
    options.add_argument("--sims", type=int, nargs="+", default=[64, 1024, 8192])
    options.add_argument("--games", type=int, nargs="+", default=[400, 400, 200])
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--jobs", type=int)
    given = options.parse_args()
    for sims, games in zip(given.sims, given.games):
        shares: list[float] = []
        contest(
            given.game, [f"mcts:sims={sims}"] * 2, games=games, seed=given.seed, preset=given.preset,
            workers=Threads(given.jobs), keep=lambda record, shares=shares: shares.append(record.shares[0]),
        )  # fmt: skip
        decided = [share for share in shares if share != 0.5]
        print(f"{sims:>6} simulations: the first seat takes {wilson(sum(shares), len(shares))}, of those decided "
              f"{wilson(sum(decided), len(decided))}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
