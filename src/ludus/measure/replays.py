"""Matches as numbers: what the metrics read.

A `Replay` is a record played again, one entry a decision. A `Trace` adds what each seat could expect at every moment,
from an evaluator that is named beside every number that uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.measure.kinds import kinds_of
from ludus.records import MatchRecord
from ludus.rng import match_words
from ludus.rules import MAX_ACTIONS, SEATS, legal, step, to_act

CHUNK = 512
"""Matches that are replayed together: every position of theirs is in memory at once."""


@dataclass(frozen=True)
class Alternatives:
    """One decision opened up: what every legal action would have led to."""

    decision: int
    """Which decision of the match."""
    expected: np.ndarray
    """Shares by action and seat, in the order of the menu: (menu, players)."""
    errors: np.ndarray
    """Their standard errors, same shape."""
    policy: np.ndarray
    """How often the evaluator's agent chose each action: (menu,) counts."""


@dataclass(frozen=True)
class Trace:
    """What each seat could expect, seen by somebody who knows the whole state."""

    evaluator: str
    """For people, like "64 continuations by mcts:sims=50"."""
    expected: np.ndarray
    """Expected shares before each step and, last, the shares that came: (plies + 1, players)."""
    errors: np.ndarray
    """Their standard errors, same shape; the last row is 0."""
    opened: tuple[Alternatives, ...] = ()
    """Some or all decisions with more than one action."""
    stride: int = 1
    """Every how many plies the evaluator looked; between its looks the rows hold what was seen last."""


@dataclass(frozen=True)
class Replay:
    agents: tuple[str, ...]
    """A spec for each seat."""
    block: int
    rotation: int
    """Matches of a block had the same chance; its rotations seat the same agents differently."""
    shares: np.ndarray
    """Each seat's share of the point: 1 for a single winner, 1/k for a k-way tie; sums to 1."""
    outcome: str
    """As in a record: finished, limit, or a fault."""
    plies: int
    movers: np.ndarray
    """The seat that made each decision; in a simultaneous step several in a row, in the order of the seats."""
    steps: np.ndarray
    """The ply of each decision."""
    menus: np.ndarray
    """How many legal actions each decision had."""
    actions: np.ndarray
    """What was chosen."""
    kinds: tuple[str, ...]
    """What sort of action each was, in words."""
    positions: np.ndarray
    """A 64-bit hash of the state before each step and at the end: (plies + 1,)."""
    trace: Trace | None = None

    @property
    def players(self) -> int:
        return len(self.shares)

    @property
    def is_draw(self) -> bool:
        """The rules ended it, and nobody did better than anybody else."""
        return self.outcome == "finished" and bool(np.ptp(self.shares) < 1e-9)

    @property
    def winner(self) -> int:
        """The seat that got most; -1 if several did."""
        best = np.flatnonzero(self.shares >= self.shares.max() - 1e-9)
        return int(best[0]) if len(best) == 1 else -1


def played(replays: Sequence[Replay]) -> list[Replay]:
    """The matches that no fault ended: others say nothing about the rules."""
    return [replay for replay in replays if replay.outcome in ("finished", "limit", "resigned")]


def shares_of(replays: Sequence[Replay]) -> np.ndarray:
    """Shares by match and seat."""
    return np.array([replay.shares for replay in replays], float)


@dataclass(frozen=True)
class Turn:
    """A run of steps in which one player alone decides; a step in which several do is a turn of nobody (-1)."""

    mover: int
    first: int
    """Its first step."""
    end: int
    """The step after its last."""


def turns_of(replay: Replay) -> list[Turn]:
    steps, first = np.unique(replay.steps, return_index=True)
    if not len(steps):
        return []
    movers = np.where(np.diff(first, append=len(replay.steps)) == 1, replay.movers[first], -1)
    begins = np.flatnonzero(np.concatenate([[True], (np.diff(movers) != 0) | (movers[1:] < 0)]))
    ends = [*steps[begins[1:]].tolist(), replay.plies]
    return [Turn(*turn) for turn in zip(movers[begins].tolist(), steps[begins].tolist(), ends)]


# ------------------------------------------------------------------------------------------------ playing again


@template
def play_again(states, words, chosen, first_decision, first_position, positions, movers, steps, menus):
    """Play records: match i makes the decisions from first_decision[i] on and fills positions from
    first_position[i] on."""
    actions = np.empty(SEATS, np.int32)
    menu = np.empty(MAX_ACTIONS, np.int32)
    for i in range(states.shape[0]):
        decision, place = first_decision[i], first_position[i]
        positions[place] = states[i]
        while decision < first_decision[i + 1]:
            mask = to_act(states[i])
            for player in range(SEATS):
                actions[player] = -1
                if mask >> player & 1:
                    actions[player] = chosen[decision]
                    movers[decision] = player
                    steps[decision] = place - first_position[i]
                    menus[decision] = legal(states[i], player, menu)
                    decision += 1
            step(states[i], actions, words[i, :1])
            place += 1
            positions[place] = states[i]


