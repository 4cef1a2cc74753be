"""Steps of a plan: what one player can undertake in a turn, and what each is worth.

A step takes a planet in one turn with ships from several planets, the farthest first, so that all land together (nearer
ones leave later: such orders are part of the plan, but not yet given); or it moves all that one planet can spare to
another own one, or to a near one of the rival's.
"""

from __future__ import annotations

import numpy as np

from ludus.agents.planet_wars._outlook import MINE, RIVALS, clash, foresee
from ludus.agents.planet_wars._siege import worth_of
from ludus.compile import rule
from ludus.games._planet_wars_maps import NEUTRAL
from ludus.games._planet_wars_text import MAX_PLANETS
from ludus.rules import record

STEPS = 1024
ARRIVALS = 4  # turns of arrival that are tried for a planet

STEP = record(
    dest=np.int32,
    arrive=np.int32,
    need=np.int32,
    source=np.int32,  # of a move; -1 where the sources are found by the time of arrival
    gain=np.float64,
)
PARTS = record(
    count=np.int32, source=(np.int32, MAX_PLANETS), ships=(np.int32, MAX_PLANETS), leave=(np.int32, MAX_PLANETS)
)


@rule
def find_parts(outlook, step, parts):
    """Who sends how many and when; False if the ships are not there."""
    parts.count = 0
    need = step.need
    if step.source >= 0:
        ships = outlook.spare[step.source, 0] if outlook.owner[step.source, 0] == MINE else 0
        if ships > 0:
            add_part(parts, step.source, ships, 0)
        return ships > 0
    for leave in range(step.arrive):
        for source in range(outlook.planets):
            if outlook.trip[source, step.dest] == step.arrive - leave and outlook.owner[source, leave] == MINE:
                ships = min(need, outlook.spare[source, leave])
                if ships > 0 and source != step.dest:
                    add_part(parts, source, ships, leave)
                    need -= ships
        if need == 0:
            return True
    return False


@rule
def add_part(parts, source, ships, leave):
    parts.source[parts.count] = source
    parts.ships[parts.count] = ships
    parts.leave[parts.count] = leave
    parts.count += 1


@rule
def put(outlook, dest, parts, sign):
    """Write the parts of a step into the outlook, or with sign -1 take them out again."""
    for k in range(parts.count):
        source, leave, ships = parts.source[k], parts.leave[k], sign * parts.ships[k]
        if leave == 0:
            outlook.ships[source, 0] -= ships
        else:
            outlook.leaving[0, source, leave] += ships
        lands = leave + outlook.trip[source, dest]
        if lands <= outlook.span:
            outlook.landing[0, dest, lands] += ships
        foresee(outlook, source)
    foresee(outlook, dest)


@rule
def judge(outlook, siege, weights, step, parts):
    """What the position is worth after a step; very little if it cannot be taken."""
    if not find_parts(outlook, step, parts):
        return -1e18
    put(outlook, step.dest, parts, 1)
    worth = worth_of(outlook, siege, weights)
    put(outlook, step.dest, parts, -1)
    return worth


# ------------------------------------------------------------------------------------------------ which steps


@rule
def ships_to_hold(outlook, siege, dest, arrive, besieged):
    """Ships that must land in a turn for the planet to be mine from then on, against the fleets under way or, with
    `besieged`, against all that the rival can bring; 0 if none are needed."""
    need = 0
    for _ in range(4):
        owner, ships = outlook.owner[dest, arrive - 1], outlook.ships[dest, arrive - 1]
        missing = 0
        for t in range(arrive, outlook.span + 1):
            ships += outlook.growth[dest] if owner != NEUTRAL else 0
            mine, rivals = outlook.landing[0, dest, t], outlook.landing[1, dest, t]
            mine += need if t == arrive else 0
            if besieged and t > arrive:
                mine += siege.stream[0, dest, t]
                rivals += siege.stream[1, dest, t]
            was = owner
            if mine + rivals > 0 or t == arrive:
                owner, ships = clash(owner, ships, mine, rivals)
            if owner != MINE:
                missing = ships + (0 if was == MINE else 1)
                break
        if missing == 0:
            return need
        need += missing
    return need


