"""The page on Gravitas: its words and charts. Numbers come from results and findings only."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.papers.claims import Finding, Measure, Verdict
from ludus.papers.draft import Draft
from ludus.papers.experiments import Measured, Unmeasured
from ludus.papers.gravitas.lineups import (
    ABLATION,
    BOTH,
    CHAMPION_FINALISTS,
    CHANCE,
    CORRECT,
    FIG_15,
    FINALISTS,
    NEAT_FINALISTS,
    NEURAL,
    RIVALS,
    RULES,
    share,
)
from ludus.report.charts import Group, Line, bar_chart, line_chart
from ludus.report.page import Page, Section, Tile, bullets, paragraph

COLUMNS = tuple(RULES[preset] for preset in BOTH)

# ------------------------------------------------------------------------------------------------ words

LEAD = """In 2016 a student project taught programs to play Gravwell, a race out of a black hole in which gravity
decides whether a card moves you forward or back. It compared random players, a hand-made decision tree,
Q-learning and neuro-evolution. This page plays all of it again, with intervals, says where the program
differed from the text, and adds players that are stronger."""

FIGURES = """The published numbers belong to a game without tractors: in the program the pull of a tractor card is
computed from a ship to itself and is always zero. A dead tractor is a free pass, which flatters everybody
who thinks. Its tree was also inverted: going forward it played its lowest card, not its highest. With both
slips left in, the figures come back; under the correct rules the same players win less, and the tree as its
text means it wins more."""

PARTS = """The paper asks whether the choice of cards matters at all, or whether drafting and the emergency stop
decide, and proposes a test that it did not run: give the tree random cards. Here it is, with the other
phases taken away in turn. Whatever is taken away shows what it was worth."""

TABLES = """Each variant is trained several times from scratch, and each training is measured over 2,000 games, as in
the paper. One training differs from the next by more than its games explain, so the interval is that of the
trainings. Together they see finer differences than one row of 2,000 games could. The paper found learning from the
whole round "even slightly worse", without certainty; here it is certain, and small. Most of the
strength is the emergency stop: what is left without it lies a few points above chance."""

EVOLUTION = """The evolved network played like a random player. The network itself was never published; here the same
scheme is run again. It could hardly have worked, for reasons that can be measured:"""

DIAGNOSIS = (
    """*Luck was selected.* 48 candidates were compared by the wins of a few dozen games. What lifts the best of
them above the rest is then mostly luck, which does not last (first and second chart). What remains above chance is
what every network has for never stopping, with random cards too.""",
    """*The measure was upside down.* In that branch of the program the rearmost ship wins at the round limit,
which is where nine games in ten end. Cards that are clearly better elsewhere do not win more there (third chart).""",
    """*The opponents were others than thought.* Two classes were swapped: what was called random without stops did
stop.""",
    """*The network could not say much.* It adds and multiplies raw numbers, has no weights, constants or
