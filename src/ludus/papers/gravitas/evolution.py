"""The neuro-evolution of the Gravitas paper, run again: what selection sees, what is true, and what it costs."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from ludus.catalogue import load
from ludus.learn.gravwell import formulas
from ludus.papers.experiments import Experiment, Result, Scale, Watch, own_seed, side_by_side
from ludus.papers.gravitas.lineups import EVOLVED, GAME, NEURAL
from ludus.papers.matches import Course, rules_of, trainer_code
from ludus.rng import word
from ludus.workers import Threads, Workers

SELECTION_RUNS = (20, 34, 80, 160, 280, 500, 1_000, 2_000)
"""Games by which a candidate may be judged; the paper used 20 to some dozens, and found 280 too slow."""


def evolution(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    return [breeding(scale, seed, folder, workers), selection(scale, seed, workers), evolution_cost(seed)]


def breeding(scale: Scale, seed: int, folder: Path, workers: Workers) -> Experiment:
    """The published scheme, by generations: what the best seems to win, and what it wins on fresh games."""
    generations, own = scale.pick(60, 400), own_seed(seed, "breeding")
    course = Course(GAME, EVOLVED, {"generations": generations}, NEURAL)

    def run(watch: Watch) -> Result:
        run = course.run(own, folder / "runs" / "breeding", workers, watch)
        return {"rows": [{name: float(row[name]) for name in ("share", "audit")} for row in run.rows()]}

    settings = {"rules": rules_of(GAME, NEURAL), "generations": generations, "seed": own, "code": course.code}
    return Experiment("breeding", settings, generations, run)


def selection(scale: Scale, seed: int, workers: Workers) -> Experiment:
    """One generation of 48 candidates: the share of wins of the best as seen in r games, and its true one."""
    batches, own = 2 * scale.pick(4, 20), own_seed(seed, "selection")
    games = batches // 2 * SELECTION_RUNS[-1]

    def batch(k: int) -> np.ndarray:
        return first_generation(SELECTION_RUNS[-1], own, word(own, k))

    def run(watch: Watch) -> Result:
        seen, fresh = np.hsplit(np.hstack(side_by_side(batch, range(batches), workers)), 2)
        watch(2 * len(seen) * games)
        spread = true_spread(fresh)
        return {"games": games, "candidates": len(seen), "spread": spread, "best": best_seen(seen, fresh)}

    settings = {"rules": rules_of(GAME, NEURAL), "games": games, "seed": own, "runs": SELECTION_RUNS,
                "code": trainer_code(EVOLVED, GAME)}  # fmt: skip
    return Experiment("selection", settings, 2 * 48 * games, run)


def first_generation(games: int, seed: int, luck: int) -> np.ndarray:
    """Whether each candidate (row, named by the seed) won each game (column, named by the luck)."""
    game, settings = load(GAME), formulas.Settings()
    candidates = formulas.children_of([], settings, np.random.default_rng(seed))
    return formulas.judged(game, game.rule_values(NEURAL), settings, candidates, games, luck, Threads(1)).wins


def best_seen(wins: np.ndarray, fresh: np.ndarray) -> dict[str, dict[str, float]]:
    """For r games a candidate: what the best of all seemed to win, and what it wins in fresh games."""
    true, found = fresh.mean(1), {}
    for runs in SELECTION_RUNS:
        batches = wins.shape[1] // runs
        seen = wins[:, : batches * runs].reshape(len(wins), batches, runs).mean(2)
        found[str(runs)] = {"seen": float(seen.max(0).mean()), "true": float(true[seen.argmax(0)].mean())}
    return found


def true_spread(wins: np.ndarray) -> float:
    """The standard deviation of the candidates' true shares, that of the measurement taken out."""
    noise = (wins.var(1) / wins.shape[1]).mean()
    return float(np.sqrt(max(wins.mean(1).var() - noise, 0.0)))


def evolution_cost(seed: int) -> Experiment:
    """CPU-seconds of what took the paper twelve hours, and generations a second of its last configuration."""

    def run(watch: Watch) -> Result:
        first_generation(10, seed, seed)  # compiles
        watch(1)
        started = time.process_time()
        first_generation(280, seed, seed)
        fifty = (time.process_time() - started) * 50 / 48
        watch(1)
        started = time.process_time()
        first_generation(34, seed, seed)
        return {"seconds": fifty, "rate": 1 / (time.process_time() - started)}

    return Experiment("evolution-cost", {"code": trainer_code(EVOLVED, GAME)}, 2, run)
