"""Charts as SVG, with lengths across in percent, so that they fill any width while their words keep their size."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from ludus.arena.statistics import Interval
from ludus.report.page import safe
from ludus.report.style import CHART_STYLE, COLOURS


class Named(Protocol):
    """Whatever has a name and an interval can be drawn."""

    @property
    def label(self) -> str: ...

    @property
    def interval(self) -> Interval: ...


@dataclass(frozen=True)
class Bar:
    """A number with its interval, and its name."""

    label: str
    interval: Interval


@dataclass(frozen=True)
class Group:
    """A line of a bar chart: one bar for each series that has one, and the published number if there is one."""

    label: str
    bars: Sequence[Named | None]
    published: float | None = None


@dataclass(frozen=True)
class Line:
    label: str
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float]] = ()
    """How low and how high each point may lie."""


@dataclass(frozen=True)
class Moment:
    """A place on the axis below that the words speak of by a letter."""

    at: float
    sign: str


LINE_HEIGHT, BAR_HEIGHT, TOP, FOOT = 20, 15, 8, 24
SERIES = ("s0", "s1", "s2", "s3")


@dataclass(frozen=True)
class Axis:
    """Numbers onto percents of the width."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def at(self, value: float) -> float:
        low, high = self.low, self.high
        if self.is_log:
            value, low, high = math.log(value), math.log(low), math.log(high)
        part = (min(max(value, low), high) - low) / (high - low)
        return round(self.start + part * (self.end - self.start), 3)


def bar_chart(title: str, series: Sequence[str], groups: Sequence[Group], chance: float | None = None) -> str:
    """Horizontal bars of shares with their intervals; a diamond marks what was published, a line what chance gives."""
    most = max((bar.interval.high for group in groups for bar in group.bars if bar), default=0.5)
    published = [group.published for group in groups if group.published is not None]
    axis = Axis(0.0, _round_up(max([most, *published])), 0.0, 86.0)
    parts: list[str] = []
    y = TOP
    for group in groups:
        parts.append(f'<text x="0" y="{y + 13}">{safe(group.label)}</text>')
        top = y = y + LINE_HEIGHT
        for k, bar in enumerate(group.bars):
            if bar:
                parts.append(_bar(bar, k, axis, y, group.published))
                y += BAR_HEIGHT
        if group.published is not None:
            parts.append(_diamond(axis.at(group.published), top, y - 3, group.published))
        y += 7
    frame = _scale_lines(axis, y) + (_chance_line(axis.at(chance), y) if chance is not None else "")
    drawing = f'<svg class=chart width="100%" height="{y + FOOT}" role="img">{frame}{"".join(parts)}</svg>'
    keys = [*zip(series, SERIES)] if len(series) > 1 else []
    marks = [("published", "mark")] * bool(published) + [("chance", "odds")] * (chance is not None)
    return figure(title, drawing, [*keys, *marks])


def _bar(bar: Named, k: int, axis: Axis, y: int, published: float | None) -> str:
    found = bar.interval
    low, high, middle = axis.at(found.low), axis.at(found.high), y + 6
    end = max(high, axis.at(found.value))
    if published is not None and -2 < axis.at(published) - end < 8:  # the number must not lie under the diamond
        end = max(end, axis.at(published))
    hint = f"<title>{safe(bar.label)}: {found}</title>"
    return (
        f'<g>{hint}<rect class=s{k} x="0" y="{y}" width="{axis.at(found.value)}%" height="12" rx="2"/>'
        f'<line class=whisker x1="{low}%" x2="{high}%" y1="{middle}" y2="{middle}"/>'
        f'<svg x="{end}%" y="{y}" overflow="visible">'
        f'<text class=value x="6" y="10">{100 * found.value:.1f}</text></svg></g>'
    )


def _diamond(x: float, top: int, bottom: int, value: float) -> str:
    middle = (bottom - top) / 2
    return (
        f'<svg x="{x}%" y="{top}" overflow="visible"><title>published: {100 * value:.1f} %</title>'
        f'<line class=marked x1="0" x2="0" y1="-2" y2="{bottom - top + 2}"/>'
        f'<path class=mark d="M0 {middle - 6} l5 6 l-5 6 l-5 -6 z"/></svg>'
    )


