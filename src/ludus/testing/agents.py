"""`check_agent`: does an agent keep the contract?"""

from __future__ import annotations

import time
from contextlib import closing

from ludus.arena.hosts import USERS_CLOCK, Host, Safety, host
from ludus.arena.match import Match
from ludus.catalogue import load
from ludus.errors import AgentFault
from ludus.game import Game, View
from ludus.testing.report import Report

CHECK_OF = {"exception": "raises no error", "timeout": "answers in time", "crash": "stays alive"}


def check_agent(
    spec: str,
    name: str | Game,
    *,
    matches: int = 2,
    seed: int = 0,
    seconds: float = 10.0,
    safety: Safety | None = None,
) -> Report:
    """Does an agent answer legally, in time, and the same for the same seed, without touching its view?"""
    game = load(name)
    report = Report(f"{spec} in {game.source}")
    command = f"ludus check --agent {spec} {game.source} --seed {seed}"
    with closing(host(spec, game, safety=safety)) as player, closing(host(spec, game, safety=safety)) as twin:
        for players in range(game.facts.players[0], game.facts.players[1] + 1):
            for block in range(matches):
                match = Match(game, players, seed=seed, block=block)
                try:
                    player.start()
                    twin.start()
                    _check_match(report, command, player, twin, match, seconds)
                except AgentFault as fault:
                    place = f"ply {match.plies}, {players} players"
                    report.fail(CHECK_OF.get(fault.reason, "answers are legal"), f"{fault}, {place}", command)
                    return report
    return report


def _check_match(report: Report, command: str, player: Host, twin: Host, match: Match, seconds: float) -> None:
    while not match.over:
        for seat, view in match.waiting().items():
            match.submit(seat, _ask_twice(report, command, player, twin, match, seat, view, seconds))
            report.count("answers are legal")


def _ask_twice(report, command, player: Host, twin: Host, match: Match, seat: int, view: View, seconds: float):
    word = match.stream(seat).copy()
    place = f"ply {match.plies}, seat {seat}"
    started = time.perf_counter()
    action = player.ask(view, match.stream(seat), USERS_CLOCK.move + seconds)
    used = time.perf_counter() - started
    # The first answer may have to compile.
    if used > seconds and match.plies > 0:
        report.fail("answers in time", f"{used:.1f} s at {place}, more than {seconds:g}", command)
    report.count("answers in time")
    if player.manners.touched_view:
        report.fail("leaves its view alone", f"the view was changed at {place}", command)
    report.count("leaves its view alone")
    if player.manners.repeatable:
        if twin.ask(View(match.game, match.states, seat), word, USERS_CLOCK.move + seconds) != action:
            report.fail("same seed, same answer", f"a second agent answers otherwise at {place}", command)
        report.count("same seed, same answer")
    else:
        report.skipped["same seed, same answer"] = "the agent is limited by time"
    return action
