"""Does the search play well? MCTS against random play, and against OpenSpiel's C++ MCTS at equal simulations.

python bench/strength.py [--games N] [--sims N]
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import pyspiel

from ludus import agent, load
from ludus.arena.contest import contest
from ludus.arena.match import Match
from ludus.arena.statistics import score_interval

AGAINST_RANDOM = {
    "connect_four": ("mcts:sims=2000", 2, 200),
    "breakthrough": ("mcts:sims=2000", 2, 100),
    "kuhn_poker": ("mcts:sims=2000", 2, 2000),
    "goofspiel": ("mcts:sims=2000", 2, 200),
    "gravwell": ("mcts:sims=200", 4, 200),
    "organism": ("mcts:sims=200", 2, 60),
    "pivit": ("mcts:sims=200", 2, 10),
    "thrones": ("mcts:sims=200", 2, 100),
    "planet_wars": ("mcts:sims=200,horizon=30", 2, 4),
}


def against_random() -> None:
    for name, (spec, players, games) in AGAINST_RANDOM.items():
        result = contest(name, [spec, *["random"] * (players - 1)], games=games, seed=1)
        one = result.agents[0]
        interval = f"[{100 * one.low:.1f}, {100 * one.high:.1f}]"
        print(f"{name}: {spec} scores {100 * one.score:.1f} % {interval} of {result.games} games", flush=True)


def against_openspiel(games: int, sims: int) -> None:
    """Connect four, both seats in turn; the same exploration constant on both sides."""
    game, theirs = load("connect_four"), pyspiel.load_game("connect_four")
    ours = agent(f"mcts:sims={sims}", game)
    shares = np.empty((games // 2, 2))
    for block in range(games // 2):
        bot = pyspiel.MCTSBot(theirs, pyspiel.RandomRolloutEvaluator(1, block), 1.4, sims, 1000, True, block, False)
        for seat in range(2):
            shares[block, seat] = _one_match(game, ours, theirs, bot, seat, block)
    print(f"connect_four: mcts:sims={sims} against OpenSpiel's MCTSBot: {score_interval(shares)}", flush=True)


def _one_match(game, ours, theirs, bot, seat: int, block: int) -> float:
    match, state = Match(game, 2, seed=2, block=block, rotation=seat), theirs.new_initial_state()
    while not match.over:
        for player, view in match.waiting().items():
            action = ours.act(view, match.stream(player)) if player == seat else bot.step(state)
            state.apply_action(int(action))
            match.submit(player, action)
    assert state.is_terminal()
    return (match.returns[seat] + 1) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--sims", type=int, default=400)
    parser.add_argument("--only-openspiel", action="store_true")
    options = parser.parse_args()
    against_openspiel(options.games, options.sims)
    if not options.only_openspiel:
        against_random()


if __name__ == "__main__":
    sys.exit(main())
