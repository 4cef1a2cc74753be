"""What the pages of all papers share: how many claims hold, tables of findings, charts or why there are none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ludus.errors import BadInput
from ludus.papers.claims import Finding, Verdict
from ludus.papers.experiments import Measured
from ludus.papers.tables import STYLE, findings_table
from ludus.report.page import Page, Section, Tile, paragraph

SUBTITLE = "A published system, measured again"


@dataclass(frozen=True)
class Draft:
    """A page in the making: what was measured, the findings in groups, and the columns of their tables."""

    results: Measured
    groups: dict[str, list[Finding]]
    columns: Sequence[str]

    @property
    def findings(self) -> list[Finding]:
        return [finding for group in self.groups.values() for finding in group]

    def drawn(self, draw: Callable[[Measured], str]) -> str:
        """A chart or a table, or why there is none."""
        try:
            return draw(self.results)
        except BadInput as reason:
            return paragraph(f"Nothing to show: {reason}.")

    def table(self, *names: str, columns: Sequence[str] = ()) -> str:
        """The findings of some groups."""
        return findings_table([one for name in names for one in self.groups[name]], columns or self.columns)

    def number(self, *verdicts: Verdict) -> str:
        """How many findings have one of these verdicts."""
        return str(sum(finding.verdict in verdicts for finding in self.findings))

    def aims(self) -> Tile:
        reached, all_aims = self.number(Verdict.REACHED), self.number(Verdict.REACHED, Verdict.NOT_REACHED)
        return Tile(f"{reached} of {all_aims}", "aims of our own reached")

    @property
    def games(self) -> int:
        """Matches of all experiments that say how many they played."""
        return sum(result.get("games", 0) for result in self.results.found.values())

    def tiles(self, further_games: int = 0) -> list[Tile]:
        answered = self.number(Verdict.ANSWERED)
        return [
            Tile(self.number(Verdict.REPRODUCED), "claims reproduced"),
            Tile(self.number(Verdict.NOT_REPRODUCED), "not reproduced"),
            *[Tile(answered, "open questions answered")] * (answered != "0"),
            self.aims(),
            Tile(f"{self.games + further_games:,}", "matches behind these numbers"),
        ]

    def page(
        self, title: str, lead: str, tiles: Sequence[Tile], sections: Sequence[Section], footer: str, style: str = ""
    ) -> Page:
        return Page(title, SUBTITLE, lead, tiles, sections, footer, STYLE + style)
