"""Findings as HTML: claims in rows, a published table with our numbers in its cells, a ladder with ratings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb

from ludus.papers.claims import Finding, Judgement, Measure, Verdict, agrees
from ludus.papers.experiments import Result
from ludus.report.charts import Line
from ludus.report.page import anchor, safe

# ------------------------------------------------------------------------------------------------ claims


def findings_table(findings: Iterable[Finding], columns: Sequence[str]) -> str:
    """One row a claim, one column for each kind of rules; on a narrow screen each row becomes a card.

    What was measured under other rules stands in the first column, with their name.
    """
    head = "".join(f"<th>{safe(name)}</th>" for name in ("Claim", "Published", *columns, "Verdict"))
    rows = "".join(_finding_row(finding, columns) for finding in findings)
    return f"<table class=findings><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _finding_row(finding: Finding, columns: Sequence[str]) -> str:
    claim = finding.claim
    said = f"<td><span class=where>{safe(claim.where)}</span>{safe(claim.text)}</td>"
    published = f"<td class=published>{safe(claim.published).replace(' %', '&nbsp;%')}</td>"
    badge = f'<span class="badge {anchor(finding.verdict)}">{safe(finding.verdict)}</span>'
    verdict = f"<td class=verdict>{badge}<span class=why>{safe(finding.why)}</span></td>"
    places = [measure.rules if measure.rules in columns else columns[0] for measure in finding.measures]
    ours = "".join(
        _measures_cell(name, [one for one, place in zip(finding.measures, places) if place == name]) for name in columns
    )
    return f'<tr id="{claim.key}">{said}{published}{ours}{verdict}</tr>'


def _measures_cell(column: str, measures: Sequence[Measure]) -> str:
    if not measures:
        return "<td class=none></td>"
    lines = "".join(_measure_line(one, column) for one in measures)
    counts = sorted({one.games for one in measures if one.games})
    games = f"<div class=dim>{' / '.join(f'{n:,}' for n in counts)} games</div>" if counts else ""
    return f'<td data-label="{safe(column)}">{lines}{games}</td>'


def _measure_line(measure: Measure, column: str) -> str:
    elsewhere = measure.rules if measure.rules != column else ""
    about = ", ".join(filter(None, (measure.label, elsewhere)))
    value, _, interval = measure.text.partition(" [")
    span = f" <span class=dim>[{safe(interval)}</span>" if interval else ""
    return f"<div class=measure><span class=label>{safe(about)}</span><b>{safe(value)}</b>{span}</div>"


# ------------------------------------------------------------------------------------------------ a published table


@dataclass(frozen=True)
class Cell:
    """One cell of a published table: our number, and theirs with the interval that its games allow."""

    ours: Measure
    published: Measure | None = None

    @property
    def judgement(self) -> Judgement:
        if self.published is None:
            return Verdict.NOT_MEASURED, "not published"
        return agrees(self.ours, self.published)


def cells_table(corner: str, cells: Mapping[str, Mapping[str, Cell]]) -> str:
    """A table as it was published, by rows and columns; each cell is tinted by its verdict, and says why on a hover."""
    columns = list(dict.fromkeys(name for row in cells.values() for name in row))
    head = "".join(f"<th>{safe(name)}</th>" for name in (corner, *columns))
    rows = "".join(
        f"<tr><td>{safe(name)}</td>{''.join(_cell(column, row.get(column)) for column in columns)}</tr>"
        for name, row in cells.items()
    )
    return f"<table class=cells><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(column: str, cell: Cell | None) -> str:
    if cell is None:
        return "<td class=none></td>"
    verdict, why = cell.judgement
    value, _, interval = cell.ours.text.partition(" [")
    span = f" <span class=dim>[{safe(interval)}</span>" if interval else ""
    theirs = f"<div class=dim>{safe(f'{cell.published.label} {cell.published.text}')}</div>" if cell.published else ""
    kind = anchor(verdict) if cell.published else "plain"
    words = safe(f"{why}; ours rests on {cell.ours.games:,} games")
    return f'<td class="{kind}" data-label="{safe(column)}" title="{words}"><b>{safe(value)}</b>{span}{theirs}</td>'


def summed(cells: Mapping[str, Mapping[str, Cell]]) -> Judgement:
    """The verdict on a whole table: reproduced if no more cells differ than chance would let differ, one in twenty."""
    verdicts = [cell.judgement[0] for row in cells.values() for cell in row.values() if cell.published]
    differing = sum(verdict is Verdict.NOT_REPRODUCED for verdict in verdicts)
    by_chance = 1 - binomial_below(differing, len(verdicts), 0.05)
    told = f"{len(verdicts) - differing} of {len(verdicts)} cells agree within noise"
    if differing and by_chance < 0.05:
        return Verdict.NOT_REPRODUCED, f"{told}; so many differ by chance with a probability of {100 * by_chance:.2g} %"
    return Verdict.REPRODUCED, told


def binomial_below(k: int, n: int, p: float) -> float:
    """The probability of fewer than k of n."""
    return sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k))


# ------------------------------------------------------------------------------------------------ a ladder


def ladder_table(result: Result) -> str:
    """Ratings of a `matches.ladder`, best first."""
    head = "".join(f"<th>{name}</th>" for name in ("agent", "Elo", "95 %", "score", "games"))
    rows = "".join(
        f"<tr><td>{safe(row['name'])}</td><td><b>{row['rating']:+.0f}</b></td>"
        f"<td class=dim>[{row['low']:+.0f}, {row['high']:+.0f}]</td>"
        f"<td>{100 * row['score']:.1f} %</td><td>{row['games']:,}</td></tr>"
        for row in result["rows"]
    )
    note = f"<p class=dim>{safe(result['note'])}</p>" if result["note"] else ""
    return f"<table class=ladder><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"


# ------------------------------------------------------------------------------------------------ curves


def curve(label: str, points: Mapping[float, Measure]) -> Line:
    """A line over numbers of something, with the interval of each point."""
    return Line(label, [(x, one.value) for x, one in points.items()], [(one.low, one.high) for one in points.values()])


STYLE = """
td:nth-child(1){width:25%}
td:nth-child(2){width:14%}
td:nth-child(5){width:22%;padding-right:0}
.where{display:block;font-weight:600}
.reproduced,.reached,.answered{color:var(--good);background:var(--good-sheet)}
.not-reproduced,.not-reached{color:var(--bad);background:var(--bad-sheet)}
.cannot-be-reproduced,.not-measured{color:var(--none);background:var(--none-sheet)}
.cells td:nth-child(n),.ladder td:nth-child(n){width:auto;padding-right:.8rem}
@media screen and (max-width:48rem){
td:nth-child(n){width:auto;padding:.3rem 0}
.published::before{content:"Published: ";color:var(--soft)}
}
"""