@rule
def add_step(steps, count, dest, arrive, need, source):
    if count < STEPS:
        one = steps[count]
        one.dest, one.arrive, one.need, one.source, one.gain = dest, arrive, need, source, 0.0
        return count + 1
    return count


@rule
def list_captures(outlook, siege, steps, count, dest, far):
    """Steps that take or save a planet: as soon as that can be done, and later where a planet would send ships now.
    The rival has time to prepare for what is `far`."""
    tried = 0
    for arrive in range(1, outlook.span):
        if tried > 0 and not leaves_now(outlook, dest, arrive):
            continue
        if arrive > far and outlook.owner[dest, arrive] == RIVALS:
            continue
        least = ships_to_hold(outlook, siege, dest, arrive, False)
        if least == 0 or ships_at_hand(outlook, dest, arrive) < least:
            continue
        tried += 1
        count = add_step(steps, count, dest, arrive, least, -1)
        safe = ships_to_hold(outlook, siege, dest, arrive, True)
        if safe > least:
            count = add_step(steps, count, dest, arrive, safe, -1)
        if tried == ARRIVALS:
            break
    return count


@rule
def leaves_now(outlook, dest, arrive):
    """Whether some planet must send its ships now for them to land in that turn."""
    for source in range(outlook.planets):
        if outlook.trip[source, dest] == arrive and outlook.owner[source, 0] == MINE and outlook.spare[source, 0] > 0:
            return True
    return False


@rule
def ships_at_hand(outlook, dest, arrive):
    total = 0
    for source in range(outlook.planets):
        leave = arrive - outlook.trip[source, dest]
        if source != dest and leave >= 0 and outlook.owner[source, leave] == MINE:
            total += outlook.spare[source, leave]
    return total


@rule
def is_detour(outlook, source, dest, slack):
    """Whether ships could go over another own planet and lose no more than `slack` turns."""
    for stop in range(outlook.planets):
        if stop != source and stop != dest and outlook.owner[stop, 0] == MINE:
            there = outlook.trip[source, stop]
            if (
                there + outlook.trip[stop, dest] <= outlook.trip[source, dest] + slack
                and outlook.owner[stop, there] == MINE
            ):
                return True
    return False


@rule
def list_steps(outlook, siege, steps, weights):
    """All steps worth a look; `siege` must be of this outlook."""
    count = 0
    for dest in range(outlook.planets):
        count = list_captures(outlook, siege, steps, count, dest, weights.far)
    for source in range(outlook.planets):
        if outlook.owner[source, 0] != MINE or outlook.spare[source, 0] == 0:
            continue
        for dest in range(outlook.planets):
            turns = outlook.trip[source, dest]
            owner = outlook.owner[dest, turns] if turns < outlook.span else NEUTRAL
            if dest == source or (owner != MINE and (owner == NEUTRAL or turns > weights.raids)):
                continue
            if weights.relay < 0 or owner != MINE or not is_detour(outlook, source, dest, weights.relay):
                count = add_step(steps, count, dest, turns, 0, source)
    return count


@rule
def bring_best_forward(steps, first, count):
    """Put the step with the most gain at `first`."""
    best = first
    for k in range(first + 1, count):
        if steps[k].gain > steps[best].gain:
            best = k
    held = steps[first].dest, steps[first].arrive, steps[first].need, steps[first].source, steps[first].gain
    one, other = steps[first], steps[best]
    one.dest, one.arrive, one.need, one.source, one.gain = (
        other.dest,
        other.arrive,
        other.need,
        other.source,
        other.gain,
    )
    other.dest, other.arrive, other.need, other.source, other.gain = held
