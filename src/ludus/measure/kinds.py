"""What sort of action each was: what statistics of actions count.

Actions that a turn or a mirror of the board carries into each other are one kind, and so are all cells of a board:
nobody who places a stone at a1 does another kind of thing than who places it at c3. A game says more by `action_kind`.
"""

from __future__ import annotations

import re

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.rules import SYMMETRIES, reflect, reflect_action

CELL = re.compile(r"(?<![A-Za-wyz])[a-z][0-9]{1,2}(?![0-9])")
"""A cell in the notation of chess: a1, h8, s19."""


@template
def turn_alike(states, actions):
    """Turn each position, in place, so that the action has the least number of all that are the same to the rules."""
    for k in range(states.shape[0]):
        best, chosen = 0, actions[k]
        for symmetry in range(1, SYMMETRIES):
            action = reflect_action(states[k], symmetry, actions[k])
            if action < chosen:
                best, chosen = symmetry, action
        if best:
            reflect(states[k], best)
            actions[k] = chosen


def kinds_of(game: Game, states: np.ndarray, players: np.ndarray, actions: np.ndarray) -> list[str]:
    """A kind for each action of a player in a state."""
    if game.names["SYMMETRIES"] > 1:
        states, actions = states.copy(), actions.copy()
        game.kernel(turn_alike)(states, actions)
    decisions = zip(states, players.tolist(), actions.tolist())
    if game.writes("action_kind"):
        return [game.module.action_kind(*decision) for decision in decisions]
    return [CELL.sub("cell", game.action_text(*decision)) for decision in decisions]
