"""A plan is all orders of one turn. The rules ask for one order after the other, so an agent makes its plan once, at
the start of the turn, and hands it out.

Plans are kept under a hash of the position at the start of the turn, as one player sees it: agents stay functions of
their view, and a batch of matches goes through one table. If two positions fall on one place, a plan is made again.
"""

from __future__ import annotations

import threading

import numpy as np

from ludus.agent import Agent
from ludus.compile import rule
from ludus.games._planet_wars_text import MAX_PLANETS, MOST_SHIPS, ROUTES
from ludus.games.planet_wars import DONE, free_ships, is_waiting, places_left, withdraw_orders
from ludus.rng import blend
from ludus.rules import record

MOST = 253  # orders in a plan
PLANS = 4096

PLAN = record(key=np.uint64, count=np.int32, orders=(np.int32, MOST))


@rule
def start_of_turn(view, player, scratch, words):
    """Put the view without the player's own orders into `scratch`, whose bytes are `words`; its hash."""
    scratch[0] = view
    withdraw_orders(scratch[0], player)
    key = np.uint64(1 + player)
    for k in range(words.shape[0]):
        key = blend(key, words[k])
    return key


@rule
def add_order(plan, source, dest, ships):
    """Put an order into the plan, or its ships to those over the same route."""
    route = source * MAX_PLANETS + dest
    for k in range(plan.count):
        if plan.orders[k] % ROUTES == route:
            plan.orders[k] = min(plan.orders[k] // ROUTES + ships, MOST_SHIPS) * ROUTES + route
            return
    if plan.count < MOST:
        plan.orders[plan.count] = min(ships, MOST_SHIPS) * ROUTES + route
        plan.count += 1


@rule
def next_order(view, player, plan):
    """The first order of the plan that is not given yet; DONE when all are."""
    if places_left(view, player) <= 0:
        return DONE
    for k in range(plan.count):
        action = int(plan.orders[k])
        if not is_waiting(view, player, action % ROUTES):
            if action // ROUTES <= free_ships(view, player, action // MAX_PLANETS % MAX_PLANETS):
                return action
    return DONE


class PlanningAgent(Agent):
    """An agent with room for plans, in every thread its own."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._own = threading.local()

    def room(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Plans, a scratch state and its bytes as words."""
        if not hasattr(self._own, "room"):
            scratch = np.zeros(1, self.game.state_type)
            self._own.room = np.zeros(PLANS, PLAN), scratch, scratch.view(np.uint64)
        return self._own.room
