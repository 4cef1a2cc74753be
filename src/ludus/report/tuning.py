"""The page of a tuning: what was found, what pulls against what, what each rule does, and how to play the winner."""

from __future__ import annotations

import json
import math
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ludus.arena.statistics import Interval
from ludus.catalogue import load
from ludus.disk import finite, write_whole
from ludus.handicaps import SUFFIX
from ludus.measure.readings import COLOURS, COUNTED
from ludus.report import comparison
from ludus.report.charts import FOOT, PLOT_HEIGHT, Axis, Bar, Group, dot_chart, figure, round_step
from ludus.report.page import Page, Section, Tile, bullets, paragraph, render, safe
from ludus.tuning.confirm import CONFIDENCE, Confirmed
from ludus.tuning.effects import effects, front, level_of, pulls
from ludus.tuning.gates import Candidate
from ludus.tuning.ranges import key_of
from ludus.tuning.targets import Target
from ludus.tuning.tune import Order, Tuned

SIGNS = {"met": ("✓", "green"), "open": ("?", "unsure"), "missed": ("✕", "red")}
MOST_CHARTS = 3
GATES = """A candidate climbs from gate to gate: what the rules object to, random play, then each level of search. At a
gate it is dropped as soon as an interval of three standard errors says that a target cannot be met; weaker search must
miss by half the range and more. All candidates play the same seeds."""
FRESH = """The best were measured again on seeds that the search never saw. {tried} rule sets were tried; whoever picks
the best of so many picks luck as well, so only the fresh matches count here, and their intervals hold for all {several}
rule sets together with {percent} % confidence. *Winner* is said only of a rule set each of whose intervals lies inside
its range at every strength, and which surely does something that today's rules do not."""


def write(tuned: Tuned) -> Path:
    """Write `tune.json`, `tune.html`, the page of the comparison, and the winner as a game of its own."""
    folder = tuned.folder
    write_whole(folder / "tune.json", json.dumps(finite(tuned.to_dict()), indent=1))
    if tuned.compared is not None:
        comparison.write(tuned.compared, folder / "compare")
    if tuned.best:
        write_whole(folder / GAME, _game(tuned, tuned.best[0]))
    return write_whole(folder / "tune.html", render(page(tuned)))


GAME = "tuned.py"


def _game(tuned: Tuned, one: Confirmed) -> str:
    """A game file: today's game with the numbers that were found as its defaults."""
    game = tuned.order.game
    title, about = game.facts.title, "as tuned: " + key_of(one.values)
    return (
        f'"""{title}, {about}."""\n\nfrom ludus.catalogue import load\nfrom ludus.handicaps import variant\n\n'
        f"globals().update(variant(load({game.source!r}), {tuned.rules(one)!r}))\n"
    )


def page(tuned: Tuned) -> Page:
    order = tuned.order
    sections = [
        Section("The best beside today's rules", [_best(tuned), *_open_ones(tuned)]),
        Section("Play it", _play(tuned)),
        Section("What the change changes", _compared(tuned)),
        Section("What pulls against what", _front(tuned)),
        Section("What each rule does", _effects(tuned)),
        Section("How it was found", _method(tuned)),
    ]
    winner = tuned.winner
    ranges = ", ".join(one.text for one in order.ranges)
    return Page(
        title=f"{order.game.facts.title}: rules that tune themselves",
        subtitle=f"Tuning · {order.players} players · {order.preset} rules · {ranges}",
        lead=" ".join(tuned.sentences),
        tiles=[
            Tile(f"{len(tuned.candidates):,}", "rule sets tried"),
            Tile(f"{len(tuned.passed):,}", "climbed all gates"),
            Tile(f"{len(tuned.best)}", "confirmed on fresh seeds"),
            Tile("yes" if winner else "no", "a winner, after correction for all that were confirmed"),
        ],
        sections=[section for section in sections if any(section.blocks)],
        footer=f"Made by `ludus tune` in {tuned.seconds / 60:,.0f} minutes of work. Brackets hold intervals.",
        style=STYLE,
    )


# ------------------------------------------------------------------------------------------------ the best


