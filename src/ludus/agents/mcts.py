"""Monte Carlo tree search for every kind of game: its settings, its limits and its thoughts; see `ludus.search`.

Where players choose at once the most tried action is played by default: that does best against rivals who do not adapt
(by 4 % of the points in goofspiel). With `mix` the action is drawn by its visits: where the right play is mixed, the
best answer to it then gains 0.1 instead of 0.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent, Thoughts
from ludus.agents._evaluation import judging, load_evaluation
from ludus.errors import BadSpec
from ludus.game import View
from ludus.search.limits import chunks, clock
from ludus.search.tree import SIMS, Tree, make_tree
from ludus.search.uct import decide, grow, search_all
from ludus.settings import setting


@dataclass
class Mcts(Agent):
    """Monte Carlo tree search: turns, simultaneous moves, chance and hidden information."""

    name: ClassVar[str] = "mcts"
    compiled: ClassVar[bool] = True

    sims: int = setting(400, "simulations a move", low=1, high=10_000_000)
    c: float = setting(1.0, "exploration: larger tries more, returns lie in [-1, 1]", low=0)
    horizon: int = setting(-1, "random steps before a leaf is judged; -1 plays to the end", low=-1)
    run: str = setting("", "a run of `ludus train td` that judges leaves, instead of the game's heuristic")
    ms: float = setting(0.0, "milliseconds of computing a move instead of simulations; 0 counts simulations", low=0)
    mix: float = setting(1.0, "where players choose at once: 1 plays the most visited action, less draws one", low=0)

    def prepare(self, game) -> None:
        super().prepare(game)
        self._evaluation = load_evaluation(game, self.run)
        self._horizon = max(self.horizon, 0) if self.run else self.horizon
        if self._horizon >= 0 and not self.run and not game.writes("heuristic"):
            raise BadSpec(f"mcts: horizon needs a heuristic, and {game.name} has none")

    @property
    def repeatable(self) -> bool:
        return not self.ms

    def _tree(self) -> Tree:
        # With a limit in time: room for 2000 simulations a millisecond; a full table only stops the tree from growing.
        return make_tree(self.game, int(min(max(self.ms * 2000, 1 << 12), 1 << 19)) if self.ms else self.sims)

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        if self.ms:
            rows = (self.think(views[i : i + 1], int(players[i]), words[i]) for i in range(len(views)))
            return np.array([thoughts.actions[0] for thoughts in rows], np.int32)
        out = np.empty(len(views), np.int32)
        search, judged = self.game.kernel(search_all), judging(self.game, views, self._evaluation)
        search(self._tree(), views, players, words, self.sims, self.c, self.mix, self._horizon, judged, out)
        return out

    def act(self, view: View, rng: np.ndarray) -> int:
        self.thoughts = self.think(view.states, view.player, rng)
        return self.thoughts.actions[0]

    def think(self, views: np.ndarray, player: int, rng: np.ndarray) -> Thoughts:
        """What a search finds for a player who sees this, with the words of its stream."""
        menu = self.game.menu(views, player)
        if len(menu) == 1:
            return Thoughts(0.0, [int(menu[0])], [0.0], [0], note="forced")
        tree, solved, grow_on = self._tree(), False, self.game.kernel(grow)
        judged = judging(self.game, views, self._evaluation)
        for chunk in self._chunks():
            solved = grow_on(tree, views, 0, player, rng, chunk, self.c, self._horizon, judged)
            if solved:
                break
        first, chosen = self.game.kernel(decide)(tree, views, 0, player, rng, self.mix)
        note = f"{tree.used[SIMS]} simulations{', solved' * solved}"
        return _thoughts(menu, tree.arms[first : first + len(menu)], chosen, note)

    def _chunks(self) -> Iterator[int]:
        """How many simulations to add, again and again up to the limit; the first time none, which compiles."""
        yield 0
        if self.ms:
            yield from chunks(clock() + self.ms / 1000, 1)
        else:
            yield self.sims


def _thoughts(menu: np.ndarray, arms: np.ndarray, chosen: int, note: str) -> Thoughts:
    """The chosen action first, then the others in the order of `is_better`."""
    proven = np.where(arms["spread"] == 0, arms["worth"], 0)
    order = np.lexsort((-arms["worth"], -arms["visits"], -proven, np.arange(len(menu)) != chosen))
    worth, visits = arms["worth"][order].tolist(), arms["visits"][order].tolist()
    return Thoughts(worth[0], menu[order].tolist(), worth, visits, note=note)
