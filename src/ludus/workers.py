"""Where work runs. Whoever has much to do asks for workers and hands them items; how many there are, and on which
machine, is said once, by the command that was called, and never by the work itself.

`stream` draws an item only when a worker is free for it, so that a source of items may look at what came back before
it decides what is next; results come as they are finished. Work is a function of its item alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Protocol, TypeVar

from ludus.errors import UnknownName

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers(Protocol):
    """Some workers somewhere."""

    count: int
    """How many items are in work at once."""

    def stream(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results of `work` on every item, as they are finished; closing the iterator abandons the rest."""
        ...


class Threads:
    """Threads of this process: compiled code runs without Python's lock, so they share all cores."""

    def __init__(self, count: int = 0):
        self.count = count if count > 0 else os.cpu_count() or 1

    def stream(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        waiting = iter(items)
        running: set[Future] = set()
        with ThreadPoolExecutor(self.count) as pool:
            try:
                while True:
                    running |= {pool.submit(work, item) for item in islice(waiting, self.count - len(running))}
                    if not running:
                        return
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            finally:
                for future in running:
                    future.cancel()


def workers(on: str = "threads", count: int = 0) -> Workers:
    """Workers by the name of their place."""
    if on != "threads":
        raise UnknownName("place to work", on, ["threads"])
    return Threads(count)
