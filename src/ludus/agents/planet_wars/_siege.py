"""What a position is worth: the growth of every planet if both sides threw all they can spare at it.

For each planet on its own, both players stream their spare ships at it, as they become spare, to the end of the
outlook. What survives everything thrown at it alone survives any part of it, so the sum over the planets is a safe
bound that needs no search. My streams start a little later than the rival's: I shall want some of those ships
elsewhere. A planet that stays neutral in the outlook is left alone; one that is taken is besieged from then on.

Nobody can throw everything at every planet, though, and who is behind would lose all of them in such a future and do
nothing. So each planet is besieged a second time, by a share of the streams, and both count. Where there is time, parts
between the two besiege it as well: what a few ships more or less decide then counts a little and not all or nothing.
"""

from __future__ import annotations

import numpy as np

from ludus.agents.planet_wars._outlook import COLUMNS, MINE, RIVALS, clash
from ludus.compile import rule
from ludus.games._planet_wars_maps import NEUTRAL
from ludus.games._planet_wars_text import MAX_PLANETS
from ludus.rules import record

SIEGE = record(
    work=np.int64,  # turns of streams and sieges so far
    out=(np.int32, (2, COLUMNS)),  # what leaves one planet, by turn
    stream=(np.int32, (2, MAX_PLANETS, COLUMNS)),  # what can land on each, mine and the rival's
)

WEIGHTS = record(
    span=np.int32,  # turns that are looked ahead
    delay=np.int32,  # turns by which my streams start later
    pull=np.float64,  # how bad a ship of the rival's is that still stands, in thousandths a turn
    sieges=np.int32,  # of each planet
    share=np.int32,  # sixteenths of the streams in the last siege; the first has all
    second=np.float64,  # how much the last siege counts beside the first
    raids=np.int32,  # longest trip of a move against the rival
    far=np.int32,  # longest trip to a planet of the rival's that is to be taken
    flow=np.float64,  # what may be lost for moving ships on that no step wanted
    starts=np.int32,
    tries=np.int32,
    cost=np.float64,  # how bad a ship is that is lost to neutral planets
    hope=np.float64,  # how much a planet counts that only a siege would win
    relay=np.int32,  # turns that a move by way of another own planet may take longer
    trust=np.float64,  # how much the rival's drafts count, against its giving no orders at all
    drafting=np.int64,  # turns of sieges after which no more drafts are made
    work=np.int64,  # and after which no more lines are played out
    plays=np.int32,  # lines that are played out
    casts=np.int32,  # play-outs of each line
    turns=np.int32,  # of a play-out
    beyond=np.int32,  # turns of growth after it that count
    sight=np.float64,  # how much the play-outs count beside the table
    risk=np.float64,  # by how much the table may say less of a line than of the best
)

WHOLE = 16


@rule
def open_streams(outlook, siege, delay):
    """All that both sides can bring to each planet that will not stay neutral."""
    last = outlook.span + 1
    siege.stream[:, : outlook.planets, :last] = 0
    for source in range(outlook.planets):
        sides = departures(outlook, siege, source, delay)
        for side in range(2):
            if sides >> side & 1 == 0:
                continue
            for dest in range(outlook.planets):
                turns = outlook.trip[source, dest]
                if dest != source and outlook.owner[dest, outlook.span] + outlook.owner[dest, 0] != NEUTRAL:
                    siege.work += last - turns
                    siege.stream[side, dest, turns:last] += siege.out[side, : last - turns]


@rule
def departures(outlook, siege, source, delay):
    """What can leave a planet in each turn; a mask of the sides that have any."""
    sides, holder, gone = 0, NEUTRAL, 0
    for t in range(outlook.span + 1):
        owner = outlook.owner[source, t]
        if owner != holder:
            holder, gone = owner, 0
        more = 0
        if owner == RIVALS or (owner == MINE and t >= delay):
            more = outlook.spare[source, t] - gone
            gone += more
            sides |= owner if more > 0 else 0
        siege.out[0, t] = more if owner == MINE else 0
        siege.out[1, t] = more if owner == RIVALS else 0
    return sides


@rule
def held(owner, expected, weights):
    """How much a turn of growth counts, -1 … 1: what only a siege would win from the rival is partly as it was."""
    if owner == MINE and expected == RIVALS:
        return 2.0 * weights.hope - 1.0
    return 1.0 if owner == MINE else -1.0


@rule
def besieged(outlook, siege, planet, weights, share):
    """The worth of one planet under `share` sixteenths of the streams, once it is no longer neutral."""
    siege.work += outlook.span
    if outlook.owner[planet, outlook.span] == NEUTRAL:
        return 0.0
    t = 0
    while outlook.owner[planet, t] == NEUTRAL:
        t += 1
    owner, ships, growth = outlook.owner[planet, t], outlook.ships[planet, t], outlook.growth[planet]
    mine, rivals = 0, 0  # who could have been here earlier waits until the neutral ships are beaten
    for before in range(t + 1):
        mine += siege.stream[0, planet, before] * share // WHOLE
        rivals += siege.stream[1, planet, before] * share // WHOLE
    worth, standing = 0.0, 0
    while t < outlook.span:
        t += 1
        worth += growth * held(owner, outlook.owner[planet, t - 1], weights)
        mine += outlook.landing[0, planet, t] + (siege.stream[0, planet, t] * share // WHOLE)
        rivals += outlook.landing[1, planet, t] + (siege.stream[1, planet, t] * share // WHOLE)
        ships += growth
        if mine + rivals > 0:
            owner, ships = clash(owner, ships, mine, rivals)
            mine, rivals = 0, 0
        standing += ships if owner == RIVALS else 0
    return worth - 0.001 * weights.pull * standing


@rule
def lost_to_neutrals(outlook, planet):
    """Ships that I lose against the neutral garrison, less those that the rival does."""
    lost = 0
    for t in range(1, outlook.span + 1):
        if outlook.owner[planet, t - 1] != NEUTRAL:
            break
        mine, rivals = outlook.landing[0, planet, t], outlook.landing[1, planet, t]
        if mine + rivals > 0:
            fallen = outlook.ships[planet, t - 1]
            fallen -= outlook.ships[planet, t] if outlook.owner[planet, t] == NEUTRAL else 0
            lost += fallen if mine > rivals else -fallen
    return lost


@rule
def worth_of(outlook, siege, weights):
    """What the outlook promises me over the rival, in ships at its end."""
    open_streams(outlook, siege, weights.delay)
    worth = 0.0
    for planet in range(outlook.planets):
        worth += in_sieges(outlook, siege, planet, weights)
        if outlook.owner[planet, 0] == NEUTRAL:
            worth -= weights.cost * (1.0 + weights.second) * lost_to_neutrals(outlook, planet)
    return worth


@rule
def in_sieges(outlook, siege, planet, weights):
    """The worth of one planet under all of the streams, under a share of them, and under parts between the two."""
    worth, last = 0.0, weights.sieges - 1
    for k in range(weights.sieges):
        share = (WHOLE * (last - k) + weights.share * k + last // 2) // last
        counts = (last - k + weights.second * k) / last
        if counts > 0.0:
            worth += counts * besieged(outlook, siege, planet, weights, share)
    return 2.0 * worth / weights.sieges
