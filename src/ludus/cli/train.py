"""`ludus train`: make a run folder that an agent can load; killed at any moment, it goes on where it was."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli import options
from ludus.errors import BadInput, LudusError

if TYPE_CHECKING:
    from types import ModuleType

    from ludus.arena.contest import Contest
    from ludus.game import Game
    from ludus.runs import RunFolder
    from ludus.workers import Workers

EXAMPLE = "Example: ludus train qlearning gravwell --preset paper --set players=4 --set games=2000 --out runs/q"
CURVE = "curve.html"
NEXT = "try more games, another method (neat is a good first one), or a smaller preset; see docs/bots.md"
GAMES = 400
"""Matches against random players by which the result is measured."""

Changes = Annotated[list[str], typer.Option("--set", help="Change one setting: --set NAME=VALUE. May be repeated.")]
Also = Annotated[
    list[str], typer.Option(help="Other rules to learn as well: PRESET, NAME=VALUE or several. May be repeated.")
]


def command(
    context: typer.Context,
    method: Annotated[str, typer.Argument(help="How to train; `--methods` lists them.", metavar="METHOD")] = "",
    game: Annotated[str, typer.Argument(help="A game's name, or the path of its file.", metavar="GAME")] = "",
    out: Annotated[Path | None, options.folder("The run folder; an unfinished one is resumed.")] = None,
    set: Changes = [],  # noqa: B006
    minutes: Annotated[float | None, typer.Option(help="How long to train, for methods that ask.", min=0.01)] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda, for methods that train networks.")] = "",
    against: Annotated[str, typer.Option(help="Whom to play while learning, for methods that ask.")] = "",
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    also: Also = [],  # noqa: B006
    seed: options.Seed = 0,
    jobs: options.Jobs = 0,
    on: options.On = "threads",
    json: options.Json = False,
    methods: Annotated[bool, typer.Option("--methods", help="List the methods and exit.")] = False,
    help: Annotated[bool, typer.Option("--help", "-h", help="This page; after METHOD also its settings.")] = False,
) -> None:
    """Train an agent. The folder holds settings, log, curve and checkpoints; killed or stopped, it is gone on with."""
    from ludus.catalogue import load

    if help or methods or not (method and game):
        _explain(context, method, help, methods)
        return
    rulebook = load(game)
    values = rulebook.rule_values(preset, options.read_rules(rule))
    given = {"minutes": minutes, "device": device, "against": against, "also": "|".join(also)}
    changes = [f"{key}={value}".replace(",", ";") for key, value in given.items() if value]  # a comma ends a setting
    name, learner, settings = _method(method, rulebook, [*set, *changes])
    if hasattr(learner, "ADVICE") and not json and (sentence := learner.ADVICE(rulebook)):
        options.say(sentence)
    folder = out or Path("runs") / f"{name.replace('/', '-')}-{rulebook.name}-{preset}-{seed}"
    run = _train(name, learner, rulebook, values, settings, folder, seed, _places(name, learner, on, jobs), quiet=json)
    spec = learner.SPEC(settings, folder, rulebook) if hasattr(learner, "SPEC") else f"{name}:{folder}"
    measured = _measure(spec, rulebook, values, _players(settings, rulebook), seed, getattr(learner, "GAMES", GAMES))
    _draw(run, learner, measured)
    _show(run, spec, measured, json)


def _show(run: RunFolder, spec: str, measured: Contest, json: bool) -> None:
    if json:
        options.print_json(_summary(run, measured))
        return
    print(f"{run.path}: {len(run.rows())} iterations; play it with the spec {spec}\n{_strength(measured)}")
    print(f"its curve: {run.path / CURVE}")


def _method(method: str, game: Game, changes: list[str]) -> tuple[str, ModuleType, Any]:
    """The full name of a method, its module and its settings."""
    from ludus.catalogue import trainer, trainer_name
    from ludus.settings import read_settings

    name = trainer_name(method, game.source)
    learner = trainer(name)
    return name, learner, learner.Settings(**read_settings(learner.Settings, ",".join(changes), f"method {name}"))


def _players(settings: Any, game: Game) -> int:
    return getattr(settings, "players", 0) or game.facts.players[0]


def _places(name: str, learner: ModuleType, on: str, jobs: int) -> Workers:
    """Where matches run, if the method can play them there."""
    places = options.places(on, jobs)
    if places.apart and not hasattr(learner, "TRAVELS"):
        raise BadInput(f"{name} learns in the memory that its workers share, so it stays here; use --on threads")
    return places


def _look_first(game: Game, values: Mapping[str, object], players: int) -> None:
    """A game of the user's own may write where it should not, and a training plays it millions of times."""
    from ludus.game import is_path
    from ludus.testing import refuse_unsound

    if is_path(game.source):
        refuse_unsound(game, values, players)


