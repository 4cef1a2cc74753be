"""`bind`: one algorithm, compiled against one game, cached by content.

An algorithm is an ordinary function marked ``@template`` that names the rules it needs (`legal`, `step`, …) as globals.
`bind` copies it, puts the game's own functions behind those names and compiles the copy. Templates may call templates.

Numba caches by source file, so an edited helper would be served stale. Here the copy's ``__qualname__``, which names
the cache file, carries a fingerprint of *everything* compiled in: code, constants, tables, helpers in other files,
defaults, versions and flags. An edit anywhere is a miss; undoing it hits again, and so does a second checkout.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import logging
import os
import re
import shutil
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numba
import numpy as np
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.registry import CPUDispatcher

from ludus.rng import config

DOORLESS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""What is never called from Python needs no door for it, which is a third of the time to compile."""


class _Rule(CPUDispatcher):
    """Compiled code calls a copy without a door; the door is made where Python itself calls the rule."""

    def __init__(self, py_func: Callable, locals: Any = None, targetoptions: Any = None, *pipeline: Any):
        super().__init__(py_func, locals, targetoptions, *pipeline)
        self.inside = CPUDispatcher(py_func, locals, {**self.targetoptions, **DOORLESS}, *pipeline)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.inside.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self.inside.get_overload(sig)

    @property
    def is_compiling(self) -> Any:
        """What tells Numba that a rule calls itself."""
        return self.inside.is_compiling


def rule(function: Callable | None = None, **options: Any) -> Any:
    """Marks a rule: compiled when a template uses it, plain Python under NUMBA_DISABLE_JIT=1."""
    if function is None:
        return functools.partial(rule, **options)
    as_njit = {"nopython": True, "boundscheck": None, **options}  # which hashes of content have in them
    return function if config.DISABLE_JIT else _Rule(function, {}, as_njit)


def template(function: Callable) -> Callable:
    """Marks an algorithm that `bind` can compile against a game."""
    function.__ludus_template__ = True  # pyright: ignore[reportFunctionMemberAccess]
    return function


def inlined(function: Callable) -> Callable:
    """Marks a template that is compiled into each of its callers: one that takes many arrays, whose passing on would
    cost more than what it does."""
    function.__ludus_inlined__ = True  # pyright: ignore[reportFunctionMemberAccess]
    return template(function)


def is_template(value: object) -> bool:
    return getattr(value, "__ludus_template__", False)


def cache_dir() -> Path:
    """Where compiled code is kept: NUMBA_CACHE_DIR, else the user's cache folder."""
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR)
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "ludus" / "kernels"


def cache_size() -> tuple[int, int]:
    """Number of files in the cache, and their bytes."""
    files = [path for path in cache_dir().rglob("*") if path.is_file()]
    return len(files), sum(path.stat().st_size for path in files)


def clean_cache() -> None:
    shutil.rmtree(cache_dir(), ignore_errors=True)


def bind(function: Callable, names: Mapping[str, Any], label: str) -> Callable:
    """The template `function` with `names` as its globals, compiled. `label` (the game's name) is for people."""
    copy = _with_names(function, names, label)
    if config.DISABLE_JIT:
        return copy
    compiled: Any = njit(nogil=True)(copy)
    # A cached binary looks its modules up by name when it is loaded: what has no name there runs uncached.
    if _is_importable(names):
        with contextlib.suppress(OSError):  # nowhere to keep it: compiled anew in every process
            compiled._cache = _KernelCache(copy)
            compiled._cache.label = label if "legal" in names else ""
    return compiled


def _with_names(function: Callable, names: Mapping[str, Any], label: str) -> Callable:
    """A copy of a template that reaches the game's functions, and bound templates, behind their names."""
    scope = dict(function.__globals__)
    for name in set(_names_in(function.__code__)):
        value = names.get(name, scope.get(name))
        if is_template(value):
            scope[name] = _inner(value, names, label)
        elif name in names:
            scope[name] = value
    copy = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    copy.__module__ = function.__module__
    if not config.DISABLE_JIT:
        copy.__qualname__ = f"{function.__name__}.{label}.{fingerprint(copy)}"
    return copy


