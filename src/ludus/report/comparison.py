"""The page of a comparison: sentences first, then charts, then every number."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ludus.arena.statistics import Interval
from ludus.disk import write_whole
from ludus.playtest.compare import SIDES, Compared
from ludus.playtest.differences import CONFIDENCE, ORDER, Changes, Difference
from ludus.report.charts import BAR_HEIGHT, FOOT, LINE_HEIGHT, SERIES, TOP, Axis, figure, histogram
from ludus.report.page import Page, Section, Tile, anchor, paragraph, render, safe

PAIRS = """A pair is the same seed under both versions, with the same luck for as long as both go the same way. In
every match an agent plays against itself. A difference is B minus A, averaged over pairs. Shares and frequencies are
counted in points: 100 would be every match."""

STOPPING = """The intervals are confidence sequences: they hold however often one looks, so the comparison may stop as
soon as the headlines are settled, and may be continued later. All {looked_at} of them together miss nothing with
{percent} % confidence. Those of lengths, menus and the like rest on a limit theorem and begin at fifty pairs; those of
shares and frequencies are exact. The intervals of A and B by themselves are ordinary ones of 95 %."""

VERDICTS = """*Changed*: the interval leaves out zero. *Unchanged*: it leaves out every difference that matters.
*Not sure yet*: neither, and the page says about how many pairs would tell. What matters is for you to say, with
`--matters`."""

FOREST = "Differences, counted in the smallest that matter: inside the grey band they do not"
REACH = 8
"""The chart of differences reaches no further than this; what lies outside is drawn at its edge, with its number."""


def write(compared: Compared, folder: Path) -> Path:
    """Write `compare.json` and `compare.html`; a reader never sees half of either."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "compare.json", json.dumps(compared.to_dict(), indent=1))
    return write_whole(folder / "compare.html", render(page(compared)))


def page(compared: Compared) -> Page:
    comparison = compared.comparison
    a, b = comparison.texts
    several = len(compared.levels) > 1
    tables = [part for level in compared.levels for part in (_heading(level), _numbers(level))]
    method = [PAIRS, STOPPING.format(looked_at=compared.looked_at, percent=round(100 * CONFIDENCE)), VERDICTS]
    method += [*compared.faults, *filter(None, [compared.note])]
    return Page(
        title=f"{comparison.b.game.facts.title}: what changes from A to B",
        subtitle="Two versions of the rules on the same seeds",
        lead=f"A is {a}, B is {b}; {' and '.join(comparison.agents)} played both.",
        tiles=_tiles(compared),
        sections=[
            Section("What changes", [*(_sentences(level, several) for level in compared.levels), _forest(compared)]),
            Section("How long it takes", [_lengths(level) for level in compared.levels]),
            Section("Every number", tables),
            Section("The two versions", [_versions(compared)]),
            Section("How to read this", [paragraph(text) for text in method]),
        ],
        footer=f"{comparison.players} players, seed {comparison.seed}. Made by `ludus compare`; same seed, same page.",
        style=STYLE,
    )


def _tiles(compared: Compared) -> list[Tile]:
    found = [one for level in compared.levels for one in level.differences]
    matches = 2 * sum(level.pairs for level in compared.levels)
    counts = {verdict: sum(one.verdict == verdict for one in found) for verdict in ORDER}
    tiles = [Tile(str(count), f"of {len(found)} numbers {verdict}") for verdict, count in counts.items()]
    return [*tiles, Tile(f"{matches:,}", "matches played")]


def _heading(level: Changes) -> str:
    return paragraph(f"`{level.agent}` against itself, {level.pairs:,} pairs")


# ------------------------------------------------------------------------------------------------ words and tables


def _versions(compared: Compared) -> str:
    """What the two are, and the rules in which they differ."""
    a, b = compared.comparison.versions
    names = [name for name in {**a.values, **b.values} if a.values.get(name) != b.values.get(name)]
    rows = [["game", a.game.source, b.game.source]] if a.game is not b.game else []
    rows += [[name, *(str(version.values.get(name, "no such rule")) for version in (a, b))] for name in names]
    return _table(("Rule", *SIDES), [[safe(cell) for cell in row] for row in rows])


def _sentences(level: Changes, several: bool) -> str:
    items = "".join(f"<li>{_badge(one)}<span>{safe(one.sentence)}</span></li>" for one in level.leading)
    return (_heading(level) if several else "") + f"<ul class=changes>{items}</ul>"


def _badge(one: Difference) -> str:
    return f'<span class="badge {anchor(one.verdict)}">{one.verdict}</span>'


def _numbers(level: Changes) -> str:
    heads = ("Quantity", "A", "B", "Difference", "Matters from", "Verdict")
    return _table(heads, [_number_row(one) for one in level.differences])


