"""Writes what searches answer: `python -m tests.agents.answers`. Do so only when a search is meant to change.

Positions and streams are given by explicit words, so the answers depend on the rules and on the search alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ludus import agent, kernels, load
from ludus.catalogue import game_names
from ludus.errors import BadSpec, Mismatch
from ludus.game import Game, View

FILE = Path(__file__).parent / "answers.json"
SPECS = ("mcts:sims=60", "mcts:sims=40,horizon=3,mix=0.1", "alphabeta:nodes=400", "greedy:samples=2", "random")
STEPS = (0, 3, 9)


def words(count: int, columns: int) -> np.ndarray:
    """Some fixed 64-bit words."""
    numbers = [(1 + k) * 0xD1342543DE82EF95 + 0x9E3779B97F4A7C15 & (1 << 64) - 1 for k in range(count * columns)]
    return np.array(numbers, np.uint64).reshape(count, columns)


def positions(game: Game) -> Iterator[View]:
    """With the fewest and the most players, as dealt and after some random steps: the view of the first who acts."""
    for players in sorted(set(game.facts.players)):
        luck = words(len(STEPS), 1 + players)
        states = game.start(luck, players)
        for k, steps in enumerate(STEPS):
            one = states[k : k + 1]
            game.kernel(kernels.rollouts)(one, luck[k : k + 1], np.zeros(1, np.int64), steps)
            mask = int(game.waiting(one)[0])
            if mask:
                yield View(game, one, (mask & -mask).bit_length() - 1)


def answers(game: Game, spec: str) -> list[list[object]]:
    """For each position: the action, where the stream stands, the value, and how often each action was tried."""
    chooser, out = agent(spec, game), []
    for view, stream in zip(positions(game), words(6, 1)):
        action = int(chooser.act(view, stream))
        thoughts = chooser.thoughts
        inner = [repr(thoughts.value), " ".join(map(str, thoughts.visits[:8]))] if thoughts else []
        out.append([action, int(stream[0]), *inner])
    return out


def all_answers(game: Game) -> dict[str, list[list[object]]]:
    found = {}
    for spec in SPECS:
        try:
            found[spec] = answers(game, spec)
        except (BadSpec, Mismatch):
            continue  # alphabeta plays open games only; a horizon needs a heuristic
    return found


def main() -> None:
    lines = [f"{json.dumps(name)}: {json.dumps(all_answers(load(name)))}" for name in game_names()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
