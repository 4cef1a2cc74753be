"""A network that is asked about all images of a position, turned and mirrored, and answers with the mean: so it judges
a position and its images alike, whatever it has learnt."""

from __future__ import annotations

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.nets.play import Evaluator, next_wave
from ludus.rules import legal, policy_slot, reflect, reflect_action
from ludus.search.forest import Forest, Leaves


@template
def turn(views, players, symmetry, menu, slots):
    """Turn each view, in place, and write where the entries of its menu stand then."""
    for row in range(views.shape[0]):
        count = legal(views[row], players[row], menu)
        for k in range(count):
            menu[k] = reflect_action(views[row], symmetry, menu[k])
        reflect(views[row], symmetry)
        for k in range(min(count, slots.shape[1])):
            slots[row, k] = policy_slot(views[row], players[row], menu[k])


class AllImages:
    """The mean of an evaluator's answers over the symmetries of the game."""

    def __init__(self, game: Game, evaluator: Evaluator):
        self.game, self.evaluator, self.count = game, evaluator, int(game.names["SYMMETRIES"])

    def evaluate(self, leaves: Leaves) -> None:
        images = Leaves(*(np.concatenate([column] * self.count) for column in leaves))
        menu, rows = np.empty(self.game.facts.max_actions, np.int32), len(leaves.trees)
        for symmetry in range(1, self.count):
            part = slice(symmetry * rows, (symmetry + 1) * rows)
            self.game.kernel(turn)(images.views[part], images.players[part], symmetry, menu, images.slots[part])
        self.evaluator.evaluate(images)
        leaves.priors[:], leaves.values[:] = (
            part.reshape(self.count, rows, -1).mean(axis=0) for part in (images.priors, images.values)
        )

    def search(self, forest: Forest, most: int = 0) -> int:
        return next_wave(self, forest)
