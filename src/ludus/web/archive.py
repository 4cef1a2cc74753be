"""What is kept: finished matches as replays, tournaments with their standings, and playtest reports.

A finished match of the page lies in the same store as all others, under the tournament `page`; its replay has the name
that the live match had. A replay of another tournament is called NAME.LINEUP.BLOCK.ROTATION.
"""

from __future__ import annotations

import difflib
import html
import json
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ludus.arena.match import Match, replay
from ludus.arena.series import Series
from ludus.arena.standings import kept_standings
from ludus.errors import BadInput, BadRecord
from ludus.game import Game, View
from ludus.records import Key, MatchRecord, Store
from ludus.web.chances import Chances
from ludus.web.frames import drawn, outcome_in_words
from ludus.web.offers import NotFound, Offers

PAGE = "page"
MOST_LISTED = 500
CHARTED = 60
"""Plies of a replay for which chances are reckoned, evenly spread."""
SEARCHING = 0.3
"""Seconds after which a search hands out what it has found so far."""
BLOCKS = 2000
"""Blocks that are searched in one go."""
BEHIND_ALL = 99
"""Greater than any rotation."""
LAST_BLOCK = "select max(block) from matches where tournament = ? and lineup = ?"
FORGOTTEN, UNBEGUN = 30 * 24 * 3600.0, 3600.0
"""Seconds after which a live match is forgotten to which nobody came back; and one in which nobody has moved."""


@dataclass
class Playback:
    """A finished match with every position that it went through."""

    game: Game
    record: MatchRecord
    states: list[np.ndarray]
    moves: list[dict[str, Any]]
    match: Match
    chances: list[Chances | None] | None = None
    """As far as they were reckoned."""

    @classmethod
    def of(cls, game: Game, record: MatchRecord) -> Playback:
        match = replay(record, steps=0, game=game)
        states, moves, answers = [match.states.copy()], [], iter(record.actions)
        while not match.over and (given := dict(zip(acting := match.acting, answers))) and len(given) == len(acting):
            ply, state = match.plies, match.states[0].copy()
            for player, action in given.items():
                moves.append({"ply": ply, "player": player, "text": game.action_text(state, player, action)})
                match.submit(player, action)
            states.append(match.states.copy())
        return cls(game, record, states, moves, replay(record, game=game))

    def describe(self, id: str) -> dict[str, Any]:
        return _summary(id, self.record) | {
            "title": self.game.facts.title,
            "outcome_text": outcome_in_words(self.match),
            "moves": self.moves,
        }

    def frame(self, ply: int, seat: int | None) -> dict[str, Any]:
        """The board before a ply; the last is the end."""
        states, before = self.states[ply], self.states[ply - 1] if ply else None
        mask = int(self.game.waiting(states)[0])
        svg = drawn(self._view(states, seat), None if before is None else self._view(before, seat), can_act=False)
        return {
            "ply": ply,
            "svg": svg,
            "players_to_act": [player for player in range(self.record.players) if mask >> player & 1],
        }

    def _view(self, states: np.ndarray, seat: int | None) -> View:
        if seat is not None:
            return View(self.game, states, seat)
        view = View.public(self.game, states)
        view.states = states.copy()  # what is finished has no secrets
        return view

    def charted(self) -> list[int]:
        """The plies whose chances are shown: all of a short match, some of a long one; but not the end."""
        last = len(self.states) - 1
        return sorted({int(ply) for ply in np.linspace(0, last - 1, min(CHARTED, last))})


