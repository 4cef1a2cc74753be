"""Ctrl-C, heard within a second wherever the program is.

Python hears it between two of its own instructions; a compiled loop has none. So a thread of its own listens as well:
where the command has not ended by itself soon after, all of it ends. Nothing is lost by that: matches, logs and runs
are on disk as soon as they are finished.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from contextlib import suppress
from functools import cache
from typing import NoReturn

STOPPED = 130
"""The exit code of a command that was stopped."""
GRACE = 0.7
"""Seconds in which a command may end by itself."""


@cache
def listen() -> None:
    """Begin to listen, once a process; only the main thread may ask for it."""
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    threading.Thread(target=_wait_for_signal, args=(ear,), daemon=True).start()
    sys.unraisablehook = _complain


def _complain(unheard: sys.UnraisableHookArgs) -> None:
    """Where the compiler calls back it drops Ctrl-C, with a long story; the thread has heard it."""
    if not isinstance(unheard.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unheard)


def _wait_for_signal(ear: int) -> None:
    while os.read(ear, 1) != bytes([signal.SIGINT]):
        pass
    threading.Event().wait(GRACE)
    stop()


def stop() -> NoReturn:
    """End at once, with all processes that were begun: what is left to do would take its time, too."""
    for child in multiprocessing.active_children():
        child.kill()
    with suppress(OSError):
        print("ludus: stopped", file=sys.stderr, flush=True)
        sys.stdout.flush()
    os._exit(STOPPED)
