"""Plays a network that `ludus train dqn` made: the action that it thinks is worth most, without a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents.alphazero import IN_BULK, NETWORKS, load_network
from ludus.compile import template
from ludus.errors import BadInput, BadSpec
from ludus.game import Game
from ludus.nets.play import CpuEvaluator, by_onnxruntime
from ludus.rng import below, uniform
from ludus.rules import MAX_ACTIONS, Facts, legal, policy_slot
from ludus.settings import setting


@template
def choose_by_worth(views, players, logits, explore, words, out):
    """The action whose slot has most, ties at random; now and then any other."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    for i in range(views.shape[0]):
        count = legal(views[i], players[i], menu)
        best, most, ties = 0, -np.inf, 0
        for k in range(count if count > 1 else 0):
            worth = logits[i, policy_slot(views[i], players[i], menu[k])]
            if worth > most:
                best, most, ties = k, worth, 1
            elif worth == most:
                ties += 1
                if below(words[i], ties) == 0:
                    best = k
        if explore > 0.0 and uniform(words[i]) < explore:
            best = below(words[i], count)
        out[i] = menu[best]


@dataclass
class DeepQ(Agent):
    """A network made by `ludus train dqn`."""

    name: ClassVar[str] = "dqn"
    compiled: ClassVar[bool] = True
    accepts: ClassVar[str] = "the game with turns that the run was trained for"

    run: str = setting("", "run folder, or the name of a run that comes with the package")
    network: str = setting("best", "best or latest: which network of the run")
    explore: float = setting(0.0, "the chance of a random action instead", 0, 1)

    def refuses(self, facts: Facts) -> str:
        return "players act at once; alphazero can play it" if facts.simultaneous else ""

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        if self.network not in NETWORKS:
            raise BadSpec(f"dqn: network is {' or '.join(NETWORKS)}, not {self.network!r}")
        if not self.run:
            raise BadInput("dqn needs a run: dqn:FOLDER, made by `ludus train dqn`")
        self._content = load_network(self.run, "dqn", game, self.network)
        self._evaluators: dict[bytes, CpuEvaluator] = {}

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out, choose = np.empty(len(views), np.int32), self.game.kernel(choose_by_worth)
        for first in range(0, len(views), IN_BULK):
            some = slice(first, first + IN_BULK)
            seen, seats, streams, chosen = views[some], players[some], words[some], out[some]
            for part, logits, _ in self._evaluator(seen).judge(seen, seats):
                choose(seen[part], seats[part], logits, self.explore, streams[part], chosen[part])
        return out

    def _evaluator(self, views: np.ndarray) -> CpuEvaluator:
        """The network for the board of these views."""
        params = views["params"][0] if self.game.params.declared else None
        key = b"" if params is None else params.tobytes()
        if key not in self._evaluators:
            values = {} if params is None else self.game.params.read(params)
            self._evaluators[key] = by_onnxruntime(self._content, self.game, int(views["players"][0]), values)
        return self._evaluators[key]
