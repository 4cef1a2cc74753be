"""A million random matches of a game with bounds checking on: no error, and all end.

    python bench/soak.py [GAME…] [--matches N]

Bounds checking costs a fresh compilation and about half the speed; an index out of range raises, instead of changing
the next state of the batch.
"""

from __future__ import annotations

import argparse
import os
import time

os.environ["NUMBA_BOUNDSCHECK"] = "1"  # before Numba is imported

import numpy as np

from ludus import kernels, load
from ludus.catalogue import game_names
from ludus.game import Game
from ludus.rng import match_words

CHUNK = 20_000
FEWER = {"planet_wars": 200_000}  # its matches are far longer than the others'


def soak(game: Game, preset: str, players: int, matches: int) -> tuple[int, int]:
    """Play so many matches; how many did not end, and the plies of all."""
    unfinished = plies_played = 0
    for first in range(0, matches, CHUNK):
        blocks = np.arange(first, min(first + CHUNK, matches))
        words = match_words(2026, blocks, 0, players)
        states = game.start(words, players, game.rule_values(preset))
        plies = np.zeros(len(blocks), np.int64)
        game.kernel(kernels.rollouts)(states, words, plies, game.facts.max_plies)
        unfinished += int((game.waiting(states) != 0).sum())
        plies_played += int(plies.sum())
    return unfinished, plies_played


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--matches", type=int, default=1_000_000)
    options = parser.parse_args()
    for name in options.games or game_names():
        game = load(name)
        matches = min(options.matches, FEWER.get(name, options.matches))
        started = time.process_time()
        unfinished, plies = soak(game, "default", game.facts.players[1], matches)
        used = time.process_time() - started
        verdict = "all ended" if not unfinished else f"{unfinished} DID NOT END"
        print(f"{name}: {matches:,} matches, {plies:,} plies, {verdict}, {used:.0f} CPU-seconds", flush=True)


if __name__ == "__main__":
    main()
