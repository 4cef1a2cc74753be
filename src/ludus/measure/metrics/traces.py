"""How a match feels: what each seat could expect from moment to moment, read off a trace.

Evaluators are noisy, and noise looks like drama. So a seat counts as ahead only if its lead exceeds two standard
errors, squares lose what noise adds to them, and where neither helps the number that noise alone would give stands
beside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure.metrics.decisions import turns_of
from ludus.measure.metrics.fairness import played
from ludus.measure.replays import Replay, Trace
from ludus.measure.sampling import Array, Replays, blocks_of, bootstrap, mean, rate, ratio

SURE = 2.0
"""Standard errors that a lead must exceed."""
SETTLED = 0.95
"""An expectation from which on a match counts as settled."""
GAIN = 0.05
"""The least gain whose permanence is looked at."""
QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Noisy:
    """A number that noise of the evaluator makes larger, and what it would be if there were nothing but that noise."""

    seen: Interval
    noise: Interval


def traced(replays: Replays) -> list[Replay]:
    return [replay for replay in played(replays) if replay.trace is not None and replay.plies]


def decided(replays: Replays) -> list[Replay]:
    """Traced matches with a single winner."""
    return [replay for replay in traced(replays) if winner_of(replay) >= 0]


def winner_of(replay: Replay) -> int:
    """The seat that got most; -1 if several did."""
    best = np.flatnonzero(replay.shares >= replay.shares.max() - 1e-9)
    return int(best[0]) if len(best) == 1 else -1


def trace_of(replay: Replay) -> Trace:
    assert replay.trace is not None
    return replay.trace


def looked_at(trace: Trace) -> tuple[Array, Array]:
    """Expectations and their errors where the evaluator looked, and at the end."""
    rows = [*range(0, len(trace.expected) - 1, trace.stride), len(trace.expected) - 1]
    return trace.expected[rows], trace.errors[rows]


def leaders(trace: Trace) -> np.ndarray:
    """Who is ahead at each moment; -1 before anybody is. The lead passes on only to a seat that is surely ahead."""
    leader, line = -1, []
    for chances, errors in zip(trace.expected.tolist(), trace.errors.tolist()):
        best = chances.index(max(chances))
        rivals = [leader] if leader >= 0 else range(len(chances))
        if all(_surely(chances, errors, best, rival) for rival in rivals if rival != best):
            leader = best
        line.append(leader)
    return np.array(line)


def _surely(chances: list[float], errors: list[float], ahead: int, behind: int) -> bool:
    # With two players the errors are one and the same, so those of a difference add up.
    return chances[ahead] - chances[behind] > SURE * (errors[ahead] + errors[behind])


# ------------------------------------------------------------------------------------------------ drama and the lead


@dataclass(frozen=True)
class Drama:
    """Of matches with a winner."""

    mean: Interval
    """The mean root of the winner's deficit, over the moments at which it trailed (Browne)."""
    peak: Interval
    """The root of its largest deficit."""
    trailing: Interval
    """The share of moments at which it trailed."""


def drama(replays: Replays) -> Drama:
    replays = decided(replays)
    deficits = [_deficits(replay) for replay in replays]
    roots = [np.sqrt(deficit[deficit > 0]) for deficit in deficits]
    blocks = blocks_of(replays)
    return Drama(
        rate([root.mean() if len(root) else 0.0 for root in roots], blocks),
        rate([root.max(initial=0.0) for root in roots], blocks),
        rate([(deficit > 0).mean() for deficit in deficits], blocks),
    )


def _deficits(replay: Replay) -> Array:
    """How far the winner lay behind the leader before each step, 0 where it did not surely."""
    trace, winner = trace_of(replay), winner_of(replay)
    expected, errors = trace.expected[:-1], trace.errors[:-1]
    rows, leader = np.arange(len(expected)), expected.argmax(axis=1)
    deficit = expected[rows, leader] - expected[:, winner]
    return np.where(deficit > SURE * (errors[rows, leader] + errors[:, winner]), deficit, 0.0)


@dataclass(frozen=True)
class LeadChanges:
    count: Interval
    """A match."""
    rate: Interval
    """A ply."""


def lead_changes(replays: Replays) -> LeadChanges:
    """How often the lead passes on; taking it first is no change, losing it with the last step is one."""
    replays = traced(replays)
    changes = [_changes(leaders(trace_of(replay))) for replay in replays]
    blocks = blocks_of(replays)
    return LeadChanges(
        mean(changes, blocks, floor=0.0), ratio(changes, [replay.plies for replay in replays], blocks, ceiling=1.0)
    )


def _changes(line: np.ndarray) -> int:
    return int((np.diff(line[line >= 0]) != 0).sum())


@dataclass(frozen=True)
class Decisiveness:
    """Of matches with a winner, when it was over."""

    turned: Interval
    """The share of the match after which the winner always stood better than any rival ever did."""
    settled: Interval
    """The share of the match after which the winner could always expect 95 % or more."""
    dead: Interval
    """Plies that were still played then."""