def _scale_lines(axis: Axis, bottom: int) -> str:
    step = 0.1 if axis.high <= 0.8 else 0.2
    marks = [k * step for k in range(round(axis.high / step) + 1)]
    return "".join(
        f'<line class=grid x1="{axis.at(mark)}%" x2="{axis.at(mark)}%" y1="0" y2="{bottom}"/>'
        f'<text class=tick x="{axis.at(mark)}%" y="{bottom + 16}" '
        f'text-anchor="{"start" if mark == 0 else "middle"}">{100 * mark:.0f} %</text>'
        for mark in marks
    )


def _chance_line(x: float, bottom: int) -> str:
    return f'<line class=odds x1="{x}%" x2="{x}%" y1="0" y2="{bottom}"/>'


def _round_up(share: float) -> float:
    """To the next tenth, and to one tenth at least: shares that are all 0 need an axis too."""
    return max(math.ceil(share * 10 - 1e-9), 1) / 10


PLOT_HEIGHT = 220


def line_chart(
    title: str,
    x_label: str,
    lines: Sequence[Line],
    is_log: bool = True,
    chance: float | None = None,
    moments: Sequence[Moment] = (),
) -> str:
    """Shares over a number, with bands where the lines have some; the axis below is logarithmic if asked for."""
    xs = sorted({x for line in lines for x, _ in line.points})
    across = Axis(xs[0], max(xs[-1], xs[0] + 1e-9), 8.0, 97.0, is_log)
    tops = [y for line in lines for _, y in (*line.points, *line.band)]
    up = Axis(0.0, _round_up(max(tops)), PLOT_HEIGHT, 10)
    step = 0.1 if up.high <= 0.8 else 0.2
    grid = "".join(
        f'<line class=grid x1="8%" x2="97%" y1="{up.at(k * step)}" y2="{up.at(k * step)}"/>'
        f'<text class=tick x="7%" y="{up.at(k * step) + 4}" text-anchor="end">{100 * k * step:.0f} %</text>'
        for k in range(round(up.high / step) + 1)
    )
    ticks = "".join(
        f'<text class=tick x="{across.at(x)}%" y="{PLOT_HEIGHT + 16}" text-anchor="middle">{x:,.0f}</text>'
        for x in _spaced(xs, across)
    )
    odds = "" if chance is None else f'<line class=odds x1="8%" x2="97%" y1="{up.at(chance)}" y2="{up.at(chance)}"/>'
    under = f'<text class=tick x="52%" y="{PLOT_HEIGHT + 34}" text-anchor="middle">{safe(x_label)}</text>'
    paths = "".join(_path(line, k % len(SERIES), across, up) for k, line in enumerate(lines))
    signs = "".join(_sign(moment, across, drop) for moment, drop in _staggered(moments, across))
    drawing = (
        f'<svg class=chart width="100%" height="{PLOT_HEIGHT + 42}" role="img">'
        f"{grid}{odds}{ticks}{under}{paths}{signs}</svg>"
    )
    keys = [(line.label, SERIES[k % len(SERIES)]) for k, line in enumerate(lines)]
    keys += [("chance", "odds")] * (chance is not None)
    return figure(title, drawing, keys)


def _spaced(xs: Sequence[float], across: Axis) -> list[float]:
    """Those that can be labelled without touching each other."""
    kept = xs[:1]
    for x in xs[1:]:
        if across.at(x) - across.at(kept[-1]) >= 9:
            kept = [*kept, x]
    return list(kept)


