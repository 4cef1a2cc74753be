"""`ludus playtest`: is this game any good? Plays it at several strengths and writes a page a designer can read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options

if TYPE_CHECKING:
    from ludus.measure.evidence import Results
    from ludus.playtest.verdict import Readings

EXAMPLE = "Example: ludus playtest connect_four --quick"


def command(
    game: options.GameName,
    quick: Annotated[bool, typer.Option("--quick", help="A minute or two; the default takes about ten.")] = False,
    hours: Annotated[float, options.number("Take this many hours, for narrow intervals and strong play.")] = 0.0,
    precision: Annotated[
        float, options.number("Half-width wanted for rates, like 0.02; chosen by the mode if 0.")
    ] = 0.0,
    players: Annotated[int, typer.Option(help="Number of players; 0 takes the fewest.")] = 0,
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    agents: Annotated[
        list[str], typer.Option("--agent", help="A further agent to test the game with. May be repeated.")
    ] = [],  # noqa: B006
    games: Annotated[int, options.games("Matches of every lineup, instead of choosing by precision.", low=0)] = 0,
    out: Annotated[Path | None, options.folder("Folder of the report; the same folder resumes.")] = None,
    jobs: options.Jobs = 0,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Playtest a game: random play, then search of growing strength, then a report with a verdict."""
    from ludus.catalogue import load
    from ludus.playtest.plan import Plan, mode_for
    from ludus.playtest.run import Playtest
    from ludus.playtest.verdict import read
    from ludus.report import playtest as report

    rulebook = load(game)
    rules = options.read_rules(rule)
    plan = Plan(
        game, preset, rules, players or rulebook.facts.players[0], mode_for(quick, hours, precision),
        seed, agents, games,
    )  # fmt: skip
    folder = out or Path("playtests") / _folder_name(rulebook.name, plan)
    with options.progress_bar() as bar:
        task = bar.add_task(rulebook.name, total=None)

        def watch(doing: str, done: int, total: int) -> None:
            bar.update(task, description=doing, completed=done, total=total or None)

        results = Playtest(plan, folder, options.thread_count(jobs), watch).run()
        watch("writing the report", 0, 0)
        page = report.write(results, folder)
    readings = read(results)
    if json:
        options.print_json({"page": str(page), **readings.to_dict()})
    else:
        _show(results, readings, page)


def _folder_name(name: str, plan) -> str:
    """One folder for each way of testing a game, so that changed rules never meet old matches."""
    changes = [plan.preset] * (plan.preset != "default") + [f"{key}-{value}" for key, value in plan.rules.items()]
    return "-".join([name, f"{plan.players}p", *changes, plan.mode.name.replace(" ", "-"), str(plan.seed)])


def _show(results: Results, readings: Readings, page: Path) -> None:
    from ludus.measure.reading import LIGHTS

    rows = [(f"{LIGHTS[one.light][0]} {one.topic}", one.sentence.replace("*", "")) for one in readings.verdict()]
    played = sum(len(cell.records) for cell in results.cells)
    title = f"{results.title}, {results.players} players: {played:,} matches in {results.seconds:,.0f} seconds"
    options.print_table(title, ("", "verdict"), rows, "\n".join([*results.faults, *results.notes]))
    shut = [gate for gate in results.gates if not gate.is_open]
    if shut:
        print(f"stopped after {shut[0].name} play: {shut[0].sentence}")
    print(f"the report: {page}")
