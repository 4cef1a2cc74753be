"""Ships that no step of a plan wanted go on towards the rival, from planet to planet.

The judgement of a position hardly sees what this is good for: in a siege streams come from everywhere anyway. But a
battle is won by who is there first.
"""

from __future__ import annotations

from ludus.agents.planet_wars._outlook import MINE, RIVALS
from ludus.agents.planet_wars._plans import add_order
from ludus.agents.planet_wars._siege import worth_of
from ludus.agents.planet_wars._steps import find_parts, judge, put
from ludus.compile import rule

DETOUR = 2  # turns that ships may lose on their way to the front


@rule
def flow_on(outlook, siege, weights, step, parts, plan):
    """Send what no step wanted on towards the rival, where that does little harm."""
    worth = worth_of(outlook, siege, weights)
    for source in range(outlook.planets):
        if outlook.owner[source, 0] != MINE or outlook.spare[source, 0] == 0:
            continue
        dest = onward(outlook, source)
        if dest < 0:
            continue
        step.source, step.dest, step.need, step.arrive = source, dest, 0, outlook.trip[source, dest]
        after = judge(outlook, siege, weights, step, parts)
        if after >= worth - weights.flow and find_parts(outlook, step, parts):
            put(outlook, dest, parts, 1)
            add_order(plan, source, dest, parts.ships[0])
            worth = after


@rule
def onward(outlook, source):
    """The nearest own planet on the way to the rival; -1 if there is none."""
    best, away = -1, to_rival(outlook, source)
    for planet in range(outlook.planets):
        turns = outlook.trip[source, planet]
        if planet == source or outlook.owner[planet, 0] != MINE or turns > outlook.span:
            continue
        if outlook.owner[planet, turns] != MINE or (best >= 0 and turns >= outlook.trip[source, best]):
            continue
        near = to_rival(outlook, planet)
        if near < away and turns + near <= away + DETOUR:
            best = planet
    return best


@rule
def to_rival(outlook, planet):
    """Turns to the nearest planet that will be the rival's; a great many if there is none."""
    fewest = 1000
    for other in range(outlook.planets):
        if outlook.owner[other, outlook.span] == RIVALS and other != planet:
            fewest = min(fewest, outlook.trip[planet, other])
    return fewest