def _path(line: Line, k: int, across: Axis, up: Axis) -> str:
    """Segments and dots, because a path knows no percents; where there are many, a path that is stretched."""
    at = [(across.at(x), up.at(y)) for x, y in line.points]
    if line.band or len(at) > 30:
        return _stretched(line, k, across, up)
    pieces = "".join(
        f'<line class="l{k} curve" x1="{a}%" y1="{b}" x2="{c}%" y2="{d}"/>' for (a, b), (c, d) in pairwise(at)
    )
    dots = "".join(
        f'<circle class=s{k} cx="{a}%" cy="{b}" r="4">'
        f"<title>{safe(line.label)}: {x:,.0f}, {100 * y:.1f} %</title></circle>"
        for (a, b), (x, y) in zip(at, line.points)
    )
    return pieces + dots


def _stretched(line: Line, k: int, across: Axis, up: Axis) -> str:
    """One unit of this inner drawing is a percent of the outer one's width."""
    at = [(across.at(x), up.at(y)) for x, y in line.points]
    lows = [(x, up.at(low)) for (x, _), (low, _) in zip(at, line.band)]
    highs = [(x, up.at(high)) for (x, _), (_, high) in zip(at, line.band)]
    band = f'<path class="s{k} band" d="M{_corners([*lows, *reversed(highs)])}z"/>' if line.band else ""
    start, width = across.start, across.end - across.start
    return (
        f'<svg x="{start}%" y="0" width="{width}%" height="{PLOT_HEIGHT}" viewBox="{start} 0 {width} {PLOT_HEIGHT}" '
        f'preserveAspectRatio="none" overflow="visible"><title>{safe(line.label)}</title>'
        f'{band}<path class="l{k} curve" d="M{_corners(at)}"/></svg>'
    )


def _corners(points: Sequence[tuple[float, float]]) -> str:
    return "L".join(f"{x:.5g} {y:.5g}" for x, y in points)


def _staggered(moments: Sequence[Moment], across: Axis) -> list[tuple[Moment, int]]:
    """How far each sign is lowered, so that it does not lie on the one before."""
    drops: list[tuple[Moment, int]] = []
    for moment in sorted(moments, key=lambda moment: moment.at):
        is_near = drops and across.at(moment.at) - across.at(drops[-1][0].at) < 7
        drops.append((moment, drops[-1][1] + 20 if is_near else 0))
    return drops


def _sign(moment: Moment, across: Axis, drop: int) -> str:
    return (
        f'<svg x="{across.at(moment.at)}%" y="0" overflow="visible">'
        f'<line class=moment x1="0" x2="0" y1="8" y2="{PLOT_HEIGHT}"/><circle class=sign cx="0" cy="{4 + drop}" r="9"/>'
        f'<text class=sign x="0" y="{8 + drop}">{safe(moment.sign)}</text></svg>'
    )


def dot_chart(title: str, series: Sequence[str], groups: Sequence[Group], centre: float = 0.0) -> str:
    """Differences in points with their intervals, one dot each, beside the line where there is none."""
    bars = [bar for group in groups for bar in group.bars if bar]
    reach = max([0.05, *(abs(end - centre) for bar in bars for end in (bar.interval.low, bar.interval.high))])
    reach = math.ceil(reach * 20 - 1e-9) / 20
    axis = Axis(centre - reach, centre + reach, 3.0, 86.0)
    parts: list[str] = []
    y = TOP
    for group in groups:
        parts.append(f'<text x="0" y="{y + 13}">{safe(group.label)}</text>')
        y += LINE_HEIGHT
        for k, bar in enumerate(group.bars):
            if bar:
                parts.append(_dot(bar, k % len(SERIES), axis, y))
                y += BAR_HEIGHT
        y += 7
    step = round_step(reach / 2)
    marks = [centre + k * step for k in range(-int(reach / step), int(reach / step) + 1)]
    frame = "".join(_tick(axis, mark, y, f"{100 * mark:+.0f}" if mark else "0") for mark in marks)
    frame += _chance_line(axis.at(centre), y)
    drawing = f'<svg class=chart width="100%" height="{y + FOOT}" role="img">{frame}{"".join(parts)}</svg>'
    keys = [(name, SERIES[k % len(SERIES)]) for k, name in enumerate(series)] if len(series) > 1 else []
    return figure(title, drawing, keys)


