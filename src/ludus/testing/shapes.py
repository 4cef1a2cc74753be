"""What learners see and answer: features fill their shape, policy slots are distinct, and both turn with the board."""

from __future__ import annotations

import numpy as np

from ludus import kernels
from ludus.game import Game
from ludus.shapes import Shape

UNTOUCHED = -77.0
BEHIND = 1024
"""Numbers behind the features of the last state: an `observe` that writes too far is found there, and hurts nobody."""


def features(game: Game, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    return _guarded_features(game, states, seats)[: len(states)]


def _guarded_features(game: Game, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """With rows more than there are states, which nobody should touch."""
    rows, length = len(states) + 1 + BEHIND // game.features.length, game.features.length
    out = np.full((rows, length), UNTOUCHED, np.float32)
    game.kernel(kernels.features)(states, seats, out[: len(states)])
    return out


def stays_within(game: Game, shape: Shape, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """For each state whether `observe` writes nothing behind the shape at hand."""
    out, n = _guarded_features(game, states, seats) == UNTOUCHED, len(states)
    good = out[:n, shape.length :].all(axis=1)
    good[-1] &= out[n:].all()  # a row too long is seen only behind the last
    return good


def fills(game: Game, shape: Shape, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """For each state whether `observe` writes every number of the shape at hand: learners use one buffer again and
    again, and what was not written tells of another position."""
    return (features(game, states, seats)[:, : shape.length] != UNTOUCHED).all(axis=1)


def slots_of(game: Game, state: np.ndarray, player: int, actions: np.ndarray) -> np.ndarray:
    out = np.empty(len(actions), np.int64)
    game.kernel(kernels.policy_slots)(np.repeat(state, len(actions)), np.full(len(actions), player), actions, out)
    return out


def slot_fault(game: Game, shape: Shape, state: np.ndarray, player: int, menu: np.ndarray) -> str:
    """What is wrong with the slots of a menu; "" if nothing is."""
    slots = slots_of(game, state, player, menu)
    if slots.min() < 0 or slots.max() >= shape.length:
        worst = int(np.argmax((slots < 0) | (slots >= shape.length)))
        return f"action {menu[worst]} has slot {slots[worst]}, outside 0 … {shape.length - 1}"
    values, counts = np.unique(slots, return_counts=True)
    if counts.max() > 1:
        shared = menu[slots == values[np.argmax(counts)]]
        return f"actions {shared[0]} and {shared[1]} share slot {values[np.argmax(counts)]}"
    return ""


def turned_fault(game: Game, shape: Shape, state: np.ndarray, turned: np.ndarray, player: int) -> str:
    """A turned board shows the same numbers, signs apart, in other places: on the board and behind it."""
    pair = np.concatenate([state, turned])
    seen = np.abs(features(game, pair, np.full(2, player))[:, : shape.length])
    cells = shape.length - shape.extra
    for part, where in ((seen[:, :cells], "planes"), (seen[:, cells:], "numbers behind the planes")):
        one, other = np.sort(part, axis=1)
        if not np.allclose(one, other, atol=1e-4):
            return f"`observe` shows other {where} on the turned board, seat {player}"
    return ""
