"""How matches end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import RULES, SHARE, Light, Limits, Metric, Quantity, Reading
from ludus.measure.replays import Replay, played
from ludus.measure.sampling import Replays, blocks_of, rate

CUT_OFF = Limits(0.01, 0.05)
"""Matches without an end: even one evening in twenty is a broken rule."""
DRAWS = Limits(0.3, 0.6)
"""Draws between equals. Strong chess has more, but a new game has no theory yet that makes draws interesting."""


@dataclass(frozen=True)
class Endings:
    """How matches end, each as a share of all; together they are everything."""

    completion: Interval
    """Ended by the rules, and not everybody got the same."""
    draws: Interval
    """Ended by the rules, and everybody got the same."""
    limits: Interval
    """Cut off at the maximum of plies."""
    faults: Interval
    """Ended by an agent's failure."""


def measure(replays: Replays) -> Endings:
    sound = {id(replay) for replay in played(replays)}
    faults = np.array([id(replay) not in sound for replay in replays], bool)
    limits = np.array([replay.outcome == "limit" for replay in replays], bool)
    draws = np.array([replay.is_draw for replay in replays], bool)
    blocks = blocks_of(replays)
    return Endings(*(rate(which, blocks) for which in (~(draws | limits | faults), draws, limits, faults)))


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    judged = evidence.judged()
    for lineup in evidence.both_ends():
        level, found = lineup.specs[0], evidence.once(measure, lineup.replays)
        yield Reading("draws", "Draws", found.draws, level=level)
        if lineup in judged:
            words = f"Between equals {SHARE.text(found.draws)} of matches are draws."
            yield DRAWS.light("Draws", found.draws, words, level)
        yield Reading("completion", "Won by somebody", found.completion, level=level)
        yield Reading("limits", "Cut off at the limit", found.limits, level=level)
        yield Reading("faults", "Ended by an agent's fault", found.faults, level=level)
    yield from _cut_off(evidence)


def _cut_off(evidence: Evidence) -> Iterator[Light]:
    """Of the level that ends worst: rules that let a match go on for ever do so at some level."""
    lineups = evidence.self_plays()
    if not lineups:
        return
    worst = max((evidence.once(measure, lineup.replays).limits for lineup in lineups), key=lambda limits: limits.value)
    if worst.value > 0:
        words = f"{SHARE.text(worst)} of matches never end by themselves and must be cut off."
        yield CUT_OFF.light("Endings", worst, words)
    else:
        matches = sum(len(lineup.replays) for lineup in lineups)
        yield Light("green", "Endings", f"All {matches:,} matches came to an end by themselves.")


def quantities(players: int) -> list[Quantity]:
    return [
        _frequency("draws", "draws", lambda replay: replay.is_draw, 3),
        _frequency("limits", "time-outs", lambda replay: replay.outcome == "limit", 1),
    ]


def _frequency(key: str, name: str, happens: Callable[[Replay], bool], matters: float) -> Quantity:
    return Quantity(
        key, name, "points", lambda replay: 100.0 * happens(replay), matters,
        rises=f"makes {name} more frequent by", falls=f"makes {name} rarer by", most=100,
    )  # fmt: skip


METRIC = Metric(
    RULES,
    "How matches end: with a winner, in a draw, cut off at the limit, or by a fault of an agent.",
    read,
    quantities=quantities,
    parts={"draws": SHARE, "completion": SHARE, "limits": SHARE, "faults": SHARE},
)
