"""How sure we are: intervals for rates and scores, intervals that may be watched live, and a test that stops by itself.

A *score* is a mean of result shares: a win is 1, a loss 0, a tie among k players 1/k. A *block* is a set of matches
that belong together, all seat rotations with the same chance; its matches are dependent, blocks are not. A rate over
independent matches goes to `wilson`, whatever was played in blocks to `score_interval`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.errors import BadInput

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A number, the bounds it lies within, and the number of matches it rests on."""

    value: float
    low: float
    high: float
    n: int

    def text(self, scale: float = 100.0, unit: str = " %", digits: int = 1) -> str:
        value, low, high = (f"{scale * x:z,.{digits}f}" for x in (self.value, self.low, self.high))
        return f"{value}{unit} [{low}, {high}], {self.n:,} {'game' if self.n == 1 else 'games'}"

    def __str__(self) -> str:
        return self.text()


# ------------------------------------------------------------------------------------------------ one rate


def wilson(wins: float, n: int, confidence: float = 0.95) -> Interval:
    """The score interval of Wilson (1927) for a rate over independent matches.

    `wins` may be fractional, draws counting a half: a draw varies less than the coin that the formula supposes, so
    the interval is then wider than it need be, never too narrow.
    """
    if n == 0:
        return Interval(0.5, 0.0, 1.0, 0)
    return Interval(wins / n, *_wilson_bounds(wins / n, n, _normal_quantile(confidence)), n)


def _wilson_bounds(p: float, n: float, z: float) -> tuple[float, float]:
    """The two solutions s of (p - s)² = z² s(1 - s) / n."""
    shrink = z * z / n
    centre = (p + shrink / 2) / (1 + shrink)
    half = math.sqrt(shrink * p * (1 - p) + shrink * shrink / 4) / (1 + shrink)
    return max(0.0, centre - half), min(1.0, centre + half)


def _normal_quantile(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def _student_quantile(freedom: int, confidence: float) -> float:
    """The two-sided quantile of Student's t. From 30 degrees of freedom on by the expansion of Cornish and Fisher,
    right to five digits: importing scipy.special would be a tenth of a short command's time."""
    if freedom >= 30:
        z, n = _normal_quantile(confidence), freedom
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + first / n + second / n**2 + third / n**3
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + confidence / 2))


def confidence_sequence(wins: float, n: int, confidence: float = 0.95) -> Interval:
    """An interval that may be watched after every match: with the stated confidence it *never* misses the true rate,
    whenever one stops.

    The bets of a beta mixture, W(p) = B(w + 1/2, l + 1/2) / (B(1/2, 1/2) p^w (1 - p)^l), are a fair game at the true
    p, so W(p) ever exceeds 1/α with probability α at most (Ville 1939; Robbins 1970); the interval holds all p with
    W(p) < 1/α. Shares between 0 and 1 are allowed: then the game is less than fair, and the interval safe. Matches
    must be independent; of dependent ones, count each block as one match, its mean score as the win.
    """
    from scipy.special import betaln

    if n == 0:
        return Interval(0.5, 0.0, 1.0, 0)
    losses = n - wins
    floor = float(betaln(wins + 0.5, losses + 0.5) - betaln(0.5, 0.5)) + math.log(1 - confidence)

    def outside(p: float) -> bool:
        return _times_log(wins, p) + _times_log(losses, 1 - p) < floor

    rate = wins / n
    low = 0.0 if not outside(0.0) else _border(outside, 0.0, rate)
    high = 1.0 if not outside(1.0) else _border(outside, 1.0, rate)
    return Interval(rate, low, high, n)


def _times_log(weight: float, p: float) -> float:
    """weight · ln p, which is 0 for no weight."""
    if weight <= 0:
        return 0.0
    return weight * math.log(p) if p > 0 else -math.inf


def _border(outside: Callable[[float], bool], out: float, inside: float) -> float:
    """Where `outside` changes between two points, by bisection; the answer lies just outside."""
    for _ in range(50):
        middle = (out + inside) / 2
        out, inside = (middle, inside) if outside(middle) else (out, middle)
    return out


# ------------------------------------------------------------------------------------------------ scores in blocks

_DOUBT = 1 / 16
"""The variance that `score_interval` supposes before it sees a block: a quarter of the most that a match can have."""


