"""Playing a playtest: cell after cell, gate after gate. Killed at any moment, it goes on where it was.

A folder holds all of it: `plan.json` (what was wanted, and how many matches the time allowed), `matches.sqlite`, and
`traces.jsonl` (what the evaluator found). What is there is not played again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.catalogue import agent, load
from ludus.disk import write_json
from ludus.errors import BadInput, BadRules
from ludus.game import Game
from ludus.measure import evaluation
from ludus.measure.evaluation import Evaluator
from ludus.measure.evidence import Cell, Gate, Results
from ludus.measure.replays import Fan, Replay, Trace, legal_kinds, replays_of
from ludus.playtest import plan as planning
from ludus.playtest.flaws import faults_of, find_bugs, unused_kinds
from ludus.playtest.plan import Count, Plan, count_for, gate, is_shallow, ladder, matches_for
from ludus.records import MatchRecord, Store
from ludus.testing import check_game
from ludus.workers import Threads

Watch = Callable[[str, int, int], None]
"""Hears what is being done, how many matches of it are done, and how many there will be."""


class Ledger:
    """What was decided, on disk; the same decisions hold after a kill."""

    def __init__(self, folder: Path, plan: Plan, fingerprint: str):
        self.path = folder / "plan.json"
        wanted = json.loads(json.dumps({**asdict(plan), "text of the rules": fingerprint}))
        self.kept: dict[str, Any] = {"plan": wanted, "counts": {}, "seconds_each": {}, "spent": 0.0}
        if self.path.exists():
            self.kept = json.loads(self.path.read_text(encoding="utf-8"))
            changed = [key for key in wanted if self.kept["plan"].get(key) != wanted[key]]
            if changed:
                raise BadInput(f"{folder} holds a playtest with another {', '.join(changed)}; give another --out")

    def count(self, cell: str) -> Count | None:
        kept = self.kept["counts"].get(cell)
        return Count(*kept) if kept else None

    def decide(self, cell: str, count: Count, seconds_each: float) -> None:
        self.kept["counts"][cell] = [count.wanted, count.played]
        self.kept["seconds_each"][cell] = seconds_each
        self.write()

    def seconds_each(self, cell: str) -> float:
        return self.kept["seconds_each"].get(cell, 0.0)

    def write(self) -> None:
        write_json(self.path, self.kept)


class Playtest:
    """One plan being carried out."""

    def __init__(self, plan: Plan, folder: Path, jobs: int = 1, watch: Watch = lambda doing, done, total: None):
        self.plan, self.folder, self.jobs, self.watch = plan, folder, jobs, watch
        self.game: Game = load(plan.game)
        self.values = self.game.rule_values(plan.preset, plan.rules)
        self.game.check_setting(plan.players, self.values)
        self.given = [agent(spec, self.game).spec for spec in plan.agents]
        folder.mkdir(parents=True, exist_ok=True)
        self.ledger = Ledger(folder, plan, self.game.fingerprint)
        self.cells: list[Cell] = []
        self.gates: list[Gate] = []
        self.notes: list[str] = []

    def run(self) -> Results:
        started = time.monotonic()
        self._check()
        with Store(self.folder / "matches.sqlite") as self.store:
            levels = self._climb()
            traced = self._traced_cell(levels) if self.cells[0].replays else None
        bugs = find_bugs(self.cells, self.plan.players)
        kinds = legal_kinds(self.game, self.cells[0].records)
        self.ledger.kept["spent"] += time.monotonic() - started
        self.ledger.write()
        return Results(
            game=self.plan.game, title=self.game.facts.title, version=self.game.facts.version, preset=self.plan.preset,
            rules=self.values, players=self.plan.players, seed=self.plan.seed, mode=self.plan.mode.name,
            levels=levels, cells=self.cells, traced=traced, gates=self.gates,
            bugs=bugs + unused_kinds(kinds, self.cells), legal_kinds=kinds, faults=faults_of(self.cells),
            notes=self.notes + self._short_cells(), seconds=self.ledger.kept["spent"],
        )  # fmt: skip

    def _short_cells(self) -> list[str]:
        """What the wanted precision would take, where the time did not allow it."""
        counts = ((cell, Count(cell.wanted, len(cell.records))) for cell in self.cells)
        notes = (count.note(cell.name, self.ledger.seconds_each(cell.name)) for cell, count in counts)
        return [note for note in notes if note]

    def _check(self) -> None:
        """A game that fails its check is refused: numbers about broken rules mislead."""
        if self.ledger.kept.get("checked"):
            return
        self.watch("checking the rules", 0, 0)
        for report in check_game(self.game, matches=20, preset=self.plan.preset, players=self.plan.players):
            if report.failures:
                failure = report.failures[0]
                raise BadRules(f"{self.game.name} fails its check: {failure.sentence}\nsee it: {failure.command}")
        self.ledger.kept["checked"] = True
        self.ledger.write()

    # -------------------------------------------------------------------------------------------- climbing

    def _climb(self) -> list[str]:
        """Level after level, until a gate stays shut or the time is spent; the levels that were played."""
        mode = self.plan.mode
        lowest = self._cell(["random"], planning.RANDOM_PRECISION, mode.seconds * planning.SHARES["random"])
        self.cells.append(lowest)
        self.gates.append(gate("random", lowest.replays))
        if not self.gates[-1].is_open:
            return ["random"]
        mean_plies = float(np.mean([replay.plies for replay in lowest.replays]))
        ladder_levels = ladder(self.game, mode, mean_plies)
        left = mode.seconds * (1 - sum(planning.SHARES.values()))
        played = ["random"]
        for level in [*self.given, *ladder_levels[1:]]:  # those given first: the ladder fills the time that is left
            spent = self._level(level, played, left)
            if spent is None:
                self.notes.append(f"{level} is left out: {planning.FEWEST} matches of it take more than the time left")
                if level.startswith("mcts") and level not in self.given:
                    break  # the next would take twice as long
                continue
            played.append(level)
            left -= spent
            if is_shallow(level) and not self._passes("shallow"):
                return played
        self._top_up(left)
        self._passes("strong")
        return self._by_strength(played)

    def _by_strength(self, levels: Sequence[str]) -> list[str]:
        """Levels in the order of how many others each beats: more simulations need not beat a good heuristic."""
        return sorted(levels, key=lambda one: sum(self._beats(one, rival, levels) for rival in levels if rival != one))

    def _beats(self, one: str, rival: str, levels: Sequence[str]) -> bool:
        """Whether one agent got more of the points than the other; of two that never met, the later is taken to."""
        for cell in self.cells:
            if not cell.is_self_play and {one, rival} == set(cell.specs):
                scores = [replay.shares[replay.agents.index(cell.specs[0])] for replay in cell.replays]
                return (float(np.mean(scores)) > 1 / self.plan.players) == (cell.specs[0] == one)
        return levels.index(one) > levels.index(rival)

    def _top_up(self, left: float) -> None:
        """Time that is left goes to the lineups that lack matches, the cheapest first."""
        for k, cell in sorted(enumerate(self.cells), key=lambda item: self._missing_seconds(item[1])):
            each, players = self.ledger.seconds_each(cell.name), self.plan.players
            more = int(min(cell.wanted - len(cell.records), left / max(each, 1e-9))) // players * players
            if more > 0 and not self.plan.games:
                self.ledger.decide(cell.name, Count(cell.wanted, len(cell.records) + more), each)
                self.cells[k] = self._cell(list(dict.fromkeys(cell.specs)), cell.aim, 0.0)
                left -= more * each

    def _missing_seconds(self, cell: Cell) -> float:
        return self.ledger.seconds_each(cell.name) * max(0, cell.wanted - len(cell.records))

    def _passes(self, name: str) -> bool:
        """Whether what the strongest level so far shows lets a gate open."""
        cell = next(cell for cell in reversed(self.cells) if cell.is_self_play)
        self.gates = [one for one in self.gates if one.name != name] + [gate(name, cell.replays)]
        return self.gates[-1].is_open

    def _level(self, level: str, below: Sequence[str], left: float) -> float | None:
        """Self-play of a level, and its matches against all below; the time they take, None if there is too little."""
        share = left / 4
        cell = self._cell([level], self.plan.mode.precision, share)
        if not cell.replays:
            return None
        pairs = (self._cell([level, rival], self.plan.mode.precision, share / len(below)) for rival in reversed(below))
        found = [cell, *(pair for pair in pairs if pair.replays)]
        self.cells += found
        return sum(self.ledger.seconds_each(one.name) * len(one.records) for one in found)

    # -------------------------------------------------------------------------------------------- one cell

    def _cell(self, agents: Sequence[str], precision: float, seconds: float) -> Cell:
        """The matches of a lineup: one agent against itself, or one of the first among many of the second."""
        name = " against ".join(agents)
        specs = (agents[0], *[agents[-1]] * (self.plan.players - 1))
        arena = Arena(self.game, list(agents), self.values, seed=self.plan.seed)
        lineup = [0, *[len(agents) - 1] * (self.plan.players - 1)]
        count = self.ledger.count(name) or self._decide(name, arena, lineup, precision, seconds)
        records = self._play(name, arena, lineup, count.played // self.plan.players)
        return Cell(name, specs, replays_of(self.game, records) if records else [], records, precision, count.wanted)

    def _decide(self, name: str, arena: Arena, lineup: Sequence[int], precision: float, seconds: float) -> Count:
        """How many matches: as was ordered, or as the precision asks and the time allows."""
        players = self.plan.players
        if self.plan.games:
            ordered = -(-self.plan.games // players) * players
            count, each = Count(min(ordered, matches_for(precision)), ordered), 0.0
        else:
            replays_of(self.game, self._play(name, arena, lineup, 1))  # compiles, which must not count
            each = self._seconds_each(name, arena, lineup, matches_for(precision))
            count = count_for(precision, seconds, each, players)
            if name == "random" and not count.played:  # nothing is cheaper, and without any there is nothing to say
                count = Count(count.wanted, min(count.wanted, planning.FEWEST * players))
        self.ledger.decide(name, count, each)
        return count

    def _seconds_each(self, name: str, arena: Arena, lineup: Sequence[int], enough: int) -> float:
        """The time of one match, from a pilot that grows until it can be timed."""
        began, blocks = 1, 2
        while True:
            started = time.perf_counter()
            played = self._play(name, arena, lineup, began + blocks)[began * self.plan.players :]
            replays_of(self.game, played)
            seconds = time.perf_counter() - started
            if seconds > PILOT_SECONDS or len(played) >= enough:
                return seconds / len(played)
            began, blocks = began + blocks, 2 * blocks

    def _play(self, name: str, arena: Arena, lineup: Sequence[int], blocks: int) -> list[MatchRecord]:
        """The matches of the first blocks, in their order; what the store has is not played again."""
        self.store.begin(name, {})
        tables = [table for block in range(blocks) for table in rotations(lineup, block)]
        kept = {(block, turn): record for (_, block, turn), record in self.store.matches(name) if block < blocks}
        self.watch(name, len(kept), len(tables))
        missing = (table for table in tables if (table.block, table.rotation) not in kept)
        for group in arena.play(missing, Threads(self.jobs)):
            self.store.add(name, [((0, table.block, table.rotation), record) for table, record in group])
            kept |= {(table.block, table.rotation): record for table, record in group}
            self.watch(name, len(kept), len(tables))
        return [kept[key] for key in sorted(kept)]

    # -------------------------------------------------------------------------------------------- traces

    def _traced_cell(self, levels: Sequence[str]) -> Cell | None:
        """Matches of the strongest level whose evaluation fits into the time, each with its trace."""
        seconds = self.plan.mode.seconds * planning.SHARES["traces"]
        cells = [cell for level in reversed(levels) if (cell := self._sound_self_play(level))]
        tries = [(cell, Evaluator(cell.specs[0], **budget)) for cell in cells for budget in (THOROUGH, LEAN)]
        # Random play says little of anybody else's: before it comes to that, a few traces of others must do.
        others = [(cell, evaluator) for cell, evaluator in tries if cell.name != "random"]
        for fewest, patience in ((FEWEST_TRACES, 1), (LEAST_TRACES, 2)):
            for cell, evaluator in others:
                number = self._affordable_traces(cell, evaluator, patience * seconds)
                if number >= min(fewest, len(cell.records)):
                    return self._trace_all(cell, evaluator, number)
        if not tries:
            return None
        return self._trace_all(*tries[-1], max(LEAST_TRACES, self._affordable_traces(*tries[-1], seconds)))

    def _sound_self_play(self, level: str) -> Cell | None:
        """The finished matches of a level that an evaluator can play on."""
        cell = next(cell for cell in self.cells if cell.is_self_play and cell.specs[0] == level)
        sound = [k for k, record in enumerate(cell.records) if record.outcome == "finished" and record.plies]
        if not sound or not agent(level, self.game).compiled:
            return None
        return replace(cell, records=[cell.records[k] for k in sound], replays=[cell.replays[k] for k in sound])

    def _affordable_traces(self, cell: Cell, evaluator: Evaluator, seconds: float) -> int:
        """How many matches can be traced in the time."""
        most = min(len(cell.records), MOST_TRACES)
        if self.plan.games:  # ordered, and the same every time
            return min(most, FEWEST_TRACES)
        name = f"traces of {cell.name} by {evaluator}"
        if not self.ledger.seconds_each(name):
            self.ledger.decide(name, Count(most, most), self._seconds_a_trace(cell, evaluator, seconds))
        return min(most, int(seconds / self.ledger.seconds_each(name)))

    def _seconds_a_trace(self, cell: Cell, evaluator: Evaluator, seconds: float) -> float:
        """From a pilot, unless it is hopeless."""
        # Many continuations go together, which may make them ten times cheaper than a match; not more.
        each = self.ledger.seconds_each(cell.name) * effort(evaluator, cell.replays) / 10
        if LEAST_TRACES * each > seconds:
            return each
        started = time.perf_counter()
        self._trace_all(cell, evaluator, self.jobs)
        return (time.perf_counter() - started) / self.jobs

    def _trace_all(self, cell: Cell, evaluator: Evaluator, number: int) -> Cell:
        """The first matches of a cell with their traces; what was evaluated before is not done again."""
        player = evaluation.player_of(evaluator, self.game)
        records, replays = cell.records[:number], cell.replays[:number]
        notes = TraceFile(self.folder / "traces.jsonl", str(evaluator))
        self.watch(f"evaluating {cell.name}", 0, len(records))

        def one(k: int) -> Replay:
            key = (records[k].block, records[k].rotation)
            found = notes.found.get(key)
            if found is None:
                found = evaluation.trace(self.game, player, evaluator, records[k], replays[k], self.plan.seed)
                notes.keep(key, found)
            self.watch(f"evaluating {cell.name}", len(notes.found), len(records))
            return replace(replays[k], trace=found)

        with ThreadPoolExecutor(self.jobs) as workers, closing(notes.out):
            traced = list(workers.map(one, range(len(records))))
        return replace(cell, replays=traced, records=records)


PILOT_SECONDS = 0.2
MOST_TRACES, FEWEST_TRACES, LEAST_TRACES = 200, 20, 8
"""The most matches that are worth a trace, the fewest for which a level is chosen, and what is done in any case."""
THOROUGH = {"continuations": 32, "moments": 40, "fans": 4, "fan_continuations": 16}
LEAN = {"continuations": 16, "moments": 20, "fans": 2, "fan_continuations": 8}


def effort(evaluator: Evaluator, replays: Sequence[Replay]) -> float:
    """How many whole matches the evaluation of one match costs: a continuation is half a match on average."""
    moments = np.mean([-(-replay.plies // evaluator.stride(replay.plies)) for replay in replays])
    menu = np.mean([replay.menus.mean() for replay in replays])
    return float(moments * evaluator.continuations + evaluator.fans * menu * evaluator.fan_continuations) / 2


class TraceFile:
    """Traces on disk, one line a match; a line that a kill cut short is done again."""

    def __init__(self, path: Path, evaluator: str):
        self.path, self.evaluator = path, evaluator
        self.found: dict[tuple[int, int], Trace] = {}
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for line in lines:
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if row["by"] == evaluator:
                self.found[tuple(row["key"])] = _trace_from(row)
        self.out = path.open("a", encoding="utf-8")
        if lines and not path.read_text(encoding="utf-8").endswith("\n"):
            self.out.write("\n")

    def keep(self, key: tuple[int, int], trace: Trace) -> None:
        fans = [(fan.decision, fan.expected.tolist(), fan.errors.tolist(), fan.policy.tolist()) for fan in trace.fans]
        row = {"by": self.evaluator, "key": key, "evaluator": trace.evaluator, "expected": trace.expected.tolist(),
               "errors": trace.errors.tolist(), "fans": fans, "stride": trace.stride}  # fmt: skip
        self.out.write(json.dumps(row) + "\n")
        self.out.flush()
        self.found[key] = trace


def _trace_from(row: dict[str, Any]) -> Trace:
    fans = tuple(Fan(decision, *(np.array(part) for part in parts)) for decision, *parts in row["fans"])
    return Trace(row["evaluator"], np.array(row["expected"]), np.array(row["errors"]), fans, row["stride"])
