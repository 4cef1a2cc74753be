"""Matches of one lineup in a file of JSON lines, which grows as they are played and goes on after a kill.

Every record carries hashes of what played it. Where the file holds matches of other content, it gets another name and
is begun anew, so that the file always holds what was asked for last, and nothing is lost or mixed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ludus.errors import BadRecord
from ludus.game import Game
from ludus.identity import Parts, agent_parts, changes
from ludus.records import MatchRecord, RecordFile


class Kept:
    """The file of one lineup: it is looked at before the first match, and written as matches are played."""

    def __init__(
        self, path: Path, game: Game, specs: Sequence[str], values: Mapping[str, object], seed: int,
        seconds: float = 0.0, opening: np.ndarray | None = None,
    ):  # fmt: skip
        self.contents = contents(game, specs, seconds)
        starts = [None] if opening is None else [game.state_json(one) for one in opening]
        wanted = [sample(game, specs, values, seed, self.contents, start) for start in starts]
        self.file, self.said = open_kept(path, wanted)
        self._waiting: list[MatchRecord] = []

    def keep(self, record: MatchRecord) -> None:
        self._waiting.append(replace(record, contents=self.contents))

    def write(self) -> None:
        if self._waiting:
            self.file.add(self._waiting)
        self._waiting = []


def contents(game: Game, specs: Sequence[str], seconds: float) -> list[str]:
    """Hashes of the rules and of each agent with its settings, and the time for a move, which no record tells."""
    agents = [json.dumps([spec, agent_parts(spec, game)], sort_keys=True) for spec in specs]
    return [game.fingerprint, *(hashlib.sha256(one.encode()).hexdigest()[:16] for one in agents), f"{seconds:g} s"]


def sample(
    game: Game, specs: Sequence[str], values: Mapping[str, object], seed: int, made: list[str], start: dict | None
) -> MatchRecord:
    """A record that has what all records of a lineup have in common, and no match in it."""
    return MatchRecord(
        game.source, game.facts.version, dict(values), len(specs), list(specs), seed, 0, 0, [], [], 0,
        start=start, contents=made,
    )  # fmt: skip


def open_kept(path: Path, wanted: Sequence[MatchRecord]) -> tuple[RecordFile, str]:
    """The file for matches like these, one for each first position, which blocks take in turn; and a sentence where
    what was in it had to move aside."""
    file = RecordFile(path)
    try:
        pairs = ((record, wanted[record.block % len(wanted)]) for record in file.read())
        others = (changes(_parts(record), _parts(like)) for record, like in pairs if not _alike(record, like))
        found = next((other for other in others if other), [])
        reason = f"{' and '.join(found)} changed since {path} was written" if found else ""
    except BadRecord as error:
        reason = str(error)
    return file, f"{reason}: the earlier matches are now in {file.move_aside()}" if reason else ""


def _alike(record: MatchRecord, wanted: MatchRecord) -> bool:
    """Whether nothing differs, at a glance."""
    return (
        record.contents == wanted.contents
        and record.seed == wanted.seed
        and record.rules == wanted.rules
        and (record.start == wanted.start)
    )


def _parts(record: MatchRecord) -> Parts:
    name = Path(record.game).stem
    rules, *agents, clock = record.contents or ["", *[""] * record.players, ""]
    members = [record.agents[(k - record.rotation) % record.players] for k in range(record.players)]
    return {
        "the game": f"={name}",
        "the lineup": f"={', '.join(members)}",
        **{f"the agent {spec}": content for spec, content in zip(members, agents)},
        "the seed": f"={record.seed}",
        "the time for a move": f"={clock}",
        "the first position": hashlib.sha256(json.dumps(record.start).encode()).hexdigest(),
        f"the rules of {name}": rules,
        **{rule: f"={value}" for rule, value in record.rules.items()},
    }
