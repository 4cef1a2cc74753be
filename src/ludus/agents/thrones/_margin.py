"""By how much a player of Thrones leads: the margin that evolution rewards."""

from __future__ import annotations

from ludus.compile import rule


@rule
def lead(state, player):
    """Own cells beyond the enemy's."""
    return float(state.area[player] - state.area[1 - player])


MARGIN = lead
