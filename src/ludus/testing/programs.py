"""`check_program`: does somebody's program keep the protocol? A report for authors of bots: what it was asked, what it
answered, what is wrong."""

from __future__ import annotations

import subprocess
import time
from contextlib import closing

import numpy as np

from ludus.arena.hosts import Clock, Safety, host
from ludus.arena.hosts.cage import clean
from ludus.arena.hosts.program import TURN, Program
from ludus.arena.match import Match
from ludus.catalogue import agent, command_words, load
from ludus.errors import AgentFault
from ludus.game import Game
from ludus.testing.report import Report

RIVALS = ("dual", "rage")
"""In the contest; at random elsewhere, where the clock is this:"""
SECONDS = 10.0
ENDS_WITHIN = 5.0
"""Seconds from the end of its input to its own."""
CHECK_OF = {"timeout": "answers in time", "crash": "stays alive"}


def check_program(
    spec: str, name: str | Game, *, seed: int = 0, seconds: float | None = None, safety: Safety | None = None
) -> Report:
    """Whole matches from every seat: answers that are allowed, in time, to the end."""
    game = load(name)
    report = Report(f"{spec} in {game.source}")
    command = f"ludus check --agent '{spec}' {game.source} --seed {seed}"
    player = host(spec, game, safety=safety, clock=Clock(seconds) if seconds else None)
    assert isinstance(player, Program)
    player.start()
    rivals = [agent(rival, game) for rival in _rivals(game)]
    players, seconds = game.facts.players[0], seconds or (TURN if game.writes("contest_text") else SECONDS)
    times: list[float] = []
    with closing(player):
        for block, rival in enumerate(rivals):
            for seat in range(players):
                match = Match(game, players, seed=seed, block=block, rotation=seat)
                try:
                    _play(report, match, player, seat, rival, times, seconds)
                except AgentFault as fault:
                    where = f"as player {1 + seat} against {rival.name}"
                    _tell(report, player)
                    report.fail(CHECK_OF.get(fault.reason, "answers are allowed"), f"{fault}, {where}", command)
                    return report
    _tell(report, player)
    middle, most = 1e3 * float(np.median(times)), 1e3 * max(times)
    report.notes.append(f"a turn took {middle:.0f} ms in the middle, {most:.0f} ms at most, of {seconds:g} s")
    _check_end(report, spec, game, player, seed, command)
    return report


def _tell(report: Report, player: Program) -> None:
    """The last question and answer: where something is wrong, those that it is about."""
    report.notes += [f"it was asked   {_cut(player.asked)}", f"it answered    {_cut(player.answered) or 'nothing'}"]


def _cut(text: str, most: int = 300) -> str:
    text = clean(" / ".join(text.split("\n"))).strip(" /")
    return text if len(text) <= most else f"{text[:most]} …"


def _rivals(game: Game) -> tuple[str, ...]:
    return RIVALS if game.writes("contest_text") else ("random",)


def _play(report: Report, match: Match, player: Program, seat: int, rival, times: list[float], seconds: float) -> None:
    player.begin()
    while not match.over:
        for acting, view in match.waiting().items():
            if acting != seat:
                match.submit(acting, rival.act(view, match.stream(acting)))
                continue
            fresh, started = not player.pending, time.perf_counter()
            match.submit(acting, player.ask(view, match.stream(acting), seconds))
            if fresh:
                times.append(time.perf_counter() - started)
                report.count("answers in time")
            report.count("answers are allowed")
    player.end()
    report.count("stays alive")


def _check_end(report: Report, spec: str, game: Game, player: Program, seed: int, command: str) -> None:
    """A program whose input ends should end too; the arena ends it anyway, other referees wait."""
    match = Match(game, game.facts.players[0], seed=seed)
    text = player.talk.question(match.view(match.acting[0]), 1, ENDS_WITHIN)
    try:
        subprocess.run(
            command_words(spec), input=text.encode(), capture_output=True, timeout=ENDS_WITHIN, check=False,
            start_new_session=True,
        )  # fmt: skip
        report.count("ends with its input")
    except subprocess.TimeoutExpired:
        sentence = f"still running {ENDS_WITHIN:g} s after the end of its input"
        report.fail("ends with its input", sentence, command)
