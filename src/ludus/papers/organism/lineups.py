"""What is trained and who meets whom in the reproduction of the Organism paper."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ludus.agents.organism._search import Limits, Search
from ludus.agents.organism.hexaconv import WEIGHTS, quickest_values
from ludus.arena.contest import contest
from ludus.arena.match import Match
from ludus.catalogue import agent, load
from ludus.nets.hexaconv import Arrays, from_onnx, sizes
from ludus.papers import matches
from ludus.papers.claims import Measure, rate_of
from ludus.papers.experiments import Experiment, Measured, Result, Scale, Watch, own_seed
from ludus.papers.matches import Course
from ludus.papers.organism.openings import typical
from ludus.records import MatchRecord
from ludus.workers import Workers

Changes = Mapping[str, object]

GAME = "organism"
PAPER, PROGRAM = "PE", "P"
RULES = {PAPER: "rules of the paper", PROGRAM: "rules of its program"}
BOTH = (PAPER, PROGRAM)
SEEDS = 3
SMALL = {"width": 32, "games": 24, "gate": 12, "epochs": 2}
"""What a quick reproduction has less of."""
WIDTH = 512
"""Channels of the published network."""
ITERATIONS = 10
FIFTH = 5
"""The iteration that the paper speaks of."""
OURS, SIZES, SMALL_BOARDS = (f"alphazero:{name}" for name in ("organism", "organism_sizes", "organism_small_boards"))
"""For three rings, for three to five, and one that learnt on three and four alone."""
FIVE_RINGS, DECIDED, ENOUGH = "P5", {"cutoff": "tokens"}, {"turn_limit": 110}
"""Searches draw nearly all matches on five rings, so one that is cut off goes to who has more tokens. The game itself
has no limit: 60 turns are the paper's for three rings, and this board is nearly twice as wide."""

BUDGETS = (25, 100, 400, 1600, 10_000)
"""Simulations of the searches whose matches show whom the rules favour."""
STRENGTHS = {"random": "random", **{f"mcts {sims:,}": f"mcts:sims={sims}" for sims in BUDGETS}}
OUR_BUDGETS = (0, 16, 64, 256)
OUR_STRENGTHS = {f"ours {sims}": f"{OURS},sims={sims},temperature=0.5" for sims in OUR_BUDGETS}
"""The same for our network, under the rules that it was trained for."""
SHOWN = 200
"""Matches by which a typical opening is found."""


