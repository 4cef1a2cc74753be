"""`ludus export`: a recorded match as a playback string, for the viewers of the Planet Wars contest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ludus.cli import options
from ludus.errors import BadInput

EXAMPLE = "Example: ludus export matches.jsonl --match 3 --out match3.txt"


def command(
    file: Annotated[Path, typer.Argument(help="Records as JSON lines, from `ludus match --records`.")],
    match: Annotated[int, typer.Option(help="Which match of the file, counted from 1.", min=1)] = 1,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of the terminal.")] = None,
    json: options.Json = False,
) -> None:
    """Write a match of Planet Wars as the contest's replay string."""
    from ludus.arena.playbacks import playback_of
    from ludus.catalogue import load
    from ludus.disk import write_whole
    from ludus.records import read_records

    if not file.is_file():
        raise BadInput(f"there is no file {file}")
    records, problems = read_records(file)
    if problems:
        raise BadInput(problems[0])
    if match > len(records):
        raise BadInput(f"{file} holds {len(records)} matches, so there is no match {match}")
    record = records[match - 1]
    text = playback_of(record, load(record.game))
    if out is not None:
        write_whole(out, text + "\n")
    if json:
        options.print_json({"match": match, "turns": text.partition("|")[2].count(":") + 1, "playback": text})
    elif out is None:
        print(text)
