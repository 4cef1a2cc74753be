"""The experiments of the Gravitas paper and ours beside them: what is played, how often, under which rules."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import shutil
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ludus import kernels
from ludus.arena.contest import contest
from ludus.catalogue import agent_kind, load, trainer
from ludus.errors import BadInput, UnknownName
from ludus.papers import Experiment, Result, Results, Scale, Watch
from ludus.papers.claims import Measure
from ludus.rng import match_words, word
from ludus.runs import SHIPPED, RunFolder, find_run
from ludus.settings import read_settings

GAME = "gravwell"
PAPER, CORRECT, NEURAL = "paper", "default", "neural"
RULES = {PAPER: "paper preset", CORRECT: "correct rules", NEURAL: "neural preset"}
BOTH = (PAPER, CORRECT)
THREADS = os.cpu_count() or 1
"""No result depends on it."""
CHANCE = 0.25

RANDOM, NO_STOP = "random", "nostop"
TREE, INTENDED = "tree:reading=published", "tree:reading=intended"
HANDICAPPED = "tree:reading=intended,draft=random,stop=never"
"""The intended tree with what the networks have: the choice of cards, and nothing else."""
Q, Q_NO_STOP = "qlearning:gravwell-paper", "qlearning:gravwell-paper,stop=never"
Q_GRAVITY = "qlearning:gravwell-gravity"
"""A Q-learner that sees where gravity draws it, trained under the correct rules."""
CHAMPION = "champion"
EVOLVED, NEAT = "evolution", "neat"
"""Methods: the run that comes with the package and was trained under the rules at hand plays; if none was, another."""

ABLATION = {
    "published": ("as published", TREE),
    "published-no-draft": ("published, random draft", f"{TREE},draft=random"),
    "published-no-play": ("published, random card", f"{TREE},play=random"),
    "published-no-stop": ("published, never stops", f"{TREE},stop=never"),
    "intended": ("as intended", INTENDED),
    "intended-no-draft": ("intended, random draft", f"{INTENDED},draft=random"),
    "intended-no-play": ("intended, random card", f"{INTENDED},play=random"),
    "intended-no-stop": ("intended, never stops", f"{INTENDED},stop=never"),
    "only-stop": ("only its stops, rest random", f"{INTENDED},draft=random,play=random"),
    "nothing": ("everything random", RANDOM),
}
RIVALS = {
    "random": "three random players",
    "intended": "three intended trees",
    "published": "three published trees",
    "nostop": "three No-ES",
    "q": "three Q-learners",
    "neat": "three NEAT networks",
}
"""Whom the champion meets."""
FINALISTS = ("tree", "Q-learning", "neuro-evolution", "random No-ES")
NEAT_FINALISTS = ("tree", "Q-learning", "NEAT", "random")
CHAMPION_FINALISTS = ("champion", "intended tree", "Q-learning", "NEAT")
FIG_15 = (0.311, 0.290, 0.212, 0.188)


# ------------------------------------------------------------------------------------------------ matches


def tournaments(scale: Scale, seed: int) -> list[Experiment]:
    """Every lineup, by name: those of the paper under its rules and under the correct ones, then our own."""
    found: list[Experiment] = []

    def add(name: str, specs: Sequence[str], games: int, presets: Sequence[str] = (PAPER, CORRECT)) -> None:
        for preset in presets:
            lineup = [shipped(spec, preset) if spec in (EVOLVED, NEAT) else spec for spec in specs]
            found.append(matches(f"{name}-{preset}", lineup, preset, games, seed))

    many, some = scale.pick(20_000, 100_000), scale.pick(10_000, 50_000)
    add("random", [RANDOM] * 4, scale.pick(30_000, 100_000))
    add("nostop", [NO_STOP, *[RANDOM] * 3], scale.pick(60_000, 400_000))
    add("q", [Q, *[RANDOM] * 3], many)
    add("q-nostop", [Q_NO_STOP, *[RANDOM] * 3], many)
    for key, (_, spec) in ABLATION.items():
        add(f"tree-{key}", [spec, *[RANDOM] * 3], many)
    # The second program had two classes swapped: what it called No-ES was the random player that does stop.
    add("evolved", [EVOLVED, *[RANDOM] * 3], some, [NEURAL])
    add("evolved", [EVOLVED, *[NO_STOP] * 3], some)
    add("nostop", [NO_STOP, *[RANDOM] * 3], many, [NEURAL])
    add("handicapped", [HANDICAPPED, *[RANDOM] * 3], many, [NEURAL])
    add("final", [TREE, Q, EVOLVED, RANDOM], many)
    add("final-text", [TREE, Q, EVOLVED, NO_STOP], many)
    add("slide", [EVOLVED, *[Q] * 3], some, [NEURAL])
    add("neat", [NEAT, *[NO_STOP] * 3], scale.pick(20_000, 50_000))
    add("handicapped", [HANDICAPPED, *[NO_STOP] * 3], many)
    add("neat-final", [TREE, Q, NEAT, RANDOM], some)
    for key, spec in {"neat": NEAT, "evolved": EVOLVED, "gravity": Q_GRAVITY}.items():
        add(f"skill-{key}", [spec, *[RANDOM] * 3], some)
    few = scale.pick(400, 4_000)
    add("champion-final", [CHAMPION, INTENDED, Q, NEAT], few)
    for key, spec in zip(RIVALS, (RANDOM, INTENDED, TREE, NO_STOP, Q, NEAT)):
        # The two with an aim deserve a narrower interval.
        games = scale.pick(1_200, 4_000) if key in ("random", "intended") else few
        add(f"champion-{key}", [CHAMPION, *[spec] * 3], games, [CORRECT])
    add("champion-random", [CHAMPION, *[RANDOM] * 3], scale.pick(400, 1_000), [PAPER])
    return found


def shipped(method: str, preset: str) -> str:
    """The spec of a trained agent that comes with the package, if possible one trained under these rules."""
    folders = [RunFolder(path.parent) for path in sorted(SHIPPED.glob("*/settings.json"))]
    runs = [run for run in folders if (run.settings["method"], run.settings["game"]) == (method, GAME)]
    fitting = [run for run in runs if run.settings["rules"] == load(GAME).rule_values(preset)]
    return f"{method}:{(fitting or runs)[0].path.name}" if runs else f"{method}:{GAME}-{method}"


def matches(name: str, specs: Sequence[str], preset: str, games: int, seed: int) -> Experiment:
    """One lineup under one preset, in whole blocks: everybody plays every seat equally often."""
    own, games = own_seed(seed, name), -(-games // len(specs)) * len(specs)

    def run(watch: Watch) -> Result:
        return standings(specs, preset, games, own, watch, THREADS)

    settings = {
        "game": GAME, "version": load(GAME).facts.version, "rules": load(GAME).rule_values(preset),
        "agents": list(specs), "code": [fingerprint(spec) for spec in dict.fromkeys(specs)],
        "games": games, "seed": own,
    }  # fmt: skip
    return Experiment(name, settings, games, run)


def standings(specs: Sequence[str], preset: str, games: int, seed: int, watch: Watch, jobs: int = 1) -> Result:
    """Share of wins of every seat of a lineup; ties are settled by lot in this game, so a share is a rate of wins."""
    played = contest(GAME, specs, games=games, seed=seed, preset=preset, jobs=jobs, watch=watch)
    if played.faults:
        raise BadInput(f"{', '.join(specs)}: matches ended with {played.faults}")
    shares = [{"value": one.score, "low": one.low, "high": one.high} for one in played.agents]
    return {"games": played.games, "shares": shares}


def side_by_side(work: Callable, items: Iterable) -> list:
    """What `work` makes of each item, in their order, on all cores: compiled code lets other threads run."""
    with ThreadPoolExecutor(THREADS) as workers:
        return list(workers.map(work, items))


def own_seed(seed: int, name: str) -> int:
    """A seed for one experiment, so that results of two are independent."""
    return word(seed, zlib.crc32(name.encode())) >> 33


@cache
def fingerprint(spec: str) -> str:
    """What stands behind a spec: the agent's code, and the run that it loads."""
    name, _, text = spec.partition(":")
    try:
        kind = agent_kind(name, GAME)
    except UnknownName:
        return "absent"
    digest = hashlib.sha256(source_of(kind.__module__).encode())
    try:
        run = find_run(str(read_settings(kind, text).get("run")))
    except BadInput:
        return digest.hexdigest()[:16]
    for path in sorted(path for path in run.path.iterdir() if path.is_file()):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


