"""`check_program`: does somebody's program keep the contest's protocol? A report for authors of bots."""

from __future__ import annotations

import subprocess
import time
from contextlib import closing

import numpy as np

from ludus.arena.hosts import Safety, host
from ludus.arena.hosts.program import TURN, Program
from ludus.arena.match import Match
from ludus.catalogue import agent, command_words, load
from ludus.errors import AgentFault, Mismatch
from ludus.game import Game
from ludus.testing.report import Report

RIVALS = ("dual", "rage")
ENDS_WITHIN = 5.0
"""Seconds from the end of its input to its own."""
CHECK_OF = {"timeout": "answers in time", "crash": "stays alive"}


def check_program(spec: str, name: str | Game, *, seed: int = 0, safety: Safety | None = None) -> Report:
    """Whole matches against example bots, from both seats: orders that are allowed, in time, to the end."""
    game = load(name)
    report = Report(f"{spec} in {game.source}")
    command = f"ludus check --agent '{spec}' {game.source} --seed {seed}"
    player = host(spec, game, safety=safety)
    assert isinstance(player, Program)
    player.start()
    rivals = [agent(rival, game) for rival in _rivals(game)]
    times: list[float] = []
    with closing(player):
        for block, rival in enumerate(rivals):
            for seat in range(2):
                match = Match(game, 2, seed=seed, block=block, rotation=seat)
                try:
                    _play(report, match, player, seat, rival, times)
                except AgentFault as fault:
                    where = f"as player {1 + seat} against {rival.name}"
                    report.fail(CHECK_OF.get(fault.reason, "orders are allowed"), f"{fault}, {where}", command)
                    return report
    report.skipped["time a turn"] = (
        f"{1e3 * float(np.median(times)):.0f} ms in the middle, {1e3 * max(times):.0f} ms at most, of {TURN:g} s"
    )
    _check_end(report, spec, game, seed, command)
    return report


def _rivals(game: Game) -> tuple[str, ...]:
    if not game.writes("contest_text"):
        raise Mismatch(f"{game.name} has no protocol for programs; Planet Wars has")
    return RIVALS


def _play(report: Report, match: Match, player: Program, seat: int, rival, times: list[float]) -> None:
    player.begin()
    while not match.over:
        for acting, view in match.waiting().items():
            if acting != seat:
                match.submit(acting, rival.act(view, match.stream(acting)))
                continue
            fresh, started = not player.pending, time.perf_counter()
            match.submit(acting, player.ask(view, match.stream(acting), TURN))
            if fresh:
                times.append(time.perf_counter() - started)
                report.count("answers in time")
            report.count("orders are allowed")
    player.end()
    report.count("stays alive")


def _check_end(report: Report, spec: str, game: Game, seed: int, command: str) -> None:
    """A program whose input ends should end too; the arena ends it anyway, other referees wait."""
    match = Match(game, 2, seed=seed)
    text = game.module.contest_text(match.states[0], 0)
    try:
        subprocess.run(
            command_words(spec), input=text.encode(), capture_output=True, timeout=ENDS_WITHIN, check=False,
            start_new_session=True,
        )  # fmt: skip
        report.count("ends with its input")
    except subprocess.TimeoutExpired:
        sentence = f"still running {ENDS_WITHIN:g} s after the end of its input"
        report.fail("ends with its input", sentence, command)