def experiments(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    seeds = {PAPER: SEEDS, PROGRAM: SEEDS if scale.is_full else 1}
    found = [training(scale, seed, folder, workers, preset, k) for preset in BOTH for k in range(seeds[preset])]
    found += [fairness(scale, seed, workers, preset, name) for preset in BOTH for name in strengths(scale, preset)]
    found += [fairness(scale, seed, workers, PAPER, name) for name in OUR_STRENGTHS]
    found += [networks(scale, seed, folder, workers, preset) for preset in BOTH]
    return [*found, plateau(scale, seed, folder, workers), *ours(scale, seed, folder, workers),
            pace(scale, seed, folder, workers)]  # fmt: skip


# ------------------------------------------------------------------------------------------------ trainings


def course(scale: Scale, preset: str) -> Course:
    """The published protocol; a quick reproduction has a narrow network and fewer matches."""
    less = {} if scale.is_full else SMALL
    iterations = ITERATIONS if scale.is_full else 6
    return Course(GAME, "hexaconv", {**less, "iterations": iterations, "device": device()}, preset)


def device() -> str:
    """A GPU, if there is one."""
    try:
        import torch
    except ImportError:
        return "cpu"
    return "cuda" if torch.cuda.is_available() else "cpu"


def run_of(folder: Path, preset: str, k: int) -> Path:
    return folder / "runs" / f"training-{preset}-{k}"


def training(scale: Scale, seed: int, folder: Path, workers: Workers, preset: str, k: int) -> Experiment:
    """The protocol from one more first network; the log."""
    how, name = course(scale, preset), f"training-{preset}-{k}"
    own = own_seed(seed, name)

    def run(watch: Watch) -> Result:
        run = how.run(own, run_of(folder, preset, k), workers, watch)
        return {"rows": [{key: float(value) for key, value in row.items()} for row in run.rows()], "device": device()}

    changes = {key: value for key, value in how.changes.items() if key != "device"}
    settings = {"rules": matches.rules_of(GAME, preset), "changes": changes, "seed": own, "code": how.code}
    return Experiment(name, settings, int(how.changes["iterations"]), run)


def accepted(path: Path) -> list[int]:
    """The iterations of a run whose network passed the gate."""
    return sorted(int(file.stem.partition("-")[2]) for file in path.glob("iteration-*.onnx"))


def fifth(path: Path) -> str:
    """The agent after five iterations: the last network that was accepted by then."""
    found = [number for number in accepted(path) if number <= FIFTH]
    return f"hexaconv:{path},iteration={found[-1]}" if found else f"hexaconv:{path}"


# ------------------------------------------------------------------------------------------------ whom the rules favour


def seats(spec: str, preset: str, games: int, seed: int, workers: Workers, watch: Watch) -> Result:
    """Matches of an agent against itself: what each seat won, and how they begin."""
    counts, shown = [0, 0, 0], []

    def keep(record: MatchRecord) -> None:
        first = record.returns[0]
        counts[0 if first > 0 else 1 if first < 0 else 2] += 1
        if len(shown) < SHOWN:
            shown.append(record)

    contest(GAME, [spec, spec], games=games, seed=seed, preset=preset, workers=workers, watch=watch, keep=keep)
    return {"games": games, "first": counts[0], "second": counts[1], "draws": counts[2], "opening": typical(shown)}


def strengths(scale: Scale, preset: str) -> list[str]:
    """Without the dearest searches where few matches are wanted, and under the rules that are the cross-check."""
    dearest = (1600 if preset == PAPER else 100, 10_000 if preset == PAPER else 400)[scale.is_full]
    left_out = [f"mcts {sims:,}" for sims in BUDGETS if sims > dearest]
    return [name for name in STRENGTHS if name not in left_out]


def fairness(scale: Scale, seed: int, workers: Workers, preset: str, name: str) -> Experiment:
    spec = (STRENGTHS | OUR_STRENGTHS)[name]
    key = f"fairness-{preset}-{name}"
    own, games = own_seed(seed, key), 2 * scale.pick(*_games(name))

    def run(watch: Watch) -> Result:
        return seats(spec, preset, games, own, workers, watch)

    settings = {"rules": matches.rules_of(GAME, preset), "agent": spec, "code": matches.codes(GAME, [spec]),
                "games": games, "seed": own}  # fmt: skip
    return Experiment(key, settings, games, run)


def _games(name: str) -> tuple[int, int]:
    """Pairs of matches, quick and full: as many as leave three points, but for the dearest, of which one takes a core
    up to a minute."""
    dear = {"mcts 400": (10, 200), "mcts 1,600": (5, 60), "mcts 10,000": (2, 16)}
    dear |= {"ours 64": (20, 560), "ours 256": (10, 560)}
    return {"random": (600, 1000), **dear}.get(name, (40, 560))


def networks(scale: Scale, seed: int, folder: Path, workers: Workers, preset: str) -> Experiment:
    """The same for every network that passed the gate in the first training, turns drawn as in its self-play."""
    key = f"networks-{preset}"
    own, games = own_seed(seed, key), 2 * scale.pick(20, 100)

    def run(watch: Watch) -> Result:
        path, found = run_of(folder, preset, 0), {}
        for number in accepted(path):
            spec = f"hexaconv:{path},iteration={number},sampled=on,temperature=0.7,device={device()}"
            found[str(number)] = seats(spec, preset, games, own, workers, lambda done: None)
        watch(games)
        return {"games": games * len(found), "iterations": found}

    settings = {"training": training(scale, seed, folder, workers, preset, 0).settings, "games": games, "seed": own}
    return Experiment(key, settings, games, run)


def first_share(result: Result, label: str, preset: str) -> Measure:
    """The first player's share of the decided matches."""
    return rate_of(result["first"], max(1, result["first"] + result["second"]), label, RULES[preset])


# ------------------------------------------------------------------------------------------------ strength and pace


def plateau(scale: Scale, seed: int, folder: Path, workers: Workers) -> Experiment:
    """Every later network of each training under the paper's rules against that of its fifth iteration."""
    own, games = own_seed(seed, "plateau"), 2 * scale.pick(10, 100)

    def run(watch: Watch) -> Result:
        found = {}
        for k in range(SEEDS):
            path = run_of(folder, PAPER, k)
            for number in (one for one in accepted(path) if one > FIFTH):
                specs = [f"hexaconv:{path},iteration={number},sampled=on", f"{fifth(path)},sampled=on"]
                specs, own_name = [f"{spec},device={device()}" for spec in specs], f"{number}, seed {k + 1}"
                found[own_name] = matches.standings(GAME, specs, PAPER, games, own, lambda done: None, workers)
        watch(games)
        return {"games": games * len(found), "later": found}

    trainings = [training(scale, seed, folder, workers, PAPER, k).settings for k in range(SEEDS)]
    return Experiment("plateau", {"trainings": trainings, "games": games, "seed": own}, games, run)


MS = 50  # milliseconds a decision, for both
FEW = 256
"""Simulations a decision against the published agent: less time a turn than it takes on a GPU, let alone on one core;
`pace` measures both."""


def ours(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    """Our network against theirs, and against search, at equal time."""
    games = scale.pick(40, 400)
    own = own_seed(seed, "theirs")
    # with the usual c it loses to some of theirs as the second player; at temperature 0 many matches would be the same
    mine = f"{OURS},sims={FEW},c=3,temperature=0.3"

    def run(watch: Watch) -> Result:
        theirs = f"{fifth(run_of(folder, PAPER, 0))},device={device()}"
        return matches.standings(GAME, [mine, theirs], PAPER, games, own, watch, workers)

    settings = {"rules": matches.rules_of(GAME, PAPER), "games": games, "seed": own, "ours": mine,
                "training": training(scale, seed, folder, workers, PAPER, 0).settings,
                "code": matches.codes(GAME, [OURS])}  # fmt: skip
    few = scale.pick(8, 100)
    return [
        Experiment("theirs", settings, games, run),
        matches.lineup("search", GAME, [f"{OURS},ms={MS}", f"mcts:ms={MS}"], PAPER, few, seed, workers),
        five_rings("unseen-5", SMALL_BOARDS, few, seed, workers, DECIDED),
        five_rings("search-5", SIZES, few, seed, workers, DECIDED | ENOUGH),
    ]


def five_rings(name: str, spec: str, games: int, seed: int, workers: Workers, changes: Changes) -> Experiment:
    """A network against search on five rings, at equal time."""
    specs, own = [f"{spec},ms={MS}", f"mcts:ms={MS}"], own_seed(seed, name)

    def run(watch: Watch) -> Result:
        return matches.standings(GAME, specs, FIVE_RINGS, games, own, watch, workers, changes)

    rules = matches.rules_of(GAME, FIVE_RINGS) | dict(changes)
    settings = {"rules": rules, "agents": specs, "games": games, "seed": own, "code": matches.codes(GAME, specs)}
    return Experiment(name, settings, games, run)


def pace(scale: Scale, seed: int, folder: Path, workers: Workers) -> Experiment:
    """Seconds of CPU for a move of 25 roll-outs on one core: of the first network that was trained here, and of one of
    the published size that knows nothing; and for a turn of ours."""

    def run(watch: Watch) -> Result:
        trained = from_onnx((run_of(folder, PAPER, 0) / WEIGHTS).read_bytes())
        found = {"trained": seconds_a_move(trained), "untrained": seconds_a_move(unlearnt(WIDTH))}
        watch(2)
        seconds = found | {"ours": seconds_a_turn(f"{OURS},sims={FEW}")}
        return {"seconds": seconds, "width": len(trained[0][0])}

    settings = {"code": course(scale, PAPER).code, "ours": matches.codes(GAME, [OURS]), "sims": FEW,
                "training": training(scale, seed, folder, workers, PAPER, 0).settings}  # fmt: skip
    return Experiment("pace", settings, 2, run)


def seconds_a_turn(spec: str, turns: int = 8) -> float:
    """Over the first turns of a match, decision by decision."""
    game, spent = load(GAME), 0.0
    player = agent(spec, game)
    for wanted in (1, turns):  # the first one compiles
        match, began = Match(game, 2, game.rule_values(PAPER)), time.process_time()
        while not match.over and match.states["turns"][0] < wanted:
            for seat, view in match.waiting().items():
                match.submit(seat, player.act(view, match.stream(seat)))
        spent = (time.process_time() - began) / int(match.states["turns"][0])
    return spent


def unlearnt(width: int) -> Arrays:
    """A network for three rings that knows nothing."""
    rng, found = np.random.default_rng(0), []
    for shape in sizes(5, width):
        weight = rng.normal(0, (2 / np.prod(shape[1:])) ** 0.5, shape).astype(np.float32)
        if weight.ndim == 4:
            weight[:, :, 0, 0] = weight[:, :, 2, 2] = 0  # no neighbours on a hexagonal board
        found.append((weight, np.zeros(shape[0], np.float32)))
    return found


def seconds_a_move(arrays: Arrays, moves: int = 24) -> float:
    """Over so many moves in matches against itself, after one that compiles."""
    game, words = load(GAME), np.ones((1, 1), np.uint64)
    values, everywhere, spent = quickest_values(game, arrays, "cpu"), np.ones(1, np.bool_), []
    while len(spent) <= moves:
        search, state = Search(game, 1, 3, values, Limits()), game.start(np.zeros((1, 3), np.uint64), 2)
        while len(spent) <= moves and game.waiting(state)[0]:
            began = time.process_time()
            search.think(state, everywhere)
            spent.append(time.process_time() - began)
            search.move(state, everywhere, everywhere, words)
    return float(np.mean(spent[1:]))


def training_rows(results: Measured, preset: str) -> list[list[dict[str, float]]]:
    """The logs of all trainings that there were."""
    names = [f"training-{preset}-{k}" for k in range(SEEDS)]
    return [results[name]["rows"] for name in names if name in results.found] or [results[names[0]]["rows"]]


def trained(results: Measured) -> list[str]:
    """The presets under which something was trained."""
    found = [preset for preset in BOTH if any(name.startswith(f"training-{preset}-") for name in results.found)]
    return found or [PAPER]
