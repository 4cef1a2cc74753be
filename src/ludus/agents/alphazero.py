"""Plays a network that `ludus train alphazero` made, with a search that it guides, or by the network alone.

All views that are asked about at once are searched together, tree beside tree, so that the network judges their leaves
in batches. With `sims=0` there is no search: the network's own choice, which is how playtests are played in bulk.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus import kernels
from ludus.agent import Agent, Thoughts
from ludus.compile import template
from ludus.errors import BadInput, BadSpec
from ludus.game import Game, View
from ludus.nets.images import AllImages
from ludus.nets.play import Evaluator, evaluator_of
from ludus.rng import uniform
from ludus.runs import load_run
from ludus.search.forest import Forest, Roots, mix_of
from ludus.search.limits import clock
from ludus.settings import setting

WEIGHTS, LATEST = "weights.onnx", "latest.onnx"
NETWORKS = {"best": WEIGHTS, "latest": LATEST}
TOGETHER, IN_BULK = 256, 4096
"""Trees at a time, and views where nothing is searched: more would only take more memory."""
SIMS_A_MS, ROOM, ENOUGH = 400, 1 << 16, 1 << 60
"""With a limit in time a tree has room for so many simulations a millisecond, and never for more than these."""


def load_network(name: str, method: str, game: Game, which: str) -> bytes:
    """The best or the latest network of a run of this method."""
    content = load_run(name, method, game).read(NETWORKS[which])
    if content is None:
        raise BadInput(f"{name} holds no network yet: its training has not finished a round")
    return content


def best_playouts(name: str, game: Game) -> float:
    """The share of random play-outs with which the training did best, by the last row of its log."""
    rows = load_run(name, "alphazero", game).rows()
    return float(rows[-1].get("playouts") or 0) if rows else 0.0


@template
def draw(counts, weights, sharpness, words, best):
    """For each menu an entry by its weight, to a power; none is drawn where there is no choice."""
    for row in range(counts.shape[0]):
        total = 0.0
        for k in range(counts[row]):
            total += weights[row, k] ** sharpness
        left = total * uniform(words[row]) if counts[row] > 1 else 0.0
        for k in range(counts[row]):
            left -= weights[row, k] ** sharpness
            if left < 0.0:
                best[row] = k
                break


@dataclass
class AlphaZero(Agent):
    """A network made by `ludus train alphazero`, with or without search."""

    name: ClassVar[str] = "alphazero"
    compiled: ClassVar[bool] = True

    run: str = setting("", "run folder, or the name of a run that comes with the package")
    sims: int = setting(200, "simulations a move; 0: the network's own choice, without a search", low=0, high=10**6)
    nodes: int = setting(
        0, "positions that the network may judge in a move, instead of simulations; 0: any number", low=0
    )
    ms: float = setting(0.0, "milliseconds of computing a move instead of simulations; 0 counts simulations", low=0)
    c: float = setting(1.5, "exploration: larger follows the network's policy more", low=0)
    temperature: float = setting(
        -1.0,
        "0 plays the best, at 1 actions are drawn by their visits; -1: 1 where two act at once or players mix, else 0",
        low=-1,
    )
    gumbel: int = setting(
        0, "for few simulations: the root draws so many actions and halves them by what is found; 0: all of them", low=0
    )
    mix: float = setting(
        -1.0,
        "with secrets, or where players act at once: the step to better actions; 0: as elsewhere; -1: chosen",
        low=-1,
    )
    playouts: float = setting(
        -1.0, "share of random play-outs in what a leaf is worth; -1: with which the training did best", low=-1, high=1
    )
    network: str = setting("best", "best or latest: which network of the run")
    device: str = setting("cpu", "where the network runs: cpu or cuda")
    images: bool = setting(False, "judge every position by the mean over its images, turned and mirrored")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        for name, known in (("device", ("cpu", "cuda")), ("network", NETWORKS)):
            if getattr(self, name) not in known:
                raise BadSpec(f"alphazero: {name} is {' or '.join(known)}, not {getattr(self, name)!r}")
        if self.gumbel and (self.ms or self.nodes):
            raise BadSpec("alphazero: gumbel halves a number of simulations: give sims, not ms or nodes")
        if not self.run:
            raise BadInput("alphazero needs a run: alphazero:FOLDER, made by `ludus train alphazero`")
        self._mix = 0.0 if self.gumbel else mix_of(game, self.mix)
        self._content = load_network(self.run, "alphazero", game, self.network)
        self._playouts = self.playouts if self.playouts >= 0 else best_playouts(self.run, game)
        self._evaluators: dict[bytes, Evaluator] = {}
        self._forests: list[Forest] = []

    @property
    def repeatable(self) -> bool:
        return not self.ms

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        together = 1 if self.ms or self.nodes else TOGETHER if self.sims else IN_BULK
        for first in range(0, len(views), together):
            part = slice(first, first + together)
            roots, best = self._search(views[part], players[part], words[part])
            out[part] = roots.actions[np.arange(len(best)), best]
        return out

    def act(self, view: View, rng: np.ndarray) -> int:
        roots, best = self._search(view.states, np.array([view.player]), rng[None, :1])
        self.thoughts = _thoughts(roots, int(best[0]))
        return self.thoughts.actions[0]

    def _search(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> tuple[Roots, np.ndarray]:
        """What came of the searches, and which action of each menu is played."""
        now = clock if self.device == "cpu" else time.perf_counter  # a card computes while the thread waits
        deadline = now() + self.ms / 1000
        forest, evaluator, left = self._forest(len(views)), self._evaluator(views), self.nodes or ENOUGH
        forest.plant(views, players, words[:, :1])
        while judged := evaluator.search(forest, left):
            left -= judged
            if (self.ms and now() >= deadline) or left <= 0:
                forest.wave()  # takes the last answer
                break
        roots = forest.roots()
        self._forests.append(forest)
        _fill_forced(self.game, roots, views, players)
        weights = roots.targets.astype(np.float64)
        best = roots.best.astype(np.int64) if self._room else weights.argmax(axis=1)
        if heat := self._heat(int(views["players"][0])):
            self.game.kernel(draw)(roots.counts, weights, 1 / heat, words, best)
        return roots, best

    def _heat(self, players: int) -> float:
        """Two who act at once answer each other; among more the best did better than what is drawn."""
        if self.temperature >= 0:
            return self.temperature
        return float((self.game.facts.simultaneous and players == 2) or self._mix > 0)

    def _forest(self, trees: int) -> Forest:
        """One that was used before and nobody uses now, or a new one: new memory takes longer than a short search."""
        while self._forests:
            forest = self._forests.pop()
            if len(forest.trees.roots) == trees:
                return forest
        return Forest(
            self.game, trees, self._room, c=self.c, gumbel=self.gumbel, mix=self._mix, playouts=self._playouts
        )

    @property
    def _room(self) -> int:
        """Simulations in a tree; a full one goes on without growing."""
        if self.ms:
            return int(min(max(SIMS_A_MS * self.ms, 256), ROOM))
        return min(2 * self.nodes, ROOM) or self.sims

    def _evaluator(self, views: np.ndarray) -> Evaluator:
        """The network for the board of these views."""
        params = views["params"][0] if self.game.params.declared else None
        key = b"" if params is None else params.tobytes()
        if key not in self._evaluators:
            values = {} if params is None else self.game.params.read(params)
            made = evaluator_of(self._content, self.game, int(views["players"][0]), values, self.device)
            self._evaluators[key] = AllImages(self.game, made) if self.images else made
        return self._evaluators[key]


def _fill_forced(game: Game, roots: Roots, views: np.ndarray, players: np.ndarray) -> None:
    """The only action, where no search was needed."""
    menus, counts = np.empty((len(views), game.facts.max_actions), np.int32), np.empty(len(views), np.int64)
    game.kernel(kernels.menus)(views, players, menus, counts)
    roots.actions[roots.counts == 0, 0] = menus[roots.counts == 0, 0]


def _thoughts(roots: Roots, chosen: int) -> Thoughts:
    """The chosen action first, then the others by visits and priors."""
    count = int(roots.counts[0])
    if not count:
        return Thoughts(0.0, [int(roots.actions[0, 0])], [0.0], [0], note="forced")
    actions, visits, priors = (part[0, :count] for part in (roots.actions, roots.visits, roots.priors))
    order = np.lexsort((-priors, -visits, np.arange(count) != chosen))
    worths = np.where(visits > 0, roots.worths[0, :count], roots.values[0])[order].tolist()
    policy = ", ".join(f"{100 * priors[k]:.0f} %" for k in order[:3])
    note = f"{visits.sum()} simulations{', solved' * bool(roots.solved[0])}; the network's policy: {policy}"
    return Thoughts(float(roots.values[0]), actions[order].tolist(), worths, visits[order].tolist(), note=note)
