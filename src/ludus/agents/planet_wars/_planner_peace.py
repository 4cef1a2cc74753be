"""The planner at peace: the two parts that spend what fighting has left.

expand    neutral planets that pay, and more while it is safe
supply    what is spare behind the front goes to the front
"""

from __future__ import annotations

import numpy as np

from ludus.agents.planet_wars._outlook import MINE, RIVALS, foresee
from ludus.agents.planet_wars._planner_war import gather, growth_of, nearest_at, nearest_free, nearest_of, reach, send
from ludus.compile import rule
from ludus.games._planet_wars_maps import NEUTRAL
from ludus.games._planet_wars_text import MAX_PLANETS

# ------------------------------------------------------------------------------------------------ expansion

FORMULA, TEXT = 0, 1  # equation 5: more for a player who is winning, or for one who is losing
LAUNCHING, NEAREST = 0, 1  # the own planet from which equation 4 counts
PAYBACK, UNSURE, ALWAYS, NEVER = 0, 1, 2, 3  # when and for how long expansion must leave no planet open
PREDICTED, NOW = 0, 1  # when a twin counts as the rival's
GOOD, ENOUGH = 1_000_000, 1000


@rule
def expand(outlook, plan, reading, twins):
    """Equations 4 and 5: neutral planets that pay back for certain, then others, by falling fitness."""
    tried = np.zeros(MAX_PLANETS, np.bool_)
    winning = growth_of(outlook, MINE) > growth_of(outlook, RIVALS)
    bonus = 50 if winning == (reading.bonus == FORMULA) else 20
    for sure in range(1, -1, -1):
        while True:
            best, fitness, turns = -1, -GOOD * ENOUGH, 0
            for planet in range(outlook.planets):
                if not tried[planet] and is_open(outlook, planet, reading):
                    away = own_distance(outlook, planet, reading)
                    if away == 0:
                        continue
                    base = profit(outlook, planet, away)
                    worth = base + bonus * outlook.growth[planet]
                    worth += GOOD if is_taken(outlook, twins[planet], reading) else 0
                    worth = worth * ENOUGH - away
                    if (base > 0) == (sure == 1) and worth > fitness:
                        best, fitness, turns = planet, worth, away
            if best < 0 or (sure == 0 and fitness <= 0):
                break
            tried[best] = True
            settle_on(outlook, plan, best, turns, reading, sure == 1)


@rule
def is_open(outlook, planet, reading):
    """Whether a neutral planet is still to be had, and pays before the end."""
    if outlook.owner[planet, 0] != NEUTRAL or outlook.owner[planet, outlook.span] != NEUTRAL:
        return False
    away = nearest_of(outlook, MINE, planet)
    return reading.ending == 1 or outlook.growth[planet] * (outlook.left - away) > outlook.ships[planet, 0]


@rule
def own_distance(outlook, planet, reading):
    """The distance of equation 4: from the nearest own planet, or from the last that must launch; 0 if that fails."""
    nearest = nearest_of(outlook, MINE, planet)
    if reading.distance == NEAREST or nearest > outlook.span:
        return nearest if nearest <= outlook.span else 0
    tried = np.zeros(MAX_PLANETS, np.bool_)
    need, turns = outlook.ships[planet, nearest] + 1, 0
    while need > 0:
        source = nearest_free(outlook, planet, outlook.span, tried)
        if source < 0:
            return 0
        tried[source] = True
        need -= outlook.free[source]
        turns = outlook.trip[source, planet]
    return turns


@rule
def profit(outlook, planet, away):
    """Equation 4: what the planet has built when the rival takes it right after, less what it cost."""
    rivals = min(nearest_of(outlook, RIVALS, planet), outlook.longest)
    return outlook.growth[planet] * (rivals - away + 1) - outlook.ships[planet, 0]


@rule
def is_taken(outlook, twin, reading):
    if twin < 0:
        return False
    return outlook.owner[twin, 0 if reading.mirror == NOW else outlook.span] == RIVALS


