"""The page on the Pivit paper: its words, tables and charts. Numbers come from results and findings only."""

from __future__ import annotations

from ludus.papers.claims import Finding
from ludus.papers.draft import Draft
from ludus.papers.experiments import Measured
from ludus.papers.pivit import judgements
from ludus.papers.pivit.learners import SARSA, Q, found_by_ply
from ludus.papers.tables import cells_table, curve, ladder_table
from ludus.report.charts import Line, line_chart
from ludus.report.page import Page, Section, paragraph
from ludus.runs import find_run

COLUMNS = ("ours",)
TOGETHER = 4
"""Moves of a point in the figure of the diagnosis."""

# ------------------------------------------------------------------------------------------------ words

LEAD = """Pivit is a game of sliding pieces that turn a quarter after every move. A paper of 2020 taught it to two
tabular learners, Q-learning and SARSA, found them equally good, and saw that neither learnt. This page plays its four
experiments again as the program really ran and as they should have been, says why nothing was learnt, and climbs from
there to players that do."""

PUBLISHED = """Time, win rate, mean reward and head to head, under the rules of the program: no piece is ever promoted,
a side without a move loses, the learner always moves first. The tables of experiment D were loaded into a name that
nobody used, so both played at random."""

CURVE = """Share of the point in each thousand episodes of training: one half is a mean reward of 0. Noise alone
spreads it by about one and a half points either way."""

RULES = """Random players under the rules of the program and under the official ones, beside an independent program of
the same rules."""

LEARNERS = """The learners as published, 20,000 episodes each, beside the independent program. Both parameter sets are
those of the published scripts, and differ."""

DIAGNOSIS = """The share of greedy decisions that find their position in the dictionary, over the learner's own moves,
in the last thousand episodes of training. Two million states are stored, nearly all of them met once: from the fifth
move on there is nothing to choose by, and the choice is random. Known states come back only in long endings with a few
pieces, too late to matter. More episodes would not help; a learner that judges positions it has never seen does, be it
a table that only tells kinds of moves apart."""

REALLY = """Official rules, seats swapped. Deep Q-learning has no search and no heuristic, but half of its matches were
against one ply of thought, which has; TD learnt the weights of a dozen terms in self-play. The table of kinds has a
cell for what a move takes, risks and threatens in a kind of situation, and learns by SARSA(λ) with λ = 1 in self-play,
a quarter of a minute on one core."""

SAMPLES = """The deep Q-network that comes with the package made {decisions:,} decisions in {matches:,} matches, every
other one against itself and the rest against one ply of thought, in {minutes:.0f} minutes on one GPU. The curve is what
it scored after each round."""

DEPTHS = """Alpha-beta with the plain evaluation (a minion 1, a master 4, the first promotion 0.3) at fixed depths, and
what 0.1 s a move buys today."""

CHAMPION = """The champion searches 0.1 s a move with learnt weights and follows captures and promotions to rest. The
three tempers of minimax are those of the authors' own earlier program. Among three or four players it grows a tree in
which everybody plays for itself, and judges a leaf by each one's chance to come out on top. Where too few matches were
played to tell there is no verdict: `--quick` plays ten or fewer of the first five rows, `--full` 400."""

LADDER = """Everybody against everybody under the official rules. Q-learning is the published learner with its
dictionary loaded, kinds the table of kinds of moves; the champion has 10 ms a move, and two fixed depths stand between
it and TD. The first table has the order that was measured. Hoped for were random, greedy, Q-learning, DQN, TD,
champion: the last table says of each step whether it holds, then of the way from greedy to TD by DQN and kinds."""

FOOTER = """All intervals are 95 %. Made by `ludus reproduce pivit`; the same seed gives the same numbers, but for what
rests on a clock."""

# ------------------------------------------------------------------------------------------------ the whole


def page(title: str, results: Measured, groups: dict[str, list[Finding]]) -> Page:
    draft = Draft(results, groups, COLUMNS)
    return draft.page(title, LEAD, draft.tiles(), sections(draft), FOOTER)


def sections(draft: Draft) -> list[Section]:
    drawn, table = draft.drawn, draft.table
    return [
        Section("The four experiments", [paragraph(PUBLISHED), table("published"), paragraph(CURVE), drawn(rewards)]),
        Section("Why nothing was learnt", [paragraph(DIAGNOSIS), drawn(finding_states), table("diagnosis")]),
        Section("The learners", [paragraph(LEARNERS), table("learners")]),
        Section("The rules", [paragraph(RULES), drawn(random_cells), table("rules")]),
        Section("Learners that learn", [paragraph(REALLY), table("really"), drawn(deep)]),
        Section("Depth", [paragraph(DEPTHS), drawn(depths), table("depths")]),
        Section("The champion", [paragraph(CHAMPION), table("champion")]),
        Section("The ladder", [paragraph(LADDER), drawn(ladder), table("ladder")]),
    ]


# ------------------------------------------------------------------------------------------------ tables and charts


def rewards(results: Measured) -> str:
    lines = [
        Line(learner.name, [(row["games"], (1 + row["mean_reward"]) / 2) for row in results[learner.name]["rows"]])
        for learner in (Q, SARSA)
    ]
    return line_chart("Share of the point in training", "episodes", lines, is_log=False, chance=0.5)


def finding_states(results: Measured) -> str:
    lines = [curve(learner.name, found_by_ply(results, learner, TOGETHER)) for learner in (Q, SARSA)]
    return line_chart("Greedy decisions that find a stored state", "the learner's move", lines, is_log=False)


def random_cells(results: Measured) -> str:
    return cells_table("rules", judgements.known_cells(results))


def depths(results: Measured) -> str:
    return cells_table("searcher", judgements.depth_cells(results))


def deep(results: Measured) -> str:
    """The training of the shipped network."""
    rows = find_run("pivit-dqn").rows()
    decisions, matches, minutes = (float(rows[-1][key]) for key in ("decisions", "matches", "minutes"))
    told = SAMPLES.format(decisions=int(decisions), matches=int(matches), minutes=minutes)
    lines = [
        Line(label, [(int(row["decisions"]) / 1e3, float(row[key])) for row in rows],
             [(float(row[low]), float(row[high])) for row in rows])
        for label, key, low, high in (("against random", "random", "low", "high"),
                                      ("against one ply", "ruler", "ruler_low", "ruler_high"))
    ]  # fmt: skip
    return paragraph(told) + line_chart("Deep Q-learning", "thousand decisions", lines, is_log=False, chance=0.5)


def ladder(results: Measured) -> str:
    return ladder_table(results["ladder"])
