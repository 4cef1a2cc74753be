"""Which matches the report shows, and which moments of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from ludus.measure.metric import as_sentence
from ludus.measure.replays import Replay, played
from ludus.measure.sampling import Replays
from ludus.measure.traces import SETTLED, deficits_of, doubt_of, lead_changes_of, trace_of
from ludus.playtest.playtest import Playtest
from ludus.records import MatchRecord
from ludus.report.boards import Example

MOST_FLAWS = 3
"""Of the rules that are shown; more of them would say the same."""
NAMES = {"typical": "most typical", "dramatic": "most dramatic", "one-sided": "most one-sided"}


def examples_of(playtest: Playtest) -> tuple[list[Example], dict[str, Example]]:
    """The examples, and which plays which role. A match may play two roles: the calmest is often the shortest."""
    found: dict[int, list[str]] = defaultdict(list)
    matches: dict[int, tuple[MatchRecord, Replay | None, dict[int, str]]] = {}
    for role, record, replay, moments in _candidates(playtest):
        found[id(record)].append(role)
        _, known, earlier = matches.get(id(record), (record, None, {}))
        matches[id(record)] = record, known or replay, _joined(earlier, moments)
    examples, roles = [], {}
    for number, (key, own) in enumerate(found.items(), 1):
        record, replay, moments = matches[key]
        example = Example(number, _title(own), ending_of(record), record, moments, replay)
        examples.append(example)
        roles |= dict.fromkeys(own, example)
    return examples, roles


Candidate = tuple[str, MatchRecord, Replay | None, dict[int, str]]


def _candidates(playtest: Playtest) -> Iterator[Candidate]:
    if playtest.traced is not None and playtest.traced.replays:
        records, replays = playtest.traced.records, playtest.traced.replays
        for role, k in highlights(replays).items():
            yield role, records[k], replays[k], moments_of(replays[k])
    for lineup in playtest.judged():
        plies = [record.plies for record in lineup.records]
        ends = {"longest": int(np.argmax(plies)), "shortest": int(np.argmin(plies))} if len(set(plies)) > 1 else {}
        for role, k in ends.items():
            yield role, lineup.records[k], None, {plies[k]: "the end"}
    for k, flaw in enumerate(playtest.flaws):
        if flaw.record is not None and k < MOST_FLAWS:
            yield f"flaw {k}", flaw.record, None, {min(flaw.ply, flaw.record.plies): "here"}


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
    fault = ["a fault in the rules"] if any(role.startswith("flaw") for role in roles) else []
    names = [NAMES.get(role, role) for role in roles if not role.startswith("flaw")]
    listed = " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
    return as_sentence(", ".join(fault + ([f"the {listed} match"] if names else []))).rstrip(".")


def ending_of(record: MatchRecord) -> str:
    """How a match ended, in a sentence."""
    plies = f"{record.plies} {'ply' if record.plies == 1 else 'plies'}"
    if record.outcome == "limit":
        return f"Stopped after {plies}, the most this game may take."
    if record.outcome == "stuck":
        return as_sentence(f"after {plies} {record.detail}, a fault of the game")
    if record.outcome != "finished":
        return f"Player {record.culprit + 1} lost by {record.outcome} after {plies}."
    best = [seat for seat, value in enumerate(record.returns) if value == max(record.returns)]
    if len(best) == record.players:
        return f"A draw after {plies}."
    names = " and ".join(f"player {seat + 1}" for seat in best)
    return as_sentence(f"{names} {'win' if len(best) > 1 else 'wins'} after {plies}")


# ------------------------------------------------------------------------------------------------ which are worth it


def highlights(replays: Replays) -> dict[str, int]:
    """Which matches to show, by index: the most typical one and, with traces, the most dramatic and the most
    one-sided one."""
    usable = [i for i, replay in enumerate(replays) if played([replay]) and replay.plies]
    seen = [i for i in usable if replays[i].trace is not None]
    won = [i for i in seen if replays[i].winner >= 0]
    shown = {}
    if usable:
        shown["typical"] = _middle(replays, seen or usable)
    if won:
        shown["dramatic"] = max(won, key=lambda i: _excitement(replays[i]))
        shown["one-sided"] = max(won, key=lambda i: _ease(replays[i]))
    return shown


def _middle(replays: Replays, usable: list[int]) -> int:
    """The match nearest to the medians of length, of lead changes and of doubt, each in units of its own spread."""
    rows = np.array([_traits(replays[i]) for i in usable])
    off = np.abs(rows - np.median(rows, axis=0))
    spread = off.mean(axis=0)
    return usable[int((off / np.where(spread > 0, spread, 1.0)).sum(axis=1).argmin())]


def _traits(replay: Replay) -> tuple[float, ...]:
    if replay.trace is None:
        return (replay.plies, len(replay.movers))
    return (replay.plies, lead_changes_of(replay.trace), float(doubt_of(replay.trace).mean()))


def _excitement(replay: Replay) -> tuple[float, int]:
    """How deep the winner was down; among equals, how often the lead passed on."""
    return float(deficits_of(replay).max()), lead_changes_of(trace_of(replay))


def _ease(replay: Replay) -> float:
    return float(trace_of(replay).expected[:-1, replay.winner].mean())
