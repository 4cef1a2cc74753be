"""What skill decides between unequal players."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import SHARE, SKILL, Metric, Reading
from ludus.measure.replays import played, shares_of
from ludus.measure.sampling import Array, Replays, blocks_of, bootstrap, rate, unknown


def measure(replays: Replays) -> Interval:
    """Of unequal agents: how much of the variation of results is explained by which agent it is.

    Σ over seats of (r_agent - 1/n)², without what the noise in r adds, over Σ of (u - 1/n)².
    """
    replays = played(replays)
    specs = sorted({spec for replay in replays for spec in replay.agents})
    if len(specs) < 2:
        return unknown(0.0, 1.0)
    own = np.array([[[spec == seat for seat in replay.agents] for spec in specs] for replay in replays], float)
    lead = shares_of(replays) - 1 / replays[0].players
    columns = np.column_stack([(own * lead[:, None]).sum(axis=2), own.sum(axis=2), (lead**2).sum(axis=1)])
    blocks = blocks_of(replays)
    noise = _noise_of_leads(columns, blocks, len(specs))

    def share(sums: Array) -> Array:
        gained, seats, whole = np.split(sums, [len(specs), 2 * len(specs)], axis=-1)
        # A redrawn mean is noisy twice: once as measured, once as redrawn.
        doubt = noise * (1 if sums.ndim == 1 else 2)
        return ((gained**2 / seats).sum(axis=-1) - doubt) / whole[..., 0]

    found = bootstrap(columns, blocks, share, 0.0, 1.0)
    if found.value < 1:
        return found
    # The same agent won every match: nothing varies that could be redrawn, but its next match may be lost.
    best = columns[:, : len(specs)].sum(axis=0).argmax()
    worst_case = rate(columns[:, best] / own.sum(axis=2)[:, best] + 1 / replays[0].players, blocks).low
    return replace(found, low=((replays[0].players * worst_case - 1) / (replays[0].players - 1)) ** 2)


def _noise_of_leads(columns: Array, blocks: np.ndarray, specs: int) -> float:
    """What chance alone adds to Σ (Σ lead)² / seats: the variance of each agent's summed lead over its seats."""
    if blocks.max() < 1:
        return 0.0
    sums = np.stack([np.bincount(blocks, column) for column in columns[:, :specs].T], axis=1)
    variances = len(sums) * sums.var(axis=0, ddof=1)
    return float((variances / columns[:, specs : 2 * specs].sum(axis=0)).sum())


def read(evidence: Evidence) -> Iterator[Reading]:
    for lineup in evidence.lineups:
        if not lineup.is_self_play and lineup.replays and lineup.specs[0] == evidence.levels[-1].spec:
            who = " against ".join(dict.fromkeys(lineup.specs))
            yield Reading("skill_share", "What skill decides", measure(lineup.replays), level=who)


METRIC = Metric(
    SKILL,
    "How much of the result between unequal players is explained by who plays better.",
    read,
    needs="pairs",
    parts={"skill_share": SHARE},
)
