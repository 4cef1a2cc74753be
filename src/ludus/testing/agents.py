"""`check_agent`: does an agent keep the contract?"""

from __future__ import annotations

import time

from ludus.arena.match import Match
from ludus.catalogue import agent, load
from ludus.errors import AgentFault
from ludus.game import Game, View
from ludus.testing.report import Report


def check_agent(spec: str, name: str | Game, *, matches: int = 2, seed: int = 0, seconds: float = 10.0) -> Report:
    """Does an agent answer legally, in time, and the same for the same seed, without touching its view?"""
    game = load(name)
    report = Report(f"{spec} in {game.source}")
    command = f"ludus check --agent {spec} {game.source} --seed {seed}"
    for players in range(game.facts.players[0], game.facts.players[1] + 1):
        player, twin = agent(spec, game), agent(spec, game)
        for block in range(matches):
            match = Match(game, players, seed=seed, block=block)
            while not match.over:
                for seat, view in match.waiting().items():
                    place = f"ply {match.plies}, {players} players"
                    try:
                        action = _ask_twice(report, command, player, twin, match, seat, view, seconds)
                        match.submit(seat, action)
                        report.count("answers are legal")
                    except AgentFault as fault:
                        report.fail("answers are legal", f"{fault}, {place}", command)
                        return report
                    except Exception as error:  # the agent's own code, whatever it raises
                        report.fail("raises no error", f"{type(error).__name__}: {error}, {place}", command)
                        return report
    return report


def _ask_twice(report, command, player, twin, match: Match, seat: int, view: View, seconds: float):
    before, word = view.states.tobytes(), match.stream(seat).copy()
    place = f"ply {match.plies}, seat {seat}"
    started = time.perf_counter()
    action = player.act(view, match.stream(seat))
    used = time.perf_counter() - started
    # The first answer may have to compile.
    if used > seconds and match.plies > 0:
        report.fail("answers in time", f"{used:.1f} s at {place}, more than {seconds:g}", command)
    report.count("answers in time")
    if view.states.tobytes() != before:
        report.fail("leaves its view alone", f"the view was changed at {place}", command)
    report.count("leaves its view alone")
    if player.repeatable:
        if twin.act(View(match.game, match.states, seat), word) != action:
            report.fail("same seed, same answer", f"a second agent answers otherwise at {place}", command)
        report.count("same seed, same answer")
    else:
        report.skipped["same seed, same answer"] = "the agent is limited by time"
    return action
