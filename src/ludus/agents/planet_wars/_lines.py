"""Lines: the best drafts of the table as whole plans, which are played out against the rival's likely plans.

The first round is against what a planner would order in the rival's place, the following ones against the replies that
the table fears most. After each round the worse half of the lines is dropped. What the table says of a line and what
its play-outs bring count together: the table knows what the rival could do, the play-outs what becomes of it.
"""

from __future__ import annotations

import numpy as np

from ludus.agents.planet_wars._drafts import carry_out, copy_tables, give_orders, mark
from ludus.agents.planet_wars._flow import flow_on
from ludus.agents.planet_wars._playout import play_out, work_of_playout
from ludus.agents.planet_wars._table import DRAFTS, ROUNDS, is_new
from ludus.compile import rule
from ludus.rules import record

MOST_LINES = 24
RIVALS_PLAN = MOST_LINES  # place of the rival's plan behind those of the lines
PLANNED = 0  # the line of what a planner would order in my place
NEVER = -1e18

LINES = record(
    count=np.int32,
    kept=np.int32,  # the first so many are still in the running
    place=(np.int32, MOST_LINES),  # of its plan
    told=(np.float64, MOST_LINES),  # what the table says
    played=(np.float64, MOST_LINES),  # sum of the leads in the play-outs
    left=(np.float64, DRAFTS),  # what the table says of the drafts that are no line yet
)


@rule
def choose_line(state, player, outlooks, siege, weights, steps, parts, drafts, table, lines, plans, stage):
    """The place of the plan to take."""
    list_lines(outlooks, siege, weights, steps, parts, drafts, table, lines, plans)
    rounds, column = 0, row_of(drafts[1], table.columns, plans[RIVALS_PLAN].key)
    while lines.kept > 1 and (rounds == 0 or siege.work <= weights.work):
        for k in range(lines.kept):
            mine = plans[lines.place[k]]
            lines.played[k] += play_out(state, player, mine, plans[RIVALS_PLAN], weights, siege, stage)
        rounds += 1
        drop_half(lines, rounds, weights.sight)
        if column >= 0:
            table.times[1, column] = 0
        column = np.argmax(table.times[1, : max(1, table.columns)])
        if table.columns == 0 or table.times[1, column] == 0:
            break
        give_orders(drafts[1, column], plans[RIVALS_PLAN])
    return lines.place[best_line(lines, rounds, weights.sight)]


# ------------------------------------------------------------------------------------------------ which lines


@rule
def list_lines(outlooks, siege, weights, steps, parts, drafts, table, lines, plans):
    """A planner's orders first, then the best drafts, as many as there is time to play out."""
    lines.count = 0
    for row in range(table.rows):
        lines.left[row] = table.total[0, row] / ROUNDS
    least = np.max(lines.left[: table.rows]) - weights.risk
    row = row_of(drafts[0], table.rows, plans[PLANNED].key)
    if lines.left[row] >= least:
        add_line(lines, row)
    cost = work_of_playout(outlooks[0].planets, weights.turns)
    while lines.count < weights.plays and (lines.count < 2 or siege.work + lines.count * cost <= weights.work):
        row = np.argmax(lines.left[: table.rows])
        if lines.left[row] < least:
            break
        write_line(outlooks, siege, weights, steps, parts, drafts[0, row], plans[lines.count])
        add_line(lines, row)
        if not is_new(plans, lines.count - 1):
            lines.count -= 1
    lines.kept = lines.count


@rule
def add_line(lines, row):
    lines.place[lines.count], lines.told[lines.count], lines.played[lines.count] = lines.count, lines.left[row], 0.0
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


# ------------------------------------------------------------------------------------------------ which to keep


@rule
def score(lines, k, rounds, sight):
    return lines.told[k] + sight * lines.played[k] / max(1, rounds)


@rule
def best_line(lines, rounds, sight):
    best = 0
    for k in range(1, lines.kept):
        if score(lines, k, rounds, sight) > score(lines, best, rounds, sight):
            best = k
    return best


@rule
def drop_half(lines, rounds, sight):
    """Keep the better half, but never fewer than two."""
    while lines.kept > max(2, lines.count >> rounds):
        worst = 0
        for k in range(1, lines.kept):
            if score(lines, k, rounds, sight) < score(lines, worst, rounds, sight):
                worst = k
        lines.kept -= 1
        last = lines.kept
        lines.place[worst], lines.told[worst], lines.played[worst] = (
            lines.place[last],
            lines.told[last],
            lines.played[last],
        )
