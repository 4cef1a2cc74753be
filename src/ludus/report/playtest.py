"""The playtest report: one page that a designer reads in five minutes, and the same as numbers.

The verdict comes first, then what it rests on, then every match worth looking at, then every number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from ludus.catalogue import load
from ludus.disk import write_whole
from ludus.game import Game
from ludus.measure import metrics
from ludus.measure.evidence import Bug, Cell, Results
from ludus.measure.reading import LIGHTS, Reading, Readings, as_sentence
from ludus.playtest.verdict import GROUPS, read, self_plays
from ludus.report import boards
from ludus.report.boards import Film, Projector, cinema
from ludus.report.curves import story
from ludus.report.examples import cast
from ludus.report.figures import actions, ladder, lengths, seats
from ludus.report.glossary import glossary
from ludus.report.openings import openings_chart
from ludus.report.page import Page, Section, Tile, bullets, paragraph, render, safe


def write(results: Results, folder: Path) -> Path:
    """Write `report.html` and `report.json`; a reader never sees half of either."""
    readings = read(results)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "report.json", json.dumps(to_dict(results, readings), indent=1, allow_nan=False))
    return write_whole(folder / "report.html", render(page(results, readings)))


def to_dict(results: Results, readings: Readings) -> dict[str, object]:
    """All that the report says, without the matches."""
    plain = ("game", "title", "version", "preset", "rules", "players", "seed", "mode", "levels", "faults", "notes")
    return {
        **{name: getattr(results, name) for name in plain},
        "seconds": round(results.seconds, 1),
        **readings.to_dict(),
        "gates": [asdict(gate) for gate in results.gates],
        "bugs": [asdict(bug) for bug in results.bugs],
        "cells": [_cell_numbers(cell) for cell in _all_cells(results)],
    }


def _all_cells(results: Results) -> list[Cell]:
    return [*results.cells, *filter(None, [results.traced])]


def _cell_numbers(cell: Cell) -> dict[str, object]:
    return {
        "name": cell.name,
        "specs": list(cell.specs),
        "matches": len(cell.records),
        "wanted": cell.wanted,
        "aim": cell.aim,
        "traced": sum(replay.trace is not None for replay in cell.replays),
    }


# ------------------------------------------------------------------------------------------------ the page


def page(results: Results, readings: Readings) -> Page:
    game = load(results.game)
    films, roles = cast(results)
    projectors = {film.number: Projector(game, film) for film in films}
    sections = [
        Section("Verdict", [_lights(readings), *_stop(results)]),
        Section("Problems in the rules", _bugs(results.bugs, roles)),
        Section("Seats and skill", [*seats(results), *ladder(results)]),
        Section("Length", lengths(results)),
        Section("Three matches", _stories(list(projectors.values()))),
        Section("Actions", actions(results)),
        Section("Openings", _openings(game, results)),
        Section("Replays", _cinema(list(projectors.values()))),
        Section("Every number", [_table(readings, group) for group in GROUPS if readings.of(group)]),
        Section("How it was measured", _measured(results)),
        Section("What the numbers mean", glossary(dict.fromkeys(reading.key for reading in readings.found))),
    ]
    return Page(
        title=results.title,
        subtitle=f"Playtest · {results.players} players · {results.preset} rules · {results.mode}",
        lead=readings.summary(),
        tiles=[_tile(reading) for reading in readings.headlines()],
        sections=[section for section in sections if any(section.blocks)],
        footer=f"Made by `ludus playtest {results.game}`, seed {results.seed}; the same seed gives the same numbers. "
        "Brackets hold 95 % intervals. Every number speaks of the agents named beside it, and of people as far as they "
        "play alike.",
        style=boards.STYLE + STYLE,
        script=boards.SCRIPT,
    )


def _tile(reading: Reading) -> Tile:
    value, _, unit = reading.text.partition(" [")[0].partition(" ")
    if unit == "%":
        return Tile(f"{value} %", reading.name)
    return Tile(value, f"{reading.name}, in {unit}" if unit else reading.name)


def _lights(readings: Readings) -> str:
    return "<ul class=lights>" + "".join(_light(reading) for reading in readings.verdict()) + "</ul>"


def _light(reading: Reading) -> str:
    sign, meaning = LIGHTS[reading.light]
    return (
        f'<li class="{reading.light}"><span class=lamp role="img" aria-label="{meaning}">{sign}</span>'
        f"<div><b>{safe(reading.topic)}</b>{paragraph(reading.sentence)}</div></li>"
    )


def _stop(results: Results) -> list[str]:
    shut = [gate for gate in results.gates if not gate.is_open]
    words = "The playtest stopped after"
    return [paragraph(f"*{words} {gate.name} play.* {as_sentence(gate.sentence)}", "stop") for gate in shut]


def _bugs(bugs: Sequence[Bug], roles: Mapping[str, Film]) -> list[str]:
    rows = []
    for k, bug in enumerate(bugs):
        film = roles.get(f"bug {k}")
        link = f' <a href="{film.link(min(bug.ply, film.record.plies))}">See it happen.</a>' if film else ""
        rows.append(f'<li><span class="badge red">{safe(bug.kind)}</span> {safe(as_sentence(bug.sentence))}{link}</li>')
    return [f"<ul class=bugs>{''.join(rows)}</ul>"] if rows else []


def _stories(projectors: Sequence[Projector]) -> list[str]:
    told = [(projector, trace) for projector in projectors if (trace := projector.film.trace)]
    if not told:
        return []
    words = "Curves show what each seat could expect, seen by somebody who knows the whole state"
    words = f"{words}: the mean of {told[0][1].evaluator}, with bands of 95 %."
    return [paragraph(words), *(story(projector, trace) for projector, trace in told)]


def _openings(game: Game, results: Results) -> list[str]:
    words = "Matches of {} against itself. Boxes are as high as the line was frequent."
    cells = self_plays(results)[:1]
    return [block for cell in cells for block in (paragraph(words.format(cell.specs[0])), openings_chart(game, cell))]


def _cinema(projectors: Sequence[Projector]) -> list[str]:
    words = "Slide, use the arrow keys, or follow a link of this page. An address ending in `#replay-1-7` opens there."
    return [paragraph(words), *cinema(projectors)] if projectors else []


def _table(readings: Readings, group: str) -> str:
    """A line for each thing measured, under a sentence on each metric; several levels share a line."""
    metric_rows: dict[str, dict[str, list[Reading]]] = {}
    for reading in readings.of(group):
        metric_rows.setdefault(reading.key, {}).setdefault(reading.name, []).append(reading)
    bodies = "".join(_metric(key, rows) for key, rows in metric_rows.items())
    return f"<h3>{safe(group)}</h3><table class=numbers>{bodies}</table>"


def _metric(key: str, rows: Mapping[str, Sequence[Reading]]) -> str:
    about = f'{safe(metrics.EXPLAINED.get(key, ""))} <a href="#metric-{key}">How it is measured</a>'
    lines = "".join(_row(name, found) for name, found in rows.items())
    return f"<tbody><tr class=about><th colspan=2>{about}</th></tr>{lines}</tbody>"


def _row(name: str, found: Sequence[Reading]) -> str:
    lines = "".join(_measure(reading) for reading in found)
    return f"<tr><td>{safe(name)}</td><td>{lines}</td></tr>"


def _measure(reading: Reading) -> str:
    value, _, interval = reading.text.partition(" [")
    span = f" [{safe(interval)}" if interval else ""
    rests = " · ".join(filter(None, (f"{reading.n:,} games", reading.level, reading.evaluator)))
    beside = f"<div class=beside>{safe(reading.beside)}</div>" if reading.beside else ""
    return f"<div class=measure><b>{safe(value)}</b>{span} <span class=rests>{safe(rests)}</span>{beside}</div>"


def _measured(results: Results) -> list[str]:
    rules = ", ".join(f"{name} {value}" for name, value in results.rules.items()) or "no rule numbers"
    facts = [
        f"Game `{results.game}`, version {results.version}, {results.preset} rules ({rules}).",
        f"Seed {results.seed}; {results.seconds:,.0f} seconds of work.",
        *(as_sentence(f"after {gate.name} play: {gate.sentence}") for gate in results.gates),
    ]
    heads = "".join(f"<th>{head}</th>" for head in ("Who played", "Matches", "Wanted", "For a half-width of"))
    rows = "".join(
        f"<tr><td>{safe(cell.name)}</td><td data-label=Matches>{len(cell.records):,}</td>"
        f"<td data-label=Wanted>{cell.wanted:,}</td><td data-label=Half-width>{100 * cell.aim:.1f} points</td></tr>"
        for cell in _all_cells(results)
    )
    table = f"<table class=cells><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return [bullets([*facts, *map(as_sentence, [*results.notes, *results.faults])]), table]


STYLE = """
.lights,.bugs{list-style:none;padding:0;max-width:none}
.lights{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));gap:.7rem}
.lights li{display:flex;gap:.8rem;background:var(--sheet);border:1px solid var(--line);border-radius:10px}
.lights li{padding:.7rem .9rem;break-inside:avoid}
.lights p{margin:.15rem 0 0;font-size:.93rem;line-height:1.45}
.lamp{flex:none;width:1.9rem;height:1.9rem;border-radius:99px;line-height:1.9rem;text-align:center;font-weight:700}
.green .lamp{color:var(--good);background:var(--good-sheet)}
.amber .lamp{color:var(--warn);background:var(--warn-sheet)}
.red .lamp,.badge.red{color:var(--bad);background:var(--bad-sheet)}
.none .lamp{color:var(--none);background:var(--none-sheet)}
.lights .red{border-color:var(--bad)}
.stop{border-left:4px solid var(--bad);padding-left:.8rem}
.bugs li{margin:.5rem 0}
.numbers td{padding:.35rem 1rem .35rem 0}
.numbers td:nth-child(1){width:40%}
.numbers .about th{font-weight:400;padding:1rem 0 .35rem}
.numbers .measure{margin:0}
.rests,.beside{font-size:.8rem;color:var(--soft)}
.rests{margin-left:.6rem}
h4{margin:1rem 0 0}
h3{font-size:1.05rem;margin:1.6rem 0 .2rem}
details summary{cursor:pointer;color:var(--link);margin:.6rem 0}
@media screen and (max-width:48rem){
.numbers tbody{display:block;background:var(--sheet);border:1px solid var(--line);border-radius:10px}
.numbers tbody{margin:.8rem 0;padding:.5rem .9rem}
.numbers tr,.numbers .about th,.numbers td:nth-child(n){display:block;width:auto;border:0;background:none}
.numbers tr,.numbers .about th,.numbers td:nth-child(n){padding:.15rem 0;margin:.2rem 0}
.numbers td:nth-child(1){font-weight:600}
.rests{display:block;margin:0 0 .3rem}
}
@media print{.numbers tbody{break-inside:avoid}}
"""
