"""Blocks: all seatings of a lineup with the same luck. Statistics count blocks, so matches wait for their kin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ludus.arena.lockstep import Seating
from ludus.records import MatchRecord
from ludus.rules import share


def rotations(seats: Sequence[int], block: int) -> list[Seating]:
    """All matches of one block: every agent sits in every seat once, and chance is the same for all."""
    n = len(seats)
    return [Seating(tuple(seats[(p + turn) % n] for p in range(n)), block, turn) for turn in range(n)]


@dataclass
class OpenBlocks:
    """Matches whose block is not whole yet."""

    waiting: dict[tuple[int, int], dict[int, MatchRecord]] = field(default_factory=dict)

    def add(self, lineup: int, block: int, rotation: int, record: MatchRecord) -> list[MatchRecord] | None:
        """The whole block, in the order of its rotations, when this match was the last that it lacked."""
        matches = self.waiting.setdefault((lineup, block), {})
        matches[rotation] = record
        if len(matches) < record.players:
            return None
        del self.waiting[lineup, block]
        return [matches[turn] for turn in range(record.players)]


def scores(payoffs: Sequence[Sequence[float]]) -> list[float]:
    """The mean share of each member of the lineup over a whole block, from the returns of its matches."""
    n = len(payoffs)
    totals = [0.0] * n
    for turn, returns in enumerate(payoffs):
        for seat, payoff in enumerate(returns):
            totals[(seat + turn) % n] += payoff
    return [share(total / n, n) for total in totals]
