"""What a playtest decided, on disk, so that a killed one goes on with the same decisions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ludus.disk import read_json, write_json
from ludus.errors import DiskTrouble
from ludus.playtest.plan import Count


class Ledger:
    """How many matches of each lineup were decided on, how long one takes, and the time spent."""

    def __init__(self, folder: Path):
        self.path = folder / "plan.json"
        self.kept: dict[str, Any] = {"counts": {}, "seconds_each": {}, "spent": 0.0, "checked": False}
        if self.path.exists():
            kept = read_json(self.path)
            if not isinstance(kept, dict) or not self._is_sound(kept):
                raise DiskTrouble(f"{self.path} is damaged; move it away to decide anew, the matches are kept")
            self.kept = kept

    def _is_sound(self, kept: dict[str, Any]) -> bool:
        counts, seconds = kept.get("counts"), kept.get("seconds_each")
        if not isinstance(counts, dict) or not isinstance(seconds, dict):
            return False
        pairs = all(isinstance(pair, list) and [type(n) for n in pair] == [int, int] for pair in counts.values())
        return pairs and all(isinstance(value, int | float) for value in [*seconds.values(), kept.get("spent")])

    def count(self, lineup: str) -> Count | None:
        kept = self.kept["counts"].get(lineup)
        return Count(*kept) if kept else None

    def decide(self, lineup: str, count: Count, seconds_each: float) -> None:
        self.kept["counts"][lineup] = [count.wanted, count.played]
        self.kept["seconds_each"][lineup] = seconds_each
        self.write()

    def seconds_each(self, lineup: str) -> float:
        return self.kept["seconds_each"].get(lineup, 0.0)

    def write(self) -> None:
        write_json(self.path, self.kept)