def decisiveness(replays: Replays) -> Decisiveness:
    replays = decided(replays)
    plies = np.array([replay.plies for replay in replays], float)
    turned = np.array([_since(replay, _best_rival(replay)) for replay in replays], float)
    settled = np.array([_since(replay, SETTLED - 1e-9) for replay in replays], float)
    blocks = blocks_of(replays)
    return Decisiveness(
        rate(turned / plies, blocks), rate(settled / plies, blocks), mean(plies - settled, blocks, floor=0.0)
    )


def _since(replay: Replay, level: float) -> int:
    """The moment from which on the winner stays above a level; the end, where it never does."""
    chances = trace_of(replay).expected[:, winner_of(replay)]
    below = np.flatnonzero(chances[:-1] <= level)
    return int(below[-1]) + 1 if len(below) else 0


def _best_rival(replay: Replay) -> float:
    """The most that any other seat could ever expect."""
    return float(np.delete(trace_of(replay).expected, winner_of(replay), axis=1).max())


# ------------------------------------------------------------------------------------------------ in doubt


@dataclass(frozen=True)
class Uncertainty:
    """0: the winner is known; 1: every seat can expect the same."""

    whole: Interval
    late: Interval
    """Over the last quarter of the match."""


def uncertainty(replays: Replays) -> Uncertainty:
    replays = traced(replays)
    doubts = [_doubt(trace_of(replay)) for replay in replays]
    blocks = blocks_of(replays)
    late = [doubt[-max(1, len(doubt) // 4) :].mean() for doubt in doubts]
    return Uncertainty(rate([doubt.mean() for doubt in doubts], blocks), rate(late, blocks))


def _doubt(trace: Trace) -> Array:
    """Entropy before each step, as a share of the largest. Noise lowers it by Σ error² / 2p, which is added again."""
    p, errors = trace.expected[:-1], trace.errors[:-1]
    safe = np.where(p > 0, p, 1.0)
    entropy = -(safe * np.log(safe)).sum(axis=1) + (errors**2 / (2 * safe)).sum(axis=1)
    return np.clip(entropy / math.log(p.shape[1]), 0.0, 1.0)


@dataclass(frozen=True)
class Surprise:
    size: Noisy
    """How far expectations move in a ply, on average."""
    real: Interval
    """The root of the mean square of it, without what noise adds."""


def surprise(replays: Replays) -> Surprise:
    """The distance of two vectors of expectations is √(Σ change² / 2): with two players the change of either."""
    replays = traced(replays)
    blocks, plies = blocks_of(replays), [replay.plies for replay in replays]
    squares, noises = [], []
    for replay in replays:
        expected, errors = looked_at(trace_of(replay))
        squares.append((np.diff(expected, axis=0) ** 2).sum(axis=1) / 2)
        noises.append((errors[1:] ** 2 + errors[:-1] ** 2).sum(axis=1) / 2)
    usual = _mean_length(replays[0].players - 1) if replays else 1.0
    real = [(square - noise).sum() for square, noise in zip(squares, noises)]
    seen = ratio([np.sqrt(square).sum() for square in squares], plies, blocks, ceiling=1.0)
    noise = ratio([usual * np.sqrt(noise).sum() for noise in noises], plies, blocks, ceiling=1.0)
    return Surprise(Noisy(seen, noise), root_ratio(real, plies, blocks))


def _mean_length(dimensions: int) -> float:
    """The mean length of a normal vector whose mean square is 1: √(2/π) in one dimension."""
    return math.sqrt(2 / dimensions) * math.gamma((dimensions + 1) / 2) / math.gamma(dimensions / 2)


def root_ratio(above: list[float], below: list[float] | list[int], blocks: np.ndarray) -> Interval:
    """The root of a ratio of sums. Rooted last: squares freed of noise may be negative until summed."""
    columns = np.column_stack([np.asarray(above, float), np.asarray(below, float)])
    used = columns[:, 1] > 0

    def statistic(sums: Array) -> Array:
        return np.sqrt(np.maximum(sums[..., 0], 0.0) / sums[..., 1])

    return bootstrap(columns[used], blocks[used], statistic, 0.0, 1.0)


def stability(replays: Replays) -> Interval:
    """How much expectations vary over a match, Σ over seats of the variance, without what noise adds. Large means
    unstable."""
    replays = traced(replays)
    return mean([_variance(trace_of(replay)) for replay in replays], blocks_of(replays), floor=0.0)


def _variance(trace: Trace) -> float:
    expected, errors = (rows[:-1] for rows in looked_at(trace))
    # The mean of T noisy values is less noisy itself: so (1 - 1/T).
    return float(expected.var(axis=0).sum() - (errors**2).sum(axis=1).mean() * (1 - 1 / len(expected)))


# ------------------------------------------------------------------------------------------------ single moves


def _move_by_move(replays: Replays) -> list[Replay]:
    """Matches whose evaluator looked at every ply: else nobody knows which move brought a change."""
    return [replay for replay in traced(replays) if len(replay.movers) and trace_of(replay).stride == 1]


def killer_moves(replays: Replays) -> Noisy:
    """The largest gain that a single move brought its mover, on average over matches."""
    replays = _move_by_move(replays)
    blocks, rng = blocks_of(replays), np.random.default_rng(0)
    gains, noises = [], []
    for replay in replays:
        trace, at = trace_of(replay), (replay.steps, replay.movers)
        gains.append(np.diff(trace.expected, axis=0)[at].max())
        errors = np.hypot(trace.errors[1:], trace.errors[:-1])[at]
        noises.append((rng.standard_normal((50, len(errors))) * errors).max(axis=1).mean())
    return Noisy(mean(gains, blocks, -1.0, 1.0), mean(noises, blocks, floor=0.0))


def permanence(replays: Replays) -> Interval:
    """The share of what turns gain that is still there when the same player's next turn begins."""
    replays = _move_by_move(replays)
    totals = np.array([np.sum([[0.0, 0.0], *_gains(replay)], axis=0) for replay in replays]).reshape(-1, 2)
    return ratio(totals[:, 1], totals[:, 0], blocks_of(replays), 0.0, 1.0)


def _gains(replay: Replay) -> Iterator[tuple[float, float]]:
    """For each turn with a gain that others could answer: the gain, and what was left of it."""
    trace, turns = trace_of(replay), turns_of(replay)
    for k, turn in enumerate(turns[:-1]):
        if turn.mover < 0:
            continue
        chances, errors = trace.expected[:, turn.mover], trace.errors[:, turn.mover]
        gain = float(chances[turn.end] - chances[turn.first])
        again = next((later.first for later in turns[k + 1 :] if later.mover == turn.mover), replay.plies)
        if gain > max(GAIN, SURE * math.hypot(errors[turn.end], errors[turn.first])):
            yield gain, float(np.clip(chances[again] - chances[turn.first], 0.0, gain))


# ------------------------------------------------------------------------------------------------ leaders and winners


def comeback(replays: Replays) -> Interval:
    """The share of winners who once could surely expect less than 0.4/n: with two players, less than 20 %."""
    replays = decided(replays)
    return rate([_was_down(replay) for replay in replays], blocks_of(replays))


def _was_down(replay: Replay) -> bool:
    trace, winner = trace_of(replay), winner_of(replay)
    surely = trace.expected[:-1, winner] + SURE * trace.errors[:-1, winner]
    return bool((surely < 0.4 / replay.players).any())


def runaway_leader(replays: Replays) -> tuple[Interval, ...]:
    """How often the one who leads after a quarter, half and three quarters of a match wins it."""
    replays = decided(replays)
    blocks = blocks_of(replays)
    return tuple(rate([_leads(replay, share) for replay in replays], blocks) for share in QUARTERS)


def _leads(replay: Replay, share: float) -> float:
    """1 if the eventual winner leads, 1/k if k seats do together and it is one of them."""
    chances = trace_of(replay).expected[int(share * replay.plies)]
    leading = chances >= chances.max() - 1e-9
    return float(leading[winner_of(replay)] / leading.sum())


# ------------------------------------------------------------------------------------------------ matches to look at


def highlights(replays: Replays) -> dict[str, int]:
    """Which matches to show, by index: the most typical one and, with traces, the most dramatic and the most
    one-sided one."""
    usable = [i for i, replay in enumerate(replays) if played([replay]) and replay.plies]
    seen = [i for i in usable if replays[i].trace is not None]
    won = [i for i in seen if winner_of(replays[i]) >= 0]
    shown = {}
    if usable:
        shown["typical"] = _middle(replays, seen or usable)
    if won:
        shown["dramatic"] = max(won, key=lambda i: _excitement(replays[i]))
        shown["one-sided"] = max(won, key=lambda i: _ease(replays[i]))
    return shown


def _middle(replays: Replays, usable: list[int]) -> int:
    """The match nearest to the medians of length, of lead changes and of doubt, each in units of its own spread."""
    rows = np.array([_traits(replays[i]) for i in usable])
    off = np.abs(rows - np.median(rows, axis=0))
    spread = off.mean(axis=0)
    return usable[int((off / np.where(spread > 0, spread, 1.0)).sum(axis=1).argmin())]


def _traits(replay: Replay) -> tuple[float, ...]:
    if replay.trace is None:
        return (replay.plies, len(replay.movers))
    return (replay.plies, _changes(leaders(replay.trace)), float(_doubt(replay.trace).mean()))


def _excitement(replay: Replay) -> tuple[float, int]:
    """How deep the winner was down; among equals, how often the lead passed on."""
    return float(_deficits(replay).max()), _changes(leaders(trace_of(replay)))


def _ease(replay: Replay) -> float:
    return float(trace_of(replay).expected[:-1, winner_of(replay)].mean())
