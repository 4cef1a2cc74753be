"""Options that several commands share, and the ways in which they print."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.disk import finite
from ludus.errors import BadInput, LudusError

if TYPE_CHECKING:
    import numpy as np
    from rich.progress import Progress

    from ludus.arena.hosts import Clock, Safety
    from ludus.game import Game
    from ludus.workers import Workers

MOST_GAMES = 1_000_000_000


def _sensible(param: typer.CallbackParam, value: float) -> float:
    """No option takes a number below zero, nor one that is none."""
    if not math.isfinite(value) or value < 0:
        raise BadInput(f"--{param.name} takes a number from 0 up, not {value:g}")
    return value


def _folder(path: Path | None) -> Path | None:
    """A place for a folder: nothing is there yet, or a folder."""
    if path is not None and path.exists() and not path.is_dir():
        raise BadInput(f"{path} is a file; name a folder")
    return path


def _target(path: Path | None) -> Path | None:
    """A place for a file, in a folder that is there."""
    if path is not None and path.is_dir():
        raise BadInput(f"{path} is a folder; name a file")
    if path is not None and not path.parent.is_dir():
        raise BadInput(f"there is no folder {path.parent}")
    return path


def number(help: str) -> Any:
    """An option that takes a number from 0 up."""
    return typer.Option(help=help, callback=_sensible)


def games(help: str, low: int = 1) -> Any:
    """An option that takes a number of matches."""
    return typer.Option(help=help, min=low, max=MOST_GAMES)


def folder(help: str) -> Any:
    """An option that names a folder to write into."""
    return typer.Option(help=help, callback=_folder)


def target(help: str) -> Any:
    """An option that names a file to write."""
    return typer.Option(help=help, callback=_target)


GameName = Annotated[str, typer.Argument(help="A game's name, or the path of its file.", metavar="GAME")]
Seed = Annotated[int, typer.Option(help="Same seed, same results.", min=0, max=2**63 - 1)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of a table.")]
Preset = Annotated[str, typer.Option(help="A named set of rules; see `ludus games GAME`.")]
Rules = Annotated[list[str], typer.Option("--rule", help="Change one rule: --rule NAME=VALUE. May be repeated.")]
Start = Annotated[Path | None, typer.Option(help="Begin at the position in this file (the game's notation or JSON).")]
Maps = Annotated[
    Path | None, typer.Option(help="Play every position in this file or folder, from every seat, instead of --games.")
]
Jobs = Annotated[int, typer.Option(help="Threads; 0 takes one for each core.", min=0, max=1024)]
On = Annotated[str, typer.Option("--on", help="Where matches run: threads, ray, or ray://HOST:PORT.", metavar="PLACE")]
Seconds = Annotated[
    float, number("Thinking time a move; overrunning it loses. 0: 60 for agents of your own, no limit for ours.")
]
Trust = Annotated[
    list[str], typer.Option("--trust", help="Let this agent run in this process, fast and unguarded.", metavar="FILE")
]
Sandbox = Annotated[bool, typer.Option("--sandbox", help="Hide files, network and processes from your agents.")]
Debug = Annotated[bool, typer.Option("--debug", help="Run your agents in this process: tracebacks, breakpoint().")]


def safety(trust: Sequence[str], sandbox: bool, debug: bool) -> Safety:
    """How far users' agents are believed."""
    from ludus.arena.hosts import Safety
    from ludus.catalogue import check_name

    for name in trust:
        check_name(name)
    if sandbox and debug:
        raise BadInput("--debug runs an agent in this process, so --sandbox cannot keep it")
    return Safety(frozenset(trust), sandbox, debug)


def clock(seconds: float) -> Clock | None:
    """The clock of a move; none was asked for by 0."""
    from ludus.arena.hosts import Clock

    return Clock(seconds) if seconds else None


def trust_note(specs: Sequence[str], safety: Safety) -> str:
    """Which agents played unguarded, for below a table."""
    from ludus.catalogue import is_ours

    trusted = [spec for spec in specs if safety.allows(spec) and not is_ours(spec)]
    return f"in this process, on your word: {', '.join(trusted)}" if trusted else ""


def note_other_rules(specs: Sequence[str], game: Game, values: Mapping[str, object]) -> None:
    """Say of trained agents when they learnt the game under other params."""
    from ludus.catalogue import agent_kind, is_ours
    from ludus.runs import other_values
    from ludus.settings import read_settings

    for spec in dict.fromkeys(specs):
        name, _, text = spec.partition(":")
        if is_ours(spec, game.source):
            run = read_settings(agent_kind(name.strip(), game.source), text).get("run")
            if run and (different := other_values(run, values)):
                say(f"note: {spec}: {different}")


def read_rules(items: Sequence[str]) -> dict[str, object]:
    """The rules in NAME=VALUE items."""
    rules: dict[str, object] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals:
            raise BadInput(f"a rule is written NAME=VALUE, not {item!r}")
        rules[name.strip()] = value.strip()
    return rules


def read_start(game: Game, path: Path | None, players: int, values: dict[str, object]) -> np.ndarray | None:
    """The position in a file."""
    if path is None:
        return None
    from ludus.files import read_text

    return game.parse_state(read_text(path), players, values)


def read_maps(game: Game, path: Path, players: int, values: dict[str, object]) -> np.ndarray:
    """The position in a file, or those in the files of a folder, by their names and numbers."""
    import numpy as np

    if not path.exists():
        raise BadInput(f"there is no file or folder {path}")
    files = sorted(path.iterdir(), key=_by_number) if path.is_dir() else [path]
    found = []
    for file in files:
        if file.is_dir():
            continue
        try:
            found.append(read_start(game, file, players, values))
        except (LudusError, UnicodeDecodeError) as error:
            raise BadInput(f"{file}: {error}") from None
    if not found:
        raise BadInput(f"there is no map in {path}")
    return np.concatenate(found)


def _by_number(path: Path) -> tuple[str, int]:
    """map2 comes before map10."""
    digits = "".join(sign for sign in path.stem if sign.isdecimal())
    return path.stem.rstrip("0123456789"), int(digits or 0)


def places(on: str, jobs: int) -> Workers:
    """Where matches run, as --on and --jobs say."""
    from ludus.workers import workers

    return workers(on, jobs)


def thread_count(jobs: int) -> int:
    return jobs if jobs > 0 else os.cpu_count() or 1


def say(sentence: str) -> None:
    """What a person should hear beside the results."""
    typer.echo(f"ludus: {sentence}", err=True)


def print_json(value: object) -> None:
    print(json.dumps(finite(value)))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> None:
    """A table for people: words to the left, numbers to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    lines = [[_text(cell) for cell in row] for row in rows]
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for k, column in enumerate(columns):
        is_number = all(not line[k].strip("0123456789.,+-%[] kM") for line in lines)
        table.add_column(column, justify="right" if is_number else "left", overflow="fold")
    for line in lines:
        table.add_row(*line)
    console = Console()
    console.print(table)
    if note:
        console.print(note, style="dim", highlight=False)


def _text(cell: Any) -> str:
    from rich.markup import escape

    return escape(f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell))


def progress_bar() -> Progress:
    """A bar on stderr with counts and the time left; nothing is drawn where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
