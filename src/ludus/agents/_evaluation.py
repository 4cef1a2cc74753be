"""The evaluation that an agent was told to use: a run of `ludus train td`, or else the game's heuristic."""

from __future__ import annotations

import numpy as np

from ludus.errors import Mismatch
from ludus.game import Game, other_rules
from ludus.runs import load_run
from ludus.search.evaluation import Evaluation, evaluation, fits

FILE = "weights.txt"


def evaluation_text(game: Game, numbers: np.ndarray) -> bytes:
    """A number a line, below the fingerprint of the terms that they weigh."""
    return "\n".join([f"# {game.terms_fingerprint}", *(repr(float(number)) for number in numbers)]).encode()


def _read(content: bytes) -> tuple[np.ndarray, str]:
    lines = content.decode().splitlines()
    terms = lines[0][1:].strip() if lines and lines[0].startswith("#") else ""
    words = [word for line in lines if not line.startswith("#") for word in line.split()]
    return np.array(words, np.float64), terms


def load_evaluation(game: Game, run: str) -> Evaluation:
    """What the run learnt; without a run, what the game itself says."""
    if not run:
        return evaluation(game)
    found = load_run(run, "td", game).load(FILE, _read)
    if found is None:
        raise Mismatch(f"{run} has learnt nothing yet: its first checkpoint is missing")
    weights, terms = found
    if terms and other_rules(terms, game.terms_fingerprint):
        now = game.terms_fingerprint or "none"
        raise Mismatch(
            f"{run} was trained over the terms {terms} of {game.name}, and now they are {now}; train it anew"
        )
    if not fits(game, len(weights)):
        raise Mismatch(f"{run} holds {len(weights)} weights; {game.name} has {game.names['TERMS']} terms now")
    return evaluation(game, weights)
