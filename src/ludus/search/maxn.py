"""Max^n for three players or more: everybody looks after itself, so a position has a value for each player.

Nothing can be cut off by bounds alone, but a player who has found a certain win looks no further.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.rng import stream
from ludus.rules import SEATS, legal, record, returns, step, to_act
from ludus.search.alphabeta import BEGIN, DONE, NODES, PLY, player_of
from ludus.search.evaluation import Evaluation, estimate, is_judged
from ludus.search.table import DELAY, PROVEN

PLACE = record(best=np.int32, mover=np.int32, count=np.int32, tried=np.int32)


class Levels(NamedTuple):
    """The memory of a search to some depth, one row a ply."""

    states: np.ndarray  # State[1 + depth]
    places: np.ndarray  # PLACE[1 + depth]
    menus: np.ndarray  # int32[1 + depth, MAX_ACTIONS]
    worths: np.ndarray  # float64[1 + depth, SEATS]: of the best move so far
    counters: np.ndarray  # int64[2]
    actions: np.ndarray  # int32[SEATS]
    evaluation: Evaluation


@template
def enter_place(levels, ply, depth):
    """Look at a new position; true if what it is worth is known without trying its moves."""
    state, place, worth = levels.states[ply], levels.places[ply], levels.worths[ply]
    levels.counters[NODES] += 1
    mask = to_act(state)
    if mask == 0:
        returns(state, worth)
    elif ply == depth:
        for player in range(state.players):
            worth[player] = estimate(state, player, levels.evaluation) if is_judged(levels.evaluation) else 0.0
            worth[player] = min(max(worth[player], -0.999), 0.999)
    else:
        place.mover, place.tried, place.best = player_of(mask), 0, -1
        if ply > 0:
            place.count = legal(state, place.mover, levels.menus[ply])
        worth[place.mover] = -np.inf
        return False
    return True


@template
def take_worth(levels, ply, action):
    """The move at hand is worth what the position after it is, a little later."""
    place, worth, found = levels.places[ply], levels.worths[ply], levels.worths[ply + 1]
    if found[place.mover] <= worth[place.mover]:
        return
    place.best = action
    for player in range(SEATS):
        value = found[player]
        worth[player] = value - DELAY if value > PROVEN else value
    if worth[place.mover] > PROVEN:
        place.tried = place.count


@template
def search_levels(levels, depth, budget, rng):
    """Search the first position to a depth, or go on where the budget ended last time."""
    places, counters, actions = levels.places, levels.counters, levels.actions
    ply = counters[PLY]
    if ply == BEGIN:
        ply = 0
        enter_place(levels, 0, depth)
    while True:
        place = places[ply]
        if place.tried == place.count:
            if ply == 0:
                counters[PLY] = DONE
                return
            ply -= 1
            take_worth(levels, ply, levels.menus[ply, places[ply].tried - 1])
        elif counters[NODES] >= budget:
            counters[PLY] = ply
            return
        else:
            for seat in range(SEATS):
                actions[seat] = -1
            actions[place.mover] = levels.menus[ply, place.tried]
            place.tried += 1
            levels.states[ply + 1] = levels.states[ply]
            step(levels.states[ply + 1], actions, rng)
            if enter_place(levels, ply + 1, depth):
                take_worth(levels, ply, levels.menus[ply, place.tried - 1])
            else:
                ply += 1


class MaxN:
    """One search, deepened step by step; as `alphabeta.Deepening`."""

    def __init__(self, game: Game, views: np.ndarray, player: int, menu: np.ndarray, evaluation: Evaluation):
        self.game, self.views, self.player, self.menu, self.evaluation = game, views, player, menu, evaluation
        self.counters = np.zeros(2, np.int64)
        self.best, self.value, self.reached = int(menu[0]), 0.0, 0

    @property
    def nodes(self) -> int:
        return int(self.counters[NODES])

    @property
    def is_decided(self) -> bool:
        return abs(self.value) > PROVEN

    def begin(self, depth: int) -> None:
        game, rows = self.game, depth + 1
        longest, seats = game.facts.max_actions, game.facts.players[1]
        self.levels = Levels(
            np.zeros(rows, game.state_type), np.zeros(rows, PLACE), np.empty((rows, longest), np.int32),
            np.zeros((rows, seats)), self.counters, np.empty(seats, np.int32), self.evaluation,
        )  # fmt: skip
        self.levels.states[0] = self.views[0]
        first = self.menu == self.best  # what was best at the last depth is tried first
        self.levels.menus[0, : len(self.menu)] = np.concatenate([self.menu[first], self.menu[~first]])
        self.levels.places[0].count = len(self.menu)
        self.depth, self.counters[PLY] = depth, BEGIN

    def go_on(self, budget: int) -> bool:
        """Search until so many positions were entered in all; true if this depth is finished."""
        self.game.kernel(search_levels)(self.levels, self.depth, budget, stream(0))
        root, finished = self.levels.places[0], bool(self.counters[PLY] == DONE)
        if root.best >= 0:
            self.best, self.value = int(root.best), float(self.levels.worths[0, self.player])
        if finished:
            self.reached = self.depth
        return finished

    def line(self) -> list[int]:
        return [self.best]
