"""Who thinks: a few processes for all visitors, so that neither a search nor a compiler ever holds up the page.

Work is bounded by processor time, which the kernel enforces: whoever overruns it is ended, and a fresh process takes
its place. Visitors share fairly: nobody has more than half of the processes, and who has used least goes first.
Whoever gives up waiting (a cancelled task) ends what was begun for it.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import queue
import resource
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ludus.errors import AgentFault, LudusError

HOUSE = ""
"""The visitor in whose name the house itself works: after everybody else."""
SLACK = 10.0
"""A process that gets no processor, or sleeps, may take so many times as long as its work is allowed to cost."""
FORGIVEN = 60.0
"""Seconds after which it no longer matters who has used how much."""
LENGTH = struct.Struct(">Q")


@dataclass(eq=False)
class Work:
    """Something to be done in a process: a function of a module, which gets what is pickled."""

    visitor: str
    message: bytes
    seconds: float
    is_slow: bool
    done: asyncio.Future = field(repr=False)


class Thinkers:
    """The processes, and the line of work before them."""

    def __init__(self, count: int = 0):
        self.count = count or max(4, 2 + (os.cpu_count() or 1))
        self._idle: list[Process] = []
        self._running: dict[asyncio.Task, Work] = {}
        self._waiting: list[Work] = []
        self._used: dict[str, float] = {}
        self._since = time.monotonic()

    async def run(
        self, visitor: str, function: Callable, *arguments: Any, seconds: float, is_slow: bool = False
    ) -> Any:
        """What the function gives; AgentFault where it fails or takes too long. Slow work, such as compiling, never
        takes more than half of the processes."""
        done = asyncio.get_running_loop().create_future()
        message = pickle.dumps((function, arguments, seconds))
        work = Work(visitor, message, seconds, is_slow, done)
        self._waiting.append(work)
        self._go_on()
        try:
            return await done
        finally:
            self._withdraw(work)

    def _withdraw(self, work: Work) -> None:
        if work in self._waiting:
            self._waiting.remove(work)
        for task, running in self._running.items():
            if running is work and work.done.cancelled():
                task.cancel()

    def close(self) -> None:
        """End everything."""
        for work in self._waiting:
            work.done.cancel()
        for task in self._running:
            task.cancel()
        for process in self._idle:
            process.end()
        self._waiting, self._idle = [], []
        self.count = 0

    # -------------------------------------------------------------------------------------------- whose turn it is

    def _go_on(self) -> None:
        while len(self._running) < self.count and (work := self._next()):
            self._waiting.remove(work)
            task = asyncio.get_running_loop().create_task(self._do(work))
            self._running[task] = work
            task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task) -> None:
        del self._running[task]
        self._go_on()

    def _next(self) -> Work | None:
        """The work of the visitor that has used least, among those that may have another process."""
        if time.monotonic() - self._since > FORGIVEN:
            self._used, self._since = {}, time.monotonic()
        return min(filter(self._may_begin, self._waiting), key=self._claim, default=None)

    def _may_begin(self, work: Work) -> bool:
        half, running = max(1, self.count // 2), self._running.values()
        if work.is_slow and sum(other.is_slow for other in running) >= half:
            return False
        most = 1 if work.visitor == HOUSE else half
        return sum(other.visitor == work.visitor for other in running) < most

    def _claim(self, work: Work) -> tuple[bool, int, float]:
        running = sum(other.visitor == work.visitor for other in self._running.values())
        return work.visitor == HOUSE, running, self._used.get(work.visitor, 0.0)

    # -------------------------------------------------------------------------------------------- doing it

    async def _do(self, work: Work) -> None:
        started, kind = time.monotonic(), "timeout"
        value: Any = f"no answer within {work.seconds:g} s of thinking"
        process = self._idle.pop() if self._idle else Process()
        try:
            kind, value = await process.ask(work.message, SLACK * work.seconds)
        except (EOFError, OSError, TimeoutError):
            pass  # the kernel has ended it, or it sleeps
        except Exception as error:  # nobody must wait for a process that could not be made
            value = f"{type(error).__name__}: {error}"
        finally:
            self._used[work.visitor] = self._used.get(work.visitor, 0.0) + time.monotonic() - started
            if kind == "timeout" or not self.count:
                process.end()
            else:
                self._idle.append(process)
        if work.done.done():
            return
        if kind == "result":
            work.done.set_result(value)
        else:
            work.done.set_exception(AgentFault(kind, value))


class Process:
    """One of them. It starts with its first question: a copy of a process that has everything loaded."""

    def __init__(self) -> None:
        self._process: Any = None
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, message: bytes, seconds: float) -> tuple[str, Any]:
        if self._writer is None:
            await self._start()
        assert self._writer is not None
        assert self._reader is not None
        self._writer.write(LENGTH.pack(len(message)) + message)
        async with asyncio.timeout(seconds):
            (length,) = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))
            return pickle.loads(await self._reader.readexactly(length))

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        self._process = _context().Process(target=_serve, args=(theirs,), daemon=True)
        with theirs:
            await asyncio.to_thread(self._process.start)
        ours.setblocking(False)
        self._reader, self._writer = await asyncio.open_connection(sock=ours)

    def end(self) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._process is not None and self._process.pid:
            self._process.kill()


def _context() -> Any:
    """A server that has loaded everything makes copies of itself: a new process takes some milliseconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ludus.web.preload"])
    return context


# ------------------------------------------------------------------------------------------------ in the process


def _serve(line: socket.socket) -> None:
    """The life of such a process: ends when the other side closes the line, also in the middle of its work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes the line
    os.nice(10)  # who clicks goes first
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(line, messages), daemon=True).start()
    while True:
        function, arguments, seconds = pickle.loads(messages.get())
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime + seconds + 1)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        try:
            answer = "result", function(*arguments)
        except LudusError as error:
            answer = "exception", str(error)
        except Exception as error:
            answer = "exception", f"{type(error).__name__}: {error}"
        text = pickle.dumps(answer)
        line.sendall(LENGTH.pack(len(text)) + text)


def _listen(line: socket.socket, messages: queue.SimpleQueue[bytes]) -> None:
    with line.makefile("rb") as source:
        while header := source.read(LENGTH.size):
            messages.put(source.read(LENGTH.unpack(header)[0]))
    os._exit(0)
