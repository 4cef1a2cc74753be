"""`ludus match`: some agents, many mirrored matches, one table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ludus.cli import options
from ludus.errors import BadInput

EXAMPLE = "Example: ludus match connect_four mcts:sims=400 random --games 200"


def command(
    game: options.GameName,
    specs: Annotated[list[str], typer.Argument(help="An agent for each player, like mcts:sims=400.", metavar="SPEC…")],
    games: Annotated[int, typer.Option(help="Matches, rounded up to whole blocks of all seatings.", min=1)] = 100,
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    start: options.Start = None,
    seconds: Annotated[float, typer.Option(help="Thinking time a move; overrunning it loses. 0: no limit.")] = 0.0,
    records: Annotated[Path | None, typer.Option(help="Write every match to this file as JSON lines.")] = None,
    jobs: options.Jobs = 1,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Play a lineup of agents in blocks: every agent in every seat, with the same luck."""
    from ludus.arena.contest import contest
    from ludus.arena.hosts import Clock
    from ludus.game import load
    from ludus.records import write_records

    rulebook = load(game)
    rules = options.read_rules(rule)
    if len(specs) < 2 and rulebook.facts.players[0] > 1:
        raise BadInput(f"{rulebook.name} needs {rulebook.facts.players[0]} agents, not {len(specs)}")
    opening = options.read_start(rulebook, start, len(specs), rulebook.rule_values(preset, rules))
    kept: list = []
    with options.progress_bar() as bar:
        task = bar.add_task(f"{rulebook.name}", total=-(-games // len(specs)) * len(specs))
        result = contest(
            game, specs, games=games, seed=seed, preset=preset, rules=rules, start=opening,
            clock=Clock(seconds) if seconds else None, jobs=options.thread_count(jobs),
            watch=lambda done: bar.advance(task, done), keep=kept.append if records else None,
        )  # fmt: skip
    if records:
        write_records(records, kept)
    if json:
        options.print_json(result.to_dict())
        return
    rows = [
        (one.spec, one.wins, one.draws, result.games - one.wins - one.draws,
         f"{100 * one.score:.1f} %", f"[{100 * one.low:.1f}, {100 * one.high:.1f}]")
        for one in result.agents
    ]  # fmt: skip
    faults = "".join(f"; {count} ended by {fault}" for fault, count in result.faults.items())
    note = f"{result.games:,} matches, {result.mean_plies:.1f} plies on average, seed {seed}{faults}"
    options.print_table(
        rulebook.facts.title, ("agent", "wins", "draws", "losses", "score", "95 % interval"), rows, note
    )
