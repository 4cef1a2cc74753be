"""A series: matches of a tournament that may be counted together, because the same content made all of them.

A tournament has a name, and under it one series or several. More games and more agents make a series grow; an edited
rule, an edited agent or another seed begins a fresh one beside it, called NAME 2, NAME 3, …, and undoing the edit goes
on with the old one. Nothing is ever mixed, refused or thrown away.

Beside the matches the store keeps sums of them, written in the same transaction: how often each lineup's blocks ended
in which places, and the sums of scores that intervals need. So neither resuming nor rating reads matches, however many
there are.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from ludus.arena.blocks import OpenBlocks, rotations, scores
from ludus.arena.choices import Units
from ludus.arena.faults import MOST_REASONS, OTHERS, Fault, failed
from ludus.arena.lockstep import Seating
from ludus.arena.schedule import Lineup
from ludus.errors import BadRecord
from ludus.identity import Parts, changes
from ludus.records import Key, MatchRecord, Store

SCHEMA = """
create table if not exists entrants (tournament text, number integer, spec text, parts text,
    primary key (tournament, number));
create table if not exists lineups (tournament text, lineup integer, agents text,
    frontier integer default 0, matches integer default 0, plies integer default 0,
    primary key (tournament, lineup));
create table if not exists tally (tournament text, lineup integer, places text, blocks integer,
    primary key (tournament, lineup, places));
create table if not exists scores (tournament text, lineup integer, agent integer, blocks integer,
    total real, squares real, primary key (tournament, lineup, agent));
create table if not exists faults (tournament text, agent text, outcome text, detail text, count integer,
    lineup integer, block integer, rotation integer, primary key (tournament, agent, outcome, detail));
create table if not exists standings (tournament text primary key, matches integer, content text)
"""
Payoffs = tuple[tuple[float, ...], ...]
"""The returns of a block's matches, in the order of the rotations."""
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Moments:
    """Sums over whole blocks of an agent's mean score and of its square."""

    blocks: int = 0
    total: float = 0.0
    squares: float = 0.0

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.blocks + other.blocks, self.total + other.total, self.squares + other.squares)


