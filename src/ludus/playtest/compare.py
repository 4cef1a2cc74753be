"""Two versions of the rules, A and B: what does the change change?

Both play the same seeds, pair by pair, and every quantity is judged by the differences within pairs. Intervals hold
however often one looks at them (confidence sequences), so the comparison may stop by itself as soon as it knows enough.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ludus.arena.bulk import Arena
from ludus.arena.hosts import full_spec
from ludus.arena.lockstep import Seating
from ludus.catalogue import load
from ludus.errors import BadInput, UnknownName
from ludus.game import Game
from ludus.identity import agent_parts, changes, game_parts
from ludus.measure.metric import Quantity
from ludus.measure.metrics import all_metrics
from ludus.measure.replays import replays_of
from ludus.playtest.differences import CONFIDENCE, Changes, judge
from ludus.records import MatchRecord, Store
from ludus.workers import Threads, Workers

MOST_NAMED = 4
"""Rules that a sentence names; the page lists all."""
MOST_PAIRS = 10_000_000
SIDES = ("A", "B")

# ------------------------------------------------------------------------------------------------ what is compared


@dataclass(frozen=True)
class Version:
    """A game under certain rules."""

    game: Game
    values: dict[str, object]
    asked: dict[str, object] = field(default_factory=dict)
    """The preset and the changes that gave the values."""

    @classmethod
    def of(cls, game: str, preset: str = "default", changes: Mapping[str, object] | None = None) -> Version:
        rulebook = load(game)
        return cls(rulebook, rulebook.rule_values(preset, changes), {"preset": preset, **(changes or {})})

    def is_same(self, other: Version) -> bool:
        """By content, wherever it lies."""
        return self.game.fingerprint == other.game.fingerprint and self.values == other.values

    def text(self, names: Sequence[str]) -> str:
        """The game with some of its rules, the first few by name."""
        shown = [f"{name} = {self.values[name]}" for name in names[:MOST_NAMED]]
        more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
        return " with ".join(filter(None, [self.game.source, ", ".join(shown + more)]))

    @property
    def unusual(self) -> list[str]:
        """Rules that differ from the default."""
        usual = self.game.params.values({})
        return [name for name, value in self.values.items() if value != usual[name]]


@dataclass(frozen=True)
class Comparison:
    """Everything that decides the matches; how many of them are played may change later."""

    a: Version
    b: Version
    agents: tuple[str, ...]
    """Each plays against itself: a level of skill."""
    players: int
    seed: int = 0

    def __post_init__(self) -> None:
        if self.a.is_same(self.b):
            raise BadInput(f"A and B are the same rules ({self.a.text(self.a.unusual)}): there is nothing to compare")
        if not self.agents or len(set(self.agents)) < len(self.agents):
            raise BadInput("a comparison needs at least one agent, and each only once")
        for version in self.versions:
            version.game.check_setting(self.players, version.values)

    @property
    def versions(self) -> tuple[Version, Version]:
        return self.a, self.b

    @property
    def texts(self) -> list[str]:
        """A and B in words: the rules in which they differ, or, of two games, those that are not the default."""
        if self.a.game is not self.b.game:
            return [version.text(version.unusual) for version in self.versions]
        names = [name for name, value in self.a.values.items() if self.b.values[name] != value]
        return [version.text(names) for version in self.versions]

    @property
    def content(self) -> dict[str, str]:
        """Rules, numbers and agents as they are written now."""
        parts: dict[str, str] = {}
        for side, version in zip(SIDES, self.versions):
            parts |= {f"{name} of {side}": part for name, part in game_parts(version.game, version.values).items()}
        for spec in self.agents:
            a, b = (agent_parts(spec, version.game) for version in self.versions)
            parts |= {name: a.get(name, "") + b.get(name, "") for name in {**a, **b}}
        return parts | {name: f"={value}" for name, value in self._asked().items()}

    def _asked(self) -> dict[str, object]:
        return {"agents": ", ".join(self.agents), "players": self.players, "seed": self.seed}

    @property
    def name(self) -> str:
        """For a folder: whoever asks the same again comes back to it, whatever was edited meanwhile."""
        versions = [[version.game.source, version.asked] for version in self.versions]
        text = json.dumps([versions, self._asked()], sort_keys=True, default=str)
        return f"{self.b.game.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def compare(a: Version, b: Version, agents: Sequence[str], players: int = 0, seed: int = 0) -> Comparison:
    """What to compare; with the fewest players that both versions allow where nothing is said."""
    fewest = max(version.game.facts.players[0] for version in (a, b))
    most = min(version.game.facts.players[1] for version in (a, b))
    if fewest > most:
        raise BadInput(f"{a.game.source} and {b.game.source} have no number of players in common")
    for version in (a, b):
        for spec in agents:
            full_spec(spec, version.game)  # one that cannot play is refused before anything is written
    return Comparison(a, b, tuple(agents), players or fewest, seed)


# ------------------------------------------------------------------------------------------------ quantities


def quantities(comparison: Comparison, matters: Mapping[str, float] | None = None) -> list[Quantity]:
    """What is read off every match, the headlines first; `matters` may set the smallest differences by key, for all
    seats by `seat`."""
    found = [one for metric in all_metrics().values() for one in metric.quantities(comparison.players)]
    if not any(version.game.facts.simultaneous for version in comparison.versions):
        found = [one for one in found if one.key != "plies"]  # they are decisions under another name
    return _with_matters(sorted(found, key=lambda one: not one.is_headline), matters or {})


def _with_matters(found: list[Quantity], matters: Mapping[str, float]) -> list[Quantity]:
    known = {_family(quantity.key) for quantity in found}
    for key, value in matters.items():
        if key not in known:
            raise UnknownName("quantity", key, known)
        if not 0 < value < math.inf:
            raise BadInput(f"the smallest difference that matters is above 0, not {value:g}")
    fixed = {key: {"matters": value, "matters_part": 0.0} for key, value in matters.items()}
    return [replace(quantity, **fixed.get(_family(quantity.key), {})) for quantity in found]


def _family(key: str) -> str:
    return key.partition("-")[0]


def read_matches(game: Game, records: Sequence[MatchRecord], found: Sequence[Quantity]) -> np.ndarray:
    """Every quantity of every match: (matches, quantities); nan where an agent's fault ended it."""
    numbers = np.array([[quantity.read(replay) for quantity in found] for replay in replays_of(game, records)], float)
    numbers[[record.culprit >= 0 for record in records]] = np.nan
    return numbers


