"""Matches of the Organism paper's agents, many at once, turn by turn; and what is counted of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ludus import kernels
from ludus.agents.organism._search import Search
from ludus.game import Game
from ludus.games._organism_board import ELIMINATED, MOVE, TURN_LIMIT

FIRST_ACTIONS = ("eat", "grow", "move", "circulate")


@dataclass
class Played:
    """One match: the position before every turn and the last one, and who won."""

    states: list[np.ndarray]

    @property
    def end(self) -> np.ndarray:
        return self.states[-1]

    @property
    def winner(self) -> int:
        """1 or 2; 0 if nobody won."""
        return int(self.end["winner"])

    @property
    def is_cut_off(self) -> bool:
        return int(self.end["ending"]) == TURN_LIMIT

    @property
    def is_suicide(self) -> bool:
        """Whether the player on turn lost all of his elements by it."""
        return int(self.end["ending"]) == ELIMINATED and self.winner == 2 - int(self.end["mover"])

    @property
    def first_action(self) -> str:
        before, after = self.states[0], self.states[1]
        if (after["piece"] >> 2 == 1).sum() > (before["piece"] >> 2 == 1).sum():
            return "grow"
        if (after["piece"] != before["piece"]).any():
            return "move"
        held = [int(state["food"][before["piece"] >> 2 == 1].sum()) for state in (before, after)]
        return "eat" if held[1] > held[0] else "circulate"

    @property
    def mover_in_centre(self) -> bool:
        """Whether an M stood on the centre after some turn."""
        return any(int(state["piece"][0]) in (4 + MOVE, 8 + MOVE) for state in self.states)


class Counts(NamedTuple):
    """What is told of an iteration's matches."""

    matches: int
    first_wins: int
    suicides: int
    turns: float
    grows_first: int
    centre: int
    cut_off: int


def count(matches: Sequence[Played]) -> Counts:
    return Counts(
        len(matches),
        sum(match.winner == 1 for match in matches),
        sum(match.is_suicide for match in matches),
        float(np.mean([len(match.states) - 1 for match in matches])),
        sum(match.first_action == "grow" for match in matches),
        sum(match.mover_in_centre for match in matches),
        sum(match.is_cut_off for match in matches),
    )


class Room:
    """Matches that are played side by side by one or two searches; one that is cut off begins anew a few times if that
    is wanted: networks that never attack would go on for ever."""

    def __init__(self, game: Game, start: np.ndarray, searches: Sequence[Search], owners: np.ndarray, drawn: int):
        """`owners[match, seat]` says which search plays there; turns are drawn by visits in the first so many."""
        self.game, self.start, self.searches, self.owners, self.drawn = game, start, searches, owners, drawn

    def play(self, words: np.ndarray, again: int = 0) -> list[Played]:
        states, left = np.repeat(self.start, len(self.owners)), np.full(len(self.owners), again)
        matches = [Played([state.copy()]) for state in states]
        while (going := self._going(states)).any():
            for index, search in enumerate(self.searches):
                wanted = going & (self.owners[np.arange(len(states)), states["mover"]] == index)
                if wanted.any():
                    search.think(states, wanted)
                    search.move(states, wanted, states["turns"] < self.drawn, words)
            for k in np.flatnonzero(going):
                matches[k].states.append(states[k].copy())
                if left[k] and matches[k].is_cut_off:
                    states[k], matches[k] = self.start[0], Played([self.start[0].copy()])
                    left[k] -= 1
        return matches

    def _going(self, states: np.ndarray) -> np.ndarray:
        out = np.empty(len(states), np.int64)
        self.game.kernel(kernels.masks)(states, out)
        return out != 0
