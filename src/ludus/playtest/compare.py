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
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from ludus.arena.bulk import Arena
from ludus.arena.lockstep import Seating
from ludus.arena.statistics import Interval, bounded_sequence, mean_sequence, score_interval
from ludus.catalogue import load
from ludus.errors import BadInput, UnknownName
from ludus.game import Game
from ludus.measure.metrics.decisions import turns_of
from ludus.measure.replays import Replay, replays_of
from ludus.records import MatchRecord, Store
from ludus.workers import Threads

CONFIDENCE = 0.95
"""That no interval of a whole comparison ever misses: what may go wrong is shared out among all that are looked at."""
FEWEST = 50
"""Pairs before the first verdict: intervals without known bounds rest on a limit theorem."""
PRECISE = 0.25
"""A difference is known well enough if its interval reaches no further than this part of it to each side."""
MOST_NAMED = 4
"""Rules that a sentence names; the page lists all."""
SIDES = ("A", "B")

# ------------------------------------------------------------------------------------------------ what is compared


@dataclass(frozen=True)
class Version:
    """A game under certain rules."""

    game: Game
    values: dict[str, object]

    @classmethod
    def of(cls, game: str, preset: str = "default", changes: Mapping[str, object] | None = None) -> Version:
        rulebook = load(game)
        return cls(rulebook, rulebook.rule_values(preset, changes))

    @cached_property
    def identity(self) -> dict[str, object]:
        """Two versions are the same if this is; the file counts by its content, wherever it lies."""
        content = Path(self.game.module.__file__ or "").read_bytes()
        return {"content": hashlib.sha256(content).hexdigest(), "rules": self.values}

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
class Plan:
    """Everything that decides the matches; how many of them are played may change later."""

    a: Version
    b: Version
    agents: tuple[str, ...]
    """Each plays against itself: a level of skill."""
    players: int
    seed: int = 0

    def __post_init__(self) -> None:
        if self.a.identity == self.b.identity:
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
    def identity(self) -> dict[str, object]:
        both = {side: version.identity for side, version in zip(SIDES, self.versions)}
        return {**both, "agents": list(self.agents), "players": self.players, "seed": self.seed}

    @property
    def name(self) -> str:
        """For a folder: other plans have other names."""
        text = json.dumps(self.identity, sort_keys=True)
        return f"{self.b.game.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def make_plan(a: Version, b: Version, agents: Sequence[str], players: int = 0, seed: int = 0) -> Plan:
    """A plan; the fewest players that both versions allow where nothing is said."""
    fewest = max(version.game.facts.players[0] for version in (a, b))
    most = min(version.game.facts.players[1] for version in (a, b))
    if fewest > most:
        raise BadInput(f"{a.game.source} and {b.game.source} have no number of players in common")
    return Plan(a, b, tuple(agents), players or fewest, seed)


# ------------------------------------------------------------------------------------------------ quantities


@dataclass(frozen=True)
class Quantity:
    """A number of a match."""

    key: str
    name: str
    unit: str
    read: Callable[[Replay], float]
    matters: float
    """The smallest difference that matters, in units …"""
    matters_part: float = 0.0
    """… or, if that is more, as a part of what A has."""
    rises: str = ""
    falls: str = ""
    """How a sentence about a change begins; what has such sentences is a headline, and the comparison waits for it."""
    most: float = 0.0
    """The quantity lies between 0 and this; 0 where nobody knows."""

    @property
    def is_headline(self) -> bool:
        return bool(self.rises)


def quantities(plan: Plan, matters: Mapping[str, float] | None = None) -> list[Quantity]:
    """What is read off every match; `matters` may set the smallest differences by key, for all seats by `seat`."""
    found = [
        Quantity("turns", "length", "turns", turns, 1, 0.02, "lengthens the game by", "shortens the game by"),
        *(_seat(seat) for seat in range(plan.players if plan.players > 2 else plan.players - 1)),
        _frequency("draws", "draws", is_draw, 3),
        _frequency("limits", "time-outs", lambda replay: replay.outcome == "limit", 1),
        Quantity("decisions", "decisions", "decisions", lambda replay: len(replay.movers), 1, 0.02),
        Quantity("menu", "menu", "actions", mean_menu, 0.1, 0.05),
        Quantity("choices", "real choices", "points", choices, 2, most=100),
        Quantity("kinds", "kinds of action", "kinds", lambda replay: len(set(replay.kinds)), 0.2, 0.02),
        Quantity("repeats", "repetition", "points", repeats, 2, most=100),
    ]
    if any(version.game.facts.simultaneous for version in plan.versions):
        found.append(Quantity("plies", "plies", "plies", lambda replay: replay.plies, 1, 0.02))
    return _with_matters(found, matters or {})


