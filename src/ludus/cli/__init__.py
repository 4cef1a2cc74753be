"""The command line, one file a command. `main` turns what cannot be into one sentence and exit code 2."""

from __future__ import annotations

import gc
import logging
import sys
from typing import Annotated

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
    options,
    perft,
    play,
    playtest,
    replay,
    reproduce,
    serve,
    tournament,
    train,
    tune,
)
from ludus.cli.interrupt import STOPPED, listen, stop
from ludus.errors import LudusError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A laboratory for board games and for the agents that play them.",
)
COMMANDS = (
    games, agents, check, perft, play, match, tournament, playtest, compare, tune, serve, train, reproduce, bench,
    cache, bot, export, replay,
)  # fmt: skip
for module in COMMANDS:
    name = module.__name__.rpartition(".")[2]
    app.command(name, epilog=module.EXAMPLE)(module.command)


@app.callback(invoke_without_command=True)
def _top(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        from ludus import __version__

        print(f"ludus {__version__}")
        raise typer.Exit


def main() -> None:
    # A short command makes many objects and hardly any garbage: looking for it would be a tenth of its time.
    gc.set_threshold(200_000, 20, 20)
    listen()
    _speak(is_quiet="--json" in sys.argv)
    try:
        app()
    except LudusError as error:
        _end(str(error), 2)
    except MemoryError as error:
        _end(f"there is not enough memory for that ({error})", 2)
    except KeyboardInterrupt:
        stop()
    except SystemExit as end:
        if end.code == STOPPED:
            stop()
        raise
    except Exception as error:
        if not type(error).__module__.startswith("numba") and not isinstance(error, ZeroDivisionError):
            raise
        from ludus.compile import explained

        _end(f"the rules do not compile or run: {explained(error)}", 2)


class _Aloud(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        options.say(record.getMessage())


def _speak(is_quiet: bool) -> None:
    """Tell people, and no programs, what takes long."""
    for name in ("ludus.compile", "ludus.openspiel"):
        log = logging.getLogger(name)
        log.handlers = [_Aloud()]
        log.propagate = False
        log.setLevel(logging.WARNING if is_quiet else logging.INFO)


def _end(sentence: str, code: int) -> None:
    print(f"ludus: {sentence}", file=sys.stderr)
    sys.exit(code)
