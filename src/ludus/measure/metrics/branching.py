"""How many actions a player may choose from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence
from ludus.measure.metric import CHOICES, NUMBER, SHARE, Light, Limits, Metric, Quantity, Reading
from ludus.measure.replays import Replay, played
from ludus.measure.sampling import Replays, blocks_of, ratio

FORCED = Limits(0.6, 0.3)
"""Decisions that leave a choice: below, players mostly carry out what the rules want."""


@dataclass(frozen=True)
class Branching:
    menu: Interval
    """Legal actions a decision."""
    factor: Interval
    """The same, without decisions that had a single one."""
    rate: Interval
    """Decisions that had more than one, as a share of all."""


def measure(replays: Replays) -> Branching:
    """Means over all decisions of all matches."""
    replays = played(replays)
    blocks = blocks_of(replays)
    menus = [replay.menus for replay in replays]
    every, free = [len(menu) for menu in menus], [(menu > 1).sum() for menu in menus]
    return Branching(
        ratio([menu.sum() for menu in menus], every, blocks, floor=1.0),
        ratio([menu[menu > 1].sum() for menu in menus], free, blocks, floor=2.0),
        ratio(free, every, blocks, ceiling=1.0),
    )


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    judged = evidence.judged()
    for lineup in evidence.both_ends():
        level, found = lineup.specs[0], measure(lineup.replays)
        yield Reading("choices", "Decisions with a choice", found.rate, level=level)
        if lineup in judged:
            words = f"{SHARE.text(found.rate)} of decisions leave a choice."
            yield FORCED.light("Freedom", found.rate, words, level)
        yield Reading("menu", "Legal actions", found.menu, NUMBER, level)
        yield Reading("factor", "Legal actions, if more than one", found.factor, NUMBER, level)


def quantities(players: int) -> list[Quantity]:
    return [
        Quantity("menu", "menu", "actions", _mean_menu, 0.1, 0.05),
        Quantity("choices", "real choices", "points", _choices, 2, most=100),
    ]


def _mean_menu(replay: Replay) -> float:
    return float(replay.menus.mean()) if len(replay.menus) else 0.0


def _choices(replay: Replay) -> float:
    return 100 * float((replay.menus > 1).mean()) if len(replay.menus) else 0.0


METRIC = Metric(
    CHOICES,
    "How many actions a player may choose from, and how often there is a choice at all.",
    read,
    quantities=quantities,
    parts={"choices": SHARE, "menu": NUMBER, "factor": NUMBER},
)
