"""The complexity of Gravwell: formulas 1 to 4 of the Gravitas paper, and independent counts of the same things.

n players, t turns of a round, k hulks; 54 tiles beside the Singularity.
"""

from __future__ import annotations

from functools import cache
from math import comb, factorial, perm, prod

TILES, CARDS, TURNS = 54, 26, 6
PLAYER_COUNTS = (2, 3, 4)
OBJECTIONS = {"formula-1": "; the formula leaves out boards with only some of the players in the Singularity"}
"""Why a formula misses what it counts."""


def hulks(n: int) -> int:
    return 1 if n == 2 else 2


# ------------------------------------------------------------------------------------------------ as published


def board_permutations(n: int) -> int:
    """Formula 1."""
    k = hulks(n)
    return factorial(TILES) // (factorial(k) * factorial(TILES - n - k)) + factorial(n)


def stop_sequences(t: int, n: int) -> int:
    """Formula 2: how many players can still stop, turn after turn."""
    return comb(t + n, n)


def play_sequences(t: int, n: int) -> int:
    """Formula 3: which cards lie open in each turn, whoever played them."""
    return stop_sequences(t, n) * prod(comb(CARDS - k * n, n) for k in range(t))


def distinct_play_sequences(t: int, n: int) -> int:
    """Formula 4: also who played which card, and who stopped when."""
    return (t + 1) ** n * prod(factorial(CARDS - k * n) // factorial(CARDS - (k + 1) * n) for k in range(t))


# ------------------------------------------------------------------------------------------------ counted


def count_boards(n: int) -> int:
    """Every number of players in the Singularity: which of them, then distinct ships and equal hulks on the tiles."""
    k = hulks(n)
    return sum(comb(n, home) * perm(TILES, n - home) * comb(TILES - n + home, k) for home in range(n + 1))


@cache
def count_stop_sequences(t: int, stops: int) -> int:
    """Turn by turn: any number of the stops left may be used."""
    return 1 if t == 0 else sum(count_stop_sequences(t - 1, left) for left in range(stops + 1))


@cache
def count_plays(t: int, n: int, cards: int = CARDS) -> int:
    """Turn by turn: any n of the cards left."""
    return 1 if t == 0 else comb(cards, n) * count_plays(t - 1, n, cards - n)


@cache
def count_distinct_plays(t: int, n: int, cards: int = CARDS, with_stop: int = -1) -> int:
    """Turn by turn: each player in turn any card left; of those who have their stop, any may use it."""
    with_stop = n if with_stop < 0 else with_stop
    if t == 0:
        return 1
    ways = prod(cards - k for k in range(n))
    return ways * sum(
        comb(with_stop, used) * count_distinct_plays(t - 1, n, cards - n, with_stop - used)
        for used in range(with_stop + 1)
    )
