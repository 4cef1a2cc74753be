"""`ludus agents`: who can play, and how they are set."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import Json, print_json, print_table
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.game import Game

EXAMPLE = "Example: ludus agents mcts, or ludus agents kuhn_poker"


def command(
    name: Annotated[
        str, typer.Argument(help="An agent or a game, by name or file; without it, all agents are listed.")
    ] = "",
    json: Json = False,
) -> None:
    """List the agents with their settings and what they accept; of a game, those that can play it."""
    from ludus.arena.hosts import description
    from ludus.catalogue import agent_kinds, agents_for, describe, offered_agents

    game = _game(name)
    if game or not name:
        kinds = agents_for(game) if game else agent_kinds()
        described = [describe(one, kind) for one, kind in kinds.items()]
    else:
        described = [description(name)]
    if json:
        print_json(described)
        return
    if game:
        print(f"{len(described)} agents can play {game.facts.title}:\n")
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


def _game(name: str) -> Game | None:
    """The game of that name or in that file; a file is looked at first, because a bot of somebody's is not run here."""
    from ludus.catalogue import game_names, load

    if name in game_names():
        return load(name)
    if name.endswith(".py"):
        try:
            text = Path(name).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise BadInput(f"{name} cannot be read: {error.strerror}") from None
        return load(name) if re.search(r"^FACTS\b", text, re.MULTILINE) else None
    return None
