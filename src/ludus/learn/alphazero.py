"""A network learns by playing itself, with a search that it guides (AlphaZero); any game.

Matches are played by `_selfplay`, in other processes by way of `_travelling`; `_replay` keeps their positions,
`_teaching` learns from them, `_rulers` says how strong the network has become, `_plan` chooses sizes where nothing is
set. A round ends with a row of the log and a checkpoint. What plays is the best network so far, by matches against the
one before.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ludus.agents.alphazero import LATEST, WEIGHTS
from ludus.errors import BadInput
from ludus.game import Game
from ludus.learn._plan import CPU, CUDA, advice, check_device, make_plan, rule_sets
from ludus.learn._replay import FOLDER, NOTHING, Lesson, Replay
from ludus.learn._rulers import SHARES, Judgement, Rulers, Standing, shares_of
from ludus.learn._selfplay import Samples, SelfPlay
from ludus.learn._travelling import TravellingSelfPlay
from ludus.nets.compiled import CompiledEvaluator
from ludus.nets.play import CpuEvaluator
from ludus.nets.spec import Weights
from ludus.rng import word
from ludus.runs import RunFolder
from ludus.settings import setting
from ludus.workers import Threads, Workers

ROUNDS = 20
JUDGING, MOST_JUDGING = 0.1, 0.25  # of a round's time; where a few matches take longer than that, rounds are longer
JUDGED_BY = 32  # simulations a move, where a GPU waits for each
CYCLE, CYCLES = 3.0, 4  # seconds of play between lessons at most; lessons in a round at least
FEWEST_BATCHES = 4  # that must be there before anything is learnt
CHECKED, WRONGLY = 20, 0.05  # matches that were played on, at least; the share in which giving up may have been wrong
WINDOW = 20_000  # positions are learnt from at least; later the newer half of all


@dataclass
class Settings:
    """How to learn. What is 0 is chosen by the size of the game."""

    minutes: float = setting(10.0, "how long to train altogether", 0, 10**6, resource=True)
    rounds: int = setting(0, "so many rounds of `positions` positions instead of minutes", 0, resource=True)
    device: str = setting(CPU, "where networks run: cpu or cuda", resource=True)
    positions: int = setting(2000, "positions in a round, where rounds are counted", 1)
    players: int = setting(0, "players in a match; 0: the fewest that the game allows", 0)
    also: str = setting("", "other rules that the same network learns; see --also")
    network: str = setting("", "cells, which sees the board, or flat, which is quick: the default on a processor")
    channels: int = setting(0, "of the network", 0, 1024)
    blocks: int = setting(-1, "of the network, two layers each; -1: chosen", -1, 100)
    any_size: bool = setting(False, "whether the network should serve boards of every size")
    sims: int = setting(0, "simulations of a full search", 0, 100_000)
    fast: float = setting(-1.0, "share of searches that are fast, an eighth of a full one; -1: chosen", -1, 1)
    mix: float = setting(
        -1.0, "with secrets, or where players act at once: the step to better actions; 0: as elsewhere; -1: chosen", -1
    )
    gumbel: int = setting(0, "for few simulations: the root halves so many actions; 0: noise and visits instead", 0)
    matches: int = setting(0, "matches that are played at once", 0, 10**6)
    batch: int = setting(0, "positions in a step of learning", 0, 10**6)
    reuse: float = setting(0.0, "how often a position is learnt from", 0, 100)
    window: int = setting(0, "positions that are kept to learn from", 0, 10**9)
    rate: float = setting(2e-3, "of learning, at first", 0, 1)
    trust: float = setting(
        -1.0, "how much of a value's target is what the search expected, not what happened; -1: chosen", -1, 1
    )
    hindsight: float = setting(-1.0, "how much of that is what later searches expected; -1: chosen", -1, 1)
    resign: float = setting(0.0, "a player gives up below minus this; 0: never", 0, 1)
    ruler: str = setting("mcts:sims=400", "the agent that strength is measured by")


CURVE = {"score": "share of the point against the ruler", "random": "against random players"}


PROGRESS = ("minutes", "score", "elo", "elo_low", "elo_high")
"""What is told of a round while others go on: how strong the network is."""

TRAVELS = True
"""Workers may be other processes."""

GAMES = 40
"""Matches against random players when all is done: by then the log says more."""


def TOTAL(settings: Settings) -> int:
    return settings.rounds or ROUNDS


def SPEC(settings: Settings, folder: Path, game: Game) -> str:
    return f"alphazero:{folder}" + (f",device={CUDA}" if settings.device == CUDA else "")


def ADVICE(game: Game) -> str:
    return advice(game)


def train(
    game: Game, values: Mapping[str, object], settings: Settings, run: RunFolder, seed: int, workers: Workers
) -> Iterator[dict[str, object]]:
    """Train, or go on from the folder's last checkpoint; a row a round."""
    check_device("alphazero", settings.device)
    if workers.apart and settings.device == CUDA:
        raise BadInput("alphazero: a GPU is fed by threads of its own process; use --on threads, or --device cpu")
    training = Training(game, dict(values), settings, run, seed, workers)
    run.cut_log(training.standing.rounds)
    try:
        while not training.is_over:
            row = training.play_round()
            # The log first: a row without its checkpoint is cut off and made again, a missing one would stay missing.
            run.log(row)
            training.save()
            yield row
    finally:
        training.close()


