"""Small playtests made of real matches, for tests of the verdict and of the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.catalogue import load
from ludus.game import Game
from ludus.measure.evaluation import Evaluator, player_of, trace
from ludus.measure.evidence import Cell, Gate, Results
from ludus.measure.replays import replays_of

RANDOM, SEARCH = "random", "mcts:sims=16"


def played(game: Game, specs: Sequence[str], blocks: int, seed: int = 1, preset: str = "default") -> Cell:
    """Blocks of matches between these agents."""
    known = sorted(set(specs))
    tables = [table for block in range(blocks) for table in rotations([known.index(spec) for spec in specs], block)]
    hall = Arena(game, known, game.rule_values(preset), seed=seed)
    played = sorted((pair for chunk in hall.play(tables) for pair in chunk), key=lambda p: (p[0].block, p[0].rotation))
    records = [record for _, record in played]
    return Cell("-".join(specs), tuple(specs), replays_of(game, records), records, aim=0.05, wanted=400)


def with_traces(game: Game, cell: Cell, matches: int, evaluator: Evaluator) -> Cell:
    player = player_of(evaluator, game)
    pairs = list(zip(cell.records, cell.replays))[:matches]
    replays = [replace(own, trace=trace(game, player, evaluator, record, own, seed=1)) for record, own in pairs]
    return replace(cell, records=cell.records[:matches], replays=replays)


def playtest(
    name: str,
    players: int = 2,
    blocks: int = 30,
    matches: int = 6,
    preset: str = "default",
    strong: str = SEARCH,
) -> Results:
    """Random and searching players, pairs of them, and a few matches with traces."""
    game = load(name)
    cells = [played(game, [level] * players, blocks, preset=preset) for level in (RANDOM, strong)]
    cells.append(played(game, [strong, *[RANDOM] * (players - 1)], blocks, preset=preset))
    evaluator = Evaluator(strong, continuations=8, fans=3, fan_continuations=4)
    return Results(
        game=name,
        title=game.facts.title,
        version=game.facts.version,
        preset=preset,
        rules=game.rule_values(preset),
        players=players,
        seed=1,
        mode="quick",
        levels=[RANDOM, strong],
        cells=cells,
        traced=with_traces(game, cells[1], matches, evaluator),
        gates=[Gate("random", True, "Random play ends by the rules."), Gate("shallow", True, "Search finds plans.")],
        bugs=[],
        legal_kinds=legal_kinds(cells[0]),
        faults=[],
        notes=["The time allowed 60 of 400 matches; half-widths are 12 points where 5 were wanted."],
        seconds=12.0,
    )


def random_only(name: str, players: int = 2, blocks: int = 10) -> Results:
    """As far as it goes if the first gate stays shut."""
    game = load(name)
    cell = played(game, [RANDOM] * players, blocks)
    return Results(
        game=name,
        title=game.facts.title,
        version=game.facts.version,
        preset="default",
        rules=game.rule_values(),
        players=players,
        seed=1,
        mode="quick",
        levels=[RANDOM],
        cells=[cell],
        traced=None,
        gates=[],
        bugs=[],
        legal_kinds=legal_kinds(cell),
        faults=[],
        notes=[],
        seconds=1.0,
    )


def legal_kinds(cell: Cell) -> dict[str, int]:
    """Near enough for a test: what was chosen was legal."""
    kinds, counts = np.unique([kind for replay in cell.replays for kind in replay.kinds], return_counts=True)
    return {str(kind): int(count) for kind, count in zip(kinds, counts)}
