"""Tournaments: many lineups, mirrored blocks, one store; can be killed at any moment and resumed.

The plan fixes every match before the first is played: lineup, block and rotation are its key, and the key names its
random words. So a resumed tournament plays just the matches that are missing, and ends as if it had never stopped.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ludus.arena.hall import Hall, rotations
from ludus.arena.hosts import Clock
from ludus.arena.lockstep import Table
from ludus.arena.ratings import Ratings, rate
from ludus.arena.statistics import Gsprt, Interval, Verdict, gsprt, score_interval, tally
from ludus.catalogue import load
from ludus.errors import BadInput
from ludus.game import Game
from ludus.records import Key, MatchRecord, Store

FORMATS = ("round-robin", "gauntlet", "until-sure")


@dataclass(frozen=True)
class Plan:
    """Everything that decides the matches of a tournament."""

    game: str
    agents: list[str]
    format: str = "round-robin"
    players: int = 2
    blocks: int = 50
    """Blocks of each lineup; the most that until-sure may take."""
    seed: int = 0
    rules: dict[str, object] = field(default_factory=dict)
    move_seconds: float = 0.0
    elo0: float = 0.0
    elo1: float = 50.0
    """until-sure: normalised Elo of "A is not better" and of "A is better"."""

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise BadInput(f"a tournament is one of {', '.join(FORMATS)}, not {self.format!r}")
        if len(self.agents) < 2:
            raise BadInput("a tournament needs at least two agents")
        if len(set(self.agents)) < len(self.agents):
            raise BadInput("each agent may enter a tournament once")
        if self.format == "until-sure" and (len(self.agents) != 2 or self.players != 2):
            raise BadInput("until-sure is for two agents in a game of two players")

    @property
    def lineups(self) -> list[tuple[int, ...]]:
        """The agents that meet, by number. A gauntlet sets the first against the others, one kind at a time."""
        n, entered = self.players, range(len(self.agents))
        if self.format == "gauntlet":
            return [(0, *[rival] * (n - 1)) for rival in entered[1:]]
        if len(self.agents) >= n:
            return list(itertools.combinations(entered, n))
        mixed = itertools.combinations_with_replacement(entered, n)
        return [lineup for lineup in mixed if len(set(lineup)) == len(self.agents)]

    def tables(self) -> Iterator[tuple[Key, Table]]:
        """Every match; the blocks of all lineups in turn, so that an interrupted tournament is fair to all."""
        for block in range(self.blocks):
            for number, lineup in enumerate(self.lineups):
                for table in rotations(lineup, block):
                    yield (number, block, table.rotation), table


@dataclass(frozen=True)
class Outcome:
    """What a tournament has shown so far."""

    plan: Plan
    ratings: Ratings | None
    pairs: dict[tuple[str, str], Interval]
    """Score of the first agent in the matches where the second played too."""
    faults: dict[str, dict[str, int]]
    played: int
    verdict: Verdict | None = None

    def to_dict(self) -> dict[str, object]:
        return {
            "plan": asdict(self.plan),
            "played": self.played,
            "ratings": asdict(self.ratings) if self.ratings else None,
            "pairs": [{"agent": a, "against": b, **asdict(score)} for (a, b), score in self.pairs.items()],
            "faults": self.faults,
            "verdict": asdict(self.verdict) if self.verdict else None,
        }


class Tournament:
    """A plan and the store that it fills."""

    def __init__(self, plan: Plan, store: Store, name: str = "tournament", jobs: int = 1):
        self.plan, self.store, self.name, self.jobs = plan, store, name, jobs
        self.game: Game = load(plan.game)
        self.game.check_setting(plan.players, plan.rules)
        begun = store.plan(name)
        if begun is not None and begun != asdict(plan):
            changed = [key for key, value in asdict(plan).items() if begun.get(key) != value]
            raise BadInput(
                f"{store.path} has a tournament {name!r} with other {', '.join(changed)}; give another --name"
            )
        store.begin(name, asdict(plan))
        self.records: dict[Key, MatchRecord] = dict(store.matches(name))

    @property
    def total(self) -> int:
        return self.plan.blocks * len(self.plan.lineups) * self.plan.players

    def run(self, watch: Callable[[int], None] = lambda played: None) -> Outcome:
        """Play what is missing; `watch` hears of every group of matches."""
        watch(len(self.records))
        clock = Clock(self.plan.move_seconds) if self.plan.move_seconds else None
        hall = Hall(self.game, self.plan.agents, self.plan.rules, seed=self.plan.seed, clock=clock, jobs=self.jobs)
        missing = ((key, table) for key, table in self.plan.tables() if key not in self.records)
        # Where the plan stops by itself, no more is begun than the test may need.
        step = 64 if self.plan.format == "until-sure" else self.total
        while self._undecided() and (batch := list(itertools.islice(missing, step))):
            key_of = {(table.seats, table.block, table.rotation): key for key, table in batch}
            for group in hall.play(table for _, table in batch):
                keyed = [(key_of[table.seats, table.block, table.rotation], record) for table, record in group]
                self.store.add(self.name, keyed)
                self.records.update(keyed)
                watch(len(keyed))
        return self.outcome()

    def _undecided(self) -> bool:
        verdict = self.verdict()
        return verdict is None or verdict.state == "continue"

    def verdict(self) -> Verdict | None:
        """Where the sequential test stands, from the blocks that are whole, in their order."""
        if self.plan.format != "until-sure":
            return None
        shares = self._shares((0, 1), of=0)
        test = Gsprt(self.plan.elo0, self.plan.elo1)
        return gsprt(test, *tally(shares)) if len(shares) else gsprt(test, [0.0, 1.0], [0, 0])

    def _shares(self, lineup: tuple[int, ...], of: int) -> np.ndarray:
        """Shares of one agent in the whole blocks of a lineup: [blocks, matches]."""
        number = self.plan.lineups.index(lineup)
        rows = []
        for block in range(self.plan.blocks):
            records = [self.records.get((number, block, turn)) for turn in range(self.plan.players)]
            if all(records):
                tables = rotations(lineup, block)
                rows.append([_share(record, table, of) for record, table in zip(records, tables) if record])
        return np.array(rows)

    def outcome(self) -> Outcome:
        agents = self.plan.agents
        faults: dict[str, Counter[str]] = {}
        for record in self.records.values():
            if record.culprit >= 0:
                faults.setdefault(record.agents[record.culprit], Counter())[record.outcome] += 1
        return Outcome(
            self.plan,
            self._ratings() if self.records else None,
            {(agents[a], agents[b]): self._pair(a, b) for a, b in itertools.permutations(range(len(agents)), 2)
             if any(a in lineup and b in lineup for lineup in self.plan.lineups)},
            {agent: dict(count) for agent, count in faults.items()},
            len(self.records),
            self.verdict(),
        )  # fmt: skip

    def _pair(self, a: int, b: int) -> Interval:
        blocks = [self._shares(lineup, of=a) for lineup in self.plan.lineups if a in lineup and b in lineup]
        blocks = [block for block in blocks if len(block)]
        return score_interval(np.concatenate(blocks)) if blocks else Interval(1 / self.plan.players, 0.0, 1.0, 0)

    def _ratings(self) -> Ratings:
        lineups, keys = self.plan.lineups, sorted(self.records)
        seats = [rotations(lineups[number], block)[turn].seats for number, block, turn in keys]
        return rate(
            [[self.plan.agents[k] for k in match] for match in seats],
            [self.records[key].shares for key in keys],
            [block * len(lineups) + number for number, block, _ in keys],
            rng=np.random.default_rng(self.plan.seed),
        )


def _share(record: MatchRecord, table: Table, of: int) -> float:
    """Mean share of an agent, which may sit in several seats."""
    return float(np.mean([share for share, who in zip(record.shares, table.seats) if who == of]))


def make_plan(
    game: str, agents: Sequence[str], preset: str, rules: Mapping[str, object], players: int = 0, **rest: Any
) -> Plan:
    """A plan with the values of all rules written out, and the fewest players where nothing is said."""
    rulebook = load(game)
    values = rulebook.rule_values(preset, rules)
    return Plan(game, list(agents), players=players or rulebook.facts.players[0], rules=values, **rest)
