"""Experiments by playing: one lineup, a learner trained several times over, a ladder; all numbers with intervals.

What decides a result is among the settings of its experiment: rules and agents by their content, numbers, seeds.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ludus.arena.contest import Contest, contest
from ludus.arena.kept import Kept
from ludus.arena.ratings import Rating, rate
from ludus.catalogue import load, trainer, trainer_name
from ludus.errors import BadInput, UnknownName
from ludus.identity import agent_parts, game_parts, module_content
from ludus.papers.claims import Measure
from ludus.papers.experiments import Experiment, Measured, Result, Watch, own_seed
from ludus.records import MatchRecord
from ludus.runs import RunFolder, begin_run
from ludus.workers import Threads, Workers

# ------------------------------------------------------------------------------------------------ one lineup


def lineup(
    name: str, game: str, specs: Sequence[str], preset: str, games: int, seed: int, workers: Workers,
    folder: Path | None = None,
) -> Experiment:  # fmt: skip
    """One lineup under one preset, in whole blocks: everybody plays every seat equally often. With a folder its matches
    are kept there as they end, as `ludus match --records` keeps them, and a killed one goes on with them."""
    own, games = own_seed(seed, name), -(-games // len(specs)) * len(specs)
    path = folder / "matches" / f"{name}.jsonl" if folder else None

    def run(watch: Watch) -> Result:
        return standings(game, specs, preset, games, own, watch, workers, path=path)

    settings = {"rules": rules_of(game, preset), "agents": list(specs), "code": codes(game, specs), "games": games,
                "seed": own}  # fmt: skip
    return Experiment(name, settings, games, run)


def standings(
    game: str, specs: Sequence[str], preset: str, games: int, seed: int, watch: Watch, workers: Workers,
    rules: Mapping[str, object] | None = None, path: Path | None = None,
) -> Result:  # fmt: skip
    """The mean share of the point of every agent of a lineup; `rules` are changes of the preset, and matches are kept
    at `path`."""
    play = partial(contest, game, specs, games=games, seed=seed, preset=preset, rules=rules, workers=workers)
    kept = Kept(path, load(game), specs, load(game).rule_values(preset, rules), seed) if path else None
    played = _going_on(play, kept, watch) if kept else play(watch=watch)
    if played.faults:
        raise BadInput(f"{', '.join(specs)}: matches ended with {played.faults}")
    shares = [{"value": one.score, "low": one.low, "high": one.high} for one in played.agents]
    return {"games": played.games, "shares": shares}


def _going_on(play: Callable[..., Contest], kept: Kept, watch: Watch) -> Contest:
    """Play what is missing in a file."""

    def write(done: int) -> None:
        kept.write()
        watch(done)

    return play(watch=write, keep=kept.keep, played=kept.file.read())


def rules_of(game: str, preset: str) -> dict[str, str]:
    """The content of the rules under a preset."""
    return game_parts(load(game), load(game).rule_values(preset))


def codes(game: str, specs: Sequence[str]) -> dict[str, Any]:
    """What stands behind each spec: the agent's code and the run that it loads."""
    return {spec: _code(game, spec) for spec in specs}


def _code(game: str, spec: str) -> dict[str, str]:
    try:
        return agent_parts(spec, load(game))
    except UnknownName:  # whoever plays it says so
        return {}


def share(results: Measured, name: str, label: str, seat: int = 0, rules: str = "") -> Measure:
    """What one seat of a lineup got; `rules` are the words for the preset it was played under."""
    result = results[name]
    one = result["shares"][seat]
    return Measure(label, one["value"], one["low"], one["high"], result["games"], rules=rules)


# ------------------------------------------------------------------------------------------------ trainings

LEARNER = "learner"
"""In a lineup: whoever is trained."""


@dataclass(frozen=True)
class Course:
    """How to train: a method, its settings where they are not the usual ones, and the rules."""

    game: str
    method: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    preset: str = "default"
    rules: Mapping[str, Any] = field(default_factory=dict)
    """Changes of the preset."""

    @property
    def code(self) -> str:
        return trainer_code(self.method, self.game)

    def run(self, seed: int, path: Path, workers: Workers | None = None, watch: Watch = lambda done: None) -> RunFolder:
        """A run folder trained so; an unfinished one is gone on with."""
        module, name, game = trainer(self.method, self.game), trainer_name(self.method, self.game), load(self.game)
        settings, values = module.Settings(**self.changes), game.rule_values(self.preset, self.rules)
        if (path / "settings.json").exists() and (path / "code").read_text() != self.code:
            shutil.rmtree(path)  # of an earlier reproduction with other code
        try:
            run = begin_run(path, name, game, values, settings, seed)
        except BadInput:
            shutil.rmtree(path)  # … or at another scale
            run = begin_run(path, name, game, values, settings, seed)
        run.write("code", self.code.encode())
        workers = workers or Threads(1)
        own = Threads() if workers.apart and not hasattr(module, "TRAVELS") else workers
        for _ in module.train(game, values, settings, run, seed, own):
            watch(1)
        return run


