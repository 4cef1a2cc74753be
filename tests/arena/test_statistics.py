"""Intervals must cover what they say, tests err no more often than they say: both are tried on simulated matches."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from ludus.arena.statistics import (
    NELO,
    Gsprt,
    Interval,
    bounded_sequence,
    confidence_sequence,
    elo_of,
    gsprt,
    log_likelihood_ratio,
    mean_sequence,
    nelo_of,
    score_interval,
    score_of,
    tally,
    wilson,
)
from ludus.errors import BadInput

PAIR_SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


def covered(intervals: list[Interval], truth: float) -> float:
    return float(np.mean([x.low <= truth <= x.high for x in intervals]))


# ------------------------------------------------------------------------------------------------ one rate


def test_an_interval_reads_well():
    assert str(Interval(0.531, 0.51, 0.552, 2500)) == "53.1 % [51.0, 55.2], 2,500 games"
    assert Interval(-0.2, -35.2, 34.9, 1).text(scale=1, unit=" Elo", digits=0) == "0 Elo [-35, 35], 1 game"


def test_wilson_agrees_with_scipy():
    from scipy.stats import binomtest

    for wins, n in ((0, 10), (3, 10), (10, 10), (530, 1000)):
        theirs = binomtest(wins, n).proportion_ci(0.9, method="wilson")
        ours = wilson(wins, n, 0.9)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_nothing_played_means_nothing_known():
    assert wilson(0, 0) == confidence_sequence(0, 0) == score_interval([]) == Interval(0.5, 0.0, 1.0, 0)


def test_wilson_covers():
    rng = np.random.default_rng(1)
    for p, n in ((0.5, 100), (0.3, 40), (0.9, 200)):
        assert 0.93 <= covered([wilson(int(w), n) for w in rng.binomial(n, p, 8000)], p) <= 0.97


def test_wilson_with_draws_as_halves_is_cautious():
    wins, draws, _ = np.random.default_rng(2).multinomial(100, [0.4, 0.3, 0.3], 4000).T
    assert covered([wilson(w + d / 2, 100) for w, d in zip(wins, draws)], 0.55) > 0.95


def test_confidence_sequence_is_the_mixture_it_says():
    from scipy.special import beta

    x = confidence_sequence(30, 50)
    for p in (x.low, x.high):
        assert beta(30.5, 20.5) / beta(0.5, 0.5) / (p**30 * (1 - p) ** 20) == pytest.approx(20)
    assert confidence_sequence(0, 10).low == 0
    assert confidence_sequence(10, 10).high == 1


@pytest.mark.parametrize("p", [0.5, 0.9])
def test_confidence_sequence_may_be_watched_all_the_time(p: float):
    steps, streams = 400, 2000
    played = (np.random.default_rng(4).random((streams, steps)) < p).cumsum(axis=1)
    bounds = np.full((2, steps + 1, steps + 1), np.nan)
    for n in range(1, steps + 1):  # the same counts come back in many streams
        for wins in np.unique(played[:, n - 1]):
            x = confidence_sequence(int(wins), n)
            bounds[:, n, wins] = x.low, x.high
    low, high = bounds[:, np.arange(1, steps + 1), played]
    ever_outside = ((p < low) | (p > high)).any(axis=1).mean()
    assert 0.005 < ever_outside <= 0.05


# ------------------------------------------------------------------------------------------------ scores in blocks


def independent(p: float, matches: int = 2) -> Callable:
    return lambda rng, size: rng.random((*size, matches)) < p


def seat_advantage(first: float, second: float) -> Callable:
    return lambda rng, size: rng.random((*size, 2)) < [first, second]


def stand_together(p: float, matches: int = 2) -> Callable:
    return lambda rng, size: np.repeat(rng.random((*size, 1)) < p, matches, axis=-1)


def mostly_split(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
    """1-1 nine times in ten, else 2-0 or, a quarter as often, 0-2: mean 0.53."""
    return rng.choice(PAIR_SCORES, p=[0.02, 0.0, 0.9, 0.0, 0.08], size=size)


def drawish(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
    return rng.choice([0.0, 0.5, 1.0], p=[0.1, 0.6, 0.3], size=(*size, 2))


@pytest.mark.parametrize(
    ("play", "mean", "blocks", "most"),
    [
        (independent(0.4), 0.4, 10, 0.98),
        (independent(0.5), 0.5, 50, 0.97),
        (independent(0.25, 4), 0.25, 20, 0.98),
        (independent(0.5), 0.5, 500, 0.97),
        (independent(0.02), 0.02, 10, 1.0),
        (independent(0.98), 0.98, 50, 1.0),
        (independent(0.98, 4), 0.98, 500, 1.0),
        (seat_advantage(0.95, 0.15), 0.55, 10, 1.0),
        (seat_advantage(0.9, 0.1), 0.5, 50, 0.97),
        (seat_advantage(0.95, 0.15), 0.55, 500, 0.97),
        (stand_together(0.9), 0.9, 20, 0.97),
        (stand_together(0.5, 4), 0.5, 50, 0.975),
        (mostly_split, 0.53, 10, 1.0),
        (mostly_split, 0.53, 100, 0.97),
        (drawish, 0.6, 10, 0.98),
        (drawish, 0.6, 100, 0.97),
    ],
)
def test_score_interval_covers(play: Callable, mean: float, blocks: int, most: float):
    """Ten blocks can have few different means, so that coverage may lie above 95 %, but never much below."""
    runs = play(np.random.default_rng(5), (4000, blocks)).astype(float)
    assert 0.93 <= covered([score_interval(run) for run in runs], mean) <= most


def test_mirrored_seats_narrow_the_interval():
    rng = np.random.default_rng(6)
    mirrored = seat_advantage(0.9, 0.1)(rng, (500,)).astype(float)
    paired = score_interval(mirrored)
    alone = wilson(mirrored.sum(), mirrored.size)
    assert (paired.high - paired.low) / (alone.high - alone.low) == pytest.approx(math.sqrt(0.36), abs=0.05)
    assert paired.n == 1000


def test_blocks_all_alike_are_not_certainty():
    for blocks in (np.tile([1.0, 0.0], (10, 1)), np.ones((10, 2)), np.zeros(10), np.ones((1, 2))):
        x = score_interval(blocks)
        assert x.low <= x.value <= x.high
        assert x.high - x.low > 0.1


def test_scores_outside_0_to_1_are_refused():
    with pytest.raises(BadInput, match="between 0"):
        score_interval([0.5, -1.0])


# ------------------------------------------------------------------------------------------------ Elo


def test_elo_and_back():
    assert elo_of(10 / 11) == pytest.approx(400)
    assert score_of(elo_of(0.3)) == pytest.approx(0.3)
    assert elo_of(1.0) == math.inf == -elo_of(0.0)


def test_normalised_elo_is_elo_near_an_even_score_without_draws():
    assert nelo_of(0.501, 0.5) == pytest.approx(elo_of(0.501), rel=1e-3)
    assert nelo_of(1.0, 0.0) == math.inf
    assert nelo_of(0.5, 0.0) == 0.0


# ------------------------------------------------------------------------------------------------ a test that stops


def distribution(base: np.ndarray, scores: np.ndarray, test: Gsprt, nelo: float) -> np.ndarray:
    """Of a chosen normalised Elo, by tilting `base`."""
    from scipy.optimize import brentq

    def tilted(tilt: float) -> np.ndarray:
        weights = base * np.exp(tilt * scores)
        return weights / weights.sum()

    def miss(tilt: float) -> float:
        p = tilted(tilt)
        mean = p @ scores
        return nelo_of(mean, math.sqrt(test.matches * (p @ (scores - mean) ** 2)), test.even) - nelo

    return tilted(brentq(miss, -10, 10))


def accepted(
    test: Gsprt, base: np.ndarray, scores: np.ndarray, nelo: float, runs: int, seed: int
) -> tuple[float, float]:
    """The shares of runs that end with H0 and with H1, looked at after every second block."""
    rng = np.random.default_rng(seed)
    p = distribution(base, scores, test, nelo)
    lower, upper = test.bounds
    counts = np.zeros((runs, len(scores)))
    for_h0 = for_h1 = 0
    while len(counts):
        counts += rng.multinomial(2, p, size=len(counts))
        llr = log_likelihood_ratio(test, scores, counts)
        for_h0, for_h1 = for_h0 + (llr <= lower).sum(), for_h1 + (llr >= upper).sum()
        counts = counts[(lower < llr) & (llr < upper)]
    return for_h0 / runs, for_h1 / runs


@pytest.mark.parametrize(
    ("base", "scores", "test"),
    [
        pytest.param([0.05, 0.2, 0.45, 0.2, 0.1], PAIR_SCORES, Gsprt(0, 80), id="pairs"),
        pytest.param([0.2, 0.001, 0.6, 0.001, 0.2], PAIR_SCORES, Gsprt(0, 80, 0.1, 0.05), id="decisive pairs"),
        pytest.param([0.3, 0.44, 0.22, 0.04], np.arange(4) / 3, Gsprt(0, 80, matches=3, even=1 / 3), id="triples"),
    ],
)
def test_gsprt_errs_no_more_than_it_says(base: list[float], scores: np.ndarray, test: Gsprt):
    runs = 1500
    for truth, bound, wrong in ((test.elo0, test.alpha, 1), (test.elo1, test.beta, 0)):
        error = accepted(test, np.array(base), scores, truth, runs, seed=9)[wrong]
        assert error <= bound + 2 * math.sqrt(bound * (1 - bound) / runs)
        assert error > bound / 4  # a test that never errs plays too long


def test_gsprt_is_quick_where_the_difference_is_large():
    states = {gsprt(Gsprt(0, 50), PAIR_SCORES, [0, 0, 0, 0, wins]).state for wins in (5, 20)}
    assert states == {"continue", "accept H1"}
    assert gsprt(Gsprt(0, 50), PAIR_SCORES, [20, 0, 0, 0, 0]).state == "accept H0"
    assert gsprt(Gsprt(0, 50), PAIR_SCORES, [0, 0, 80, 0, 0]).state == "accept H0"
    assert gsprt(Gsprt(0, 50), PAIR_SCORES, [0, 0, 0, 0, 0]).state == "continue"


def test_the_likelihood_is_that_of_an_independent_optimiser():
    from scipy.optimize import brentq, minimize

    counts, test = np.array([3.0, 8.0, 20.0, 12.0, 7.0]), Gsprt(-20, 60)

    def best(mean: float) -> np.ndarray:
        constraints = [
            {"type": "eq", "fun": lambda q: q.sum() - 1},
            {"type": "eq", "fun": lambda q: q @ PAIR_SCORES - mean},
        ]
        start = np.full(5, 0.2)
        found = minimize(
            lambda q: -counts @ np.log(q) / counts.sum(),
            start,
            jac=lambda q: -counts / q / counts.sum(),
            bounds=[(1e-6, 1)] * 5,
            constraints=constraints,
            options={"ftol": 1e-13, "maxiter": 500},
        )
        return found.x

    def height(elo: float) -> float:
        """At the mean that lies so many of the distribution's own deviations from an even score."""

        def miss(mean: float) -> float:
            q = best(mean)
            return mean - 0.5 - elo / NELO * math.sqrt(2 * (q @ (PAIR_SCORES - mean) ** 2))

        return float(counts @ np.log(best(brentq(miss, 0.3, 0.8, xtol=1e-8))))

    assert gsprt(test, PAIR_SCORES, counts).llr == pytest.approx(height(60) - height(-20), abs=1e-4)


