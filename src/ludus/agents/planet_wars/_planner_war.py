"""The planner at war: what it sends, and the three parts that fight.

    defend    own planets that fleets under way will take: reinforce them, or take them back
    snipe     neutral planets that the rival is about to take: take them right after
    attack    planets of the rival, only where that cannot fail

The parts follow each other over one outlook. An order is written into it at once, so a later part finds what earlier
ones have left.
"""

from __future__ import annotations

import numpy as np

from ludus.agents.planet_wars._outlook import MINE, RIVALS, foresee
from ludus.agents.planet_wars._plans import add_order
from ludus.compile import rule
from ludus.games._planet_wars_maps import NEUTRAL
from ludus.games._planet_wars_text import MAX_PLANETS
from ludus.rules import record

SOON = 5  # turns after a loss in which a planet is taken back or sniped

READING = record(
    forecast=np.int32, defend=np.int32, snipe=np.int32, attack=np.int32, expand=np.int32, supply=np.int32,
    bonus=np.int32, distance=np.int32, hold=np.int32, caution=np.int32, sources=np.int32, mirror=np.int32,
    front=np.int32, route=np.int32, ending=np.int32, battle=np.int32, rival=np.int32,
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ sending


@rule
def send(outlook, plan, source, dest, ships):
    """Order ships and write them into the outlook."""
    add_order(plan, source, dest, ships)
    outlook.ships[source, 0] -= ships
    if outlook.trip[source, dest] <= outlook.span:
        outlook.landing[0, dest, outlook.trip[source, dest]] += ships
    foresee(outlook, source)
    foresee(outlook, dest)


@rule
def nearest_free(outlook, dest, most, tried):
    """The nearest planet within `most` turns that has ships to send and is not yet tried; -1 if there is none."""
    best = -1
    for planet in range(outlook.planets):
        if planet != dest and not tried[planet] and outlook.trip[planet, dest] <= most and outlook.free[planet] > 0:
            if best < 0 or outlook.trip[planet, dest] < outlook.trip[best, dest]:
                best = planet
    return best


@rule
def gather(outlook, plan, dest, need, most):
    """Send `need` ships from the nearest planets within `most` turns, if there are so many; whether they were."""
    tried = np.zeros(MAX_PLANETS, np.bool_)
    found = 0
    while found < need:
        source = nearest_free(outlook, dest, most, tried)
        if source < 0:
            return False
        tried[source] = True
        found += outlook.free[source]
    tried[:] = False
    while need > 0:
        source = nearest_free(outlook, dest, most, tried)
        tried[source] = True
        ships = min(need, outlook.free[source])
        need -= ships
        send(outlook, plan, source, dest, ships)
    return True


# ------------------------------------------------------------------------------------------------ distances


@rule
def nearest_of(outlook, owner, planet):
    """Turns to the nearest other planet that now belongs to this owner; a great many if there is none."""
    return nearest_at(outlook, owner, planet, 0)


@rule
def nearest_at(outlook, owner, planet, when):
    """The same for the owners in a column."""
    fewest = 1000
    for other in range(outlook.planets):
        if other != planet and outlook.owner[other, when] == owner:
            fewest = min(fewest, outlook.trip[planet, other])
    return fewest


@rule
def reach(outlook, planet, t, other_than):
    """Ships of the rival's that could be at a planet by column t if all of them left for it now."""
    total = 0
    for source in range(outlook.planets):
        turns = outlook.trip[source, planet]
        if outlook.owner[source, 0] == RIVALS and source != other_than and turns <= t:
            total += outlook.ships[source, 0] + outlook.growth[source] * (t - turns)
    return total


@rule
def growth_of(outlook, owner):
    total = 0
    for planet in range(outlook.planets):
        if outlook.owner[planet, 0] == owner:
            total += outlook.growth[planet]
    return total


# ------------------------------------------------------------------------------------------------ defence


@rule
def first_loss(outlook, planet):
    """The column in which an own planet is the rival's for the first time; 0 if it is kept."""
    for t in range(1, outlook.span + 1):
        if outlook.owner[planet, t] == RIVALS:
            return t
    return 0


@rule
def defend(outlook, plan):
    """The most fertile endangered planets first, then those near own ones, then those far from the rival."""
    looked_at = np.zeros(MAX_PLANETS, np.bool_)
    while True:
        best, most = -1, -1.0
        for planet in range(outlook.planets):
            if outlook.owner[planet, 0] == MINE and not looked_at[planet] and first_loss(outlook, planet) > 0:
                worth = 1e6 * outlook.growth[planet] + 1e3 * (999 - min(999, nearest_of(outlook, MINE, planet)))
                worth += min(999, nearest_of(outlook, RIVALS, planet))
                if worth > most:
                    best, most = planet, worth
        if best < 0:
            return
        looked_at[best] = True
        rescue(outlook, plan, best)


@rule
def rescue(outlook, plan, planet):
    """Bring what is missing at the first loss, and at the next; else take the planet back soon after."""
    loss = first_loss(outlook, planet)
    while loss > 0:
        if not gather(outlook, plan, planet, outlook.ships[planet, loss], loss):
            strike_after(outlook, plan, planet, loss)
            return
        loss = first_loss(outlook, planet)


@rule
def strike_after(outlook, plan, planet, loss):
    """Take a planet from the nearest single source that lands after the rival has it, if it is not far."""
    best = -1
    for source in range(outlook.planets):
        turns = outlook.trip[source, planet]
        if source == planet or not loss < turns <= min(loss + SOON, outlook.span):
            continue
        if outlook.owner[planet, turns] == RIVALS and outlook.free[source] > outlook.ships[planet, turns]:
            if best < 0 or turns < outlook.trip[best, planet]:
                best = source
    if best >= 0:
        send(outlook, plan, best, planet, outlook.ships[planet, outlook.trip[best, planet]] + 1)


@rule
def snipe(outlook, plan):
    for planet in range(outlook.planets):
        if outlook.owner[planet, 0] == NEUTRAL and outlook.owner[planet, outlook.span] == RIVALS:
            strike_after(outlook, plan, planet, first_loss(outlook, planet))


# ------------------------------------------------------------------------------------------------ attack

ARRIVAL, HORIZON = 0, 1  # how long an attack must hold
AT_ONCE, ALONE, TOGETHER = 0, 1, 2  # how several sources go together


@rule
def attack(outlook, plan, reading):
    """Equation 3: the rival's planets by falling fitness, as long as one can be taken for certain."""
    tried = np.zeros(MAX_PLANETS, np.bool_)
    while True:
        best, fitness, when = -1, -1, 0
        for planet in range(outlook.planets):
            if outlook.owner[planet, 0] != RIVALS or tried[planet] or is_far(outlook, planet):
                continue
            turns = certain_turns(outlook, planet, reading)
            worth = 2_000_000 - outlook.ships[planet, turns] + 1000 * outlook.growth[planet]
            if turns > 0 and worth > fitness:
                best, fitness, when = planet, worth, turns
        if best < 0:
            return
        tried[best] = True
        launch(outlook, plan, best, when, needed(outlook, best, when, reading), reading)


@rule
def is_far(outlook, planet):
    """Whether a planet is farther than half the longest trip while the rival has a nearer one."""
    if 2 * nearest_of(outlook, MINE, planet) <= outlook.longest:
        return False
    for other in range(outlook.planets):
        if outlook.owner[other, 0] == RIVALS and 2 * nearest_of(outlook, MINE, other) <= outlook.longest:
            return True
    return False


@rule
def needed(outlook, planet, t, reading):
    """Ships that take a planet of the rival's in column t whatever the rival does meanwhile; 0 if it is then mine."""
    if outlook.owner[planet, t] == MINE:
        return 0
    need = outlook.ships[planet, t] + reach(outlook, planet, t, planet) + 1
    if reading.hold == HORIZON:
        later = reach(outlook, planet, outlook.span, planet) - outlook.growth[planet] * (outlook.span - t)
        need = max(need, outlook.ships[planet, t] + later + 1)
    return need


@rule
def certain_turns(outlook, planet, reading):
    """The nearest column in which all that can be sent suffices; 0 if there is none."""
    for t in range(1, outlook.span + 1):
        need = needed(outlook, planet, t, reading)
        at_t, within = 0, 0
        for source in range(outlook.planets):
            if outlook.trip[source, planet] <= t and source != planet:
                ships = outlook.free[source]
                within = max(within, ships) if reading.sources == ALONE else within + ships
                at_t += ships if outlook.trip[source, planet] == t else 0
        if at_t > 0 and 0 < need <= within:
            return t
    return 0


@rule
def launch(outlook, plan, planet, t, need, reading):
    """Send the ships: nearest first, all now; or those of one planet; or so that all land in column t."""
    if reading.sources == AT_ONCE:
        gather(outlook, plan, planet, need, t)
        return
    for source in range(outlook.planets):
        turns, ships = outlook.trip[source, planet], outlook.free[source]
        if turns != t or ships == 0:  # with TOGETHER nearer planets leave in later turns
            continue
        if reading.sources == TOGETHER or ships >= need:
            send(outlook, plan, source, planet, min(ships, need))
            need -= min(ships, need)
        if need == 0:
            return
