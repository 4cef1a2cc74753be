"""What the deal decides: results that come again whenever the same chance falls again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ludus.arena.statistics import Interval, score_interval
from ludus.measure.evidence import Evidence
from ludus.measure.luck import LUCK, dice_fall
from ludus.measure.metric import SHARE, SKILL, Light, Metric, Reading
from ludus.measure.replays import played, shares_of
from ludus.measure.sampling import Array, Replays, blocks_of, bootstrap, unknown


def measure(replays: Replays, chance: bool = True) -> Interval:
    """Of equal agents: how much of the variation of results the chance of a match decides, Var_s(E[u|s]) / Var(u).

    One-way random effects over blocks: with m matches a block, (MSB - MSW) / (MSB + (m - 1) MSW), summed over seats.
    `chance` is what the game says of itself: without chance the answer is known.
    """
    if not chance:
        return Interval(0.0, 0.0, 0.0, len(played(replays)))
    table = _complete_blocks(played(replays))
    if len(table) < 2 or table.shape[1] < 2:
        return unknown(0.0, 1.0)
    means, matches = table.mean(axis=1), table.shape[1]
    within = ((table - means[:, None]) ** 2).sum(axis=(1, 2)) / (matches - 1)
    columns = np.column_stack([means, (means**2).sum(axis=1), within, np.ones(len(table))])

    def share(sums: Array) -> Array:
        count = sums[..., -1]
        inside = sums[..., -2] / count
        between = (sums[..., -3] - (sums[..., :-3] ** 2).sum(axis=-1) / count) / (count - 1)
        return (between - inside / matches) / (between + inside * (1 - 1 / matches))

    found = bootstrap(columns, np.arange(len(table)), share, 0.0, 1.0)
    if not found.n:  # nothing ever varies, neither by luck nor otherwise
        return found
    return replace(found, low=min(found.low, _least_luck(table, within)), n=table.shape[0] * matches)


def _complete_blocks(replays: Replays) -> Array:
    """Shares by block, match and seat, of the blocks of the largest size."""
    if not replays:
        return np.empty((0, 0, 0))
    blocks, shares = blocks_of(replays), shares_of(replays)
    sizes = np.bincount(blocks)
    order = np.argsort(blocks, kind="stable")
    order = order[sizes[blocks[order]] == sizes.max()]
    return shares[order].reshape(-1, sizes.max(), shares.shape[1])


def _least_luck(table: Array, within: Array) -> float:
    """A lower bound that does not take blocks which all agree for certainty: the interval of the variation within."""
    whole = float(table.var(axis=(0, 1)).sum())
    matches = table.shape[1]
    most = matches / (matches - 1) * (1 - 1 / min(matches, table.shape[2]))  # every match won by another seat
    inside = score_interval(np.clip(within / most, 0.0, 1.0)).high * most
    return max(0.0, 1 - inside / whole)


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    """Where dice fall during the match this is a part of the luck only, and has no light of its own."""
    if not evidence.game.facts.chance:
        return
    judged, is_all = evidence.judged(), not dice_fall(evidence)
    for lineup in evidence.both_ends():
        level, found = lineup.specs[0], evidence.once(measure, lineup.replays)
        yield Reading("luck_share", "What the deal alone decides", found, level=level)
        if lineup in judged and is_all and found.n:
            words = f"Chance falls only in the deal, and decides {SHARE.text(found)} of the results between equals."
            yield LUCK.light("Luck", found, words, level)


METRIC = Metric(
    SKILL,
    "How much of the result between equal players is the same whenever the same chance falls again.",
    read,
    parts={"luck_share": SHARE},
)