def test_the_likelihood_tends_to_the_quick_form():
    """N (t1 - t0)(2t - t0 - t1)/2, for small leads t in deviations of a block."""
    counts, test = np.array([1000.0, 2400, 3000, 2500, 1100]), Gsprt(0, 5)
    verdict = gsprt(test, PAIR_SCORES, counts)
    t, t1 = (math.sqrt(2) * nelo / NELO for nelo in (verdict.nelo, 5))
    assert verdict.llr == pytest.approx(counts.sum() * t1 * (2 * t - t1) / 2, rel=0.01)
    assert verdict.blocks == 10_000


def test_tally_counts_block_scores():
    scores, counts = tally([[1, 0, 0], [0, 1, 0], [1, 1, 0]])
    assert scores == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert counts.tolist() == [0, 2, 1, 0]


def test_gsprt_refuses_scores_that_prove_nothing():
    with pytest.raises(BadInput, match="both sides"):
        gsprt(Gsprt(), [0.5, 1.0], [3, 4])


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("freedom", [1, 5, 29, 30, 31, 100, 5000])
def test_students_quantile_is_scipys(freedom, confidence):
    from scipy.special import stdtrit

    from ludus.arena.statistics import _student_quantile

    assert _student_quantile(freedom, confidence) == pytest.approx(stdtrit(freedom, 0.5 + confidence / 2), abs=2e-5)


