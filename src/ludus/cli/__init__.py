"""The command line, one file a command. `main` turns what cannot be into one sentence and exit code 2."""

from __future__ import annotations

import gc
import sys

import typer

from ludus.cli import (
    agents,
    bench,
    bot,
    cache,
    check,
    compare,
    export,
    games,
    match,
    perft,
    play,
    playtest,
    replay,
    reproduce,
    serve,
    tournament,
    train,
)
from ludus.errors import LudusError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A laboratory for board games and for the agents that play them.",
)
COMMANDS = (
    games, agents, check, perft, play, match, tournament, playtest, compare, serve, train, reproduce, bench, cache,
    bot, export, replay,
)  # fmt: skip
for module in COMMANDS:
    name = module.__name__.rpartition(".")[2]
    app.command(name, epilog=module.EXAMPLE)(module.command)


def main() -> None:
    # A short command makes many objects and hardly any garbage: looking for it would be a tenth of its time.
    gc.set_threshold(200_000, 20, 20)
    try:
        app()
    except LudusError as error:
        print(f"ludus: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("ludus: stopped", file=sys.stderr)
        sys.exit(130)
