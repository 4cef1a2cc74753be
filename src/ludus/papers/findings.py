"""The table of a paper's claims: what was published, what we measured, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ludus.papers.claims import Finding, Measure
from ludus.report.page import anchor, safe


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


STYLE = """
td:nth-child(1){width:25%}
td:nth-child(2){width:14%}
td:nth-child(5){width:22%;padding-right:0}
.where{display:block;font-weight:600}
.reproduced,.reached,.answered{color:var(--good);background:var(--good-sheet)}
.not-reproduced,.not-reached{color:var(--bad);background:var(--bad-sheet)}
.cannot-be-reproduced,.not-measured{color:var(--none);background:var(--none-sheet)}
@media screen and (max-width:48rem){
td:nth-child(n){width:auto;padding:.3rem 0}
.published::before{content:"Published: ";color:var(--soft)}
}
"""
