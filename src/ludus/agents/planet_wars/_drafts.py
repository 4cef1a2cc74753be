"""A draft is a whole plan of one side: what leaves which planet, when, and for where. What leaves now are its orders.

Drafts of both sides can be written into one outlook, to see what comes of it when both are carried out.
"""

from __future__ import annotations

import numpy as np

from ludus.agents.planet_wars._outlook import COLUMNS, MINE, foresee
from ludus.agents.planet_wars._plans import add_order
from ludus.compile import rule
from ludus.games._planet_wars_text import MAX_PLANETS, ROUTES
from ludus.rng import blend
from ludus.rules import record

PARTS_OF_DRAFT = 160

DRAFT = record(
    key=np.uint64,  # the same for the same parts in any order
    count=np.int32,
    source=(np.int32, PARTS_OF_DRAFT),
    dest=(np.int32, PARTS_OF_DRAFT),
    ships=(np.int32, PARTS_OF_DRAFT),
    leave=(np.int32, PARTS_OF_DRAFT),
)


@rule
def clear(draft):
    draft.key, draft.count = np.uint64(0), 0


@rule
def note(draft, dest, parts):
    """Add the parts of a step."""
    for k in range(parts.count):
        add_trip(draft, parts.source[k], dest, parts.ships[k], parts.leave[k])


@rule
def add_trip(draft, source, dest, ships, leave):
    if draft.count < PARTS_OF_DRAFT:
        here = draft.count
        draft.source[here], draft.dest[here], draft.ships[here], draft.leave[here] = source, dest, ships, leave
        draft.count += 1
        draft.key += key_of_trip(source * MAX_PLANETS + dest, ships, leave)


@rule
def key_of_trip(route, ships, leave):
    return blend(np.uint64(route * COLUMNS + leave), np.uint64(ships))


@rule
def take_orders(draft, plan):
    """Make a draft of the orders of a turn; both get the same key."""
    clear(draft)
    for k in range(plan.count):
        order = int(plan.orders[k])
        add_trip(draft, order // MAX_PLANETS % MAX_PLANETS, order % MAX_PLANETS, order // ROUTES, 0)
    plan.key = draft.key


@rule
def mark(plan):
    """Give the orders of a turn the key that a draft of them would have."""
    plan.key = np.uint64(0)
    for k in range(plan.count):
        plan.key += key_of_trip(plan.orders[k] % ROUTES, plan.orders[k] // ROUTES, 0)


@rule
def give_orders(draft, plan):
    """What leaves now, as the orders of a turn."""
    plan.count = 0
    for k in range(draft.count):
        if draft.leave[k] == 0:
            add_order(plan, draft.source[k], draft.dest[k], draft.ships[k])


@rule
def copy_tables(old, new):
    """All of an outlook that steps and drafts change, as far as it looks."""
    last = old.span + 1
    for planet in range(old.planets):
        new.owner[planet, :last] = old.owner[planet, :last]
        new.ships[planet, :last] = old.ships[planet, :last]
        new.spare[planet, :last] = old.spare[planet, :last]
        for side in range(2):
            new.landing[side, planet, :last] = old.landing[side, planet, :last]
            new.leaving[side, planet, :last] = old.leaving[side, planet, :last]


@rule
def carry_out(outlook, side, draft):
    """Write a draft of mine (side 0) or of the rival's into an outlook."""
    for k in range(draft.count):
        source, leave = draft.source[k], draft.leave[k]
        if leave == 0:
            outlook.ships[source, 0] -= draft.ships[k]
        else:
            outlook.leaving[side, source, leave] += draft.ships[k]
        lands = leave + outlook.trip[source, draft.dest[k]]
        if lands <= outlook.span:
            outlook.landing[side, draft.dest[k], lands] += draft.ships[k]
    for planet in range(outlook.planets):
        foresee(outlook, planet)


@rule
def call_off(outlook, side, draft):
    """Take back what was to leave later from a planet that is lost by then."""
    for k in range(draft.count):
        source, dest, leave = draft.source[k], draft.dest[k], draft.leave[k]
        if leave > 0 and outlook.owner[source, leave] != MINE + side:
            outlook.leaving[side, source, leave] -= draft.ships[k]
            lands = leave + outlook.trip[source, dest]
            if lands <= outlook.span:
                outlook.landing[side, dest, lands] -= draft.ships[k]
            foresee(outlook, source)
            foresee(outlook, dest)