def _dot(bar: Named, k: int, axis: Axis, y: int) -> str:
    found = bar.interval
    low, high, middle = axis.at(found.low), axis.at(found.high), y + 6
    value, least, most = (f"{100 * x:+.1f}" for x in (found.value, found.low, found.high))
    hint = f"<title>{safe(bar.label)}: {value} [{least}, {most}] points, {found.n:,} games</title>"
    return (
        f'<g>{hint}<line class="whisker l{k}" x1="{low}%" x2="{high}%" y1="{middle}" y2="{middle}"/>'
        f'<circle class=s{k} cx="{axis.at(found.value)}%" cy="{middle}" r="5"/>'
        f'<svg x="{high}%" y="{y}" overflow="visible"><text class=value x="8" y="10">{value}</text></svg></g>'
    )


def _tick(axis: Axis, mark: float, bottom: int, words: str) -> str:
    return (
        f'<line class=grid x1="{axis.at(mark)}%" x2="{axis.at(mark)}%" y1="0" y2="{bottom}"/>'
        f'<text class=tick x="{axis.at(mark)}%" y="{bottom + 16}" text-anchor="middle">{words}</text>'
    )


def round_step(most: float) -> float:
    """The largest of 1, 2, 5, 10, … in points that is not above."""
    ten = 10.0 ** math.floor(math.log10(most))
    return max(step * ten for step in (1, 2, 5) if step * ten <= most * (1 + 1e-9))


def histogram(title: str, x_label: str, edges: Sequence[float], counts: Sequence[tuple[str, Sequence[int]]]) -> str:
    """How a number is spread: a column for each series between every two edges, its height the share of the series."""
    totals = [max(sum(own), 1) for _, own in counts]
    top = max(count / total for (_, own), total in zip(counts, totals) for count in own)
    up = Axis(0.0, max(top, 1e-9) * 1.05, PLOT_HEIGHT, 10)
    across = Axis(edges[0], edges[-1], 8.0, 97.0)
    step = round_step(up.high / 2)
    grid = "".join(
        f'<line class=grid x1="8%" x2="97%" y1="{up.at(k * step)}" y2="{up.at(k * step)}"/>'
        f'<text class=tick x="7%" y="{up.at(k * step) + 4}" text-anchor="end">{100 * k * step:.0f} %</text>'
        for k in range(int(up.high / step) + 1)
    )
    columns = "".join(
        _column(name, k, len(counts), own[place], own[place] / totals[k], (low, high), across, up)
        for k, (name, own) in enumerate(counts)
        for place, (low, high) in enumerate(pairwise(edges))
        if own[place]
    )
    ticks = "".join(
        f'<text class=tick x="{across.at(x)}%" y="{PLOT_HEIGHT + 16}" text-anchor="middle">{x:,.6g}</text>'
        for x in _spaced(edges, across)
    )
    under = f'<text class=tick x="52%" y="{PLOT_HEIGHT + 34}" text-anchor="middle">{safe(x_label)}</text>'
    drawing = (
        f'<svg class=chart width="100%" height="{PLOT_HEIGHT + 42}" role="img">{grid}{columns}{ticks}{under}</svg>'
    )
    return figure(title, drawing, [(name, SERIES[k]) for k, (name, _) in enumerate(counts)] if len(counts) > 1 else [])


def _column(
    name: str, k: int, series: int, count: int, share: float, span: tuple[float, float], across: Axis, up: Axis
) -> str:
    left, right = across.at(span[0]), across.at(span[1])
    width = (right - left) / series
    top = up.at(share)
    where = f"{span[0]:,.6g} to {span[1]:,.6g}"
    return (
        f'<rect class="s{k} column" x="{left + k * width:.3f}%" y="{top:.1f}" width="{width * 0.94:.3f}%" '
        f'height="{PLOT_HEIGHT - top:.1f}"><title>{safe(name)}, {where}: {count:,} ({100 * share:.1f} %)</title></rect>'
    )


