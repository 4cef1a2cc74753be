"""`ludus playtest`: is this game any good? Plays it at several strengths and writes a page a designer can read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options

if TYPE_CHECKING:
    from ludus.game import Game
    from ludus.measure.readings import Readings
    from ludus.playtest.plan import Order
    from ludus.playtest.playtest import Playtest
    from ludus.workers import Workers

EXAMPLE = "Example: ludus playtest connect_four --quick"
ADVICE = 0.15
"""Of the time, for a step of each rule."""

Precision = Annotated[float, options.number("Half-width wanted for rates, like 0.02; chosen by the mode if 0.")]


def command(
    game: options.GameName,
    quick: Annotated[bool, typer.Option("--quick", help="A minute or two; the default takes about fifteen.")] = False,
    hours: Annotated[float, options.number("Take this many hours, for narrow intervals and strong play.")] = 0.0,
    precision: Precision = 0.0,
    players: Annotated[int, typer.Option(help="Number of players; 0 takes the fewest.")] = 0,
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    agents: Annotated[
        list[str], typer.Option("--agent", help="A further agent to test the game with. May be repeated.")
    ] = [],  # noqa: B006
    advise: Annotated[
        bool | None, typer.Option("--advise/--no-advise", help="Try a step of each rule where a light is red.")
    ] = None,
    train: Annotated[
        bool | None, typer.Option("--train/--no-train", help="Train a network as the strongest player; see docs.")
    ] = None,
    games: Annotated[int, options.games("Matches of every lineup, instead of choosing by precision.", low=0)] = 0,
    out: Annotated[Path | None, options.folder("Folder of the report; the same folder resumes.")] = None,
    jobs: options.Jobs = 0,
    on: options.On = "threads",
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Playtest a game: random play, then search of growing strength, then a report with a verdict."""
    from ludus.catalogue import load
    from ludus.playtest.plan import Order, mode_for

    rulebook = load(game)
    order = Order(
        game, preset, options.read_rules(rule), players or rulebook.facts.players[0],
        mode_for(quick, hours, precision), seed, agents, games, *_thorough(rulebook, quick, games, train),
    )  # fmt: skip
    folder = out or Path("playtests") / _folder_name(rulebook.name, order)
    playtest, readings, page = _run(order, folder, options.places(on, jobs), not quick if advise is None else advise)
    if json:
        options.print_json({"page": str(page), "notes": playtest.notes, **readings.to_dict()})
    else:
        _show(playtest, readings, page)


def _thorough(game: Game, quick: bool, games: int, train: bool | None) -> tuple[bool, bool]:
    """Whether kinds of action are forbidden, and whether a network is trained: by themselves where there is time."""
    from ludus.playtest.training import pays

    has_time = not quick and not games
    return has_time, has_time and pays(game) if train is None else train


def _run(order: Order, folder: Path, places: Workers, advise: bool) -> tuple[Playtest, Readings, Path]:
    """Play and write the report; a bar shows how far it is."""
    from ludus.playtest.run import Runner
    from ludus.playtest.verdict import read
    from ludus.report.playtest import write
    from ludus.tuning.advice import advice

    with options.progress_bar() as bar:
        task = bar.add_task(order.game, total=None)

        def watch(doing: str, done: int, total: int) -> None:
            bar.update(task, description=doing, completed=done, total=total or None)

        runner = Runner(order, folder, places, watch)
        playtest = runner.run()
        watch("writing the report", 0, 0)
        readings = read(playtest)
        seconds, matches = (0.0, order.games) if order.games else (ADVICE * order.mode.seconds, 100)
        steps = advice(playtest, readings.lights, seconds, matches, runner.workers, watch) if advise else []
        return playtest, readings, write(playtest, readings, runner.folder, steps)


def _folder_name(name: str, order: Order) -> str:
    """One folder for each way of testing a game."""
    changes = [order.preset] * (order.preset != "default") + [f"{key}-{value}" for key, value in order.rules.items()]
    return "-".join([name, f"{order.players}p", *changes, order.mode.name.replace(" ", "-"), str(order.seed)])


def _show(playtest: Playtest, readings: Readings, page: Path) -> None:
    from ludus.measure.readings import COLOURS

    rows = [(f"{COLOURS[one.colour][0]} {one.topic}", one.sentence.replace("*", "")) for one in readings.verdict()]
    played = sum(len(lineup.records) for lineup in playtest.lineups)
    title = f"{playtest.title}, {playtest.players} players: {played:,} matches in {playtest.seconds:,.0f} seconds"
    options.print_table(title, ("", "verdict"), rows, "\n".join([*playtest.faults, *playtest.notes]))
    shut = [gate for gate in playtest.gates if not gate.is_open]
    if shut:
        print(f"stopped after {shut[0].name} play: {shut[0].sentence}")
    print(f"the report: {page}")
