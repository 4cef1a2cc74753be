"""How strong is it by now? Matches against rulers that do not change, against the best network so far, and from both an
estimate in Elo: by how much it is stronger than the ruler."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ludus.agent import Agent
from ludus.arena.blocks import rotations, scores
from ludus.arena.lockstep import play_batch
from ludus.arena.statistics import Interval, score_of_blocks
from ludus.catalogue import agent
from ludus.game import Game
from ludus.nets.variants import Values
from ludus.runs import RunFolder
from ludus.workers import Threads, Workers

FEWEST, MOST = 8, 400  # matches against one rival
AT_ONCE = 64  # the fewest where a GPU judges, which takes as long for many as for few
VARIETY = 0.2  # temperature: two networks without luck would play one match again and again
FASTER = 4.0  # at most so many times more matches than the last time
SURE = 0.95
"""A rival that gets less than the rest of the point, or more than this, says little about strength."""
FARTHEST = 0.001  # shares nearer to 0 or 1 count as this: some 1,200 Elo for two players


@dataclass
class Standing:
    """How far a training has come; kept in its checkpoint."""

    rounds: int = 0
    seconds: float = 0.0
    matches: int = 0
    best: int = 0
    """The round that made the best network; 0 if none has."""
    elo: float = 0.0
    """Of the best network, above the ruler."""

    def add(self, judgement: Judgement, seconds: float, matches: int) -> None:
        self.rounds, self.seconds, self.matches = self.rounds + 1, self.seconds + seconds, self.matches + matches
        if judgement.is_best:
            self.best, self.elo = self.rounds, judgement.elo.value


@dataclass(frozen=True)
class Judgement:
    """What a network scored, and what follows from it."""

    random: Interval
    ruler: Interval
    best: Interval | None
    """Against the best network before it, if there is one."""
    elo: Interval
    is_best: bool

    def row(self) -> dict[str, object]:
        return {
            "score": round(self.ruler.value, 4),
            "low": round(self.ruler.low, 4),
            "high": round(self.ruler.high, 4),
            "games": self.ruler.n,
            "random": round(self.random.value, 4),
            "against_best": round(self.best.value, 4) if self.best else "",
            "elo": round(self.elo.value),
            "elo_low": round(self.elo.low),
            "elo_high": round(self.elo.high),
            "is_best": int(self.is_best),
        }


def elo(share: float, players: int) -> float:
    """By how much one is stronger than each of the others, who are alike, if it gets such a share of the point."""
    share = min(max(share, FARTHEST), 1 - FARTHEST)
    return 400 * math.log10(share * (players - 1) / (1 - share))


def score_against(
    game: Game, players: int, rules: Sequence[Values], agents: tuple[Agent, Agent], games: int, seed: int,
    workers: Workers, is_alone: bool = False,
) -> Interval:  # fmt: skip
    """The first agent in one seat, every seat equally often, the second in all others, under each set of rules; each
    worker plays its share in lock-step, unless one alone can."""
    lineup = [0, *[1] * (players - 1)]
    parts = np.array_split(np.arange(-(-games // (players * len(rules)))), 1 if is_alone else workers.count)

    def play(work: tuple[Values, np.ndarray]) -> list[float]:
        values, blocks = work
        seatings = [seating for block in blocks.tolist() for seating in rotations(lineup, block)]
        returns = play_batch(game, agents, seatings, seed, values).returns
        return [scores(block.tolist())[0] for block in returns.reshape(len(blocks), players, -1)]

    hands = Threads(1) if is_alone else workers
    found = hands.stream(play, ((values, part) for values in rules for part in parts if len(part)))
    shares = np.array([share for part in found for share in part])
    return score_of_blocks(len(shares), float(shares.sum()), float((shares**2).sum()), players)


class Rulers:
    """The rivals of one training."""

    def __init__(
        self, game: Game, players: int, rules: Sequence[Values], run: RunFolder, ruler: str, sims: int, device: str
    ):
        self.game, self.players, self.rules, self.ruler = game, players, rules, ruler
        self.latest, self.best = (
            f"alphazero:{run.path},sims={sims},network={name},device={device},temperature={VARIETY}"
            for name in ("latest", "best")
        )
        self.is_alone = device == "cuda"  # one GPU, one who asks it
        self._fewest = self._games = AT_ONCE if self.is_alone else FEWEST

    def warm_up(self, workers: Workers) -> None:
        """One block of matches, so that all is compiled."""
        games, self._games = self._games, self.players
        self._score(agent(self.latest, self.game), self.ruler, 0, workers)
        self._games = games

    def judge(self, standing: Standing, seconds: float, seed: int, workers: Workers) -> Judgement:
        """Play for about so many seconds; the first time only a few matches, to see how long they take. The newest
        network is the best unless its matches against the best before say otherwise."""
        started, newest = time.perf_counter(), agent(self.latest, self.game)
        random, ruler = (self._score(newest, rival, seed, workers) for rival in ("random", self.ruler))
        best = self._score(newest, self.best, seed, workers) if standing.best else None
        faster = min(seconds / (time.perf_counter() - started), FASTER)
        self._games = int(min(max(faster * self._games, self._fewest), MOST))
        is_best = best is None or best.high >= 1 / self.players
        return Judgement(random, ruler, best, self._elo(ruler, best, standing.elo), is_best)

    def _score(self, newest: Agent, rival: str, seed: int, workers: Workers) -> Interval:
        agents = newest, agent(rival, self.game)
        return score_against(self.game, self.players, self.rules, agents, self._games, seed, workers, self.is_alone)

    def _elo(self, ruler: Interval, best: Interval | None, elo_of_best: float) -> Interval:
        by_ruler = best is None or 1 - SURE < ruler.value < SURE
        score, base = (ruler, 0.0) if by_ruler or best is None else (best, elo_of_best)
        value, low, high = (base + elo(share, self.players) for share in (score.value, score.low, score.high))
        return Interval(value, low, high, score.n)