@dataclass(frozen=True)
class Node:
    """A part of a whole: how large it is, how far it leans to one side (-1 … 1), and what it consists of."""

    label: str
    share: float
    lean: float
    hint: str
    children: Sequence[Node] = ()


TREE_HEIGHT = 420


def tree_chart(title: str, heads: Sequence[str], nodes: Sequence[Node], sides: tuple[str, str]) -> str:
    """Parts of parts, a column a level: as high as their share, tinted towards the side that they lean to."""
    width = 100 / len(heads)
    tops = "".join(
        f'<text class=tick x="{k * width + 0.5:.4g}%" y="12">{safe(head)}</text>' for k, head in enumerate(heads)
    )
    boxes = _boxes(nodes, 0, 20.0, TREE_HEIGHT / max(1e-9, sum(node.share for node in nodes)), width)
    drawing = f'<svg class=chart width="100%" height="{TREE_HEIGHT + 26}" role="img">{tops}{boxes}</svg>'
    return figure(title, drawing, [(sides[0], "s0"), (sides[1], "s1")])


def _boxes(nodes: Sequence[Node], level: int, top: float, scale: float, width: float) -> str:
    drawn = []
    for node in nodes:
        height = node.share * scale
        drawn.append(_box(node, level * width, top, height, width))
        drawn.append(_boxes(node.children, level + 1, top, scale, width))
        top += height
    return "".join(drawn)


def _box(node: Node, x: float, top: float, height: float, width: float) -> str:
    place = f'x="{x:.4g}%" y="{top:.1f}" width="{width:.4g}%" height="{height:.1f}"'
    tint = f'<rect class="{SERIES[node.lean < 0]} node" {place} fill-opacity="{min(1.0, abs(node.lean)):.2f}"/>'
    words = f'<text class=value x="8" y="{height / 2 + 4:.1f}">{safe(node.label)}</text>' if height >= 13 else ""
    inner = f'<svg x="{x:.4g}%" y="{top:.1f}" width="{width:.4g}%" height="{height:.1f}">{words}</svg>'
    return f'<g><title>{safe(node.hint)}</title><rect class="rest node" {place}/>{tint}{inner}</g>'


def figure(title: str, drawing: str, keys: Sequence[tuple[str, str]]) -> str:
    signs = {"mark": "◆", "odds": "┆"}
    legend = "".join(
        f'<span class=key><i class="{kind}">{signs.get(kind, "■")}</i> {safe(name)}</span>' for name, kind in keys
    )
    return f"<figure><figcaption>{safe(title)}<span class=legend>{legend}</span></figcaption>{drawing}</figure>"


def picture(chart: str, width: int = 720) -> str:
    """The first drawing of a chart as an SVG file of its own, with its title and legend."""
    drawing = re.search(r"<svg class=chart.*</svg>", chart, re.DOTALL)
    height = re.search(r'height="(\d+)" role', chart)
    title = re.search(r"<figcaption>(.*?)<span", chart)
    keys = re.findall(r'<i class="(\w+)">(.)</i> ([^<]*)<', chart)
    assert drawing
    assert height
    assert title
    legend = "".join(f"<tspan class={kind}>{sign}</tspan> {name}   " for kind, sign, name in keys)
    inner = _quoted(drawing[0]).replace('width="100%"', f'x="20" y="64" width="{width - 40}"', 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="{width}" height="{int(height[1]) + 84}">'
        f"<style>{COLOURS.replace(':root', 'svg')}{CHART_STYLE}svg{{font:13px system-ui,sans-serif}}</style>"
        f'<rect width="100%" height="100%" rx="8" class="sheet"/>'
        f'<text x="20" y="28" style="font-weight:600;font-size:15px">{title[1]}</text>'
        f'<text x="20" y="50" class="key" xml:space="preserve">{_quoted(legend)}</text>{inner}</svg>\n'
    )


def _quoted(markup: str) -> str:
    """HTML lets attributes go without quotes, XML does not."""
    return re.sub(r"(class)=([\w-]+)", r'\1="\2"', markup)
