"""Bots of OpenSpiel, in games of OpenSpiel: ``openspiel:bot=mcts,sims=400``, ``openspiel:bot=uniform_random``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.errors import UnknownName
from ludus.game import Game, View
from ludus.openspiel import PREFIX, their_state
from ludus.rng import draw

MEMORY = 200
"""Megabytes that the tree of their search may take."""


@dataclass
class OpenSpielBot(Agent):
    """A bot of OpenSpiel's own: its search by roll-outs, or one that it registers by name."""

    name: ClassVar[str] = "openspiel"
    only_for: ClassVar[str] = PREFIX

    bot: str = field(default="mcts", metadata={"help": "mcts, or a name that OpenSpiel registers: uniform_random, …"})
    sims: int = field(default=100, metadata={"help": "mcts: simulations a move"})
    c: float = field(default=1.4, metadata={"help": "mcts: how much it explores"})

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        import pyspiel

        if self.bot != "mcts" and self.bot not in pyspiel.registered_bots():
            raise UnknownName("bot of OpenSpiel", self.bot, ["mcts", *pyspiel.registered_bots()])

    def act(self, view: View, rng: np.ndarray) -> int:
        state = their_state(self.game.module, view.state)
        return int(self._bot(state.get_game(), view.player, int(draw(rng[:1])) >> 33).step(state))

    def _bot(self, game: Any, player: int, seed: int) -> Any:
        """A bot whose chance is this seed: the same stream gives the same action."""
        import pyspiel

        if self.bot != "mcts":
            return pyspiel.load_bot(self.bot, game, player, {"seed": pyspiel.GameParameter(seed)})
        judge = pyspiel.RandomRolloutEvaluator(1, seed)
        return pyspiel.MCTSBot(game, judge, self.c, self.sims, MEMORY, False, seed, False)
