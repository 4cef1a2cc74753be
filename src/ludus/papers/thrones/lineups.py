"""Who meets whom in the reproduction of the Thrones paper, and what was published or is known of it."""

from __future__ import annotations

import time
from pathlib import Path

from ludus.agents.thrones._hunt import flights_of
from ludus.catalogue import load
from ludus.identity import game_parts
from ludus.papers import matches
from ludus.papers.experiments import Experiment, Result, Scale, Watch, own_seed
from ludus.papers.matches import Course, trainer_code
from ludus.papers.thrones.duels import BOTH, GAME, LARGE, SMALL, duel, play
from ludus.rng import word
from ludus.workers import Workers

BOT1 = {LARGE: "bot1:run=thrones-bot1", SMALL: "bot1:run=thrones-bot1-small"}
"""Tuned by evolution, for each room."""
BOT2, PUBLISHED_BOT2 = "bot2:run=thrones-bot2,race=1", "bot2:run=thrones-bot2-published"
"""Ours refuses, as bot 1 as tuned does, moves after which the enemy is at its trail before it is home."""
BOTS = {"bot 1": BOT1, "bot 2": dict.fromkeys(BOTH, PUBLISHED_BOT2)}
"""By room."""
RIVALS = {"rand": "Rand", "attack": "Attack", "safe": "Safe", "ta1": "TA1", "ta2": "TA2"}
CHAMPION = "champion"
SEVEN = {
    **{name: dict.fromkeys(BOTH, spec) for spec, name in RIVALS.items()},
    "bot 1": BOT1, "bot 2": dict.fromkeys(BOTH, BOT2),
}  # fmt: skip
"""Whom the champion meets, by room."""
SEARCHERS = {"mcts:sims=16000": "mcts", "alphabeta:nodes=120000": "alphabeta"}
"""At ten times the champion's time or more; in the large room in full runs only."""

PUBLISHED = {
    ("bot 1", LARGE): ((100, 100, 100, 100, 100), (100, 100, 100, 100, 100)),
    ("bot 1", SMALL): ((100, 100, 100, 40, 100), (100, 100, 100, 60, 40)),
    ("bot 2", LARGE): ((100, 40, 100, 100, 0), (100, 60, 20, 100, 0)),
    ("bot 2", SMALL): ((100, 100, 100, 40, 40), (100, 100, 100, 100, 100)),
}
"""Percent of five matches, first and second seat, by rival."""
PUBLISHED_GAMES = 5

KNOWN = {
    SMALL: {
        "safe": ((96, 0, 26, 0, 0), (98, 52, 66, 0, 0)),
        "attack": ((100, 0, 60, 0, 0), (100, 100, 100, 83, 0)),
        "ta1": ((97, 17, 100, 3, 33), (100, 100, 100, 93, 100)),
        "ta2": ((100, 100, 100, 0, 0), (100, 100, 100, 57, 100)),
    },
    LARGE: {
        "safe": ((98, 58, 52, 0, 0), (100, 20, 54, 0, 0)),
        "attack": ((100, 88, 80, 50, 0), (96, 28, 60, 0, 0)),
        "ta1": ((100, 100, 100, 60, 70), (100, 50, 100, 70, 0)),
        "ta2": ((100, 100, 100, 90, 100), (100, 100, 100, 50, 30)),
    },
}
"""How the five rivals did against each other in an independent program, first and second seat, by rival."""
KNOWN_GAMES = {SMALL: (50, 30), LARGE: (50, 10)}
"""Matches a cell of that program's, and of those with an assistant's bot in them."""
COURSE, ASSISTANTS = ("rand", "attack", "safe"), ("ta1", "ta2")


def is_mirrored(spec: str, rival: str) -> bool:
    """Whether that program did not play such a pair, but read it off the match seen from the rival's side."""
    return spec in COURSE and rival in ASSISTANTS


def known(preset: str, spec: str, rival: str, seat: int) -> tuple[float, int]:
    """Matches that a player won from a seat in that program, and how many it played."""
    games = KNOWN_GAMES[preset][spec in ASSISTANTS or rival in ASSISTANTS]
    return KNOWN[preset][spec][seat][list(RIVALS).index(rival)] * games / 100, games


READINGS = {
    "walkers=random": "walkers move at random",
    "wall_encloses=on": "walls enclose",
    "cap=200": "200 rounds",
}
MOMENTS = (10, 25, 50, 100, 200, 500)
"""Rounds after which territories are compared."""
SEEDS = 3


def experiments(scale: Scale, seed: int, folder: Path, workers: Workers) -> list[Experiment]:
    found = [*table(scale, seed, workers), *ladder(scale, seed, workers), *champion(scale, seed, workers)]
    found += [*readings(scale, seed, workers), *territory(scale, seed, workers)]
    found += [evolution(scale, seed, folder, workers, k) for k in range(SEEDS)]
    return [*found, flights(), again(seed), cost(seed)]


def table(scale: Scale, seed: int, workers: Workers) -> list[Experiment]:
    """The published table, and the second bot as we evolved it."""
    games = scale.pick(16, 200)
    bots = {**BOTS, "evolved": dict.fromkeys(BOTH, BOT2)}
    return [
        duel(f"{bot.replace(' ', '')}-{preset}-{rival}", (specs[preset], rival), preset, games, seed, workers)
        for bot, specs in bots.items() for preset in BOTH for rival in RIVALS
    ]  # fmt: skip


def ladder(scale: Scale, seed: int, workers: Workers) -> list[Experiment]:
    games = scale.pick(16, 200)
    return [
        duel(f"ladder-{preset}-{spec}-{rival}", (spec, rival), preset, games, seed, workers)
        for preset in BOTH for spec in KNOWN[preset] for rival in RIVALS if not is_mirrored(spec, rival)
    ]  # fmt: skip


