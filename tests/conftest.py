"""Data that does not travel with the project, and the command line in this process."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# An example may have to compile first; nothing here is judged by time.
settings.register_profile("ludus", deadline=None)
settings.load_profile("ludus")

# A shell that starts the tests in the background has Ctrl-C ignored; every program that they start would inherit it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared() -> Path:
    """A folder beside the checkout with published positions and maps; tests that use it skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the folder of published data is not beside this checkout")
    return folder


_COMPILING = re.compile(r"^ludus: compiling the rules of .* \(first time\)\n", re.MULTILINE)
"""Said or not said, as the cache of this machine has it."""


@pytest.fixture
def command_line(monkeypatch, capsys, tmp_path) -> Callable[..., tuple[int, str, str]]:
    """Run `ludus` in an empty folder: exit code, standard output and standard error."""
    from ludus.cli import main

    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ludus", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1 if stop.code else 0
        captured = capsys.readouterr()
        return code, captured.out, _COMPILING.sub("", captured.err)

    return run
