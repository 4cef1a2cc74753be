"""Plays a network that `ludus train hexaconv organism` made, as the Organism paper's agents played.

It chooses a complete turn of an organism at once and remembers its decisions; the search is in `_tree`. The paper keeps
its tree for a whole match; here every move begins with an empty one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import MOST_MEMORY, Agent
from ludus.agents.organism._search import Limits, Search, some_planes
from ludus.errors import BadInput, BadSpec, Mismatch
from ludus.game import Game
from ludus.nets import hexaconv
from ludus.runs import load_run
from ludus.settings import setting

WEIGHTS = "weights.onnx"
TOGETHER = 64  # matches that are searched at once
BITS = (0, 8, 16, 32)
NEEDED = {
    8: "a processor with AMX, and 128, 192, … channels",
    16: "a processor with AVX2, and 128, 256, … channels",
}
ROOM = 1 << 13  # positions in a tree, which serves one move


@dataclass
class HexaConv(Agent):
    """The Organism paper's agent: a network that only values positions, and a search over complete turns."""

    name: ClassVar[str] = "hexaconv"
    only_for: ClassVar[str] = "organism"
    compiled: ClassVar[bool] = True
    memory: ClassVar[int] = MOST_MEMORY

    run: str = setting("", "run folder of `ludus train hexaconv organism`")
    sims: int = setting(25, "roll-outs a turn", low=1, high=10**5)
    c: float = setting(1.0, "exploration: larger follows the network's values more", low=0)
    temperature: float = setting(0.5, "of the softmax that makes priors of values", low=0.01, high=100)
    sampled: bool = setting(False, "draw turns by their visits, as in self-play; else the most visited")
    iteration: int = setting(0, "the network after so many iterations; 0: the best", low=0)
    device: str = setting("cpu", "where the network runs: cpu or cuda")
    bits: int = setting(0, "of the network's numbers on a processor: 8, 16 or 32; 0: what is quickest", 0, 32)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        if self.device not in ("cpu", "cuda"):
            raise BadSpec(f"hexaconv: device is cpu or cuda, not {self.device!r}")
        if self.bits not in BITS:
            raise BadSpec(f"hexaconv: bits are 8, 16 or 32, or 0 to choose, not {self.bits}")
        if not self.run:
            raise BadInput("hexaconv needs a run: hexaconv:FOLDER, made by `ludus train hexaconv organism`")
        name = f"iteration-{self.iteration}.onnx" if self.iteration else WEIGHTS
        content = load_run(self.run, "organism/hexaconv", game).read(name)
        if content is None:
            raise BadInput(f"{self.run} holds no {name}: its training has not come so far, or that network was refused")
        self._values = quickest_values(game, hexaconv.from_onnx(content), self.device, self.bits)

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        kept = np.ascontiguousarray(words[:, 1:])
        plans = kept.view(np.int16)  # how many decisions are left, then those, the next one last
        thinking = np.flatnonzero(plans[:, 0] == 0)
        for first in range(0, len(thinking), TOGETHER):
            self._plan(views, words, plans, thinking[first : first + TOGETHER])
        rows = np.arange(len(views))
        actions = plans[rows, plans[:, 0]].astype(np.int32)
        plans[:, 0] -= 1
        words[:, 1:] = kept
        return actions

    def _plan(self, views: np.ndarray, words: np.ndarray, plans: np.ndarray, rows: np.ndarray) -> None:
        """Search a turn for each of these views, and write its decisions down."""
        states = views[rows]
        search = self._search(states)
        everywhere, ends = np.ones(len(rows), np.bool_), states.copy()
        streams = np.ascontiguousarray(words[rows, :1])
        search.think(states, everywhere)
        search.move(ends, everywhere, np.full(len(rows), self.sampled), streams)
        words[rows, :1] = streams
        way, counts = search.ways(states, ends, plans.shape[1] - 1)
        for row, steps, count in zip(rows, way, np.minimum(counts, plans.shape[1] - 1)):
            plans[row, 0] = count
            plans[row, 1 : 1 + count] = steps[:count][::-1]

    def _search(self, states: np.ndarray) -> Search:
        rings = int(states["params"]["rings"][0])
        if 2 * rings - 1 != self._values.side:
            made = (self._values.side + 1) // 2
            raise Mismatch(f"{self.run} was trained for {made} rings, this board has {rings}; its layers fit no other")
        return Search(
            self.game, len(states), rings, self._values, Limits(self.sims, self.c, self.temperature), ROOM
        )  # fmt: skip


def values_of(arrays: hexaconv.Arrays, device: str) -> hexaconv.Values:
    """The network, ready to play."""
    if device == "cuda":
        from ludus.nets.play import check_cuda

        check_cuda()
        return hexaconv.CudaValues(arrays)
    return hexaconv.CpuValues(arrays)


def quickest_values(game: Game, arrays: hexaconv.Arrays, device: str, bits: int = 0) -> hexaconv.Values:
    """The same in 8 bits where this processor multiplies bytes in tiles, else in 16, if nobody wants more."""
    from ludus.nets import hexaconv8, hexaconv16

    ways = {8: (hexaconv8.fits, hexaconv8.TileValues), 16: (hexaconv16.fits, hexaconv16.ShortValues)}
    for number, (fits, values) in ways.items():
        if device == "cpu" and bits in (0, number) and fits(arrays):
            return values(arrays, some_planes(game, (hexaconv.side_of(arrays) + 1) // 2))
    if bits in ways:
        raise BadInput(f"hexaconv: {bits} bits need {NEEDED[bits]}; say bits=0")
    return values_of(arrays, device)