_bound: dict[tuple[str, str], Callable] = {}
"""Templates that templates call, by content: many are called by several, and one compilation serves them all."""


def _inner(function: Callable, names: Mapping[str, Any], label: str) -> Callable:
    copy = _with_names(function, names, label)
    if config.DISABLE_JIT:
        return copy
    options: dict[str, Any] = DOORLESS | {"forceinline": getattr(function, "__ludus_inlined__", False)}
    return _bound.setdefault((copy.__module__, copy.__qualname__), njit(nogil=True, **options)(copy))


class _ByContent(_CacheLocator):
    """One folder for all: names carry a fingerprint of the content, so neither place nor age of a source matters."""

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> _ByContent:
        locator = cls()
        locator.ensure_cache_path()
        return locator

    def ensure_cache_path(self) -> None:
        """Numba would also try to write: a folder that can only be read serves what is in it."""
        cache_dir().mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> Any:
        return str(cache_dir())

    def get_source_stamp(self) -> Any:
        return ""

    def get_disambiguator(self) -> Any:
        return ""


class _KernelFiles(CompileResultCacheImpl):
    _locator_classes: ClassVar = [_ByContent]

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{fullname}.py{sys.version_info[0]}{sys.version_info[1]}{abiflags}"


class _KernelCache(FunctionCache):
    """A damaged or unwritable file is a miss: the kernel is compiled, and written anew where that is possible."""

    _impl_class = _KernelFiles
    label = ""
    """The game whose rules are compiled in; none for what has no rules."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = None
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # a pickle cut short raises whatever its last byte happens to mean
            with contextlib.suppress(OSError):
                self.flush()
        if found is None and self.label:
            _tell(self.label)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


@functools.cache
def _tell(label: str) -> None:
    """It takes seconds, and people should know why; once a process."""
    logging.getLogger(__name__).info("compiling the rules of %s (first time)", label)


HOUSE = Path(__file__).resolve().parent

OUTSIDE = "from outside a rule sees numbers, tuples and NumPy arrays only"
PLAIN_WORDS = {
    r"Untyped global name '(\w+)':[^\n]*<class 'function'>": r"it calls `\1`, which is not marked @rule",
    r"Untyped global name '(\w+)':[^\n]*<class '(?:\w+\.)*(\w+)'>": rf"it reads `\1`, a \2; {OUTSIDE}",
    r"use of a reflected (list)\([^\n]* assigned to variable '(\w+)' in globals": rf"it reads `\2`, a \1; {OUTSIDE}",
    r"use of yield in a closure": "what `any(… for …)` and the like do must be written as a loop",
    r"setitem>\) found for signature:\s+>>> setitem\(readonly": (
        "it writes into an array of the file; what changes belongs into State"
    ),
}
"""What Numba says of common slips, and the same for somebody who does not know Numba."""


def explained(error: Exception) -> str:
    """Why rules do not compile, or fail when compiled: the rule, the reason and the place; Numba tells it amid the
    story of its own search."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # Numba colours its words
    rule_name = re.search(r"<function (\w+)", text)
    return (f"`{rule_name[1]}`: " if rule_name else "") + _reason(error, text) + _place(text)


