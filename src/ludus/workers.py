"""Where work runs. Whoever has much to do asks for workers and hands them items; how many there are, and on which
machine, is said once, by the command that was called, and never by the work itself.

`stream` draws an item only when a worker is free for it, so that a source of items may look at what came back before
it decides what is next; results come as they are finished. Work is a function of its item alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from threading import Thread
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
    """Threads of this process: compiled code runs without Python's lock, so they share all cores.

    They are daemons, and nobody waits for one that is at work when the stream is closed: else Ctrl-C would be heard
    only when the longest search is over.
    """

    def __init__(self, count: int = 0):
        self.count = count if count > 0 else os.cpu_count() or 1

    def stream(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        orders, answers = SimpleQueue(), SimpleQueue()
        waiting, threads, busy = iter(items), 0, 0
        try:
            while True:
                while busy < self.count and (order := next(waiting, _STOP)) is not _STOP:
                    if threads == busy:
                        Thread(target=_serve, args=(work, orders, answers), daemon=True).start()
                        threads += 1
                    orders.put(order)
                    busy += 1
                if not busy:
                    return
                result, error = answers.get()
                busy -= 1
                if error is not None:
                    raise error
                yield result
        finally:
            for _ in range(threads):
                orders.put(_STOP)


_STOP = object()


def _serve(work: Callable, orders: SimpleQueue, answers: SimpleQueue) -> None:
    """The life of one thread."""
    while (order := orders.get()) is not _STOP:
        try:
            answers.put((work(order), None))
        except BaseException as error:  # raised again where the results are awaited
            answers.put((None, error))


def workers(on: str = "threads", count: int = 0) -> Workers:
    """Workers by the name of their place."""
    if on != "threads":
        raise UnknownName("place to work", on, ["threads"])
    return Threads(count)