thresholds, sees neither direction nor draft, and its inputs shift by a slot with every card played.""",
    """*One bit a game.* 36 decisions are answered by a single won or lost.""",
)

FINAL = """All four meet in one game. The published levels belong to the rules of that branch, with the rearmost ship
as winner and the swapped classes: the seat called random No-ES is a random player that stops. Where the foremost
ship wins, the better players win more, and the order stays. With a random player that really never stops, as the
text has it, the evolved network is not above random."""

Q_TABLE = """The paper had one Q table, and every training gives another; so the learner is trained several times here,
and the published numbers are compared with where one training falls. Its program also had a slip that is not
repeated: once an opponent had played a tractor, it learnt nothing more in that game. The table, made so in a time
that is not recorded, does a little better than ours do on average."""

NEW_FINALS = """A network that has learnt changes the final. With a proper NEAT in the seat of neuro-evolution the
order of the paper is gone: under its preset NEAT passes the tree, though it neither drafts nor stops. Then the
champion takes the seat of the random player, and the tree plays as its text means it."""

RUNS = """To find out how many games a fair comparison takes, random players were compared with themselves until 30
tests in a row called them equal. Such a series is called believable here if it has a probability of 5 % or
more."""

SIZE = """The formulas of section 2.2, evaluated for two, three and four players, beside an independent count turn by
turn or tile by tile."""

OURS = """A proper NEAT, which learns from every round and is compared on common games, and a champion that guesses
the hidden cards, plays every choice out on the same guesses and mixes its cards so that nobody can predict
it. Rivals other than trees lie outside its model of how others play."""

FOOTER = """All intervals are 95 %. Chance is 25 %: four players, one winner. Every seat is played by everybody on the
same deals. The `paper preset` is the game that the published program really played, in which tractor cards
do nothing; the `neural preset` is that of its second branch, where at the round limit the rearmost ship
wins. Made by `ludus reproduce gravitas`; the same seed gives the same numbers, but for those of a clock."""


EVEN = "@media (min-width:48.01rem){td:nth-child(3):nth-last-child(3),td:nth-child(4):nth-last-child(2){width:19%}}"
"""Both kinds of rules have the same room."""

# ------------------------------------------------------------------------------------------------ the whole


def page(title: str, results: Measured, groups: dict[str, list[Finding]]) -> Page:
    draft = Draft(results, groups, COLUMNS)
    return draft.page(title, LEAD, tiles(draft), sections(draft), FOOTER, EVEN)


def tiles(draft: Draft) -> list[Tile]:
    best = [one.measures[0] for one in draft.findings if one.claim.key == "champion-intended" and one.measures]
    return [
        Tile(draft.number(Verdict.REPRODUCED), "claims reproduced"),
        Tile(draft.number(Verdict.NOT_REPRODUCED), "not reproduced"),
        Tile(draft.number(Verdict.CANNOT_BE, Verdict.NOT_MEASURED), "cannot be reproduced, or not measured"),
        draft.aims(),
        *(Tile(f"{100 * one.value:.0f} %", "wins of our champion against three trees") for one in best),
        Tile(f"{draft.games / 1e6:.1f} M", "games of tournaments behind these numbers"),
    ]


def sections(draft: Draft) -> list[Section]:
    chart, table = draft.drawn, draft.table
    why = [paragraph(EVOLUTION), bullets(DIAGNOSIS), *map(chart, (selection, generations, upside_down))]
    why.append(table("evolution"))
    finals = [paragraph(FINAL), paragraph(Q_TABLE), chart(final)]
    finals += [paragraph(NEW_FINALS), chart(neat_final), chart(champion_final)]
    ours = [paragraph(OURS), chart(skill), chart(champion), table("networks", "champion", "speed")]
    return [
        Section("Against random players", [paragraph(FIGURES), chart(figures), table("random", "thinking")]),
        Section("Which part of the tree wins?", [paragraph(PARTS), chart(ablation), table("question")]),
        Section("Q-learning in detail", [paragraph(TABLES), table("tables")]),
        Section("Why neuro-evolution failed", why),
        Section("The final", [*finals, table("final", "new finals")]),
        Section("How many games are enough?", [paragraph(RUNS), table("runs")]),
        Section("How large is the game?", [paragraph(SIZE), table("complexity", columns=["counted here"])]),
        Section("Beyond the paper", ours),
    ]


# ------------------------------------------------------------------------------------------------ charts


def bar(results: Measured, name: str, preset: str, label: str, seat: int = 0) -> Measure | None:
    """A bar, or nothing where nothing was measured."""
    try:
        return share(results, name, preset, label, seat)
    except Unmeasured:
        return None


def both(results: Measured, label: str, name: str, published: float | None = None) -> Group:
    return Group(label, [bar(results, name, preset, label) for preset in BOTH], published)


def drawn(groups: Sequence[Group]) -> list[Group]:
    """Without those that have nothing to show."""
    kept = [group for group in groups if any(group.bars)]
    if not kept:
        raise Unmeasured("its agents are not there yet")
    return kept


def figures(results: Measured) -> str:
    groups = [
        both(results, "Fig 10: random, the first of four", "random", 0.25),
        both(results, "Fig 11: random without stops", "nostop", 0.267),
        both(results, "Fig 12: Q-learning", "q", 0.421),
        both(results, "Fig 13: decision tree, as the program played", "tree-published", 0.518),
        both(results, "decision tree, as its text means it", "tree-intended"),
    ]
    return bar_chart("Wins against three random players", COLUMNS, drawn(groups), CHANCE)


def ablation(results: Measured) -> str:
    groups = [both(results, words, f"tree-{key}") for key, (words, _) in ABLATION.items()]
    return bar_chart("The tree with one phase replaced, against three random players", COLUMNS, drawn(groups), CHANCE)


def selection(results: Measured) -> str:
    best = results["selection"]["best"]
    names = {"seen": "as selection sees it", "true": "the same candidate in truth"}
    lines = [Line(words, [(int(runs), one[key]) for runs, one in best.items()]) for key, words in names.items()]
    title = "The best of 48 candidates: its share of wins, by how many games each is judged"
    return line_chart(title, "games per candidate", lines, chance=CHANCE)


def generations(results: Measured) -> str:
    rows = results["breeding"]["rows"]
    names = {"share": "the best, as selection sees it", "audit": "the same on fresh games"}
    lines = [Line(words, [(k + 1, row[key]) for k, row in enumerate(rows)]) for key, words in names.items()]
    title = "The published evolution run again: share of wins of each generation's best"
    return line_chart(title, "generation", lines, is_log=False, chance=CHANCE)


def upside_down(results: Measured) -> str:
    names = {
        "evolved": "Fig 14: the evolved network",
        "nostop": "random cards in its place",
        "handicapped": "the intended tree's cards in its place",
    }
    groups = [Group(words, [bar(results, name, NEURAL, words)]) for name, words in names.items()]
    title = "Wins against three random players where the rearmost ship wins at the limit"
    return bar_chart(title, [RULES[NEURAL]], drawn(groups), CHANCE)


def seats_chart(
    results: Measured,
    title: str,
    name: str,
    labels: Sequence[str],
    presets: Sequence[str] = BOTH,
    published: Sequence[float] = (),
) -> str:
    """Everybody in a lineup, in the order of the seats."""
    groups = [
        Group(label, [bar(results, name, preset, label, k) for preset in presets], published[k] if published else None)
        for k, label in enumerate(labels)
    ]
    return bar_chart(title, [RULES[preset] for preset in presets], drawn(groups), CHANCE)


def final(results: Measured) -> str:
    title = "Fig 15: four-way final, as the program lined it up"
    return seats_chart(results, title, "final", FINALISTS, (NEURAL, *BOTH), FIG_15)


def neat_final(results: Measured) -> str:
    return seats_chart(results, "The final with a proper NEAT", "neat-final", NEAT_FINALISTS)


def champion_final(results: Measured) -> str:
    return seats_chart(results, "The final with the champion", "champion-final", CHAMPION_FINALISTS)


def skill(results: Measured) -> str:
    names = {
        "champion-random": "champion",
        "tree-intended": "tree, as intended",
        "tree-published": "tree, as published",
        "q": "Q-learning",
        "q-nostop": "Q-learning without stops",
        "skill-gravity": "Q-learning that sees gravity (ours)",
        "skill-neat": "NEAT, cards only",
        "skill-evolved": "published neuro-evolution",
        "nostop": "random without stops",
        "random": "random",
    }
    groups = drawn([both(results, words, name) for name, words in names.items()])
    groups.sort(key=lambda group: -max(one.interval.value for one in group.bars if one))
    return bar_chart("Every agent against three random players", COLUMNS, groups, CHANCE)


def champion(results: Measured) -> str:
    groups = [Group(words, [bar(results, f"champion-{key}", CORRECT, words)]) for key, words in RIVALS.items()]
    return bar_chart("The champion under correct rules, against", ["champion"], drawn(groups), CHANCE)
