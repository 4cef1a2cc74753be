"""Answers a second of a user's agent through its process: `python bench/hosts.py`.

bare    the question, the agent's first legal action, the answer
match   whole matches of tic-tac-toe against `random`, with all that the stepper does
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from ludus import load
from ludus.arena.hosts import host
from ludus.arena.lockstep import Seating
from ludus.arena.match import Match
from ludus.arena.stepwise import Stepwise

BOT = """
from dataclasses import dataclass
from ludus import Agent

@dataclass
class Leftmost(Agent):
    def act(self, view, rng):
        return view.legal[0]
"""
ANSWERS, MATCHES, ROUNDS = 2000, 400, 5


def bare(spec: str) -> float:
    game = load("tic_tac_toe")
    one, match = host(spec, game), Match(game, 2)
    one.start()
    view, rng = match.view(0), match.stream(0)
    one.ask(view, rng, 60.0)
    started = time.perf_counter()
    for _ in range(ANSWERS):
        one.ask(view, rng, 60.0)
    used = time.perf_counter() - started
    one.close()
    return ANSWERS / used


def in_matches(spec: str) -> float:
    arena = Stepwise(load("tic_tac_toe"), [spec, "random"])
    arena.play(Seating((0, 1), 0, 0))
    started, answers = time.perf_counter(), 0
    for block in range(MATCHES):
        answers += (arena.play(Seating((0, 1), block, 0)).plies + 1) // 2
    used = time.perf_counter() - started
    arena.close()
    return answers / used


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        spec = f"{folder}/leftmost.py"
        Path(spec).write_text(BOT, encoding="utf-8")
        for measure in (bare, in_matches):
            found = sorted(measure(spec) for _ in range(ROUNDS))
            spread = f"from {found[0]:,.0f} to {found[-1]:,.0f}"
            print(f"{measure.__name__:12} {found[ROUNDS // 2]:8,.0f} answers a second ({spread}, n = {ROUNDS})")


if __name__ == "__main__":
    main()
