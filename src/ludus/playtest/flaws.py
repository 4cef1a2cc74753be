"""What is wrong: faults of the rules that show in matches, and agents that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ludus.measure.evidence import Lineup
from ludus.records import MatchRecord

GRAVE = ("no-legal-action", "endless", "cannot-win")
"""Flaws that can spoil a match; the others only leave something useless in the box."""


@dataclass(frozen=True)
class Flaw:
    """Something wrong with the rules, and where to see it."""

    kind: str
    """One of: no-legal-action, endless, never-legal, never-chosen, cannot-win."""
    sentence: str
    record: MatchRecord | None = None
    ply: int = 0

    @property
    def is_grave(self) -> bool:
        return self.kind in GRAVE


def find_flaws(lineups: Iterable[Lineup], players: int) -> list[Flaw]:
    """Positions without an action, matches without an end, seats that cannot win: one example of each."""
    lineups = list(lineups)
    found: list[Flaw] = []
    for lineup in lineups:
        for record, replay in zip(lineup.records, lineup.replays):
            if record.outcome == "stuck":
                found.append(Flaw("no-legal-action", f"at ply {record.plies} {record.detail}", record, record.plies))
            if replay.outcome == "limit":
                sentence = f"a match of {lineup.name} is still going on after {replay.plies:,} plies"
                found.append(Flaw("endless", sentence, record, replay.plies))
    return _first_of_each(found) + _hopeless_seats(lineups, players)


def _first_of_each(flaws: Iterable[Flaw]) -> list[Flaw]:
    return list({flaw.kind: flaw for flaw in reversed(list(flaws))}.values())


def _hopeless_seats(lineups: Sequence[Lineup], players: int) -> list[Flaw]:
    replays = [(record, replay) for lineup in lineups for record, replay in zip(lineup.records, lineup.replays)]
    enough = len(replays) >= 20 * players
    best = np.array([replay.shares for _, replay in replays]).max(axis=0) if enough else np.ones(players)
    record = replays[0][0] if replays else None
    return [
        Flaw("cannot-win", f"player {seat + 1} never got more than nothing in {len(replays):,} matches", record)
        for seat in np.flatnonzero(best < 1e-9).tolist()
    ]


def unused_kinds(legal: dict[str, int], lineups: Iterable[Lineup]) -> list[Flaw]:
    """Kinds of actions that nobody may or nobody wants to play."""
    chosen = Counter(kind for lineup in lineups for replay in lineup.replays for kind in replay.kinds)
    never = [kind for kind, times in legal.items() if times == 0 and not chosen[kind]]
    unwanted = [kind for kind, times in legal.items() if times >= 30 and not chosen[kind]]
    return [Flaw("never-legal", f"{kind!r} was never legal") for kind in never] + [
        Flaw("never-chosen", f"{kind!r} was legal {legal[kind]:,} times and never chosen") for kind in unwanted
    ]


def faults_of(lineups: Iterable[Lineup]) -> list[str]:
    """Agents that crashed, stalled or cheated: a sentence for each way in which each did."""
    seen: Counter[tuple[str, str]] = Counter()
    detail: dict[tuple[str, str], str] = {}
    for record in (record for lineup in lineups for record in lineup.records):
        if record.culprit >= 0:
            key = (record.agents[record.culprit], record.outcome)
            seen[key] += 1
            detail.setdefault(key, record.detail)
    return [
        f"{spec} lost {times:,} {'match' if times == 1 else 'matches'} by {outcome}: {detail[spec, outcome]}"
        for (spec, outcome), times in seen.items()
    ]
