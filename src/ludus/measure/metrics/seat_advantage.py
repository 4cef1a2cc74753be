"""What each seat gets beyond its fair share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ludus.arena.statistics import Interval, elo_of
from ludus.measure.evidence import Evidence, Lineup
from ludus.measure.metric import (
    ELO,
    POINTS,
    SEATS,
    SHARE,
    SIZE,
    Intervals,
    Light,
    Limits,
    Metric,
    Quantity,
    Reading,
    size_of,
)
from ludus.measure.replays import Replay, played, shares_of
from ludus.measure.sampling import Array, Replays, blocks_of, rate

EDGE = Limits(0.05, 0.10)
"""White has 5 points in chess, and people live with it; 10 they notice."""


@dataclass(frozen=True)
class SeatAdvantage:
    seats: tuple[Interval, ...]
    """What each seat gets beyond its fair share 1/n."""
    elo: Interval | None
    """The first seat's advantage in Elo, with two players."""
    p_value: float
    """How often seats that are equal would differ so much or more."""


def measure(replays: Replays) -> SeatAdvantage:
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


def read(evidence: Evidence) -> Iterator[Reading | Light]:
    judged = evidence.judged()
    for lineup in [*judged, *(one for one in evidence.self_plays() if one not in judged)]:
        level, found = lineup.specs[0], evidence.once(measure, lineup.replays)
        for seat, edge in enumerate(found.seats):
            yield Reading(f"seat-{seat + 1}", f"Edge of player {seat + 1}", edge, POINTS, level)
        if lineup in judged and found.seats:
            yield _light(found, lineup)
        if found.elo is not None:
            yield Reading("elo", "Edge of player 1 in Elo", found.elo, ELO, level)
        chance = Interval(found.p_value, found.p_value, found.p_value, len(lineup.replays))
        yield Reading("p_value", "Chance of such edges if seats are equal", chance, SHARE, level)


def _light(found: SeatAdvantage, lineup: Lineup) -> Light:
    seat = max(range(len(found.seats)), key=lambda seat: abs(found.seats[seat].value))
    edge = found.seats[seat]
    size = size_of(edge)
    if size.value < EDGE.amber:
        words = f"Seats are about equal: the largest edge is {POINTS.text(edge)}, of player {seat + 1}."
    elif edge.low <= 0 <= edge.high:
        words = f"Seats may differ: the largest edge is {POINTS.text(edge)}, of player {seat + 1}."
    else:
        way = "more" if edge.value > 0 else "less"
        words = f"Player {seat + 1} gets {SIZE.text(size)} {way} than a fair share when equals play."
    return EDGE.light("Seats", size, words, lineup.specs[0])


def chart(evidence: Evidence) -> Intervals | None:
    """Seat advantage against skill."""
    lineups = evidence.self_plays()[::-1]
    if not lineups:
        return None
    words = "What each seat gets beyond its fair share, in points, when equals play. "
    words += "An edge that grows with skill is a flaw that players will find."
    names = [f"player {seat + 1}" for seat in range(evidence.players)]
    rows = [(lineup.specs[0], evidence.once(measure, lineup.replays).seats) for lineup in lineups]
    return Intervals("Seat advantage by skill", words, names, rows)


def quantities(players: int) -> list[Quantity]:
    """Of two seats one is enough."""
    return [_wins(seat) for seat in range(players if players > 2 else players - 1)]


def _wins(seat: int) -> Quantity:
    name = f"player {seat + 1}"
    return Quantity(
        f"seat-{seat + 1}", f"wins of {name}", "points", partial(_share, seat=seat), 3,
        rises=f"helps {name} by", falls=f"hurts {name} by", most=100,
    )  # fmt: skip


def _share(replay: Replay, seat: int) -> float:
    return 100 * float(replay.shares[seat])


METRIC = Metric(
    SEATS,
    "What each seat wins beyond its fair share when equal players sit in all of them.",
    read,
    chart,
    quantities,
    parts={**{f"seat-{seat}": POINTS for seat in range(1, 9)}, "elo": ELO, "p_value": SHARE},
)
