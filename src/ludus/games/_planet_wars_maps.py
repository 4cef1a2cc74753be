"""Maps of Planet Wars: the contest's two generators, as rules that fill a fresh record, and the length of a trip.

Coordinates are rounded to a grid of 1/1024. On it the point reflections of the classic maps are exact; those of the
finals' maps, and their mirror images, are off by less than the 0.002 that keeps every distance away from whole numbers.
So twins have trips of equal length, on every machine and in every language.
"""

import math

from ludus.games._planet_wars_text import trip_turns
from ludus.rng import below, uniform
from ludus.rules import rule

NEUTRAL = 0
GRID = 1024.0
HOME_SHIPS = 100
HOME_GROWTH = 5


@rule
def snapped(value):
    return math.floor(value * GRID + 0.5) / GRID


@rule
def put(state, x, y, owner, ships, growth):
    planet = state.planets
    state.x[planet] = x
    state.y[planet] = y
    state.owner[planet] = owner
    state.ships[planet] = ships
    state.growth[planet] = growth
    state.planets += 1


@rule
def draw_classic_map(state, rng):
    put(state, 0.0, 0.0, NEUTRAL, 1 + below(rng, 150), below(rng, 6))
    for pair in range(1 + state.params.pairs):
        home = pair == 0
        growth = HOME_GROWTH if home else 1 + below(rng, 5)
        ships = HOME_SHIPS if home else 1 + below(rng, 90)
        x, y = snapped(24.0 * uniform(rng) - 12.0), snapped(24.0 * uniform(rng) - 12.0)
        while not has_room(state, x, y, growth, 4.0 if home else 1.0):
            x, y = snapped(24.0 * uniform(rng) - 12.0), snapped(24.0 * uniform(rng) - 12.0)
        put(state, x, y, 1 if home else NEUTRAL, ships, growth)
        put(state, -x, -y, 2 if home else NEUTRAL, ships, growth)
    low_x, low_y = state.x.min(), state.y.min()
    shift(state, -low_x, -low_y)


@rule
def has_room(state, x, y, growth, twin_gap):
    """Far enough from all planets and from its own twin; big planets need more room."""
    for other in range(state.planets):
        gap = max(1.0, 0.4 * (math.sqrt(growth) + math.sqrt(state.growth[other])))
        if math.sqrt((x - state.x[other]) ** 2 + (y - state.y[other]) ** 2) <= gap:
            return False
    return 2.0 * math.sqrt(x * x + y * y) > max(twin_gap, 0.8 * math.sqrt(growth))


@rule
def shift(state, right, up):
    for planet in range(state.planets):
        state.x[planet] += right
        state.y[planet] += up


@rule
def draw_finals_map(state, rng):
    mirrored = below(rng, 2) == 1
    planets = 15 + below(rng, 16) if mirrored else 15 + 2 * below(rng, 8)
    put(state, 0.0, 0.0, NEUTRAL, 1 + below(rng, 100), below(rng, 6))
    angle_1 = 2.0 * math.pi * uniform(rng)
    angle_2 = angle_1 + math.pi
    while state.planets == 1:
        if mirrored:
            angle_2 = 2.0 * math.pi * uniform(rng)
        reach = radius(rng)
        if reach >= 2.0:
            put_pair(state, reach, angle_1, angle_2, HOME_SHIPS, HOME_GROWTH, 3.0)
    state.owner[1], state.owner[2] = 1, 2
    # Planets as far from one home as from the other: their number makes the rest even.
    axis = (angle_1 + angle_2) / 2.0
    put_between(state, axis, mirrored, 3 + 2 * below(rng, 3) + ((planets - 3) & 1), rng)
    bargain = 5 * trip(state, 1, 2) - 1
    while state.planets < planets:
        reach, turned = radius(rng), 2.0 * math.pi * uniform(rng)
        second = angle_2 - turned if mirrored else angle_2 + turned
        ships, growth = 1 + below(rng, min(100, bargain)), 1 + below(rng, 5)
        if put_pair(state, reach, angle_1 + turned, second, ships, growth, 1.0):
            bargain = 100
    shift(state, 15.0, 15.0)


@rule
def radius(rng):
    """Of a point in a disc of radius 15, every part of it equally likely."""
    return 15.0 * math.sqrt(uniform(rng))


@rule
def put_between(state, axis, mirrored, planets, rng):
    while state.planets < planets:
        reach, ships, growth = radius(rng), 1 + below(rng, 100), 1 + below(rng, 5)
        if not mirrored:
            put_pair(state, reach, axis, axis + math.pi, ships, growth, 1.0)
            continue
        turned = axis + math.pi * below(rng, 2)
        x, y = snapped(reach * math.cos(turned)), snapped(reach * math.sin(turned))
        if is_clear(state, x, y):
            put(state, x, y, NEUTRAL, ships, growth)


@rule
def put_pair(state, reach, angle_1, angle_2, ships, growth, gap):
    """A planet and its twin, more than `gap` apart; False, and nothing put, if there is no room."""
    x1, y1 = snapped(reach * math.cos(angle_1)), snapped(reach * math.sin(angle_1))
    x2, y2 = snapped(reach * math.cos(angle_2)), snapped(reach * math.sin(angle_2))
    if not is_clear(state, x1, y1) or not is_clear(state, x2, y2):
        return False
    put(state, x1, y1, NEUTRAL, ships, growth)
    if is_clear(state, x2, y2) and math.sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2) > gap:
        put(state, x2, y2, NEUTRAL, ships, growth)
        return True
    state.planets -= 1
    return False


@rule
def is_clear(state, x, y):
    """At least two turns from every planet, by distances that no rounding can push over a whole number."""
    for other in range(state.planets):
        distance = math.sqrt((x - state.x[other]) ** 2 + (y - state.y[other]) ** 2)
        if distance <= 1.0 or abs(distance - math.floor(distance + 0.5)) < 0.002:
            return False
    return True


turns_over = rule(trip_turns)


@rule
def trip(state, a, b):
    """Turns of travel between two planets. A table would be no faster and would add a third to the record."""
    return turns_over(state.x[a] - state.x[b], state.y[a] - state.y[b])
