"""What players do: how long, how much choice, which actions, how many openings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ludus.arena.statistics import Interval, benjamini_hochberg, wilson
from ludus.measure.metrics.fairness import played, shares_of
from ludus.measure.replays import Replay
from ludus.measure.sampling import (
    CONFIDENCE,
    Array,
    Replays,
    blocks_of,
    bootstrap,
    entropy_of,
    jackknife,
    mean,
    quantile,
    rate,
    ratio,
    unknown,
)

# ------------------------------------------------------------------------------------------------ length

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


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


def duration(replays: Replays) -> Duration:
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


@dataclass(frozen=True)
class Turn:
    """A run of steps in which one player alone decides; a step in which several do is a turn of nobody (-1)."""

    mover: int
    first: int
    """Its first step."""
    end: int
    """The step after its last."""


def turns_of(replay: Replay) -> list[Turn]:
    steps, first = np.unique(replay.steps, return_index=True)
    if not len(steps):
        return []
    movers = np.where(np.diff(first, append=len(replay.steps)) == 1, replay.movers[first], -1)
    begins = np.flatnonzero(np.concatenate([[True], (np.diff(movers) != 0) | (movers[1:] < 0)]))
    ends = [*steps[begins[1:]].tolist(), replay.plies]
    return [Turn(*turn) for turn in zip(movers[begins].tolist(), steps[begins].tolist(), ends)]


@dataclass(frozen=True)
class Downtime:
    wait: Interval
    """Decisions of others between two turns of one player."""
    longest: Interval
    """The longest such wait of a match, on average over matches."""


def downtime(replays: Replays) -> Downtime:
    replays = played(replays)
    waits = [_waits(replay) for replay in replays]
    blocks = blocks_of(replays)
    longest = [wait.max() if len(wait) else math.nan for wait in waits]
    return Downtime(
        ratio([wait.sum() for wait in waits], [len(wait) for wait in waits], blocks), mean(longest, blocks, floor=0.0)
    )


def _waits(replay: Replay) -> np.ndarray:
    """Every wait of every seat. Others who decide in the same step keep nobody waiting."""
    waits = []
    for seat in range(replay.players):
        own = replay.steps[replay.movers == seat]
        waits.append(np.searchsorted(replay.steps, own[1:], "left") - np.searchsorted(replay.steps, own[:-1], "right"))
    every = np.concatenate(waits)
    return every[every > 0]


# ------------------------------------------------------------------------------------------------ choice


@dataclass(frozen=True)
class Branching:
    menu: Interval
    """Legal actions a decision."""
    factor: Interval
    """The same, without decisions that had a single one."""
    rate: Interval
    """Decisions that had more than one, as a share of all."""


def branching(replays: Replays) -> Branching:
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


@dataclass(frozen=True)
class TreeSize:
    """Powers of ten."""

    knuth: Interval
    """log10 of the mean of Π menus: of random matches, an unbiased count of the leaves."""
    ludii: Interval
    """The mean of decisions · log10(mean menu), as Ludii has it."""


def tree_size(replays: Replays) -> TreeSize:
    """How many lines of play there are. `replays` are matches of the random agent, else the count means nothing."""
    replays = [replay for replay in played(replays) if len(replay.menus)]
    blocks = blocks_of(replays)
    logs = np.array([np.log10(replay.menus).sum() for replay in replays])
    ludii = [len(replay.menus) * math.log10(replay.menus.mean()) for replay in replays]
    largest = float(logs.max()) if len(logs) else 0.0
    columns = np.column_stack([10.0 ** np.maximum(logs - largest, -300.0), np.ones(len(logs))])
    knuth = bootstrap(columns, blocks, lambda sums: largest + np.log10(sums[..., 0] / sums[..., 1]), floor=0.0)
    return TreeSize(knuth, mean(ludii, blocks, floor=0.0))


def refinement(replays: Replays) -> Interval:
    """√(mean menu) / mean decisions."""
    replays = played(replays)
    columns = np.array([[replay.menus.sum(), len(replay.menus), 1.0] for replay in replays], float).reshape(-1, 3)

    def statistic(sums: Array) -> Array:
        menus, decisions, matches = np.moveaxis(sums, -1, 0)
        return np.sqrt(menus / decisions) * matches / decisions

    return bootstrap(columns, blocks_of(replays), statistic, floor=0.0)


def repetition(replays: Replays) -> Interval:
    """The share of positions that had been on the table before in the same match."""
    replays = played(replays)
    again = [1 - len(np.unique(replay.positions)) / len(replay.positions) for replay in replays]
    return rate(again, blocks_of(replays))


# ------------------------------------------------------------------------------------------------ openings


@dataclass(frozen=True)
class Openings:
    effective: Interval
    """How many openings there are, counted as if all were played equally often."""
    spread: Interval
    """The standard deviation of results from opening to opening, without the noise of few matches."""


def openings(replays: Replays, first: int = 3) -> Openings:
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


# ------------------------------------------------------------------------------------------------ kinds of action


@dataclass(frozen=True)
class ActionUse:
    kind: str
    use: Interval
    """The share of players who ever did it: one count a seat of a match."""
    lift: Interval
    """What those who did it got beyond what their seat gets otherwise."""
    p_value: float
    """Of "no lift", corrected for the number of kinds."""
    flag: str
    """dominant, weak, dead, or nothing."""


OFTEN = 0.2
"""Use from which on a kind counts as used often."""
LARGE = 0.3
"""What those who do it must get beyond those who do not, times the number of players: 15 points with two."""
LISTED = 20
"""A kind must have been legal so often before nobody's choosing it means something."""


def action_use(replays: Replays, legal: Mapping[str, int]) -> tuple[ActionUse, ...]:
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
    p_values = benjamini_hochberg([_p_value(lift) for lift in lifts])
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


def _p_value(lift: Interval) -> float:
    """Two-sided, from the width of the interval."""
    normal = NormalDist()
    if lift.n == 0 or abs(lift.value) < 1e-12:
        return 1.0
    error = (lift.high - lift.low) / 2 / normal.inv_cdf(0.5 + CONFIDENCE / 2)
    return 2 * normal.cdf(-abs(lift.value) / error) if error else 0.0


def _flag(use: Interval, lift: Interval, p_value: float, legal: int, players: int) -> str:
    if use.value == 0:
        return "dead" if legal >= LISTED else ""
    # Where most do it, all of them together are little better than the mean: compare with those who do not.
    large = LARGE / players * (1 - use.value)
    if p_value < 1 - CONFIDENCE and use.value >= OFTEN and abs(lift.value) >= large:
        return "dominant" if lift.value > 0 else "weak"
    return ""


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
    strong, weak = (Counter(kind for replay in played(some) for kind in replay.kinds) for some in (replays, at_random))
    for kind, times in sorted(weak.items()):
        if times >= LISTED:
            yield kind, wilson(strong[kind], strong.total()), times / weak.total()


def coverage(replays: Replays, legal: Mapping[str, int]) -> Interval:
    """The share of all kinds ever legal that were ever chosen. More matches can only add to it: so the interval."""
    chosen = {kind for replay in replays for kind in replay.kinds}
    kinds = chosen | {kind for kind, times in legal.items() if times}
    if not kinds:
        return unknown(0.0, 1.0)
    share = len(chosen) / len(kinds)
    return Interval(share, share, 1.0, len(replays))
