"""The numbers of an agent that evolution may have tuned."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.game import Game
from ludus.runs import load_numbers


def tuned_numbers(agent: Any, game: Game) -> np.ndarray:
    """An agent's tunable numbers: those of its `run`, if it has one, but what was set by hand counts before it."""
    numbers = agent.tunable()
    if not agent.run:
        return numbers
    trained = load_numbers(agent.run, agent.name, game, len(numbers))
    return np.where(numbers == type(agent)().tunable(), trained, numbers)
