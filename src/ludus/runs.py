"""Run folders: what a training leaves behind, and what an agent loads.

    settings.json    all that decides the run: method, game, its rules' version, fingerprint and values, settings, seed
    log.csv          one row an iteration
    …                the method's own files: checkpoints, tables, weights

Files are written whole or not at all. A killed training resumes from its last checkpoint; a folder that was made with
other settings, for another game or for other rules is refused.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ludus.disk import write_whole
from ludus.errors import BadInput, Mismatch, UnknownName
from ludus.game import Game, other_rules

SHIPPED = Path(__file__).parent / "trained"
"""Small trained runs that come with the package, each with the command that made it in its settings."""


class RunFolder:
    """One training on disk."""

    def __init__(self, path: Path):
        self.path = path

    @property
    def settings(self) -> dict[str, Any]:
        return json.loads((self.path / "settings.json").read_text(encoding="utf-8"))

    @classmethod
    def begin(cls, path: Path, settings: Mapping[str, Any]) -> RunFolder:
        """A new folder, or the one that was begun with the same settings."""
        run = cls(path)
        if (path / "settings.json").exists():
            if changed := _differences(run.settings, settings):
                raise BadInput(f"{path} holds a run with other {', '.join(changed)}; use another folder")
        else:
            path.mkdir(parents=True, exist_ok=True)
            run.write("settings.json", json.dumps(settings, indent=1).encode())
        return run

    def write(self, name: str, content: bytes) -> None:
        """Write a file; a reader never sees half of it."""
        write_whole(self.path / name, content)

    def read(self, name: str) -> bytes | None:
        """A file's content; None if it was never written."""
        file = self.path / name
        return file.read_bytes() if file.exists() else None

    def rows(self) -> list[dict[str, str]]:
        """The log so far."""
        log = self.path / "log.csv"
        if not log.exists():
            return []
        with log.open(newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    def log(self, row: Mapping[str, object]) -> None:
        """Add a row; the first names the columns."""
        log = self.path / "log.csv"
        is_new = not log.exists()
        with log.open("a", newline="", encoding="utf-8") as lines:
            writer = csv.DictWriter(lines, list(row), lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerow(row)

    def forget_if_empty(self) -> None:
        """Remove a folder that holds nothing but settings: the training was refused."""
        if [path.name for path in self.path.iterdir()] == ["settings.json"]:
            (self.path / "settings.json").unlink()
            self.path.rmdir()

    def cut_log(self, rows: int) -> None:
        """Forget rows behind a checkpoint: what they tell will be done again."""
        kept = self.rows()[:rows]
        text = "" if not kept else "\n".join([",".join(kept[0]), *(",".join(row.values()) for row in kept)]) + "\n"
        if kept:
            self.write("log.csv", text.encode())
        else:
            (self.path / "log.csv").unlink(missing_ok=True)


RESOURCES = {"threads", "jobs"}
"""Settings that decide how soon a run is done, and nothing of what it becomes."""


def _differences(made: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """The names of what decides a run and is not as it was; a run from before fingerprints is taken at its word."""
    ours = wanted.get("fingerprint", "")
    plain = [key for key in wanted if key != "fingerprint" and _essence(made.get(key)) != _essence(wanted[key])]
    return plain + ["text of the rules"] * other_rules(made.get("fingerprint", ours), ours)


def _essence(value: Any) -> Any:
    return {key: one for key, one in value.items() if key not in RESOURCES} if isinstance(value, Mapping) else value


def find_run(name: str) -> RunFolder:
    """A run by its folder, or by the name of one that comes with the package."""
    for path in (Path(name), SHIPPED / name):
        if (path / "settings.json").exists():
            return RunFolder(path)
    shipped = [path.name for path in SHIPPED.iterdir() if path.is_dir()] if SHIPPED.is_dir() else []
    raise UnknownName("run", name, shipped)


def load_run(name: str, method: str, game: Game) -> RunFolder:
    """A run that this agent can use in this game, or a sentence that says why not."""
    run = find_run(name)
    made = run.settings
    if made["method"] != method:
        raise Mismatch(f"{name} was trained by {made['method']}, not by {method}")
    if (made["game"], made["version"]) != (game.name, game.facts.version):
        theirs, ours = f"{made['game']} version {made['version']}", f"{game.name} version {game.facts.version}"
        raise Mismatch(f"{name} was trained for {theirs}, this is {ours}")
    if other_rules(made.get("fingerprint", game.fingerprint), game.fingerprint):
        raise Mismatch(f"{name} was trained before the rules of {game.name} were changed; train it anew")
    return run
