"""Deep Q-learning: a network learns what each action is worth, without any search; games with turns.

Rainbow's parts that matter here: double and duelling networks, several steps at once, prioritised replay, a target
network; actions off the menu do not exist. `_practice` plays thousands of matches in lock-step, against itself, an
agent or several in equal parts (`against`), `_decisions` keeps what was decided, `_worths` learns from it. A round ends
with matches against random play and against the `ruler`, a row of the log and a checkpoint; what plays is the best
network so far.

What a player sees is taken for all there is to know: with secrets nothing is remembered and nothing is mixed, so a
rival who knows that can exploit it. Where players act at once it refuses: the best choice would depend on the rival's.
A resumed training begins new matches and remembers again; the networks and the optimiser go on.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ludus.agents.alphazero import LATEST, WEIGHTS
from ludus.arena.statistics import Interval
from ludus.catalogue import agent
from ludus.errors import Mismatch
from ludus.game import Game
from ludus.learn._decisions import Batch, Decisions
from ludus.learn._plan import CPU, CUDA, NARROW, WIDE, advice, check_device, net_size
from ludus.learn._practice import Judge, Practice
from ludus.learn._rulers import score_against
from ludus.nets.play import CpuEvaluator
from ludus.nets.spec import NetSpec, net_spec
from ludus.rng import word
from ludus.runs import RunFolder
from ludus.settings import setting
from ludus.shapes import flat
from ludus.workers import Workers

ROUNDS = 20
FEWEST_BATCHES = 8  # that must be there before anything is learnt
LONGEST_RING = 1 << 20
MEMORY = {CPU: 1 << 28, CUDA: 1 << 31}  # bytes of a ring
UNIT = np.float32(127.0)  # features are bytes: 127 for 1


@dataclass
class Settings:
    """How to learn. What is 0 is chosen by the size of the game."""

    minutes: float = setting(10.0, "how long to train altogether", 0, 10**6, resource=True)
    rounds: int = setting(0, "so many rounds of `decisions` decisions instead of minutes", 0, resource=True)
    device: str = setting(CPU, "where networks run: cpu or cuda", resource=True)
    decisions: int = setting(50_000, "decisions in a round, where rounds are counted", 1)
    players: int = setting(0, "players in a match; 0: the fewest that the game allows", 0)
    against: str = setting("self", "whom it plays: self, an agent, or several with | between; write ; for , within one")
    ruler: str = setting("greedy", "the agent that strength is measured by, beside random play; write ; for ,")
    games: int = setting(200, "matches of each measurement", 2, 10**6)
    channels: int = setting(0, "of the network", 0, 1024)
    blocks: int = setting(0, "of the network, two layers each", 0, 100)
    matches: int = setting(0, "matches that are played at once", 0, 10**6)
    batch: int = setting(0, "decisions in a step of learning", 0, 10**6)
    reuse: float = setting(2.0, "how often a decision is learnt from", 0.01, 100)
    window: int = setting(0, "decisions that are kept to learn from", 0, 10**9)
    steps: int = setting(3, "own decisions until the next thought counts instead of what happened", 1, 1000)
    discount: float = setting(0.99, "worth of what comes a decision later", 0, 1)
    rate: float = setting(1e-3, "of learning, at first", 0, 1)


CURVE = {"random": "share of the point against random players", "ruler": "against the ruler"}


def TOTAL(settings: Settings) -> int:
    return settings.rounds or ROUNDS


def ADVICE(game: Game) -> str:
    if game.facts.simultaneous:
        return ""  # it is refused
    secrets = f"{game.name} has secrets: what a player sees is taken for all there is to know" * game.facts.hidden
    return "; ".join(filter(None, (advice(game), secrets)))


def train(
    game: Game, values: Mapping[str, object], settings: Settings, run: RunFolder, seed: int, workers: Workers
) -> Iterator[dict[str, object]]:
    """Train, or go on from the folder's last checkpoint; a row a round."""
    check_device("dqn", settings.device)
    if game.facts.simultaneous:
        raise Mismatch(
            f"dqn learns games with turns; in {game.name} players act at once, and the best action depends on the "
            "rival's: train alphazero or qlearning"
        )
    training = Training(game, dict(values), settings, run, seed, workers)
    run.cut_log(training.standing.rounds)
    while not training.is_over:
        row = training.play_round()
        # The log first: a row without its checkpoint is cut off and made again, a missing one would stay missing.
        run.log(row)
        training.save()
        yield row


