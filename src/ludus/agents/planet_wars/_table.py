"""Drafts of mine against drafts of the rival's: what comes of each pair, and what each of mine is worth.

Both sides order at once and neither knows what the other does. So this is a game of its own, with a row for each of my
drafts and a column for each of the rival's. Whoever takes the row that is best against its own best reply fears a
rival who reads thoughts, and, with many rows, trusts the one to which just the best reply was not found. So the game is
solved, by letting both sides answer all that the other has done so far, again and again; every reply that was found to
one row is held against all of them.
"""

from __future__ import annotations

import numpy as np

from ludus.agents.planet_wars._drafts import call_off, carry_out, copy_tables
from ludus.agents.planet_wars._siege import worth_of
from ludus.compile import rule
from ludus.rules import record

DRAFTS = 40  # of a side
ROUNDS = 300

TABLE = record(
    rows=np.int32,
    columns=np.int32,
    alone=(np.float64, DRAFTS),  # what a row is worth if the rival gives no order
    worth=(np.float64, (DRAFTS, DRAFTS)),
    total=(np.float64, (2, DRAFTS)),  # what each has brought against all that the other side took
)


@rule
def is_new(drafts, count):
    """Whether the draft (or plan) after the first `count` differs from all of them."""
    return not np.any(drafts["key"][:count] == drafts["key"][count])


@rule
def meet(outlooks, siege, weights, mine, rivals):
    """What the first outlook is worth when both drafts are carried out, which is tried in the second."""
    copy_tables(outlooks[0], outlooks[1])
    carry_out(outlooks[1], 0, mine)
    carry_out(outlooks[1], 1, rivals)
    call_off(outlooks[1], 0, mine)
    call_off(outlooks[1], 1, rivals)
    return worth_of(outlooks[1], siege, weights)


@rule
def add_row(table, outlooks, siege, weights, drafts):
    """Let the draft after the last row meet all columns."""
    row = table.rows
    for column in range(table.columns):
        table.worth[row, column] = meet(outlooks, siege, weights, drafts[0, row], drafts[1, column])
    table.rows += 1


@rule
def add_column(table, outlooks, siege, weights, drafts):
    """Let the draft after the last column meet all rows."""
    column = table.columns
    for row in range(table.rows):
        table.worth[row, column] = meet(outlooks, siege, weights, drafts[0, row], drafts[1, column])
    table.columns += 1


@rule
def solve(table, trust):
    """Find what each row is worth; `trust` is how much the rival's drafts count at all."""
    rows, columns = table.rows, table.columns
    table.total[:] = 0.0
    row, column = 0, 0
    for _ in range(ROUNDS):
        for k in range(rows):
            table.total[0, k] += (1.0 - trust) * table.alone[k]
            table.total[0, k] += trust * table.worth[k, column] if columns > 0 else 0.0
        for k in range(columns):
            table.total[1, k] -= table.worth[row, k]
        row = np.argmax(table.total[0, :rows])
        if columns > 0:
            column = np.argmax(table.total[1, :columns])
