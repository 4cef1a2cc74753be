"""The server's doors: who is connected, how long a request may take to arrive, and how much is written to the log.

A connection that has asked nothing yet costs its visitor nothing, so it must cost the server little: it is cut after
some seconds, and when there are many, the oldest of the address that has most of them is cut at once. Requests that
have arrived, and seats at a match, are never cut.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

ARRIVAL = 10.0
"""Seconds in which a request must have arrived."""
MOST_UNASKED, MOST_UNASKED_OF_ONE = 400, 64
"""Connections that have not asked anything: in all, and from one address."""
LINES, WINDOW = 5, 60.0
"""Log lines of one kind in so many seconds."""

_unasked: dict[asyncio.Protocol, str] = {}
"""Connections without a request, the oldest first, and their addresses."""


class Connection(H11Protocol):
    """One connection, as uvicorn speaks with it, with a clock for what is to arrive."""

    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        if self._clock is None and (self.cycle is None or self.cycle.response_complete):
            self._await_request()
        super().data_received(data)
        if self.transport.get_protocol() is not self or self._is_answering():
            self._has_asked()

    def _is_answering(self) -> bool:
        """Whether a whole request has arrived and is not answered yet."""
        return self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete

    def connection_lost(self, exc: Exception | None) -> None:
        self._has_asked()
        super().connection_lost(exc)

    def _await_request(self) -> None:
        address = self.client[0] if self.client else ""
        self._clock = self.loop.call_later(ARRIVAL, self.cut)
        _unasked[self] = address
        busiest, count = Counter(_unasked.values()).most_common(1)[0]
        if count > MOST_UNASKED_OF_ONE or len(_unasked) > MOST_UNASKED:
            _cut_oldest(busiest)

    def _has_asked(self) -> None:
        _unasked.pop(self, None)
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def cut(self) -> None:
        self._has_asked()
        self.transport.abort()


def _cut_oldest(address: str) -> None:
    oldest = next(one for one, where in _unasked.items() if where == address)
    assert isinstance(oldest, Connection)
    oldest.cut()


def allow_many_files() -> None:
    """As many open files, and so connections, as the system lets this user have."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Sparing(logging.Filter):
    """Lets so many lines of one kind through, and then says once that there are more: nobody can fill the log."""

    def __init__(self) -> None:
        super().__init__()
        self._since, self._lines = 0.0, Counter[Any]()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError):
            return False  # the server ends, and with it what was under way
        if time.monotonic() - self._since > WINDOW:
            self._since, self._lines = time.monotonic(), Counter()
        self._lines[record.name, record.msg] += 1
        count = self._lines[record.name, record.msg]
        if count == LINES:
            record.msg = f"{record.msg} (more lines like this are left out for a minute)"
        return count <= LINES


def spare_the_log() -> None:
    """Everything is logged through one handler, and sparingly."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(Sparing())
