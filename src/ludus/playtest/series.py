"""One folder holds the results of one content: rules, numbers, agents, and what was asked for.

Whoever edits a rule and runs again gets a fresh series beside the old one, and is told what changed. Undoing the edit
finds the old results again. Nothing is ever mixed, refused or thrown away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from ludus.disk import read_json, write_json
from ludus.errors import BadInput, DiskTrouble
from ludus.identity import changes

NAME = "content.json"


def series(folder: Path, content: Mapping[str, str]) -> tuple[Path, str]:
    """The folder of this content: the one asked for, or the first of NAME-2, NAME-3, … that has it or is free; and a
    sentence on what changed since the latest series, "" where the folder is the one asked for."""
    told = ""
    for place in _places(folder):
        if not place.exists() or not any(place.iterdir()):
            break
        changed = _changed(place, content)
        if not changed:
            return place, told and f"{place} holds this one"
        told = f"{place} holds another {', '.join(changed)}"
    else:
        raise AssertionError  # `_places` has no end
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DiskTrouble(f"cannot make the folder {place}: {error.strerror}") from None
    write_json(place / NAME, dict(content))
    return place, told and f"{told}: a new series begins in {place}"


def _places(folder: Path) -> Iterator[Path]:
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; give a folder as --out")
    yield folder
    yield from (folder.with_name(f"{folder.name}-{number}") for number in count(2))


def _changed(place: Path, content: Mapping[str, str]) -> list[str]:
    """What differs from the content of a folder; a folder that does not say what it holds is another's."""
    if not (place / NAME).exists():
        return ["content, and does not say which"]
    kept = read_json(place / NAME)
    if not isinstance(kept, dict):
        raise DiskTrouble(f"{place / NAME} is damaged; move {place} away to begin anew")
    return changes(kept, content)
