"""Lines: the best drafts of the table as whole plans, which are played out.

The table knows what the rival could do, the play-outs what becomes of it, and both count together. A play-out tells
little more than its luck, so who plays many lines out takes the luckiest of them: few are, and what a planner would
order is always one. They are played out against what a planner would order in the rival's place and against nothing
else: the replies in the table are those of a rival who knows the plan, and who counts them twice waits and is outgrown.
"""

from __future__ import annotations

import numpy as np

from ludus.agents.planet_wars._drafts import carry_out, copy_tables, give_orders, mark
from ludus.agents.planet_wars._flow import flow_on
from ludus.agents.planet_wars._playout import play_out, think, work_of_playout
from ludus.agents.planet_wars._table import DRAFTS, ROUNDS, is_new
from ludus.compile import rule
from ludus.rules import record

MOST_LINES = 24
RIVALS_PLAN = MOST_LINES  # place of the rival's plan behind those of the lines
PLANNED = 0  # the line of what a planner would order in my place
NEVER = -1e18

LINES = record(
    count=np.int32,
    told=(np.float64, MOST_LINES),  # what the table says
    played=(np.float64, MOST_LINES),  # the lead at the end of the play-out
    left=(np.float64, DRAFTS),  # what the table says of the drafts that are no line yet
)


@rule
def choose_line(state, player, outlooks, siege, weights, steps, parts, drafts, table, lines, plans, stage):
    """The place of the plan to take."""
    list_lines(outlooks, siege, weights, steps, parts, drafts, table, lines, plans)
    if lines.count > 1:
        play_lines_out(state, player, weights, siege, lines, plans, stage)
    return best_line(lines, weights.sight)


@rule
def play_lines_out(state, player, weights, siege, lines, plans, stage):
    """What each line brings in the mean of several play-outs, as many as there is time for."""
    cost, played = lines.count * work_of_playout(state.planets, weights.turns), 0
    while played == 0 or (played < weights.casts and siege.work + cost <= weights.work):
        if played > 0:
            think(state, 1 - player, stage, played, plans[RIVALS_PLAN])
        for k in range(lines.count):
            lead = play_out(state, player, plans[k], plans[RIVALS_PLAN], weights, siege, stage, played)
            lines.played[k] += (lead - lines.played[k]) / (played + 1)
        played += 1


@rule
def list_lines(outlooks, siege, weights, steps, parts, drafts, table, lines, plans):
    """A planner's orders first, then the best drafts, as many as there is time to play out; just the best draft where
    there is none."""
    lines.count = 0
    for row in range(table.rows):
        lines.left[row] = table.total[0, row] / ROUNDS
    least = np.max(lines.left[: table.rows]) - weights.risk
    cost = work_of_playout(outlooks[0].planets, weights.turns)
    row = row_of(drafts[0], table.rows, plans[PLANNED].key)
    if lines.left[row] >= least and siege.work + cost <= weights.work:
        add_line(lines, row)
    while lines.count < weights.plays and (lines.count == 0 or siege.work + lines.count * cost <= weights.work):
        row = np.argmax(lines.left[: table.rows])
        if lines.left[row] < least:
            break
        write_line(outlooks, siege, weights, steps, parts, drafts[0, row], plans[lines.count])
        add_line(lines, row)
        if not is_new(plans, lines.count - 1):
            lines.count -= 1


@rule
def add_line(lines, row):
    lines.told[lines.count], lines.played[lines.count] = lines.left[row], 0.0
    lines.left[row] = NEVER
    lines.count += 1


@rule
def write_line(outlooks, siege, weights, steps, parts, draft, plan):
    """The orders of a draft, and then what flows on."""
    give_orders(draft, plan)
    copy_tables(outlooks[0], outlooks[1])
    carry_out(outlooks[1], 0, draft)
    flow_on(outlooks[1], siege, weights, steps[1, 0], parts, plan)
    mark(plan)


@rule
def row_of(drafts, count, key):
    """The draft with this key; -1 if there is none."""
    for row in range(count):
        if drafts[row].key == key:
            return row
    return -1


@rule
def best_line(lines, sight):
    """The line that stands best by what is told of it and by its play-out."""
    best = 0
    for k in range(1, lines.count):
        if lines.told[k] + sight * lines.played[k] > lines.told[best] + sight * lines.played[best]:
            best = k
    return best
