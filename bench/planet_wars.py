"""How long an agent of Planet Wars thinks a turn, and how often it would have been late.

    python bench/planet_wars.py [--agent champion] [--rival planner] [--turns 10000]

Matches on both kinds of maps, the agent in both seats. A turn is everything that the agent is asked in it; what is
printed is the processor's time, which other work on the machine does not change much, and the latest by the clock.
"""

from __future__ import annotations

import argparse
import itertools
import time

import numpy as np

from ludus import agent, load
from ludus.arena.match import Match

ALLOWED = 1.0
"""Seconds a turn in the contest."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--agent", default="champion")
    options.add_argument("--rival", default="planner")
    options.add_argument("--turns", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    game = load("planet_wars")
    players = [agent(spec, game) for spec in (given.agent, given.rival)]
    used: list[tuple[float, float]] = []
    for number in itertools.count():
        seat, preset = number % 2, ("finals", "default")[number // 2 % 2]
        match = Match(game, 2, game.rule_values(preset), seed=given.seed + number // 4)
        turns = play(match, players, seat)
        used += turns if number else turns[1:]  # the first compiles
        if len(used) >= given.turns:
            break
    show(given.agent, np.array(used), number + 1)


def play(match: Match, players: list, seat: int) -> list[tuple[float, float]]:
    """Seconds of processor and of clock that the first player took, turn by turn."""
    used: list[tuple[float, float]] = []
    turn = -1
    while not match.over:
        for player, view in match.waiting().items():
            cpu, clock = time.process_time(), time.perf_counter()
            answer = players[player != seat].act(view, match.stream(player))
            spent = time.process_time() - cpu, time.perf_counter() - clock
            match.submit(player, answer)
            if player == seat:
                same = int(view.state.turn) == turn
                used[-1:] = [(used[-1][0] + spent[0], used[-1][1] + spent[1])] if same else [*used[-1:], spent]
                turn = int(view.state.turn)
    return used


def show(spec: str, used: np.ndarray, matches: int) -> None:
    half, most, top = np.percentile(1e3 * used[:, 0], [50, 99, 100])
    late = int((used[:, 1] > ALLOWED).sum())
    print(f"{spec}: {len(used):,} turns of {matches} matches")
    print(f"processor a turn: p50 {half:.1f} ms, p99 {most:.1f} ms, most {top:.1f} ms")
    print(f"longer than {ALLOWED:g} s by the clock: {late}; the longest {used[:, 1].max():.3f} s")


if __name__ == "__main__":
    main()
