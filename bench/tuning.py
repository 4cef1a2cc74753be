"""How often a tuning finds what was planted, and how often it announces a winner where no rule does anything.

    python bench/tuning.py [repeats] [processes] [out.json] [word]

With a word, only games whose name holds it: `planted` all of those, `effect` all where there is nothing to find.
Race and auction of tests/tuning/games have a known right value. In the auction the hammer has a colour and a weight
that change nothing: with the truth far outside, at the very edge and just inside of the range, and with aims alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import zip_longest
from pathlib import Path

from ludus.arena.statistics import wilson
from ludus.tuning.tune import tune

GAMES = Path(__file__).resolve().parents[1] / "tests" / "tuning" / "games"
SMALL = {"agents": ["random"], "matches": 600, "fresh": 6000, "best": 5, "candidates": 12, "lights": False}
NOTHING = {"hammer": "*", "weight": "1..9"}
PLANTED = {
    "planted race, 7 pips": ("pips.py", {"handicap": "0..14"}, ["seat_advantage in -6..6"], {"handicap": 7}),
    "planted auction, tax 2": ("lots.py", {"tax": "0..6", "weight": "1..9"}, ["seat_advantage in -6..6"], {"tax": 2}),
}
EMPTY = {
    "no effect, truth outside": ("lots.py", {**NOTHING, "tax": "1"}, ["seat_advantage in -8..8"]),
    "no effect, truth at the edge": ("lots.py", {**NOTHING, "tax": "2"}, ["seat_advantage in 0..16"]),
    "no effect, truth inside": ("lots.py", {**NOTHING, "tax": "2"}, ["seat_advantage in -5..5"]),
    "no effect, an aim": ("lots.py", {**NOTHING, "tax": "2"}, ["minimise:seat_advantage"]),
    "no effect, two aims": ("lots.py", {**NOTHING, "tax": "2"}, ["minimise:seat_advantage", "maximise:balance"]),
}


def once(job: tuple[str, int]) -> tuple[str, bool, str]:
    """One tuning: whether it found what was planted, or announced a winner where there is none."""
    name, seed = job
    game, rules, targets = (PLANTED.get(name) or EMPTY[name])[:3]
    with tempfile.TemporaryDirectory() as folder:
        found = tune(str(GAMES / game), rules, targets, seed=seed, out=folder, **SMALL)
    said = found.winner.key if found.winner else "no winner"
    if name in EMPTY:
        return name, found.winner is not None, said
    right = PLANTED[name][3]
    return name, found.winner is not None and all(found.winner.values[k] == v for k, v in right.items()), said


def jobs_of(repeats: int, word: str) -> list[tuple[str, int]]:
    """So many repeats of each planted game, and twice as many in all where nothing is planted."""
    planted = [(name, seed) for seed in range(repeats) for name in PLANTED]
    empty = [(name, seed) for seed in range(-(-2 * repeats // len(EMPTY))) for name in EMPTY]
    return [job for pair in zip_longest(planted, empty) for job in pair if job and word in job[0]]


def line(name: str, hits: list[bool], what: str) -> str:
    rate = wilson(sum(hits), len(hits))
    shares = f"{100 * rate.value:.1f} % [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
    return f"{name}: {what} in {sum(hits)} of {len(hits)} tunings, {shares}"


def main() -> None:
    given = [*sys.argv[1:], *("100", "2", "", "")[len(sys.argv) - 1 :]]
    repeats, processes, out, word = int(given[0]), int(given[1]), given[2], given[3]
    counts: dict[str, list[bool]] = {name: [] for name in (*PLANTED, *EMPTY)}
    began = time.monotonic()
    with ProcessPoolExecutor(processes) as pool:
        for name, yes, _ in pool.map(once, jobs_of(repeats, word)):
            counts[name].append(yes)
            if out:
                Path(out).write_text(json.dumps(counts))
    for group, what in ((PLANTED, "found"), (EMPTY, "announced a winner")):
        played = [name for name in group if counts[name]]
        for name in played:
            print(line(name, counts[name], what))
        if len(played) > 1:
            print(line("together", [yes for name in played for yes in counts[name]], what))
    print(f"{time.monotonic() - began:.0f} seconds")


if __name__ == "__main__":
    main()
