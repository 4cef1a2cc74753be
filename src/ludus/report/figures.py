"""The charts of metrics: what a metric wants drawn, as blocks of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ludus.measure.evidence import Evidence
from ludus.measure.metric import POINTS, SHARE, Chart, Intervals
from ludus.measure.metrics import action_use, all_metrics
from ludus.report.charts import Bar, Group, bar_chart, dot_chart, histogram
from ludus.report.page import paragraph, safe

MOST_ROWS = 200
"""Of the table of actions: a game of ten thousand kinds must not make a page of megabytes."""


def figures(evidence: Evidence, *groups: str) -> list[str]:
    """The charts of all metrics of these groups."""
    charts = (metric.chart(evidence) for metric in all_metrics().values() if metric.group in groups)
    return [block for chart in charts if chart is not None for block in drawn(chart)]


def drawn(chart: Chart) -> list[str]:
    words = [paragraph(chart.words)] if chart.words else []
    if not chart.title:
        return words
    if not isinstance(chart, Intervals):
        return [*words, histogram(chart.title, chart.axis, chart.edges, chart.counts)]
    groups = [Group(label, [Bar(name, one) for name, one in zip(chart.series, row)]) for label, row in chart.rows]
    if chart.even:
        return [*words, bar_chart(chart.title, chart.series, groups, chance=chart.even)]
    return [*words, dot_chart(chart.title, chart.series, groups)]


def actions_table(evidence: Evidence) -> list[str]:
    """All kinds of action, folded."""
    legal = evidence.legal_kinds
    found = [evidence.once(action_use.measure, lineup.replays, legal) for lineup in evidence.judged()]
    return [_table(rows, legal) for rows in found if len(rows) > 1]


def _table(rows: Sequence[action_use.ActionUse], legal: Mapping[str, int]) -> str:
    heads = "".join(f"<th>{head}</th>" for head in ("Action", "On the menu", "Used by", "Lift", "p, of all", ""))
    lines = "".join(
        f"<tr><td><b>{safe(row.kind)}</b></td><td data-label='On the menu'>{legal.get(row.kind, 0):,} times</td>"
        f"<td data-label='Used by'>{SHARE.text(row.use)}</td>"
        f"<td data-label=Lift>{POINTS.text(row.lift) if row.lift.n else ''}</td>"
        f"<td data-label='p, of all'>{row.p_value:.3f}</td><td>{row.flag}</td></tr>"
        for row in rows[:MOST_ROWS]
    )
    more = f" ({len(rows) - MOST_ROWS} rarer ones left out)" if len(rows) > MOST_ROWS else ""
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"
    return f"<details><summary>All {len(rows)} kinds of action{more}</summary>{table}</details>"
