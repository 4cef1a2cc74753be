"""What happened in a match: one value, as a line of JSON for exchange and as a row of SQLite for keeping.

A record holds what cannot be recomputed: the setting, the seed, the actions and how the match ended. The actions are a
flat list: at each step one for every player who owed one, in the order of the seats. Replaying them gives the states.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from ludus.disk import write_whole
from ludus.errors import BadRecord

OUTCOMES = {
    "finished": "the rules ended it",
    "limit": "it reached the declared maximum of plies",
    "resigned": "a player gave up",
    "illegal": "a player answered with something that is no legal action",
    "timeout": "a player overran its clock",
    "exception": "a player's code raised an error",
    "crash": "a player's process ended",
}


@dataclass(frozen=True)
class MatchRecord:
    game: str
    version: str
    rules: dict[str, object]
    players: int
    agents: list[str]
    """A spec for each seat."""
    seed: int
    block: int
    rotation: int
    actions: list[int]
    returns: list[float]
    plies: int
    outcome: str = "finished"
    culprit: int = -1
    """The seat at fault, where the outcome is a fault."""
    detail: str = ""
    start: dict[str, object] | None = None
    """The first position, where it was given and not dealt by `setup`."""
    seconds: list[float] = field(default_factory=list)
    """Thinking time of each seat, where it was measured."""
    salt: str = ""
    """What was secret about the random words until the match was over, where somebody's own program played."""

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> MatchRecord:
        try:
            values = json.loads(text)
        except ValueError as error:
            raise BadRecord(f"no JSON: {error}") from None
        if not isinstance(values, dict):
            raise BadRecord("a record is a JSON object")
        known = {field.name for field in fields(cls)}
        try:
            record = cls(**{name: value for name, value in values.items() if name in known})
        except TypeError as error:
            raise BadRecord(str(error).replace("MatchRecord.__init__()", "the record")) from None
        if not isinstance(record.outcome, str) or record.outcome not in OUTCOMES:
            raise BadRecord(f"unknown outcome {record.outcome!r}")
        return record

    @property
    def shares(self) -> list[float]:
        """Each seat's share of the point: 1 for a single winner, 1/k for a k-way tie."""
        return [((self.players - 1) * value + 1) / self.players for value in self.returns]


def read_records(path: Path) -> tuple[list[MatchRecord], list[str]]:
    """All records of a JSON-lines file that can be read, and a sentence with its line number for each that cannot."""
    records, problems = [], []
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                records.append(MatchRecord.from_json(line))
            except BadRecord as error:
                problems.append(f"{path}, line {number}: {error}")
    return records, problems


def write_records(path: Path, records: Iterable[MatchRecord]) -> None:
    """Write a JSON-lines file; a reader never sees half of it."""
    write_whole(path, "".join(record.to_json() + "\n" for record in records))


Key = tuple[int, int, int]
"""A match within a tournament: lineup, block, rotation."""


class Store:
    """Matches in an SQLite file. Each finished match is committed; a killed process loses only what was in play."""

    def __init__(self, path: Path | str):
        self.path = path
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(path, timeout=60)
            self.db.execute("pragma journal_mode = wal")
            self.db.execute("pragma synchronous = normal")
            self.db.execute("create table if not exists tournaments (name text primary key, plan text not null)")
            self.db.execute(
                "create table if not exists matches (tournament text, lineup integer, block integer, rotation integer,"
                " record text not null, primary key (tournament, lineup, block, rotation))"
            )
            self.db.commit()
        except (sqlite3.DatabaseError, OSError) as error:
            raise BadRecord(f"{path} is no store of matches: {error}") from None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.db.close()

    def plan(self, tournament: str) -> dict | None:
        """The plan under which a tournament was begun."""
        row = self.db.execute("select plan from tournaments where name = ?", (tournament,)).fetchone()
        return json.loads(row[0]) if row else None

    def begin(self, tournament: str, plan: dict) -> None:
        with self.db:
            self.db.execute("insert or ignore into tournaments values (?, ?)", (tournament, json.dumps(plan)))

    def add(self, tournament: str, matches: Iterable[tuple[Key, MatchRecord]]) -> None:
        """Keep finished matches, all of these or none."""
        rows = [(tournament, *key, record.to_json()) for key, record in matches]
        with self.db:
            self.db.executemany("insert into matches values (?, ?, ?, ?, ?)", rows)

    def matches(self, tournament: str) -> Iterator[tuple[Key, MatchRecord]]:
        query = "select lineup, block, rotation, record from matches where tournament = ? order by 1, 2, 3"
        try:
            for *key, text in self.db.execute(query, (tournament,)):
                yield (key[0], key[1], key[2]), MatchRecord.from_json(text)
        except sqlite3.DatabaseError as error:
            raise BadRecord(f"{self.path} is damaged: {error}") from None

    def tournaments(self) -> list[str]:
        return [name for (name,) in self.db.execute("select name from tournaments order by 1")]
