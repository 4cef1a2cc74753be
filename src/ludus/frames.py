"""Tables out: rows of plain values as a data frame, or as a file that other tools read.

A frame is an Arrow table: ``frame.to_pandas()``, ``polars.from_arrow(frame)``, and every tool that knows Arrow.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ludus.disk import finite, write_whole
from ludus.errors import BadInput, MissingPackage

KINDS = ("csv", "parquet", "jsonl")
Row = Mapping[str, Any]


def frame(rows: Iterable[Row]) -> Any:
    """An Arrow table, one line a row; what a row does not have is null."""
    try:
        import pyarrow
    except ImportError:
        raise MissingPackage("a data frame", "pyarrow", "frames") from None
    whole = [dict(row) for row in rows]
    columns = _columns(whole)
    return pyarrow.table({name: pyarrow.array([row.get(name) for row in whole]) for name in columns})


def write_rows(path: Path, rows: Iterable[Row], kind: str) -> None:
    """A file of one of the `KINDS`, written whole."""
    write_whole(path, packed(rows, kind))


def packed(rows: Iterable[Row], kind: str) -> str | bytes:
    """The content of such a file."""
    if kind not in KINDS:
        raise BadInput(f"a table is written as {', '.join(KINDS)}, not {kind!r}")
    whole = [dict(row) for row in rows]
    if kind == "jsonl":
        return "".join(json.dumps(finite(row)) + "\n" for row in whole)
    if kind == "csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, _columns(whole), lineterminator="\n")
        writer.writeheader()
        writer.writerows(whole)
        return out.getvalue()
    table = frame(whole)  # says which package is missing
    import pyarrow
    from pyarrow import parquet

    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def html(rows: Iterable[Row], title: str, note: str = "") -> str:
    """A small table for notebooks: words to the left, numbers to the right."""
    whole = [dict(row) for row in rows]
    columns = _columns(whole)
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = ("".join(_cell(row.get(name)) for name in columns) for row in whole)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    below = f"<p style='color:gray'>{escape(note)}</p>" if note else ""
    return f"<b>{escape(title)}</b><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def _cell(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"<td style='text-align:right'>{value:,.4g}</td>" if isinstance(value, float) else f"<td>{value:,}</td>"
    return f"<td style='text-align:left'>{escape('' if value is None else str(value))}</td>"


def read_value(text: str) -> Any:
    """A cell of a CSV file: a number where it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or None
