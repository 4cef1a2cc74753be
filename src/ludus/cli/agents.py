"""`ludus agents`: who can play, and how they are set."""

from __future__ import annotations

from typing import Annotated

import typer

from ludus.cli.options import Json, print_json, print_table

EXAMPLE = "Example: ludus agents mcts"


def command(
    name: Annotated[str, typer.Argument(help="An agent's name or file; without it, all agents are listed.")] = "",
    json: Json = False,
) -> None:
    """List the agents with their settings and what they accept."""
    from ludus.arena.hosts import description
    from ludus.catalogue import agent_kinds, describe, offered_agents

    described = [description(name)] if name else [describe(name, kind) for name, kind in agent_kinds().items()]
    if json:
        print_json(described)
        return
    for one in described:
        rows = [(key, str(setting["default"]), setting["help"]) for key, setting in one["settings"].items()]
        title = f"{one['name']}: {one['about']} Plays {one['accepts']}."
        if rows:
            print_table(title, ("setting", "default", "meaning"), rows)
        else:
            print(f"{title}\n")
    if not name and offered_agents():
        print(f"Installed packages offer {', '.join(offered_agents())}; `ludus agents NAME` asks one for its settings")
    print("A spec is NAME or NAME:setting=value,… like mcts:sims=1000,c=1.0; for a file of yours my_bot.py:depth=3")
