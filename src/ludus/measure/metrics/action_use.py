"""Who uses each kind of action, and how those fare who do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.evidence import Evidence, Lineup
from ludus.measure.metric import CHOICES, COUNT, SIZE, Intervals, Light, Limits, Metric, Quantity, Reading, size_of
from ludus.measure.replays import played, shares_of
from ludus.measure.sampling import Array, Replays, blocks_of, rate, ratio

LIFT = Limits(0.01, 0.05)
"""What players of an action get beyond what their seat gets otherwise; less than a point is nothing to act on."""
OFTEN = 0.2
"""Use from which on a kind counts as used often."""
LARGE = 0.3
"""What those who do it must get beyond those who do not, times the number of players: 15 points with two."""
LISTED = 20
"""A kind must have been legal so often before nobody's choosing it means something."""
ALARM = 0.03
"""How often a report may speak of a lift, of any action, where no action has one."""
FLIPS = 4000
MOST = 10
"""Kinds of action on the chart; the table below it has all."""


@dataclass(frozen=True)
class ActionUse:
    kind: str
    use: Interval
    """The share of players who ever did it: one count a seat of a match."""
    lift: Interval
    """What those who did it got beyond what their seat gets otherwise. A lift is no cause."""
    p_value: float
    """How often the largest lift of all kinds would be as sure as this one if no kind had any."""
    flag: str
    """lift, negative lift, dead, or nothing."""


def measure(replays: Replays, legal: Mapping[str, int]) -> tuple[ActionUse, ...]:
    """Every kind of action, the most used first. `legal` says how often each was on a menu, in any play."""
    replays = played(replays)
    kinds = sorted({*legal, *(kind for replay in replays for kind in replay.kinds)})
    if not replays or not kinds:
        return ()
    used = _used(replays, kinds)
    blocks, lead = blocks_of(replays), shares_of(replays)
    lead -= lead.mean(axis=0)
    uses = [rate(used[:, :, k].mean(axis=1), blocks) for k in range(len(kinds))]
    sums, counts = (used * lead[:, :, None]).sum(axis=1), used.sum(axis=1)
    lifts = [ratio(above, below, blocks, -1.0, 1.0) for above, below in zip(sums.T, counts.T)]
    p_values = _p_values(sums, blocks, np.array([OFTEN <= use.value < 1 for use in uses]))
    rows = []
    for kind, use, lift, p in zip(kinds, uses, lifts, p_values.tolist()):
        flag = _flag(use, lift, p, legal.get(kind, 0), replays[0].players)
        rows.append(ActionUse(kind, use, lift, p, flag))
    return tuple(sorted(rows, key=lambda row: -row.use.value))


def _used(replays: Replays, kinds: list[str]) -> Array:
    """1 where a seat did a kind of action in a match: [match, seat, kind]."""
    number = {kind: k for k, kind in enumerate(kinds)}
    used = np.zeros((len(replays), replays[0].players, len(kinds)))
    for match, replay in enumerate(replays):
        used[match, replay.movers, [number[kind] for kind in replay.kinds]] = 1.0
    return used


def _p_values(sums: Array, blocks: np.ndarray, looked_at: np.ndarray) -> Array:
    """For all kinds together (Westfall and Young 1993): without any lift a block might as well have gone the other way
    round, so signs are flipped block by block, and each kind is held against the largest of all under such flips."""
    p_values = np.ones(sums.shape[1])
    table = np.stack([np.bincount(blocks, column) for column in sums.T], axis=1)[:, looked_at]
    norms = np.sqrt((table**2).sum(axis=0))
    table = table[:, norms > 1e-9] / norms[norms > 1e-9]
    if not table.size:
        return p_values
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (FLIPS, len(table)))
    largest = np.abs(signs @ table).max(axis=1)
    seen = np.abs(table.sum(axis=0))
    found = (1 + (largest[:, None] >= seen - 1e-9).sum(axis=0)) / (1 + FLIPS)
    p_values[np.flatnonzero(looked_at)[norms > 1e-9]] = found
    return p_values


def _flag(use: Interval, lift: Interval, p_value: float, legal: int, players: int) -> str:
    if use.value == 0:
        return "dead" if legal >= LISTED else ""
    # Where most do it, all of them together are little better than the mean: compare with those who do not.
    large = LARGE / players * (1 - use.value)
    if p_value < ALARM and abs(lift.value) >= max(large, LIFT.amber):
        return "lift" if lift.value > 0 else "negative lift"
    return ""


# ------------------------------------------------------------------------------------------------ beside random play

FADED = 0.2
"""Strong players choose it less than so many times as often as random ones do."""
CROWDING, FAVOURED = 0.6, 1.5
"""It takes at least this share of all decisions, and so many times the share that it has in random play."""


def faded(replays: Replays, at_random: Replays) -> tuple[str, ...]:
    """Kinds of action that strong players surely hardly ever choose, though the rules offer them."""
    shares = _shares_of_kinds(replays, at_random)
    return tuple(kind for kind, share, usual in shares if share.high < FADED * usual)


def crowding(replays: Replays, at_random: Replays) -> tuple[str, ...]:
    """Kinds of action beside which strong players surely hardly choose any other."""
    shares = _shares_of_kinds(replays, at_random)
    return tuple(kind for kind, share, usual in shares if share.low >= max(CROWDING, FAVOURED * usual))


