"""Many trees at once, guided by priors; they stop at their leaves, hand them out in batches, and go on with answers.

A *wave* takes every tree from the answer to its last leaf to its next one: one leaf a tree, no virtual loss. Leaves
that need nobody's answer (the match is over, the point solved) are backed up at once. The search serves every kind of
game, as `uct` does: points are keyed by views, every acting player chooses at its own point by its own prior, each
simulation of a game with secrets starts from a fresh guess, and dice lead to points of their own.

A leaf is a state in which some player's point is new. Who is asked there gets a row of the batch: its view, or its
features as bytes, and the policy slots of its menu. The answer is a prior for each entry and a value for each player,
*the viewer first and then in the order of the seats*, as in the features. Where players act at once and the point of
who searches is known, the others are asked and the simulation goes on.

Where nothing is hidden, no two act at once and no dice can fall, each arm is linked to the point that it leads to, and
a point keeps its position: then a simulation takes one step of the rules, however deep the tree is.

    (forest := Forest(game, trees=1024, sims=64)).plant(views, players, words)
    while len((leaves := forest.wave()).trees):
        leaves.priors[:], leaves.values[:] = …          # from leaves.views, .players, .slots and .counts
    roots = forest.roots()

memory      the arrays
roots       noise, halving, what the search says in the end
walk        one simulation
leaves      what is handed out, taken back, remembered
waves       many trees; new roots
"""

from __future__ import annotations

import numpy as np

from ludus.game import Game
from ludus.search.forest.memory import (
    FORCED,
    Leaves,
    Roots,
    make_leaves,
    make_roots,
    make_trees,
    make_work,
)
from ludus.search.forest.roots import read_roots
from ludus.search.forest.waves import plant, wave

__all__ = ["Forest", "Leaves", "Roots", "mix_of"]

ARMS_A_POINT = 40  # room for so many on average; a tree whose tables are full stops growing, and is searched on


def mix_of(game: Game, wanted: float) -> float:
    """The step that is wanted; or, where that is below 0, what suits the game: two players with secrets and turns
    bluff, and so they mix. (Three did worse with it.)"""
    facts = game.facts
    if not (facts.hidden or facts.simultaneous):
        return 0.0
    return wanted if wanted >= 0 else float(facts.players[1] == 2 and not facts.simultaneous)


class Forest:
    """So many trees of one game, each with room for so many simulations.

    `c` and `fpu`: how much priors weigh, and how much worse than its point an untried arm counts. `noise`: the share of
    Dirichlet noise in the root's priors, with parameter `alpha` (0: 10 over the length of the menu). `gumbel`: the root
    chooses by halving among so many actions, for few simulations; 0: as everywhere. `keep`: a root that a tree knows
    keeps what hangs on it, in games whose arms are linked. `mix`: with secrets, or where
    players act at once, the size of a step towards better actions; 0: chosen as everywhere. `playouts`: the share that
    one random play-out has in what a leaf is worth. `cache`: so many
    evaluations, a power of two, are remembered; `forget` them when the network changes.
    """

    def __init__(
        self, game: Game, trees: int, sims: int, c: float = 1.5, fpu: float = 0.25, arms: int = ARMS_A_POINT,
        noise: float = 0.0, alpha: float = 0.0, gumbel: int = 0, keep: bool = False, cache: int = 0, mix: float = 0.0,
        playouts: float = 0.0,
    ):  # fmt: skip
        facts = game.facts
        self.game, self.sims, self.keep = game, sims, keep and not gumbel
        self.rows_a_tree = facts.players[1] if facts.simultaneous else 1
        self.trees = make_trees(game, trees, sims, arms, self.keep, gumbel)
        self.trees.heads["root"] = FORCED
        self.trees.knobs[:] = c, fpu, noise, alpha, gumbel, mix, playouts
        self.leaves = make_leaves(game, trees * self.rows_a_tree, 0, facts.max_actions)
        self.work = make_work(game, self.trees.points.shape[1], cache)

    def plant(self, views, players, words, which=None, sims=None, quiet=None, knows=False) -> None:
        """New roots: masked states, who searches, and a stream each; for all trees or those named. `sims`: how many
        simulations each gets, at most what there is room for; 0 asks for the priors and the value of the root alone.
        `quiet`: which of them are searched without noise. `knows`: these are no views but the truth, which every
        simulation starts from; all in the tree still see their views only."""
        which = np.arange(len(self.trees.roots)) if which is None else np.asarray(which)
        sims = np.full(len(which), self.sims) if sims is None else np.minimum(sims, self.sims)
        quiet = np.zeros(len(which), np.bool_) if quiet is None else quiet
        self.game.kernel(plant)(self.trees, self.work, which, views, players, words, sims, quiet, knows, self.keep)

    def wave(self, low: int = 0, high: int | None = None) -> Leaves:
        """The next leaves of all trees, or of a range of them; empty when all are done. Fill in their `priors` and
        `values` before the next wave of these trees."""
        high = len(self.trees.roots) if high is None else high
        first, run = low * self.rows_a_tree, self.game.kernel(wave)
        count = run(self.trees, self.work, self.leaves, low, high, self.rows_a_tree)
        return Leaves(*(column[first : first + count] for column in self.leaves))

    def roots(self) -> Roots:
        roots = make_roots(self.game, len(self.trees.roots))
        self.game.kernel(read_roots)(self.trees, roots)
        return roots

    def forget(self) -> None:
        """Judgements of another network are worth nothing."""
        self.work.keys[:] = 0