def champion(scale: Scale, seed: int, workers: Workers) -> list[Experiment]:
    games = {SMALL: scale.pick(6, 200), LARGE: 200 if scale.is_full else 1}
    few = {SMALL: 20 if scale.is_full else 1, LARGE: 4}
    found = [
        duel(f"champion-{preset}-{name}", (CHAMPION, specs[preset]), preset, games[preset], seed, workers)
        for preset in BOTH for name, specs in SEVEN.items()
    ]  # fmt: skip
    # alphabeta wants rules without dice: the same rooms, and a draw where a coin would fall. A match in the large one
    # takes a searcher minutes.
    return found + [
        duel(f"champion-{preset}-{name}", (CHAMPION, spec), preset, few[preset], seed, workers, {"tie": "draw"})
        for preset in (BOTH if scale.is_full else (SMALL,)) for spec, name in SEARCHERS.items()
    ]  # fmt: skip


def readings(scale: Scale, seed: int, workers: Workers) -> list[Experiment]:
    games = scale.pick(6, 200)
    return [
        duel(f"reading-{change}-{rival}", (BOT1[LARGE], rival), LARGE, games, seed, workers, dict([change.split("=")]))
        for change in READINGS for rival in RIVALS
    ]  # fmt: skip


def territory(scale: Scale, seed: int, workers: Workers) -> list[Experiment]:
    """Matches against the second assistant's bot that are cut after some rounds: the same ones, since neither bot
    looks at the limit."""
    games, luck = scale.pick(6, 200), own_luck(seed)
    return [
        duel(f"territory-{preset}-{bot.replace(' ', '')}-{rounds}", (specs[preset], "ta2"), preset, games, luck,
             workers, {"cap": rounds})
        for preset in BOTH for bot, specs in BOTS.items() for rounds in MOMENTS
    ]  # fmt: skip


def own_luck(seed: int) -> int:
    return word(seed, 77) >> 33


def evolution(scale: Scale, seed: int, folder: Path, workers: Workers, k: int) -> Experiment:
    """The published scheme from one more first network: the best reward of each generation."""
    generations, name = scale.pick(4, 60), f"evolution-{k}"
    own = own_seed(seed, name)
    changes = {"agent": "bot2", "opponents": f"ta2+attack@{SMALL}", "scheme": "published", "games": 1, "spread": 0.03,
               "generations": generations}  # fmt: skip
    course = Course(GAME, "evolution", changes, LARGE)

    def run(watch: Watch) -> Result:
        run = course.run(own, folder / "runs" / name, workers, watch)
        return {"rows": [{key: float(row[key]) for key in ("best", "mean", "share")} for row in run.rows()]}

    settings = {"rules": matches.rules_of(GAME, LARGE), "changes": changes, "seed": own, "code": course.code}
    return Experiment(name, settings, generations, run)


def flights() -> Experiment:
    """How many steps the hunted one can run in the small room, from the start and from anywhere."""
    rows, cols, limit = 13, 13, 50

    def run(watch: Watch) -> Result:
        found = flights_of(load(GAME), rows, cols, limit)
        watch(1)
        start = (cols + 1) * rows * cols + (rows - 1) * cols - 2
        return {"start": int(found[start]), "longest": int(found.max()), "limit": limit}

    return Experiment("flights", {"code": matches.codes(GAME, [CHAMPION])}, 1, run)


def again(seed: int) -> Experiment:
    """The same matches twice."""
    own = own_seed(seed, "again")

    def run(watch: Watch) -> Result:
        values = load(GAME).rule_values(SMALL)
        found = [play((BOT1[SMALL], "ta1"), values, own, seat, 0, 20) for seat in (0, 1, 0, 1)]
        watch(4)
        return {"once": found[:2], "twice": found[2:]}

    settings = {"rules": game_parts(load(GAME), load(GAME).rule_values(SMALL)), "seed": own,
                "code": matches.codes(GAME, [BOT1[SMALL], "ta1"])}  # fmt: skip
    return Experiment("again", settings, 4, run)


def cost(seed: int) -> Experiment:
    """CPU-milliseconds a move, and generations of the published scheme a minute on one core."""

    def run(watch: Watch) -> Result:
        found = {}
        for spec, name in {BOT1[LARGE]: "bot 1", BOT2: "bot 2", CHAMPION: CHAMPION, **SEARCHERS}.items():
            found[name] = {preset: milliseconds(spec, preset, seed) for preset in BOTH}
            watch(1)
        return {"ms": found, "generations": generations_a_minute(seed)}

    return Experiment("cost", {"code": trainer_code("evolution", GAME)}, 3 + len(SEARCHERS), run)


def milliseconds(spec: str, preset: str, seed: int) -> float:
    """Of CPU a move of the player, with what `rand` takes among it."""
    values = load(GAME).rule_values(preset, {"cap": 20, "tie": "draw"})
    play((spec, "rand"), values, seed, 0, 0, 1)  # compiles
    started = time.process_time()
    played = play((spec, "rand"), values, seed, 0, 1, 4)
    return 2000 * (time.process_time() - started) / played["plies"]


def generations_a_minute(seed: int) -> float:
    """Sixteen candidates, two rivals, both seats."""
    started = time.process_time()
    for rival, preset in (("ta2", LARGE), ("attack", SMALL)):
        for seat in (0, 1):
            play((PUBLISHED_BOT2, rival), load(GAME).rule_values(preset), seed, seat, 0, 16)
    return 60 / (time.process_time() - started)
