"""`ludus serve`: play, watch and look things up in a browser."""

from __future__ import annotations

import gc
import socket
import threading
from pathlib import Path
from typing import Annotated

import typer

from ludus.errors import BadInput

EXAMPLE = "Example: ludus serve --port 8000"


def command(
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 lets others in your network in.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="The port to listen at; 0 takes a free one.", min=0, max=65535)] = 8000,
    store: Annotated[Path, typer.Option(help="Where finished matches are kept.")] = Path("ludus.sqlite"),
    reports: Annotated[Path, typer.Option(help="The folder of playtest reports.")] = Path("playtests"),
    game: Annotated[list[Path], typer.Option(help="Offer the game in this file, too. May be repeated.")] = [],  # noqa: B006 (typer reads it, nobody changes it)
    agent: Annotated[list[Path], typer.Option(help="Offer the agent in this file, too. May be repeated.")] = [],  # noqa: B006 (likewise)
    allow_host: Annotated[
        list[str], typer.Option(help="Answer to this name, too, such as ludus.example.org. May be repeated.")
    ] = [],  # noqa: B006 (likewise)
    open: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Serve the page: a lobby, matches against agents or friends, replays, tournaments and reports."""
    import webbrowser

    try:
        import uvicorn

        from ludus.web.app import SERVER, create_app
        from ludus.web.connections import allow_many_files, spare_the_log
        from ludus.web.guard import LOOPBACK
    except ModuleNotFoundError as error:
        raise BadInput(f"the page needs {error.name}; install it with: pip install 'ludus[web]'") from None
    is_local = host in LOOPBACK
    app = create_app(store, reports, game, agent, LOOPBACK | {host.lower(), *map(str.lower, allow_host)})
    allow_many_files()
    spare_the_log()
    with listen(host, port) as door:
        address = f"http://{f'[{host}]' if ':' in host else host}:{door.getsockname()[1]}/"
        print(f"Ludus is at {address} until you press Ctrl-C.", flush=True)
        if not is_local:
            print("Everybody who can reach this machine can open matches here and watch them.", flush=True)
        gc.freeze()  # what is loaded now stays: looking through it for garbage would halt every match for a moment
        if open:
            threading.Timer(1.0, webbrowser.open, [address]).start()
        uvicorn.Server(uvicorn.Config(app, **SERVER)).run(sockets=[door])


def listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise BadInput(f"nothing can listen at {host}, port {port}: {error.strerror or error}") from None
