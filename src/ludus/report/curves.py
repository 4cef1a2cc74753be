"""A match as a story: what each seat could expect all along, with pictures of the moments that made it."""

from __future__ import annotations

from string import ascii_uppercase

import numpy as np

from ludus.measure.replays import Trace
from ludus.report.boards import Boards, still
from ludus.report.charts import Line, Moment, line_chart
from ludus.report.page import safe

WIDE = 1.96
"""Standard errors on each side of a curve."""


def curve(boards: Boards, trace: Trace) -> str:
    example = boards.example
    lines = [_line(trace.expected[:, seat], trace.errors[:, seat], seat) for seat in range(example.record.players)]
    signs = dict(zip(sorted(example.moments), ascii_uppercase))
    moments = [Moment(ply, sign) for ply, sign in signs.items()]
    chart = line_chart(example.title, "ply", lines, is_log=False, moments=moments)
    stills = "".join(still(boards, ply, sign, example.moments[ply]) for ply, sign in signs.items())
    return f"<div class=story>{chart}<p>{safe(example.words)}</p><div class=stills>{stills}</div></div>"


def _line(expected: np.ndarray, errors: np.ndarray, seat: int) -> Line:
    low, high = np.clip(expected - WIDE * errors, 0, 1), np.clip(expected + WIDE * errors, 0, 1)
    looked_at = [0, *(1 + np.flatnonzero(np.diff(expected) != 0)), len(expected) - 1]  # what holds on is no new look
    plies = np.arange(len(expected))
    middle, low, high = (np.interp(plies, looked_at, curve[looked_at]).tolist() for curve in (expected, low, high))
    return Line(f"player {seat + 1}", list(zip(plies.tolist(), middle)), list(zip(low, high)))
