"""By how much a player of Planet Wars leads: the margin that evolution rewards."""

from __future__ import annotations

from ludus.compile import rule


@rule
def lead(state, player):
    """Own ships beyond the rival's, under way and on planets, in percent of those of both."""
    ships = [0, 0]
    for side in range(2):
        for k in range(state.under_way[side]):
            ships[side] += state.fleet_ships[side, k]
    for planet in range(state.planets):
        if state.owner[planet] > 0:
            ships[state.owner[planet] - 1] += state.ships[planet]
    return 100.0 * (ships[player] - ships[1 - player]) / max(1, ships[0] + ships[1])


MARGIN = lead
