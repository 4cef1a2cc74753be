"""How long a match lasts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence, Lineup
from ludus.measure.metric import FINE, LENGTH, NUMBER, Counts, Light, Limits, Metric, Quantity, Reading
from ludus.measure.replays import played, turns_of
from ludus.measure.sampling import Array, Replays, blocks_of, jackknife, mean, quantile

UNEVEN = Limits(2.0, 3.0)
"""The longest match of twenty, measured by the usual one: evenings are planned by the usual one."""
SHORT = Limits(4.0, 2.0)
"""Decisions of a player in a match: with fewer nobody can have a plan."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
COLUMNS = 24
"""Of a histogram: more than a page can show on a phone."""


@dataclass(frozen=True)
class Spread:
    """A number that differs from match to match."""

    mean: Interval
    deviation: Interval
    quantiles: tuple[Interval, ...]
    """At `QUANTILES`."""


@dataclass(frozen=True)
class Duration:
    plies: Spread
    decisions: Spread
    per_seat: Spread
    """Decisions of one seat, on average over the seats."""
    turns: Spread


def measure(replays: Replays) -> Duration:
    """The length of matches; one that was cut off counts with the length at which it was cut."""
    replays = played(replays)
    plies = [replay.plies for replay in replays]
    decisions = [len(replay.movers) for replay in replays]
    per_seat = [len(replay.movers) / replay.players for replay in replays]
    turns = [len(turns_of(replay)) for replay in replays]
    blocks = blocks_of(replays)
    return Duration(*(_spread(np.array(x, float), blocks) for x in (plies, decisions, per_seat, turns)))


def _spread(values: Array, blocks: np.ndarray) -> Spread:
    quantiles = tuple(quantile(values, blocks, share) for share in QUANTILES)
    return Spread(mean(values, blocks, floor=0.0), _deviation(values, blocks), quantiles)


def _deviation(values: Array, blocks: np.ndarray) -> Interval:
    """Its logarithm varies more evenly than itself: lengths are often skewed."""
    if len(values) and np.ptp(values) == 0:
        return Interval(0.0, 0.0, 0.0 if len(values) > 1 else math.inf, len(values))

    def log_deviation(some: np.ndarray) -> float:
        return math.log(values[some].std(ddof=1)) if len(some) > 1 and np.ptp(values[some]) else math.nan

    found = jackknife(blocks, log_deviation)
    return Interval(math.exp(found.value), math.exp(found.low), math.exp(found.high), found.n)


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    judged = evidence.judged()
    for lineup in evidence.both_ends():
        level, found = lineup.specs[0], measure(lineup.replays)
        usual, longest = found.plies.quantiles[2], found.plies.quantiles[4]
        share = _times(longest, usual)
        yield Reading("plies", "Usual length in plies", usual, NUMBER, level)
        yield Reading("spread", "Longest of twenty against the usual", share, FINE, level)
        yield Reading("decisions", "Decisions of each player", found.per_seat.mean, NUMBER, level)
        yield Reading("mean-plies", "Mean length in plies", found.plies.mean, NUMBER, level)
        yield Reading("turns", "Mean length in turns", found.turns.mean, NUMBER, level)
        yield Reading("deviation", "Standard deviation in plies", found.plies.deviation, NUMBER, level)
        if lineup in judged:
            yield UNEVEN.light("Spread of lengths", share, _spread_words(usual, longest), level)
            words = f"Each player decides {NUMBER.text(found.per_seat.mean)} times in a match."
            yield SHORT.light("Room for plans", found.per_seat.mean, words, level)


def _times(longest: Interval, usual: Interval) -> Interval:
    """How many times as long; less than one ply is no length."""
    value, low, high = (max(1.0, length) for length in (usual.value, usual.low, usual.high))
    return Interval(longest.value / value, longest.low / high, longest.high / low, usual.n)


def _spread_words(usual: Interval, longest: Interval) -> str:
    if longest.value == usual.value:
        return f"Nearly every match takes {NUMBER.text(usual)} plies."
    return f"A match usually takes {NUMBER.text(usual)} plies; one in twenty takes {NUMBER.text(longest)} or more."


def chart(evidence: Evidence) -> Counts | None:
    """The spread of lengths, of the weakest and of the judged players."""
    plies = {one.specs[0]: _plies(one) for one in evidence.both_ends()[::-1]}
    every = [length for own in plies.values() for length in own]
    if not every:
        return None
    if min(every) == max(every):
        return Counts("", f"Every match takes {every[0]} plies.", "", (), ())
    edges = _edges(every)
    counts = [(name, np.histogram(own, edges)[0].tolist()) for name, own in plies.items()]
    title = "How long matches are" + (f", {counts[0][0]}" if len(counts) == 1 else "")
    return Counts(title, "", "plies", edges, counts)


def _plies(lineup: Lineup) -> list[int]:
    return [replay.plies for replay in lineup.replays]


def _edges(values: Sequence[int]) -> list[float]:
    """Whole numbers, evenly apart, so that no column covers more of them than another."""
    low, high = min(values), max(values) + 1
    step = max(1, -(-(high - low) // COLUMNS))
    return [float(edge) for edge in range(low, high + step, step)]


def quantities(players: int) -> list[Quantity]:
    return [
        Quantity(
            "turns", "length", "turns", lambda replay: len(turns_of(replay)), 1, 0.02,
            "lengthens the game by", "shortens the game by",
        ),
        Quantity("decisions", "decisions", "decisions", lambda replay: len(replay.movers), 1, 0.02),
        Quantity("plies", "plies", "plies", lambda replay: replay.plies, 1, 0.02),
    ]  # fmt: skip


METRIC = Metric(
    LENGTH,
    "How long a match lasts, in plies, decisions and turns.",
    read,
    chart,
    quantities,
    parts={
        "plies": NUMBER,
        "spread": FINE,
        "decisions": NUMBER,
        "mean-plies": NUMBER,
        "turns": NUMBER,
        "deviation": NUMBER,
    },
)
