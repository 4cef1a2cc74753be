"""The page of a training: its curve, its settings, and how strong the result is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ludus.catalogue import trainer
from ludus.report.charts import Line, line_chart
from ludus.report.page import Page, Section, Tile, paragraph, render, safe
from ludus.report.style import CHART_STYLE, COLOURS
from ludus.runs import RunFolder


def training_page(run: RunFolder, curve: Mapping[str, str], chance: float, strength: str) -> str:
    """`curve` has the columns of the log that are drawn, in words; the first may have an interval."""
    made, rows = run.settings, run.rows()
    title = f"{made['method']} on {made['game']}"
    lead = f"{strength[0].upper()}{strength[1:]}." if strength else "It is not measured yet."
    tiles = [Tile(f"{len(rows):,}", "rows of the log"), Tile(str(made.get("seed", "-")), "seed")]
    parts = [Section("Curve", [_drawn(rows, curve, chance)]), Section("Settings", [_settings(made["settings"])])]
    return render(Page(title, "A training", lead, tiles, parts, "Made by `ludus train`."))


def curve_of(run: RunFolder) -> str:
    """The curve alone, for a notebook; which columns are drawn says the method of the run."""
    method = trainer(str(run.settings["method"]))
    drawn = _drawn(run.rows(), getattr(method, "CURVE", {}), 0.5)
    return f"<style>{COLOURS}{CHART_STYLE}</style><div style='max-width:640px'>{drawn}</div>"


def _drawn(rows: Sequence[Mapping[str, str]], curve: Mapping[str, str], chance: float) -> str:
    shown = [name for name in curve if rows and name in rows[0]]
    if not shown:
        return paragraph("The log has nothing to draw yet.")
    over = next(iter(rows[0]))
    xs = [float(row[over]) for row in rows]
    band = [(float(row["low"]), float(row["high"])) for row in rows] if {"low", "high"} <= rows[0].keys() else []
    lines = [
        Line(curve[name], [(x, float(row[name])) for x, row in zip(xs, rows)], band if name == shown[0] else ())
        for name in shown
    ]
    return line_chart("Share of the point", over, lines, is_log=False, chance=chance)


def _settings(settings: Mapping[str, object]) -> str:
    rows = "".join(f"<tr><td>{safe(name)}</td><td>{safe(str(value))}</td></tr>" for name, value in settings.items())
    return f"<table><thead><tr><th>setting</th><th>value</th></tr></thead><tbody>{rows}</tbody></table>"
