"""Charts of fairness, skill, length and actions. Each gives blocks of the page, and none where there is no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ludus.arena.statistics import Interval
from ludus.measure import metrics
from ludus.measure.evidence import Results
from ludus.measure.reading import POINTS, SHARE
from ludus.playtest.verdict import both_ends, self_plays
from ludus.report.charts import Bar, Group, bar_chart, dot_chart, histogram
from ludus.report.page import paragraph, safe

COLUMNS = 24
"""Of a histogram: more than a page can show on a phone."""


def bar_of(label: str, found: Interval) -> Bar | None:
    return Bar(label, found.value, found.low, found.high, found.n) if found.n else None


def seats(results: Results) -> list[str]:
    """Seat advantage against skill."""
    cells = self_plays(results)[::-1]
    if not cells:
        return []
    names = [f"player {seat + 1}" for seat in range(results.players)]
    found = {cell.specs[0]: metrics.seat_advantage(cell.replays).seats for cell in cells}
    groups = [Group(level, [*map(bar_of, names, edges)]) for level, edges in found.items()]
    words = "What each seat gets beyond its fair share, in points, when equals play. "
    words += "An edge that grows with skill is a flaw that players will find."
    return [paragraph(words), dot_chart("Seat advantage by skill", names, groups)]


def ladder(results: Results) -> list[str]:
    """Each level against the one below."""
    if len(results.levels) < 2:
        return []
    found = metrics.skill_ladder(results.levels, [cell.replays for cell in results.cells])
    steps = zip(results.levels[1:], results.levels, found.scores)
    groups = [Group(f"{strong} against {weak}", [bar]) for strong, weak, one in steps if (bar := bar_of(strong, one))]
    if not groups:
        return []
    words = "How often each level beats the one below, as a match of two. While steps stay high, thinking more pays."
    return [paragraph(words), bar_chart("Skill ladder", ["score"], groups, chance=0.5)]


def lengths(results: Results) -> list[str]:
    """The spread of lengths, of the weakest and the strongest players."""
    cells = both_ends(results)[::-1]
    plies = {cell.specs[0]: [replay.plies for replay in cell.replays] for cell in cells}
    if not plies:
        return []
    every = [length for own in plies.values() for length in own]
    if min(every) == max(every):
        return [paragraph(f"Every match takes {every[0]} plies.")]
    edges = _edges(every)
    counts = [(name, np.histogram(own, edges)[0].tolist()) for name, own in plies.items()]
    title = "How long matches are" + (f", {counts[0][0]}" if len(counts) == 1 else "")
    return [histogram(title, "plies", edges, counts)]


def _edges(values: Sequence[int]) -> list[float]:
    """Whole numbers, evenly apart, so that no column covers more of them than another."""
    low, high = min(values), max(values) + 1
    step = max(1, -(-(high - low) // COLUMNS))
    return [float(edge) for edge in range(low, high + step, step)]


MOST_KINDS = 10
"""Kinds of action on the chart; the table below it has all."""


def actions(results: Results) -> list[str]:
    """Who uses each kind of action, and whether it pays."""
    cells = self_plays(results)
    rows = metrics.action_use(cells[0].replays, results.legal_kinds) if cells else ()
    if not rows:
        return []
    # Of what everybody does there is nobody to compare with.
    telling = [row for row in rows if row.lift.n and row.use.value < 1]
    telling.sort(key=lambda row: -abs(row.lift.value) * row.use.value**0.5)
    groups = [Group(_kind_label(row), [bar_of(row.kind, row.lift)]) for row in telling[:MOST_KINDS]]
    words = "Players who did a thing at least once, and the points they got beyond what their seat gets otherwise. "
    words += "Doing well may come before the action, not from it: a large lift is a question, not an answer."
    title = "What each action brings, in points"
    title += f": the {MOST_KINDS} most telling of {len(rows)}" if len(rows) > MOST_KINDS else ""
    chart = [dot_chart(title, ["lift"], groups)] if groups else [paragraph(f"Everybody does all {len(rows)} of them.")]
    return [paragraph(words), *chart, _kinds_table(rows, results.legal_kinds)]


def _kind_label(row: metrics.ActionUse) -> str:
    flag = f" ({row.flag})" if row.flag else ""
    return f"{row.kind}{flag}, used by {100 * row.use.value:.0f} %"


def _kinds_table(rows: Sequence[metrics.ActionUse], legal: Mapping[str, int]) -> str:
    heads = "".join(f"<th>{head}</th>" for head in ("Action", "On the menu", "Used by", "Lift", "p", ""))
    cells = "".join(
        f"<tr><td><b>{safe(row.kind)}</b></td><td data-label='On the menu'>{legal.get(row.kind, 0):,} times</td>"
        f"<td data-label='Used by'>{SHARE.text(row.use)}</td>"
        f"<td data-label=Lift>{POINTS.text(row.lift) if row.lift.n else ''}</td>"
        f"<td data-label=p>{row.p_value:.3f}</td><td>{row.flag}</td></tr>"
        for row in rows[:MOST_ROWS]
    )
    more = f" ({len(rows) - MOST_ROWS} rarer ones left out)" if len(rows) > MOST_ROWS else ""
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table>"
    return f"<details><summary>All {len(rows)} actions{more}</summary>{table}</details>"


MOST_ROWS = 200
"""Of the table: a game of ten thousand kinds must not make a page of megabytes."""
