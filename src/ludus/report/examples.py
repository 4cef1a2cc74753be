"""Which matches the report shows, and which moments of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from ludus.measure import metrics
from ludus.measure.evidence import Results
from ludus.measure.reading import as_sentence
from ludus.measure.replays import Replay
from ludus.playtest.verdict import self_plays
from ludus.records import MatchRecord
from ludus.report.boards import Film

MOST_BUGS = 3
"""Faults that are shown as films; more of them would say the same."""
SETTLED = 0.95
NAMES = {"typical": "most typical", "dramatic": "most dramatic", "one-sided": "most one-sided"}


def cast(results: Results) -> tuple[list[Film], dict[str, Film]]:
    """The films, and who plays which role. A match may play two roles: the calmest is often the shortest."""
    found: dict[int, list[str]] = defaultdict(list)
    matches: dict[int, tuple[MatchRecord, Replay | None, dict[int, str]]] = {}
    for role, record, replay, moments in _candidates(results):
        found[id(record)].append(role)
        _, known, earlier = matches.get(id(record), (record, None, {}))
        matches[id(record)] = record, known or replay, _joined(earlier, moments)
    films, roles = [], {}
    for number, (key, own) in enumerate(found.items(), 1):
        record, replay, moments = matches[key]
        film = Film(number, _title(own), told(record), record, moments, replay)
        films.append(film)
        roles |= dict.fromkeys(own, film)
    return films, roles


Candidate = tuple[str, MatchRecord, Replay | None, dict[int, str]]


def _candidates(results: Results) -> Iterator[Candidate]:
    if results.traced is not None and results.traced.replays:
        records, replays = results.traced.records, results.traced.replays
        for role, k in metrics.highlights(replays).items():
            yield role, records[k], replays[k], moments_of(replays[k])
    for cell in self_plays(results)[:1]:
        plies = [record.plies for record in cell.records]
        ends = {"longest": int(np.argmax(plies)), "shortest": int(np.argmin(plies))} if len(set(plies)) > 1 else {}
        for role, k in ends.items():
            yield role, cell.records[k], None, {plies[k]: "the end"}
    for k, bug in enumerate(results.bugs):
        if bug.record is not None and k < MOST_BUGS:
            yield f"bug {k}", bug.record, None, {min(bug.ply, bug.record.plies): "here"}


def moments_of(replay: Replay) -> dict[int, str]:
    """The plies of a match that made its story."""
    assert replay.trace is not None
    swings = np.abs(np.diff(replay.trace.expected, axis=0)).max(axis=1)
    moments = {int(swings.argmax()) + 1: "the largest swing"} if len(swings) else {}
    return _joined(_joined(moments, _settled(replay)), {replay.plies: "the end"})


def _settled(replay: Replay) -> dict[int, str]:
    """From when on a winner could always expect nearly all; nothing where there is none, or only at the very end."""
    assert replay.trace is not None
    doubtful = np.flatnonzero(replay.trace.expected[:-1].max(axis=1) < SETTLED)
    ply = int(doubtful[-1]) + 1 if len(doubtful) else 0
    return {ply: "settled"} if 0 < ply < replay.plies else {}


def _joined(one: dict[int, str], other: dict[int, str]) -> dict[int, str]:
    """Two reasons to look at the same moment are one picture."""
    both = {ply: f"{one[ply]}, {words}" for ply, words in other.items() if ply in one and words not in one[ply]}
    return {**other, **one, **both}


def _title(roles: list[str]) -> str:
    """Like "The most dramatic and longest match"."""
    fault = ["a fault in the rules"] if any(role.startswith("bug") for role in roles) else []
    names = [NAMES.get(role, role) for role in roles if not role.startswith("bug")]
    listed = " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
    return as_sentence(", ".join(fault + ([f"the {listed} match"] if names else []))).rstrip(".")


def told(record: MatchRecord) -> str:
    """How a match ended, in a sentence."""
    plies = f"{record.plies} {'ply' if record.plies == 1 else 'plies'}"
    if record.outcome == "limit":
        return f"Stopped after {plies}, the most this game may take."
    if record.outcome != "finished":
        return f"Player {record.culprit + 1} lost by {record.outcome} after {plies}."
    best = [seat for seat, value in enumerate(record.returns) if value == max(record.returns)]
    if len(best) == record.players:
        return f"A draw after {plies}."
    names = " and ".join(f"player {seat + 1}" for seat in best)
    return as_sentence(f"{names} {'win' if len(best) > 1 else 'wins'} after {plies}")