def _best(tuned: Tuned) -> str:
    """A column a rule set, a row a target at a strength."""
    shown = [tuned.today, *tuned.best[:5]]
    heads = "".join(f"<th>{_head(tuned, one)}</th>" for one in shown)
    rows = [_rule_row(tuned, name.name, shown) for name in tuned.order.ranges]
    for target in tuned.order.targets:
        for level in tuned.order.agents[-2:]:
            cells = [_cell(target, one.found.get(level, {}).get(target.text)) for one in shown]
            if any(cells):
                rows.append(_row(f"{safe(target.text)}<span class=label>{safe(level)}</span>", cells))
    rows.append(_row("Verdict lights", [_lights(one) for one in shown]))
    rows.append(_row("Full playtest", [_playtest(tuned, one) for one in shown]))
    return f"<table class=sets><thead><tr><th></th>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _head(tuned: Tuned, one: Confirmed) -> str:
    if one is tuned.today:
        return "Today"
    place = 1 + tuned.best.index(one)
    badge = ' <span class="badge green">winner</span>' if one in tuned.winners else ""
    return f"{place}{badge}"


def _rule_row(tuned: Tuned, name: str, shown: Sequence[Confirmed]) -> str:
    values = [str(one.values.get(name, tuned.order.start[name])) for one in shown]
    changed = [f"<b>{safe(v)}</b>" if v != values[0] else safe(v) for v in values]
    return _row(f"<code>{safe(name)}</code>", changed)


def _row(head: str, cells: Sequence[str]) -> str:
    return f"<tr><td>{head}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _cell(target: Target, found: Interval | None) -> str:
    if found is None:
        return ""
    value, _, interval = target.show(found).partition(" [")
    span = f"<span class=dim>[{safe(interval)}</span>" if interval else ""
    if target.aim:
        return f"<b>{safe(value)}</b> {span}"
    sign, kind = SIGNS[target.verdict(found)]
    return f'<span class="sign-{kind}" title="{target.verdict(found)}">{sign}</span> <b>{safe(value)}</b> {span}'


def _lights(one: Confirmed) -> str:
    colours = Counter(light.colour for light in one.lights)
    counts = [
        f'<span class="sign-{colour}" title="{COLOURS[colour][1]}">{COLOURS[colour][0]} {colours[colour]}</span>'
        for colour in COUNTED
        if colours[colour]
    ]
    worst = [light for light in one.lights if light.colour in ("red", "amber")][:3]
    words = "".join(
        f"<span class=why>{safe(light.topic)}: {safe(light.sentence.replace('*', ''))}</span>" for light in worst
    )
    return " ".join(counts) + words


def _playtest(tuned: Tuned, one: Confirmed) -> str:
    if one.key in tuned.playtests:
        link = tuned.playtests[one.key].relative_to(tuned.folder)
        return f'<a href="{safe(str(link))}">its page</a>'
    return f"<code>{safe(_command(tuned, 'playtest', one))}</code>"


def _command(tuned: Tuned, command: str, one: Confirmed) -> str:
    changes = [f"--rule {shlex.quote(f'{name}={value}')}" for name, value in tuned.rules(one).items()]
    return " ".join([f"ludus {command} {tuned.order.game.source}", *changes])


def _open_ones(tuned: Tuned) -> list[str]:
    """What it would take, where a range is neither met nor missed."""
    if tuned.winner or not tuned.best:
        return []
    one = tuned.best[0]
    words = [
        f"`{target.text}` is open for the best rule set: its interval lies on both sides of a bound. "
        f"About {_enough(target, found):,} fresh matches would tell: `--fresh`."
        for target in tuned.order.targets
        if not target.aim and (found := one.top.get(target.text)) and target.verdict(found) == "open"
    ]
    return [bullets(words)] if words else []


def _enough(target: Target, found: Interval) -> int:
    """Intervals shrink with the root of the number of matches."""
    reach = max(found.high - found.value, found.value - found.low)
    room = max(min(abs(found.value - target.low), abs(target.high - found.value)), target.scale / 20)
    return 100 * round(max(1.2, (reach / room) ** 2) * found.n / 100)


def _play(tuned: Tuned) -> list[str]:
    if not tuned.best:
        return []
    one = tuned.best[0]
    which = "The winner" if tuned.winner else "The best so far"
    return [
        paragraph(f"{which} in the browser, with these rules as its own:"),
        f"<pre>{safe(f'ludus serve --game {tuned.folder / GAME}')}</pre>",
        paragraph("Against an agent in the terminal:"),
        f"<pre>{safe(_command(tuned, 'play', one))} --against {safe(tuned.order.agents[-1])}</pre>",
        *_preset(tuned, one),
    ]


