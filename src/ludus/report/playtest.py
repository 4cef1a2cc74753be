"""The playtest report: one page that a designer reads in five minutes, and the same as numbers.

The verdict comes first, then what it rests on, then every match worth looking at, then every number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from ludus.disk import write_whole
from ludus.measure.evidence import Lineup
from ludus.measure.metric import (
    CHOICES,
    GROUPS,
    LENGTH,
    RULES,
    SEATS,
    SKILL,
    TABLE,
    TENSION,
    Light,
    Reading,
    as_sentence,
)
from ludus.measure.metrics import metric
from ludus.measure.readings import COLOURS, Readings
from ludus.playtest.flaws import Flaw
from ludus.playtest.playtest import Playtest
from ludus.report import boards
from ludus.report.boards import Boards, Example, slideshows
from ludus.report.curves import curve
from ludus.report.examples import examples_of
from ludus.report.figures import actions_table, figures
from ludus.report.glossary import glossary
from ludus.report.minutes import SCRIPT as PACE
from ludus.report.minutes import STYLE as PACE_STYLE
from ludus.report.minutes import minutes
from ludus.report.openings import openings_chart
from ludus.report.page import Page, Section, Tile, bullets, paragraph, render, safe
from ludus.tuning.advice import Step


def write(playtest: Playtest, readings: Readings, folder: Path, advice: Sequence[Step] = ()) -> Path:
    """Write `report.html` and `report.json`; a reader never sees half of either. `advice` says what to change."""
    write_whole(folder / "report.json", json.dumps(to_dict(playtest, readings), indent=1, allow_nan=False))
    return write_whole(folder / "report.html", render(page(playtest, readings, advice)))


def to_dict(playtest: Playtest, readings: Readings) -> dict[str, object]:
    """All that the report says, without the matches."""
    plain = ("title", "preset", "rules", "players", "seed", "mode", "faults", "notes")
    return {
        "game": playtest.game.source,
        "version": playtest.game.facts.version,
        **{name: getattr(playtest, name) for name in plain},
        "levels": playtest.specs,
        "seconds": round(playtest.seconds, 1),
        **readings.to_dict(),
        "gates": [asdict(gate) for gate in playtest.gates],
        "flaws": [asdict(flaw) for flaw in playtest.flaws],
        "lineups": [_lineup_numbers(lineup) for lineup in _all_lineups(playtest)],
    }


def _all_lineups(playtest: Playtest) -> list[Lineup]:
    return [*playtest.lineups, *filter(None, [playtest.traced])]


def _lineup_numbers(lineup: Lineup) -> dict[str, object]:
    return {
        "name": lineup.name,
        "specs": list(lineup.specs),
        "matches": len(lineup.records),
        "wanted": lineup.wanted,
        "aim": lineup.aim,
        "traced": sum(replay.trace is not None for replay in lineup.replays),
    }


# ------------------------------------------------------------------------------------------------ the page


def page(playtest: Playtest, readings: Readings, advice: Sequence[Step] = ()) -> Page:
    examples, roles = examples_of(playtest)
    shown = [Boards(playtest.game, example) for example in examples]
    sections = [
        Section("Verdict", [_lights(readings), *_stop(playtest)]),
        Section("What to change", _advice(advice)),
        Section("Problems in the rules", _flaws(playtest.flaws, roles)),
        Section("Seats and skill", figures(playtest, SEATS, SKILL)),
        Section("Length", [*minutes(playtest), *figures(playtest, RULES, LENGTH)]),
        Section("Three matches", [*_curves(shown), *figures(playtest, TENSION, TABLE)]),
        Section("Actions", [*figures(playtest, CHOICES), *actions_table(playtest)]),
        Section("Openings", _openings(playtest)),
        Section("Replays", _slideshows(shown)),
        Section("Every number", [_table(readings, group) for group in GROUPS if readings.of(group)]),
        Section("How it was measured", _measured(playtest)),
        Section("What the numbers mean", glossary(dict.fromkeys(reading.metric for reading in readings.numbers))),
    ]
    return Page(
        title=playtest.title,
        subtitle=f"Playtest · {playtest.players} players · {playtest.preset} rules · {playtest.mode}",
        lead=readings.summary(),
        tiles=[_tile(reading) for reading in readings.headlines()],
        sections=[section for section in sections if any(section.blocks)],
        footer=f"Made by `ludus playtest {playtest.game.source}`, seed {playtest.seed}; the same seed gives the same "
        "numbers. Brackets hold 95 % intervals. Every number speaks of the agents named beside it, and of people as "
        "far as they play alike.",
        style=boards.STYLE + PACE_STYLE + STYLE,
        script=boards.SCRIPT + PACE,
    )


def _tile(reading: Reading) -> Tile:
    value, _, unit = reading.text.partition(" [")[0].partition(" ")
    if unit == "%":
        return Tile(f"{value} %", reading.name)
    return Tile(value, f"{reading.name}, in {unit}" if unit else reading.name)


def _lights(readings: Readings) -> str:
    return "<ul class=lights>" + "".join(_light(light) for light in readings.verdict()) + "</ul>"


def _light(light: Light) -> str:
    sign, meaning = COLOURS[light.colour]
    return (
        f'<li class="{light.colour}"><span class=lamp role="img" aria-label="{meaning}">{sign}</span>'
        f"<div><b>{safe(light.topic)}</b>{paragraph(light.sentence)}</div></li>"
    )


def _stop(playtest: Playtest) -> list[str]:
    shut = [gate for gate in playtest.gates if not gate.is_open]
    words = "The playtest stopped after"
    return [paragraph(f"*{words} {gate.name} play.* {as_sentence(gate.sentence)}", "stop") for gate in shut]


def _advice(advice: Sequence[Step]) -> list[str]:
    words = "One step of each rule, on the same seeds; ranked by how much of the red lights it takes away."
    return [paragraph(words), bullets(as_sentence(step.sentence) for step in advice[:8])] if advice else []


def _flaws(flaws: Sequence[Flaw], roles: Mapping[str, Example]) -> list[str]:
    rows = []
    for k, flaw in enumerate(flaws):
        example = roles.get(f"flaw {k}")
        link = f' <a href="{example.link(min(flaw.ply, example.record.plies))}">See it happen.</a>' if example else ""
        rows.append(
            f'<li><span class="badge red">{safe(flaw.kind)}</span> {safe(as_sentence(flaw.sentence))}{link}</li>'
        )
    return [f"<ul class=flaws>{''.join(rows)}</ul>"] if rows else []


def _curves(shown: Sequence[Boards]) -> list[str]:
    told = [(one, trace) for one in shown if (trace := one.example.trace)]
    if not told:
        return []
    words = "Curves show what each seat could expect, seen by somebody who knows the whole state"
    words = f"{words}: the mean of {told[0][1].evaluator}, with bands of 95 %."
    return [paragraph(words), *(curve(one, trace) for one, trace in told)]


def _openings(playtest: Playtest) -> list[str]:
    words = "Matches of {} against itself. Boxes are as high as the line was frequent."
    return [
        block
        for lineup in playtest.judged()
        for block in (paragraph(words.format(lineup.specs[0])), openings_chart(playtest.game, lineup))
    ]


def _slideshows(shown: Sequence[Boards]) -> list[str]:
    words = "Slide, use the arrow keys, or follow a link of this page. An address ending in `#replay-1-7` opens there."
    return [paragraph(words), *slideshows(shown)] if shown else []


def _table(readings: Readings, group: str) -> str:
    """A line for each thing measured, under a sentence on each metric; several levels share a line."""
    metric_rows: dict[str, dict[str, list[Reading]]] = {}
    for reading in readings.of(group):
        metric_rows.setdefault(reading.metric, {}).setdefault(reading.name, []).append(reading)
    bodies = "".join(_metric(name, rows) for name, rows in metric_rows.items())
    return f"<h3>{safe(group)}</h3><table class=numbers>{bodies}</table>"


def _metric(key: str, rows: Mapping[str, Sequence[Reading]]) -> str:
    about = f'{safe(metric(key).what)} <a href="#metric-{key}">How it is measured</a>'
    lines = "".join(_row(name, found) for name, found in rows.items())
    return f"<tbody><tr class=about><th colspan=2>{about}</th></tr>{lines}</tbody>"


def _row(name: str, found: Sequence[Reading]) -> str:
    lines = "".join(_measure(reading) for reading in found)
    return f"<tr><td>{safe(name)}</td><td>{lines}</td></tr>"


def _measure(reading: Reading) -> str:
    value, _, interval = reading.text.partition(" [")
    span = f" [{safe(interval)}" if interval else ""
    rests = " · ".join(filter(None, (f"{reading.found.n:,} games", reading.level, reading.evaluator)))
    beside = f"<div class=beside>{safe(reading.beside)}</div>" if reading.beside else ""
    return f"<div class=measure><b>{safe(value)}</b>{span} <span class=rests>{safe(rests)}</span>{beside}</div>"


def _measured(playtest: Playtest) -> list[str]:
    rules = ", ".join(f"{name} {value}" for name, value in playtest.rules.items()) or "no rule numbers"
    facts = [
        f"Game `{playtest.game.source}`, version {playtest.game.facts.version}, {playtest.preset} rules ({rules}).",
        f"Seed {playtest.seed}; {playtest.seconds:,.0f} seconds of work.",
        *(as_sentence(f"after {gate.name} play: {gate.sentence}") for gate in playtest.gates),
    ]
    heads = "".join(f"<th>{head}</th>" for head in ("Who played", "Matches", "Wanted", "For a half-width of"))
    rows = "".join(
        f"<tr><td>{safe(lineup.name)}</td><td data-label=Matches>{len(lineup.records):,}</td>"
        f"<td data-label=Wanted>{lineup.wanted:,}</td><td data-label=Half-width>{100 * lineup.aim:.1f} points</td></tr>"
        for lineup in _all_lineups(playtest)
    )
    table = f"<table class=cells><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return [bullets([*facts, *map(as_sentence, [*playtest.notes, *playtest.faults])]), table]


STYLE = """
.lights,.flaws{list-style:none;padding:0;max-width:none}
.lights{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));gap:.7rem}
.lights li{display:flex;gap:.8rem;background:var(--sheet);border:1px solid var(--line);border-radius:10px}
.lights li{padding:.7rem .9rem;break-inside:avoid}
.lights p{margin:.15rem 0 0;font-size:.93rem;line-height:1.45}
.lamp{flex:none;width:1.9rem;height:1.9rem;border-radius:99px;line-height:1.9rem;text-align:center;font-weight:700}
.green .lamp{color:var(--good);background:var(--good-sheet)}
.amber .lamp{color:var(--warn);background:var(--warn-sheet)}
.red .lamp,.badge.red{color:var(--bad);background:var(--bad-sheet)}
.unsure .lamp{color:var(--none);background:none;border:1.5px dashed var(--none);line-height:1.7rem}
.unsure p{color:var(--soft)}
.lights .red{border-color:var(--bad)}
.stop{border-left:4px solid var(--bad);padding-left:.8rem}
.flaws li{margin:.5rem 0}
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
