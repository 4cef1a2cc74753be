"""`ludus export`: matches, tournaments, playtests and trainings as tables; a match as text or as a playback string."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli import options
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.records import MatchRecord

EXAMPLE = "Example: ludus export ludus.sqlite --to csv --out matches.csv"

TO = "A table: csv, parquet or jsonl. One match: text, or playback for the viewers of Planet Wars."
SQLITE = b"SQLite format 3\0"
WHAT = "Records (.jsonl), a store (.sqlite), the folder of a playtest, or a run folder."


def command(
    file: Annotated[Path, typer.Argument(help=WHAT, metavar="WHAT")],
    to: Annotated[str, typer.Option(help=TO)] = "playback",
    match: Annotated[int, typer.Option(help="Which match of the file, counted from 1.", min=1)] = 1,
    out: Annotated[Path | None, options.target("Write to this file instead of the terminal.")] = None,
    json: options.Json = False,
) -> None:
    """Write what was played, measured or learnt in a form that other tools read."""
    from ludus.frames import KINDS, packed

    if not file.exists():
        raise BadInput(f"there is no file {file}")
    if to in KINDS:
        _put(packed(_rows(file), to), out)
    elif to == "text":
        _put(_text(_one(file, match)), out)
    elif to == "playback":
        _playback(_one(file, match), match, out, json)
    else:
        raise BadInput(f"--to is one of {', '.join([*KINDS, 'text', 'playback'])}, not {to!r}")


def _rows(path: Path) -> Iterable[dict[str, Any]]:
    """The rows of whatever lies there."""
    from ludus.arena.sheets import match_rows, store_rows
    from ludus.disk import read_json
    from ludus.frames import read_value
    from ludus.records import Store
    from ludus.runs import RunFolder

    if (path / "report.json").is_file():
        return read_json(path / "report.json")["readings"]
    if (path / "log.csv").is_file():
        return [{name: read_value(cell) for name, cell in row.items()} for row in RunFolder(path).rows()]
    if path.is_dir():
        raise BadInput(f"{path} is the folder of neither a playtest (report.json) nor a training (log.csv)")
    if not _is_store(path):
        return match_rows(_records(path))
    with Store(path) as store:
        return list(store_rows(store))


def _is_store(path: Path) -> bool:
    """By its first bytes: both kinds of files may have any name."""
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def _records(path: Path) -> list[MatchRecord]:
    """All matches of a file: of records, or of a store, one tournament after the other."""
    from ludus.records import Store, read_records

    if not path.is_file():
        raise BadInput(f"{path} holds no matches: give records (.jsonl) or a store (.sqlite)")
    if _is_store(path):
        with Store(path) as store:
            return [record for name in store.tournaments() for _, record in store.matches(name)]
    records, problems = read_records(path)
    if problems:
        raise BadInput(problems[0])
    return records


def _one(path: Path, match: int) -> MatchRecord:
    records = _records(path)
    if match > len(records):
        raise BadInput(f"{path} holds {len(records)} matches, so there is no match {match}")
    return records[match - 1]


def _text(record: MatchRecord) -> str:
    from ludus.arena.sheets import match_text
    from ludus.catalogue import load

    return match_text(record, load(record.game))


def _playback(record: MatchRecord, match: int, out: Path | None, json: bool) -> None:
    from ludus.arena.playbacks import playback_of
    from ludus.catalogue import load

    text = playback_of(record, load(record.game))
    if out is not None or not json:
        _put(text + "\n", out)
    if json:
        options.print_json({"match": match, "turns": text.partition("|")[2].count(":") + 1, "playback": text})


def _put(content: str | bytes, out: Path | None) -> None:
    """To a file, or to the terminal where it is text."""
    from ludus.disk import write_whole

    if out is not None:
        write_whole(out, content)
    elif isinstance(content, bytes):
        raise BadInput("parquet is no text: say where with --out FILE")
    else:
        print(content, end="")