def _reason(error: Exception, text: str) -> str:
    if isinstance(error, ZeroDivisionError):
        return "a rule divides by zero; `ludus check` says where"
    for pattern, words in PLAIN_WORDS.items():
        if slip := re.search(pattern, text):
            return slip.expand(words)
    what = next((line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in ")), "")
    return f"{type(error).__name__}: {what or 'no word'}"[:400]


def _place(text: str) -> str:
    """The first place in Numba's story that is an author's, not Numba's or ours."""
    for file, line in re.findall(r'(?:at |File ")(\S+\.py)"?(?:, line | \()(\d+)', text):
        path = Path(file).resolve()
        if HOUSE / "games" in path.parents or not {HOUSE, Path(numba.__file__).parent} & set(path.parents):
            return f" ({path}, line {line})"
    return ""


def fingerprint(function: Callable) -> str:
    """A hash of all that is compiled into `function`; content, never identity."""
    flags = (numba.__version__, np.__version__, sys.version_info[:2], config.BOUNDSCHECK, config.OPT)
    walk = _Walk(placed=True)
    walk.digest.update(repr(flags).encode())
    walk.feed(function)
    return walk.digest.hexdigest()[:16]


def content(*values: object) -> str:
    """A hash of functions, tables and numbers: the same in another folder, with other libraries, other docstrings.

    It is made of Python's own code, so another version of Python gives another hash."""
    walk = _Walk(placed=False)
    walk.feed(values)
    return walk.digest.hexdigest()[:16]


def _is_importable(names: Mapping[str, Any]) -> bool:
    functions = (getattr(value, "py_func", value) for value in names.values() if callable(value))
    return all(function.__module__ in sys.modules for function in functions if inspect.isfunction(function))


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


class _Walk:
    """Feeds a digest with a value and everything that it refers to."""

    def __init__(self, placed: bool):
        self.placed = placed
        """Whether the module of a function counts: a cached binary looks it up by name."""
        self.digest = hashlib.sha256()
        self.seen: set[int] = set()

    def feed(self, value: object) -> None:
        options = getattr(value, "targetoptions", {})  # how a rule wants to be compiled: fastmath, boundscheck, …
        self.digest.update(repr(sorted(options.items())).encode())
        value = getattr(value, "py_func", value)
        if isinstance(value, types.FunctionType):
            if id(value) not in self.seen:
                self.seen.add(id(value))
                self._feed_function(value)
        elif isinstance(value, types.CodeType):
            self._feed_code(value, value.co_consts)
        elif isinstance(value, np.ndarray):
            self.digest.update(f"{value.dtype.descr}{value.shape}".encode() + value.tobytes())
        elif isinstance(value, types.ModuleType):
            self.digest.update(value.__name__.encode() if self.placed else b"module")
        elif isinstance(value, type):
            self._feed_class(value)
        elif isinstance(value, tuple | list):
            self.digest.update(f"[{len(value)}".encode())
            for item in value:
                self.feed(item)
        else:
            self.digest.update(f"{type(value).__name__} {value!r}".encode())

    def _feed_code(self, code: types.CodeType, constants: tuple) -> None:
        self.digest.update(code.co_code)
        for constant in constants:
            self.feed(constant)

    def _feed_class(self, kind: type) -> None:
        self.digest.update(kind.__qualname__.encode())
        for name, inner in sorted(vars(kind).items()):  # members of an enumeration, constants of a class
            if not name.startswith("_"):
                self.digest.update(name.encode())
                self.feed(inner)

    def _feed_function(self, function: types.FunctionType) -> None:
        code = function.__code__
        if self.placed:
            self.digest.update(f"{function.__module__}.{function.__name__}".encode())
            self.feed(code)
        else:
            documented = function.__doc__ is not None and code.co_consts[:1] == (function.__doc__,)
            self._feed_code(code, code.co_consts[documented:])
        for cell in function.__closure__ or ():
            self.feed(cell.cell_contents)
        for default in function.__defaults__ or ():
            self.feed(default)
        names = list(_names_in(code))
        for name in names:
            self.digest.update(name.encode())
            value = function.__globals__.get(name)
            if value is not None:
                self.feed(value)
            self._feed_attributes(value, names, ())

    def _feed_attributes(self, module: object, names: list[str], path: tuple) -> None:
        """What the function may reach behind a module: helpers.TABLE, helpers.add(...), package.helpers.TABLE."""
        if not isinstance(module, types.ModuleType) or module in path:
            return
        if module.__name__.partition(".")[0] in ("numpy", "numba", "math"):
            return
        for attribute in names:
            if hasattr(module, attribute):
                inner = getattr(module, attribute)
                self.feed(inner)
                self._feed_attributes(inner, names, (*path, module))