@rule
def settle_on(outlook, plan, planet, turns, reading, sure):
    """Take a neutral planet, unless caution says that this would leave a planet open."""
    need = outlook.ships[planet, turns] + 1
    before = plan.count
    held = np.empty(before, np.int32)
    held[:] = plan.orders[:before]
    if not gather(outlook, plan, planet, need, outlook.span):
        return
    if reading.caution == NEVER or (sure and reading.caution != ALWAYS):
        return
    until = outlook.span
    if reading.caution == PAYBACK:
        until = min(until, turns + need // max(1, outlook.growth[planet]) + 1)
    if not is_safe(outlook, until):
        take_back(outlook, plan, planet, held)


@rule
def take_back(outlook, plan, dest, held):
    """Undo the orders to a planet that had none before; `held` are the orders of the plan as it was."""
    for k in range(held.shape[0], plan.count):
        source, ships = plan.orders[k] // MAX_PLANETS % MAX_PLANETS, plan.orders[k] // (MAX_PLANETS * MAX_PLANETS)
        outlook.ships[source, 0] += ships
        if outlook.trip[source, dest] <= outlook.span:
            outlook.landing[0, dest, outlook.trip[source, dest]] -= ships
        foresee(outlook, source)
    plan.count = held.shape[0]
    foresee(outlook, dest)


@rule
def is_safe(outlook, until):
    """Whether the rival, if it sent everything at one planet now and mine helped a turn later, could take none by
    then that is mine, or will be."""
    for planet in range(outlook.planets):
        for t in range(1, until + 1):
            if outlook.owner[planet, t] == MINE:
                against = reach(outlook, planet, t, -1)
                if against > 0 and against > outlook.ships[planet, t] + help_for(outlook, planet, t - 1):
                    return False
    return True


@rule
def help_for(outlook, planet, t):
    total = 0
    for source in range(outlook.planets):
        turns = outlook.trip[source, planet]
        if source != planet and outlook.owner[source, 0] == MINE and turns <= t:
            total += outlook.ships[source, 0] + outlook.growth[source] * (t - turns)
    return total


# ------------------------------------------------------------------------------------------------ supply

FORESEEN, EDGE = 0, 2  # how the front is found; 1 is as planets are held now
RELAY = 0


@rule
def supply(outlook, plan, reading):
    """Send what is spare behind the front to the front, more where the rival is strong and near."""
    when = outlook.span if reading.front == FORESEEN else 0
    front = np.zeros(MAX_PLANETS, np.bool_)
    find_front(outlook, reading, when, front)
    weights = np.zeros(MAX_PLANETS)
    for planet in range(outlook.planets):
        if front[planet]:
            for rival in range(outlook.planets):
                if outlook.owner[rival, when] == RIVALS:
                    weights[planet] += outlook.ships[rival, 0] / outlook.trip[planet, rival]
    total, ships = weights.sum(), 0
    for planet in range(outlook.planets):
        ships += 0 if front[planet] else outlook.free[planet]
    if total == 0.0 or ships == 0:
        return
    share_out(outlook, plan, reading, front, weights * (ships / total))


@rule
def find_front(outlook, reading, when, front):
    """Own planets of a column by rising distance from the rival; one joins unless the front can be there in time."""
    done = np.zeros(MAX_PLANETS, np.bool_)
    while True:
        best = -1
        for planet in range(outlook.planets):
            if outlook.owner[planet, when] == MINE and not done[planet]:
                if best < 0 or nearest_at(outlook, RIVALS, planet, when) < nearest_at(outlook, RIVALS, best, when):
                    best = planet
        if best < 0:
            return
        done[best] = True
        front[best] = joins_front(outlook, reading, front, best, when)


@rule
def joins_front(outlook, reading, front, planet, when):
    """Whether no planet that is mine already shields this one: one of the front, or any own one that is nearer."""
    away = nearest_at(outlook, RIVALS, planet, when)
    for other in range(outlook.planets):
        if other == planet or outlook.owner[other, 0] != MINE or outlook.trip[planet, other] > away:
            continue
        if reading.front == EDGE and nearest_of(outlook, RIVALS, other) < away:
            return False
        if reading.front != EDGE and front[other]:
            return False
    return True


@rule
def share_out(outlook, plan, reading, front, wanted):
    """Whole ships by the largest remainder; each share from the nearest planets behind."""
    shares = np.floor(wanted).astype(np.int32)
    rest = int(wanted.sum() + 0.5) - shares.sum()
    while rest > 0:
        shares[np.argmax(wanted - shares)] += 1
        rest -= 1
    for dest in range(outlook.planets):
        tried = front.copy()
        while shares[dest] > 0:
            source = nearest_free(outlook, dest, outlook.span, tried)
            if source < 0:
                break
            tried[source] = True
            if outlook.owner[dest, outlook.trip[source, dest]] != MINE:
                continue  # it would be there too early
            ships = min(shares[dest], outlook.free[source])
            shares[dest] -= ships
            send(outlook, plan, source, stop_over(outlook, reading, source, dest), ships)


@rule
def stop_over(outlook, reading, source, dest):
    """An own planet on the way, the nearest one, that costs no more than a turn; else the destination itself."""
    best = dest
    for planet in range(outlook.planets):
        if reading.route == RELAY and outlook.owner[planet, 0] == MINE and planet != source:
            if outlook.trip[source, planet] + outlook.trip[planet, dest] <= outlook.trip[source, dest] + 1:
                if outlook.trip[source, planet] < outlook.trip[source, best]:
                    best = planet
    return best
