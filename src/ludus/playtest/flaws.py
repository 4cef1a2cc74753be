"""What is wrong: faults of the rules that show in matches, and agents that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ludus.measure.evidence import Bug, Cell


def find_bugs(cells: Iterable[Cell], players: int) -> list[Bug]:
    """Positions without an action, matches without an end, seats that cannot win: one example of each."""
    cells = list(cells)
    found: list[Bug] = []
    for cell in cells:
        for record, replay in zip(cell.records, cell.replays):
            stuck = np.flatnonzero(replay.menus == 0)
            if len(stuck):
                ply, player = int(replay.steps[stuck[0]]), int(replay.movers[stuck[0]]) + 1
                found.append(Bug("no-legal-action", f"at ply {ply} player {player} has no legal action", record, ply))
            if replay.outcome == "limit":
                sentence = f"a match of {cell.name} is still going on after {replay.plies:,} plies"
                found.append(Bug("endless", sentence, record, replay.plies))
    return _first_of_each(found) + _hopeless_seats(cells, players)


def _first_of_each(bugs: Iterable[Bug]) -> list[Bug]:
    return list({bug.kind: bug for bug in reversed(list(bugs))}.values())


def _hopeless_seats(cells: Sequence[Cell], players: int) -> list[Bug]:
    replays = [(record, replay) for cell in cells for record, replay in zip(cell.records, cell.replays)]
    enough = len(replays) >= 20 * players
    best = np.array([replay.shares for _, replay in replays]).max(axis=0) if enough else np.ones(players)
    record = replays[0][0] if replays else None
    return [
        Bug("cannot-win", f"player {seat + 1} never got more than nothing in {len(replays):,} matches", record)
        for seat in np.flatnonzero(best < 1e-9).tolist()
    ]


def unused_kinds(legal: dict[str, int], cells: Iterable[Cell]) -> list[Bug]:
    """Kinds of actions that nobody may or nobody wants to play."""
    chosen = Counter(kind for cell in cells for replay in cell.replays for kind in replay.kinds)
    never = [kind for kind, times in legal.items() if times == 0 and not chosen[kind]]
    unwanted = [kind for kind, times in legal.items() if times >= 30 and not chosen[kind]]
    return [Bug("never-legal", f"{kind!r} was never legal") for kind in never] + [
        Bug("never-chosen", f"{kind!r} was legal {legal[kind]:,} times and never chosen") for kind in unwanted
    ]


def faults_of(cells: Iterable[Cell]) -> list[str]:
    """Agents that crashed, stalled or cheated: a sentence for each way in which each did."""
    seen: Counter[tuple[str, str]] = Counter()
    detail: dict[tuple[str, str], str] = {}
    for record in (record for cell in cells for record in cell.records):
        if record.culprit >= 0:
            key = (record.agents[record.culprit], record.outcome)
            seen[key] += 1
            detail.setdefault(key, record.detail)
    return [
        f"{spec} lost {times:,} {'match' if times == 1 else 'matches'} by {outcome}: {detail[spec, outcome]}"
        for (spec, outcome), times in seen.items()
    ]
