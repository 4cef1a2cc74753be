"""`ludus tune`: which rules give the game that you want? Killed at any moment, it goes on where it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options

if TYPE_CHECKING:
    from ludus.tuning.confirm import Confirmed
    from ludus.tuning.tune import Order, Tuned, Tuning

EXAMPLE = 'Example: ludus tune connect_four --rule rows=4..6 --target "seat_advantage in -8..8" --minutes 5'


def command(
    game: options.GameName,
    rule: Annotated[
        list[str],
        typer.Option("--rule", help="A rule to tune: NAME=LOW..HIGH, NAME=ONE|OTHER, NAME=*; or NAME=VALUE for all."),
    ] = [],  # noqa: B006 (typer reads it, nobody changes it)
    target: Annotated[
        list[str],
        typer.Option(help='What is wanted: "draws < 5 %", "duration in 40..80", "maximise:skill_ladder". Repeatable.'),
    ] = [],  # noqa: B006
    preset: options.Preset = "default",
    agents: Annotated[
        list[str], typer.Option("--agent", help="A level of play, from weak to strong. May be repeated.")
    ] = [],  # noqa: B006
    players: Annotated[int, typer.Option(help="Number of players; 0 takes the fewest.")] = 0,
    minutes: Annotated[float, options.number("How long it may take; 10 if no --candidates are given.")] = 0.0,
    candidates: Annotated[int, options.games("Rule sets to try, instead of minutes.", low=0)] = 0,
    matches: Annotated[int, options.games("Matches of a rule set at each gate.")] = 200,
    fresh: Annotated[int, options.games("Matches to confirm each of the best; 0: enough.", low=0)] = 0,
    best: Annotated[int, typer.Option(help="How many rule sets are confirmed on fresh seeds.", min=1, max=50)] = 5,
    playtests: Annotated[float, options.number("Seconds for a full playtest of each of the best; 0: none.")] = 20.0,
    out: Annotated[Path | None, options.folder("Folder of the tuning; the same folder resumes.")] = None,
    jobs: options.Jobs = 0,
    on: Annotated[str, typer.Option(help="Where the work runs.")] = "threads",
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Tune the rules of a game: search for those that meet targets, confirm the best on fresh seeds, write a page."""
    from ludus.report.tuning import write
    from ludus.tuning.tune import order

    made = order(
        game, options.read_rules(rule), target, preset=preset, agents=agents, players=players, seed=seed,
        matches=matches, fresh=fresh, best=best, candidates=candidates, minutes=minutes,
    )  # fmt: skip
    page = write(tuned := _run(made, out, jobs, on, playtests))
    if json:
        options.print_json({"page": str(page), **tuned.to_dict()})
    else:
        _show(tuned, page)


def _run(made: Order, out: Path | None, jobs: int, on: str, playtests: float) -> Tuned:
    from ludus.tuning.tune import Tuning
    from ludus.workers import workers

    with options.progress_bar() as bar:
        task = bar.add_task(made.game.name, total=None)

        def watch(doing: str, done: int, total: int) -> None:
            bar.update(task, description=doing, completed=done, total=total or None)

        tuning = Tuning(made, out, workers(on, jobs), watch)
        tuned = tuning.run()
        return replace(tuned, playtests=_playtests(tuned, tuning, playtests)) if playtests else tuned


def _playtests(tuned: Tuned, tuning: Tuning, seconds: float) -> dict[str, Path]:
    """A page for today's rules and for each of the best, by the key of the rule set."""
    from ludus.playtest.plan import Mode, Order
    from ludus.playtest.run import Runner
    from ludus.playtest.verdict import read
    from ludus.report.playtest import write

    found, made = {}, tuned.order
    for number, one in enumerate([tuned.today, *tuned.best[:5]]):
        rules, mode = {**made.fixed, **one.values}, Mode("tuning", seconds, 0.05, 512)
        asked = Order(made.game.source, made.preset, rules, made.players, mode, made.seed)
        runner = Runner(asked, tuned.folder / f"playtest-{number}", tuning.workers, tuning.watch)
        playtest = runner.run()
        found[one.key] = write(playtest, read(playtest), runner.folder)
    return found


def _show(tuned: Tuned, page: Path) -> None:
    for sentence in [*tuned.sentences, *filter(None, [tuned.note])]:
        print(sentence)
    rows = [_row(tuned, "today", tuned.today), *(_row(tuned, one.key, one) for one in tuned.best)]
    heads = ("rules", *(target.text for target in tuned.order.targets))
    options.print_table("\nOn fresh seeds, with the strongest agent", heads, rows)
    if tuned.winner:
        changes = " ".join(f"--rule {name}={value}" for name, value in tuned.rules(tuned.winner).items())
        print(f"play it: ludus play {tuned.order.game.source} {changes} --against {tuned.order.agents[-1]}")
    print(f"the page: {page}")


def _row(tuned: Tuned, name: str, one: Confirmed) -> tuple[str, ...]:
    signs = {"met": "✓", "missed": "✕", "open": "?"}
    cells = []
    for target in tuned.order.targets:
        found = one.top.get(target.text)
        worst = max(one.verdicts(target), key=["met", "open", "missed"].index, default="open")
        cells.append(f"{'' if target.aim else signs[worst] + ' '}{target.show(found)}" if found else "not measured")
    return (name, *cells)
