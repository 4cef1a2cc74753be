"""A program in a cage: a session of its own, limits, one line to the arena, all that it prints kept apart.

Everything of it ends with the cage, and the cage ends with the arena, also where that is killed: `warden` sees to it.
Whatever the program does, a read or a write here ends by its deadline, in bytes or in an `AgentFault`.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ludus.compile import HOUSE, cache_dir
from ludus.errors import AgentFault, BadInput

WARDEN = str(Path(__file__).with_name("warden.py"))
MOST_FILE = 256 << 20
"""Bytes that a program may write into one file."""
PR_SET_DUMPABLE = 4
MOST_TEXT = 2000
"""Characters that are kept of a text of a program's."""
TOLD = ("HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ", "XDG_CACHE_HOME")
"""What a program learns of the arena's environment, where passwords may lie."""


@dataclass(frozen=True)
class Walls:
    """How strong a cage is."""

    memory: float = 4.0
    """GiB of address space."""
    sandbox: bool = False
    """Whether bubblewrap hides files, network and other processes."""
    windows: tuple[Path, ...] = ()
    """What a program in a sandbox may read, besides Python and Ludus."""


class Cage:
    """One running program. Its line is file 3, or its stdin and stdout where it speaks over these."""

    def __init__(self, command: Sequence[str], walls: Walls, *, stdio: bool = False):
        self._line, theirs = socket.socketpair()
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the cage)
        # The program's end of the same file: it appends wherever the end is, also after it was cut to nothing.
        fcntl.fcntl(self._output, fcntl.F_SETFL, fcntl.fcntl(self._output, fcntl.F_GETFL) | os.O_APPEND)
        command = _behind_walls(command, walls) if walls.sandbox else list(command)
        files = (theirs.fileno(), self._output.fileno())
        limits = (int(stdio), int(walls.sandbox), int(walls.memory * (1 << 30)), MOST_FILE)
        _close_memory()
        self._warden = subprocess.Popen(
            [sys.executable, "-I", "-S", WARDEN, *map(str, (*files, *limits)), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=files,
            env=_environment(stdio),
            start_new_session=True,
        )
        theirs.close()
        self._end: str | None = None

    @property
    def ended(self) -> bool:
        return self._end is not None

    def send(self, message: bytes, until: float) -> None:
        try:
            self._line.settimeout(_left(until))
            self._line.sendall(message)
        except OSError as error:
            raise self._fault(error) from None

    def read(self, size: int, until: float) -> bytes:
        """Just so many bytes, all of them by the deadline."""
        found = bytearray()
        while len(found) < size:
            found += self._some(size - len(found), until)
        return bytes(found)

    def read_line(self, most: int, until: float) -> str:
        """A line of text without its end. Bytes are looked at before they are taken: what follows stays where it is."""
        found = bytearray()
        while not found.endswith(b"\n"):
            if len(found) >= most:
                raise AgentFault("illegal", f"a line of its answer is longer than {most:,} characters")
            seen = self._some(most - len(found), until, socket.MSG_PEEK)
            found += self._some(seen.find(b"\n") + 1 or len(seen), until)
        return found.decode(errors="replace").rstrip("\r\n")

    def _some(self, most: int, until: float, flags: int = 0) -> bytes:
        try:
            self._line.settimeout(_left(until))
            found = self._line.recv(most, flags)
        except OSError as error:
            raise self._fault(error) from None
        if not found:
            raise self._fault(EOFError())
        return found

    def _fault(self, error: Exception) -> AgentFault:
        """Why nothing more comes. A program that has ended is a crash, however late that was heard."""
        if not isinstance(error, TimeoutError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._warden.wait(5)  # it is about to end: its files are closed before its exit code is known
        end = self.close()
        if end != "stopped":
            return AgentFault("crash", f"its process ended {_how(end)}")
        if isinstance(error, TimeoutError):
            return AgentFault("timeout", "no answer in time")
        return AgentFault("crash", "it closed its line to the arena")

    def forget_output(self) -> None:
        os.ftruncate(self._output.fileno(), 0)

    def output(self) -> str:
        """What the program printed since it was last forgotten, the middle cut out where it is long."""
        file = self._output.fileno()
        size = os.fstat(file).st_size
        half = MOST_TEXT // 2
        if size <= MOST_TEXT:
            return clean(os.pread(file, size, 0).decode(errors="replace"))
        ends = (os.pread(file, half, start).decode(errors="replace") for start in (0, size - half))
        return clean(f"\n… {size - MOST_TEXT:,} bytes …\n".join(ends))

    def close(self) -> str:
        """End the program with all that it started; its exit code if it had ended by itself, else "stopped"."""
        if self._end is None:
            self._end = ""
            # This closes the life line. The line itself is closed later: a program may end of that by itself.
            self._end = self._warden.communicate()[0].decode().strip()
            self._line.close()
        return self._end

    def __del__(self) -> None:
        if hasattr(self, "_end"):
            self.close()


def _close_memory() -> None:
    """No other process of this user may look into the memory of this one, where the truth of every match lies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def clean(text: str) -> str:
    """A program's text, cut, and without signs that would do something to a terminal."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "?" for sign in text[: MOST_TEXT + 50]).strip()


def _left(until: float) -> float | None:
    return None if until == float("inf") else max(until - time.monotonic(), 1e-6)


def _how(end: str) -> str:
    if not end:
        return "and its warden's, too"
    code = int(end)
    return f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"


def _environment(foreign: bool) -> dict[str, str]:
    """What a program of ours, or a foreign one, finds set. The latter may be of another Python, which our modules would
    break: it is told what a shell would tell it."""
    told = {name: value for name in TOLD if (value := os.environ.get(name))}
    # One thread is enough for an agent, and many would take the memory of a big one.
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    ours = os.pathsep.join(map(os.path.realpath, filter(None, sys.path)))
    places = {
        "PYTHONPATH": os.environ.get("PYTHONPATH", "") if foreign else ours,
        "NUMBA_CACHE_DIR": str(cache_dir()),
    }
    at_once = {"PYTHONUNBUFFERED": "1"}  # what is printed is kept when it is printed, not when a buffer is full
    return told | threads | places | at_once


def _behind_walls(command: Sequence[str], walls: Walls) -> list[str]:
    """The command under bubblewrap: no network, no other processes, no files but those that it needs, none to write."""
    wrapper = shutil.which("bwrap")
    if wrapper is None:
        raise BadInput("--sandbox needs bubblewrap (the program bwrap), which is not installed here")
    ours = [HOUSE, Path(sys.prefix), Path(sys.base_prefix), *map(Path, filter(None, sys.path))]
    seen = [option for path in _outermost([*ours, cache_dir(), *walls.windows]) for option in ("--ro-bind", path, path)]
    return [
        wrapper, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--ro-bind", "/usr", "/usr", *_links(), "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",
        *seen, "--chdir", str([*walls.windows, "/tmp"][0]), "--setenv", "HOME", "/tmp", *command,
    ]  # fmt: skip


def _links() -> list[str]:
    """Folders of the system that lie elsewhere, as they do here."""
    found: list[str] = []
    for name in ("/bin", "/lib", "/lib64", "/sbin"):
        if Path(name).is_symlink():
            found += ["--symlink", os.readlink(name), name]
        elif Path(name).is_dir():
            found += ["--ro-bind", name, name]
    for name in ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/localtime"):
        found += ["--ro-bind-try", name, name]
    return found


def _outermost(paths: Iterable[Path]) -> list[str]:
    """The places that are there, none of them inside another."""
    places = {place for path in paths if path.exists() for place in (path.absolute(), path.resolve())}
    return sorted(str(one) for one in places if not any(other in one.parents for other in places))
