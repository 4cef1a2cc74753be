"""Playing a playtest: lineup after lineup, gate after gate. Killed at any moment, it goes on where it was.

A folder holds all of it: `content.json` (what is tested), `plan.json` (how many matches the time allowed),
`matches.sqlite`, and `traces.jsonl` (what the evaluator found). What is there is not played again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.arena.hosts import full_spec
from ludus.catalogue import load
from ludus.errors import BadInput, BadRules
from ludus.game import Game
from ludus.measure.evidence import Level, Lineup
from ludus.measure.replays import legal_kinds, replays_of
from ludus.measure.strength import pair_score
from ludus.playtest import bans, training
from ludus.playtest import plan as planning
from ludus.playtest.flaws import faults_of, find_flaws, unused_kinds
from ludus.playtest.ledger import Ledger
from ludus.playtest.plan import MOST_MATCHES, RANDOM, TRAINING, Count, Gate, Order, count_for, gate, ladder, matches_for
from ludus.playtest.playtest import Playtest
from ludus.playtest.series import series
from ludus.playtest.tracing import Tracer, Watch
from ludus.records import MatchRecord, Store
from ludus.testing import check_game
from ludus.workers import Threads, Workers

PILOT_SECONDS = 0.2


class Runner:
    """One order being carried out."""

    def __init__(
        self,
        order: Order,
        folder: Path,
        workers: Workers | None = None,
        watch: Watch = lambda doing, done, total: None,
    ):
        self.order, self.workers, self.watch = order, workers or Threads(1), watch
        self.game: Game = load(order.game)
        self.values = self.game.rule_values(order.preset, order.rules)
        self.game.check_setting(order.players, self.values)
        if order.games > MOST_MATCHES:
            raise BadInput(f"a lineup has at most {MOST_MATCHES:,} matches, not {order.games:,}")
        self.given = [Level(full_spec(spec, self.game)) for spec in order.agents]
        self.folder, self.changed = series(folder, order.content(self.game))
        """Where it is kept, and what is new about it if that is not where it was asked for."""
        self.ledger = Ledger(self.folder)
        self.lineups: list[Lineup] = []
        self.gates: list[Gate] = []
        self.notes: list[str] = [self.changed] if self.changed else []

    def run(self) -> Playtest:
        started = time.monotonic()
        self._check()
        with Store(self.folder / "matches.sqlite") as self.store:
            levels = self._climb()
            traced = self._trace(levels) if self.lineups[0].replays else None
        worths = bans.forbid(self.order, self.game, self.lineups, levels, self.folder, self.ledger, self.workers)
        kinds = legal_kinds(self.game, self.lineups[0].records)
        flaws = find_flaws(self.lineups, self.order.players) + unused_kinds(kinds, self.lineups)
        self.ledger.kept["spent"] += time.monotonic() - started
        self.ledger.write()
        return Playtest(
            game=self.game, rules=self.values, players=self.order.players, seed=self.order.seed, levels=levels,
            lineups=self.lineups, traced=traced, legal_kinds=kinds, title=self.game.facts.title,
            preset=self.order.preset, mode=self.order.mode.name, gates=self.gates, flaws=flaws,
            faults=faults_of(self.lineups), notes=self.notes + self._short_lineups(),
            seconds=self.ledger.kept["spent"], restricted=worths,
        )  # fmt: skip

    def _short_lineups(self) -> list[str]:
        """What the wanted precision would take, where the time did not allow it."""
        counts = ((lineup, Count(lineup.wanted, len(lineup.records))) for lineup in self.lineups)
        notes = (count.note(lineup.name, self.ledger.seconds_each(lineup.name)) for lineup, count in counts)
        return [note for note in notes if note]

    def _check(self) -> None:
        """A game that fails its check is refused: numbers about broken rules mislead."""
        if self.ledger.kept.get("checked"):
            return
        self.watch("checking the rules", 0, 0)
        for report in check_game(self.game, matches=20, preset=self.order.preset, players=self.order.players):
            if report.failures:
                failure = report.failures[0]
                raise BadRules(f"{self.game.name} fails its check: {failure.sentence}\nsee it: {failure.command}")
        self.ledger.kept["checked"] = True
        self.ledger.write()

    def _trace(self, levels: Sequence[Level]) -> Lineup | None:
        """Of the strongest level that can be afforded."""
        mode, ordered = self.order.mode, bool(self.order.games)
        seed, folder = self.order.seed, self.folder
        tracer = Tracer(self.game, seed, folder, self.ledger, self.workers, self.watch, ordered)
        own = {lineup.specs[0]: lineup for lineup in self.lineups if lineup.is_self_play}
        lineups = [own[level.spec] for level in reversed(levels)]
        return tracer.trace(lineups, mode.seconds * planning.SHARES["traces"])

    # -------------------------------------------------------------------------------------------- climbing

    def _climb(self) -> list[Level]:
        """Level after level, until a gate stays shut or the time is spent; the levels that were played."""
        mode = self.order.mode
        lowest = self._lineup(["random"], planning.RANDOM_PRECISION, mode.seconds * planning.SHARES["random"])
        self.lineups.append(lowest)
        self.gates.append(gate("random", lowest.replays))
        if not self.gates[-1].is_open:
            return [RANDOM]
        mean_plies = float(np.mean([replay.plies for replay in lowest.replays]))
        left = mode.seconds * (1 - sum(planning.SHARES.values()))
        played, is_shallow = [RANDOM], True
        # Those given come first: the ladder fills the time that is left.
        for level in [*self.given, *ladder(self.game, mode, mean_plies)[1:]]:
            spent = self._level(level, played, left)
            if spent is None:
                self.notes.append(f"{level} is left out: {planning.FEWEST} matches of it take more than the time left")
                if level.sort == "search":
                    break  # the next would take twice as long
                continue
            played.append(level)
            left -= spent
            if level.sort == "search" and is_shallow:
                is_shallow = False
                if not self._passes("shallow"):
                    return played
        self._top_up(left)
        played += self._train(played) if self.order.train else []
        self._passes("strong")
        return self._by_strength(played)

    def _train(self, played: Sequence[Level]) -> list[Level]:
        """A network as the top of the ladder, with as much time to think as the best search; what it met is kept."""
        search = next((level for level in reversed(played) if level.sort == "search"), None)
        if search is None:
            return []
        run = training.trained(self.order, self.game, self.folder, self.workers, self.watch)
        match = self._match_time(run, search)
        level = training.level(self.game, run, match.sims)
        if self._level(level, [search], TRAINING * self.order.mode.seconds) is None:
            self.notes.append(f"{level} is left out: {planning.FEWEST} matches of it take more than the time left")
            return []
        self.notes.append(training.gain(self.lineups, level, search, match))
        return [level]

    def _match_time(self, run: Path, search: Level) -> training.Match:
        """How many simulations of the network take as long as the search; measured once."""
        if self.order.games:
            return training.Match(training.FIRST_SIMS)
        if "network" not in self.ledger.kept:
            own = (self.game, self.values, run, search.spec, self.order.players, self.workers)
            self.ledger.kept["network"] = asdict(training.match_time(*own))
            self.ledger.write()
        kept = self.ledger.kept["network"]
        return training.Match(kept["sims"], tuple(kept["seconds"]))

    def _by_strength(self, levels: Sequence[Level]) -> list[Level]:
        """Levels in the order of how many others each beats: more simulations need not beat a good heuristic."""
        return sorted(levels, key=lambda one: sum(self._beats(one, rival, levels) for rival in levels if rival != one))

    def _beats(self, one: Level, rival: Level, levels: Sequence[Level]) -> bool:
        """Whether one agent is stronger than the other; where that is not sure, the later is taken to be."""
        for lineup in self.lineups:
            if {one.spec, rival.spec} == set(lineup.specs):
                score = pair_score(lineup.replays, one.spec)
                if not score.low <= 0.5 <= score.high:
                    return score.low > 0.5
        return levels.index(one) > levels.index(rival)

    def _top_up(self, left: float) -> None:
        """Time that is left goes to the lineups that lack matches, the cheapest first."""
        for k, lineup in sorted(enumerate(self.lineups), key=lambda item: self._missing_seconds(item[1])):
            each, players = self.ledger.seconds_each(lineup.name), self.order.players
            more = int(min(lineup.wanted - len(lineup.records), left / max(each, 1e-9))) // players * players
            if more > 0 and not self.order.games:
                self.ledger.decide(lineup.name, Count(lineup.wanted, len(lineup.records) + more), each)
                self.lineups[k] = self._lineup(list(dict.fromkeys(lineup.specs)), lineup.aim, 0.0)
                left -= more * each

    def _missing_seconds(self, lineup: Lineup) -> float:
        return self.ledger.seconds_each(lineup.name) * max(0, lineup.wanted - len(lineup.records))

    def _passes(self, name: str) -> bool:
        """Whether what the strongest level so far shows lets a gate open."""
        lineup = next(lineup for lineup in reversed(self.lineups) if lineup.is_self_play)
        self.gates = [one for one in self.gates if one.name != name] + [gate(name, lineup.replays)]
        return self.gates[-1].is_open

    def _level(self, level: Level, below: Sequence[Level], left: float) -> float | None:
        """Self-play of a level, and its matches against all below; the time they take, None if there is too little."""
        share, precision = left / 4, self.order.mode.precision
        lineup = self._lineup([level.spec], precision, share)
        if not lineup.replays:
            return None
        rivals = [rival.spec for rival in reversed(below)]
        pairs = (self._lineup([level.spec, rival], precision, share / len(below)) for rival in rivals)
        found = [lineup, *(pair for pair in pairs if pair.replays)]
        self.lineups += found
        return sum(self.ledger.seconds_each(one.name) * len(one.records) for one in found)

    # -------------------------------------------------------------------------------------------- one lineup

    def _lineup(self, agents: Sequence[str], precision: float, seconds: float) -> Lineup:
        """The matches of a lineup: one agent against itself, or one of the first among many of the second."""
        name = " against ".join(agents)
        specs = (agents[0], *[agents[-1]] * (self.order.players - 1))
        arena = Arena(self.game, list(agents), self.values, seed=self.order.seed)
        seats = [0, *[len(agents) - 1] * (self.order.players - 1)]
        count = self.ledger.count(name) or self._decide(name, arena, seats, precision, seconds)
        records = self._play(name, arena, seats, count.played // self.order.players)
        return Lineup(name, specs, replays_of(self.game, records) if records else [], records, precision, count.wanted)

    def _decide(self, name: str, arena: Arena, seats: Sequence[int], precision: float, seconds: float) -> Count:
        """How many matches: as was ordered, or as the precision asks and the time allows."""
        players = self.order.players
        if self.order.games:
            ordered = -(-self.order.games // players) * players
            count, each = Count(min(ordered, matches_for(precision)), ordered), 0.0
        else:
            replays_of(self.game, self._play(name, arena, seats, 1))  # compiles, which must not count
            each = self._seconds_each(name, arena, seats, matches_for(precision))
            count = count_for(precision, seconds, each, players)
            if name == "random" and not count.played:  # nothing is cheaper, and without any there is nothing to say
                count = Count(count.wanted, min(count.wanted, planning.FEWEST * players))
        self.ledger.decide(name, count, each)
        return count

    def _seconds_each(self, name: str, arena: Arena, seats: Sequence[int], enough: int) -> float:
        """The time of one match, from a pilot that grows until it can be timed."""
        began, blocks = 1, 2
        while True:
            started = time.perf_counter()
            played = self._play(name, arena, seats, began + blocks)[began * self.order.players :]
            replays_of(self.game, played)
            seconds = time.perf_counter() - started
            if seconds > PILOT_SECONDS or len(played) >= enough:
                return seconds / len(played)
            began, blocks = began + blocks, 2 * blocks

    def _play(self, name: str, arena: Arena, seats: Sequence[int], blocks: int) -> list[MatchRecord]:
        """The matches of the first blocks, in their order; what the store has is not played again."""
        self.store.begin(name, {})
        tables = [table for block in range(blocks) for table in rotations(seats, block)]
        kept = {(block, turn): record for (_, block, turn), record in self.store.matches(name) if block < blocks}
        self.watch(name, len(kept), len(tables))
        missing = (table for table in tables if (table.block, table.rotation) not in kept)
        for group in arena.play(missing, self.workers):
            self.store.add(name, [((0, table.block, table.rotation), record) for table, record in group])
            kept |= {(table.block, table.rotation): record for table, record in group}
            self.watch(name, len(kept), len(tables))
        return [kept[key] for key in sorted(kept)]