@dataclass
class Standing:
    """How far a training has come; kept in its checkpoint."""

    rounds: int = 0
    seconds: float = 0.0
    matches: int = 0
    decisions: int = 0
    best: float = -1.0
    """The sum of the shares against random play and the ruler, of the network that plays."""


class Training:
    """One training: the network, what it remembers, and how far it has come."""

    def __init__(
        self, game: Game, values: dict[str, object], settings: Settings, run: RunFolder, seed: int, workers: Workers
    ):
        from ludus.learn._worths import WorthTeacher

        self.game, self.values, self.settings, self.run, self.seed = game, values, settings, run, seed
        self.workers, self.on_gpu = workers, settings.device == CUDA
        self.players = settings.players or game.facts.players[0]
        game.check_setting(self.players, values)
        self.net = self._net()
        self.teacher = WorthTeacher(self.net, settings.rate, seed, settings.device)
        self.standing = Standing(**(run.load("checkpoint.pt", self.teacher.restore) or {}))
        self.batch = settings.batch or (1024 if self.on_gpu else 256)
        matches = settings.matches or (4096 if self.on_gpu else 1024)
        rivals = [None if one == "self" else agent(one.replace(";", ","), game) for one in settings.against.split("|")]
        self.memory = Decisions(
            game, self.net.features, self._window(matches), matches, settings.steps, settings.discount
        )
        begun = word(seed, 1 + self.standing.rounds)
        self.practice = Practice(game, self.players, values, matches, rivals, self.memory, begun)
        self.rng, self.owed = np.array([begun], np.uint64), 0.0

    def _net(self) -> NetSpec:
        """On a processor the board is left out, as AlphaZero does: so small a network is judged far sooner."""
        features, policy = self.game.shapes(self.players, self.values)
        if not self.on_gpu:
            features, policy = flat(features.length), flat(policy.length)
        channels, blocks = net_size(features, self.on_gpu)
        return net_spec(
            features, policy, self.game.facts.players[1], self.settings.channels or min(channels, WIDE // 2),
            self.settings.blocks or max(blocks // 2, 1), hidden=WIDE // 2, narrow=NARROW,
        )  # fmt: skip

    def _window(self, matches: int) -> int:
        """As many decisions as a fair part of the memory holds, and all open ones."""
        row = self.net.features + 2 * self.game.facts.max_actions + 32
        size = self.settings.window or min(MEMORY[self.settings.device] // row, LONGEST_RING)
        return max(size, 4 * matches * self.players * self.settings.steps)

    # -------------------------------------------------------------------------------------------- a round

    @property
    def is_over(self) -> bool:
        return self._progress(0.0) >= 1

    def _progress(self, seconds: float) -> float:
        if self.settings.rounds:
            return self.standing.rounds / self.settings.rounds
        return (self.standing.seconds + seconds) / (60 * self.settings.minutes)

    def _is_round_over(self, seconds: float, decisions: int) -> bool:
        if self.settings.rounds:
            return decisions >= self.settings.decisions
        whole = 60 * self.settings.minutes
        return seconds >= min(whole / ROUNDS, whole - self.standing.seconds)

    def play_round(self) -> dict[str, object]:
        """Play and learn in turn until the round is over, then judge; the row of the log."""
        started, tally, surprises = time.perf_counter(), Counter(), [np.zeros(0)]
        while not self._is_round_over(seconds := time.perf_counter() - started, tally["decisions"]):
            new = tally["decisions"]
            self.practice.move(self._judge(), tally)
            surprises += self._learn(tally["decisions"] - new, self._progress(seconds))
        standing = self.standing
        standing.rounds, standing.matches = standing.rounds + 1, standing.matches + tally["matches"]
        standing.decisions += tally["decisions"]
        random, ruler, is_best = self._measure()
        standing.seconds += time.perf_counter() - started
        return self._row(tally, np.concatenate(surprises), random, ruler, is_best)

    def _learn(self, new: int, progress: float) -> list[np.ndarray]:
        """As many steps as the new decisions are worth; how much they surprised."""
        if self.memory.made < FEWEST_BATCHES * self.batch or self.memory.ring.tree[1] == 0:
            return []
        self.owed += self.settings.reuse * new / self.batch
        steps, found = int(self.owed), []
        self.owed -= steps
        for batch, surprise in self.teacher.teach(self._batches(steps, progress), progress):
            self.memory.surprised(batch, surprise)
            found.append(surprise)
        return found

    def _batches(self, steps: int, progress: float) -> Iterator[Batch]:
        """Weights become fair towards the end, as Schaul et al. have it."""
        return (self.memory.draw(self.batch, self.rng, 0.4 + 0.6 * min(progress, 1.0)) for _ in range(steps))

    # -------------------------------------------------------------------------------------------- networks

    def _judge(self) -> Judge:
        """Who says what actions are worth: torch on a GPU, onnxruntime on all workers here."""
        if self.on_gpu:
            return self.teacher.judge
        evaluator = CpuEvaluator(self.game, self._content())

        def judge(features: np.ndarray, slots: np.ndarray) -> np.ndarray:
            worths = np.empty(slots.shape, np.float32)

            def fill(first: int) -> None:
                part = slice(first, first + evaluator.batch)
                logits = evaluator.run(features[part].astype(np.float32) / UNIT)[0]
                worths[part] = np.take_along_axis(logits, np.maximum(slots[part], 0).astype(np.int64), axis=1)

            for _ in self.workers.stream(fill, range(0, len(features), evaluator.batch)):
                pass
            return worths

        return judge

    def _content(self) -> bytes:
        from ludus.nets.export import to_onnx

        return to_onnx(self.net, self.teacher.weights())

    def _measure(self) -> tuple[Interval, Interval, bool]:
        """What the network of now scores against random play and the ruler, and whether it is the best so far."""
        self.run.write(LATEST, self._content())
        newest = agent(f"dqn:{self.run.path},network=latest", self.game)
        random, ruler = (
            score_against(self.game, self.players, [self.values], (newest, agent(rival, self.game)),
                          self.settings.games, word(self.seed, 0), self.workers)
            for rival in ("random", self.settings.ruler.replace(";", ","))
        )  # fmt: skip
        is_best = random.value + ruler.value >= self.standing.best
        if is_best:
            self.standing.best = random.value + ruler.value
            self.run.write(WEIGHTS, self.run.read(LATEST) or b"")
        return random, ruler, is_best

    def _row(
        self, tally: Counter[str], surprises: np.ndarray, random: Interval, ruler: Interval, is_best: bool
    ) -> dict[str, object]:
        return {
            "minutes": round(self.standing.seconds / 60, 2),
            "matches": self.standing.matches,
            "decisions": self.standing.decisions,
            "plies": round(tally["plies"] / max(tally["matches"], 1), 1),
            "surprise": round(float(surprises.mean()), 4) if len(surprises) else "",
            "random": round(random.value, 4),
            "low": round(random.low, 4),
            "high": round(random.high, 4),
            "ruler": round(ruler.value, 4),
            "ruler_low": round(ruler.low, 4),
            "ruler_high": round(ruler.high, 4),
            "games": ruler.n,
            "is_best": int(is_best),
        }

    def save(self) -> None:
        self.run.write("checkpoint.pt", self.teacher.save(self.standing))
