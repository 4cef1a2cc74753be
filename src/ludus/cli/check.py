"""`ludus check`: does a game, or an agent, keep the contract?"""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.testing import Report

MATCHES = "Random matches in all; every preset with every number of players gets its part, and 20 if there are so many."
EXAMPLE = "Example: ludus check my_game.py"
SECONDS = 10.0
"""What an agent may take for a move."""


def command(
    game: Annotated[str, typer.Argument(help="A game's name or file.", metavar="GAME")] = "",
    all: Annotated[bool, typer.Option("--all", help="Check every game.")] = False,
    agent: Annotated[str, typer.Option(help="Check this agent in the game instead.", metavar="SPEC")] = "",
    matches: Annotated[int, options.games(MATCHES)] = 100,
    preset: Annotated[str, typer.Option(help="Only this preset.")] = "",
    players: Annotated[int, typer.Option(help="Only so many players.")] = 0,
    match: Annotated[int, typer.Option(help="Only this match: shows a reported failure again.")] = -1,
    seconds: Annotated[
        float, options.number("For an agent: the time it may take for a move; 0 is 10, in Planet Wars 1 a turn.")
    ] = 0.0,
    trust: options.Trust = [],  # noqa: B006
    sandbox: options.Sandbox = False,
    debug: options.Debug = False,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Check a game against the contract, with its secrets, its notation and its plain-Python run."""
    from ludus.catalogue import game_names, is_command
    from ludus.testing import check_agent, check_apart, check_program

    names = game_names() if all else [game]
    if not names[0]:
        raise BadInput("say which game to check, or --all")
    safety = options.safety(trust, sandbox, debug)
    reports = []
    for name in names:
        if is_command(agent):
            reports.append(check_program(agent, name, seed=seed, seconds=seconds, safety=safety))
        elif agent:
            reports.append(check_agent(agent, name, seed=seed, seconds=seconds or SECONDS, safety=safety))
        else:
            reports.append(_watched(check_apart(name, matches=matches, seed=seed, preset=preset, players=players,
                                                match=None if match < 0 else match), name))  # fmt: skip
        if not json:
            _show(reports[-1])
    if json:
        options.print_json([asdict(report) | {"ok": report.ok} for report in reports])
    if not all_ok(reports):
        sys.exit(1)


def all_ok(reports: list[Report]) -> bool:
    return not any(report.failures for report in reports)


def _watched(parts, name: str) -> Report:
    report = None
    with options.progress_bar() as bar:
        task = bar.add_task(f"checking {name}", total=None)
        for report in parts:
            bar.update(task, completed=sum(report.passed.values()))
    assert report is not None
    return report


def _show(report: Report) -> None:
    from ludus.testing import CHECKS

    if report.ok:
        made = sum(report.passed.values())
        print(f"{report.name}: ok, {len(report.passed)} kinds of checks, {made:,} made")
    for check, reason in report.skipped.items():
        print(f"  skipped {check}: {reason}")
    for note in report.notes:
        print(f"  note: {note}")
    for failure in report.failures:
        rule = f": {CHECKS[failure.check]}" if failure.check in CHECKS else ""
        print(f"{report.name}: FAILED {failure.check}{rule}")
        print(f"  {failure.sentence}\n  again: {failure.command}")
