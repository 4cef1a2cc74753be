"""What a playtest found out, before anybody judges it: the matches of every cell, read as numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from ludus.measure.replays import Replay
from ludus.records import MatchRecord


@dataclass(frozen=True)
class Cell:
    """One lineup and its matches; `replays[i]` is `records[i]` read as numbers."""

    name: str
    specs: tuple[str, ...]
    replays: list[Replay] = field(repr=False)
    records: list[MatchRecord] = field(repr=False)
    aim: float = 0.0
    """The half-width that was wanted for a share of 50 %."""
    wanted: int = 0
    """How many matches that takes; fewer are there if the time did not allow it."""

    @property
    def is_self_play(self) -> bool:
        return len(set(self.specs)) == 1


@dataclass(frozen=True)
class Bug:
    """Something wrong with the rules, and where to see it."""

    kind: str
    """One of: no-legal-action, endless, never-legal, never-chosen, cannot-win."""
    sentence: str
    record: MatchRecord | None = None
    ply: int = 0


@dataclass(frozen=True)
class Gate:
    """A stage of the playtest: what was looked at, and whether it goes on from here."""

    name: str
    """random, shallow or strong."""
    is_open: bool
    sentence: str


@dataclass(frozen=True)
class Results:
    game: str
    """What `load` was given: a name or a path."""
    title: str
    version: str
    preset: str
    rules: dict[str, object]
    players: int
    seed: int
    mode: str
    """quick, default, or like "2 hours"."""
    levels: list[str]
    """Specs of the skill ladder, weakest first; the last ones are missing if a gate stayed shut."""
    cells: list[Cell]
    """Self-play of every level, and pairs of levels."""
    traced: Cell | None
    """Matches of the strongest affordable level, each with a trace."""
    gates: list[Gate]
    bugs: list[Bug]
    legal_kinds: dict[str, int]
    """How often each kind of action was legal in random play."""
    faults: list[str]
    """Agents that crashed, stalled or cheated: a sentence each."""
    notes: list[str]
    """What the reader should know: a budget too small for the wanted precision, and what it would take."""
    seconds: float

    def self_play(self, level: str) -> Cell | None:
        return next((cell for cell in self.cells if cell.is_self_play and cell.specs[0] == level), None)

    def pair(self, strong: str, weak: str) -> Cell | None:
        """The cell in which one `strong` sat among `weak` ones."""
        for cell in self.cells:
            if not cell.is_self_play and cell.specs[0] == strong and set(cell.specs[1:]) == {weak}:
                return cell
        return None