FOUND_BY_NAME = {"ludus.agents._abstraction": f"ludus.agents.{GAME}._abstractions"}
"""What a module imports only when it knows the game: no import statement tells."""


def source_of(module: str, seen: frozenset[str] = frozenset()) -> str:
    """The text of a module and of the agents and trainers that it imports: each may change what is played."""
    text = inspect.getsource(importlib.import_module(module))
    kin = set(re.findall(r"^from (ludus\.(?:agents|learn)\.[\w.]+) import", text, re.MULTILINE))
    kin |= {FOUND_BY_NAME[one] for one in (module,) if one in FOUND_BY_NAME}
    new = sorted(kin - seen - {module})
    return text + "".join(source_of(one, seen | kin | {module}) for one in new)


# ------------------------------------------------------------------------------------------------ enough games

RUN_COUNTS = {
    "wins-320": (4, 320, 0.10),
    "tiles-60": (2, 60, 0.05),
    "tiles-280": (4, 280, 0.05),
    "tiles-1180": (4, 1180, 0.025),
}
"""Players, games of a test, leeway; the first compares wins, the others mean tiles at the end."""


def run_counts(scale: Scale, seed: int) -> list[Experiment]:
    return [_run_counts(preset, scale.pick(300, 2_000), seed) for preset in BOTH]


