"""A network that is trained for a playtest: how does the game look to who has played it a thousand times?"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ludus.arena.bulk import Arena
from ludus.arena.hosts import full_spec
from ludus.arena.lockstep import Seating
from ludus.arena.statistics import Interval, elo_of
from ludus.game import Game
from ludus.learn import alphazero
from ludus.measure.evidence import Level, Lineup
from ludus.measure.metric import ELO, SHARE
from ludus.measure.strength import pair_score
from ludus.playtest.plan import TRAINING, Order
from ludus.runs import begin_run
from ludus.workers import Workers

RUN = "trained"
FIRST_SIMS, FEWEST_SIMS, MOST_SIMS = 16, 4, 4096
PILOTS, PILOT_SECONDS = 3, 0.5
NEEDED = ("torch", "onnx", "onnxruntime")


def pays(game: Game) -> bool:
    """Whether a training is worth its time without being asked for: the libraries are there, and the game says what
    its board is, so that a network sees more than a row of numbers."""
    return all(importlib.util.find_spec(name) for name in NEEDED) and game.features.board is not None


def trained(order: Order, game: Game, folder: Path, workers: Workers, watch: Callable[[str, int, int], None]) -> Path:
    """The folder of a training that took its part of the time; where matches are counted, of two short rounds."""
    values = game.rule_values(order.preset, order.rules)
    settings = alphazero.Settings(minutes=TRAINING * order.mode.seconds / 60, players=order.players)
    if order.games:
        settings.rounds, settings.positions = 2, 1200
    run = begin_run(folder / RUN, "alphazero", game, values, settings, order.seed)
    for number, _ in enumerate(alphazero.train(game, values, settings, run, order.seed, workers), len(run.rows())):
        watch("training a network", number, alphazero.TOTAL(settings))
    return run.path


def level(game: Game, run: Path, sims: int) -> Level:
    return Level(full_spec(f"alphazero:{run},sims={sims}", game))


@dataclass(frozen=True)
class Match:
    """A network and a search that take about as long."""

    sims: int
    """Of the network."""
    seconds: tuple[float, float] = (0.0, 0.0)
    """A match of the network against itself, and of the search; 0 where no clock was asked."""


def match_time(
    game: Game, values: Mapping[str, object], run: Path, search: str, players: int, workers: Workers
) -> Match:
    """Simulations with which a network takes as long as a search: each pilot corrects the one before."""
    wanted, sims, each = seconds_each(game, values, search, players, workers), FIRST_SIMS, 0.0
    for _ in range(PILOTS):
        each = seconds_each(game, values, level(game, run, sims).spec, players, workers)
        better = sims_for(wanted, sims, each)
        if abs(better - sims) <= sims // 10:
            break
        sims, each = better, 0.0
    return Match(sims, (each or seconds_each(game, values, level(game, run, sims).spec, players, workers), wanted))


def sims_for(seconds: float, sims: int, each: float) -> int:
    """Simulations that take so many seconds a match, where a pilot with `sims` took `each`; two digits of them."""
    affordable = min(max(sims * seconds / max(each, 1e-9), FEWEST_SIMS), MOST_SIMS)
    return int(float(f"{affordable:.1e}"))


def seconds_each(game: Game, values: Mapping[str, object], spec: str, players: int, workers: Workers) -> float:
    """The time of a match of an agent against itself, from a pilot that grows until it can be timed."""
    arena = Arena(game, [spec], values)
    for blocks in (1, 8, 32, 128):  # the first compiles
        started = time.perf_counter()
        for _ in arena.play((Seating((0,) * players, block, 0) for block in range(blocks)), workers):
            pass
        seconds = time.perf_counter() - started
        if blocks > 1 and seconds > PILOT_SECONDS:
            break
    return seconds / blocks


def gain(lineups: Sequence[Lineup], trained: Level, search: Level, match: Match) -> str:
    """By how much the network is stronger than search alone; where it is not, that is said as plainly."""
    met = [lineup.replays for lineup in lineups if set(lineup.specs) == {trained.spec, search.spec}]
    if not met or not any(trained.spec in replay.agents for replay in met[0]):
        return f"the trained network had no time to meet {search.spec}"
    score = pair_score(met[0], trained.spec)
    value, low, high = (elo_of(min(max(x, 0.001), 0.999)) for x in (score.value, score.low, score.high))
    elo = Interval(value, low, high, score.n)
    words = "stronger than" if score.low > 0.5 else "weaker than" if score.high < 0.5 else "as strong as"
    own, other = match.seconds
    times = f" ({own:.2g} and {other:.2g} seconds a match)" if other else ""
    return (
        f"a network trained for this playtest, with {match.sims} simulations, is {words} {search.spec}, which thinks "
        f"as long{times}: it scores {SHARE.text(score)} in {score.n:,} matches, {ELO.text(elo)}"
    )