def trainer_code(method: str, game: str) -> str:
    """The content of a method."""
    try:
        return module_content(trainer(method, game), load(game))
    except UnknownName:
        return "absent"


def trainings(
    name: str, course: Course, lineup: Sequence[str], preset: str, games: int, seeds: Sequence[int], folder: Path,
    workers: Workers,
) -> Experiment:  # fmt: skip
    """One training for each seed; each learner then takes its seat in the lineup.

    A paper mostly had one training. Another one gives another player, and the interval is that of the trainings.
    """
    short = course.method.rpartition("/")[2]

    def shares_of(k: int) -> list[float]:
        learnt = course.run(seeds[k], folder / "runs" / f"{name}-{k}")
        specs = [f"{short}:run={learnt.path}" if spec == LEARNER else spec for spec in lineup]
        found = standings(course.game, specs, preset, games, seeds[k], lambda done: None, Threads(1))
        return [one["value"] for one in found["shares"]]

    def run(watch: Watch) -> Result:
        scores = []
        for shares in workers.stream(lambda k: (k, shares_of(k)), range(len(seeds))):
            scores.append(shares)
            watch(games)
        columns = np.array([shares for _, shares in sorted(scores)]).T
        return {"trainings": len(seeds), "games": len(seeds) * games, "shares": [*map(mean_interval, columns)]}

    settings = {"rules": [rules_of(course.game, one) for one in (course.preset, preset)], "changes": course.changes,
                "seeds": seeds, "games": games, "agents": list(lineup), "trainer": course.code,
                "code": codes(course.game, [spec for spec in lineup if spec != LEARNER])}  # fmt: skip
    return Experiment(name, settings, len(seeds) * games, run)


def mean_interval(scores: Sequence[float]) -> dict[str, float]:
    """The mean over independent trainings, with Student's interval: trainings differ by more than their games.

    `one_low` and `one_high` are where one more training would fall.
    """
    from scipy.special import stdtrit

    n, mean = len(scores), float(np.mean(scores))
    width = float(stdtrit(n - 1, 0.975)) * float(np.std(scores, ddof=1))
    half, one = width / n**0.5, width * (1 + 1 / n) ** 0.5
    return {"value": mean, "low": mean - half, "high": mean + half, "one_low": mean - one, "one_high": mean + one}


# ------------------------------------------------------------------------------------------------ ladders


def ladder(
    name: str, game: str, agents: Mapping[str, str], preset: str, games: int, seed: int, workers: Workers,
    players: int = 2,
) -> Experiment:  # fmt: skip
    """Everybody against everybody, `games` for each lineup; ratings with intervals. `agents` has specs by their labels.

    The one called random, if there is one, stands at 0. `met` has what the first of a lineup got in it.
    """
    own, lineups = own_seed(seed, name), list(combinations(agents, players))
    games = -(-games // players) * players

    def run(watch: Watch) -> Result:
        met: list[tuple[list[str], Sequence[float], int]] = []
        firsts = []
        for number, labels in enumerate(lineups):

            def keep(record: MatchRecord, number: int = number, labels: tuple[str, ...] = labels) -> None:
                seated = [labels[(seat + record.rotation) % players] for seat in range(players)]
                met.append((seated, record.shares, number * games + record.block))

            specs = [agents[label] for label in labels]
            played = contest(game, specs, games=games, seed=own, preset=preset, workers=workers, watch=watch, keep=keep)
            first = played.agents[0]
            firsts.append(
                {"lineup": labels, "value": first.score, "low": first.low, "high": first.high, "games": games}
            )
        met.sort(key=lambda one: one[2])  # threads finish in any order
        found = rate(*zip(*met), rng=np.random.default_rng(own))
        return {"games": len(lineups) * games, "rows": [_row(row) for row in found.rows], "note": found.note,
                "met": firsts}  # fmt: skip

    settings = {"rules": rules_of(game, preset), "agents": dict(agents), "games": games, "seed": own,
                "code": codes(game, list(agents.values()))}  # fmt: skip
    return Experiment(name, settings, len(lineups) * games, run)


def _row(row: Rating) -> Result:
    elo = row.elo
    return {"name": row.name, "rating": elo.value, "low": elo.low, "high": elo.high, "games": elo.n, "score": row.score}
