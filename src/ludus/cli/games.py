"""`ludus games`: what there is to play, and what its rules allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import Json, print_json, print_table

if TYPE_CHECKING:
    from ludus.game import Game

EXAMPLE = "Example: ludus games connect_four"


def command(
    name: Annotated[str, typer.Argument(help="A game's name or file; without it, all games are listed.")] = "",
    rules: Annotated[bool, typer.Option("--rules", help="Print the rule book too.")] = False,
    json: Json = False,
) -> None:
    """List the games, or show one: its facts, the rules that may be changed, and the presets."""
    from ludus.catalogue import game_names, load

    if name:
        game = load(name)
        print_json(describe(game)) if json else _show(game, rules)
        return
    found = [load(one) for one in game_names()]
    if json:
        print_json([describe(game) for game in found])
        return
    rows = [
        (game.name, game.facts.title, _players(game), ", ".join(kinds(game)) or "open", _presets(game))
        for game in found
    ]
    print_table("Games", ("name", "title", "players", "kind", "presets"), rows, "ludus games NAME shows one of them")


def kinds(game: Game) -> list[str]:
    """What sets the game apart, in words."""
    facts = game.facts
    words = {"hidden": facts.hidden, "chance": facts.chance, "simultaneous": facts.simultaneous}
    return [word for word, is_so in words.items() if is_so]


def _players(game: Game) -> str:
    low, high = game.facts.players
    return str(low) if low == high else f"{low}-{high}"


def _presets(game: Game) -> str:
    return ", ".join(name for name in game.presets if name != "default")


def describe(game: Game) -> dict[str, object]:
    from dataclasses import asdict

    params = {name: asdict(param) for name, param in game.params.declared.items()}
    presets = {name: _in_words(game, changes) for name, changes in game.presets.items()}
    return {"name": game.name, "facts": asdict(game.facts), "params": params, "presets": presets}


def _in_words(game: Game, changes: Mapping[str, object]) -> dict[str, object]:
    """What a preset changes, as `--rule` takes it: on and off, not True and False."""
    values = game.params.values(changes)
    return {name: values[name] for name in changes}


def _summary(game: Game) -> str:
    """The first two paragraphs of the rule book."""
    paragraphs = (game.module.__doc__ or "").strip().split("\n\n")
    more = [f"… `ludus games {game.source} --rules` has all of it"] if len(paragraphs) > 2 else []
    return "\n\n".join([*paragraphs[:2], *more])


def _show(game: Game, with_rules: bool) -> None:
    facts = game.facts
    print(f"{facts.title} ({game.name}), version {facts.version}")
    print(f"players {_players(game)}; {', '.join(kinds(game)) or 'open information, turns'}; "
          f"at most {facts.max_actions} actions to choose from and {facts.max_plies} plies")  # fmt: skip
    if with_rules:
        print(f"\n{game.module.__doc__ or 'no rule book'}")
    else:
        print(f"\n{_summary(game)}")
    if game.params.declared:
        rows = [(name, param.default, param.span, param.help) for name, param in game.params.declared.items()]
        print_table("\nRules that may be changed (--rule NAME=VALUE)", ("rule", "default", "range", "meaning"), rows)
    if len(game.presets) > 1:
        rows = [
            (name, ", ".join(f"{k}={v}" for k, v in _in_words(game, changes).items()) or "-")
            for name, changes in game.presets.items()
        ]
        print_table("Presets (--preset NAME)", ("preset", "changes"), rows)