def _seat(seat: int) -> Quantity:
    name = f"player {seat + 1}"
    return Quantity(
        f"seat-{seat + 1}", f"wins of {name}", "points", partial(share, seat=seat), 3,
        rises=f"helps {name} by", falls=f"hurts {name} by", most=100,
    )  # fmt: skip


def _frequency(key: str, name: str, happens: Callable[[Replay], bool], matters: float) -> Quantity:
    return Quantity(
        key, name, "points", lambda replay: 100.0 * happens(replay), matters,
        rises=f"makes {name} more frequent by", falls=f"makes {name} rarer by", most=100,
    )  # fmt: skip


def _with_matters(found: list[Quantity], matters: Mapping[str, float]) -> list[Quantity]:
    known = {_family(quantity.key) for quantity in found}
    for key, value in matters.items():
        if key not in known:
            raise UnknownName("quantity", key, known)
        if not 0 < value < math.inf:
            raise BadInput(f"the smallest difference that matters is above 0, not {value:g}")
    fixed = {key: {"matters": value, "matters_part": 0.0} for key, value in matters.items()}
    return [Quantity(**{**vars(quantity), **fixed.get(_family(quantity.key), {})}) for quantity in found]


def _family(key: str) -> str:
    return key.partition("-")[0]


def turns(replay: Replay) -> float:
    return len(turns_of(replay))


def share(replay: Replay, seat: int) -> float:
    return 100 * float(replay.shares[seat])


def is_draw(replay: Replay) -> bool:
    """The rules ended it, and nobody did better than anybody else."""
    return replay.outcome == "finished" and bool(np.ptp(replay.shares) < 1e-9)


def mean_menu(replay: Replay) -> float:
    return float(replay.menus.mean()) if len(replay.menus) else 0.0


def choices(replay: Replay) -> float:
    return 100 * float((replay.menus > 1).mean()) if len(replay.menus) else 0.0


def repeats(replay: Replay) -> float:
    return 100 * (1 - len(np.unique(replay.positions)) / len(replay.positions))


def read_matches(game: Game, records: Sequence[MatchRecord], found: Sequence[Quantity]) -> np.ndarray:
    """Every quantity of every match: (matches, quantities); nan where an agent's fault ended it."""
    numbers = np.array([[quantity.read(replay) for quantity in found] for replay in replays_of(game, records)], float)
    numbers[[record.culprit >= 0 for record in records]] = np.nan
    return numbers


# ------------------------------------------------------------------------------------------------ judging