def _train(
    name: str, learner: ModuleType, game: Game, values: Mapping[str, object], settings: Any, folder: Path, seed: int,
    places: Workers, quiet: bool,
) -> RunFolder:  # fmt: skip
    from ludus.runs import begin_run

    _look_first(game, values, _players(settings, game))
    run = begin_run(folder, name, game, values, settings, seed)
    done = len(run.rows())
    if done and not quiet:
        print(f"resuming {folder} after {done} iterations")
    with options.progress_bar() as bar:
        task = bar.add_task(f"{name} on {game.name}", total=learner.TOTAL(settings), completed=done)
        try:
            for row in learner.train(game, values, settings, run, seed, places):
                bar.advance(task)
                told = {column: row[column] for column in getattr(learner, "PROGRESS", list(row)[:4])}
                bar.update(task, description=f"{name} on {game.name}: {_short(told)}")
        except LudusError:
            run.forget_if_empty()
            raise
        except MemoryError:
            raise BadInput(f"{name} needs more memory with these settings than there is; make them smaller") from None
        except KeyboardInterrupt:
            kept = len(run.rows())
            print(f"ludus: {folder} keeps {kept} iterations; the same command goes on from there", file=sys.stderr)
            raise
    return run


def _short(row: dict) -> str:
    shown = [f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in row.items()]
    return ", ".join(shown)


# ------------------------------------------------------------------------------------------------ what came of it


def _measure(spec: str, game: Game, values: Mapping[str, object], players: int, seed: int, games: int) -> Contest:
    """What was made, in one seat, against random players in all others; every seat equally often."""
    from ludus.arena.contest import contest

    lineup = [spec, *["random"] * (players - 1)]
    return contest(game.source, lineup, games=games, seed=seed, rules=values)


def _strength(measured: Contest) -> str:
    own, rivals = measured.agents[0], measured.agents[1:]
    chance = 1 / len(measured.agents)
    others = f"random players {100 * sum(one.score for one in rivals) / max(len(rivals), 1):.1f} %"
    told = (
        f"score {100 * own.score:.1f} % [{100 * own.low:.1f}, {100 * own.high:.1f}], {others}, {measured.games} games"
    )
    if own.high < chance:
        return f"{told}: worse than random play; {NEXT}"
    if own.low <= chance:
        return f"{told}: not above the {100 * chance:.0f} % of random play; it has learnt nothing that shows; {NEXT}"
    return told


def _draw(run: RunFolder, learner: ModuleType, measured: Contest) -> None:
    from ludus.report.training import training_page

    page = training_page(run, getattr(learner, "CURVE", {}), 1 / len(measured.agents), _strength(measured))
    run.write(CURVE, page.encode())


def _summary(run: RunFolder, measured: Contest) -> dict[str, Any]:
    rows, own = run.rows(), measured.agents[0]
    score = {"value": own.score, "low": own.low, "high": own.high, "games": measured.games}
    score["random"] = sum(one.score for one in measured.agents[1:]) / max(len(measured.agents) - 1, 1)
    return {"run": str(run.path), "iterations": len(rows), "last": rows[-1] if rows else {}, "score": score,
            "learnt": own.low > 1 / len(measured.agents)}  # fmt: skip


# ------------------------------------------------------------------------------------------------ help


def _explain(context: typer.Context, method: str, help: bool, methods: bool) -> None:
    """The page of help, a method's settings, or the list of methods."""
    if help:
        print(context.get_help())
    if methods:
        _list_methods()
    elif method:
        _describe(method)
    if not (help or methods):
        raise BadInput("ludus train METHOD GAME: which game?" if method else "ludus train METHOD GAME; see --methods")


def _list_methods() -> None:
    from ludus.catalogue import trainer, trainer_names

    rows = [(name, (trainer(name).__doc__ or "").partition("\n")[0]) for name in trainer_names()]
    options.print_table("Methods", ("method", "what it does"), rows, "ludus train METHOD --help explains its settings")


def _describe(method: str) -> None:
    from ludus.catalogue import trainer

    learner = trainer(method)
    fields = dataclasses.fields(learner.Settings)
    rows = [(field.name, str(field.default), field.metadata.get("help", "")) for field in fields]
    title = f"{method}: {(learner.__doc__ or '').partition(chr(10))[0]}"
    options.print_table(title, ("setting", "default", "meaning"), rows, "--set NAME=VALUE changes one")
