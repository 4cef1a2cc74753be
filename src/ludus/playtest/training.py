"""A network that is trained for a playtest: how does the game look to who has played it a thousand times?"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path

from ludus.arena.hosts import full_spec
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
FIRST_SIMS, FEWEST_SIMS, MOST_SIMS = 16, 4, 2048
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


def sims_for(seconds: float, pilot: float) -> int:
    """Simulations that take as long as a search of so many seconds a match; `FIRST_SIMS` take those of a pilot."""
    affordable = FIRST_SIMS * seconds / max(pilot, 1e-9)
    sims = FEWEST_SIMS
    while 2 * sims <= min(affordable, MOST_SIMS):
        sims *= 2
    return sims


def gain(lineups: Sequence[Lineup], trained: Level, search: Level) -> str:
    """By how much the network is stronger than search alone."""
    met = [lineup.replays for lineup in lineups if set(lineup.specs) == {trained.spec, search.spec}]
    if not met or not any(trained.spec in replay.agents for replay in met[0]):
        return f"the trained network had no time to meet {search.spec}"
    score = pair_score(met[0], trained.spec)
    value, low, high = (elo_of(min(max(x, 0.001), 0.999)) for x in (score.value, score.low, score.high))
    elo = Interval(value, low, high, score.n)
    words = "stronger than" if score.low > 0.5 else "weaker than" if score.high < 0.5 else "as strong as"
    return (
        f"a network trained for this playtest is {words} {search.spec}, which thinks as long: it scores "
        f"{SHARE.text(score)} in {score.n:,} matches, {ELO.text(elo)}"
    )