class Archive:
    """The store and the folder of reports."""

    def __init__(self, offers: Offers, store: Path, reports: Path):
        self.offers, self.path, self.reports = offers, store, reports
        self._rating = Lock()
        self.playback = lru_cache(8)(self._playback)
        with self._store() as kept:  # one that cannot be used is refused now
            kept.db.execute("create table if not exists live (id text primary key, touched real, state text not null)")

    @contextmanager
    def _store(self) -> Iterator[Store]:
        """SQLite ties a connection to its thread; opening one takes a millisecond."""
        try:
            with Store(self.path) as store:
                yield store
        except sqlite3.Error as error:
            raise BadRecord(f"{self.path} cannot be read: {error}") from None

    # -------------------------------------------------------------------------------------------- live matches

    def keep_live(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """How live matches stand now."""
        values = [(id, time.time(), json.dumps(row)) for id, row in rows.items()]
        with self._store() as store, store.db as db:
            db.executemany("insert or replace into live values (?, ?, ?)", values)

    def live(self, id: str) -> dict[str, Any] | None:
        with self._store() as store:
            row = store.db.execute("select state from live where id = ?", (id,)).fetchone()
        return json.loads(row[0]) if row else None

    def all_live(self, limit: int) -> dict[str, dict[str, Any]]:
        """The latest live matches, also those of a server that was restarted since."""
        query = "select id, state from live order by touched desc limit ?"
        with self._store() as store:
            return {id: json.loads(state) for id, state in store.db.execute(query, (limit,))}

    def forget_live(self) -> None:
        """Those that nobody came back to: soon where not a move was made."""
        now = time.time()
        query = "delete from live where touched < ? or (touched < ? and json_extract(state, '$.record.plies') = 0)"
        with self._store() as store, store.db as db:
            db.execute(query, (now - FORGOTTEN, now - UNBEGUN))

    # -------------------------------------------------------------------------------------------- replays

    def keep(self, id: str, record: MatchRecord) -> None:
        with self._store() as store:
            store.add(PAGE, [((int(id, 16), 0, 0), record)])
            with store.db as db:
                db.execute("delete from live where id = ?", (id,))

    def replays(self, limit: int = 50) -> list[dict[str, Any]]:
        """Finished matches, the latest first."""
        query = "select tournament, lineup, block, rotation, record from matches order by rowid desc limit ?"
        with self._store() as store:
            rows = store.db.execute(query, (min(limit, MOST_LISTED),)).fetchall()
        return [_summary(_replay_id(name, (a, b, c)), MatchRecord.from_json(text)) for name, a, b, c, text in rows]

    def _playback(self, id: str) -> Playback:
        record = self.record(id)
        return Playback.of(self.offers.game_of_record(record.game), record)

    def record(self, id: str) -> MatchRecord:
        query = "select record from matches where (tournament, lineup, block, rotation) = (?, ?, ?, ?)"
        with self._store() as store:
            row = store.db.execute(query, _replay_key(id)).fetchone()
        if row is None:
            raise NotFound("there is no such replay")
        return MatchRecord.from_json(row[0])

    def has(self, id: str) -> bool:
        try:
            self.record(id)
        except NotFound:
            return False
        return True

    # -------------------------------------------------------------------------------------------- tournaments

    def tournaments(self) -> list[dict[str, Any]]:
        with self._store() as store:
            return [_listed(Series(store, name)) for name in store.tournaments() if name != PAGE]

    def tournament(self, name: str) -> dict[str, Any]:
        """Its standings and its cross-table: what the command line prints, too."""
        with self._store() as store, self._rating:
            self._check_tournament(store, name)
            return _described(kept_standings(store, name))

    def _check_tournament(self, store: Store, name: str) -> None:
        known = store.tournaments()
        if name not in known or name == PAGE:
            raise NotFound("there is no such tournament", difflib.get_close_matches(name, known, cutoff=0.4))

    def matches(self, name: str, search: Search, after: str = "", limit: int = 50) -> dict[str, Any]:
        """The matches of a tournament that fit, from `after` on. It stops when there are enough of them, or after a
        while; `next` is where to go on."""
        with self._store() as store:
            self._check_tournament(store, name)
            series, found, deadline = Series(store, name), [], time.monotonic() + SEARCHING
            for key, text in _rows(store, name, search.lineups(series), search.outcome, _read_key(after)):
                if text and search.fits(record := MatchRecord.from_json(text)):
                    found.append(_summary(_replay_id(name, key), record))
                if len(found) == limit or time.monotonic() > deadline:
                    return {"matches": found, "next": ".".join(map(str, key))}
        return {"matches": found, "next": None}

    # -------------------------------------------------------------------------------------------- reports

    def report_files(self) -> dict[str, Path]:
        """Every report by its name: a page in the folder, or the `report.html` in a folder of its own. A client chooses
        among these names, so no name can lead anywhere else."""
        if not self.reports.is_dir():
            return {}
        own = {path.parent.name: path for path in sorted(self.reports.glob("*/report.html"))}
        return own | {path.stem: path for path in sorted(self.reports.glob("*.html"))}

    def report(self, name: str) -> Path:
        files = self.report_files()
        if name not in files:
            raise NotFound("there is no such report", difflib.get_close_matches(name, files, cutoff=0.4))
        return files[name]

    def list_reports(self) -> list[dict[str, Any]]:
        """The latest first."""
        files = sorted(self.report_files().items(), key=lambda item: -item[1].stat().st_mtime)
        return [_described_report(name, path) for name, path in files]


def _replay_id(tournament: str, key: Key) -> str:
    return f"{key[0]:012x}" if tournament == PAGE else ".".join([tournament, *map(str, key)])


def _replay_key(id: str) -> tuple[str, int, int, int]:
    if re.fullmatch(r"[0-9a-f]{12}", id):
        return PAGE, int(id, 16), 0, 0
    if found := re.fullmatch(r"(.+)\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})", id, re.ASCII):
        return found[1], int(found[2]), int(found[3]), int(found[4])
    raise NotFound("there is no such replay")


def _summary(id: str, record: MatchRecord) -> dict[str, Any]:
    return {
        "id": id,
        "game": Path(record.game).stem,
        "agents": record.agents,
        "plies": record.plies,
        "outcome": record.outcome,
        "returns": record.returns,
        "shares": record.shares,
    }


def _listed(series: Series) -> dict[str, Any]:
    game = Path(str(series.plan.get("game", ""))).stem
    return {"name": series.name, "game": game, "players": series.players, "matches": series.played}


def _described(found: dict[str, Any]) -> dict[str, Any]:
    """A tournament as its page shows it."""
    ratings = found["ratings"] or {"rows": [], "anchor": "", "note": ""}
    anchor = f"{ratings['anchor']} = 0" if ratings["anchor"] else "mean = 0"
    note = f"Elo with 95 % intervals by bootstrap over blocks, {anchor}. {ratings['note']}".strip()
    rows = [
        {"name": row["name"], "rating": row["elo"]["value"], "low": row["elo"]["low"], "high": row["elo"]["high"],
         "games": row["elo"]["n"], "score": row["score"]}
        for row in ratings["rows"]
    ]  # fmt: skip
    agents = [row["name"] for row in rows]
    return {
        "name": found["name"], "game": Path(found["game"]).stem, "players": found["players"],
        "matches": found["played"], "standings": rows, "note": note if rows else "no block is whole yet",
        "agents": agents + [name for name in found["agents"] if name not in agents], "pairs": found["pairs"],
    }  # fmt: skip


@dataclass(frozen=True)
class Search:
    """Which matches of a tournament are wanted; what is empty does not matter."""

    agent: str = ""
    against: str = ""
    """Another that played in the match."""
    result: str = ""
    """What the agent did: won, drew or lost."""
    outcome: str = ""

    def lineups(self, series: Series) -> list[int]:
        """Those in which the agents play: others are not even looked at."""
        wanted = {self.agent, self.against} - {""}
        names = list(series.entrants)
        return [number for members, number in series.lineups.items() if wanted <= {names[k] for k in members}]

    def fits(self, record: MatchRecord) -> bool:
        if not self.result:
            return True
        best = max(record.returns)
        winners = [name for name, payoff in zip(record.agents, record.returns) if payoff == best]
        result = "lost" if self.agent not in winners else "won" if len(winners) == 1 else "drew"
        return result == self.result


def _rows(
    store: Store, name: str, lineups: Sequence[int], outcome: str, after: Key | None
) -> Iterator[tuple[Key, str]]:
    """Matches in the order of their keys, each lineup by the store's index. SQLite looks for the outcome, some thousand
    blocks at a time; after each the place that it has come to is told, with no match."""
    query = (
        "select block, rotation, record from matches where tournament = ? and lineup = ?"
        " and (block, rotation) > (?, ?) and block <= ? and instr(record, ?) > 0 order by block, rotation"
    )
    sign = f'"outcome":"{outcome}"' if outcome else ""
    for lineup in sorted(lineups):
        if after is not None and lineup < after[0]:
            continue
        place = after[1:] if after and lineup == after[0] else (-1, -1)
        (last,) = store.db.execute(LAST_BLOCK, (name, lineup)).fetchone()
        while last is not None and place[0] <= last:
            until = place[0] + BLOCKS
            for block, rotation, text in store.db.execute(query, (name, lineup, *place, until, sign)):
                yield (lineup, block, rotation), text
            place = until, BEHIND_ALL
            yield (lineup, *place), ""


def _read_key(text: str) -> Key | None:
    if not text:
        return None
    found = re.fullmatch(r"(\d{1,15})\.(\d{1,15})\.(\d{1,15})", text, re.ASCII)
    if not found:
        raise BadInput("where to go on is written LINEUP.BLOCK.ROTATION")
    return int(found[1]), int(found[2]), int(found[3])


def _described_report(name: str, path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8", errors="replace") as page:
        title = re.search(r"<title>(.*?)</title>", page.read(4096), re.DOTALL)
    return {
        "name": name,
        "game": _game_of_report(path) or name,
        "when": path.stat().st_mtime,
        "title": html.unescape(title[1].strip()) if title else name,
    }


def _game_of_report(path: Path) -> str:
    try:
        facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        return str(facts.get("game", ""))
    except (OSError, ValueError, AttributeError):
        return ""