# ------------------------------------------------------------------------------------------------ what came out


@dataclass(frozen=True)
class Compared:
    comparison: Comparison
    levels: list[Changes]
    faults: list[str]
    """Matches that an agent spoilt: a sentence each."""
    note: str = ""
    """Where the matches are, if not in the folder that was asked for, and why."""

    @property
    def looked_at(self) -> int:
        """How many intervals share what may go wrong."""
        return len(self.comparison.agents) * max(len(level.differences) for level in self.levels)

    @property
    def sentences(self) -> list[str]:
        """Whatever changed, and what is said of every rule."""
        found = []
        for level in self.levels:
            who = f"{level.agent}: " if len(self.levels) > 1 else ""
            found += [who + one.sentence for one in level.leading]
        return found

    def to_dict(self) -> dict[str, object]:
        versions = {
            side.lower(): {"game": version.game.source, "version": version.game.facts.version, "rules": version.values}
            for side, version in zip(SIDES, self.comparison.versions)
        }
        return {
            **versions,
            "players": self.comparison.players,
            "seed": self.comparison.seed,
            "confidence": CONFIDENCE,
            "intervals": self.looked_at,
            "sentences": self.sentences,
            "levels": [level.to_dict() for level in self.levels],
            "faults": self.faults,
            "note": self.note,
        }


# ------------------------------------------------------------------------------------------------ playing