@dataclass(frozen=True)
class Positions:
    """Matches played again together, with every position they went through."""

    records: Sequence[MatchRecord]
    states: np.ndarray
    """All positions, one match after the other."""
    first_position: np.ndarray
    first_decision: np.ndarray
    """Where each match begins; one entry more than matches."""
    movers: np.ndarray
    steps: np.ndarray
    menus: np.ndarray
    actions: np.ndarray

    def of_match(self, i: int) -> np.ndarray:
        """The positions of one match, before each step and at the end."""
        return self.states[self.first_position[i] : self.first_position[i + 1]]


def positions_of(game: Game, records: Sequence[MatchRecord]) -> Positions:
    """Play records of one setting again. They are taken as sound; `arena.match.replay` is for those from outside."""
    players, values = records[0].players, game.params.values(records[0].rules)
    words = _words_of(records, players)
    states = game.start(words, players, values)
    first_decision = np.cumsum([0, *(len(record.actions) for record in records)])
    first_position = np.cumsum([0, *(record.plies + 1 for record in records)])
    actions = np.array([action for record in records for action in record.actions], np.int64)
    found = Positions(
        records,
        np.empty(first_position[-1], game.state_type),
        first_position,
        first_decision,
        movers=np.empty_like(actions),
        steps=np.empty_like(actions),
        menus=np.empty_like(actions),
        actions=actions,
    )
    game.kernel(play_again)(
        states, words, actions, first_decision, first_position, found.states, found.movers, found.steps, found.menus
    )
    return found


def _words_of(records: Sequence[MatchRecord], players: int) -> np.ndarray:
    """The random words with which each match began."""
    blocks, rotations = np.array([(record.block, record.rotation) for record in records]).T
    words = np.empty((len(records), 1 + players), np.uint64)
    alike: dict[tuple[int, str], list[int]] = {}
    for i, record in enumerate(records):
        alike.setdefault((record.seed, record.salt), []).append(i)
    for (seed, salt), own in alike.items():
        words[own] = match_words(seed, blocks[own], rotations[own], players, salt)
    return words


def replays_of(game: Game, records: Sequence[MatchRecord]) -> list[Replay]:
    """Records read as numbers. A match that a fault ended is cut before the step that never came."""
    return [replay for chunk in _chunks(records) for replay in _replays(game, positions_of(game, chunk))]


def _chunks(records: Sequence[MatchRecord]) -> Iterator[list[MatchRecord]]:
    waiting = iter(records)
    while chunk := list(islice(waiting, CHUNK)):
        yield chunk


def _replays(game: Game, found: Positions) -> Iterator[Replay]:
    hashes = hash_states(found.states)
    for i, record in enumerate(found.records):
        own = slice(found.first_decision[i], found.first_decision[i + 1])
        movers, steps, actions = found.movers[own], found.steps[own], found.actions[own]
        kinds = kinds_of(game, found.of_match(i)[steps], movers, actions)
        yield Replay(
            agents=tuple(record.agents),
            block=record.block,
            rotation=record.rotation,
            shares=np.array(record.shares),
            outcome=record.outcome,
            plies=record.plies,
            movers=movers,
            steps=steps,
            menus=found.menus[own],
            actions=actions,
            kinds=tuple(kinds),
            positions=hashes[found.first_position[i] : found.first_position[i + 1]],
        )


def hash_states(states: np.ndarray) -> np.ndarray:
    """64 bits for each state: equal for equal states, and else hardly ever."""
    words = np.ascontiguousarray(states).view(np.uint64).reshape(len(states), -1)
    odd = np.random.default_rng(0).integers(0, 1 << 63, words.shape[1], np.uint64) * np.uint64(2) + np.uint64(1)
    with np.errstate(over="ignore"):
        mixed = ((words ^ (words >> np.uint64(29))) * odd).sum(axis=1, dtype=np.uint64)
        return (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)


def legal_kinds(game: Game, records: Sequence[MatchRecord], decisions: int = 4000) -> dict[str, int]:
    """How often each kind of action was legal, over the first decisions of some matches."""
    counts: dict[str, int] = dict.fromkeys(getattr(game.module, "ACTION_KINDS", ()), 0)
    left = decisions
    for record in records:
        for kinds in _menus(game, positions_of(game, [record])):
            for kind in kinds:
                counts[kind] = counts.get(kind, 0) + 1
        left -= len(record.actions)
        if left <= 0:
            break
    return counts


def _menus(game: Game, found: Positions) -> list[set[str]]:
    """The kinds on the menu of every decision of a match."""
    menus = []
    for ply, player in zip(found.steps, found.movers):
        menu = game.menu(found.states[ply : ply + 1], int(player))
        states = np.repeat(found.states[ply : ply + 1], len(menu))
        menus.append(set(kinds_of(game, states, np.full(len(menu), player), menu.astype(np.int64))))
    return menus
