"""How often a quick playtest accuses a game that has nothing wrong, and how often it finds what is planted.

    python bench/false_accusations.py            400 sound games, 40 of each planted fault: five minutes of one core
    python bench/false_accusations.py 40 10      fewer
    python bench/false_accusations.py real 100   real playtests: a few seconds of one core each
    python bench/false_accusations.py real 50 200    those with seeds from 200 on, for another core

Matches are made up as measured records, so that the truth is known: equal seats, no action worth more than another, a
lead that comes and goes by the laws of a fair random walk. They go through all metrics, and the verdict counts.

The real ones are of Goofspiel with a few cards: both players choose at once from the same cards, so that no seat and
no card of a sound playtest may be accused. A lineup has as many matches as a quick playtest dares to judge by, and the
strongest search is weak, which makes them short; all else is as `ludus playtest` does it.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ludus.arena.statistics import wilson
from ludus.catalogue import load
from ludus.measure.evidence import Level, Lineup
from ludus.measure.replays import Alternatives, Replay, Trace
from ludus.playtest.plan import RANDOM, Gate, Mode, Order
from ludus.playtest.playtest import Playtest
from ludus.playtest.run import Runner
from ludus.playtest.verdict import read
from ludus.records import MatchRecord

SEARCH = Level("mcts:sims=256", "search", 256)
KINDS = [f"card {k}" for k in range(1, 17)]
MATCHES = (32, 40, 64, 100, 200, 400)
"""Of self-play in a quick playtest, by how fast the game is."""
CONTINUATIONS = 32
SHORT = Mode("short", 60, 0.05, top=64)
SHORT_MATCHES = 64
CARDS = (6, 7, 8)
"""With 4 cards half of the matches are draws, which a playtest may well accuse."""


@dataclass(frozen=True)
class Truth:
    """What a made-up game is like."""

    first: float = 0.5
    """Wins of the first seat."""
    draws: float = 0.05
    endless: float = 0.0
    lift: float = 0.0
    """What the first card is worth to who plays it."""
    settled: float = 1.0
    """After this share of a match nothing is left to decide."""


SOUND = Truth()
PLANTED = {
    "Seats": Truth(first=0.68),
    "Draws": Truth(draws=0.85),
    "Endings": Truth(endless=0.15),
    "Lift of actions": Truth(lift=0.7),
    "Dead turns": Truth(settled=0.2),
}


def match(rng: np.random.Generator, truth: Truth, specs: tuple[str, str], block: int, turn: int, edge: float) -> Replay:
    """One match; `edge` is what the first agent of the lineup has over the other."""
    plies = int(rng.integers(20, 41))
    kinds = rng.choice(KINDS, plies)
    walk = rng.standard_normal(plies)
    walk[int(truth.settled * plies) :] = 0.0
    movers = np.arange(plies) % 2
    own = [KINDS[0] in kinds[movers == seat] for seat in range(2)]
    drift = truth.first - 0.5 + truth.lift * (own[0] - own[1]) / 2 + (edge if turn == 0 else -edge)
    walk += _shift(drift) * math.sqrt(plies) / plies
    is_draw, is_endless = rng.random() < truth.draws, rng.random() < truth.endless
    win = 0.5 if is_draw or is_endless else float(walk.sum() > 0)
    return Replay(
        agents=specs if turn == 0 else specs[::-1],
        block=block,
        rotation=turn,
        shares=np.array([win, 1 - win]),
        outcome="limit" if is_endless else "finished",
        plies=plies,
        movers=movers,
        steps=np.arange(plies),
        menus=rng.integers(2, 9, plies),
        actions=rng.integers(0, 8, plies),
        kinds=tuple(kinds.tolist()),
        positions=rng.integers(0, 1 << 62, plies + 1).astype(np.uint64),
        trace=_trace(rng, walk, win),
    )


def _shift(drift: float) -> float:
    """The mean of a normal walk that wins 0.5 + drift."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(min(max(0.5 + drift, 0.001), 0.999))


