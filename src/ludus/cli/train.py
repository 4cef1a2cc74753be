"""`ludus train`: make a run folder that an agent can load; killed at any moment, it goes on where it was."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli import options
from ludus.errors import LudusError

EXAMPLE = "Example: ludus train qlearning gravwell --preset paper --set games=2000 --out runs/q"


def command(
    method: Annotated[str, typer.Argument(help="How to train: a file of ludus.learn.", metavar="METHOD")],
    game: options.GameName,
    out: Annotated[Path | None, typer.Option(help="The run folder; an unfinished one is resumed.")] = None,
    set: Annotated[
        list[str], typer.Option("--set", help="Change one setting: --set NAME=VALUE. May be repeated.")
    ] = [],  # noqa: B006
    preset: options.Preset = "default",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Train an agent. The folder holds settings, a log and checkpoints."""
    from ludus.catalogue import load, trainer
    from ludus.runs import RunFolder
    from ludus.settings import read_settings

    learner = trainer(method)
    rulebook = load(game)
    values = rulebook.rule_values(preset, options.read_rules(rule))
    settings = learner.Settings(**read_settings(learner.Settings, ",".join(set), f"method {method}"))
    folder = out or Path("runs") / f"{method}-{rulebook.name}-{preset}-{seed}"
    run = RunFolder.begin(folder, {
        "method": method, "game": rulebook.name, "version": rulebook.facts.version,
        "fingerprint": rulebook.fingerprint, "rules": values, "settings": asdict(settings), "seed": seed,
    })  # fmt: skip
    done = len(run.rows())
    if done and not json:
        print(f"resuming {folder} after {done} iterations")
    row: dict = {}
    with options.progress_bar() as bar:
        task = bar.add_task(f"{method} on {rulebook.name}", total=learner.TOTAL(settings), completed=done)
        try:
            for row in learner.train(rulebook, values, settings, run, seed):
                bar.advance(task)
                bar.update(task, description=f"{method} on {rulebook.name}: {_short(row)}")
        except LudusError:
            run.forget_if_empty()
            raise
    if json:
        options.print_json({"run": str(folder), "iterations": len(run.rows()), "last": row or (run.rows() or [{}])[-1]})
    else:
        print(f"{folder}: {len(run.rows())} iterations; play it with the spec {method}:{folder}")


def _short(row: dict) -> str:
    shown = [f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in row.items()]
    return ", ".join(shown[:4])
