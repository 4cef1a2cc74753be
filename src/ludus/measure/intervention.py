"""What an action is worth: one seat may not do it, or does it once for free, beside the same matches without that.

A lift tells who does a thing, an intervention what the thing does. Every seat is treated in turn; seeds, streams and
agents are the same, and everybody knows of it. Kinds of action are told apart by the numbers of actions, so a kind
whose numbers mean another thing elsewhere is left out. Nobody tells which field of a state says whose turn it is: it is
looked for in random matches, and used only if matches with gifts come to an end.
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
from ludus.restricted import MOST, counter, restricted
from ludus.rules import field_names
from ludus.workers import Threads, Workers

EXPLORED, LOOKS = 60, 3000
"""Random matches in which kinds are met, and decisions that are looked at."""


@dataclass(frozen=True)
class Worth:
    """What a kind of action gives to who may do it, as a share of the point."""

    kind: str
    found: Interval
    """What who may not do it loses; widened for the number of intervals."""
    spec: str
    gift: Interval | None = None
    """What who may do it once for free gains, likewise; None where nothing can be given."""


@dataclass(frozen=True)
class Treated:
    """A game in which a kind of action can be forbidden or free, and the numbers of kinds."""

    game: Game
    numbers: Mapping[str, int]
    gives: bool
    """Whether something can be free."""


def treated(game: Game, values: Mapping[str, object], players: int) -> Treated:
    """Kinds are met in random matches, always the same ones, so that the rules compile once."""
    records = _at_random(game, values, players)
    numbers, table = _kinds(game, records)
    if counter(game):
        return Treated(restricted(game, table), numbers, True)
    for turn in turn_fields(game, records):
        made = restricted(game, table, turn)
        if all(_ends(made, values, players, number) for number in numbers.values()):
            return Treated(made, numbers, True)
    return Treated(restricted(game, table), numbers, False)


def _at_random(game: Game, values: Mapping[str, object], players: int) -> list[MatchRecord]:
    arena = Arena(game, ["random"], values, seed=0)
    tables = [table for block in range(-(-EXPLORED // players)) for table in rotations([0] * players, block)]
    records = [record for group in arena.play(tables) for _, record in group]
    return sorted(records, key=lambda one: (one.block, one.rotation))


def _ends(game: Game, values: Mapping[str, object], players: int, number: int) -> bool:
    """Whether matches with gifts of a kind come to an end: nobody is left without an action."""
    treatments = ({"treated": number, "treated_seat": seat, "treatment": "free"} for seat in range(players))
    records = (_at_random(game, game.params.values({**values, **one}), players) for one in treatments)
    return all(record.outcome == "finished" for own in records for record in own)


def turn_fields(game: Game, records: Sequence[MatchRecord]) -> list[str]:
    """The fields of a state that say whose turn it is: with its value from before a step the turn comes back."""
    before, after = _turns_passed(game, records)
    acting = game.waiting(before)
    kinds = {name: game.state_type[name] for name in field_names(game.state_type) if name not in ("players", "params")}
    found = []
    for name in (name for name, kind in kinds.items() if not kind.shape and kind.kind in "iu"):
        back = after.copy()
        back[name] = before[name]
        if len(back) and (game.waiting(back) == acting).all():
            found.append(name)
    return found


def _turns_passed(game: Game, records: Sequence[MatchRecord]) -> tuple[np.ndarray, np.ndarray]:
    """Positions in which one player acts, and those after it in which others do."""
    states = [positions_of(game, [record]).states for record in records]
    before, after = (np.concatenate(some) for some in ([own[:-1] for own in states], [own[1:] for own in states]))
    first, then = game.waiting(before), game.waiting(after)
    passed = (then != 0) & (first & then == 0) & (first & (first - 1) == 0)
    return before[passed], after[passed]


def _kinds(game: Game, records: Sequence[MatchRecord]) -> tuple[dict[str, int], np.ndarray]:
    """The number of each kind that can be told from others, and the kind of each action by number."""
    seen = _meanings(game, records)
    clear = {action: next(iter(kinds)) for action, kinds in seen.items() if len(kinds) == 1 and action < MOST}
    unclear = {kind for kinds in seen.values() if len(kinds) > 1 for kind in kinds}
    names = sorted(set(clear.values()) - unclear)
    numbers = {kind: 1 + k for k, kind in enumerate(names)}
    table = np.zeros(1 + max(clear, default=0), np.int32)
    for action, kind in clear.items():
        table[action] = numbers.get(kind, 0)
    return numbers, table


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
    made: Treated, kinds: Sequence[str], values: Mapping[str, object], spec: str, blocks: int, players: int, seed: int,
    workers: Workers,
) -> list[Worth]:  # fmt: skip
    """What each kind is worth to agents of this spec, over so many blocks of matches."""
    kinds = [kind for kind in kinds if kind in made.numbers]
    usual = _shares(made.game, values, spec, blocks, players, seed, workers)
    factor = _wider(len(kinds) * (1 + made.gives))

    def gain(kind: str, treatment: str) -> np.ndarray:
        """Of a treated seat, by block and seat."""
        gains = np.zeros((blocks, players))
        for seat in range(players):
            rules = {**values, "treated": made.numbers[kind], "treated_seat": seat, "treatment": treatment}
            gains[:, seat] = (_shares(made.game, rules, spec, blocks, players, seed, workers) - usual)[:, seat]
        return gains

    found = [
        Worth(
            kind,
            _mean(-gain(kind, "forbidden"), factor),
            spec,
            _mean(gain(kind, "free"), factor) if made.gives else None,
        )
        for kind in kinds
    ]
    return sorted(found, key=lambda one: -one.found.value)


def _shares(
    game: Game, values: Mapping[str, object], spec: str, blocks: int, players: int, seed: int, workers: Workers
) -> np.ndarray:
    """The shares of all seats, one match a block."""
    arena = Arena(game, [spec], game.params.values(values), seed=seed)
    tables = [Seating((0,) * players, block, 0) for block in range(blocks)]
    shares = np.empty((blocks, players))
    # An arena that travels would load the game by its name, which knows of no treatment: threads alone may play it.
    for group in arena.play(tables, Threads(workers.count)):
        for table, record in group:
            shares[table.block] = record.shares
    return shares


def _mean(gains: np.ndarray, factor: float) -> Interval:
    """Over blocks; differences lie between -1 and 1."""
    found = rate((gains.mean(axis=1) + 1) / 2, np.arange(len(gains)))
    value, low, high = (2 * x - 1 for x in (found.value, found.low, found.high))
    wide = Interval(value, value - factor * (value - low), value + factor * (high - value), found.n)
    return replace(wide, n=gains.size)


def _wider(several: int) -> float:
    """For intervals that are to hold together."""
    normal = NormalDist()
    tail = (1 - CONFIDENCE) / 2
    return normal.inv_cdf(1 - tail / max(several, 1)) / normal.inv_cdf(1 - tail)
