"""Lock-step, stepper and two threads: one record."""

from __future__ import annotations

from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.arena.lockstep import play_batch, records_of
from ludus.arena.match import Match
from ludus.catalogue import agent
from ludus.game import Game
from ludus.testing.report import Report, Setting
from ludus.workers import Threads


def check_records(report: Report, game: Game, setting: Setting, matches: int = 6) -> None:
    values = game.rule_values(setting.preset)
    seatings = [seating for block in range(matches) for seating in rotations([0] * setting.players, block)[:1]]
    player = [agent("random", game)]
    batch = play_batch(game, player, seatings, setting.seed, values, with_history=True)
    bulk = list(records_of(batch, game, player, setting.seed, values))
    for record in bulk:
        match = Match(game, setting.players, values, seed=setting.seed, block=record.block)
        while not match.over:
            for seat, view in match.waiting().items():
                match.submit(seat, player[0].act(view, match.stream(seat)))
        if match.record(record.agents) != record:
            sentence = f"match {record.block} differs between bulk play and the stepper (ply {match.plies})"
            report.fail("bulk", sentence, setting.command(game, record.block))
            return
        report.count("bulk")
    for jobs in (1, 2):
        groups = Arena(game, ["random"], values, seed=setting.seed).play(seatings, Threads(jobs))
        played = sorted((record.block, record.to_json()) for group in groups for _, record in group)
        if played != [(record.block, record.to_json()) for record in bulk]:
            report.fail("same_seed", f"the records on {jobs} threads differ for the same seed", setting.command(game))
            return
        report.count("same_seed")
