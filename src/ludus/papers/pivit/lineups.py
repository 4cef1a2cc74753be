"""What is played and trained in the reproduction of the Pivit paper, and what was published or is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ludus.papers import matches
from ludus.papers.experiments import Experiment, Result, Scale, Watch, own_seed
from ludus.papers.pivit.learners import PROMOTING, SARSA, Learner, Q, cost, training
from ludus.papers.pivit.plays import GAME, random_play, search_speed
from ludus.workers import Workers

PAPER = {"promotion": "off", "tie": "draw", "stuck": "loss"}
READINGS: Mapping[str, Mapping[str, object]] = {
    "random-paper": PAPER | {"cap": 500},
    "random-training": PAPER | {"cap": 440},
    "random-official": {},
    "random-tie": {"tie": "draw"},
}
"""Rules under which random plays random."""
KNOWN = {
    "random-paper": (0.407, 0.410, 0.184),
    "random-training": (0.404, 0.407, 0.189),
    "random-official": (0.497, 0.503, 0.0),
    "random-tie": (0.337, 0.342, 0.320),
}
"""First, second, drawn, in an independent program, 20,000 games each."""
KNOWN_GAMES = 20_000
HEAD_TO_HEAD = (429, 414, 157)
"""Experiment D: won by the first seat, by the second, drawn."""

KINDS = matches.Course(GAME, "qlearning", {"rivals": "self", "rule": "sarsa", "trace": 1.0, "games": 20_000})
"""A table that knows kinds of moves in kinds of situations instead of positions; as many episodes as published."""
DQN, TD, CHAMPION = "dqn:pivit-dqn", "greedy:run=pivit-td", "champion"
LADDER = {
    "random": "random", "greedy": "greedy", "DQN": DQN, "TD": TD, "depth 2": "alphabeta:depth=2",
    "depth 4": "alphabeta:depth=4", "champion": f"{CHAMPION}:ms=10",
}  # fmt: skip
"""Two depths of search stand between TD and the champion, who would else win every match and have no rating."""
DEPTHS = {
    ("1", "random"): (1.0, 400), ("2", "random"): (1.0, 400), ("2", "1"): (0.98, 200), ("3", "2"): (1.0, 100),
    ("4", "3"): (0.85, 40), ("4", "2"): (0.97, 30),
}  # fmt: skip
"""Fixed depths of alpha-beta with the plain evaluation: the share of the first in an independent program, and games."""
RIVALS = {
    "depth 4": ("alphabeta:depth=4", 0.9),
    "the aggressive minimax": ("minimax:style=aggressive", 0.95),
    "the defensive minimax": ("minimax:style=defensive", 0.95),
    "the neutral minimax": ("minimax:style=neutral", 0.95),
    "mcts, ten times the time": ("mcts:ms=1000", 0.9),
}
"""Whom the champion meets, and what share of the point is wanted."""
OTHERS = {
    "best-reply search": "alphabeta:ms=20,rivals=best",
    "mcts that judges its leaves": "mcts:ms=20,horizon=0,c=0.2",
}
"""The best two kinds of others among three and four players; paranoid, max^n and mcts by default do no better."""
CROWDS = [(players, name) for players in (3, 4) for name in OTHERS]
SEARCHES = {"plain evaluation": "alphabeta:ms=100", "champion": CHAMPION}


def experiments(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    episodes = scale.pick(20_000, 20_000)
    found = [random_play(name, rules, scale.pick(20_000, 100_000), seed, workers) for name, rules in READINGS.items()]
    found += [learner_of(scale, learner, seed, folder) for learner in (Q, SARSA, PROMOTING)]
    found += [cost(episodes, seed, folder), head_to_head(scale, seed, folder, workers)]
    found += [kinds(scale, seed, folder, workers), *learnt(scale, seed, workers), *depths(scale, seed, workers)]
    found.append(search_speed("speed", SEARCHES, seed, scale.pick(20, 100)))
    found += [*champion(scale, seed, folder, workers), *crowds(scale, seed, folder, workers)]
    return [*found, ladder(scale, seed, folder, workers)]


def learner_of(scale: Scale, learner: Learner, seed: int, folder: Path) -> Experiment:
    repeats = 0 if learner is PROMOTING else 9 if scale.is_full else 4
    return training(learner, scale.pick(20_000, 20_000), seed, folder, repeats)


def head_to_head(scale: Scale, seed: int, folder: Path, workers: Workers) -> Experiment:
    """Experiment D with the tables really loaded and seats swapped."""
    name, games = "head-to-head", scale.pick(2_000, 10_000)
    own = own_seed(seed, name)

    def run(watch: Watch) -> Result:
        specs = [f"dictionary:{learner.folder(folder)}" for learner in (Q, SARSA)]
        return matches.standings(GAME, specs, "paper", games, own, watch, workers)

    trained = [learner_of(scale, learner, seed, folder).settings for learner in (Q, SARSA)]
    settings = {"rules": matches.rules_of(GAME, "paper"), "trained": trained, "games": games, "seed": own}
    return Experiment(name, settings, games, run)


def kinds(scale: Scale, seed: int, folder: Path, workers: Workers) -> Experiment:
    """The table of kinds against one ply of thought, trained several times over."""
    seeds = [own_seed(seed, f"kinds {number}") for number in range(scale.pick(4, 10))]
    games = scale.pick(200, 1_000)
    lineup = (matches.LEARNER, "greedy")
    return matches.trainings("kinds", KINDS, lineup, "default", games, seeds, folder, workers)


def learnt(scale: Scale, seed: int, workers: Workers) -> list[Experiment]:
    """Those that really learnt, against random play and one ply of thought."""
    games = scale.pick(2_000, 10_000)
    found = [
        matches.lineup(f"{name}-random", GAME, (spec, "random"), "default", games, seed, workers)
        for name, spec in (("greedy", "greedy"), ("dqn", DQN), ("td", TD))
    ]
    return [
        *found,
        matches.lineup("dqn-greedy", GAME, (DQN, "greedy"), "default", games, seed, workers),
        matches.lineup("td-greedy", GAME, (TD, "greedy"), "default", games, seed, workers),
    ]


def depths(scale: Scale, seed: int, workers: Workers) -> list[Experiment]:
    return [
        matches.lineup(f"depth-{one}-{two}", GAME, (at_depth(one), at_depth(two)), "default",
                       scale.pick(100 if int(one) < 4 else 40, 400), seed, workers)
        for one, two in DEPTHS
    ]  # fmt: skip


def at_depth(depth: str) -> str:
    return depth if depth == "random" else f"alphabeta:depth={depth}"


def champion(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    games = {"mcts:ms=1000": scale.pick(4, 400)}
    return [
        matches.lineup(f"champion-{number}", GAME, (CHAMPION, spec), "default", games.get(spec, scale.pick(10, 400)),
                       seed, workers, folder)
        for number, (spec, _) in enumerate(RIVALS.values())
    ]  # fmt: skip


def crowds(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    """The champion among copies of each of the best other agents."""
    return [
        matches.lineup(f"players-{players}-{name.split()[0]}", GAME,
                       (f"{CHAMPION}:ms=20", *[OTHERS[name]] * (players - 1)), "default",
                       scale.pick(24, 240), seed, workers, folder)
        for players, name in CROWDS
    ]  # fmt: skip


def ladder(scale: Scale, seed: int, folder: Path, workers: Workers) -> Experiment:
    """Everybody against everybody, the published Q-learner and the first table of kinds among them."""
    tables = {"Q-learning": f"dictionary:{Q.folder(folder)}", "kinds": f"qlearning:{folder / 'runs' / 'kinds-0'}"}
    played = matches.ladder("ladder", GAME, LADDER | tables, "default", scale.pick(40, 400), seed, workers)
    trained = [learner_of(scale, Q, seed, folder).settings, kinds(scale, seed, folder, workers).settings]
    # By how the tables are made: a digest of their folders would be another once they are there.
    known = {"code": matches.codes(GAME, list(LADDER.values())), "trained": trained}
    return replace(played, settings={**played.settings, **known})
