"""What a game and an agent *are*: their content, never their name, their place or their age.

Results are kept under the content that made them, so that an edited rule or an edited agent never borrows yesterday's
results. An identity is a small table, part by part, so that a sentence can say what changed. A user's agent is read and
never imported: it may hang.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from ludus.catalogue import agent_kind, command_words, is_command
from ludus.errors import BadInput
from ludus.game import Game, other_rules
from ludus.runs import find_run
from ludus.sources import DATA, HOME, digest_of, file_digest, files_digest, sources

Parts = dict[str, str]
"""A hash for each part, or ``=value``, under a name that a sentence can use."""


def game_parts(game: Game, values: Mapping[str, object] | None = None) -> Parts:
    """The rules as they are written, and the value of each number among them: of these alone, or of all defaults and
    presets."""
    parts = {f"the rules of {game.name}": game.fingerprint}
    if values is not None:
        return parts | {name: f"={value}" for name, value in values.items()}
    for preset in game.presets:
        parts |= {f"{name} of {preset}": f"={value}" for name, value in game.rule_values(preset).items()}
    return parts


def agent_parts(spec: str, game: Game) -> Parts:
    """The sources behind a spec, and the runs and files that its settings name."""
    if is_command(spec):
        files = [path for path in map(Path, command_words(spec)) if path.is_file()]
        return {spec: "=command"} | {path.name: file_digest(path) for path in files}
    name, _, text = spec.partition(":")
    name = name.strip()
    words = [item.partition("=")[2] or item for item in text.split(",")]
    if name.endswith(".py"):
        folder = Path(name).resolve().parent
        parts = {_beside(folder, file): digest for file, digest in sources(Path(name)).items()}
    else:
        kind = agent_kind(name, game.source)
        parts = {name: module_content(sys.modules[kind.__module__], game)}
        words += [str(field.default) for field in dataclasses.fields(kind)]
    for word in filter(None, map(str.strip, words)):
        parts |= _named(word)
    return parts


def module_content(module: ModuleType, game: Game) -> str:
    """A hash of a module of Ludus or of an installed package: an agent, a trainer."""
    files = sources(Path(str(module.__file__)), module.__name__)
    # What is imported by the game's name, no statement tells.
    own = HOME / "ludus" / "agents" / game.source
    for path in own.glob("_*.py") if module.__name__.startswith("ludus.") and own.is_dir() else ():
        files |= sources(path, f"ludus.agents.{game.source}.{path.stem}")
    return digest_of(files)


def _beside(folder: Path, file: Path) -> str:
    return str(file.relative_to(folder)) if file.is_relative_to(folder) else file.name


def _named(word: str) -> Parts:
    """The run or the file that a setting names."""
    try:
        run = find_run(word).path
    except (BadInput, OSError, ValueError):
        path = Path(word.partition(":")[0])
        return {path.name: digest_of(sources(path))} if path.suffix in {".py", *DATA} and path.is_file() else {}
    return {f"the run {run.name}": files_digest(run)}


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What differs, in words: ``my_bot.py``, ``rows (6, now 5)``. A part that came or went counts."""
    return [_change(name, before.get(name), now.get(name)) for name in {**before, **now} if _differs(name, before, now)]


def _differs(name: str, before: Mapping[str, str], now: Mapping[str, str]) -> bool:
    old, new = before.get(name), now.get(name)
    return other_rules(old, new) if old and new and name.startswith("the rules of ") else old != new


def _change(name: str, old: str | None, new: str | None) -> str:
    if old is None or new is None:
        return f"{name} ({'new' if old is None else 'gone'})"
    return f"{name} ({old[1:]}, now {new[1:]})" if old.startswith("=") else name