# ------------------------------------------------------------------------------------------------ means watched live

LOOKS = [50, 75, 110, 160, 240, 360, 540, 800]


def ever_missed(sequence: Callable[[np.ndarray], Interval], streams: np.ndarray, truth: float) -> float:
    """The share of streams in which the interval misses at some look."""
    missed = 0
    for stream in streams:
        seen = (sequence(stream[:n]) for n in LOOKS)
        missed += any(not x.low <= truth <= x.high for x in seen)
    return missed / len(streams)


def test_mean_sequence_is_the_mixture_it_says():
    values = np.random.default_rng(1).normal(size=400)
    x = mean_sequence(values, 0.95, tight_at=400)
    rho2 = (-2 * math.log(0.05) + math.log(1 - 2 * math.log(0.05))) / 400
    for end in (x.low, x.high):  # the mixture of exp(λS - λ²V/2) over λ ~ N(0, ρ²) reaches 1 / α there
        s, v = 400 * (end - values.mean()), 400 * values.var(ddof=1)
        rate = rho2 / values.var(ddof=1)
        assert math.exp(rate * s * s / (2 * (1 + rate * v))) / math.sqrt(1 + rate * v) == pytest.approx(20)


@pytest.mark.parametrize("kind", ["normal", "difference of lengths", "mostly alike", "shifted"])
def test_mean_sequence_may_be_watched_all_the_time(kind: str):
    rng = np.random.default_rng(2)
    size = (1000, LOOKS[-1])
    values = {
        "normal": lambda: rng.normal(size=size),
        "difference of lengths": lambda: rng.geometric(0.1, size) - rng.geometric(0.1, size).astype(float),
        "mostly alike": lambda: rng.choice([-8.0, 0.0, 8.0], size, p=[0.02, 0.96, 0.02]),
        "shifted": lambda: rng.exponential(10, size) - rng.exponential(6, size) - 4,
    }[kind]()
    assert 0 < ever_missed(mean_sequence, values, 0.0) <= 0.05


