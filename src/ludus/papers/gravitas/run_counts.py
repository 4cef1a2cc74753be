"""How many games a fair comparison takes: random players compared with themselves, by wins or by where they end."""

from __future__ import annotations

import zlib

import numpy as np

from ludus import kernels
from ludus.catalogue import load
from ludus.papers.experiments import Experiment, Result, Scale, Watch, own_seed, side_by_side
from ludus.papers.gravitas.lineups import BOTH, GAME
from ludus.papers.matches import rules_of
from ludus.rng import match_words, word
from ludus.workers import Workers

RUN_COUNTS = {
    "wins-320": (4, 320, 0.10),
    "tiles-60": (2, 60, 0.05),
    "tiles-280": (4, 280, 0.05),
    "tiles-1180": (4, 1180, 0.025),
}
"""Players, games of a test, leeway; the first compares wins, the others mean tiles at the end."""


def run_counts(scale: Scale, seed: int, workers: Workers) -> list[Experiment]:
    return [_run_counts(preset, scale.pick(300, 2_000), seed, workers) for preset in BOTH]


def _run_counts(preset: str, tests: int, seed: int, workers: Workers) -> Experiment:
    """How often random players pass for equal, by wins or by where they end."""
    own = own_seed(seed, f"run-counts-{preset}")

    def run(watch: Watch) -> Result:
        passed = {name: passed_tests(name, preset, tests, own, watch, workers) for name in RUN_COUNTS}
        return {name: {"tests": tests, "passed": count} for name, count in passed.items()}

    settings = {"rules": rules_of(GAME, preset), "tests": tests, "seed": own, "what": RUN_COUNTS}
    steps = tests * sum(games for _, games, _ in RUN_COUNTS.values())
    return Experiment(f"run-counts-{preset}", settings, steps, run)


def passed_tests(name: str, preset: str, tests: int, seed: int, watch: Watch, workers: Workers) -> int:
    """A test is passed if every player's mean is within the leeway of the mean of all."""
    players, games, leeway = RUN_COUNTS[name]

    def is_passed(test: int) -> bool:
        tiles, winners = random_games(players, preset, games, word(seed, zlib.crc32(name.encode()), test))
        means = (np.eye(players)[winners] if name.startswith("wins") else tiles).mean(axis=0)
        return bool((np.abs(means / means.mean() - 1) < leeway).all())

    return sum(side_by_side(is_passed, range(tests), workers, lambda: watch(games)))


def random_games(players: int, preset: str, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Tiles at the end of random play, one row a game, and the winners."""
    game = load(GAME)
    words = match_words(seed, np.arange(games), 0, players)
    states = game.start(words, players, game.rule_values(preset))
    game.kernel(kernels.rollouts)(states, words, np.zeros(games, np.int64), game.facts.max_plies)
    return states["tile"][:, :players].astype(float), states["winner"] - 1
