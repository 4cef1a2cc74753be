"""The law of parity at work: of two players only one, the *hunter*, can ever take the other's head.

A hunter catches whoever it hunts, wherever that runs, in an empty room without walkers. On its turns the heads are an
odd number of steps apart, so one of the two distances, in rows and in columns, is larger: it takes a step along that
one. Once both are equal on the other's turns (the *opposition*) they stay equal. A step away from the hunter is
followed, which can happen only as often as walls leave room; any other step brings both closer. The hunter only ever
walks towards the other, so its trail lies behind it, out of reach.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ludus.agents.thrones._sweep import strike
from ludus.agents.thrones._terms import NEVER, is_fatal
from ludus.compile import rule, template
from ludus.game import Game
from ludus.games.thrones import (
    CELL,
    COL_STEP,
    DRAW,
    ROW_STEP,
    TRAIL,
    can_take_heads,
    prospects,
    steps_apart,
    win_at,
)

UP, DOWN, LEFT, RIGHT = range(4)

LONGEST = 24
"""Steps of the hunted one beyond which the champion does not count."""


@rule
def hunt(state, player):
    """The hunter's step that brings the heads into opposition or keeps them there, or onto a trail beside it; -1 if
    this is no time to hunt."""
    if state.walkers > 0 or state.params.head_kill == 0 or can_take_heads(state, player) == 0:
        return -1
    near = strike(state, player)
    if near >= 0:
        return near
    head, prey, cols = state.head[player], state.head[1 - player], state.cols
    down, right = prey // cols - head // cols, prey % cols - head % cols
    vertical, level = DOWN if down > 0 else UP, RIGHT if right > 0 else LEFT
    action = vertical if abs(down) > abs(right) else level
    if is_fatal(state, player, action) or not is_behind(state, player, down, right):
        return -1
    return action


@rule
def is_behind(state, player, down, right):
    """Whether the enemy can get at no tile of the player's trail without passing its head: none lies on the enemy's
    side of it, before the opposition in the larger distance alone, then in both."""
    cols, left = state.cols, state.trail[player]
    row, col = state.head[player] // cols, state.head[player] % cols
    cell = 0
    while left > 0:
        if state.board[cell] == TRAIL + player:
            left -= 1
            below, beside = (cell // cols - row) * down > 0, (cell % cols - col) * right > 0
            if (below and beside) or (below and abs(down) > abs(right) + 1) or (beside and abs(right) > abs(down) + 1):
                return False
        cell += 1
    return True


# ------------------------------------------------------------------------------------------------ how long one can run


@template
def fill_flights(rows, cols, limit, flights):
    """For each cell of the hunted one, who moves, and of the hunter: how many steps the former lives in an empty room,
    at most `limit`, if both do their best."""
    cells = rows * cols
    for longest in range(1, limit + 1):
        for prey in range(cells):
            for hunter in range(cells):
                at = prey * cells + hunter
                inside = in_room(rows, cols, prey) and in_room(rows, cols, hunter) and prey != hunter
                open_yet = inside and steps_apart(prey, hunter, cols) & 1 == 0 and flights[at] == longest - 1
                if open_yet and lives(rows, cols, prey, hunter, longest, flights):
                    flights[at] = longest


@rule
def in_room(rows, cols, cell):
    return 0 < cell // cols < rows - 1 and 0 < cell % cols < cols - 1


@rule
def lives(rows, cols, prey, hunter, longest, flights):
    """Whether some step of the hunted one leads where no answer of the hunter's leaves it less than longest - 1."""
    for action in range(4):
        there = prey + ROW_STEP[action] * cols + COL_STEP[action]
        escapes = in_room(rows, cols, there) and steps_apart(there, hunter, cols) > 1
        if escapes and shortest_flight(rows, cols, there, hunter, longest, flights) >= longest - 1:
            return True
    return False


@rule
def shortest_flight(rows, cols, prey, hunter, limit, flights):
    """What the hunter, who moves, leaves."""
    least = limit
    for action in range(4):
        there = hunter + ROW_STEP[action] * cols + COL_STEP[action]
        if in_room(rows, cols, there):
            least = min(least, flights[prey * rows * cols + there])
    return least


@rule
def flight(state, hunted, flights):
    """How many steps the hunted one can still run."""
    prey, hunter = state.head[hunted], state.head[1 - hunted]
    if steps_apart(prey, hunter, state.cols) & 1 == 0:
        return flights[prey * state.rows * state.cols + hunter]
    if steps_apart(prey, hunter, state.cols) == 1:
        return np.int16(0)
    return shortest_flight(state.rows, state.cols, prey, hunter, LONGEST, flights)


# ------------------------------------------------------------------------------------------------ an estimate


class Judge(NamedTuple):
    """What the hunted one's place is valued by."""

    weights: np.ndarray
    """Of a step it can run, of a step towards the hunter's trail, and from how many steps away that counts."""
    flights: np.ndarray


@rule
def standing(state, player, judge):
    """What the game's own estimate says, and how the hunted one stands."""
    if state.winner != 0:
        return 0.0 if state.winner == DRAW else 1.0 if state.winner == 1 + player else -1.0
    lead = 1.0 * (prospects(state, player) - prospects(state, 1 - player))
    if state.params.head_kill != 0:
        hunted = 0 if can_take_heads(state, 1) != 0 else 1
        free = freedom(state, hunted, judge)
        lead += free if hunted == player else -free
    return max(-0.99, min(0.99, lead / (CELL * win_at(state))))


@rule
def freedom(state, hunted, judge):
    """How long it can run, and how near it is to the hunter's trail."""
    weights = judge.weights
    worth = CELL * weights[0] * flight(state, hunted, judge.flights)
    if state.trail[1 - hunted] > 2:
        worth += CELL * weights[1] * max(0.0, weights[2] - steps_to_trail(state, hunted))
    return worth


@rule
def steps_to_trail(state, player):
    """From the player's head to the nearest tile of the enemy's trail."""
    nearest, left, cell = NEVER, state.trail[1 - player], 0
    while left > 0:
        if state.board[cell] == TRAIL + 1 - player:
            left -= 1
            nearest = min(nearest, steps_apart(state.head[player], cell, state.cols))
        cell += 1
    return nearest


@cache
def flights_of(game: Game, rows: int, cols: int, limit: int = LONGEST) -> np.ndarray:
    """Of a room of this size, walls included, as `fill_flights` orders them."""
    flights = np.zeros((rows * cols) ** 2, np.int16)
    game.kernel(fill_flights)(rows, cols, limit, flights)
    return flights
