"""A check in a process of its own: a rule that writes at random or never ends may end that process, not this one."""

from __future__ import annotations

import multiprocessing
import resource
import signal
import time
from collections.abc import Iterator
from typing import Any

from ludus.errors import BadInput, LudusError
from ludus.testing.games import check_game
from ludus.testing.report import Report

PATIENCE = 60
"""Seconds of computing, by the processor's clock, from one sign of progress to the next."""
EVERY = 0.1
"""Seconds between two reports."""


def check_apart(name: str, patience: int = PATIENCE, **options: Any) -> Iterator[Report]:
    """As `check_game`; whatever the rules do, a report comes back."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_check, args=(theirs, name, patience, options), daemon=True)
    child.start()
    theirs.close()
    report = Report(name)
    try:
        while (news := _received(ours)) is not None:
            if isinstance(news, str):
                raise BadInput(news)
            report = news
            yield report
        child.join()
        if child.exitcode != 0:
            report.fail("survives", _obituary(child.exitcode or 0, patience), f"ludus check {name}")
            yield report
    finally:
        child.kill()
        child.join()


def _received(pipe: Any) -> Report | str | None:
    try:
        return pipe.recv()
    except EOFError:
        return None


def _obituary(code: int, patience: int) -> str:
    if code == -signal.SIGXCPU:
        return f"a compiled rule does not come to an end, or takes above {patience} s for one ply of the matches"
    if code > 0:
        return f"the check ended early, with exit code {code}"
    return f"the compiled rules ended their process (signal {-code}); some index is out of range"


def _check(pipe: Any, name: str, patience: int, options: dict[str, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process hears it, and ends this one
    said, report = 0.0, None
    try:
        _grant(patience)
        for report in check_game(name, **options):
            _grant(patience)
            if time.monotonic() - said > EVERY:
                said = time.monotonic()
                pipe.send(report)
        pipe.send(report)
    except LudusError as error:
        pipe.send(str(error))


def _grant(seconds: int) -> None:
    """The kernel itself ends a process that computes for longer, even within compiled code."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
