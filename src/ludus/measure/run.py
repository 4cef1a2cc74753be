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
from ludus.measure.metrics import metric
from ludus.measure.readings import Readings, read
from ludus.measure.replays import Replay, legal_kinds, replays_of
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
    needs = {one.needs for one in wanted}
    rulebook = load(game)
    values, players = rulebook.rule_values(preset, rules), players or rulebook.facts.players[0]
    rulebook.check_setting(players, values)
    if matches < players or not agents:
        raise BadInput(f"there must be an agent and at least {players} matches, one for each seat")
    specs = [full_spec(spec, rulebook) for spec in agents]
    table = _Table(rulebook, values, players, seed, matches, workers or Threads(1))
    lineups = [table.lineup([specs[-1]])]
    if "pairs" in needs:
        lineups += [table.lineup([strong, weak]) for weak, strong in combinations(specs, 2)]
    traced = table.traced(lineups[0]) if "traces" in needs else None
    legal = legal_kinds(rulebook, lineups[0].records)
    levels = [Level(spec) for spec in specs]
    return read(Evidence(rulebook, values, players, seed, levels, lineups, traced, legal), wanted)


class _Table:
    """One setting at which lineups are played."""

    def __init__(self, game: Game, values: dict, players: int, seed: int, matches: int, workers: Workers):
        self.game, self.values, self.players, self.seed = game, values, players, seed
        self.blocks, self.workers = -(-matches // players), workers

    def lineup(self, specs: Sequence[str]) -> Lineup:
        """One agent against itself, or one of the first among many of the second, in every seat in turn."""
        seats = [0, *[len(specs) - 1] * (self.players - 1)]
        tables = [table for block in range(self.blocks) for table in rotations(seats, block)]
        arena = Arena(self.game, specs, self.values, seed=self.seed)
        groups = arena.play(tables, self.workers)
        found = {(table.block, table.rotation): record for group in groups for table, record in group}
        records = [found[key] for key in sorted(found)]
        seated = (specs[0], *[specs[-1]] * (self.players - 1))
        return Lineup(" against ".join(specs), seated, replays_of(self.game, records), records, wanted=len(records))

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
