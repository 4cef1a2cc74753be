"""What will become of every planet if nobody gives another order, from one player's side, exactly by the rules.

Column t of a table is the position that is seen t turns from now: column 0 is the present, and ships that are ordered
now over a trip of d turns are in column d. The player who looks is MINE, the other RIVALS, as in the contest's text.
"""

from __future__ import annotations

import numpy as np

from ludus.compile import rule
from ludus.games._planet_wars_maps import NEUTRAL, trip
from ludus.games._planet_wars_text import MAX_PLANETS, MAX_TRIP
from ludus.rules import record

MINE, RIVALS = 1, 2
COLUMNS = MAX_TRIP + 1

OUTLOOK = record(
    planets=np.int32,
    span=np.int32,  # the last column in use
    longest=np.int32,  # of all trips
    left=np.int32,  # turns to play
    growth=(np.int32, MAX_PLANETS),
    trip=(np.int32, (MAX_PLANETS, MAX_PLANETS)),
    landing=(np.int32, (2, MAX_PLANETS, COLUMNS)),  # ships that land: mine, then the rival's
    leaving=(np.int32, (2, MAX_PLANETS, COLUMNS)),  # ships that are planned to leave later: mine, then the rival's
    owner=(np.int32, (MAX_PLANETS, COLUMNS)),
    ships=(np.int32, (MAX_PLANETS, COLUMNS)),
    spare=(np.int32, (MAX_PLANETS, COLUMNS)),  # what its owner can take away by then without losing the planet for it
    free=(np.int32, MAX_PLANETS),  # what I can take away now; 0 from a planet that is not mine in all columns
)


@rule
def look(state, player, span, outlook):
    """Fill the tables from a state in which the player has given no order; `span` 0 takes the longest trip."""
    outlook.planets = state.planets
    outlook.left = state.params.turns - state.turn
    outlook.longest = 1
    for a in range(state.planets):
        outlook.growth[a] = state.growth[a]
        for b in range(a):
            turns = trip(state, a, b)
            outlook.trip[a, b] = outlook.trip[b, a] = turns
            outlook.longest = max(outlook.longest, turns)
        outlook.trip[a, a] = 0
    outlook.span = min(span, COLUMNS - 1) if span > 0 else outlook.longest
    outlook.landing[:, : state.planets, : outlook.span + 1] = 0
    outlook.leaving[:, : state.planets, : outlook.span + 1] = 0
    for side in range(2):
        owner = player if side == 0 else 1 - player
        for k in range(state.under_way[owner]):
            turns = state.fleet_turns[owner, k]
            if turns <= outlook.span:
                outlook.landing[side, state.fleet_route[owner, k] % MAX_PLANETS, turns] += state.fleet_ships[owner, k]
    for planet in range(state.planets):
        owner = state.owner[planet]
        outlook.owner[planet, 0] = NEUTRAL if owner == NEUTRAL else MINE if owner == 1 + player else RIVALS
        outlook.ships[planet, 0] = state.ships[planet]
        foresee(outlook, planet)


@rule
def clash(owner, ships, mine, rivals):
    """Who holds a planet after forces have landed on its garrison, and with how many ships."""
    neutral = ships if owner == NEUTRAL else 0
    mine += ships if owner == MINE else 0
    rivals += ships if owner == RIVALS else 0
    most = max(neutral, mine, rivals)
    lead = most - (neutral + mine + rivals - most - min(neutral, mine, rivals))
    if lead > 0:
        owner = MINE if mine == most else RIVALS if rivals == most else NEUTRAL
    return owner, lead


@rule
def foresee(outlook, planet):
    """Write the columns of one planet after the present one."""
    owner, ships, growth = outlook.owner[planet, 0], outlook.ships[planet, 0], outlook.growth[planet]
    for t in range(1, outlook.span + 1):
        if owner != NEUTRAL:
            ships += growth
        mine, rivals = outlook.landing[0, planet, t], outlook.landing[1, planet, t]
        if mine + rivals > 0:
            owner, ships = clash(owner, ships, mine, rivals)
        if owner != NEUTRAL:
            ships = max(0, ships - outlook.leaving[owner - 1, planet, t])
        outlook.owner[planet, t] = owner
        outlook.ships[planet, t] = ships
    find_spare(outlook, planet)


@rule
def find_spare(outlook, planet):
    """The fewest ships from a column on, as long as the planet does not change hands."""
    fewest, owner = 0, -1
    kept = True
    for t in range(outlook.span, -1, -1):
        if outlook.owner[planet, t] != owner:
            owner = outlook.owner[planet, t]
            fewest = outlook.ships[planet, t]
            kept = kept and owner == MINE
        fewest = min(fewest, outlook.ships[planet, t])
        outlook.spare[planet, t] = fewest if owner != NEUTRAL else 0
    outlook.free[planet] = fewest if kept else 0


@rule
def turn_round(outlook):
    """See the same from the rival's side."""
    for planet in range(outlook.planets):
        for t in range(outlook.span + 1):
            for table in (outlook.landing, outlook.leaving):
                mine = table[0, planet, t]
                table[0, planet, t] = table[1, planet, t]
                table[1, planet, t] = mine
            if outlook.owner[planet, t] != NEUTRAL:
                outlook.owner[planet, t] = MINE + RIVALS - outlook.owner[planet, t]
