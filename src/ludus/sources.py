"""What a Python file is made of: its own source, what it imports beside it, and the data that it names.

All of it is read, nothing is run, so that a file may be judged that hangs, crashes or is not Python at all. Comments,
docstrings and the breaking of lines do not count.
"""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

HOME = Path(__file__).resolve().parent.parent
"""Where the package `ludus` lies."""
OURS = ("ludus.agents", "ludus.search", "ludus.learn")
"""What of Ludus an agent may be made of; the rest is the ground on which all of them stand."""
DATA = {".json", ".npy", ".npz", ".onnx", ".pkl", ".pt", ".pth", ".safetensors", ".toml", ".yaml"}
"""Endings of data that an agent is made of. A text or a table may as well be a log that it writes."""


class Import(NamedTuple):
    level: int
    """The number of dots before the name."""
    module: str
    names: tuple[str, ...]


class Source(NamedTuple):
    digest: str
    imports: tuple[Import, ...]
    data: tuple[str, ...]
    """Names of files in its strings."""


def sources(path: Path, package: str = "") -> dict[Path, str]:
    """Every file that a file is made of, itself first, with a hash of its content.

    A file of its own imports what lies beside it; a file of a `package`, the package's own modules.
    """
    path = Path(os.path.realpath(path))
    root = path.parent
    for _ in package.split(".")[:-1] if package else ():
        root = root.parent
    found: dict[Path, str] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        content = _content(file)
        source = _read(content) if file.suffix == ".py" else Source(_digest(content), (), ())
        found[file] = source.digest
        places = [place for one in source.imports for place in _places(one, file, root, package.partition(".")[0])]
        waiting += [*places, *_named_data(source, file)]
    return found


def digest_of(files: dict[Path, str]) -> str:
    """One hash of several files; their folders do not count."""
    return _digest(repr(sorted((file.name, digest) for file, digest in files.items())).encode())


def file_digest(path: Path) -> str:
    """A hash of the bytes of one file."""
    return _digest(_content(path))


def files_digest(folder: Path) -> str:
    """A hash of the files of a folder, but for drafts and logs."""
    kept = (path for path in folder.iterdir() if path.is_file() and path.name[0] != "." and path.name != "log.csv")
    return digest_of({path: file_digest(path) for path in kept})


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # whoever loads it says so in a sentence
        return b""


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


@lru_cache(1024)
def _read(content: bytes) -> Source:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Source(_digest(content), (), ())
    _drop_docstrings(tree)
    return Source(_digest(ast.dump(tree).encode()), tuple(_imports(tree)), tuple(_data_names(tree)))


def _drop_docstrings(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [line for line in node.body if not _is_text(line)]


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)


def _imports(tree: ast.Module) -> Iterator[Import]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(0, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield Import(node.level, node.module or "", tuple(alias.name for alias in node.names))


def _data_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and Path(node.value).suffix in DATA:
            yield node.value


def _named_data(source: Source, file: Path) -> list[Path]:
    places = (file.parent / name for name in source.data if len(name) < 200 and "\0" not in name)
    return [place.resolve() for place in places if place.is_file()]


def _places(one: Import, file: Path, root: Path, package: str) -> Iterator[Path]:
    """The files behind an import, as far as they belong to it."""
    top = one.module.partition(".")[0]
    if one.level:
        base = file.parents[min(one.level, len(file.parents)) - 1]
    elif one.module.startswith(OURS):
        base = HOME
    elif top == "ludus" or (package and top != package):
        return
    else:
        base = root
    parts = one.module.split(".") if one.module else []
    for depth in range(1, len(parts) + 1):
        yield from _module_files(base.joinpath(*parts[:depth]))
    for name in one.names:
        yield from _module_files(base.joinpath(*parts, name))


def _module_files(place: Path) -> Iterator[Path]:
    for file in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
        if file.is_file():
            yield file.resolve()
