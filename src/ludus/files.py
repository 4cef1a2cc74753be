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

from ludus.compile import fingerprint
from ludus.errors import BadInput, BadRules, UnknownName


class _FromSource(importlib.machinery.SourceFileLoader):
    """Never from bytecode, which Python trusts if the source has the same size and second: a program edits faster."""

    def get_code(self, fullname: str) -> Any:
        return self.source_to_code(self.get_data(self.path), self.path)


def load_module(path: Path) -> ModuleType:
    """A user's file as a module. Its name depends only on its place, so that compiled code is found again."""
    path = python_file(path)
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
    _name_by_content(module)
    return module


def python_file(path: Path) -> Path:
    """The path of a file that can be read, without links."""
    read_text(path)
    return path.resolve()


def read_text(path: Path) -> str:
    """What a text file says."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadInput(f"there is no file {path}") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path} is no text") from None


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
    _name_by_content(module)


def _name_by_content(module: ModuleType) -> None:
    """Compiled code knows functions by their qualified names. Before and after an edit they are two functions: a kernel
    from the cache must not find the one where it calls the other."""
    rules = [value for value in vars(module).values() if hasattr(value, "py_func")]
    own = [rule for rule in rules if rule.py_func.__module__ == module.__name__]
    for rule, tag in [(rule, fingerprint(rule)) for rule in own]:
        rule.py_func.__qualname__ = f"{rule.py_func.__name__}.{tag}"


def _where(error: BaseException, path: Path) -> str:
    trace, line = error.__traceback__, 0
    while trace:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"line {line}: " if line else ""


# ------------------------------------------------------------------------------------------------ faults in the source
# Compiled code reports these without a place, or not at all; so look for them in the source.

DRAW = "rules draw from the `rng` they are given (`from ludus.rng import below`), else no match can be played again"
Fault = tuple[int, str]
"""A line of the source, and what is wrong there."""
ANSWERS = frozenset({"to_act", "legal", "is_legal", "heuristic", "valid", "twin", "deterministic", "reflect_action"})
"""The rules that return something."""


def check_source(path: Path, fields: Mapping[str, np.dtype]) -> None:
    """Refuse rules with a misspelt field, a path without an answer, or luck that is not handed in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for line, fault in (*_misspelt(tree, fields), *_unanswered(tree), *_foreign_luck(tree)):
        raise BadRules(f"{path}, line {line}: {fault}")


def _misspelt(tree: ast.AST, fields: Mapping[str, np.dtype]) -> Iterator[Fault]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        known = fields[owner].names or () if owner in fields else None
        if known is not None and node.attr not in known:
            names = [name for name in known if not name.endswith("_")]
            yield node.lineno, str(UnknownName("field", node.attr, names, f" in {owner}"))


def _rules_in(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(
            "rule" in (getattr(mark, "id", ""), getattr(mark, "attr", "")) for mark in node.decorator_list
        ):
            yield node


def _unanswered(tree: ast.AST) -> Iterator[Fault]:
    for node in _rules_in(tree):
        if node.name in ANSWERS and not _always_returns(node.body):
            yield node.lineno, f"`{node.name}` may reach its end without `return`; it must always answer"


def _always_returns(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _always_returns(last.body) and _always_returns(last.orelse)
    if isinstance(last, ast.While):  # one that nothing but a return leaves
        endless = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return endless and not any(isinstance(node, ast.Break) for node in ast.walk(last))
    return isinstance(last, ast.Raise) or (isinstance(last, ast.Return) and last.value is not None)


def _foreign_luck(tree: ast.AST) -> Iterator[Fault]:
    for rule in _rules_in(tree):
        for node in ast.walk(rule):
            owner = getattr(getattr(node, "value", None), "id", "")
            if isinstance(node, ast.Attribute) and (owner, node.attr) in {("np", "random"), ("numpy", "random")}:
                yield node.lineno, f"`{rule.name}` uses np.random; {DRAW}"
            if isinstance(node, ast.Attribute) and owner == "random":
                yield node.lineno, f"`{rule.name}` uses random; {DRAW}"
