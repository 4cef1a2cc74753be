"""Small playtests made of real matches, for tests of the verdict and of the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.catalogue import load
from ludus.game import Game
from ludus.measure.evaluation import Evaluator, player_of, trace
from ludus.measure.evidence import Level, Lineup
from ludus.measure.replays import legal_kinds, replays_of
from ludus.playtest.plan import RANDOM, Gate
from ludus.playtest.playtest import Playtest

SEARCH = Level("mcts:sims=16", "search", 16)
GAMES = Path(__file__).resolve().parents[1] / "measure" / "games"


def played(game: Game, specs: Sequence[str], blocks: int, seed: int = 1, preset: str = "default") -> Lineup:
    """Blocks of matches between these agents."""
    known = sorted(set(specs))
    tables = [table for block in range(blocks) for table in rotations([known.index(spec) for spec in specs], block)]
    arena = Arena(game, known, game.rule_values(preset), seed=seed)
    played = sorted((pair for chunk in arena.play(tables) for pair in chunk), key=lambda p: (p[0].block, p[0].rotation))
    records = [record for _, record in played]
    return Lineup("-".join(specs), tuple(specs), replays_of(game, records), records, aim=0.05, wanted=400)


def with_traces(game: Game, lineup: Lineup, matches: int, evaluator: Evaluator) -> Lineup:
    player = player_of(evaluator, game)
    pairs = list(zip(lineup.records, lineup.replays))[:matches]
    replays = [replace(own, trace=trace(game, player, evaluator, record, own, seed=1)) for record, own in pairs]
    return replace(lineup, records=lineup.records[:matches], replays=replays)


def playtest(
    name: str,
    players: int = 2,
    blocks: int = 30,
    matches: int = 6,
    preset: str = "default",
    strong: Level = SEARCH,
) -> Playtest:
    """Random and searching players, pairs of them, and a few matches with traces."""
    game = load(name)
    lineups = [played(game, [level.spec] * players, blocks, preset=preset) for level in (RANDOM, strong)]
    lineups.append(played(game, [strong.spec, *["random"] * (players - 1)], blocks, preset=preset))
    evaluator = Evaluator(strong.spec, continuations=8, decisions=3, each=4)
    return replace(
        random_only(name, players, 1),
        rules=game.rule_values(preset),
        preset=preset,
        levels=[RANDOM, strong],
        lineups=lineups,
        traced=with_traces(game, lineups[1], matches, evaluator),
        gates=[Gate("random", True, "Random play ends by the rules."), Gate("shallow", True, "Search finds plans.")],
        legal_kinds=legal_kinds(game, lineups[0].records, 400),
        notes=["The time allowed 60 of 400 matches; half-widths are 12 points where 5 were wanted."],
    )


def random_only(name: str, players: int = 2, blocks: int = 10) -> Playtest:
    """As far as it goes if the first gate stays shut."""
    game = load(name)
    lineup = played(game, ["random"] * players, blocks)
    return Playtest(
        game=game,
        rules=game.rule_values(),
        players=players,
        seed=1,
        levels=[RANDOM],
        lineups=[lineup],
        traced=None,
        legal_kinds=legal_kinds(game, lineup.records, 400),
        title=game.facts.title,
        preset="default",
        mode="quick",
        gates=[],
        flaws=[],
        faults=[],
        notes=[],
        seconds=1.0,
    )
