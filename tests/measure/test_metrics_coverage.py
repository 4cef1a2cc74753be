"""Intervals hold what they promise: in simulated playtests with a known truth they miss it about once in twenty."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ludus.arena.statistics import Interval
from ludus.measure.metrics import action_use, balance, duration, luck_share, seat_advantage, suspense
from ludus.measure.replays import Replay
from tests.measure.scripted import made_up, options, two_seats

SIMULATIONS = 200


def misses(playtest: Callable[[np.random.Generator], Interval], truth: float, times: int = SIMULATIONS) -> float:
    """How often the interval of a simulated playtest leaves the truth out."""
    found = (playtest(np.random.default_rng([7, k])) for k in range(times))
    return sum(not x.low <= truth <= x.high for x in found) / times


def matches_in_pairs(rng: np.random.Generator, blocks: int, win: float, luck: float) -> list[Replay]:
    """Blocks of two: with the chance `luck` both end alike, else each for itself; the first seat wins `win` of all."""
    alike = rng.random(blocks) < luck
    wins = rng.random((blocks, 2)) < win
    wins[alike, 1] = wins[alike, 0]
    return [made_up([w, 1 - w], block=k, rotation=turn) for k, row in enumerate(wins) for turn, w in enumerate(row)]


@pytest.mark.parametrize("luck", [0.0, 0.8])
def test_seat_advantage(luck):
    def playtest(rng: np.random.Generator) -> Interval:
        return seat_advantage.measure(matches_in_pairs(rng, 40, 0.6, luck)).seats[0]

    assert misses(playtest, 0.1) <= 0.09


def test_equal_seats_are_called_unequal_once_in_twenty():
    called = [
        seat_advantage.measure(matches_in_pairs(np.random.default_rng([1, k]), 30, 0.5, 1.0)).p_value < 0.05
        for k in range(SIMULATIONS)
    ]
    assert np.mean(called) <= 0.09


def test_balance_of_three_equal_seats():
    def playtest(rng: np.random.Generator) -> Interval:
        winners = rng.integers(3, size=100)
        return balance.measure([made_up(np.eye(3)[w].tolist(), block=k) for k, w in enumerate(winners)])

    assert misses(playtest, 1.0) <= 0.09


@pytest.mark.parametrize("luck", [0.2, 0.7])
def test_luck_share(luck):
    assert misses(lambda rng: luck_share.measure(matches_in_pairs(rng, 60, 0.5, luck)), luck) <= 0.1


def test_luck_share_is_right_on_average():
    found = [luck_share.measure(matches_in_pairs(np.random.default_rng(k), 60, 0.6, 0.5)).value for k in range(200)]
    assert abs(np.mean(found) - 0.5) < 0.025


def _lengths(rng: np.random.Generator) -> list[Replay]:
    """Skewed, and alike within a block: 20 plies and a half of two exponential parts of 20 each."""
    shared = np.repeat(rng.exponential(20, 40), 2)
    plies = 20 + np.rint((shared + rng.exponential(20, 80)) / 2).astype(int)
    return [made_up([1, 0], movers=[0] * n, block=k // 2) for k, n in enumerate(plies)]


def test_duration():
    every = np.random.default_rng(0).exponential(10, (2, 10**6)).sum(axis=0)
    found = [duration.measure(_lengths(np.random.default_rng([3, k]))).plies for k in range(100)]
    for truth, intervals, most in (
        (40.0, [plies.mean for plies in found], 11),
        (20 + round(float(np.median(every))), [plies.quantiles[2] for plies in found], 11),
        (float(every.std()), [plies.deviation for plies in found], 16),  # so skewed, it is missed once in ten times
    ):
        assert sum(not x.low <= truth <= x.high for x in intervals) <= most


def test_suspense_through_noise():
    """Two actions that lead to 0.6 and 0.4, seen through noise as large as that."""

    def playtest(rng: np.random.Generator) -> Interval:
        seen = [0.6, 0.4] + 0.1 * rng.standard_normal((60, 4, 2))
        some = [[options(row, rng.multinomial(50, [0.5, 0.5]).tolist(), error=0.1) for row in match] for match in seen]
        return suspense.measure([two_seats([0.5] * 5 + [1.0], opened=f, block=k) for k, f in enumerate(some)])

    assert misses(playtest, 0.1, times=100) <= 0.11


def test_lift_of_a_useless_action():
    """An action that half the players use, and that changes nothing, is called anything but once in twenty times."""
    flagged = 0
    for k in range(100):
        rng = np.random.default_rng([5, k])
        wins, kinds = rng.integers(2, size=60), rng.choice(["hit", "run"], (60, 2))
        rows = action_use.measure(
            [made_up([w, 1 - w], kinds=x, block=i) for i, (w, x) in enumerate(zip(wins, kinds))], {}
        )
        flagged += any(row.p_value < 0.05 for row in rows)
    assert flagged <= 11


def test_any_lift_of_many_kinds_is_claimed_once_in_thirty_reports():
    """Forty matches, sixteen cards that change nothing: with a test for each card most reports would accuse one."""
    cards = [f"card {k}" for k in range(16)]
    accused = 0
    for k in range(SIMULATIONS):
        rng = np.random.default_rng([6, k])
        wins, kinds = rng.integers(2, size=40), rng.choice(cards, (40, 16))
        replays = [
            made_up([w, 1 - w], movers=[0, 1] * 8, kinds=x, block=i // 2) for i, (w, x) in enumerate(zip(wins, kinds))
        ]
        accused += any("lift" in row.flag for row in action_use.measure(replays, {}))
    assert accused <= 0.05 * SIMULATIONS
