"""`ludus cache`: the compiled code that later runs start from."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from ludus.cli.options import Json, print_json, progress_bar
from ludus.errors import BadInput

EXAMPLE = "Example: ludus cache warm connect_four"


def command(
    job: Annotated[str, typer.Argument(help="show, warm (compile before it is needed) or clean.")] = "show",
    games: Annotated[list[str] | None, typer.Argument(help="For warm: these games; without any, all.")] = None,
    json: Json = False,
) -> None:
    """Show, warm or clean the cache of compiled code."""
    from ludus.compile import cache_dir, cache_size, clean_cache

    if job == "warm":
        _warm(games or [])
    elif job == "clean":
        clean_cache()
    elif job != "show":
        raise BadInput(f"the cache can be shown, warmed or cleaned: show, warm or clean, not {job!r}")
    files, size = cache_size()
    if json:
        print_json({"folder": str(cache_dir()), "files": files, "bytes": size})
    else:
        print(f"{files} files, {size / 1e6:.1f} MB in {cache_dir()}")


def _warm(names: list[str]) -> None:
    """All templates of a game in one process: the rules themselves are compiled once and shared."""
    from ludus.catalogue import game_names

    names = names or game_names()
    with progress_bar() as bar:
        task = bar.add_task("compiling", total=len(names))
        for name in names:
            bar.update(task, description=f"compiling {name}")
            started = time.process_time()
            warm(name)
            print(f"{name}: {time.process_time() - started:.1f} CPU-seconds")
            bar.advance(task)


def warm(name: str) -> None:
    """Make every agent that can play the game play a little of it."""
    from ludus.arena.contest import contest
    from ludus.catalogue import load
    from ludus.errors import Mismatch

    game = load(name)
    players = game.facts.players[0]
    for spec in ("random", "greedy:samples=1", "mcts:sims=2", "alphabeta:depth=1"):
        try:
            contest(name, [spec, *["random"] * (players - 1)], games=1)
        except Mismatch:
            continue
