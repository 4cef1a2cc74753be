"""Who meets whom: the lineups of the Gravitas paper under its rules and under the correct ones, then our own."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.catalogue import load, trainer_name
from ludus.papers import matches
from ludus.papers.claims import Measure
from ludus.papers.experiments import Experiment, Measured, Scale
from ludus.runs import shipped_runs
from ludus.workers import Workers

GAME = "gravwell"
PAPER, CORRECT, NEURAL = "paper", "default", "neural"
RULES = {PAPER: "paper preset", CORRECT: "correct rules", NEURAL: "neural preset"}
BOTH = (PAPER, CORRECT)
CHANCE = 0.25

RANDOM, NO_STOP = "random", "nostop"
TREE, INTENDED = "tree:reading=published", "tree:reading=intended"
HANDICAPPED = "tree:reading=intended,draft=random,stop=never"
"""The intended tree with what the networks have: the choice of cards, and nothing else."""
Q, Q_NO_STOP = "qlearning:gravwell-paper", "qlearning:gravwell-paper,stop=never"
Q_GRAVITY = "qlearning:gravwell-gravity"
"""A Q-learner that sees where gravity draws it, trained under the correct rules."""
CHAMPION = "champion"
EVOLVED, NEAT = "formulas", "neat"
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


def lineups(scale: Scale, seed: int, workers: Workers) -> list[Experiment]:
    """Every lineup, by name: those of the paper under its rules and under the correct ones, then our own."""
    found: list[Experiment] = []

    def add(name: str, specs: Sequence[str], games: int, presets: Sequence[str] = (PAPER, CORRECT)) -> None:
        for preset in presets:
            lineup = [shipped(spec, preset) if spec in (EVOLVED, NEAT) else spec for spec in specs]
            found.append(matches.lineup(f"{name}-{preset}", GAME, lineup, preset, games, seed, workers))

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
    game, name = load(GAME), trainer_name(method, GAME)
    runs = [run for run in shipped_runs() if (run.settings["method"], run.settings["game"]) == (name, GAME)]
    fitting = [run for run in runs if run.settings["rules"] == game.rule_values(preset)]
    return f"{method}:{(fitting or runs)[0].path.name}" if runs else f"{method}:{GAME}-{method}"


def share(results: Measured, name: str, preset: str, label: str, seat: int = 0) -> Measure:
    """The rate of wins of one seat; ties are settled by lot in this game, so a share is a rate."""
    return matches.share(results, f"{name}-{preset}", label, seat, RULES[preset])


def seats(results: Measured, name: str, preset: str, labels: Sequence[str]) -> list[Measure]:
    return [share(results, name, preset, label, seat) for seat, label in enumerate(labels)]