class Series:
    """One series in a store: what it holds, and how it grows."""

    def __init__(self, store: Store, name: str):
        self.store, self.name = store, name
        store.create(SCHEMA)
        self.plan = store.plan(name) or {}
        self._read()
        if not self.lineups and self.played == 0:
            self._sum_up_old_matches()

    def _read(self) -> None:
        with self.store.reading() as db:
            found = db.execute("select spec, parts from entrants where tournament = ? order by number", (self.name,))
            self.entrants: dict[str, Parts] = {spec: json.loads(parts) for spec, parts in found}
            query = "select agents, frontier from lineups where tournament = ? order by lineup"
            rows = db.execute(query, (self.name,)).fetchall()
        self.lineups: dict[Lineup, int] = {tuple(json.loads(agents)): k for k, (agents, _) in enumerate(rows)}
        self._frontier = [frontier for _, frontier in rows]
        """For each lineup the block before which all are whole."""
        self._ahead: list[set[int]] = [set() for _ in rows]
        """Whole blocks behind that."""
        self._open = OpenBlocks()

    # -------------------------------------------------------------------------------------------- what it holds

    @property
    def players(self) -> int:
        return len(next(iter(self.lineups), ()))

    @property
    def played(self) -> int:
        return self._sum("matches")

    @property
    def plies(self) -> int:
        return self._sum("plies")

    def _sum(self, column: str) -> int:
        with self.store.reading() as db:
            query = f"select coalesce(sum({column}), 0) from lineups where tournament = ?"
            return db.execute(query, (self.name,)).fetchone()[0]

    def units(self) -> Units:
        """How often blocks ended how, for ratings."""
        lineups = list(self.lineups)
        with self.store.reading() as db:
            query = "select lineup, places, blocks from tally where tournament = ? order by lineup, places"
            rows = db.execute(query, (self.name,)).fetchall()
        return {_unit(lineups[lineup], places): blocks for lineup, places, blocks in rows}

    def moments(self) -> dict[tuple[Lineup, int], Moments]:
        """The sums of each agent's scores in each lineup."""
        lineups = list(self.lineups)
        with self.store.reading() as db:
            query = "select lineup, agent, blocks, total, squares from scores where tournament = ?"
            rows = db.execute(query, (self.name,)).fetchall()
        return {(lineups[lineup], agent): Moments(*sums) for lineup, agent, *sums in rows}

    def faults(self) -> list[Fault]:
        """The most frequent first."""
        with self.store.reading() as db:
            query = (
                "select agent, outcome, detail, count, lineup, block, rotation from faults where tournament = ?"
                " order by count desc, agent, outcome, detail"
            )
            return [Fault(*row[:4], key=tuple(row[4:])) for row in db.execute(query, (self.name,))]

    def blocks_of(self, lineup: Lineup) -> Iterator[list[MatchRecord]]:
        """The whole blocks of one lineup, from their matches."""
        number, together = self.lineups[lineup], OpenBlocks()
        query = "select block, rotation, record from matches where tournament = ? and lineup = ? order by 1, 2"
        with self.store.reading() as db:
            for block, turn, text in db.execute(query, (self.name, number)):
                if whole := together.add(number, block, turn, MatchRecord.from_json(text)):
                    yield whole

    # -------------------------------------------------------------------------------------------- how it grows

    def enter(self, entrants: Mapping[str, Parts]) -> list[int]:
        """The numbers of these agents; who is new gets the next one."""
        new = {spec: parts for spec, parts in entrants.items() if spec not in self.entrants}
        first = len(self.entrants)
        rows = [(self.name, first + k, spec, json.dumps(parts)) for k, (spec, parts) in enumerate(new.items())]
        if rows:
            with self.store.writing() as db:
                db.executemany("insert into entrants values (?, ?, ?, ?)", rows)
        self.entrants |= new
        numbers = {spec: number for number, spec in enumerate(self.entrants)}
        return [numbers[spec] for spec in entrants]

    def seat(self, lineups: Sequence[Lineup]) -> None:
        """Lineups that will be played; a new one gets the next number."""
        new = [lineup for lineup in dict.fromkeys(lineups) if lineup not in self.lineups]
        rows = [(self.name, len(self.lineups) + k, json.dumps(lineup)) for k, lineup in enumerate(new)]
        if rows:
            with self.store.writing() as db:
                db.executemany("insert into lineups (tournament, lineup, agents) values (?, ?, ?)", rows)
        for lineup in new:
            self.lineups[lineup] = len(self.lineups)
            self._frontier.append(0)
            self._ahead.append(set())

    def missing(self, lineups: Sequence[Lineup], blocks: int) -> Iterator[tuple[Key, Seating]]:
        """The matches that were not played yet; the blocks of all lineups in turn, so that an interrupted tournament
        is fair to all."""
        chosen = [(self.lineups[lineup], lineup) for lineup in lineups]
        there = {number: self._behind_frontier(number) for number, _ in chosen}
        frontier = {number: self._frontier[number] for number, _ in chosen}
        for block in range(min(frontier.values()), blocks):
            for number, lineup in chosen:
                if block >= frontier[number]:
                    for seating in rotations(lineup, block):
                        if (block, seating.rotation) not in there[number]:
                            yield (number, block, seating.rotation), seating

    def _behind_frontier(self, number: int) -> set[tuple[int, int]]:
        """Block and rotation of matches that are there although an earlier one is not; as a rule few."""
        query = "select block, rotation from matches where tournament = ? and lineup = ? and block >= ?"
        with self.store.reading() as db:
            there = set(db.execute(query, (self.name, number, self._frontier[number])))
        sizes = Counter(block for block, _ in there)
        self._ahead[number] = {block for block, size in sizes.items() if size == self.players}
        for block, _ in there:
            if sizes[block] < self.players and (number, block) not in self._open.waiting:
                self._reopen(number, block)
        return there

    def _reopen(self, number: int, block: int) -> None:
        query = "select rotation, record from matches where (tournament, lineup, block) = (?, ?, ?)"
        with self.store.reading() as db:
            for turn, text in db.execute(query, (self.name, number, block)).fetchall():
                self._open.add(number, block, turn, MatchRecord.from_json(text))

    def add(self, played: Sequence[tuple[Key, MatchRecord]]) -> None:
        """Keep finished matches and what they add to the sums, all or nothing."""
        rows = [(self.name, *key, record.to_json()) for key, record in played]
        with self.store.writing() as db:
            db.executemany("insert into matches values (?, ?, ?, ?, ?)", rows)
            self._add_up(db, played)

    def _add_up(self, db: sqlite3.Connection, played: Iterable[tuple[Key, MatchRecord]]) -> None:
        blocks: Counter[tuple[int, Payoffs]] = Counter()
        touched: dict[int, list[int]] = {}
        for key, record in played:
            sums = touched.setdefault(key[0], [0, 0])
            sums[0] += 1
            sums[1] += record.plies
            if agent := failed(record):
                self._add_fault(db, key, record, agent)
            if block := self._open.add(*key, record):
                blocks[key[0], tuple(tuple(match.returns) for match in block)] += 1
                self._ahead[key[0]].add(key[1])
        lineups = list(self.lineups)
        tally: Counter[tuple[int, str]] = Counter()
        moments: dict[tuple[int, int], Moments] = {}
        for (number, payoffs), count in blocks.items():  # few kinds, however many blocks there are
            tally[number, "".join(map(_places, payoffs))] += count
            for agent, score in _agent_scores(lineups[number], payoffs).items():
                more = Moments(count, count * score, count * score * score)
                moments[number, agent] = moments.get((number, agent), Moments()) + more
        self._write_sums(db, tally, moments, touched)

    def _write_sums(self, db: sqlite3.Connection, tally: Counter, moments: dict, touched: dict) -> None:
        db.executemany(
            "insert into tally values (?, ?, ?, ?) on conflict do update set blocks = blocks + excluded.blocks",
            [(self.name, *key, count) for key, count in tally.items()],
        )
        db.executemany(
            "insert into scores values (?, ?, ?, ?, ?, ?) on conflict do update set blocks = blocks + excluded.blocks,"
            " total = total + excluded.total, squares = squares + excluded.squares",
            [(self.name, *key, sums.blocks, sums.total, sums.squares) for key, sums in moments.items()],
        )
        db.executemany(
            "update lineups set matches = matches + ?, plies = plies + ?, frontier = ?"
            " where tournament = ? and lineup = ?",
            [(*sums, self._advance(number), self.name, number) for number, sums in touched.items()],
        )

    def _advance(self, number: int) -> int:
        while self._frontier[number] in self._ahead[number]:
            self._ahead[number].remove(self._frontier[number])
            self._frontier[number] += 1
        return self._frontier[number]

    def _add_fault(self, db: sqlite3.Connection, key: Key, record: MatchRecord, agent: str) -> None:
        who = self.name, agent, record.outcome
        query = "select detail from faults where (tournament, agent, outcome) = (?, ?, ?)"
        reasons = {detail for (detail,) in db.execute(query, who)}
        detail = record.detail if record.detail in reasons or len(reasons) < MOST_REASONS else OTHERS
        db.execute(
            "insert into faults values (?, ?, ?, ?, 1, ?, ?, ?) on conflict do update set count = count + 1",
            (*who, detail, *key),
        )

    def _sum_up_old_matches(self) -> None:
        """A store from before there were sums: they are made once, from all matches, which may take a while."""
        with self.store.writing() as db:
            matches = self.store.matches(self.name)
            while chunk := list(islice(matches, 1000)):
                for (lineup, _, turn), record in chunk:
                    self._open_old_lineup(db, lineup, turn, record.agents)
                self._add_up(db, chunk)
        self._read()

    def _open_old_lineup(self, db: sqlite3.Connection, lineup: int, turn: int, agents: Sequence[str]) -> None:
        if lineup < len(self.lineups):
            return
        if lineup > len(self.lineups) or turn:
            raise BadRecord(f"{self.store.path}: the matches of {self.name!r} are no tournament")
        for spec in agents:
            if spec not in self.entrants:
                row = self.name, len(self.entrants), spec, "{}"
                db.execute("insert into entrants values (?, ?, ?, ?)", row)
                self.entrants[spec] = {}
        numbers = {spec: number for number, spec in enumerate(self.entrants)}
        members = tuple(numbers[spec] for spec in agents)
        row = self.name, lineup, json.dumps(members)
        db.execute("insert into lineups (tournament, lineup, agents) values (?, ?, ?)", row)
        self.lineups[members] = lineup
        self._frontier.append(0)
        self._ahead.append(set())