def _folders(count: int) -> list[str]:
    """Where positions lie, under each set of rules."""
    return [FOLDER, *(f"{FOLDER}-{k}" for k in range(1, count))]


def _do(work: Callable[[], Any]) -> Any:
    return work()


class Training:
    """One training: the network, what it learns from, and how far it has come."""

    def __init__(
        self, game: Game, values: dict[str, object], settings: Settings, run: RunFolder, seed: int, workers: Workers
    ):
        from ludus.learn._teaching import Teacher
        from ludus.nets.export import to_onnx

        self._to_onnx = to_onnx
        self.game, self.values, self.settings, self.run, self.seed = game, values, settings, run, seed
        self.workers, self.rng = workers, np.random.default_rng(seed)
        self.here = Threads() if workers.apart else workers
        """Who learns and judges: in this process, where the network and the run folder are."""
        self.players = settings.players or game.facts.players[0]
        self.rules = rule_sets(game, self.players, values, settings.also)
        counted = workers.apart and settings.rounds  # then the number of workers must not show
        self.plan = make_plan(game, self.players, self.rules, settings, 1 if counted else workers.count)
        on_gpu = settings.device == CUDA
        teaching = (settings.rate, self.plan.trust, seed, settings.device, self.plan.play.mix)
        self.teacher = Teacher(self.plan.variants, self.players, *teaching)
        self.replays = [Replay(self.plan.window // len(self.rules), folder) for folder in _folders(len(self.rules))]
        sims = min(self.plan.play.sims, JUDGED_BY) if on_gpu else self.plan.play.sims
        shares, first = (SHARES[:1], 0.0) if on_gpu else shares_of(game, self.players, self.plan.play.mix)
        self.rulers = Rulers(game, self.players, self.rules, run, settings.ruler, sims, settings.device, shares)
        kept = run.load("checkpoint.pt", self.teacher.restore)
        self.standing = Standing(**kept) if kept else Standing(playouts=first)
        for replay in self.replays:
            replay.load(run, self.standing.rounds)
        self.tables, self.fresh, self.judged = self._tables(), 0, 0.0
        if not self.is_over:
            self._warm_up()

    def _warm_up(self) -> None:
        """Whatever must be compiled is compiled before the clock runs."""
        for table in chain(*self.tables):
            table.run(seconds=0.0)
        self.run.write(LATEST, self._to_onnx(self.plan.net, self.teacher.weights()))
        self.rulers.warm_up(self.here)

    def _tables(self) -> list[list[Any]]:
        """Where matches are played: a table for each set of rules; so many for every worker, or once for the GPU, or
        once for all other processes."""
        seed = word(self.seed, 1 + self.standing.rounds)
        weights, count = self.teacher.weights(), 1 if self._is_one else self.workers.count
        return [
            [self._table(k, weights, word(seed, worker * len(self.rules) + k)) for k in range(len(self.rules))]
            for worker in range(count)
        ]

    @property
    def _is_one(self) -> bool:
        """Whether one table has all workers."""
        return self.settings.device == CUDA or self.workers.apart

    def _table(self, k: int, weights: Weights, seed: int) -> Any:
        place, play = (self.game, self.players, self.rules[k]), replace(self.plan.play)  # the plan stays as it is
        play.playouts = self.standing.playouts
        network = self._network(k, weights)
        if self.settings.device == CUDA:
            from ludus.learn._pipeline import CudaSelfPlay

            net = replace(self.plan.variants[k].net, rules="")
            return CudaSelfPlay(*place, play, net, network, seed, self.workers.count)
        if self.workers.apart:
            return TravellingSelfPlay(*place, play, network, seed, self.workers)
        return SelfPlay(*place, replace(play, matches=-(-play.matches // self.workers.count)), network, seed)

    def _network(self, k: int, weights: Weights) -> Any:
        """A network as a table takes it: weights on a GPU, a file where it travels, else who judges."""
        if self.workers.apart:
            return self._to_onnx(self.plan.net, weights)
        net, weights = self.plan.variants[k].plain(weights)
        if self.settings.device == CUDA:
            return weights
        if net.kind == "none":
            return CompiledEvaluator(self.game, net, weights)
        return CpuEvaluator(self.game, self._to_onnx(net, weights))

    def _refill(self, progress: float) -> None:
        """The new network plays on, with the search of this stage."""
        weights = self.teacher.weights()
        for tables in self.tables:
            for k, table in enumerate(tables):
                table.settings.sims, table.settings.playouts = self.plan.sims(progress), self.standing.playouts
                table.refill(self._network(k, weights))

    # -------------------------------------------------------------------------------------------- a round

    @property
    def is_over(self) -> bool:
        return self._progress(0.0) >= 1

    def _progress(self, seconds: float) -> float:
        """How much of the training is over, so long after the last round."""
        if self.settings.rounds:
            return self.standing.rounds / self.settings.rounds
        return (self.standing.seconds + seconds) / (60 * self.settings.minutes)

    def play_round(self) -> dict[str, object]:
        """Play and learn until the round is over, then judge; the row of the log."""
        started, made, tally, lesson = time.perf_counter(), self.made, Counter(), NOTHING
        while not self._is_round_over(seconds := time.perf_counter() - started, self.made - made):
            lesson = self._play_and_learn(self._progress(seconds), tally)
        self._mind_resignations(tally)
        judgement = self._judge(seconds)
        self.standing.add(judgement, time.perf_counter() - started, tally["matches"])
        return self._row(tally, seconds, lesson, judgement)

    def _mind_resignations(self, tally: Counter[str]) -> None:
        """Where giving up was wrong too often, from now on it takes more to do so."""
        if tally["checked"] >= CHECKED and tally["wrong"] > WRONGLY * tally["checked"]:
            for table in chain(*self.tables):
                table.settings.resign = (1 + table.settings.resign) / 2

    def _play_and_learn(self, progress: float, tally: Counter[str]) -> Lesson:
        """A piece of work for every table; meanwhile, as far as there are workers for both, the network learns from
        what the piece before has brought. Then the new network plays on."""
        lessons: list[Lesson] = []
        teach = partial(self._learn, self.fresh, progress, lessons)
        pieces = [teach, *(partial(self._play, tables) for tables in self.tables)]
        found = [piece for piece in self.here.stream(_do, pieces) if piece]
        self.fresh = sum(len(samples.features) for piece in found for samples, _ in piece)
        for piece in found:
            for replay, (samples, counts) in zip(self.replays, piece):
                tally.update(counts)
                replay.add(samples)
        self._refill(progress)
        return lessons[0]

    @property
    def made(self) -> int:
        """Positions of all matches so far."""
        return sum(replay.made for replay in self.replays)

    def _is_round_over(self, seconds: float, positions: int) -> bool:
        if self.settings.rounds:
            return positions >= self.settings.positions
        whole = 60 * self.settings.minutes
        usual = max(whole / ROUNDS, self.judged / MOST_JUDGING)
        return seconds >= (1 - JUDGING) * min(usual, whole - self.standing.seconds)

    def _play(self, tables: list[Any]) -> list[tuple[Samples, Counter[str]]]:
        """Under one set of rules after the other."""
        if self.settings.rounds:
            share = self.settings.positions / (len(self.tables) * len(tables)) / CYCLES
            return [table.run(plies=share) for table in tables]
        seconds = min(CYCLE, 60 * self.settings.minutes / ROUNDS / CYCLES) / len(tables)
        return [table.run(seconds=seconds) for table in tables]

    def _learn(self, new: int, progress: float, lessons: list[Lesson]) -> None:
        """As many steps as the new positions are worth."""
        plan, lesson, replays = self.plan, NOTHING, self.replays
        steps, batch = round(plan.reuse * new / plan.batch), plan.batch // len(replays)
        if steps and min(replay.made for replay in replays) >= FEWEST_BATCHES * batch:
            window = max(self.made // 2, WINDOW) // len(replays)
            lesson = self.teacher.teach([one.batches(steps, batch, window, self.rng) for one in replays], progress)
        lessons.append(lesson)

    def _judge(self, seconds: float) -> Judgement:
        began = time.perf_counter()
        self.run.write(LATEST, self._to_onnx(self.plan.net, self.teacher.weights()))
        judgement = self.rulers.judge(self.standing, JUDGING * seconds, word(self.seed, 0), self.here)
        if judgement.is_best:
            self.run.write(WEIGHTS, self.run.read(LATEST) or b"")
        self.judged = time.perf_counter() - began
        return judgement

    def _row(self, tally: Counter[str], seconds: float, lesson: Lesson, judgement: Judgement) -> dict[str, object]:
        return {
            "minutes": round(self.standing.seconds / 60, 2),
            "matches": self.standing.matches,
            "positions": self.made,
            "plies": round(tally["plies"] / max(tally["matches"], 1), 1),
            "resigned": round(tally["resigned"] / max(tally["matches"], 1), 3),
            "wrongly": round(tally["wrong"] / max(tally["checked"], 1), 3),
            "simulations": round(tally["simulations"] / seconds),
            "steps": self.teacher.steps,
            "policy": "" if lesson is NOTHING else round(lesson.policy, 4),
            "value": "" if lesson is NOTHING else round(lesson.value, 4),
            **judgement.row(),
        }

    def close(self) -> None:
        for table in chain(*self.tables):
            table.close()

    def save(self) -> None:
        """A checkpoint; its last file is what makes it one."""
        for replay in self.replays:
            replay.save(self.run, self.standing.rounds)
        self.run.write("checkpoint.pt", self.teacher.save(self.standing))
