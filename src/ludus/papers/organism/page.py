"""The page on the Organism paper: its words and charts. Numbers come from results and findings only."""

from __future__ import annotations

from ludus.papers.claims import Finding
from ludus.papers.draft import Draft
from ludus.papers.experiments import Measured, Unmeasured
from ludus.papers.organism.judgements import after
from ludus.papers.organism.lineups import (
    BOTH,
    BUDGETS,
    OUR_BUDGETS,
    PAPER,
    RULES,
    SMALL,
    WIDTH,
    first_share,
    trained,
    training_rows,
)
from ludus.papers.organism.openings import STYLE, pictures
from ludus.papers.tables import curve
from ludus.report.charts import Line, line_chart
from ludus.report.page import Page, Section, paragraph

COLUMNS = tuple(RULES[preset] for preset in BOTH)
EVEN = 0.5
LIMIT = 60  # turns

# ------------------------------------------------------------------------------------------------ words

LEAD = """Organism is a board game that its designer had not finished. In 2019 two authors let a small AlphaZero learn
it, and asked its play whether the rules are fair. This page runs their protocol again from several seeds, and asks the
same question of players of every strength."""

LEARNING = f"""Each line is a training from another first network: 100 matches of self-play, ten epochs, a gate of 40
matches that the new network must win by 60 %; a quick reproduction has {SMALL["games"]}, {SMALL["epochs"]} and
{SMALL["gate"]}, and {SMALL["width"]} channels instead of {WIDTH}. The share of matches that a player ended by
destroying his own organism, by the network that played them."""

STYLE_WORDS = """What the fifth network's matches look like."""

OPENINGS = """How matches begin at each strength, under the rules of the paper: the most common first turn, the most
common answer to it, and so on."""

FAIR = """The paper found that the first player wins seven of ten, and took it for a flaw of the rules. It is a share
of matches by one agent. Here is the same share for the networks of the training, and for searches that play themselves
with more and more simulations; draws are left out."""

LATER = """Training stopped because nothing got better. Later networks against that of the fifth iteration, turns drawn
by visits so that no two matches are the same."""

PACE = """The published agent took about half a minute a move. Here all positions that a roll-out opens are valued in
one batch, on one core. A network that was trained has more turns to choose from than one that knows nothing. How long
the matches are, in turns of organisms."""

OURS = """A network with a policy that chooses one decision after the other instead of whole turns."""

FOOTER = """All intervals are 95 %. Made by `ludus reproduce organism`; the same seed gives the same numbers, but for
networks that a GPU trained."""

# ------------------------------------------------------------------------------------------------ the whole


def page(title: str, results: Measured, groups: dict[str, list[Finding]]) -> Page:
    draft = Draft(results, groups, COLUMNS)
    tiles = draft.tiles(played_in_training(results))
    return draft.page(title, LEAD, tiles, sections(draft), FOOTER, STYLE)


def played_in_training(results: Measured) -> int:
    """Matches of self-play and of the gates."""
    logs = (result.get("rows", ()) for result in results.found.values())
    return int(sum(row["matches"] + row["decided"] for rows in logs for row in rows))


def sections(draft: Draft) -> list[Section]:
    drawn, table = draft.drawn, draft.table
    return [
        Section("Learning not to die", [paragraph(LEARNING), drawn(suicides), drawn(lengths), table("learning")]),
        Section("How it plays", [paragraph(STYLE_WORDS), table("style"), paragraph(OPENINGS), drawn(openings)]),
        Section(
            "Whom the rules favour",
            [paragraph(FAIR), drawn(by_iteration), drawn(by_network), drawn(by_search), table("fairness")],
        ),
        Section("The plateau", [paragraph(LATER), table("plateau")]),
        Section("Pace and length", [paragraph(PACE), table("pace")]),
        Section("Beyond the paper", [paragraph(OURS), table("ours")]),
    ]


# ------------------------------------------------------------------------------------------------ charts


def suicides(results: Measured) -> str:
    lines = [
        Line(f"seed {k}", [(n, row["suicides"]) for n, row in enumerate(rows)])
        for k, rows in enumerate(training_rows(results, PAPER), 1)
    ]
    return line_chart("Matches that a player ended by dying out", "iterations learnt", lines, is_log=False)


def lengths(results: Measured) -> str:
    lines = [
        Line(f"seed {k}", [(n, row["turns"] / LIMIT) for n, row in enumerate(rows)])
        for k, rows in enumerate(training_rows(results, PAPER), 1)
    ]
    return line_chart(f"Length of matches, as a share of {LIMIT} turns", "iterations learnt", lines, is_log=False)


def by_iteration(results: Measured) -> str:
    """All matches of self-play, of all seeds together."""
    lines = []
    for preset in trained(results):
        numbers = range(min(map(len, training_rows(results, preset))))
        lines.append(curve(RULES[preset], {float(n): after(results, "first", n, preset) for n in numbers}))
    return line_chart("First player's share, self-play", "iterations learnt", lines, is_log=False, chance=EVEN)


def openings(results: Measured) -> str:
    searches = {f"mcts {sims:,}": f"Search, {sims:,} roll-outs" for sims in (25, 100, 1600)}
    names = {"random": "Random play", **searches, "ours 0": "Our network alone",
             "ours 256": "Our network, 256 simulations"}  # fmt: skip
    shown = {words: results.found.get(f"fairness-{PAPER}-{name}") for name, words in names.items()}
    theirs = results.found.get(f"networks-{PAPER}", {}).get("iterations", {})
    shown |= {f"The published agent, iteration {number}": one for number, one in theirs.items()}
    found = [pictures(words, one["opening"]) for words, one in shown.items() if one]
    if not found:
        raise Unmeasured("no matches were played")
    return "".join(found)


def by_network(results: Measured) -> str:
    lines = []
    for preset in trained(results):
        found = results[f"networks-{preset}"]["iterations"]
        points = {float(number): first_share(one, number, preset) for number, one in found.items()}
        if points:
            lines.append(curve(RULES[preset], points))
    if not lines:
        raise Unmeasured("no network passed its gate")
    return line_chart("First player's share, networks", "iteration", lines, is_log=False, chance=EVEN)


def by_search(results: Measured) -> str:
    names = {RULES[preset]: {sims: f"fairness-{preset}-mcts {sims:,}" for sims in BUDGETS} for preset in BOTH}
    names["our network"] = {sims: f"fairness-{PAPER}-ours {sims}" for sims in OUR_BUDGETS if sims}
    lines = [
        curve(
            label, {sims: first_share(results[name], "", PAPER) for sims, name in one.items() if name in results.found}
        )
        for label, one in names.items()
        if any(name in results.found for name in one.values())
    ]
    if not lines:
        raise Unmeasured("no search has played itself")
    return line_chart("First player's share, searches", "simulations", lines, chance=EVEN)
