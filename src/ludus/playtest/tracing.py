"""Which matches of a playtest get a trace, and the traces on disk."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ludus.arena.hosts import resident
from ludus.errors import DiskTrouble
from ludus.game import Game
from ludus.measure import evaluation
from ludus.measure.evaluation import Evaluator
from ludus.measure.evidence import Lineup
from ludus.measure.replays import Alternatives, Replay, Trace
from ludus.playtest.ledger import Ledger
from ludus.playtest.plan import Count
from ludus.workers import Workers

MOST_TRACES, FEWEST_TRACES, LEAST_TRACES = 200, 20, 8
"""The most matches that are worth a trace, the fewest for which a level is chosen, and what is done in any case."""
THOROUGH = {"continuations": 32, "moments": 40, "decisions": 4, "each": 16}
LEAN = {"continuations": 16, "moments": 20, "decisions": 2, "each": 8}

Watch = Callable[[str, int, int], None]
"""Hears what is being done, how many matches of it are done, and how many there will be."""


@dataclass
class Tracer:
    """Evaluates matches of one playtest, within a time."""

    game: Game
    seed: int
    folder: Path
    ledger: Ledger
    workers: Workers
    watch: Watch
    is_ordered: bool
    """Whether numbers of matches were ordered, so that no clock may decide."""

    def trace(self, lineups: Sequence[Lineup], seconds: float) -> Lineup | None:
        """Matches of the first of these lineups whose evaluation fits into the time, each with its trace."""
        sound = [lineup for lineup in map(self._sound, lineups) if lineup is not None]
        tries = [(lineup, Evaluator(lineup.specs[0], **budget)) for lineup in sound for budget in (THOROUGH, LEAN)]
        # Random play says little of anybody else's: before it comes to that, a few traces of others must do.
        others = [(lineup, evaluator) for lineup, evaluator in tries if lineup.specs[0] != "random"]
        for fewest, patience in ((FEWEST_TRACES, 1), (LEAST_TRACES, 2)):
            for lineup, evaluator in others:
                number = self._affordable(lineup, evaluator, patience * seconds)
                if number >= min(fewest, len(lineup.records)):
                    return self._trace_all(lineup, evaluator, number)
        if not tries:
            return None
        return self._trace_all(*tries[-1], max(LEAST_TRACES, self._affordable(*tries[-1], seconds)))

    def _sound(self, lineup: Lineup) -> Lineup | None:
        """The finished matches of a lineup, where an evaluator can play them on."""
        sound = [k for k, record in enumerate(lineup.records) if record.outcome == "finished" and record.plies]
        player = resident(lineup.specs[0], self.game)
        if not sound or player is None or not player.compiled:
            return None
        return replace(lineup, records=[lineup.records[k] for k in sound], replays=[lineup.replays[k] for k in sound])

    def _affordable(self, lineup: Lineup, evaluator: Evaluator, seconds: float) -> int:
        """How many matches can be traced in the time."""
        most = min(len(lineup.records), MOST_TRACES)
        if self.is_ordered:  # the same every time
            return min(most, FEWEST_TRACES)
        name = f"traces of {lineup.name} by {evaluator}"
        if not self.ledger.seconds_each(name):
            self.ledger.decide(name, Count(most, most), self._seconds_each(lineup, evaluator, seconds))
        return min(most, int(seconds / self.ledger.seconds_each(name)))

    def _seconds_each(self, lineup: Lineup, evaluator: Evaluator, seconds: float) -> float:
        """From a pilot, unless it is hopeless."""
        # Many continuations go together, which may make them ten times cheaper than a match; not more.
        each = self.ledger.seconds_each(lineup.name) * effort(evaluator, lineup.replays) / 10
        if LEAST_TRACES * each > seconds:
            return each
        started = time.perf_counter()
        self._trace_all(lineup, evaluator, self.workers.count)
        return (time.perf_counter() - started) / self.workers.count

    def _trace_all(self, lineup: Lineup, evaluator: Evaluator, number: int) -> Lineup:
        """The first matches of a lineup with their traces; what was evaluated before is not done again."""
        player = evaluation.player_of(evaluator, self.game)
        records, replays = lineup.records[:number], lineup.replays[:number]
        keys = [(record.block, record.rotation) for record in records]
        file = TraceFile(self.folder / "traces.jsonl", str(evaluator))
        self.watch(f"evaluating {lineup.name}", 0, len(records))

        game, seed = self.game, self.seed  # the work may travel, and its owner cannot

        def one(k: int) -> tuple[int, Trace]:
            return k, evaluation.trace(game, player, evaluator, records[k], replays[k], seed)

        with closing(file):
            missing = [k for k in range(len(records)) if not file.has(keys[k], replays[k].plies)]
            for k, found in self.workers.stream(one, missing):
                file.keep(keys[k], found)
                self.watch(f"evaluating {lineup.name}", len(file.found), len(records))
        traced = [replace(replay, trace=file.found[key]) for replay, key in zip(replays, keys)]
        return replace(lineup, replays=traced, records=records)


def effort(evaluator: Evaluator, replays: Sequence[Replay]) -> float:
    """How many whole matches the evaluation of one match costs: a continuation is half a match on average."""
    moments = np.mean([-(-replay.plies // evaluator.stride(replay.plies)) for replay in replays])
    menu = np.mean([replay.menus.mean() for replay in replays])
    return float(moments * evaluator.continuations + evaluator.decisions * menu * evaluator.each) / 2


class TraceFile:
    """Traces on disk, one line a match; a line that a kill cut short, or that somebody damaged, is done again."""

    def __init__(self, path: Path, evaluator: str):
        self.path, self.evaluator = path, evaluator
        self.found: dict[tuple[int, int], Trace] = {}
        text = ""
        try:
            text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
            self.out = path.open("a", encoding="utf-8")
        except OSError as error:
            raise DiskTrouble(f"cannot use {path}: {error.strerror}") from None
        for line in text.splitlines():
            self._read(line)
        if text and not text.endswith("\n"):
            self.out.write("\n")

    def _read(self, line: str) -> None:
        try:
            row = json.loads(line)
            if row["by"] == self.evaluator:
                block, rotation = row["key"]
                self.found[int(block), int(rotation)] = _trace_from(row)
        except (ValueError, KeyError, TypeError, IndexError):
            return

    def has(self, key: tuple[int, int], plies: int) -> bool:
        return key in self.found and len(self.found[key].expected) == plies + 1

    def keep(self, key: tuple[int, int], trace: Trace) -> None:
        opened = [
            (one.decision, one.expected.tolist(), one.errors.tolist(), one.policy.tolist()) for one in trace.opened
        ]
        row = {"by": self.evaluator, "key": key, "evaluator": trace.evaluator, "expected": trace.expected.tolist(),
               "errors": trace.errors.tolist(), "opened": opened, "stride": trace.stride}  # fmt: skip
        try:
            self.out.write(json.dumps(row) + "\n")
            self.out.flush()
        except OSError as error:
            raise DiskTrouble(f"cannot write {self.path}: {error.strerror}") from None
        self.found[key] = trace

    def close(self) -> None:
        self.out.close()


def _trace_from(row: dict[str, Any]) -> Trace:
    """Refuses a row whose tables do not fit together."""
    opened = tuple(
        Alternatives(int(decision), np.array(expected, float), np.array(errors, float), np.array(policy, int))
        for decision, expected, errors, policy in row["opened"]
    )
    expected, errors = np.array(row["expected"], float), np.array(row["errors"], float)
    if expected.ndim != 2 or expected.shape != errors.shape or not np.isfinite(expected).all():
        raise ValueError("no trace")
    return Trace(str(row["evaluator"]), expected, errors, opened, int(row["stride"]))
