"""What a playtest found out, before anybody judges it."""

from __future__ import annotations

from dataclasses import dataclass

from ludus.measure.evidence import Evidence
from ludus.measure.readings import Readings
from ludus.playtest.flaws import Flaw
from ludus.playtest.plan import Gate


@dataclass(frozen=True)
class Playtest(Evidence):
    """The evidence, and what was noticed on the way."""

    title: str
    preset: str
    mode: str
    """quick, default, or like "2 hours"."""
    gates: list[Gate]
    flaws: list[Flaw]
    faults: list[str]
    """Agents that crashed, stalled or cheated: a sentence each."""
    notes: list[str]
    """What the reader should know: a budget too small for the wanted precision, and what it would take."""
    seconds: float

    def frame(self):
        """All readings as an Arrow table, for pandas, polars and others."""
        return self._readings().frame()

    def _repr_html_(self) -> str:
        return self._readings()._repr_html_()

    def _readings(self) -> Readings:
        from ludus.playtest.verdict import read

        return read(self)
