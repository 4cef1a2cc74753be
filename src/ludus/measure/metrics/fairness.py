"""Who wins, and whether seats, chance or skill made it so."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from statistics import NormalDist

import numpy as np

from ludus.arena.ratings import rate as rate_agents
from ludus.arena.statistics import Interval, elo_of, score_interval
from ludus.errors import BadInput
from ludus.measure.replays import Replay
from ludus.measure.sampling import (
    CONFIDENCE,
    REPEATS,
    Array,
    Replays,
    blocks_of,
    bootstrap,
    bounded,
    rate,
    redraws,
    tails,
    unknown,
)

FAULTS = ("illegal", "timeout", "exception", "crash")


def played(replays: Replays) -> list[Replay]:
    """The matches that no fault ended: others say nothing about the rules."""
    return [replay for replay in replays if replay.outcome not in FAULTS]


def shares_of(replays: Replays) -> Array:
    """Shares by match and seat."""
    return np.array([replay.shares for replay in replays], float)


def is_draw(replay: Replay) -> bool:
    return bool(np.ptp(replay.shares) < 1e-9)


# ------------------------------------------------------------------------------------------------ seats


@dataclass(frozen=True)
class SeatAdvantage:
    seats: tuple[Interval, ...]
    """What each seat gets beyond its fair share 1/n."""
    elo: Interval | None
    """The first seat's advantage in Elo, with two players."""
    p_value: float
    """How often seats that are equal would differ so much or more."""


def seat_advantage(replays: Replays) -> SeatAdvantage:
    replays = played(replays)
    if not replays:
        return SeatAdvantage((), None, 1.0)
    shares, blocks = shares_of(replays), blocks_of(replays)
    rates = [rate(column, blocks) for column in shares.T]
    fair = 1 / shares.shape[1]
    seats = (Interval(r.value - fair, r.low - fair, r.high - fair, r.n) for r in rates)
    return SeatAdvantage(tuple(seats), _in_elo(rates[0]) if len(rates) == 2 else None, _seat_test(shares, blocks))


def _in_elo(score: Interval) -> Interval:
    return Interval(elo_of(score.value), elo_of(score.low), elo_of(score.high), score.n)


def _seat_test(shares: Array, blocks: np.ndarray, repeats: int = 4000) -> float:
    """The p-value of "all seats are equal": if they are, a block's results may as well be turned by any number of
    seats. Turning whole blocks keeps what its matches share; a multinomial test would take them for independent."""
    sums = np.stack([np.bincount(blocks, column) for column in shares.T], axis=1)
    sums -= sums.mean(axis=1, keepdims=True)
    seats = sums.shape[1]
    rng = np.random.default_rng(0)
    extreme = 0
    for turns in np.array_split(rng.integers(seats, size=(repeats, len(sums)), dtype=np.int8), 10):
        turned = sum(((turns == k) @ np.roll(sums, k, axis=1) for k in range(seats)), np.zeros(seats))
        extreme += int(((turned**2).sum(axis=1) >= (sums.sum(axis=0) ** 2).sum() - 1e-9).sum())
    return (1 + extreme) / (1 + repeats)


def balance(replays: Replays) -> Interval:
    """1 less the largest difference between two seats. The largest of noisy differences is too large: the square of
    what noise alone would add is taken off. The interval holds for all pairs of seats at once."""
    replays = played(replays)
    if not replays:
        return unknown(0.0, 1.0)
    shares, blocks = shares_of(replays), blocks_of(replays)
    rates, count = shares.mean(axis=0), int(blocks.max()) + 1
    widest = float(np.ptp(rates))
    if count < 2:
        return Interval(1 - widest, 0.0, 1.0, len(replays))
    sums = np.stack([np.bincount(blocks, column) for column in (*shares.T, np.ones(len(shares)))], axis=1)
    redrawn = redraws(count) @ sums
    noise = np.ptp(redrawn[:, :-1] / redrawn[:, -1:] - rates, axis=1)
    reach = float(np.quantile(noise, 1 - 2 * tails(count)[0]))
    gap = math.sqrt(max(0.0, widest**2 - float((noise**2).mean())))
    return bounded(1 - gap, 1 - widest - reach, 1 - widest + reach, len(replays), 0.0, 1.0)


# ------------------------------------------------------------------------------------------------ endings


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


def endings(replays: Replays) -> Endings:
    faults = np.array([replay.outcome in FAULTS for replay in replays], bool)
    limits = np.array([replay.outcome == "limit" for replay in replays], bool)
    draws = np.array([is_draw(replay) for replay in replays], bool) & ~faults & ~limits
    blocks = blocks_of(replays)
    return Endings(*(rate(which, blocks) for which in (~(draws | limits | faults), draws, limits, faults)))


# ------------------------------------------------------------------------------------------------ luck and skill


def luck_share(replays: Replays, chance: bool = True) -> Interval:
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


def skill_share(replays: Replays) -> Interval:
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


# ------------------------------------------------------------------------------------------------ strength