def _shares_of_kinds(replays: Replays, at_random: Replays) -> Iterator[tuple[str, Interval, float]]:
    """Each kind that random players do now and then: its share of all decisions, and its share of theirs."""
    strong, weak = played(replays), played(at_random)
    decisions, blocks = [len(replay.kinds) for replay in strong], blocks_of(strong)
    total = max(1, sum(len(replay.kinds) for replay in weak))
    for kind in sorted({kind for replay in weak for kind in replay.kinds}):
        times = sum(replay.kinds.count(kind) for replay in weak)
        if times >= LISTED and strong:
            yield kind, ratio([one.kinds.count(kind) for one in strong], decisions, blocks, 0.0, 1.0), times / total


# ------------------------------------------------------------------------------------------------ lights and charts


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    for lineup in evidence.judged():
        rows = evidence.once(measure, lineup.replays, evidence.legal_kinds)
        if len(rows) > 1:
            flagged = sum(bool(row.flag) for row in rows)
            found = Interval(flagged, flagged, flagged, len(lineup.replays))
            yield Reading("flagged", "Kinds of action with a sure lift, or never wanted", found, COUNT, lineup.specs[0])
            yield from _lights(rows, lineup, evidence.weakest())


def _lights(rows: Sequence[ActionUse], lineup: Lineup, weakest: Lineup | None) -> Iterator[Light]:
    level, at_random = lineup.specs[0], weakest.replays if weakest and weakest is not lineup else ()
    crowd, gone = crowding(lineup.replays, at_random), faded(lineup.replays, at_random)
    lifted, sunk = ([row for row in rows if row.flag == flag] for flag in ("lift", "negative lift"))
    dead = [row for row in rows if row.flag == "dead" or row.kind in gone]
    sunk = [row for row in sunk if row not in dead]
    if crowd:
        yield Light("red", "Crowding actions", f"Strong players hardly do anything but {_names(crowd)}.", level)
    for topic, way, own in (("Lift of actions", "more", lifted), ("Negative lift", "less", sunk)):
        if own:
            best = max(own, key=lambda row: abs(row.lift.value))
            colour = "red" if way == "more" and LIFT.colour(best.lift) == "red" else "amber"
            yield Light(colour, topic, _lift_words(best, way, own), level)
    if dead:
        names = _names([row.kind for row in dead])
        yield Light("amber", "Dead actions", f"Players hardly ever choose {names}, though the rules offer it.", level)
    if not (crowd or lifted or sunk or dead):
        words = f"None of {len(rows)} kinds of action has a sure lift, and none is never wanted."
        yield Light("green", "Actions", words, level)


def _names(kinds: Sequence[str]) -> str:
    more = f" and {len(kinds) - 4} more" if len(kinds) > 4 else ""
    return ", ".join(f"*{kind}*" for kind in kinds[:4]) + more


def _lift_words(best: ActionUse, way: str, rows: Sequence[ActionUse]) -> str:
    others = [row.kind for row in rows if row is not best]
    also = f", {way} also with {_names(others)}" if others else ""
    lift = SIZE.text(size_of(best.lift))
    return (
        f"Who ever plays *{best.kind}* gets {lift} {way} than the seat gets otherwise{also}. "
        "That is a lift and need not be a cause: who is ahead may do more of it."
    )


TRIED = 6
"""Kinds that are worth an intervention."""


def telling(replays: Replays, legal: Mapping[str, int]) -> list[str]:
    """The kinds to ask for a cause: the largest lifts among those that some do, then those that are used most."""
    rows = measure(replays, legal)
    lifts = sorted(rows, key=lambda row: -abs(row.lift.value) * row.use.value**0.5 if 0 < row.use.value < 1 else 0.0)
    some = [row.kind for row in lifts if 0 < row.use.value < 1]
    every = [row.kind for row in rows if row.use.value == 1]
    return list(dict.fromkeys([*some[: TRIED - 2], *every[:2], *some]))[:TRIED] if len(rows) > 1 else []


def chart(evidence: Evidence) -> Intervals | None:
    """Who uses each kind of action, and how they fare."""
    rows = [row for lineup in evidence.judged() for row in evidence.once(measure, lineup.replays, evidence.legal_kinds)]
    if len(rows) < 2:
        return None
    # Of what everybody does there is nobody to compare with.
    telling = [row for row in rows if row.lift.n and row.use.value < 1]
    telling.sort(key=lambda row: -abs(row.lift.value) * row.use.value**0.5)
    words = "Players who did a thing at least once, and the points they got beyond what their seat gets otherwise. "
    words += "Doing well may come before the action, not from it: a large lift is a question, not an answer."
    if not telling:
        return Intervals("", f"Everybody does all {len(rows)} kinds of action.", (), ())
    title = "The lift of each action, in points" + (
        f": the {MOST} most telling of {len(rows)}" if len(rows) > MOST else ""
    )
    return Intervals(title, words, ["lift"], [(_label(row), [row.lift]) for row in telling[:MOST]])


def _label(row: ActionUse) -> str:
    return f"{row.kind}{f' ({row.flag})' if row.flag else ''}, used by {100 * row.use.value:.0f} %"


def quantities(players: int) -> list[Quantity]:
    return [Quantity("kinds", "kinds of action", "kinds", lambda replay: len(set(replay.kinds)), 0.2, 0.02)]


METRIC = Metric(
    CHOICES,
    "Who uses each kind of action, and whether those who do win more.",
    read,
    chart,
    quantities,
    needs="menus",
    parts={"flagged": COUNT},
)
