"""A match as a story: what each seat could expect all along, with pictures of the moments that made it."""

from __future__ import annotations

from string import ascii_uppercase

import numpy as np

from ludus.measure.replays import Trace
from ludus.report.boards import Projector, still
from ludus.report.charts import Line, Moment, line_chart
from ludus.report.page import safe

WIDE = 1.96
"""Standard errors on each side of a curve."""


def story(projector: Projector, trace: Trace) -> str:
    film = projector.film
    lines = [_line(trace.expected[:, seat], trace.errors[:, seat], seat) for seat in range(film.record.players)]
    signs = dict(zip(sorted(film.moments), ascii_uppercase))
    moments = [Moment(ply, sign) for ply, sign in signs.items()]
    chart = line_chart(film.title, "ply", lines, is_log=False, moments=moments)
    stills = "".join(still(projector, ply, sign, film.moments[ply]) for ply, sign in signs.items())
    return f"<div class=story>{chart}<p>{safe(film.words)}</p><div class=stills>{stills}</div></div>"


def _line(expected: np.ndarray, errors: np.ndarray, seat: int) -> Line:
    low, high = np.clip(expected - WIDE * errors, 0, 1), np.clip(expected + WIDE * errors, 0, 1)
    looked_at = [0, *(1 + np.flatnonzero(np.diff(expected) != 0)), len(expected) - 1]  # what holds on is no new look
    plies = np.arange(len(expected))
    middle, low, high = (np.interp(plies, looked_at, curve[looked_at]).tolist() for curve in (expected, low, high))
    return Line(f"player {seat + 1}", list(zip(plies.tolist(), middle)), list(zip(low, high)))