def _run_counts(preset: str, tests: int, seed: int) -> Experiment:
    """How often random players pass for equal, by wins or by where they end."""
    own = own_seed(seed, f"run-counts-{preset}")

    def run(watch: Watch) -> Result:
        return {name: {"tests": tests, "passed": passed_tests(name, preset, tests, own, watch)} for name in RUN_COUNTS}

    settings = {"version": load(GAME).facts.version, "rules": load(GAME).rule_values(preset), "tests": tests,
                "seed": own, "what": RUN_COUNTS}  # fmt: skip
    steps = tests * sum(games for _, games, _ in RUN_COUNTS.values())
    return Experiment(f"run-counts-{preset}", settings, steps, run)


def passed_tests(name: str, preset: str, tests: int, seed: int, watch: Watch) -> int:
    """A test is passed if every player's mean is within the leeway of the mean of all."""
    players, games, leeway = RUN_COUNTS[name]

    def is_passed(test: int) -> bool:
        tiles, winners = random_games(players, preset, games, word(seed, zlib.crc32(name.encode()), test))
        means = (np.eye(players)[winners] if name.startswith("wins") else tiles).mean(axis=0)
        watch(games)
        return bool((np.abs(means / means.mean() - 1) < leeway).all())

    return sum(side_by_side(is_passed, range(tests)))


