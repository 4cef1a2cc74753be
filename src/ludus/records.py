"""What happened in a match: one value, as a line of JSON for exchange and as a row of SQLite for keeping.

A record holds what cannot be recomputed: the setting, the seed, the actions and how the match ended. The actions are a
flat list: at each step one for every player who owed one, in the order of the seats. Replaying them gives the states.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path

from ludus.disk import write_whole
from ludus.errors import BadInput, BadRecord, DiskTrouble
from ludus.rules import share

OUTCOMES = {
    "finished": "the rules ended it",
    "limit": "it reached the declared maximum of plies",
    "stuck": "a player had to act and had no legal action: a fault of the game",
    "resigned": "a player gave up",
    "illegal": "a player answered with something that is no legal action",
    "timeout": "a player overran its clock",
    "exception": "a player's code raised an error",
    "crash": "a player's process ended",
}


def no_action(player: int) -> str:
    """What the record of a match says that got stuck."""
    return f"player {player + 1} has no legal action"


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
    printed: list[str] = field(default_factory=list)
    """What the program of each seat printed, cut, where one did."""
    salt: str = ""
    """What was secret about the random words until the match was over, where somebody's own program played."""
    contents: list[str] = field(default_factory=list)
    """Hashes of what played, where they were asked for: of the rules, of the agents of the lineup, and the clock."""

    def to_json(self) -> str:
        return _encode(vars(self))

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
        return [share(value, self.players) for value in self.returns]


_encode = json.JSONEncoder(separators=(",", ":")).encode
"""`json.dumps` would make such an encoder for every record."""


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


# ------------------------------------------------------------------------------------------------ a file that grows


class RecordFile:
    """A JSON-lines file to which records are added as they come; what is in it is never lost."""

    def __init__(self, path: Path):
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab"):
                pass  # a place that cannot be written is refused before the first match
        except OSError as error:
            raise DiskTrouble(f"cannot write {path}: {error.strerror or error}") from None

    def read(self) -> Iterator[MatchRecord]:
        """The records in it, one by one. A last line cut short by a kill is dropped; damage elsewhere is said."""
        self._drop_half_a_line()
        with self.path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield MatchRecord.from_json(line)
                except BadRecord as error:
                    raise BadRecord(f"{self.path}, line {number}: {error}") from None

    def _drop_half_a_line(self) -> None:
        with self.path.open("rb+") as file:
            end = file.seek(0, os.SEEK_END)
            while end > 0:
                begin = max(0, end - 65536)
                file.seek(begin)
                found = file.read(end - begin).rfind(b"\n")
                if found >= 0:
                    end = begin + found + 1
                    break
                end = begin
            file.truncate(end)

    def add(self, records: Iterable[MatchRecord]) -> None:
        try:
            with self.path.open("a", encoding="utf-8") as lines:
                lines.write("".join(record.to_json() + "\n" for record in records))
        except OSError as error:
            reason = f"cannot write {self.path}: {error.strerror or error}"
            raise DiskTrouble(f"{reason}; what was played is kept, and the same command goes on from there") from None

    def move_aside(self) -> Path:
        """Give the file another name, and begin it anew."""
        number = 1
        while (aside := self.path.with_name(f"{self.path.stem}.{number}{self.path.suffix}")).exists():
            number += 1
        self.path.rename(aside)
        self.path.touch()
        return aside


# ------------------------------------------------------------------------------------------------ the store

Key = tuple[int, int, int]
"""A match within a tournament: lineup, block, rotation."""

SCHEMA = """
create table if not exists tournaments (name text primary key, plan text not null);
create table if not exists matches (tournament text, lineup integer, block integer, rotation integer,
    record text not null, primary key (tournament, lineup, block, rotation));
"""


class Store:
    """Matches in an SQLite file. Each finished match is committed; a killed process loses only what was in play."""

    def __init__(self, path: Path | str):
        self.path = path
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(path, timeout=60)
            self.db.execute("pragma journal_mode = wal")
            self.db.execute("pragma synchronous = normal")
            self._create(SCHEMA)
        except (sqlite3.OperationalError, OSError) as error:
            raise DiskTrouble(f"the store {path} cannot be opened: {error}") from None
        except sqlite3.DatabaseError as error:
            raise BadRecord(f"{path} is no store of matches: {error}") from None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.db.close()

    def create(self, tables: str) -> None:
        """Tables that are not there yet."""
        try:
            self._create(tables)
        except sqlite3.DatabaseError as error:
            raise DiskTrouble(f"cannot write {self.path}: {error}; what was kept before stays") from None

    def _create(self, tables: str) -> None:
        for table in filter(str.strip, tables.split(";")):
            self.db.execute(table)
        self.db.commit()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All that is written within is kept, or nothing of it; trouble with the disk is said in a sentence."""
        try:
            self.db.execute("begin immediate")
            with self.db:
                yield self.db
        except sqlite3.IntegrityError:
            raise DiskTrouble(f"{self.path} has some of these matches already: another process plays them") from None
        except sqlite3.DatabaseError as error:
            raise DiskTrouble(f"cannot write {self.path}: {error}; what was kept before stays") from None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self.db
        except sqlite3.DatabaseError as error:
            raise BadRecord(f"{self.path} is damaged: {error}") from None

    @contextmanager
    def alone(self, tournament: str) -> Iterator[None]:
        """One process at a time plays a tournament; a killed one holds nothing."""
        with Path(f"{self.path}-lock").open("ab") as file:
            if not _locked(file.fileno(), zlib.crc32(tournament.encode())):
                raise BadInput(f"another process is playing {tournament!r} in {self.path}; wait for it, or stop it")
            yield

    def plan(self, tournament: str) -> dict | None:
        """The plan under which a tournament was begun."""
        with self.reading() as db:
            row = db.execute("select plan from tournaments where name = ?", (tournament,)).fetchone()
        return json.loads(row[0]) if row else None

    def begin(self, tournament: str, plan: dict) -> None:
        with self.writing() as db:
            db.execute("insert or ignore into tournaments values (?, ?)", (tournament, json.dumps(plan)))

    def add(self, tournament: str, matches: Iterable[tuple[Key, MatchRecord]]) -> None:
        """Keep finished matches, all of these or none."""
        rows = [(tournament, *key, record.to_json()) for key, record in matches]
        with self.writing() as db:
            db.executemany("insert into matches values (?, ?, ?, ?, ?)", rows)

    def matches(self, tournament: str) -> Iterator[tuple[Key, MatchRecord]]:
        query = "select lineup, block, rotation, record from matches where tournament = ? order by 1, 2, 3"
        with self.reading() as db:
            for *key, text in db.execute(query, (tournament,)):
                yield (key[0], key[1], key[2]), MatchRecord.from_json(text)

    def tournaments(self) -> list[str]:
        with self.reading() as db:
            return [name for (name,) in db.execute("select name from tournaments order by 1")]


def _locked(file: int, place: int) -> bool:
    """Take the lock on one byte of a file, which the system releases when this process ends."""
    try:
        import fcntl
    except ImportError:  # without such locks a match that is played twice is noticed when it is kept
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except OSError:
        return False
    return True
