"""The page on the Thrones paper: its words, tables and charts. Numbers come from results and findings only."""

from __future__ import annotations

from ludus.papers.claims import Finding
from ludus.papers.draft import Draft
from ludus.papers.experiments import Measured
from ludus.papers.tables import cells_table
from ludus.papers.thrones import judgements
from ludus.papers.thrones.duels import BOTH, FAVOURED, RULES, SEATS, rate
from ludus.papers.thrones.lineups import BOTS, MOMENTS, SEEDS, SEVEN
from ludus.report.charts import Group, Line, bar_chart, line_chart
from ludus.report.page import Page, Section, paragraph, safe

COLUMNS = tuple(RULES[preset] for preset in BOTH)
HOW = {
    "head": "a head taken", "trail": "a trail cut", "enclosed": "an enclosure", "blunder": "a blunder",
    "walker": "a walker", "area": "half of the land", "rounds": "the last round",
}  # fmt: skip

WRAPPED = ".cells .dim{display:block;white-space:normal}\n"
"""Five columns of intervals fit where each has its own line."""

# ------------------------------------------------------------------------------------------------ words

LEAD = """Thrones is a territory game from a course at Brown University. A paper describes two bots for it: one with a
heuristic made by hand, one whose heuristic is a small network that evolution trained. It plays five matches a cell.
This page plays more, says which of the published cells hold, and explains most of what it sees by one law about
parity."""

TABLE = """Each cell is what the bot won from one seat against one rival; below it the published number, with the
interval that five matches allow. The weights of bot 1 and the network of bot 2 were never published: ours were found
by evolution, bot 2's by the published scheme. The two assistants' bots exist in compiled form only; TA1 and TA2 are
substitutes, so their columns can be compared in direction alone. As in the course's own runner a player keeps its
corner, the top left one, and who moves first alternates."""

PARITY = """Every move changes the distance between the two heads by one step. So on one player's turns it is always
odd, on the other's always even, and only the former can ever step onto the other's head. In the small room that is
the second player, in the large one the first. Without walkers it even does so by force: with each step it makes the
larger of the two distances, in rows and in columns, smaller, and the other runs out of room. Whoever is hunted lives
by the hunter's mistakes: between equals the seat decides."""

DECIDES = """How the matches of both bots ended. Kills are heads taken, trails cut, enclosures and blunders."""

LAND = """The share of the winning area that each bot holds after some rounds against TA2."""

EVOLUTION = """Sixteen children of one parent: four copies, eight near mutants, four far ones; the best by land and,
if it won all, a bonus, is the next parent. Rewards of the best of each generation, as a share of the highest seen."""

LADDER = """The five rivals against each other, beside an independent program of the same specification: this is the
ruler by which everything else is measured."""

READINGS = """What the text leaves open: walkers that move at random, as it says, or bounce, as the program does;
walls that enclose; a limit of 200 rounds."""

OURS = """The champion sweeps in loops as large as the enemy's distance allows and searches every fight with the
referee's own transition, walkers included. From the seat that can take heads it hunts; from the other it keeps
away, for as long as it can."""

FOOTER = """All intervals are 95 %. Made by `ludus reproduce thrones`; the same seed gives the same numbers."""

# ------------------------------------------------------------------------------------------------ the whole


def page(title: str, results: Measured, groups: dict[str, list[Finding]]) -> Page:
    draft = Draft(results, groups, COLUMNS)
    return draft.page(title, LEAD, draft.tiles(), sections(draft), FOOTER, WRAPPED)


def sections(draft: Draft) -> list[Section]:
    drawn, table = draft.drawn, draft.table
    return [
        Section("The published table", [paragraph(TABLE), drawn(published), table("table")]),
        Section("What the paper says", [table("claims", "costs")]),
        Section("The seat, and why", [paragraph(PARITY), table("seats")]),
        Section("What decides", [paragraph(DECIDES), drawn(decides)]),
        Section("Land by round", [paragraph(LAND), drawn(land)]),
        Section("Evolution", [paragraph(EVOLUTION), drawn(evolution), table("evolution")]),
        Section("The rivals", [paragraph(LADDER), drawn(ladder), table("ladder")]),
        Section("Where the text can be read otherwise", [paragraph(READINGS), table("readings")]),
        Section("Beyond the paper", [paragraph(OURS), drawn(champion), table("champion")]),
    ]


# ------------------------------------------------------------------------------------------------ tables and charts


def published(results: Measured) -> str:
    return "".join(
        f"<h3>{safe(RULES[preset])}</h3>"
        + cells_table("bot, seat", {row: cells for bot in BOTS
                                    for row, cells in judgements.published_cells(results, bot, preset).items()})
        for preset in BOTH
    )  # fmt: skip


def ladder(results: Measured) -> str:
    return "".join(
        f"<h3>{safe(RULES[preset])}</h3>" + cells_table("player, seat", judgements.known_cells(results, preset))
        for preset in BOTH
    )


def decides(results: Measured) -> str:
    counts = [judgements.endings(results, preset) for preset in BOTH]
    rows = "".join(
        f"<tr><td>{words}</td>"
        + "".join(f"<td>{100 * one.get(how, 0) / max(1, sum(one.values())):.1f} %</td>" for one in counts)
        + "</tr>"
        for how, words in HOW.items()
    )
    head = "".join(f"<th>{safe(name)}</th>" for name in ("decided by", *COLUMNS))
    return f"<table class=ladder><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def land(results: Measured) -> str:
    charts = []
    for preset in BOTH:
        lines = []
        for bot in BOTS:
            points = [(rounds, judgements.land(results, bot, preset, rounds)) for rounds in MOMENTS]
            lines.append(Line(bot, [(x, one.value) for x, one in points]))
        charts.append(line_chart(f"Land against TA2, {RULES[preset]}", "rounds", lines))
    return "".join(charts)


def evolution(results: Measured) -> str:
    rows = [results[f"evolution-{k}"]["rows"] for k in range(SEEDS)]
    low, high = min(row["best"] for one in rows for row in one), max(row["best"] for one in rows for row in one)
    lines = [
        Line(f"seed {k + 1}", [(n + 1, (row["best"] - low) / max(high - low, 1e-9)) for n, row in enumerate(one)])
        for k, one in enumerate(rows)
    ]
    return line_chart(f"Best reward, from {low:,.0f} to {high:,.0f}", "generation", lines, is_log=False)


def champion(results: Measured) -> str:
    charts = []
    for preset in BOTH:
        groups = [
            Group(name, [rate(results, f"champion-{preset}-{name}", seat, SEATS[seat]) for seat in (0, 1)])
            for name in SEVEN
        ]
        title = f"Points of the champion, {RULES[preset]} (parity favours the {SEATS[FAVOURED[preset]]})"
        charts.append(bar_chart(title, SEATS, groups, 0.5))
    return "".join(charts)
