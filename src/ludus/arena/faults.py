"""Who failed, why, how often, and in which match it can be seen: an agent, or the game itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ludus.records import Key, MatchRecord

MOST_REASONS = 20
"""Reasons that are kept for each kind of fault of an agent; the rest is counted together."""
OTHERS = "other reasons"


@dataclass(frozen=True)
class Fault:
    """How often an agent, or the game, failed for one reason, and the first match in which it did."""

    agent: str
    outcome: str
    detail: str
    count: int
    key: Key
    """Lineup, block and rotation."""

    @property
    def text(self) -> str:
        times = "1 match" if self.count == 1 else f"{self.count:,} matches"
        reason = f": {self.detail}" if self.detail else ""
        if self.outcome == "stuck":
            return f"{self.agent} got stuck in {times}, a fault of the game{reason}"
        return f"{self.agent} lost {times} by {self.outcome}{reason}"


def failed(record: MatchRecord) -> str:
    """Who failed in a match: an agent, or the game where a player had no action; nobody in most."""
    if record.outcome == "stuck":
        return Path(record.game).stem
    return record.agents[record.culprit] if record.culprit >= 0 else ""


class FaultCount:
    """Counts faults by agent, kind and reason."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], Fault] = {}

    def add(self, record: MatchRecord, lineup: int = 0) -> None:
        if not (agent := failed(record)):
            return
        who = agent, record.outcome
        place = (*who, record.detail)
        if place not in self._found and sum(key[:2] == who for key in self._found) >= MOST_REASONS:
            place = (*who, OTHERS)
        old = self._found.get(place)
        key = old.key if old else (lineup, record.block, record.rotation)
        self._found[place] = Fault(*place, old.count + 1 if old else 1, key)

    @property
    def faults(self) -> list[Fault]:
        """The most frequent first."""
        return sorted(self._found.values(), key=lambda fault: (-fault.count, fault.agent, fault.detail))