def random_games(players: int, preset: str, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Tiles at the end of random play, one row a game, and the winners."""
    game = load(GAME)
    words = match_words(seed, np.arange(games), 0, players)
    states = game.start(words, players, game.rule_values(preset))
    game.kernel(kernels.rollouts)(states, words, np.zeros(games, np.int64), game.facts.max_plies)
    return states["tile"][:, :players].astype(float), states["winner"] - 1


# ------------------------------------------------------------------------------------------------ tables 2 to 5

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
LEARNER = "learner"
"""In a lineup: whoever is trained."""


def learning(scale: Scale, seed: int, folder: Path) -> list[Experiment]:
    """Q-learners trained several times over, each measured as in the paper: every variant, and the final.

    The paper had one table. Another training gives another one, and the final shows it.
    """
    lessons, trainings = scale.pick(LESSONS, LESSONS), scale.pick(8, 30)

    def add(name: str, changes: dict[str, Any], taught: str, lineup: Sequence[str], preset: str, games: int) -> None:
        seeds = [own_seed(seed, f"{name}-{preset}-{k}") for k in range(trainings)]
        settings = {"abstraction": "product", "games": lessons, **changes}
        found.append(trainings_of(f"{name}-{preset}", settings, taught, lineup, preset, games, seeds, folder))

    found: list[Experiment] = []
    for preset in BOTH:
        for variant, (_, changes) in VARIANTS.items():
            add(f"learn-{variant}", changes, preset, [LEARNER, *[RANDOM] * 3], preset, TABLE_GAMES)
    add("final", {}, PAPER, [TREE, LEARNER, shipped(EVOLVED, NEURAL), RANDOM], NEURAL, FINAL_GAMES)
    return found


def trainings_of(
    name: str, changes: dict[str, Any], taught: str, lineup: Sequence[str], preset: str, games: int,
    seeds: Sequence[int], folder: Path,
) -> Experiment:  # fmt: skip
    """One training for each seed under the rules `taught`; each learner then meets the lineup."""

    def run(watch: Watch) -> Result:
        def shares_of(k: int) -> list[float]:
            learnt = trained_run("qlearning", changes, seeds[k], folder / "runs" / f"{name}-{k}", taught)
            specs = [f"qlearning:run={learnt.path}" if spec == LEARNER else spec for spec in lineup]
            return [one["value"] for one in standings(specs, preset, games, seeds[k], watch)["shares"]]

        scores = np.array(side_by_side(shares_of, range(len(seeds))))
        return {"trainings": len(seeds), "games": len(seeds) * games, "shares": [*map(mean_interval, scores.T)]}

    settings = {"version": load(GAME).facts.version, "changes": changes, "seeds": seeds, "games": games,
                "rules": [load(GAME).rule_values(preset) for preset in (taught, preset)], "agents": list(lineup),
                "code": [*map(fingerprint, ("qlearning", *lineup)), trainer_code("qlearning")]}  # fmt: skip
    return Experiment(name, settings, len(seeds) * games, run)


def trained_run(
    method: str, changes: dict[str, Any], seed: int, path: Path, preset: str = PAPER, watch: Watch = lambda done: None
) -> RunFolder:
    """A run folder trained with these settings; an unfinished one is gone on with."""
    method_of = trainer(method)
    game, settings = load(GAME), method_of.Settings(**changes)
    values = game.rule_values(preset)
    wanted = {
        "method": method, "game": GAME, "version": game.facts.version, "rules": values,
        "settings": vars(settings), "seed": seed, "code": trainer_code(method),
    }  # fmt: skip
    if (path / "settings.json").exists() and RunFolder(path).settings != wanted:
        shutil.rmtree(path)  # of an earlier reproduction at another scale or with other code
    run = RunFolder.begin(path, wanted)
    for _ in method_of.train(game, values, settings, run, seed):
        watch(1)
    return run


def trainer_code(method: str) -> str:
    try:
        source = source_of(trainer(method).__name__)
    except UnknownName:
        return "absent"
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def mean_interval(scores: Sequence[float]) -> dict[str, float]:
    """The mean over independent trainings, with Student's interval: trainings differ by more than their games.

    `one_low` and `one_high` are where one more training would fall.
    """
    from scipy.special import stdtrit

    n, mean = len(scores), float(np.mean(scores))
    width = float(stdtrit(n - 1, 0.975)) * float(np.std(scores, ddof=1))
    half, one = width / n**0.5, width * (1 + 1 / n) ** 0.5
    return {"value": mean, "low": mean - half, "high": mean + half, "one_low": mean - one, "one_high": mean + one}


# ------------------------------------------------------------------------------------------------ evolution

SELECTION_RUNS = (20, 34, 80, 160, 280, 500, 1_000, 2_000)
"""Games by which a candidate may be judged; the paper used 20 to some dozens, and found 280 too slow."""


def evolution(scale: Scale, seed: int, folder: Path) -> list[Experiment]:
    return [breeding(scale, seed, folder), selection(scale, seed), evolution_cost(seed)]


def breeding(scale: Scale, seed: int, folder: Path) -> Experiment:
    """The published scheme, by generations: what the best seems to win, and what it wins on fresh games."""
    generations, own = scale.pick(60, 400), own_seed(seed, "breeding")

    def run(watch: Watch) -> Result:
        run = trained_run("evolution", {"generations": generations}, own, folder / "runs" / "evolution", NEURAL, watch)
        return {"rows": [{name: float(row[name]) for name in ("share", "audit")} for row in run.rows()]}

    settings = {"version": load(GAME).facts.version, "generations": generations, "seed": own,
                "code": trainer_code("evolution")}  # fmt: skip
    return Experiment("breeding", settings, generations, run)


def selection(scale: Scale, seed: int) -> Experiment:
    """One generation of 48 candidates: the share of wins of the best as seen in r games, and its true one."""
    batches, own = 2 * scale.pick(4, 20), own_seed(seed, "selection")
    games = batches // 2 * SELECTION_RUNS[-1]

    def batch(k: int) -> np.ndarray:
        return first_generation(SELECTION_RUNS[-1], own, word(own, k))

    def run(watch: Watch) -> Result:
        seen, fresh = np.hsplit(np.hstack(side_by_side(batch, range(batches))), 2)
        watch(2 * len(seen) * games)
        spread = true_spread(fresh)
        return {"games": games, "candidates": len(seen), "spread": spread, "best": best_seen(seen, fresh)}

    settings = {"version": load(GAME).facts.version, "games": games, "seed": own, "runs": SELECTION_RUNS,
                "code": trainer_code("evolution")}  # fmt: skip
    return Experiment("selection", settings, 2 * 48 * games, run)


def first_generation(games: int, seed: int, luck: int) -> np.ndarray:
    """Whether each candidate (row, named by the seed) won each game (column, named by the luck)."""
    method = trainer("evolution")
    settings, rng = method.Settings(), np.random.default_rng(seed)
    parents = [method.first_program(rng) for _ in range(settings.population)]
    children = [method.mutant(one, settings.deletion, rng) for one in parents for _ in range(settings.children)]
    game = load(GAME)
    return method.judge(game, game.rule_values(NEURAL), settings, [*parents, *children], games, luck).wins


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

    return Experiment("evolution-cost", {"code": trainer_code("evolution")}, 2, run)


# ------------------------------------------------------------------------------------------------ speed of learning


def learning_speed(seed: int, folder: Path) -> Experiment:
    """How long a training of 2,000 games takes; a first one, not counted, compiles."""

    def run(watch: Watch) -> Result:
        seconds = 0.0
        for k in range(2):
            path = folder / "runs" / f"speed-{k}"
            shutil.rmtree(path, ignore_errors=True)
            started = time.process_time()
            trained_run("qlearning", {"games": TABLE_GAMES}, own_seed(seed, f"speed-{k}"), path)
            seconds = time.process_time() - started
            watch(1)
        return {"seconds": seconds}

    return Experiment("learning-speed", {"games": TABLE_GAMES, "code": trainer_code("qlearning")}, 2, run)


# ------------------------------------------------------------------------------------------------ reading results


def share(results: Results, name: str, preset: str, label: str, seat: int = 0) -> Measure:
    """The rate of wins of one seat of a lineup."""
    result = results[f"{name}-{preset}"]
    one = result["shares"][seat]
    return Measure(label, one["value"], one["low"], one["high"], result["games"], rules=RULES[preset])


def seats(results: Results, name: str, preset: str, labels: Sequence[str]) -> list[Measure]:
    return [share(results, name, preset, label, seat) for seat, label in enumerate(labels)]
