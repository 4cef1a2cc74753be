"""Self-play in other processes: packets of whole matches, of which nothing but values travels.

A packet is decided by its number, and what comes back is put in the order of the numbers: so the same seed makes the
same positions, however many workers there are, unless the clock says how many packets are played.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from ludus.game import Game
from ludus.learn._selfplay import PlaySettings, Samples, SelfPlay
from ludus.nets.play import evaluator_of
from ludus.rng import word
from ludus.workers import Workers

PACKET = 16  # matches: a second or two of work, whatever judges them

Found = tuple[int, Samples, Counter[str]]


def play_packet(
    game: Game, players: int, values: Mapping[str, object], settings: PlaySettings, network: bytes, seed: int,
    number: int,
) -> Found:  # fmt: skip
    """The matches of one packet, from start to end; a network is the content of its file."""
    evaluator = evaluator_of(network, game, players, values, "cpu")
    return number, *SelfPlay(game, players, values, settings, evaluator, word(seed, number)).play_out()


class TravellingSelfPlay:
    """Matches of all workers together; none is left unfinished between calls."""

    def __init__(
        self, game: Game, players: int, values: Mapping[str, object], settings: PlaySettings, network: bytes, seed: int,
        workers: Workers,
    ):  # fmt: skip
        self.place, self.settings, self.network, self.seed = (game, players, values), settings, network, seed
        self.workers, self.packets, self.length = workers, 0, 1.0
        """Packets that were begun so far; plies of a match, as they were the last time."""

    def refill(self, network: bytes) -> None:
        """Another network plays the next packets."""
        self.network = network

    def close(self) -> None:
        """Nothing is in work."""

    def run(self, seconds: float = np.inf, plies: float = np.inf) -> tuple[Samples, Counter[str]]:
        """Play all matches once, or about so many plies, or what is begun within so many seconds."""
        size = min(self.settings.matches, PACKET)
        packets = math.ceil(min(self.settings.matches, plies / self.length) / size)
        work = partial(play_packet, *self.place, replace(self.settings, matches=size), self.network, self.seed)
        found = sorted(self.workers.stream(work, self._numbers(packets, seconds)), key=lambda packet: packet[0])
        tally = sum((counts for _, _, counts in found), Counter())
        self.length = tally["plies"] / tally["matches"]
        return Samples(*(np.concatenate(parts) for parts in zip(*(samples for _, samples, _ in found)))), tally

    def _numbers(self, packets: int, seconds: float) -> Iterator[int]:
        """At least one."""
        started = time.perf_counter()
        for k in range(packets):
            if k and time.perf_counter() - started >= seconds:
                return
            self.packets += 1
            yield self.packets
