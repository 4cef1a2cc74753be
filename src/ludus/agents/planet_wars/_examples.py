"""What the example bots of the contest have in common. Each looks at the position as it is and foresees nothing.

Four of them give at most one order a turn, of half the ships of one planet. Ties go to the lowest number.
"""

from ludus.compile import rule
from ludus.games._planet_wars_maps import NEUTRAL
from ludus.games._planet_wars_text import MAX_PLANETS, MOST_SHIPS, ROUTES
from ludus.games.planet_wars import DONE

NOBODY = -1


@rule
def is_idle(state, player, fleets):
    """Whether a bot that gives one order while fewer than `fleets` are under way has none to give."""
    return state.given[player] > 0 or state.under_way[player] >= fleets


@rule
def half_from(state, source, dest):
    """The order of half a planet's ships; DONE where that is none, or leads nowhere."""
    if min(source, dest) == NOBODY or source == dest:
        return DONE
    half = min(state.ships[source] // 2, MOST_SHIPS)
    return half * ROUTES + source * MAX_PLANETS + dest if half > 0 else DONE


@rule
def spare_source(state, player):
    """The own planet with the most ships for its growth."""
    best, most = NOBODY, -1.0
    for planet in range(state.planets):
        worth = state.ships[planet] / (1.0 + state.growth[planet])
        if state.owner[planet] == 1 + player and worth > most:
            best, most = planet, worth
    return best


@rule
def rich_target(state, player, rival_only):
    """The planet of another, or of the rival alone, with the most growth for its ships."""
    best, most = NOBODY, -1.0
    for planet in range(state.planets):
        if state.owner[planet] == 1 + player or (rival_only and state.owner[planet] == NEUTRAL):
            continue
        worth = (1.0 + state.growth[planet]) / state.ships[planet] if state.ships[planet] > 0 else 1e300
        if worth > most:
            best, most = planet, worth
    return best
