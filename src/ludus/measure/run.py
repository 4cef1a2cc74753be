"""Measure these rules: a game, its rule values, who plays, how many matches; numbers with their intervals come back.

Nothing is kept on disk and nothing is judged by the clock, so that the same call always gives the same numbers. A
playtest asks the same metrics of matches that it plans and keeps itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.arena.hosts import full_spec
from ludus.catalogue import load
from ludus.errors import BadInput
from ludus.game import Game
from ludus.measure.evaluation import Evaluator, player_of, trace
from ludus.measure.evidence import Evidence, Level, Lineup
from ludus.measure.intervention import Worth, treated, worths
from ludus.measure.metric import Metric
from ludus.measure.metrics import metric
from ludus.measure.metrics.action_use import telling
from ludus.measure.readings import Readings, read
from ludus.measure.replays import Replay, legal_kinds, replays_of
from ludus.records import MatchRecord
from ludus.workers import Threads, Workers

TRACES = 20
"""Matches that an evaluator looks at, where a metric asks for it."""


def measure(
    game: str | Game,
    metrics: Iterable[str],
    *,
    rules: Mapping[str, object] | None = None,
    preset: str = "default",
    agents: Sequence[str] = ("mcts:sims=64",),
    matches: int = 200,
    players: int = 0,
    seed: int = 0,
    workers: Workers | None = None,
) -> Readings:
    """What the metrics of these names say of a game under these rules.

    `agents` go from weak to strong; the last plays itself. The others are met only if a metric asks who beats whom.
    """
    wanted = [metric(name) for name in metrics]
    rulebook = load(game)
    values, players = rulebook.rule_values(preset, rules), players or rulebook.facts.players[0]
    if matches < players or not agents:
        raise BadInput(f"there must be an agent and at least {players} matches, one for each seat")
    table = Table(rulebook, values, players, seed, workers or Threads(1))
    return table.read(wanted, [full_spec(spec, rulebook) for spec in agents], matches)


class Table:
    """One setting at which lineups are played; it remembers their matches, so that more can be asked for."""

    def __init__(self, game: Game, values: dict[str, object], players: int, seed: int, workers: Workers):
        game.check_setting(players, values)
        self.game, self.values, self.players, self.seed, self.workers = game, values, players, seed, workers
        self.kept: dict[tuple[str, ...], dict[tuple[int, int], tuple[MatchRecord, Replay]]] = {}

    def read(self, wanted: Sequence[Metric], specs: Sequence[str], matches: int) -> Readings:
        """What metrics say where the last of these agents plays itself; the others, from weak to strong, are met if one
        of them asks who beats whom."""
        needs = {one.needs for one in wanted}
        lineups = [self.lineup([specs[-1]], matches)]
        if "pairs" in needs:
            lineups += [self.lineup([strong, weak], matches) for weak, strong in combinations(specs, 2)]
        traced = self.traced(lineups[0]) if "traces" in needs else None
        legal = legal_kinds(self.game, lineups[0].records) if "menus" in needs else {}
        levels = [Level(spec) for spec in specs]
        worths = self.worths(lineups[0]) if "bans" in needs else []
        own = (self.game, self.values, self.players, self.seed)
        evidence = Evidence(*own, levels, lineups, traced, legal, restricted=worths)
        return read(evidence, wanted)

    def lineup(self, specs: Sequence[str], matches: int) -> Lineup:
        """One agent against itself, or one of the first among many of the second, in every seat in turn."""
        seats, blocks = [0, *[len(specs) - 1] * (self.players - 1)], -(-matches // self.players)
        kept = self.kept.setdefault(tuple(specs), {})
        begun = len(kept) // self.players
        tables = [table for block in range(begun, blocks) for table in rotations(seats, block)]
        groups = Arena(self.game, specs, self.values, seed=self.seed).play(tables, self.workers)
        records = sorted((record for group in groups for _, record in group), key=lambda one: (one.block, one.rotation))
        pairs = zip(records, replays_of(self.game, records))
        kept.update(((record.block, record.rotation), (record, replay)) for record, replay in pairs)
        own = [pair for (block, _), pair in kept.items() if block < blocks]
        seated = (specs[0], *[specs[-1]] * (self.players - 1))
        name, replays = " against ".join(specs), [replay for _, replay in own]
        return Lineup(name, seated, replays, [record for record, _ in own], wanted=len(own))

    def worths(self, lineup: Lineup) -> list[Worth]:
        """What the most telling kinds of action are worth."""
        kinds = telling(lineup.replays, {})
        made, blocks = treated(self.game, self.values, self.players), len(lineup.records) // self.players
        return worths(made, kinds, self.values, lineup.specs[0], blocks, self.players, self.seed, self.workers)

    def traced(self, lineup: Lineup) -> Lineup:
        """The first matches of a lineup with what each seat could expect."""
        evaluator = Evaluator(lineup.specs[0])
        player = player_of(evaluator, self.game)

        def one(k: int) -> tuple[int, Replay]:
            record, replay = lineup.records[k], lineup.replays[k]
            return k, replace(replay, trace=trace(self.game, player, evaluator, record, replay, self.seed))

        finished = [k for k, record in enumerate(lineup.records) if record.outcome == "finished" and record.plies]
        found = sorted(self.workers.stream(one, finished[:TRACES]), key=lambda item: item[0])
        records = [lineup.records[k] for k, _ in found]
        return replace(lineup, records=records, replays=[replay for _, replay in found])