def pair_score(replays: Replays, strong: str) -> Interval:
    """The score of `strong` among weaker agents, as that of a match between two: with n players one agent among n - 1
    others scores s, and against one of them s / (s + (1 - s) / (n - 1))."""
    replays = [replay for replay in played(replays) if strong in replay.agents]
    if not replays:
        return Interval(0.5, 0.0, 1.0, 0)
    scores = [replay.shares[[agent == strong for agent in replay.agents]].mean() for replay in replays]
    found, rivals = rate(scores, blocks_of(replays)), replays[0].players - 1
    value, low, high = (s / (s + (1 - s) / rivals) for s in (found.value, found.low, found.high))
    return Interval(value, low, high, found.n)


@dataclass(frozen=True)
class SkillLadder:
    rungs: int
    """The longest chain of levels each of which beats the one before with a score that surely exceeds 0.6."""
    scores: tuple[Interval, ...]
    """Each level against the one below, as a match of two; levels that never met have n = 0."""
    elo: Interval
    """From the lowest level to the highest."""


RUNG = 0.6


def skill_ladder(levels: Sequence[str], cells: Sequence[Replays]) -> SkillLadder:
    """`levels` from the weakest up. Each cell holds the matches of one lineup; those of two levels are used."""
    pairs = _pairs(levels, cells)
    scores = tuple(pair_score(pairs.get(frozenset(step), []), step[1]) for step in pairwise(levels))
    return SkillLadder(_longest_chain(levels, pairs), scores, _climb(levels, list(pairs.values())))


def _longest_chain(levels: Sequence[str], pairs: Mapping[frozenset[str], Replays]) -> int:
    """Rungs from one level to another, neighbours or not: a step too small to be sure of is left out."""
    rungs = [0] * len(levels)
    for high, strong in enumerate(levels):
        for low, weak in enumerate(levels[:high]):
            if pair_score(pairs.get(frozenset((strong, weak)), []), strong).low >= RUNG:
                rungs[high] = max(rungs[high], rungs[low] + 1)
    return max(rungs)


def _pairs(agents: Sequence[str], cells: Sequence[Replays]) -> dict[frozenset[str], list[Replay]]:
    """The cells in which two of these agents met."""
    met = ((frozenset(cell[0].agents), played(cell)) for cell in cells if cell)
    return {pair: cell for pair, cell in met if len(pair) == 2 and pair <= set(agents) and cell}


def _climb(levels: Sequence[str], pairs: Sequence[Replays]) -> Interval:
    """All pairs rated together, the lowest level at 0."""
    matches = [replay for pair in pairs for replay in pair]
    if not {levels[0], levels[-1]} <= {agent for replay in matches for agent in replay.agents}:
        return unknown(-math.inf, math.inf)
    blocks = [f"{k} {replay.block}" for k, pair in enumerate(pairs) for replay in pair]
    agents, shares = [replay.agents for replay in matches], shares_of(matches)
    rows = rate_agents(agents, shares, np.array(blocks), rng=np.random.default_rng(0), repeats=200, anchor=levels[0])
    top = next(row for row in rows.rows if row.name == levels[-1])
    return replace(top.elo, n=len(matches))


def non_transitivity(agents: Sequence[str], cells: Sequence[Replays]) -> Interval:
    """How much of who beats whom no ratings can explain: 0 for a ladder, 1 for rock, paper and scissors.

    Noise looks like circles: what it is expected to add to the circles and to the whole is taken off both.
    """
    size, pairs = len(agents), _pairs(agents, cells)
    if len(pairs) < size * (size - 1) / 2 or size < 3:
        raise BadInput(f"circles are looked for among three agents or more, each of whom met every other, not {size}")
    found = [pair_score(pairs[frozenset(pair)], pair[0]) for pair in combinations(agents, 2)]
    leads, lows, highs = (np.array([_log_odds(x, s.n) for s, x in zip(found, bounds)]) for bounds in _columns(found))
    errors = (highs - lows) / (2 * NormalDist().inv_cdf(0.5 + CONFIDENCE / 2))
    value = float(_cyclic(leads, errors**2, size))
    drawn = leads + errors * np.random.default_rng(0).standard_normal((REPEATS, len(leads)))
    low, high = np.quantile(_cyclic(drawn, 2 * errors**2, size), [0.025, 0.975])  # noisy as measured and as drawn
    return bounded(value, float(low), float(high), sum(s.n for s in found), 0.0, 1.0)


def _columns(found: Sequence[Interval]) -> Iterator[tuple[float, ...]]:
    """The values, the lower and the upper bounds."""
    return zip(*((s.value, s.low, s.high) for s in found))


def _log_odds(score: float, n: int) -> float:
    """Ratings add up on this scale; on that of scores a steep ladder would look like circles. Half a win and half a
    loss keep it finite."""
    return math.log((score * n + 0.5) / ((1 - score) * n + 0.5))


def _cyclic(leads: Array, variances: Array, size: int) -> Array:
    """The cyclic share of leads [..., pairs]. Ratings explain 2 / size of the noise of each pair, the rest of it looks
    like circles."""
    table = np.zeros((*leads.shape[:-1], size, size))
    i, j = np.triu_indices(size, 1)
    table[..., i, j], table[..., j, i] = leads, -leads
    strength = table.mean(axis=-1)
    circles = ((leads - (strength[..., i] - strength[..., j])) ** 2).sum(axis=-1) - (1 - 2 / size) * variances.sum()
    whole = (leads**2).sum(axis=-1) - variances.sum()
    return np.where(whole > 0, np.clip(circles / np.where(whole > 0, whole, 1.0), 0.0, 1.0), 0.0)
