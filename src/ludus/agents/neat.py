"""Evolved networks: plays what `ludus train neat` has bred. How a network sees a game is told in `_scoring`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents._networks import Genome, pack
from ludus.agents._scoring import VIEW, choose, scoring_kernel, scoring_of, workspace_for
from ludus.compile import template
from ludus.errors import BadInput, Mismatch
from ludus.game import Game
from ludus.runs import load_run
from ludus.settings import setting


def read_genome(content: bytes) -> Genome:
    return Genome.from_json(json.loads(content)["genome"])


@template
def choose_by_network(views, players, words, nets, samples, space, out):
    for i in range(views.shape[0]):
        space.states[VIEW] = views[i]
        out[i] = choose(players[i], nets, 0, samples, words[i], space)


@dataclass
class Neat(Agent):
    """A network bred by `ludus train neat`."""

    name: ClassVar[str] = "neat"
    compiled: ClassVar[bool] = True

    run: str = setting("", "run folder, or the name of a run that comes with the package")
    samples: int = setting(0, "guesses of what is hidden, for each action; 0: as the finalists of the training", low=0)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        folder, scoring = load_run(self.run, "neat", game), scoring_of(game)
        genome = folder.load("best.json", read_genome)
        if genome is None:
            raise BadInput(f"{self.run} holds no network yet: its training has not finished a generation")
        if genome.inputs != scoring.inputs:
            raise Mismatch(f"the network in {self.run} has {genome.inputs} inputs, {game.name} gives {scoring.inputs}")
        self._nets = pack([genome])
        self._samples = scoring.samples(game, self.samples or folder.settings["settings"]["final_samples"])

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        space = workspace_for(self.game, self._nets)
        play = scoring_kernel(self.game, choose_by_network)
        play(views, players, words, self._nets, self._samples, space, out)
        return out
