"""Python files of a user's own: a game or an agent, loaded by the path of its file."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ludus.errors import BadInput, BadRules, UnknownName


class _FromSource(importlib.machinery.SourceFileLoader):
    """Never from bytecode, which Python trusts if the source has the same size and second: a program edits faster."""

    def get_code(self, fullname: str) -> Any:
        return self.source_to_code(self.get_data(self.path), self.path)


def load_module(path: Path) -> ModuleType:
    """A user's file as a module. Its name depends only on its place, so that compiled code is found again."""
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    path = path.resolve()
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path, loader=_FromSource(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _helpers_beside(path.parent):
            spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise BadRules(f"{path}: {_where(error, path)}{type(error).__name__}: {error}") from error
    return module


def _module_name(path: Path) -> str:
    return f"ludus_file_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


@contextlib.contextmanager
def _helpers_beside(folder: Path) -> Iterator[None]:
    """The file may import helpers that lie beside it, as a script may. Afterwards each gets a name of its own place:
    two folders may have helpers of the same name, and compiled code looks its modules up by name."""
    known, write_bytecode = set(sys.modules), sys.dont_write_bytecode
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        if str(folder) not in sys.path:
            sys.path.append(str(folder))  # for what is imported only when it is needed
        sys.dont_write_bytecode = write_bytecode
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file and Path(file).parent == folder and not name.startswith("ludus_file_"):
                _rename(sys.modules.pop(name), _module_name(Path(file)))


def _rename(module: ModuleType, name: str) -> None:
    for value in vars(module).values():
        function = getattr(value, "py_func", value)
        if getattr(function, "__module__", None) == module.__name__:
            function.__module__ = name
    module.__name__ = name
    sys.modules[name] = module


def _where(error: BaseException, path: Path) -> str:
    trace, line = error.__traceback__, 0
    while trace:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"line {line}: " if line else ""


def check_fields(path: Path, fields: Mapping[str, np.dtype]) -> None:
    """Compiled code reports a misspelt field without a place; so look for one in the source."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Attribute):
            continue
        owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        known = fields[owner].names or () if owner in fields else None
        if known is not None and node.attr not in known:
            error = UnknownName("field", node.attr, [name for name in known if not name.endswith("_")], f" in {owner}")
            raise BadRules(f"{path}, line {node.lineno}: {error}")
