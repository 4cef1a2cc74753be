"""How long the searchers that Thrones' champion copies take for one answer, in positions of their own matches.

python bench/thrones_copies.py
"""

from __future__ import annotations

import time

import numpy as np

from ludus.agents.thrones._minimax import Minimax
from ludus.arena.lockstep import play_to_the_end
from ludus.catalogue import agent, load
from ludus.rng import match_words

SEARCHERS = ("ta1", "bot1:run=thrones-bot1", "bot2:run=thrones-bot2,race=1")
MATCHES, MOMENTS, BEST_OF = 200, (5, 10, 20, 40), 5


def positions(preset: str) -> np.ndarray:
    """Matches of the two assistants' bots that still last after some rounds; X is to move."""
    game, found = load("thrones"), []
    for rounds in MOMENTS:
        words = match_words(rounds, np.arange(MATCHES), 0, 2)
        states = game.start(words, 2, game.rule_values(preset, {"cap": rounds}))
        seats, faults = np.tile([0, 1], (MATCHES, 1)), np.zeros(MATCHES, np.int64)
        play_to_the_end(game, [agent("ta1", game), agent("ta2", game)], states, seats, words, faults)
        found.append(states[states["plies"] == 2 * rounds])
    states = np.concatenate(found)
    states["winner"] = states["ending"] = 0
    states["params"]["cap"] = 500
    return states


def microseconds(spec: str, states: np.ndarray) -> float:
    """Of the processor an answer, the best of several rounds."""
    player, movers = agent(spec, load("thrones")), np.zeros(len(states), np.int64)
    assert isinstance(player, Minimax)
    player.equals(states, movers)  # compiles
    times = []
    for _ in range(BEST_OF):
        started = time.process_time()
        player.equals(states, movers)
        times.append(time.process_time() - started)
    return 1e6 * min(times) / len(states)


if __name__ == "__main__":
    for preset in ("paper_small", "paper_large"):
        states = positions(preset)
        for spec in SEARCHERS:
            print(f"{preset:12} {spec:30} {microseconds(spec, states):6.1f} us an answer, {len(states)} positions")
