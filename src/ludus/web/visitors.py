"""What one visitor may take. A visitor is an address; the holder of a seat is never turned away."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

OPENINGS_A_SECOND = 0.5


@dataclass(frozen=True)
class Limits:
    """How much there is for each."""

    openings: int = 60
    """Matches that an address may open in a row; then one every two seconds."""
    watching: int = 30
    """Connections of one address that only watch."""
    watchers: int = 100
    """Those of one match."""
    holders: int = 8
    """Connections of one seat; of more the oldest is closed."""
    messages: int = 20
    """Messages a second over one connection."""


class Meter:
    """Credit that is spent and grows again with time; below zero it is debt."""

    def __init__(self, most: float, a_second: float):
        self.most, self.a_second = most, a_second
        self._credit, self._at = most, time.monotonic()

    @property
    def credit(self) -> float:
        return min(self.most, self._credit + (time.monotonic() - self._at) * self.a_second)

    def spend(self) -> None:
        self._credit, self._at = self.credit - 1, time.monotonic()


class Visitors:
    """Everybody who was here lately."""

    def __init__(self, limits: Limits):
        self.limits = limits
        self.watching: Counter[str] = Counter()
        self._openings: dict[str, Meter] = {}

    def may_open(self, address: str) -> bool:
        """Whether this address may open another match now; if so, it is counted."""
        self._openings = {one: meter for one, meter in self._openings.items() if meter.credit < meter.most}
        meter = self._openings.setdefault(address, Meter(self.limits.openings, OPENINGS_A_SECOND))
        may = meter.credit >= 1
        if may:
            meter.spend()
        return may
