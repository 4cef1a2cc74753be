"""What both measures of luck share: when chance falls, and how much of it is too much."""

from __future__ import annotations

import numpy as np

from ludus import kernels
from ludus.measure.evidence import Evidence
from ludus.measure.metric import Limits
from ludus.rng import match_words

LUCK = Limits(0.6, 0.9)
"""What chance decides of the results. A matter of taste, but a designer should have meant it."""


def dice_fall(evidence: Evidence) -> bool:
    """Whether chance has a say after the deal, under these rules."""
    game, players = evidence.game, evidence.players
    start = game.start(match_words(evidence.seed, [0], [0], players), players, evidence.rules)
    certain = np.empty(1, np.bool_)
    game.kernel(kernels.certainties)(start, certain)
    return not certain[0]
