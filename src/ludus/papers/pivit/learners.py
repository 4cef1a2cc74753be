"""The paper's two learners, trained again: as published, and under other rules; what came of the episodes."""

from __future__ import annotations

import io
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ludus.agents.dictionary import FILE
from ludus.arena.statistics import wilson
from ludus.papers import matches
from ludus.papers.claims import Measure
from ludus.papers.experiments import Experiment, Measured, Result, Watch, own_seed
from ludus.papers.matches import Course
from ludus.papers.pivit.plays import GAME
from ludus.workers import Threads

EVERY = 1_000
"""Episodes of a point of the published curve."""
TRAINING = "paper-training"


@dataclass(frozen=True)
class Learner:
    """One learner: its update rule, and the rules it plays by."""

    name: str
    rule: str
    rules: Mapping[str, object] = field(default_factory=dict)

    def course(self, games: int) -> Course:
        changes = {"reading": "published", "rule": self.rule, "games": games, "every": EVERY}
        return Course(GAME, "dictionary", changes, TRAINING, self.rules)

    def folder(self, folder: Path) -> Path:
        return folder / "runs" / self.name


Q, SARSA = Learner("q-learning", "q"), Learner("sarsa", "sarsa")
PROMOTING = Learner("q-learning-promoting", "q", {"promotion": "on"})
"""As it would have been had the program promoted: a tie is a loss to the learner."""


def training(learner: Learner, games: int, seed: int, folder: Path, repeats: int = 0) -> Experiment:
    """One training; its curve, what it stored, and how often a greedy choice found its position. Then the curves of so
    many more: a thousand matches that teach nothing still differ from the next thousand by three points."""
    course, own = learner.course(games), own_seed(seed, learner.name)

    def run(watch: Watch) -> Result:
        kept = course.run(own, learner.folder(folder), watch=watch)
        rows = [_numbers(row) for row in kept.rows()]
        content = kept.read(FILE) or b""
        with np.load(io.BytesIO(content)) as saved:
            asked, found = saved["greedy"].tolist()
        again = [_repeat(course, own + k, learner.folder(folder), watch) for k in range(1, 1 + repeats)]
        return {"games": games, "rows": rows, "asked": asked, "found": found, "repeats": again}

    settings = {"rules": matches.rules_of(GAME, TRAINING), "changes": {**course.changes, **learner.rules}, "seed": own,
                "code": course.code, "repeats": repeats}  # fmt: skip
    return Experiment(learner.name, settings, -(-games // EVERY) * (1 + repeats), run)


def _repeat(course: Course, seed: int, folder: Path, watch: Watch) -> list[dict[str, Any]]:
    """The curve of one more training, whose dictionary nobody needs."""
    place = folder.with_name(f"{folder.name}-{seed}")
    rows = [_numbers(row) for row in course.run(seed, place, watch=watch).rows()]
    shutil.rmtree(place)
    return rows


def _numbers(row: Mapping[str, str]) -> dict[str, Any]:
    return {key: float(row[key]) for key in ("games", "mean_reward", "draws", "positions", "found")}


def cost(games: int, seed: int, folder: Path) -> Experiment:
    """CPU-seconds of a whole training of each learner, checkpoints and all."""

    def run(watch: Watch) -> Result:
        found = {}
        for learner in (Q, SARSA):
            Learner(f"warm-{learner.name}", learner.rule).course(EVERY).run(seed, folder / "runs" / "warm")  # compiles
            place = folder / "runs" / f"cost-{learner.name}"
            started = time.process_time()
            learner.course(games).run(seed, place, Threads(1))
            found[learner.name] = time.process_time() - started
            (place / FILE).unlink()  # a run that was timed is not gone on with
            (place / "settings.json").unlink()
            watch(1)
        return {"games": 0, "seconds": found, "episodes": games}

    settings = {"games": games, "code": Q.course(games).code, "rules": matches.rules_of(GAME, TRAINING)}
    return Experiment("cost", settings, 2, run)


# ------------------------------------------------------------------------------------------------ what came of it


def trainings(results: Measured, learner: Learner) -> list[list[dict[str, float]]]:
    """The curve of each training."""
    return [results[learner.name]["rows"], *results[learner.name].get("repeats", [])]


def outcome(results: Measured, learner: Learner) -> tuple[int, int, int]:
    """Matches won, lost and drawn in all trainings."""
    counts = [_counted(rows, learner is PROMOTING) for rows in trainings(results, learner)]
    won, lost, drawn = (sum(count) for count in zip(*counts))
    return won, lost, drawn


def _counted(rows: list[dict[str, float]], ties_cost: bool) -> tuple[int, int, int]:
    games, drawn = int(rows[-1]["games"]), int(sum(row["draws"] for row in rows))
    lead = round(sum(row["mean_reward"] * size for row, size in zip(rows, sizes(rows))))
    lost_ties = drawn if ties_cost else 0  # there hardly a match reaches the cap, and ties cost 1
    won = (games - drawn + lead + lost_ties) // 2
    return won, games - drawn - won, drawn


def sizes(rows: list[dict[str, float]]) -> list[float]:
    """Episodes of each row."""
    ends = [row["games"] for row in rows]
    return [end - start for start, end in zip([0.0, *ends], ends)]


def decided(results: Measured, learner: Learner, label: str) -> Measure:
    """The share of wins among matches that were decided."""
    won, lost, _ = outcome(results, learner)
    rate = wilson(won, won + lost)
    return Measure(label, rate.value, rate.low, rate.high, won + lost)


def found_by_ply(results: Measured, learner: Learner, width: int) -> dict[float, Measure]:
    """How often a greedy decision found its position, by the learner's own moves, `width` together."""
    result = results[learner.name]
    asked, found = (np.array(result[key]) for key in ("asked", "found"))
    measures: dict[float, Measure] = {}
    for first in range(0, len(asked), width):
        n = int(asked[first : first + width].sum())
        if n >= 20:
            rate = wilson(int(found[first : first + width].sum()), n)
            measures[first + 1] = Measure("found", rate.value, rate.low, rate.high, n)
    return measures


def found_at_all(results: Measured, learner: Learner) -> Measure:
    """… over all moves of the last thousand episodes."""
    result = results[learner.name]
    rate = wilson(sum(result["found"]), sum(result["asked"]))
    return Measure("greedy choices that find their state", rate.value, rate.low, rate.high, sum(result["asked"]))
