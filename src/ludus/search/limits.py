"""A limit in time, for a search that can stop only between chunks of work.

Time is what this thread has computed, not what has passed: a busy machine makes a search slower, never weaker, and two
that are compared get the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

clock = time.thread_time


def chunks(deadline: float, first: int, least: int = 1) -> Iterator[int]:
    """How much work to do next, again and again until the deadline, by `clock`, has passed."""
    chunk, left = first, 1.0
    while left > 0:
        started = clock()
        yield chunk
        now = clock()
        left = deadline - now
        # The next chunk should fill a quarter of what is left, so that the last one does not overrun.
        chunk = max(least, min(chunk * 4, int(chunk * left / max(now - started, 1e-9) / 4)))
