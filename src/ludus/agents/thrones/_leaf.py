"""What a position is worth to the scripted players of Thrones: two evaluations of a leaf (the third is in `_net`), and
the danger that the published bots do not look into."""

from __future__ import annotations

import numpy as np

from ludus.agents.thrones._terms import (
    NEVER,
    home,
    loose_tiles,
    reach_of_enemy,
    reach_of_walkers,
    steps_to_land,
    trail_cells,
)
from ludus.compile import rule
from ludus.games.thrones import MAX_CELLS, move, steps_apart
from ludus.rules import record

WEIGHTS = record(
    territory=np.float64, early=np.float64, early_share=np.float64, trail=np.float64, loose=np.float64,
    leash=np.float64, leash_length=np.float64, short_leash=np.float64, ratio=np.float64, ratio_limit=np.float64,
    enemy=np.float64, enemy_range=np.float64, walker=np.float64, walker_range=np.float64, shelter=np.float64,
    position=np.float64, shy_outside=np.float64, shy_inside=np.float64, race=np.float64,
)  # fmt: skip
"""Of the explicit heuristic; `bot1` says what each means."""

SMALL_ROOM = 400
"""Cells, with walls, up to which a room is small."""


# ------------------------------------------------------------------------------------------------ terms of a leaf


@rule
def root_terms(state, player, cells):
    """Territory, trail and loose tiles: what a leaf is compared with."""
    n = trail_cells(state, player, cells)
    return state.area[player], state.trail[player], loose_tiles(state, player, cells, n)


@rule
def threatens(state, player, action, weights, spare, cells, queue, seen):
    """Whether the published bots refuse the move: a walker would be dangerously close or, with `race`, the enemy could
    reach the trail before the head is home."""
    spare[0] = state
    after = spare[0]
    move(after, player, action)
    if after.winner != 0:
        return False
    n = trail_cells(after, player, cells)
    walkers = reach_of_walkers(after, cells, n)
    if after.inside[player] != 0:
        return walkers <= weights.shy_inside
    if walkers <= weights.shy_outside:
        return True
    return weights.race > 0.0 and reach_of_enemy(after, player, cells, n) <= home(after, player, queue, seen)


# ------------------------------------------------------------------------------------------------ the assistants' bot


@rule
def risk(state, player, cells, queue, seen):
    """What being outside is worth: a trail promises land, unless somebody can reach it before the head is home."""
    if state.inside[player] != 0:
        return 0.0
    way = home(state, player, queue, seen)
    if way == NEVER:
        return -300.0
    n = trail_cells(state, player, cells)
    worth = 3.0 * min(n, 6) - 0.5 * way
    if reach_of_enemy(state, player, cells, n) <= way:
        worth -= 80.0
    if reach_of_walkers(state, cells, n) <= way:
        worth -= 80.0
    return worth


@rule
def assistant_value(state, player, cells, queue, seen):
    worth = 10.0 * (state.area[player] - state.area[1 - player])
    worth += risk(state, player, cells, queue, seen) - risk(state, 1 - player, cells, queue, seen)
    if state.inside[player] != 0:
        worth -= 1.5 * min(steps_to_land(state, player), state.rows + state.cols)
    return worth


# ----------------------------------------------------------------------------------------------- the explicit heuristic


@rule
def explicit_value(state, player, weights, base, cells, queue, seen):
    """Sections 2.2.1 to 2.2.6 of the paper; `base` is what `root_terms` found."""
    n = trail_cells(state, player, cells)
    gain = weights.territory * (state.area[player] - base[0])
    if base[0] < weights.early_share * state.fillable:
        gain *= weights.early
    gain += weights.trail * (state.trail[player] - base[1])
    gain += weights.loose * (loose_tiles(state, player, cells, n) - base[2])
    way = min(home(state, player, queue, seen), state.rows + state.cols)
    leash = weights.short_leash if state.rows * state.cols <= SMALL_ROOM else weights.leash_length
    if way > leash:
        gain -= weights.leash * (way - leash) ** 2
    ratio = state.trail[player] / max(state.area[player], 1)
    if ratio > weights.ratio_limit:
        gain -= weights.ratio * (ratio - weights.ratio_limit)
    near = reach_of_enemy(state, player, cells, n)
    gain += proximity(state, player, near, weights.enemy, weights.enemy_range, weights.shelter)
    for k in range(state.walkers):
        near = NEVER
        for c in range(n):
            near = min(near, steps_apart(state.walker[k], cells[c], state.cols))
        gain += proximity(state, player, near, weights.walker, weights.walker_range, weights.shelter)
    return gain + weights.position * steps_apart(state.head[player], start_of(state, player), state.cols)


@rule
def proximity(state, player, near, weight, reach, shelter):
    """Somebody near is a danger outside, which grows as the distance shrinks, and a chance inside."""
    if near > reach:
        return 0.0
    return shelter if state.inside[player] != 0 else -weight * (reach + 1.0 - near) / reach


@rule
def start_of(state, player):
    """The corner where a player begins in the rooms of the course."""
    return state.cols + 1 if player == 0 else (state.rows - 1) * state.cols - 2


assert MAX_CELLS < NEVER
