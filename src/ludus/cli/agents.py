"""`ludus agents`: who can play, and how they are set."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from ludus.cli.options import Json, print_json, print_table

EXAMPLE = "Example: ludus agents mcts"


def command(
    name: Annotated[str, typer.Argument(help="An agent's name or file; without it, all agents are listed.")] = "",
    json: Json = False,
) -> None:
    """List the agents with their settings and what they accept."""
    from ludus.catalogue import agent_kind, agent_kinds

    found = {name: agent_kind(name)} if name else agent_kinds()
    described = [_describe(name, kind) for name, kind in found.items()]
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
    print("A spec is NAME or NAME:setting=value,… like mcts:sims=1000,c=1.0; for a file of yours my_bot.py:depth=3")


def _describe(name: str, kind) -> dict:
    settings = {
        field.name: {"default": field.default, "help": field.metadata.get("help", "")}
        for field in dataclasses.fields(kind)
    }
    about = (kind.__doc__ or "").strip().splitlines()[0] if kind.__doc__ else ""
    accepts = f"{kind.only_for} alone" if kind.only_for else kind.accepts
    return {"name": name, "about": about, "accepts": accepts, "settings": settings}