@dataclass(frozen=True)
class Difference:
    """What the pairs say about one quantity; `difference` is B minus A, and only its interval may be watched live."""

    quantity: Quantity
    a: Interval
    b: Interval
    difference: Interval
    noise: float
    """How much of the half-width is due to differences that were seen; the rest is due to what may come yet."""

    @property
    def matters(self) -> float:
        return max(self.quantity.matters, self.quantity.matters_part * abs(self.a.value))

    @property
    def half_width(self) -> float:
        return (self.difference.high - self.difference.low) / 2

    @property
    def verdict(self) -> str:
        """changed (0 is excluded), unchanged (all that matters is excluded), or not sure yet."""
        if self.difference.n < FEWEST:
            return "not sure yet"
        if self.difference.low > 0 or self.difference.high < 0:
            return "changed"
        is_small = -self.matters <= self.difference.low and self.difference.high <= self.matters
        return "unchanged" if is_small else "not sure yet"

    @property
    def is_settled(self) -> bool:
        """Whether more pairs would tell nothing of interest."""
        enough = max(self.matters, PRECISE * abs(self.difference.value))
        return self.verdict == "unchanged" or (self.verdict == "changed" and self.half_width <= enough)

    @property
    def pairs_needed(self) -> int:
        """About how many pairs give a verdict if the difference is what it seems: noise falls with the root of their
        number, the rest with the number itself. So target = noise · x + rest · x² at n/x² pairs."""
        seen = abs(self.difference.value)
        target = max(seen, self.matters - seen)
        rest = max(self.half_width - self.noise, 0.0)
        x = 2 * target / (self.noise + math.sqrt(self.noise**2 + 4 * rest * target))
        pairs = max(self.difference.n / x**2, FEWEST, 1.1 * self.difference.n)
        two_digits = 10 ** (math.floor(math.log10(pairs)) - 1)
        return math.ceil(pairs / two_digits) * two_digits

    @property
    def digits(self) -> int:
        return 1 if self.matters >= 0.5 else 2

    @property
    def sentence(self) -> str:
        name = self.quantity.name[0].upper() + self.quantity.name[1:]
        if self.verdict == "changed":
            return self._change() + "."
        if self.verdict == "unchanged" and self.a.value == self.b.value == 0:
            return f"No {self.quantity.name} under A or B ({self.text})."
        if self.verdict == "unchanged":
            return f"{name} unchanged ({self.text})."
        return f"{name}: not sure yet ({self.text}); about {self.pairs_needed:,} pairs would tell."

    @property
    def text(self) -> str:
        """With signs and the unit."""
        value, low, high = (_signed(x, self.digits) for x in self._bounds())
        return f"{value} {self.quantity.unit} [{low}, {high}]"

    def _change(self) -> str:
        value, low, high = self._bounds()
        if value < 0:
            value, low, high = -value, -high, -low
        rises, falls = self.quantity.rises or "raises", self.quantity.falls or "lowers"
        verb = rises if self.difference.value > 0 else falls
        what = "" if self.quantity.is_headline else f" {self.quantity.name} by"
        size = f"{value:.{self.digits}f} {self.quantity.unit} [{low:.{self.digits}f}, {high:.{self.digits}f}]"
        levels = f"from {self.a.value:.{self.digits}f} to {self.b.value:.{self.digits}f}"
        little = f", less than the {self.matters:.2g} that matter" if high < self.matters else ""
        return f"B {verb}{what} {size}, {levels}{little}"

    def _bounds(self) -> tuple[float, float, float]:
        return self.difference.value, self.difference.low, self.difference.high

    def to_dict(self) -> dict[str, object]:
        quantity = self.quantity
        return {
            "key": quantity.key,
            "name": quantity.name,
            "unit": quantity.unit,
            "headline": quantity.is_headline,
            "a": asdict(self.a),
            "b": asdict(self.b),
            "difference": asdict(self.difference),
            "matters": self.matters,
            "verdict": self.verdict,
            "pairs_needed": self.pairs_needed if self.verdict == "not sure yet" else None,
            "sentence": self.sentence,
        }


def _signed(number: float, digits: int) -> str:
    return f"{number:+z.{digits}f}".replace("-", "−")


def judge(quantity: Quantity, a: np.ndarray, b: np.ndarray, confidence: float) -> Difference:
    """The difference of pairs, at the confidence that each of several intervals must have for all to hold together."""
    # One more pair might be as different as the quantity is large, however alike all were so far.
    doubt = max(float(a.mean()), float(b.mean())) ** 2
    if quantity.most:
        difference = bounded_sequence(b - a, -quantity.most, quantity.most, confidence)
        own = [_scaled(score_interval(side / quantity.most), quantity.most) for side in (a, b)]
    else:
        difference = mean_sequence(b - a, confidence, doubt)
        own = [mean_sequence(side, CONFIDENCE, doubt) for side in (a, b)]
    noise = mean_sequence(b - a, confidence)
    return Difference(quantity, own[0], own[1], difference, (noise.high - noise.low) / 2)


def _scaled(x: Interval, factor: float) -> Interval:
    return Interval(factor * x.value, factor * x.low, factor * x.high, x.n)


@dataclass(frozen=True)
class Level:
    """One agent against itself under both versions."""

    agent: str
    differences: list[Difference]
    lengths: tuple[np.ndarray, np.ndarray]
    """Turns of every match of A and of B."""

    @property
    def pairs(self) -> int:
        return len(self.lengths[0])

    @property
    def headlines(self) -> list[Difference]:
        return [one for one in self.differences if one.quantity.is_headline]

    @property
    def is_settled(self) -> bool:
        return all(one.is_settled for one in self.headlines)

    def to_dict(self) -> dict[str, object]:
        rows = [one.to_dict() for one in self.differences]
        return {"agent": self.agent, "pairs": self.pairs, "settled": self.is_settled, "quantities": rows}


@dataclass(frozen=True)
class Outcome:
    plan: Plan
    levels: list[Level]
    faults: list[str]
    """Matches that an agent spoilt: a sentence each."""

    @property
    def looked_at(self) -> int:
        """How many intervals share what may go wrong."""
        return len(self.plan.agents) * max(len(level.differences) for level in self.levels)

    @property
    def sentences(self) -> list[str]:
        """The headlines; what changed comes first."""
        order = {"changed": 0, "unchanged": 1, "not sure yet": 2}
        found = []
        for level in self.levels:
            who = f"{level.agent}: " if len(self.levels) > 1 else ""
            found += [who + one.sentence for one in sorted(level.headlines, key=lambda one: order[one.verdict])]
        return found

    def to_dict(self) -> dict[str, object]:
        versions = {
            side.lower(): {"game": version.game.source, "version": version.game.facts.version, "rules": version.values}
            for side, version in zip(SIDES, self.plan.versions)
        }
        return {
            **versions,
            "players": self.plan.players,
            "seed": self.plan.seed,
            "confidence": CONFIDENCE,
            "intervals": self.looked_at,
            "sentences": self.sentences,
            "levels": [level.to_dict() for level in self.levels],
            "faults": self.faults,
        }


