"""How strong is it by now? Matches against rulers that do not change, against the best network so far, and from both an
estimate in Elo: by how much it is stronger than the ruler."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
SHARES = 0.0, 0.5, 1.0
"""Of random play-outs in what a leaf is worth: those that are tried."""
FADING = 0.7
"""What matches of so many rounds ago count for is this to that power: the network has changed since."""
PRICE = 0.04
"""What a share above 0 must score more: it is judged at equal simulations, which then take several times as long."""
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
    playouts: float = 0.0
    """The share of play-outs with which it has scored most."""
    tried: list[list[float]] = field(default_factory=list)
    """For each share that is tried: its scores against the ruler and the rounds, both fading."""

    def add(self, judgement: Judgement, seconds: float, matches: int) -> None:
        self._compare(judgement.by_share)
        self.rounds, self.seconds, self.matches = self.rounds + 1, self.seconds + seconds, self.matches + matches
        if judgement.is_best:
            self.best, self.elo = self.rounds, judgement.elo.value

    def _compare(self, scores: Mapping[float, float]) -> None:
        """Which share of play-outs does best, by all rounds so far."""
        self.tried = self.tried or [[0.0, 0.0] for _ in scores]
        self.tried = [[FADING * was + new for was, new in zip(pair, (score, 1.0))]
                      for pair, score in zip(self.tried, scores.values())]  # fmt: skip
        worth = {share: total / rounds - PRICE * (share > 0) for share, (total, rounds) in zip(scores, self.tried)}
        self.playouts = max(worth, key=worth.__getitem__)


@dataclass(frozen=True)
class Judgement:
    """What a network scored, and what follows from it."""

    random: Interval
    ruler: Interval
    best: Interval | None
    """Against the best network before it, if there is one."""
    elo: Interval
    is_best: bool
    playouts: float
    """The share of random play-outs that it was judged with."""
    by_share: Mapping[float, float]
    """Its score against the ruler with each share that is tried."""

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
            "playouts": self.playouts,
        }


def shares_of(game: Game, players: int, mix: float) -> tuple[tuple[float, ...], float]:
    """The shares of random play-outs that are tried, and the one to begin with. Where two players see all and no dice
    fall, a network mostly sees more than they do; where players mix, they play as nobody would."""
    facts, (none, half, _) = game.facts, SHARES
    is_open = players == 2 and not (facts.hidden or facts.chance or facts.simultaneous)
    return (SHARES[:1] if mix else SHARES), none if is_open or mix else half


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
        self, game: Game, players: int, rules: Sequence[Values], run: RunFolder, ruler: str, sims: int, device: str,
        shares: Sequence[float] = SHARES[:1],
    ):  # fmt: skip
        self.game, self.players, self.rules, self.ruler, self.shares = game, players, rules, ruler, shares
        self._spec = f"alphazero:{run.path},sims={sims},device={device},temperature={VARIETY}"
        self.is_alone = device == "cuda"  # one GPU, one who asks it
        self._fewest = self._games = AT_ONCE if self.is_alone else FEWEST

    def warm_up(self, workers: Workers) -> None:
        """One block of matches, so that all is compiled."""
        games, self._games = self._games, self.players
        self._score(self._player("latest", 0.0), self.ruler, 0, workers)
        self._games = games

    def _player(self, network: str, playouts: float) -> Agent:
        return agent(f"{self._spec},network={network},playouts={playouts:g}", self.game)

    def judge(self, standing: Standing, seconds: float, seed: int, workers: Workers) -> Judgement:
        """Play for about so many seconds; the first time only a few matches, to see how long they take. The newest
        network is the best unless its matches against the best before say otherwise."""
        started, share = time.perf_counter(), standing.playouts
        newest = self._player("latest", share)
        random = self._score(newest, "random", seed, workers)
        rulers = {one: self._score(self._player("latest", one), self.ruler, seed, workers) for one in self.shares}
        best = self._score(newest, self._player("best", share), seed, workers) if standing.best else None
        faster = min(seconds / (time.perf_counter() - started), FASTER)
        self._games = int(min(max(faster * self._games, self._fewest), MOST))
        is_best = best is None or best.high >= 1 / self.players
        ruler, scores = rulers[share], {one: score.value for one, score in rulers.items()}
        return Judgement(random, ruler, best, self._elo(ruler, best, standing.elo), is_best, share, scores)

    def _score(self, newest: Agent, rival: str | Agent, seed: int, workers: Workers) -> Interval:
        agents = newest, agent(rival, self.game) if isinstance(rival, str) else rival
        return score_against(self.game, self.players, self.rules, agents, self._games, seed, workers, self.is_alone)

    def _elo(self, ruler: Interval, best: Interval | None, elo_of_best: float) -> Interval:
        by_ruler = best is None or 1 - SURE < ruler.value < SURE
        score, base = (ruler, 0.0) if by_ruler or best is None else (best, elo_of_best)
        value, low, high = (base + elo(share, self.players) for share in (score.value, score.low, score.high))
        return Interval(value, low, high, score.n)
