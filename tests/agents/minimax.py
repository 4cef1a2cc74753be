"""What the tests of searching agents share: plain minimax, positions of random matches, and an agent's thoughts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ludus import agent, kernels
from ludus.agent import Thoughts
from ludus.game import Game, View
from ludus.rng import match_words, stream
from ludus.search.table import DELAY, PROVEN


class Minimax:
    """Minimax by the book, for one player of one game: no window, no order of moves, only a memory of whole answers."""

    def __init__(self, game: Game, player: int):
        self.game, self.player = game, player
        self.known: dict[tuple[bytes, int], float] = {}

    def value(self, states: np.ndarray, depth: int) -> float:
        """The player's return with best play, as far as `depth` plies show it; a win loses a trifle with every ply."""
        place = states.tobytes(), depth
        if place not in self.known:
            self.known[place] = self._value(states, depth)
        return self.known[place]

    def _value(self, states: np.ndarray, depth: int) -> float:
        mask = int(self.game.waiting(states)[0])
        if mask == 0:
            return float(self.game.payoffs(states)[0, self.player])
        if depth == 0:
            return min(max(self._estimate(states), -0.999), 0.999)
        mover = mask.bit_length() - 1
        after = successors(self.game, states, mover)
        values = [later(self.value(after[k : k + 1], depth - 1)) for k in range(len(after))]
        return max(values) if mover == self.player else min(values)

    def _estimate(self, states: np.ndarray) -> float:
        out = np.zeros(1)
        self.game.kernel(kernels.estimates)(states, np.array([self.player]), out)
        return float(out[0])


def later(value: float) -> float:
    return value - DELAY if value > PROVEN else value + DELAY if value < -PROVEN else value


def successors(game: Game, states: np.ndarray, mover: int) -> np.ndarray:
    """The positions after each action on the mover's menu."""
    menu = game.menu(states, mover)
    after = np.repeat(states, len(menu))
    joint = np.full((len(menu), game.facts.players[1]), -1, np.int32)
    joint[:, mover] = menu
    game.advance(after, joint, np.zeros((len(menu), 1), np.uint64))
    return after


def start(game: Game, rules: Mapping[str, object] | None = None, players: int = 2) -> np.ndarray:
    return game.start(match_words(1, np.arange(1), 0, players), players, game.rule_values("default", rules))


def mover_of(game: Game, states: np.ndarray) -> int:
    return int(game.waiting(states)[0]).bit_length() - 1


def random_positions(
    game: Game, plies: int, matches: int, rules: Mapping[str, object] | None = None, players: int = 2
) -> Iterator[np.ndarray]:
    """Positions of random matches after so many plies, where the match still goes on."""
    words = match_words(plies, np.arange(matches), 0, players)
    states = game.start(words, players, game.rule_values("default", rules))
    game.kernel(kernels.rollouts)(states, words, np.zeros(matches, np.int64), plies)
    for k in np.flatnonzero(game.waiting(states)):
        yield states[k : k + 1]


def thoughts_on(spec: str, game: Game, states: np.ndarray, seed: int = 1) -> Thoughts:
    """What an agent thinks of a position with one player to move."""
    thinker = agent(spec, game)
    thinker.act(View(game, states, mover_of(game, states)), stream(seed))
    assert thinker.thoughts is not None
    return thinker.thoughts
