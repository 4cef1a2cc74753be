"""Tables 2 to 5: the Q-learner of the Gravitas paper and its variants, each trained several times."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.papers.experiments import Experiment, Result, Scale, Watch, own_seed
from ludus.papers.gravitas.lineups import BOTH, EVOLVED, GAME, NEURAL, PAPER, RANDOM, TREE, shipped
from ludus.papers.matches import LEARNER, Course, trainings
from ludus.workers import Workers

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "baseline": ("as in table 1", {}),
    "whole-round": ("learning from the whole round", {"reward": "episode"}),
    "turn": ("with the turn in the state", {"abstraction": "product+turn"}),
    "gamma-5": ("γ = 5", {"penalty": 5.0}),
    "gamma-1": ("γ = 1", {"penalty": 1.0}),
    "no-stop": ("without emergency stop", {"stop": "never"}),
}
TABLE_GAMES, FINAL_GAMES = 2_000, 10_000
"""Games by which the paper judged each variant, and those of its final."""
LESSONS = 20_000
"""Games of a training; the paper does not tell, and more change nothing."""


def learning(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    """Q-learners trained several times over, each measured as in the paper: every variant, and the final.

    The paper had one table. Another training gives another one, and the final shows it.
    """
    lessons, count = scale.pick(LESSONS, LESSONS), scale.pick(8, 30)

    def add(name: str, changes: dict[str, Any], taught: str, lineup: Sequence[str], preset: str, games: int) -> None:
        seeds = [own_seed(seed, f"{name}-{preset}-{k}") for k in range(count)]
        course = Course(
            GAME, "qlearning", {"abstraction": "product", "games": lessons, "players": 4, **changes}, taught
        )
        found.append(trainings(f"{name}-{preset}", course, lineup, preset, games, seeds, folder, workers))

    found: list[Experiment] = []
    for preset in BOTH:
        for variant, (_, changes) in VARIANTS.items():
            add(f"learn-{variant}", changes, preset, [LEARNER, *[RANDOM] * 3], preset, TABLE_GAMES)
    add("final", {}, PAPER, [TREE, LEARNER, shipped(EVOLVED, NEURAL), RANDOM], NEURAL, FINAL_GAMES)
    return found


def learning_speed(seed: int, folder: Path) -> Experiment:
    """How long a training of 2,000 games takes; a first one, not counted, compiles."""
    course = Course(GAME, "qlearning", {"games": TABLE_GAMES, "players": 4}, PAPER)

    def run(watch: Watch) -> Result:
        seconds = 0.0
        for k in range(2):
            path = folder / "runs" / f"speed-{k}"
            shutil.rmtree(path, ignore_errors=True)
            started = time.process_time()
            course.run(own_seed(seed, f"speed-{k}"), path)
            seconds = time.process_time() - started
            watch(1)
        return {"seconds": seconds}

    return Experiment("learning-speed", {"games": TABLE_GAMES, "code": course.code}, 2, run)