def _places(payoffs: Sequence[float]) -> str:
    """A digit for each seat: how many distinct better results there were."""
    rounded = [round(payoff, 9) for payoff in payoffs]
    order = sorted(set(rounded), reverse=True)
    return "".join(DIGITS[order.index(payoff)] for payoff in rounded)


def _unit(lineup: Lineup, places: str) -> tuple:
    n = len(lineup)
    digits = tuple(map(DIGITS.index, places))
    return tuple((seating.seats, digits[turn * n : turn * n + n]) for turn, seating in enumerate(rotations(lineup, 0)))


def _agent_scores(lineup: Lineup, payoffs: Payoffs) -> dict[int, float]:
    """The mean score of each agent, which may sit in several seats."""
    points: dict[int, float] = {}
    for agent, score in zip(lineup, scores(payoffs)):
        points[agent] = points.get(agent, 0.0) + score
    return {agent: total / lineup.count(agent) for agent, total in points.items()}


# ------------------------------------------------------------------------------------------------ which series


def open_series(
    store: Store, name: str, setting: Parts, entrants: Mapping[str, Parts], **rest: object
) -> tuple[Series, str]:
    """The series of a tournament that this setting and these agents may join, and a sentence where none could be."""
    kin = series_of(store, name)
    for series in kin:
        if not _differences(series, setting, entrants):
            return series, ""
    taken = set(store.tournaments())
    free = next(title for title in _titles(name) if title not in taken and not _has_matches(store, title))
    store.begin(free, {"series": name, "setting": setting, **rest})
    if not kin:
        return Series(store, free), ""
    return Series(store, free), _sentence(kin[0], free, _differences(kin[0], setting, entrants))


