"""What chance decides in all, and not what players choose."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.alternatives import stir_of, sums_of, with_alternatives
from ludus.measure.evidence import Evidence
from ludus.measure.luck import LUCK, dice_fall
from ludus.measure.metric import SHARE, SKILL, Light, Metric, Reading, of_traces
from ludus.measure.metrics import luck_share
from ludus.measure.replays import shares_of
from ludus.measure.sampling import Array, Replays, bootstrap, unknown


def measure(replays: Replays) -> Interval:
    """How much of the variation of results chance decides, and not what players choose: 1 - E[Σ suspense²] / Var(u).

    What can be expected moves by choices and by chance, and the squares of all moves add up to the variance of the
    result. The matches must be played by the evaluator's own agent.
    """
    replays = with_alternatives(replays)
    if not replays:
        return unknown(0.0, 1.0)
    stirs, counts, blocks = sums_of(replays, stir_of)
    open_ones = np.array([(replay.menus > 1).sum() for replay in replays], float)
    chosen = open_ones * np.array(stirs) / np.maximum(counts, 1)
    shares = shares_of(replays)
    columns = np.column_stack([chosen, shares, (shares**2).sum(axis=1), np.ones(len(replays))])

    def statistic(sums: Array) -> Array:
        count = sums[..., -1]
        whole = (sums[..., -2] - (sums[..., 1:-2] ** 2).sum(axis=-1) / count) * count / (count - 1) / 2
        return 1 - sums[..., 0] / np.where(whole > 1e-9, whole, math.nan)

    return bootstrap(columns, blocks, statistic, 0.0, 1.0)


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    """What chance decides in all is no less than what the deal alone does: where noise says less, the deal counts."""
    if evidence.traced is None or not evidence.game.facts.chance or not dice_fall(evidence):
        return
    found, about = measure(evidence.traced.replays), of_traces(evidence.traced)
    deal = next((evidence.once(luck_share.measure, lineup.replays) for lineup in evidence.judged()), unknown(0.0, 1.0))
    whole = deal if deal.n and deal.value > found.value else found
    beside = f"read off single decisions: {SHARE.text(found)}" if whole is deal else ""
    yield Reading("luck_in_play", "What chance decides in all, and not choices", whole, **about, beside=beside)
    if whole.n:
        words = f"Chance decides {SHARE.text(whole)} of the results between equals, choices the rest."
        light = LUCK.light("Luck", whole, f"{words} {_deal_words(deal, whole)}".strip(), about["level"])
        yield _with_guesses(light) if evidence.game.facts.simultaneous else light


def _with_guesses(light: Light) -> Light:
    """Where players choose at once, what a rival chooses is as good as a die; a game is not at fault for that."""
    words = f"{light.sentence} Guessing what others choose at the same moment counts as chance here."
    return replace(light, colour="amber" if light.colour == "red" else light.colour, sentence=words)


def _deal_words(deal: Interval, whole: Interval) -> str:
    """How much of it comes out alike when the same chance falls again."""
    if not deal.n:
        return ""
    if whole is deal:
        return "So much comes out alike when the same chance falls again."
    return f"The deal alone decides {SHARE.text(deal)}: so much comes out alike when the same chance falls again."


METRIC = Metric(
    SKILL,
    "How much of the result is decided by chance and not by what players choose.",
    read,
    needs="traces",
    parts={"luck_in_play": SHARE},
)
