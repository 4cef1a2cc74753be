"""Run folders: what a training leaves behind, and what an agent loads.

    settings.json    all that decides the run: method, game, its rules' version, fingerprint and values, settings, seed
    log.csv          one row an iteration, and curve.html as a chart
    …                the method's own files: checkpoints, tables, weights

Files are written whole or not at all. A killed training resumes from its last checkpoint; a folder that was made with
other settings, for another game or for other rules is refused, and one that somebody damaged is named.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ludus.disk import read_json, write_whole
from ludus.errors import BadInput, DiskTrouble, LudusError, Mismatch, UnknownName
from ludus.frames import frame, read_value
from ludus.game import Game, other_rules

SHIPPED = Path(__file__).parent / "trained"
"""Small trained runs that come with the package, each with the command that made it in its settings."""

Content = TypeVar("Content")


class RunFolder:
    """One training on disk."""

    def __init__(self, path: Path):
        self.path = path

    @property
    def settings(self) -> dict[str, Any]:
        """What the run was begun with; at least its method, its game and that method's settings."""
        found = read_json(self.path / "settings.json")
        is_whole = isinstance(found, dict) and {"method", "game", "version", "settings"} <= found.keys()
        if not is_whole or not isinstance(found["settings"], dict):
            raise DiskTrouble(f"{self.path / 'settings.json'} is not what a training wrote; move it away to begin anew")
        return found

    @classmethod
    def begin(cls, path: Path, settings: Mapping[str, Any]) -> RunFolder:
        """A new folder, or the one that was begun with the same settings."""
        run = cls(path)
        if (path / "settings.json").exists():
            if changed := _changes(run.settings, settings):
                raise BadInput(f"{path} holds a run with other {', '.join(changed)}; use another folder")
            return run
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DiskTrouble(f"cannot make the folder {path}: {error.strerror}") from None
        run.write("settings.json", json.dumps(settings, indent=1).encode())
        return run

    def write(self, name: str, content: bytes) -> None:
        """Write a file; a reader never sees half of it."""
        write_whole(self.path / name, content)

    def read(self, name: str) -> bytes | None:
        """A file's content; None if it was never written."""
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DiskTrouble(f"cannot read {self.path / name}: {error.strerror}") from None

    def load(self, name: str, read: Callable[[bytes], Content]) -> Content | None:
        """What `read` makes of a file; None if it was never written."""
        content = self.read(name)
        if content is None:
            return None
        try:
            return read(content)
        except LudusError:
            raise
        except Exception as error:  # half a file raises whatever its last byte happens to mean
            raise DiskTrouble(f"{self.path / name} is damaged ({error}); move it away to begin anew") from error

    # -------------------------------------------------------------------------------------------- the log

    def rows(self) -> list[dict[str, str]]:
        """The log so far. A last line that was never finished is left out: its row will be made again."""
        return self.load("log.csv", _read_log) or []

    def frame(self):
        """The log as an Arrow table, for pandas, polars and others."""
        return frame({name: read_value(cell) for name, cell in row.items()} for row in self.rows())

    def log(self, row: Mapping[str, object]) -> None:
        """Add a row; the first names the columns, and no later one has others."""
        text = io.StringIO()
        try:
            with (self.path / "log.csv").open("a+", newline="", encoding="utf-8") as lines:
                lines.seek(0)
                columns = next(csv.reader(lines), None)
                writer = csv.DictWriter(text, columns or list(row), extrasaction="ignore", lineterminator="\n")
                if not columns:
                    writer.writeheader()
                writer.writerow(row)
                lines.write(text.getvalue())  # at the end, wherever it was read
        except OSError as error:
            raise DiskTrouble(f"cannot write {self.path / 'log.csv'}: {error.strerror}") from error

    def cut_log(self, rows: int) -> None:
        """Forget rows behind a checkpoint: what they tell will be done again."""
        kept = self.rows()[:rows]
        if kept:
            text = io.StringIO()
            writer = csv.DictWriter(text, list(kept[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(kept)
            self.write("log.csv", text.getvalue().encode())
        else:
            (self.path / "log.csv").unlink(missing_ok=True)

    def forget_if_empty(self) -> None:
        """Remove a folder that holds nothing but settings: the training was refused."""
        if [path.name for path in self.path.iterdir()] == ["settings.json"]:
            (self.path / "settings.json").unlink()
            self.path.rmdir()


def _read_log(content: bytes) -> list[dict[str, str]]:
    lines = content.decode().splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines.pop()
    rows = list(csv.DictReader(lines))
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise ValueError(f"line {number} has not as many columns as the first")
    return rows


# ------------------------------------------------------------------------------------------------ beginning


def begin_run(path: Path, method: str, game: Game, values: Mapping[str, object], settings: Any, seed: int) -> RunFolder:
    """The folder of this training, new or to be gone on with."""
    return RunFolder.begin(path, {
        "method": method, "game": game.name, "version": game.facts.version, "fingerprint": game.fingerprint,
        "rules": dict(values), "settings": _deciding(settings), "seed": seed,
    })  # fmt: skip


def _deciding(settings: Any) -> dict[str, Any]:
    """The settings that are part of a run; resources are not."""
    kept = (field.name for field in fields(settings) if not field.metadata.get("resource"))
    return {name: getattr(settings, name) for name in kept}


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What is not as it was, in words: ``games (2000, now 4000)``. A run from before fingerprints is taken at its word,
    and settings that a method has lost since do not count."""
    found = []
    for key, value in now.items():
        old = before.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            found += _changes({**value, **old}, value)
        elif key == "fingerprint":
            found += [f"rules of the game ({old}, now {value})"] * other_rules(str(old or value), str(value))
        elif old != value:
            found.append(f"{key} ({old}, now {value})")
    return found


# ------------------------------------------------------------------------------------------------ finding


def shipped_runs() -> list[RunFolder]:
    """The runs that come with the package."""
    return [RunFolder(path.parent) for path in sorted(SHIPPED.glob("*/settings.json"))]


def find_run(name: str) -> RunFolder:
    """A run by its folder, or by the name of one that comes with the package."""
    for path in (Path(name), SHIPPED / name):
        if (path / "settings.json").exists():
            return RunFolder(path)
    raise UnknownName("run", name, [run.path.name for run in shipped_runs()])


def load_run(name: str, method: str, game: Game, *former: str) -> RunFolder:
    """A run that this agent can use in this game, or a sentence that says why not; methods have had former names."""
    run = find_run(name)
    made = run.settings
    if made["method"] not in (method, *former):
        raise Mismatch(f"{name} was trained by {made['method']}, not by {method}")
    if (made["game"], made["version"]) != (game.name, game.facts.version):
        theirs, ours = f"{made['game']} version {made['version']}", f"{game.name} version {game.facts.version}"
        raise Mismatch(f"{name} was trained for {theirs}, this is {ours}")
    if other_rules(made.get("fingerprint", game.fingerprint), game.fingerprint):
        theirs, ours = f"the rules {made['fingerprint']}", f"now they are {game.fingerprint}"
        raise Mismatch(f"{name} was trained under {theirs} of {game.name}, and {ours}; train it anew")
    return run


def other_values(name: str, values: Mapping[str, object]) -> str:
    """What was set otherwise when this run was trained, in words; "" if nothing was."""
    made = find_run(name).settings
    trained, also = made.get("rules", {}), made["settings"].get("also", "")
    changed = {key: value for key, value in trained.items() if key in values and values[key] != value}
    if not changed:
        return ""
    theirs, ours = (", ".join(f"{key}={one[key]}" for key in changed) for one in (changed, values))
    return f"it was trained with {theirs}{f' (also {also})' if also else ''}, and plays here with {ours}"


def load_numbers(name: str, agent: str, game: Game, count: int) -> np.ndarray:
    """The numbers that evolution found for an agent."""
    run = load_run(name, "evolution", game)
    trained = run.settings["settings"]["agent"].partition(":")[0]
    if trained != agent:
        raise Mismatch(f"{name} holds numbers of {trained}, not of {agent}")
    numbers = np.loadtxt(run.path / "numbers.txt", ndmin=1)
    if len(numbers) != count:
        raise Mismatch(f"{name} holds {len(numbers)} numbers; {agent} needs {count}")
    return numbers