def series_of(store: Store, name: str) -> list[Series]:
    """All series of a tournament, the latest first."""
    titles = [title for title in store.tournaments() if name in (title, (store.plan(title) or {}).get("series"))]
    return [Series(store, title) for title in sorted(titles, key=lambda title: (len(title), title), reverse=True)]


def _titles(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name} {number}"
        number += 1


def _has_matches(store: Store, title: str) -> bool:
    with store.reading() as db:
        return db.execute("select 1 from matches where tournament = ? limit 1", (title,)).fetchone() is not None


def _differences(series: Series, setting: Parts, entrants: Mapping[str, Parts]) -> list[str]:
    if "setting" not in series.plan:
        return ["everything"]
    found = changes(series.plan["setting"], setting)
    if other := [change for change in found if change.startswith("the game ")]:
        return other
    for spec in entrants.keys() & series.entrants.keys():
        found += changes(series.entrants[spec], entrants[spec])
    return list(dict.fromkeys(found))


def _sentence(old: Series, free: str, found: list[str]) -> str:
    if found == ["everything"]:
        reason = f"{old.name!r} was played before contents were kept with the matches"
    else:
        reason = f"{' and '.join(found)} changed since {old.name!r} was played"
    return f"{reason}: its results stay under that name, and a fresh series begins as {free!r}"
