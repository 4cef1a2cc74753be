"""How many openings are in use, and what they decide."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import CHOICES, NUMBER, SIZE, Light, Limits, Metric, Reading
from ludus.measure.replays import played, shares_of
from ludus.measure.sampling import Array, Replays, blocks_of, entropy_of, jackknife

SAME = Limits(2.0, 1.2)
"""Openings between which strong players choose: with one, the first moves are a ritual."""


@dataclass(frozen=True)
class Openings:
    effective: Interval
    """How many openings there are, counted as if all were played equally often."""
    spread: Interval
    """The standard deviation of results from opening to opening, without the noise of few matches."""


def measure(replays: Replays, first: int = 3) -> Openings:
    """Openings are the first decisions of a match, three if not said otherwise."""
    replays = played(replays)
    lines, blocks, shares = _lines(replays, first), blocks_of(replays), shares_of(replays)
    entropy = jackknife(blocks, lambda some: entropy_of(np.bincount(lines[some])), floor=0.0)
    low, value, high = (math.exp(x) for x in (entropy.low, entropy.value, entropy.high))
    if (np.bincount(lines) == 1).sum() > len(replays) / 2:
        high = math.inf  # most openings were seen once: who knows how many more there are
    variance = jackknife(blocks, lambda some: _between(lines[some], shares[some]), floor=0.0)
    spread = Interval(math.sqrt(variance.value), math.sqrt(variance.low), math.sqrt(variance.high), variance.n)
    return Openings(Interval(value, low, high, entropy.n), spread)


def _lines(replays: Replays, first: int) -> np.ndarray:
    """The opening of each match, numbered."""
    lines = [tuple(replay.actions[:first].tolist()) for replay in replays]
    number = {line: k for k, line in enumerate(dict.fromkeys(lines))}
    return np.array([number[line] for line in lines], np.int64)


def _between(lines: np.ndarray, shares: Array) -> float:
    """Half the variance of results between openings, summed over seats, each opening weighing as much as it is played.
    The noise in their means adds (openings - 1) / matches of the variance within; nan where none was played twice."""
    counts = np.bincount(lines)
    groups, matches = int((counts > 0).sum()), len(lines)
    if groups == matches:
        return math.nan
    means = np.stack([np.bincount(lines, column) for column in shares.T], axis=1) / np.maximum(counts, 1)[:, None]
    inside = ((shares - means[lines]) ** 2).sum() / (matches - groups)
    outside = ((means[lines] - shares.mean(axis=0)) ** 2).sum() / matches
    return float(max(0.0, outside - inside * (groups - 1) / matches) / 2)


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    for lineup in evidence.judged():
        level, found = lineup.specs[0], measure(lineup.replays)
        yield Reading("effective", "Openings in use", found.effective, NUMBER, level)
        yield Reading("spread", "Difference that the opening makes", found.spread, SIZE, level)
        if found.effective.n:
            words = f"Players choose between {NUMBER.text(found.effective)} openings of three decisions."
            yield SAME.light("Openings", found.effective, words, level)


METRIC = Metric(
    CHOICES,
    "How many different openings good players use, and how much the result depends on them.",
    read,
    parts={"effective": NUMBER, "spread": SIZE},
)
