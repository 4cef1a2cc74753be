"""`bind`: one algorithm, compiled against one game, cached by content.

An algorithm is an ordinary function marked ``@template`` that names the rules it needs (`legal`, `step`, …) as globals.
`bind` copies it, puts the game's own functions behind those names and compiles the copy. Templates may call templates.

Numba caches by source file, so an edited helper would be served stale. Here the copy's ``__qualname__``, which names
the cache file, carries a fingerprint of *everything* compiled in: code, constants, tables, helpers in other files,
defaults, versions and flags. An edit anywhere is a miss; undoing it hits again, and so does a second checkout.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
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

from ludus.rng import config

rule = njit
"""Marks a rule: compiled when a template uses it, plain Python under NUMBA_DISABLE_JIT=1."""


def template(function: Callable) -> Callable:
    """Marks an algorithm that `bind` can compile against a game."""
    function.__ludus_template__ = True  # pyright: ignore[reportFunctionMemberAccess]
    return function


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


def bind(function: Callable, names: Mapping[str, Any], label: str, *, cached: bool = True) -> Callable:
    """The template `function` with `names` as its globals, compiled. `label` (the game's name) is for people."""
    scope = dict(function.__globals__)
    for name in set(_names_in(function.__code__)):
        if name in names:
            value = names[name]
            scope[name] = bind(value, names, label, cached=False) if is_template(value) else value
        elif is_template(scope.get(name)):
            scope[name] = bind(scope[name], names, label, cached=False)
    copy = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    copy.__module__ = function.__module__
    if config.DISABLE_JIT:
        return copy
    copy.__qualname__ = f"{function.__name__}.{label}.{fingerprint(copy)}"
    compiled: Any = njit(nogil=True)(copy)
    # A cached binary looks its modules up by name when it is loaded: what has no name there runs uncached.
    if cached and _is_importable(names):
        with contextlib.suppress(OSError):  # nowhere to keep it: compiled anew in every process
            compiled._cache = _KernelCache(copy)
    return compiled


class _ByContent(_CacheLocator):
    """One folder for all: names carry a fingerprint of the content, so neither place nor age of a source matters."""

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> _ByContent:
        locator = cls()
        locator.ensure_cache_path()
        return locator

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

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a pickle cut short raises whatever its last byte happens to mean
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


def fingerprint(function: Callable) -> str:
    """A hash of all that is compiled into `function`; content, never identity."""
    flags = (numba.__version__, np.__version__, sys.version_info[:2], config.BOUNDSCHECK, config.OPT)
    digest = hashlib.sha256(repr(flags).encode())
    _feed(digest, function, set())
    return digest.hexdigest()[:16]


def _is_importable(names: Mapping[str, Any]) -> bool:
    functions = (getattr(value, "py_func", value) for value in names.values() if callable(value))
    return all(function.__module__ in sys.modules for function in functions if inspect.isfunction(function))


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def _feed(digest: Any, value: object, seen: set[int]) -> None:
    options = getattr(value, "targetoptions", {})  # how a rule wants to be compiled: fastmath, boundscheck, …
    digest.update(repr(sorted(options.items())).encode())
    value = getattr(value, "py_func", value)
    if isinstance(value, types.FunctionType):
        if id(value) not in seen:
            seen.add(id(value))
            _feed_function(digest, value, seen)
    elif isinstance(value, types.CodeType):
        digest.update(value.co_code)
        for constant in value.co_consts:
            _feed(digest, constant, seen)
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype.descr}{value.shape}".encode() + value.tobytes())
    elif isinstance(value, types.ModuleType):
        digest.update(value.__name__.encode())
    elif isinstance(value, type):
        digest.update(value.__qualname__.encode())
        for name, inner in sorted(vars(value).items()):  # members of an enumeration, constants of a class
            if not name.startswith("_"):
                digest.update(name.encode())
                _feed(digest, inner, seen)
    elif isinstance(value, tuple | list):
        digest.update(f"[{len(value)}".encode())
        for item in value:
            _feed(digest, item, seen)
    else:
        digest.update(f"{type(value).__name__} {value!r}".encode())


def _feed_function(digest: Any, function: types.FunctionType, seen: set[int]) -> None:
    digest.update(f"{function.__module__}.{function.__name__}".encode())
    _feed(digest, function.__code__, seen)
    for cell in function.__closure__ or ():
        _feed(digest, cell.cell_contents, seen)
    for default in function.__defaults__ or ():
        _feed(digest, default, seen)
    names = list(_names_in(function.__code__))
    for name in names:
        digest.update(name.encode())
        value = function.__globals__.get(name)
        if value is not None:
            _feed(digest, value, seen)
        _feed_attributes(digest, value, names, seen, ())


def _feed_attributes(digest: Any, module: object, names: list[str], seen: set[int], path: tuple) -> None:
    """What the function may reach behind a module: helpers.TABLE, helpers.add(...), package.helpers.TABLE."""
    if not isinstance(module, types.ModuleType) or module in path:
        return
    if module.__name__.partition(".")[0] in ("numpy", "numba", "math"):
        return
    for attribute in names:
        if hasattr(module, attribute):
            inner = getattr(module, attribute)
            _feed(digest, inner, seen)
            _feed_attributes(digest, inner, names, seen, (*path, module))