def test_looking_often_at_an_ordinary_interval_would_not_do():
    values = np.random.default_rng(3).normal(size=(500, LOOKS[-1]))

    def ordinary(seen: np.ndarray) -> Interval:
        half = 1.96 * seen.std() / math.sqrt(len(seen))
        return Interval(seen.mean(), seen.mean() - half, seen.mean() + half, len(seen))

    assert ever_missed(ordinary, values, 0.0) > 0.1


def test_values_all_alike_are_not_certainty():
    assert mean_sequence(np.full(100, 3.0)).low == 3
    doubted = mean_sequence(np.full(100, 3.0), doubt=9.0)
    assert doubted.value == 3
    assert 0.05 < doubted.high - 3 < 1
    assert mean_sequence([2.0]).high == math.inf
    assert bounded_sequence(np.zeros(100), -1, 1).high > 0.03


def test_bounded_sequence_is_the_purse_it_says():
    values = np.array([0.0] * 30 + [0.5] * 10 + [1.0] * 60)
    x = bounded_sequence(values, 0, 1, 0.9)
    bets = np.geomspace(0.005, 0.95, 16)[:, None]
    for seen, mean in ((values, x.low), (1 - values, 1 - x.high)):
        assert np.prod(1 + bets * (seen / mean - 1), axis=1).mean() == pytest.approx(20)


@pytest.mark.parametrize(
    ("chances", "mean"), [([0.3, 0.4, 0.3], 0.0), ([0.02, 0.95, 0.03], 0.01), ([0.0, 0.99, 0.01], 0.01)]
)
def test_bounded_sequence_may_be_watched_all_the_time(chances: list[float], mean: float):
    values = np.random.default_rng(5).choice([-1.0, 0.0, 1.0], (200, LOOKS[-1]), p=chances)
    assert ever_missed(lambda seen: bounded_sequence(seen, -1, 1, 0.9), values, mean) <= 0.1


def test_bounded_sequence_is_nearly_as_narrow_as_the_limit_theorem_allows():
    values = np.random.default_rng(6).choice([-1.0, 0.0, 1.0], 2000, p=[0.3, 0.4, 0.3])
    exact, limit = bounded_sequence(values, -1, 1), mean_sequence(values)
    assert exact.value == limit.value
    assert exact.high - exact.low < 1.15 * (limit.high - limit.low)
    shifted = bounded_sequence(100 * values + 7, -93, 107)
    assert shifted.low == pytest.approx(100 * exact.low + 7)
    assert bounded_sequence([], -1, 1) == Interval(0.0, -1, 1, 0)
    with pytest.raises(BadInput, match="between -1 and 1"):
        bounded_sequence([2.0], -1, 1)
