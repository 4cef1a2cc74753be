"""Decisions that only choose between rivals."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.alternatives import MATTERS, mean_of, reach_of
from ludus.measure.evidence import Evidence
from ludus.measure.metric import SHARE, TABLE, Light, Limits, Metric, Reading, of_traces
from ludus.measure.replays import Alternatives
from ludus.measure.sampling import Replays, unknown

KINGS = Limits(0.05, 0.15)
"""Decisions that mean nothing to their player, and choose between rivals."""
STRIKING = 0.1
"""A difference that a player feels."""


def measure(replays: Replays) -> Interval:
    """Of three players or more: the share of decisions that mean nothing to their player and much to a rival."""
    if any(replay.players < 3 for replay in replays):
        return unknown(0.0, 1.0)
    return mean_of(replays, _makes_a_king, 0.0, 1.0)


def _makes_a_king(one: Alternatives, mover: int) -> float:
    actions, players = one.expected.shape
    noise = reach_of(actions * (actions - 1) * players) * math.sqrt(2) * one.errors.mean(axis=0)
    beyond = np.ptp(one.expected, axis=0) - noise
    return float(beyond[mover] < MATTERS and (np.delete(beyond, mover) > STRIKING).any())


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    if evidence.traced is None or evidence.players < 3:
        return
    found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
    yield Reading("kingmaking", "Kingmaking", found, **about)
    if found.n:
        words = f"{SHARE.text(found)} of decisions mean nothing to their player and choose between rivals."
        yield KINGS.light("Kingmaking", found, words, about["level"])


METRIC = Metric(
    TABLE,
    "How often a player whose own result is not at stake decides between the others.",
    read,
    needs="traces",
    parts={"kingmaking": SHARE},
)
