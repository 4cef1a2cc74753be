"""What no ladder of ratings can say: who beats whom in a circle, and who lasts where everybody imitates winners."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def cyclic_share(payoffs: ArrayLike) -> float:
    """How much of a table of payoffs [agent, opponent] no ratings can explain: 0 for a ladder, 1 for rock, paper and
    scissors. With A = (P - Pᵀ)/2 and r_i the mean of row i it is ‖A_ij - (r_i - r_j)‖² / ‖A‖², the cyclic part of its
    Hodge split (Balduzzi et al. 2018). Noise of measured payoffs counts as cycles."""
    payoffs = np.asarray(payoffs, float)
    odd = (payoffs - payoffs.T) / 2
    mean = odd.mean(axis=1)
    whole = float((odd**2).sum())
    return float(((odd - (mean[:, None] - mean)) ** 2).sum()) / whole if whole else 0.0


def alpha_rank(payoffs: ArrayLike, alpha: float = 100.0, population: int = 50) -> Array:
    """How much of the time evolution spends with each agent, from payoffs [agent, opponent] (Omidshafiei et al. 2019).

    All of a population of m play one agent; now and then one tries another, and the newcomer, ahead by
    Δ = P[new, old] - P[old, new], takes over with the chance (1 - e^-αΔ) / (1 - e^-αmΔ), or 1/m where Δ = 0. The
    answer is the long run of that chain. A large α asks only who beats whom.
    """
    payoffs = np.asarray(payoffs, float)
    if len(payoffs) == 1:
        return np.ones(1)
    lead = alpha * (payoffs.T - payoffs)  # [old, new]
    size = np.maximum(np.abs(lead), 1e-12)  # in the limit of an even lead the chance is 1/m
    takeover = np.expm1(-size) / np.expm1(-population * size)
    takeover *= np.exp(np.minimum(lead, 0.0) * (population - 1))
    # The chance of a hopeless newcomer rounds to 0; a little of it keeps the chain in one piece.
    return _stationary(np.maximum(takeover, 1e-12))


def _stationary(rates: Array) -> Array:
    """The long run of a chain with these rates of change, by the elimination of Grassmann, Taksar and Heyman (1985):
    without subtraction, so that tiny rates lose no digits."""
    rates = rates.copy()
    share = np.ones(len(rates))
    for k in range(len(rates) - 1, 0, -1):
        rates[:k, k] /= rates[k, :k].sum()
        rates[:k, :k] += np.outer(rates[:k, k], rates[k, :k])
    for k in range(1, len(rates)):
        share[k] = share[:k] @ rates[:k, k]
    return share / share.sum()
