"""What an action is worth: matches in which one seat may not do it, beside the same matches in which it may.

A lift tells who does a thing, an intervention what the thing does. Every seat is forbidden it in turn; seeds, streams
and agents are the same, and everybody knows of the ban. Kinds of action are told apart by the numbers of actions, so a
kind whose numbers mean another thing elsewhere cannot be forbidden, and is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.arena.lockstep import Seating
from ludus.arena.statistics import Interval
from ludus.game import Game
from ludus.measure.kinds import kinds_of
from ludus.measure.replays import positions_of
from ludus.measure.sampling import CONFIDENCE, rate
from ludus.records import MatchRecord
from ludus.restricted import MOST, restricted
from ludus.workers import Threads, Workers

EXPLORED, LOOKS = 60, 3000
"""Random matches in which kinds are met, and decisions that are looked at."""


@dataclass(frozen=True)
class Worth:
    """What a kind of action gives to who may do it, as a share of the point."""

    kind: str
    found: Interval
    """Widened for the number of kinds that were tried."""
    spec: str


@dataclass(frozen=True)
class Ban:
    """A game in which kinds can be forbidden, and their numbers."""

    game: Game
    numbers: Mapping[str, int]


def ban_of(game: Game, values: Mapping[str, object], players: int) -> Ban:
    """Met in random matches, always the same ones, so that the rules compile once."""
    arena = Arena(game, ["random"], values, seed=0)
    tables = [table for block in range(-(-EXPLORED // players)) for table in rotations([0] * players, block)]
    records = [record for group in arena.play(tables) for _, record in group]
    seen = _meanings(game, sorted(records, key=lambda one: (one.block, one.rotation)))
    clear = {action: next(iter(kinds)) for action, kinds in seen.items() if len(kinds) == 1 and action < MOST}
    unclear = {kind for kinds in seen.values() if len(kinds) > 1 for kind in kinds}
    names = sorted(set(clear.values()) - unclear)
    numbers = {kind: 1 + k for k, kind in enumerate(names)}
    table = np.zeros(1 + max(clear, default=0), np.int32)
    for action, kind in clear.items():
        table[action] = numbers.get(kind, 0)
    return Ban(restricted(game, table), numbers)


def _meanings(game: Game, records: Sequence[MatchRecord]) -> dict[int, Counter[str]]:
    """What kinds each action number was on a menu."""
    seen: dict[int, Counter[str]] = {}
    left = LOOKS
    for record in records:
        found = positions_of(game, [record])
        for ply, player in zip(found.steps, found.movers):
            menu = game.menu(found.states[ply : ply + 1], int(player)).astype(np.int64)
            states = np.repeat(found.states[ply : ply + 1], len(menu))
            for action, kind in zip(menu.tolist(), kinds_of(game, states, np.full(len(menu), player), menu)):
                seen.setdefault(action, Counter())[kind] += 1
            left -= 1
        if left <= 0:
            break
    return seen


def worths(
    ban: Ban, kinds: Sequence[str], values: Mapping[str, object], spec: str, blocks: int, players: int, seed: int,
    workers: Workers,
) -> list[Worth]:  # fmt: skip
    """What each kind is worth to agents of this spec, over so many blocks of matches."""
    kinds = [kind for kind in kinds if kind in ban.numbers]
    free = _shares(ban.game, values, spec, blocks, players, seed, workers)
    factor = _wider(len(kinds))
    found = []
    for kind in kinds:
        losses = np.zeros((blocks, players))
        for seat in range(players):
            rules = {**values, "forbidden": ban.numbers[kind], "forbidden_seat": seat}
            losses[:, seat] = (free - _shares(ban.game, rules, spec, blocks, players, seed, workers))[:, seat]
        found.append(Worth(kind, _mean(losses, factor), spec))
    return sorted(found, key=lambda one: -one.found.value)


def _shares(
    game: Game, values: Mapping[str, object], spec: str, blocks: int, players: int, seed: int, workers: Workers
) -> np.ndarray:
    """The shares of all seats, one match a block."""
    arena = Arena(game, [spec], game.params.values(values), seed=seed)
    tables = [Seating((0,) * players, block, 0) for block in range(blocks)]
    shares = np.empty((blocks, players))
    # An arena that travels would load the game by its name, which knows of no ban: threads alone may play it.
    for group in arena.play(tables, Threads(workers.count)):
        for table, record in group:
            shares[table.block] = record.shares
    return shares


def _mean(losses: np.ndarray, factor: float) -> Interval:
    """Over blocks; differences lie between -1 and 1."""
    found = rate((losses.mean(axis=1) + 1) / 2, np.arange(len(losses)))
    value, low, high = (2 * x - 1 for x in (found.value, found.low, found.high))
    wide = Interval(value, value - factor * (value - low), value + factor * (high - value), found.n)
    return replace(wide, n=losses.size)


def _wider(several: int) -> float:
    """For intervals that are to hold together."""
    normal = NormalDist()
    tail = (1 - CONFIDENCE) / 2
    return normal.inv_cdf(1 - tail / max(several, 1)) / normal.inv_cdf(1 - tail)
