"""`ludus replay`: plays recorded matches again and says whether the rules bear them out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import options
from ludus.errors import BadInput, BadRecord

if TYPE_CHECKING:
    from ludus.records import MatchRecord

EXAMPLE = "Example: ludus replay playback.txt --orders --store ludus.sqlite"
PAGE = "page"
"""Under this name matches of the page are kept."""


def command(
    file: Annotated[Path, typer.Argument(help="Records as JSON lines; with --orders a contest's playback string.")],
    orders: Annotated[
        bool, typer.Option("--orders", help="FILE is a playback: play the orders behind it, compare every turn.")
    ] = False,
    game: Annotated[str, typer.Option(help="With --orders: the game of the playback.")] = "planet_wars",
    rule: options.Rules = [],  # noqa: B006 (typer reads it, nobody changes it)
    records: Annotated[Path | None, typer.Option(help="With --orders: keep the match as a record.")] = None,
    store: Annotated[
        Path | None, typer.Option(help="With --orders: keep the match where `ludus serve --store` shows it.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Play matches again through the rules, step by step."""
    if not file.is_file():
        raise BadInput(f"there is no file {file}")
    if not orders and (records or store):
        raise BadInput("--records and --store keep what --orders reads; records are kept already")
    notes = _replay_playback(file, game, rule, records, store) if orders else _replay_records(file)
    if json:
        options.print_json(notes)
        return
    for name, value in notes.items():
        print(f"{name}: {value}")


def _replay_playback(
    file: Path, game: str, rule: list[str], records: Path | None, store: Path | None
) -> dict[str, object]:
    from ludus.arena.playbacks import play_playback, read_playback
    from ludus.catalogue import load
    from ludus.records import write_records

    rulebook = load(game)
    values = rulebook.rule_values("default", options.read_rules(rule))
    text = file.read_text(encoding="utf-8", errors="replace")
    match = play_playback(rulebook, text, values)
    notes: dict[str, object] = {"turns": int(match.states[0].turn), "equal": "every turn"}
    notes["outcome"] = match.outcome_text() if match.over else "goes on"
    if records is not None:
        write_records(records, [read_playback(rulebook, text, values)])
    if store is not None:
        notes["page"] = f"/replay/{_show_on_page(store, read_playback(rulebook, text, values))}"
    return notes


def _show_on_page(store: Path, record: MatchRecord) -> str:
    """Keep a match among those of the page, once; the name that its replay has there."""
    import hashlib

    from ludus.records import Store

    name = hashlib.sha256(record.to_json().encode()).hexdigest()[:12]
    with Store(store) as kept:
        if (int(name, 16), 0, 0) not in {key for key, _ in kept.matches(PAGE)}:
            kept.add(PAGE, [((int(name, 16), 0, 0), record)])
    return name


def _replay_records(file: Path) -> dict[str, object]:
    from ludus.arena.match import replay
    from ludus.records import read_records

    found, problems = read_records(file)
    if not found:
        raise BadInput(f"{problems[0] if problems else f'{file} holds no record'}; a playback string needs --orders")
    if problems:
        raise BadInput(problems[0])
    for number, record in enumerate(found, 1):
        try:
            replay(record)
        except BadRecord as error:
            raise BadRecord(f"{file}, match {number}: {error}") from None
    return {"matches": len(found), "equal": "all"}