class Pairs:
    """The matches of a comparison, kept in a store: tournaments A and B, a lineup for each level, a block for each
    pair."""

    def __init__(
        self,
        comparison: Comparison,
        store: Store,
        workers: Workers | None = None,
        matters: Mapping[str, float] | None = None,
    ):
        self.comparison, self.store = comparison, store
        self.quantities = quantities(comparison, matters)
        self.turns = next(k for k, quantity in enumerate(self.quantities) if quantity.key == "turns")
        self.workers = workers or Threads(1)
        self.arenas = [
            [Arena(version.game, [spec], version.values, seed=comparison.seed) for spec in comparison.agents]
            for version in comparison.versions
        ]
        self.rows: list[list[dict[int, np.ndarray]]] = [[{} for _ in comparison.agents] for _ in SIDES]
        self.faults: Counter[tuple[str, str, str]] = Counter()
        for side, name in enumerate(SIDES):
            self._begin(name)
            for level in range(len(comparison.agents)):
                kept = [record for key, record in store.matches(name) if key[0] == level]
                self._read(side, level, kept)

    def _begin(self, name: str) -> None:
        """Matches of other content are never read as if they were of this one; `series` finds a place for each."""
        begun, content = self.store.plan(name), self.comparison.content
        if begun is not None and (other := changes(begun, content)):
            raise BadInput(f"{self.store.path} has a comparison with other {', '.join(other)}; give another store")
        self.store.begin(name, content)

    def run(self, pairs: int, watch: Callable[[int], None] = lambda played: None) -> Compared:
        """Play until all headlines are settled, at most so many pairs a level; `watch` hears of every group of
        matches."""
        watch(sum(len(rows) for side in self.rows for rows in side))
        for level in range(len(self.comparison.agents)):
            for count in looks(self._whole(level), pairs):
                for side in range(len(SIDES)):
                    self._play(side, level, count, watch)
                if self._judge(level, count).is_settled:
                    break
        return self.compared(pairs)

    def compared(self, pairs: int) -> Compared:
        """What is known from the whole pairs so far, which may be asked at any moment."""
        counts = [min(self._whole(level), pairs) for level in range(len(self.comparison.agents))]
        levels = [self._judge(level, count) for level, count in enumerate(counts) if count > 1]
        return Compared(self.comparison, levels, self._fault_sentences())

    def _fault_sentences(self) -> list[str]:
        return [
            f"{n:,} {'match' if n == 1 else 'matches'} of {side} ended by {what} of {who}; such pairs are left out"
            for (side, what, who), n in self.faults.items()
        ]

    def _whole(self, level: int) -> int:
        """How many pairs from the first on are complete."""
        a, b = (side[level] for side in self.rows)
        return next(block for block in range(len(a) + 1) if block not in a or block not in b)

    def _judge(self, level: int, count: int) -> Changes:
        both = np.array([[side[level][block] for block in range(count)] for side in self.rows])
        a, b = both[:, ~np.isnan(both).any(axis=(0, 2))]  # without the pairs that an agent spoilt
        if len(a) < 2:
            raise BadInput(f"there is nothing to compare: {'; '.join(self._fault_sentences())}")
        confidence = 1 - (1 - CONFIDENCE) / (len(self.quantities) * len(self.comparison.agents))
        found = [judge(quantity, a[:, k], b[:, k], confidence) for k, quantity in enumerate(self.quantities)]
        return Changes(self.comparison.agents[level], found, (a[:, self.turns], b[:, self.turns]))

    def _play(self, side: int, level: int, count: int, watch: Callable[[int], None]) -> None:
        """The matches of one side that are missing among the first pairs."""
        rows = self.rows[side][level]
        seats = (0,) * self.comparison.players
        missing = (Seating(seats, block, 0) for block in range(count) if block not in rows)
        for group in self.arenas[side][level].play(list(missing), self.workers):
            self.store.add(SIDES[side], [((level, table.block, 0), record) for table, record in group])
            self._read(side, level, [record for _, record in group])
            watch(len(group))

    def _read(self, side: int, level: int, records: Sequence[MatchRecord]) -> None:
        numbers = read_matches(self.comparison.versions[side].game, records, self.quantities)
        self.rows[side][level].update((record.block, row) for record, row in zip(records, numbers))
        blamed = [record for record in records if record.culprit >= 0]
        self.faults.update((SIDES[side], record.outcome, record.agents[record.culprit]) for record in blamed)


def looks(played: int, most: int) -> Iterator[int]:
    """After how many pairs there is a judgement: a fixed row of numbers, so that a run that was interrupted stops where
    it would have stopped anyway. Those that were passed already are left out; the first ones, too few for a verdict,
    see to it that whole pairs are there soon."""
    count = 10
    while count < most:
        if count >= played:
            yield count
        count += count // 5
    yield most
