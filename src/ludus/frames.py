"""Tables out: rows of plain values as a data frame, or as a file that other tools read.

A frame is an Arrow table: ``frame.to_pandas()``, ``polars.from_arrow(frame)``, and every tool that knows Arrow.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
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


def read_value(text: str) -> Any:
    """A cell of a CSV file: a number where it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or None