def _trace(rng: np.random.Generator, walk: np.ndarray, win: float) -> Trace:
    """What an evaluator sees who plays on from every moment: the chance of the walk, and the noise of continuations."""
    moving = (walk != 0)[::-1].cumsum()[::-1]
    score = np.concatenate([[0.0], walk.cumsum()[:-1]])
    chance = np.array([_normal(s / math.sqrt(n)) if n else float(walk.sum() > 0) for s, n in zip(score, moving)])
    seen = rng.binomial(CONTINUATIONS, chance) / CONTINUATIONS
    error = np.sqrt(np.maximum(seen * (1 - seen), 1 / (CONTINUATIONS + 2)) / CONTINUATIONS)
    expected = np.vstack([np.column_stack([seen, 1 - seen]), [[win, 1 - win]]])
    errors = np.vstack([np.column_stack([error, error]), [[0.0, 0.0]]])
    opened = tuple(_alternatives(rng, int(k), chance[k]) for k in rng.choice(len(walk), 4, replace=False))
    return Trace("a made-up evaluator", expected, errors, opened)


def _normal(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def _alternatives(rng: np.random.Generator, decision: int, chance: float) -> Alternatives:
    """Actions that differ a little, of which the mover prefers the better ones."""
    side = 1 if decision % 2 == 0 else -1
    worth = np.clip(chance + 0.1 * rng.standard_normal(5), 0, 1)
    seen = rng.binomial(16, worth) / 16
    wish = np.exp(12 * side * worth)
    policy = rng.multinomial(CONTINUATIONS, wish / wish.sum())
    error = np.sqrt(np.maximum(seen * (1 - seen), 1 / 18) / 16)
    return Alternatives(decision, np.column_stack([seen, 1 - seen]), np.column_stack([error, error]), policy)


def lineup(rng: np.random.Generator, truth: Truth, specs: tuple[str, str], matches: int, edge: float = 0.0) -> Lineup:
    replays = [match(rng, truth, specs, k // 2, k % 2, edge) for k in range(matches)]
    records = [_record(replay) for replay in replays]
    return Lineup(" against ".join(dict.fromkeys(specs)), specs, replays, records, wanted=400)


def _record(replay: Replay) -> MatchRecord:
    returns = (2 * replay.shares - 1).tolist()
    return MatchRecord("made_up", "1", {}, 2, list(replay.agents), 0, replay.block, replay.rotation, [], returns,
                       replay.plies, replay.outcome)  # fmt: skip


def playtest(rng: np.random.Generator, truth: Truth) -> Playtest:
    """A quick playtest of a made-up game, with as many matches as some game would allow."""
    count = int(rng.choice(MATCHES))
    weak, strong = ("random", "random"), (SEARCH.spec, SEARCH.spec)
    own = lineup(rng, truth, strong, count)
    traced = replace(own, replays=own.replays[:20], records=own.records[:20])
    game = load("connect_four")  # for its facts only: two players, no chance
    return Playtest(
        game, game.rule_values(), 2, 0, [RANDOM, SEARCH],
        [lineup(rng, truth, weak, 400), own, lineup(rng, truth, (SEARCH.spec, "random"), count, 0.35)],
        traced, dict.fromkeys(KINDS, 400), "Made up", "default", "quick", [Gate("random", True, "")], [], [], [], 0.0,
    )  # fmt: skip


def reds(number: int, truth: Truth) -> set[str]:
    found = read(playtest(np.random.default_rng([17, number]), truth))
    return {light.topic for light in found.lights if light.colour == "red"}


def real_reds(seed: int) -> set[str]:
    """The red lights of a real playtest of a game with nothing wrong."""
    rules: dict[str, object] = {"cards": CARDS[seed % len(CARDS)]}
    order = Order("goofspiel", "default", rules, 2, SHORT, seed, [], SHORT_MATCHES)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(order, Path(folder) / "playtest")
        runner.ledger.kept["checked"] = True  # once is enough
        return {light.topic for light in read(runner.run()).lights if light.colour == "red"}


def count_accused(what: str, found: Iterable[set[str]]) -> None:
    accused = list(found)
    topics = Counter(topic for one in accused for topic in one)
    print(f"{what} with a red light: {wilson(sum(map(bool, accused)), len(accused))} {dict(topics)}", flush=True)


def real(count: int = 100, first: int = 0) -> None:
    count_accused("real playtests", map(real_reds, range(first, first + count)))


def main(sound: int = 400, planted: int = 40) -> None:
    count_accused("sound games", (reds(number, SOUND) for number in range(sound)))
    for topic, truth in PLANTED.items():
        hits = sum(topic in reds(10_000 + number, truth) for number in range(planted))
        print(f"planted, {topic}: found in {wilson(hits, planted)}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["real"]:
        real(*map(int, sys.argv[2:]))
    else:
        main(*map(int, sys.argv[1:]))