def _preset(tuned: Tuned, one: Confirmed) -> list[str]:
    """What the game itself can be told; handicaps are not its own."""
    source, rules = tuned.order.game.source, tuned.rules(one)
    own = load(source.removesuffix(SUFFIX)).params.declared
    pasted = ", ".join(f"{name!r}: {value!r}" for name, value in rules.items() if name in own)
    line = f"    'tuned': {{{pasted}}},"
    found = [paragraph("As a preset, to paste into the game's `PRESETS`:"), f"<pre>{safe(line)}</pre>"]
    added = " ".join(f"--rule {name}={value}" for name, value in rules.items() if name not in own)
    if added:
        rest = f"`ludus play {source} --preset tuned {added}`" if pasted else f"`ludus play {source} {added}`"
        found.append(paragraph(f"The game itself knows nothing of handicaps; with them: {rest}."))
    return found if pasted else found[2:]


def _compared(tuned: Tuned) -> list[str]:
    if tuned.compared is None or not tuned.compared.levels:
        return []
    words = "Today's rules (A) and the best rule set (B) on the same seeds, pair by pair."
    link = '<p><a href="compare/compare.html">Every number of the comparison</a></p>'
    return [paragraph(words), bullets(tuned.compared.sentences), link]


# ------------------------------------------------------------------------------------------------ what moves what


def _front(tuned: Tuned) -> list[str]:
    targets = tuned.order.targets
    if len(targets) < 2:
        return []
    found = pulls(tuned.candidates, targets)
    best = front(tuned.candidates, targets)
    sure = [one.sentence for one in found if one.is_sure]
    others = "No two targets" if not sure else "Of the others no two"
    words = [*sure, f"{others} surely help or hurt each other."] if len(sure) < len(found) else sure
    dots = "Each dot is a rule set; filled ones are the front, which no other beats without losing elsewhere."
    opposed = sorted(found, key=lambda one: (not (one.one.aim or one.other.aim), one.correlation.value))
    charts = [_scatter(tuned.candidates, best, one.one, one.other) for one in opposed[:MOST_CHARTS]]
    return [bullets(words), paragraph(dots), *filter(None, charts)] if found else []


def _scatter(candidates: Sequence[Candidate], best: Sequence[Candidate], one: Target, other: Target) -> str:
    dots = [
        (c, c.last[one.text].value, c.last[other.text].value) for c in candidates if {one.text, other.text} <= {*c.last}
    ]
    if len(dots) < 2:
        return ""
    across, up = _axis([x for _, x, _ in dots], one, 8.0, 97.0), _axis([y for _, _, y in dots], other, PLOT_HEIGHT, 10)
    band = _band(across, up, one, other)
    circles = "".join(
        f'<circle class="{"s0" if c in best else "s0 hollow"}" cx="{across.at(x)}%" cy="{up.at(y)}" r="5">'
        f"<title>{safe(key_of(c.values))}: {one.number(x)}, {other.number(y)}</title></circle>"
        for c, x, y in dots
    )
    grid = "".join(
        f'<line class=grid x1="{across.at(x)}%" x2="{across.at(x)}%" y1="10" y2="{PLOT_HEIGHT}"/>'
        f'<text class=tick x="{across.at(x)}%" y="{PLOT_HEIGHT + 16}" text-anchor="middle">{x:g}</text>'
        for x in _ticks(across)
    ) + "".join(
        f'<line class=grid x1="8%" x2="97%" y1="{up.at(y)}" y2="{up.at(y)}"/>'
        f'<text class=tick x="7%" y="{up.at(y) + 4}" text-anchor="end">{y:g}</text>'
        for y in _ticks(up)
    )
    drawing = f'<svg class=chart width="100%" height="{PLOT_HEIGHT + FOOT}" role="img">{band}{grid}{circles}</svg>'
    title = f"{_with_unit(other)} up, {_with_unit(one)} across; wanted is the grey"
    return figure(title, drawing, [])


def _with_unit(target: Target) -> str:
    return f"{target.name}{f' in {unit}' if (unit := target.unit.words.strip()) else ''}"


def _ticks(axis: Axis) -> list[float]:
    """Round numbers along an axis, three to seven of them."""
    step = round_step((axis.high - axis.low) / 3)
    return [round(k * step, 9) for k in range(math.ceil(axis.low / step), math.floor(axis.high / step) + 1)]


def _axis(values: Sequence[float], target: Target, start: float, end: float) -> Axis:
    bounds = [bound for bound in (target.low, target.high) if abs(bound) != float("inf")]
    low, high = min([*values, *bounds]), max([*values, *bounds])
    room = 0.08 * (high - low) or 1.0
    return Axis(low - room, high + room, start, end)


def _band(across: Axis, up: Axis, one: Target, other: Target) -> str:
    left, right = across.at(one.low), across.at(one.high)
    top, bottom = up.at(other.high), up.at(other.low)
    return f'<rect class=rest x="{left}%" y="{top}" width="{right - left:.3f}%" height="{bottom - top:.1f}"/>'


