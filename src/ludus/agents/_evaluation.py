"""The evaluation that an agent was told to use: a run of `ludus train td`, or else the game's heuristic."""

from __future__ import annotations

import numpy as np

from ludus.errors import Mismatch
from ludus.game import Game
from ludus.runs import load_run
from ludus.search.evaluation import Evaluation, evaluation, fits

FILE = "weights.txt"


def load_evaluation(game: Game, run: str) -> Evaluation:
    """What the run learnt; without a run, what the game itself says."""
    if not run:
        return evaluation(game)
    weights = load_run(run, "td", game).load(FILE, lambda content: np.array(content.split(), np.float64))
    if weights is None:
        raise Mismatch(f"{run} has learnt nothing yet: its first checkpoint is missing")
    if not fits(game, len(weights)):
        raise Mismatch(f"{run} holds {len(weights)} weights; {game.name} has {game.names['TERMS']} terms now")
    return evaluation(game, weights)