# ------------------------------------------------------------------------------------------------ playing


class Comparison:
    """A plan and the store that it fills: the tournaments A and B, a lineup for each level, a block for each pair."""

    def __init__(self, plan: Plan, store: Store, jobs: int = 1, matters: Mapping[str, float] | None = None):
        self.plan, self.store, self.workers = plan, store, Threads(jobs)
        self.quantities = quantities(plan, matters)
        self.halls = [
            [Arena(version.game, [spec], version.values, seed=plan.seed) for spec in plan.agents]
            for version in plan.versions
        ]
        self.rows: list[list[dict[int, np.ndarray]]] = [[{} for _ in plan.agents] for _ in SIDES]
        self.faults: Counter[tuple[str, str, str]] = Counter()
        for side, name in enumerate(SIDES):
            self._begin(name)
            for level in range(len(plan.agents)):
                kept = [record for key, record in store.matches(name) if key[0] == level]
                self._read(side, level, kept)

    def _begin(self, name: str) -> None:
        begun, wanted = self.store.plan(name), self.plan.identity
        if begun is not None and begun != wanted:
            other = ", ".join(key for key, value in wanted.items() if begun.get(key) != value)
            raise BadInput(f"{self.store.path} has a comparison with other {other}; give another --out")
        self.store.begin(name, wanted)

    def run(self, pairs: int, watch: Callable[[int], None] = lambda played: None) -> Outcome:
        """Play until all headlines are settled, at most so many pairs a level; `watch` hears of every group of
        matches."""
        watch(sum(len(rows) for side in self.rows for rows in side))
        for level in range(len(self.plan.agents)):
            for count in looks(self._whole(level), pairs):
                for side in range(len(SIDES)):
                    self._play(side, level, count, watch)
                if self._judge(level, count).is_settled:
                    break
        return self.outcome(pairs)

    def outcome(self, pairs: int) -> Outcome:
        """What is known from the whole pairs so far, which may be asked at any moment."""
        counts = [min(self._whole(level), pairs) for level in range(len(self.plan.agents))]
        levels = [self._judge(level, count) for level, count in enumerate(counts) if count > 1]
        return Outcome(self.plan, levels, self._fault_sentences())

    def _fault_sentences(self) -> list[str]:
        return [
            f"{n:,} {'match' if n == 1 else 'matches'} of {side} ended by {what} of {who}; such pairs are left out"
            for (side, what, who), n in self.faults.items()
        ]

    def _whole(self, level: int) -> int:
        """How many pairs from the first on are complete."""
        a, b = (side[level] for side in self.rows)
        return next(block for block in range(len(a) + 1) if block not in a or block not in b)

    def _judge(self, level: int, count: int) -> Level:
        both = np.array([[side[level][block] for block in range(count)] for side in self.rows])
        a, b = both[:, ~np.isnan(both).any(axis=(0, 2))]  # without the pairs that an agent spoilt
        if len(a) < 2:
            raise BadInput(f"there is nothing to compare: {'; '.join(self._fault_sentences())}")
        confidence = 1 - (1 - CONFIDENCE) / (len(self.quantities) * len(self.plan.agents))
        found = [judge(quantity, a[:, k], b[:, k], confidence) for k, quantity in enumerate(self.quantities)]
        return Level(self.plan.agents[level], found, (a[:, 0], b[:, 0]))

    def _play(self, side: int, level: int, count: int, watch: Callable[[int], None]) -> None:
        """The matches of one side that are missing among the first pairs."""
        rows = self.rows[side][level]
        seats = (0,) * self.plan.players
        missing = (Seating(seats, block, 0) for block in range(count) if block not in rows)
        for group in self.halls[side][level].play(list(missing), self.workers):
            self.store.add(SIDES[side], [((level, table.block, 0), record) for table, record in group])
            self._read(side, level, [record for _, record in group])
            watch(len(group))

    def _read(self, side: int, level: int, records: Sequence[MatchRecord]) -> None:
        numbers = read_matches(self.plan.versions[side].game, records, self.quantities)
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
