"""A contest: some agents, one lineup, many mirrored blocks; who does how well, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain

import numpy as np

from ludus.agent import Agent
from ludus.arena.blocks import OpenBlocks, rotations, scores
from ludus.arena.bulk import Arena
from ludus.arena.faults import Fault, FaultCount
from ludus.arena.hosts import Clock, Safety
from ludus.arena.lockstep import Seating
from ludus.arena.match import Match
from ludus.arena.statistics import Interval, confidence_sequence, score_of_blocks
from ludus.catalogue import agent, load
from ludus.frames import frame, html
from ludus.records import MatchRecord
from ludus.workers import Workers


@dataclass(frozen=True)
class AgentScore:
    """How one agent did; the score is its mean share of the point, with a 95 % interval over blocks."""

    spec: str
    wins: int
    draws: int
    interval: Interval

    @property
    def score(self) -> float:
        return self.interval.value

    @property
    def low(self) -> float:
        return self.interval.low

    @property
    def high(self) -> float:
        return self.interval.high


@dataclass(frozen=True)
class Contest:
    game: str
    games: int
    seed: int
    agents: list[AgentScore]
    mean_plies: float
    faults: list[Fault] = field(default_factory=list)
    limited: int = 0
    """Matches that reached the declared maximum of plies."""

    def rows(self) -> list[dict[str, object]]:
        """One for each agent."""
        names = ("spec", "wins", "draws", "score", "low", "high")
        return [{name: getattr(one, name) for name in names} for one in self.agents]

    def frame(self):
        """The rows as an Arrow table, for pandas, polars and others."""
        return frame(self.rows())

    def _repr_html_(self) -> str:
        note = f"{self.games:,} matches, {self.mean_plies:.1f} plies on average; 95 % intervals over blocks"
        return html(self.rows(), f"{self.game}, seed {self.seed}", note)

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self), "agents": self.rows()}


def contest(
    game: str,
    specs: Sequence[str],
    *,
    games: int = 100,
    seed: int = 0,
    preset: str = "default",
    rules: Mapping[str, object] | None = None,
    start: np.ndarray | None = None,
    clock: Clock | None = None,
    workers: Workers | None = None,
    safety: Safety | None = None,
    watch: Callable[[int], None] = lambda done: None,
    live: Callable[[Interval], None] | None = None,
    keep: Callable[[MatchRecord], None] | None = None,
    played: Iterable[MatchRecord] = (),
) -> Contest:
    """Play at least `games` matches, in whole blocks. `watch` hears of progress, `live` of the first agent's score so
    far, `keep` gets every record before; those in `played` are counted and not played again."""
    rulebook = load(game)
    values = rulebook.rule_values(preset, rules)
    players = len(specs)
    rulebook.check_setting(players, values)
    blocks = -(-games // players)
    arena = Arena(rulebook, specs, values, seed=seed, start=start, clock=clock, safety=safety)
    count = _Count(players)
    there = {count.add(record) for record in played}
    watch(len(there))
    missing = _missing(blocks, players, there)
    for group in arena.play(missing, workers, with_actions=keep is not None):
        for _, record in group:
            count.add(record)
            if keep:
                keep(record)
        if live and count.blocks:
            live(confidence_sequence(float(count.totals[0]), count.blocks))
        watch(len(group))
    return count.contest(rulebook.source, specs, seed)


def contest_here(
    game: str,
    agents: Sequence[str | Agent],
    *,
    games: int = 100,
    seed: int = 0,
    preset: str = "default",
    rules: Mapping[str, object] | None = None,
) -> Contest:
    """As `contest`, between agents some of which are objects: all play here, and what they raise is heard."""
    rulebook = load(game)
    values = rulebook.rule_values(preset, rules)
    players = [agent(one, rulebook) for one in agents]
    names = [player.spec or type(player).__name__ for player in players]
    count = _Count(len(players))
    for seating in _missing(-(-games // len(players)), len(players), set()):
        seated = [players[k] for k in seating.seats]
        match = Match(rulebook, len(seated), values, seed=seed, block=seating.block, rotation=seating.rotation)
        while not match.over:
            for seat, view in match.waiting().items():
                match.submit(seat, seated[seat].act(view, match.stream(seat)))
        count.add(match.record([names[k] for k in seating.seats]))
    return count.contest(rulebook.source, names, seed)


def _missing(blocks: int, players: int, there: set[tuple[int, int]]) -> Iterator[Seating]:
    seatings = chain.from_iterable(rotations(range(players), block) for block in range(blocks))
    return (seating for seating in seatings if not there or (seating.block, seating.rotation) not in there)


class _Count:
    """Sums over the matches of one lineup; matches wait here only until their block is whole."""

    def __init__(self, players: int):
        self.players = players
        self.matches = self.plies = self.blocks = self.limited = 0
        self.tops = np.zeros((2, players), np.int64)  # wins and draws of each agent
        self.totals, self.squares = np.zeros(players), np.zeros(players)
        self.faults, self._open = FaultCount(), OpenBlocks()

    def add(self, record: MatchRecord) -> tuple[int, int]:
        """Count a match; gives back its block and rotation."""
        best = max(record.returns)
        top = [seat for seat, payoff in enumerate(record.returns) if payoff == best]
        for seat in top:
            self.tops[int(len(top) > 1), (seat + record.rotation) % self.players] += 1
        self.matches += 1
        self.plies += record.plies
        self.limited += record.outcome == "limit"
        self.faults.add(record)
        if block := self._open.add(0, record.block, record.rotation, record):
            means = np.array(scores([match.returns for match in block]))
            self.blocks += 1
            self.totals += means
            self.squares += means * means
        return record.block, record.rotation

    def contest(self, game: str, specs: Sequence[str], seed: int) -> Contest:
        sums = zip(specs, *self.tops.tolist(), self.totals.tolist(), self.squares.tolist())
        agents = [
            AgentScore(spec, wins, draws, score_of_blocks(self.blocks, total, squares, self.players))
            for spec, wins, draws, total, squares in sums
        ]
        plies = self.plies / max(self.matches, 1)
        return Contest(game, self.matches, seed, agents, plies, self.faults.faults, self.limited)