def _effects(tuned: Tuned) -> list[str]:
    found = effects(tuned.candidates, tuned.order.ranges, tuned.order.targets)
    blocks = []
    for target in tuned.order.targets:
        own = [one for one in found if one.target is target]
        if own:
            level = level_of(tuned.candidates, target)
            groups = [Group(one.label, [Bar(one.label, _hundredth(one.found))]) for one in own]
            title = f"{_with_unit(target)}: what one step of each rule adds ({level}, {own[0].found.n} rule sets)"
            blocks.append(dot_chart(title, ["effect"], groups))
    words = "All rules at once, by a straight line through all rule sets; where an interval holds 0 nobody can tell."
    return [paragraph(words), *blocks] if blocks else []


def _hundredth(found: Interval) -> Interval:
    """The chart prints hundredths."""
    return Interval(found.value / 100, found.low / 100, found.high / 100, found.n)


# ------------------------------------------------------------------------------------------------ how


def _method(tuned: Tuned) -> list[str]:
    order = tuned.order
    dropped = Counter(one.dropped for one in tuned.candidates if one.dropped)
    names = {"objection": "an objection of the rules", "random": "random play"}
    lost = [f"{names.get(gate, gate)} dropped {count:,}" for gate, count in dropped.items()]
    fresh = FRESH.format(tried=len(tuned.candidates), several=order.best, percent=round(100 * CONFIDENCE))
    searched = "NSGA-II" if sum(bool(one.aim) for one in order.targets) > 1 else "TPE"
    facts = [
        f"Targets: {'; '.join(f'`{one.text}`' for one in order.targets)}.",
        f"Levels of play: {', '.join(f'`{spec}`' for spec in order.agents)}; {order.matches:,} matches at a gate, "
        f"{order.fresh:,} fresh ones at each of the two strongest levels.",
        f"Candidates were drawn by Optuna ({searched}); its study is `study.log`, which `optuna-dashboard` opens.",
        f"Of {len(tuned.candidates):,} candidates {', '.join(lost) or 'none was dropped'}.",
    ]
    again = paragraph("The same command gives the same page, and goes on where it was killed:")
    return [paragraph(GATES), paragraph(fresh), bullets(facts), again, f"<pre>{safe(_order(order))}</pre>", _all(tuned)]


def _order(order: Order) -> str:
    """The whole command."""
    rules = [*(one.text for one in order.ranges), *(f"{name}={value}" for name, value in order.fixed.items())]
    words = ["ludus tune", order.game.source.removesuffix(SUFFIX), f"--preset {order.preset}"]
    words += [f"--rule {shlex.quote(rule)}" for rule in rules]
    words += [f"--target {shlex.quote(one.text)}" for one in order.targets]
    words += [f"--agent {shlex.quote(spec)}" for spec in order.agents]
    budget = "candidates" if order.candidates else "minutes"
    numbers = (budget, "matches", "fresh", "best", "players", "seed")
    return " ".join([*words, *(f"--{name} {getattr(order, name):g}" for name in numbers)])


def _all(tuned: Tuned) -> str:
    rows = "".join(
        f"<tr><td>{safe(key_of(one.values))}</td><td>{safe(one.dropped or 'passed')}</td>"
        f"<td>{safe(one.reason)}</td></tr>"
        for one in tuned.candidates
    )
    heads = "<tr><th>Rule set</th><th>Dropped at</th><th>Why</th></tr>"
    table = f"<table><thead>{heads}</thead><tbody>{rows}</tbody></table>"
    return f"<details><summary>All {len(tuned.candidates):,} rule sets</summary>{table}</details>"


STYLE = """
.sets{table-layout:fixed}
.sets td,.sets th{padding:.5rem .8rem .5rem 0;overflow-wrap:break-word}
.sets .dim{display:block}
.sets th:first-child{width:14.5rem}
.sets td:first-child{font-weight:600}
.sets code{word-break:break-all}
.sign-green{color:var(--good);font-weight:700}
.sign-red{color:var(--bad);font-weight:700}
.sign-amber{color:var(--warn);font-weight:700}
.sign-unsure{color:var(--none);font-weight:700}
.badge.green{color:var(--good);background:var(--good-sheet)}
.hollow{fill:none;stroke:var(--s0);stroke-width:1.5}
pre{background:var(--none-sheet);border-radius:8px;padding:.7rem .9rem;white-space:pre-wrap}
details summary{cursor:pointer;color:var(--link)}
"""