def _number_row(one: Difference) -> list[str]:
    unit = one.quantity.unit
    needed = (
        f"<span class=why>about {one.pairs_needed:,} pairs would tell</span>" if one.verdict == "not sure yet" else ""
    )
    name = f"<b>{safe(one.quantity.name)}</b><span class=label>{safe(unit)}</span>"
    levels = [_interval(x, f"z.{one.digits}f") for x in (one.a, one.b)]
    difference = _interval(one.difference, f"+z.{one.digits}f")
    return [name, *levels, difference, f"{one.matters:.2g}", _badge(one) + needed]


def _interval(x: Interval, form: str) -> str:
    value, low, high = (f"{number:{form}}".replace("-", "−") for number in (x.value, x.low, x.high))
    return f"<b>{value}</b> <span class=dim>[{low}, {high}]</span>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """On a narrow screen every row becomes a card, its cells named."""
    head = "".join(f"<th>{safe(name)}</th>" for name in heads)
    body = "".join(
        f"<tr><td>{row[0]}</td>"
        + "".join(f'<td data-label="{safe(name)}">{cell}</td>' for name, cell in zip(heads[1:], row[1:]))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


# ------------------------------------------------------------------------------------------------ charts


def _lengths(level: Changes) -> str:
    """Both distributions of turns side by side, without the end of a long tail."""
    both = np.concatenate(level.lengths)
    high = min(float(both.max()), 1.5 * float(np.quantile(both, 0.99)))
    step = max(1, math.ceil((high - both.min() + 1) / 20))
    edges = np.arange(both.min(), high + step + 1, step)
    counts = [(side, np.histogram(own, edges)[0].tolist()) for side, own in zip(SIDES, level.lengths)]
    cut = ", without the very longest" if high < both.max() else ""
    return histogram(f"Length of a match: {level.agent} against itself", f"turns{cut}", edges.tolist(), counts)


def _forest(compared: Compared) -> str:
    """A line for each quantity, a dot with its interval for each level."""
    rows = list(zip(*(level.differences for level in compared.levels)))
    reach = min(REACH, max(2.0, *(abs(end) / one.matters for row in rows for one in row for end in _ends(one))))
    axis = Axis(-reach, reach, 3.0, 72.0)
    parts, y = [], TOP
    for row in rows:
        parts.append(f'<text x="0" y="{y + 13}">{safe(row[0].quantity.name)}</text>')
        y += LINE_HEIGHT
        for k, one in enumerate(row):
            parts.append(_dot(one, SERIES[k % len(SERIES)], axis, y))
            y += BAR_HEIGHT
        y += 7
    drawing = f'<svg class=chart width="100%" height="{y + FOOT}" role="img">{_frame(axis, y)}{"".join(parts)}</svg>'
    keys = [(level.agent, SERIES[k % len(SERIES)]) for k, level in enumerate(compared.levels)]
    return figure(FOREST, drawing, keys if len(keys) > 1 else [])


def _ends(one: Difference) -> tuple[float, float]:
    return one.difference.low, one.difference.high


def _dot(one: Difference, series: str, axis: Axis, y: int) -> str:
    low, high = (axis.at(end / one.matters) for end in _ends(one))
    middle = y + 6
    return (
        f"<g><title>{safe(one.quantity.name)}: {safe(one.text)}, {one.difference.n:,} pairs</title>"
        f'<line class="whisker {series.replace("s", "l")}" x1="{low}%" x2="{high}%" y1="{middle}" y2="{middle}"/>'
        f'<circle class={series} cx="{axis.at(one.difference.value / one.matters)}%" cy="{middle}" r="5"/>'
        f'<svg x="{high}%" y="{y}" overflow="visible">'
        f'<text class=value x="9" y="10">{safe(one.text.partition(" [")[0])}</text></svg></g>'
    )


def _frame(axis: Axis, bottom: int) -> str:
    """The band of what does not matter, and the line of no difference."""
    left, right = axis.at(-1), axis.at(1)
    band = f'<rect class=rest x="{left}%" y="0" width="{right - left:.3f}%" height="{bottom}"/>'
    words = ((axis.low, "start", "B has less"), (axis.high, "end", "B has more"), (0, "middle", "0"))
    ticks = "".join(
        f'<text class=tick x="{axis.at(at)}%" y="{bottom + 16}" text-anchor="{end}">{text}</text>'
        for at, end, text in words
    )
    return f'{band}<line class=odds x1="{axis.at(0)}%" x2="{axis.at(0)}%" y1="0" y2="{bottom}"/>{ticks}'


STYLE = """
.changes{list-style:none;padding:0}
.changes li{display:grid;grid-template-columns:7.5rem 1fr;gap:.6rem;align-items:start;margin:.5rem 0}
.changes .badge{justify-self:start;margin-top:.15rem}
.changed{color:var(--warn);background:var(--warn-sheet)}
.unchanged{color:var(--good);background:var(--good-sheet)}
.not-sure-yet{color:var(--none);background:var(--none-sheet)}
@media (max-width:48rem){
.changes li{grid-template-columns:1fr;gap:.1rem;margin:.9rem 0}
td[data-label]{display:flex;flex-wrap:wrap;gap:0 .4rem}
td[data-label]::before{flex:0 0 7rem;font-weight:400;color:var(--soft)}
}
"""
