"""Playing a plan out: both sides go on as planners for some turns, and what each then has is compared.

The judgement by sieges looks a few turns ahead and expects no orders but those of two drafts. Who takes the dear
planets while the other waits, and who outgrows whom in the end, is seen by playing on.
"""

from __future__ import annotations

import numpy as np

from ludus.agents.planet_wars._outlook import OUTLOOK
from ludus.agents.planet_wars._plans import PLAN
from ludus.agents.planet_wars.planner import Planner, readings_of
from ludus.agents.planet_wars.planner import make_plan as plan_as_planner
from ludus.compile import rule
from ludus.games._planet_wars_text import MAX_PLANETS, ROUTES
from ludus.games.planet_wars import PLAYING, finish_turn, free_ships, give_order, places_left

WON = 500.0  # ships that a match is worth which is won in a play-out
PLANNING = 450  # turns of sieges that take as long as a planner's thoughts about one planet
CASTS = (
    Planner(),
    Planner(bonus="text"),
    Planner(sources="together"),
    Planner(distance="nearest"),
    Planner(mirror="now"),
    Planner(bonus="text", sources="together"),
    Planner(sources="alone"),
    Planner(distance="nearest", mirror="now"),
)
"""Planners of about equal strength, each with readings of its own: what their play-outs say together is less luck."""


def stage(state_type: np.dtype) -> tuple[np.ndarray, ...]:
    """What a play-out needs: the planner's readings, an outlook, room for twins, a position and the plans of both."""
    twins, position = np.zeros(MAX_PLANETS, np.int32), np.zeros(1, state_type)
    readings = np.concatenate([readings_of(planner) for planner in CASTS])
    return readings, np.zeros(1, OUTLOOK), twins, position, np.zeros(2, PLAN)


@rule
def think(state, player, stage, cast, plan):
    """The orders of a planner."""
    readings, outlooks, twins, _, _ = stage
    plan_as_planner(state, player, readings[cast], outlooks[0], twins, plan)


@rule
def play_out(start, player, mine, rivals, weights, siege, stage, cast):
    """By how many ships I lead when both plans are carried out and planners go on."""
    _, _, _, position, plans = stage
    position[0] = start
    state = position[0]
    order_all(state, player, mine)
    order_all(state, 1 - player, rivals)
    finish_turn(state)
    for _ in range(1, weights.turns):
        if state.outcome != PLAYING:
            break
        siege.work += work_of_playout(state.planets, 1)
        for side in range(2):
            think(state, side, stage, cast, plans[side])
        for side in range(2):
            order_all(state, side, plans[side])
        finish_turn(state)
    return lead(state, player, weights.beyond)


@rule
def work_of_playout(planets, turns):
    """In the unit in which thinking is counted."""
    return 2 * PLANNING * planets * turns


@rule
def order_all(state, player, plan):
    """Give all orders of a plan that can be given."""
    for k in range(plan.count):
        action = int(plan.orders[k])
        enough = action // ROUTES <= free_ships(state, player, action // MAX_PLANETS % MAX_PLANETS)
        if enough and places_left(state, player) > 0:
            give_order(state, player, action % ROUTES, action // ROUTES)


@rule
def lead(state, player, beyond):
    """Ships beyond the rival's, with those that the planets will build in some turns more."""
    more = max(0, min(beyond, state.params.turns - state.turn))
    total = 0.0
    for side in range(2):
        sign = 1.0 if side == player else -1.0
        total += WON * sign if state.outcome == 1 + side else 0.0
        for k in range(state.under_way[side]):
            total += sign * state.fleet_ships[side, k]
        for planet in range(state.planets):
            if state.owner[planet] == 1 + side:
                total += sign * (state.ships[planet] + more * state.growth[planet])
    return total