def score_interval(blocks: ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean score over blocks [blocks] or [blocks, matches per block] of result shares, with its interval.

    Wilson's form at the number of independent matches that would vary as these do: n_eff = matches / D, where the
    design effect D = (variance of block means · m) / (p (1 - p)) is below 1 where mirrored seats or draws cancel luck
    and m where the m matches of a block stand and fall together. Numerator and denominator begin at the variance of a
    quarter of such a block, so that neither ten blocks of 1-1 nor ten blocks won are taken for certainty. The quantile
    is Student's. In simulation 95 % intervals cover 93-98 %, more where ten blocks score nearly the same.
    """
    shares = _as_shares(blocks)
    means = shares.mean(axis=1)
    return score_of_blocks(len(means), float(means.sum()), float((means**2).sum()), shares.shape[1], confidence)


def score_of_blocks(count: int, total: float, squares: float, matches: int, confidence: float = 0.95) -> Interval:
    """`score_interval` from the sums of the blocks' mean scores and of their squares; `matches` in each block."""
    if count == 0:
        return Interval(0.5, 0.0, 1.0, 0)
    p = min(total / count, 1.0)
    between = max(squares - total * p, 0.0)
    effect = matches * (between + _DOUBT) / ((count - 1) * p * (1 - p) + _DOUBT)
    quantile = _student_quantile(count, confidence)
    return Interval(p, *_wilson_bounds(p, count * matches / effect, quantile), count * matches)


def _as_shares(blocks: ArrayLike) -> Array:
    shares = np.asarray(blocks, float)
    shares = shares.reshape(len(shares), -1) if shares.size else shares.reshape(0, 1)
    if not ((shares >= 0) & (shares <= 1)).all():
        raise BadInput("result shares lie between 0 (lost) and 1 (won)")
    return shares


def expanded_quantile(blocks: int, parameters: int, confidence: float) -> float:
    """How many standard deviations of a bootstrap an interval must reach out. Redrawn blocks vary too little, the less
    the fewer blocks a parameter has: so Student's quantile, times √(b / (b - k)) (Hesterberg 2015, for k = 1)."""
    spare = max(blocks - parameters, 1)
    return math.sqrt(blocks / spare) * _student_quantile(spare, confidence)


# ------------------------------------------------------------------------------------------------ Elo

ELO = 400 / math.log(10)
"""Elo points per unit of log-odds."""
NELO = 2 * ELO
"""Normalised Elo points per standard deviation of one match: near an even score of decisive matches, equal to Elo."""


def elo_of(score: float) -> float:
    """The rating difference at which a score is expected: 400 log10(s / (1 - s))."""
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return ELO * math.log(score / (1 - score))


def score_of(elo: float) -> float:
    """The score that a rating difference lets expect; the inverse of `elo_of`."""
    return 1 / (1 + 10 ** (-elo / 400))


def nelo_of(score: float, deviation: float, even: float = 0.5) -> float:
    """Normalised Elo: the distance from an even score in standard deviations of one match (for a block of m matches
    √m times that of the block's mean), times 347.4. How many matches a test needs depends on this alone, whatever the
    share of draws and the advantage of a seat."""
    if deviation == 0:
        return math.copysign(math.inf, score - even) if score != even else 0.0
    return NELO * (score - even) / deviation


# ------------------------------------------------------------------------------------------------ a test that stops


@dataclass(frozen=True)
class Gsprt:
    """A sequential test of H0 "the strength is elo0" against H1 "it is elo1", in normalised Elo."""

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    """Most often that H1 may be accepted where H0 holds."""
    beta: float = 0.05
    """Most often that H0 may be accepted where H1 holds."""
    matches: int = 2
    """Matches in a block: 2 for mirrored seats."""
    even: float = 0.5
    """Mean score of an agent no stronger than the others: 1/n with n players."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's: below the first H0 is accepted, above the second H1."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


@dataclass(frozen=True)
class GsprtResult:
    """Where a sequential test stands. `score` and `nelo` are plain estimates; at a stop they exaggerate."""

    state: Literal["accept H0", "accept H1", "continue"]
    llr: float
    lower: float
    upper: float
    score: float
    nelo: float
    blocks: int


def tally(blocks: ArrayLike) -> tuple[Array, Array]:
    """The distinct scores of blocks [blocks] or [blocks, matches], 0 and 1 always among them, and their counts."""
    means = _as_shares(blocks).mean(axis=1).round(9)  # thirds add up to 0.999…
    scores, counts = np.unique(np.concatenate([means, [0.0, 1.0]]), return_counts=True)
    counts[[0, -1]] -= 1
    return scores, counts.astype(float)


def gsprt(test: Gsprt, scores: ArrayLike, counts: ArrayLike) -> GsprtResult:
    """The result after blocks with these scores were seen so often: `gsprt(test, *tally(blocks))`, or, for pairs,
    the five counts of the scores 0, ¼, ½, ¾ and 1. May be asked after every block."""
    scores, counts = np.asarray(scores, float), np.asarray(counts, float)
    if not scores.min() < test.even < scores.max():
        raise BadInput(f"block scores on both sides of {test.even:g} must be possible")
    lower, upper = test.bounds
    total = float(counts.sum())
    if total == 0:
        return GsprtResult("continue", 0.0, lower, upper, test.even, 0.0, 0)
    llr = float(log_likelihood_ratio(test, scores, counts))
    score = float(counts @ scores) / total
    deviation = math.sqrt(test.matches * float(counts @ (scores - score) ** 2) / total)
    state = "accept H1" if llr >= upper else "accept H0" if llr <= lower else "continue"
    return GsprtResult(state, llr, lower, upper, score, nelo_of(score, deviation, test.even), round(total))


def log_likelihood_ratio(test: Gsprt, scores: Array, counts: Array) -> Array:
    """Σ c_k ln(q1_k / q0_k) of block counts [..., scores], q0 and q1 the most likely distributions under H0 and H1.
    A score not seen yet counts as 1/1000 of a block, so that no hypothesis is impossible."""
    counts = np.where(counts > 0, counts, 1e-3)
    observed = counts / counts.sum(axis=-1, keepdims=True)
    ratios = (elo / NELO * math.sqrt(test.matches) for elo in (test.elo0, test.elo1))
    under0, under1 = (_most_likely(observed, scores - test.even, ratio) for ratio in ratios)
    return (counts * np.log(under1 / under0)).sum(axis=-1)


def _most_likely(observed: Array, lead: Array, ratio: float) -> Array:
    """The most likely distribution whose mean lead is `ratio` of its own standard deviations.

    Given its mean, the most likely distribution is q_k ∝ p_k / (1 + θ lead_k) (Lagrange; Van den Bergh's notes on the
    GSPRT), and its mean falls as θ grows: so one bisection finds θ. The deviation is that of q, not of p: where every
    match was won, p has none, but no hypothesis of a finite lead says so.
    """
    low = np.full(observed.shape[:-1], -1 / lead.max())
    high = np.full(observed.shape[:-1], -1 / lead.min())
    q = observed
    for _ in range(50):
        theta = (low + high) / 2
        q = observed / (1 + theta[..., None] * lead)
        q = q / q.sum(axis=-1, keepdims=True)
        mean = q @ lead
        above = mean > ratio * np.sqrt(np.maximum(q @ lead**2 - mean**2, 0.0))
        low, high = np.where(above, theta, low), np.where(above, high, theta)
    return q


# ------------------------------------------------------------------------------------------------ means watched live


def mean_sequence(values: ArrayLike, confidence: float = 0.95, doubt: float = 0.0, tight_at: int = 500) -> Interval:
    """The mean of numbers without known bounds, with an interval that may be watched from some 50 values on.

    mean ± s √((n + 1/ρ²) (ln(nρ² + 1) - 2 ln α)) / n: the normal mixture of Robbins (1970), with the observed deviation
    s as in Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), and ρ such that it is narrowest at `tight_at`.
    `doubt` is a sum of squares that is supposed before the first value, so that values all alike are not certainty. In
    simulation it errs less often than it says for symmetric values, as differences of equals are, and more often where
    rare values are huge.
    """
    values = np.asarray(values, float)
    n = len(values)
    if n < 2:
        return Interval(float(values.sum()), -math.inf, math.inf, n)
    mean = float(values.mean())
    variance = (float(((values - mean) ** 2).sum()) + doubt) / (n - 1)
    odds = -2 * math.log(1 - confidence)
    spread = (odds + math.log(odds + 1)) / tight_at  # ρ²
    half = math.sqrt(variance * (n + 1 / spread) * (math.log(n * spread + 1) + odds)) / n
    return Interval(mean, mean - half, mean + half, n)


_BETS = np.geomspace(0.005, 0.95, 16)
"""The parts of a capital that `bounded_sequence` bets: the small ones win slowly and surely, the large ones fast."""


def bounded_sequence(values: ArrayLike, low: float, high: float, confidence: float = 0.95) -> Interval:
    """The mean of numbers between `low` and `high`, with an interval that may be watched from the first value on, for
    any distribution: no approximation, and narrow where the values vary little.

    Who bets a part θ of his capital that values lie above m multiplies it by 1 - θ + θx/m, a fair game or worse if the
    mean is m or less; so does a purse of several θ. It ever reaches 2/α with probability α/2 at most (Ville 1939), and
    every m at which it has done so lies below the interval; the same from above (Waudby-Smith and Ramdas 2024).
    """
    values = np.asarray(values, float)
    if len(values) == 0:
        return Interval((low + high) / 2, low, high, 0)
    if values.min() < low or values.max() > high:
        raise BadInput(f"values must lie between {low:g} and {high:g}")
    scaled, counts = np.unique((values - low) / (high - low), return_counts=True)
    target = math.log(2 / (1 - confidence))
    below, above = _least_mean(scaled, counts, target), 1 - _least_mean(1 - scaled, counts, target)
    return Interval(float(values.mean()), low + below * (high - low), low + above * (high - low), len(values))


def _least_mean(values: Array, counts: NDArray, target: float) -> float:
    """Up to which mean the log-capital of bets against it has reached the target; it falls as the mean grows."""

    def outside(mean: float) -> bool:
        purses = np.log1p(np.outer(_BETS, values / mean - 1)) @ counts
        return float(np.logaddexp.reduce(purses)) - math.log(len(_BETS)) >= target

    return _border(outside, 0.0, float(values @ counts / counts.sum())) if values.any() else 0.0
