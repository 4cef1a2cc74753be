"""The page on the bot of Ziółko and Kruk: its words and charts. Numbers come from results and findings only."""

from __future__ import annotations

from ludus.papers.claims import Finding, Measure
from ludus.papers.draft import Draft
from ludus.papers.experiments import Measured
from ludus.papers.planet_wars.lineups import BOTH, EVEN, EXAMPLES, PARTS, READINGS, RULES, share
from ludus.papers.tables import ladder_table
from ludus.report.charts import Group, Line, bar_chart, line_chart
from ludus.report.page import Page, Section, paragraph, safe

COLUMNS = tuple(RULES[preset] for preset in BOTH)

# ------------------------------------------------------------------------------------------------ words

LEAD = """In 2010 some 4,600 programs fought for planets in the Google AI Challenge. One of them, 105th in the end, is
described in a paper: every turn it foresees all planets, then defends, snipes, attacks, expands and supplies its
front. The paper tells what each part is for, and gives no numbers. This page builds the bot from its text and
measures them."""

AGAINST = """The contest's kit came with five bots that foresee nothing. A bot of the upper ranks should hardly ever
lose to one of them."""

WORTH = """The bot with all its parts against the same bot without one. Where both are equally strong each takes half
of the points; what the whole takes beyond that is what the part is worth."""

OPEN = """The text can be read in more than one way in eleven places; its equation 5 even says the opposite of the
sentence before it. Each other reading plays against the usual one."""

CRITICISM = """The authors end with what they would do better. Two of these remarks can be put to the test with one
setting each."""

OURS = """The champion foresees as exactly, but has no rules for defence, sniping or supply. It judges every plan by
what all planets would be worth if both sides threw all their spare ships at each of them, weighs its drafts against
those that the rival may have, and plans attacks whose fleets land together."""

TYPICAL = """What share of all growth each player holds, turn by turn, in one match of each kind. The text below each
chart is the match as a replay string of the contest."""

FOOTER = """All intervals are 95 %; every map is played from both sides. Made by `ludus reproduce planet_wars`; the
same seed gives the same numbers."""

TITLES = {
    "dual": ("planner", "DualBot"),
    "self": ("planner", "planner, the other side"),
    "champion": ("champion", "planner"),
}

# ------------------------------------------------------------------------------------------------ the whole


def page(title: str, results: Measured, groups: dict[str, list[Finding]]) -> Page:
    draft = Draft(results, groups, COLUMNS)
    return draft.page(title, LEAD, draft.tiles(), sections(draft), FOOTER)


def sections(draft: Draft) -> list[Section]:
    chart, table = draft.drawn, draft.table
    return [
        Section("Against the example bots", [paragraph(AGAINST), chart(examples), table("examples")]),
        Section("What each part is worth", [paragraph(WORTH), chart(parts), table("parts")]),
        Section("Where the text can be read otherwise", [paragraph(OPEN), chart(readings), table("readings")]),
        Section("What the authors regret", [paragraph(CRITICISM), table("weaknesses", "rank")]),
        Section("Beyond the paper", [paragraph(OURS), chart(ladder), table("champion")]),
        Section("Typical matches", [paragraph(TYPICAL), chart(typical)]),
    ]


# ------------------------------------------------------------------------------------------------ charts


def both(results: Measured, label: str, name: str) -> Group:
    bars: list[Measure | None] = [share(results, name, preset, label) for preset in BOTH]
    return Group(label, bars)


def examples(results: Measured) -> str:
    groups = [both(results, name, f"example-{spec}") for spec, name in EXAMPLES.items()]
    return bar_chart("Points of the planner against the example bots", COLUMNS, groups, EVEN)


def parts(results: Measured) -> str:
    groups = [both(results, words, f"part-{part}") for part, words in PARTS.items()]
    return bar_chart("Points of the whole planner against one …", COLUMNS, groups, EVEN)


def readings(results: Measured) -> str:
    groups = [both(results, words, f"reading-{change}") for change, words in READINGS.items()]
    return bar_chart("Points of another reading against the usual one", COLUMNS, groups, EVEN)


def ladder(results: Measured) -> str:
    return ladder_table(results["ladder"])


def typical(results: Measured) -> str:
    found, drawn = results["typical"], []
    for key, names in TITLES.items():
        curves = found[key]
        lines = [
            Line(name, [(turn, both[player] / max(1, sum(both))) for turn, both in enumerate(zip(*curves["growth"]))])
            for player, name in enumerate(names)
        ]
        drawn.append(line_chart(f"{names[0]} and {names[1]}", "turn", lines, is_log=False, chance=EVEN))
        drawn.append(f"<details><summary>replay string</summary><pre>{safe(curves['playback'])}</pre></details>")
    return "".join(drawn)
