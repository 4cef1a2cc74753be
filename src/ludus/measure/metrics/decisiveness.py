"""When it was over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import NUMBER, SHARE, TENSION, Light, Limits, Metric, Reading, of_traces
from ludus.measure.replays import Replay
from ludus.measure.sampling import Replays, blocks_of, mean, rate
from ludus.measure.traces import SETTLED, decided, trace_of

EARLY = Limits(0.6, 0.4)
"""The share of the match after which it is settled: what comes later is played without hope."""


@dataclass(frozen=True)
class Decisiveness:
    """Of matches with a winner, when it was over."""

    turned: Interval
    """The share of the match after which the winner always stood better than any rival ever did."""
    settled: Interval
    """The share of the match after which the winner could always expect 95 % or more."""
    dead: Interval
    """Plies that were still played then."""


def measure(replays: Replays) -> Decisiveness:
    replays = decided(replays)
    plies = np.array([replay.plies for replay in replays], float)
    turned = np.array([_since(replay, _best_rival(replay)) for replay in replays], float)
    settled = np.array([_since(replay, SETTLED - 1e-9) for replay in replays], float)
    blocks = blocks_of(replays)
    return Decisiveness(
        rate(turned / plies, blocks), rate(settled / plies, blocks), mean(plies - settled, blocks, floor=0.0)
    )


def _since(replay: Replay, level: float) -> int:
    """The moment from which on the winner stays above a level; the end, where it never does."""
    chances = trace_of(replay).expected[:, replay.winner]
    below = np.flatnonzero(chances[:-1] <= level)
    return int(below[-1]) + 1 if len(below) else 0


def _best_rival(replay: Replay) -> float:
    """The most that any other seat could ever expect."""
    return float(np.delete(trace_of(replay).expected, replay.winner, axis=1).max())


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    if evidence.traced is None:
        return
    found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
    yield Reading("settled", "Settled after this share of the match", found.settled, **about)
    yield Reading("turned", "Winner stands best after", found.turned, **about)
    yield Reading("dead", "Plies played out", found.dead, NUMBER, **about)
    if found.settled.n:
        share, dead = SHARE.text(found.settled), NUMBER.text(found.dead)
        words = f"Matches are settled after {share} of their length; {dead} plies are played out."
        yield EARLY.light("Dead turns", found.settled, words, about["level"])


METRIC = Metric(
    TENSION,
    "When the match was settled, and how many plies were played after that.",
    read,
    needs="traces",
    parts={"settled": SHARE, "turned": SHARE, "dead": NUMBER},
)
