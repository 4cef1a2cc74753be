"""A bot that crashes, stalls or cheats is a recorded outcome, and the tournament goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus import load
from ludus.arena.blocks import rotations
from ludus.arena.bulk import Arena
from ludus.arena.hosts import Clock
from ludus.arena.schedule import make_schedule
from ludus.arena.tournament import Tournament
from ludus.records import Store
from ludus.workers import Threads

HOSTILE = str(Path(__file__).with_name("hostile_agent.py"))

WAYS = {
    "raise": ("exception", "ValueError: I do not want to"),
    "sleep": ("timeout", "no answer within"),
    "illegal": ("illegal", "may not play 99"),
    "garbage": ("illegal", "a whole number, not 'rubbish'"),
    "unpicklable": ("exception", ""),
    "exit": ("crash", "exit code 3"),
    "die": ("crash", "exit code 7"),
}


@pytest.fixture(scope="module")
def hostile_tournament(tmp_path_factory):
    """Every way to misbehave meets `random`, in one tournament."""
    specs = ["random", *(f"{HOSTILE}:how={way}" for way in WAYS), HOSTILE]
    plan = make_schedule("tic_tac_toe", specs, "default", {}, format="gauntlet", blocks=2, move_seconds=3.0, seed=5)
    with Store(tmp_path_factory.mktemp("hosts") / "store.sqlite") as store:
        tournament = Tournament(plan, store, workers=Threads(2))
        outcome = tournament.run()
        tournament.played = [record for _, record in store.matches(outcome.name)]
        yield tournament, outcome


@pytest.mark.parametrize("way", WAYS)
def test_misbehaviour_is_recorded_with_its_reason(hostile_tournament, way):
    tournament, outcome = hostile_tournament
    spec = f"{HOSTILE}:how={way}"
    records = [record for record in tournament.played if spec in record.agents]
    assert len(records) == 4
    for record in records:
        assert record.outcome == WAYS[way][0]
        assert WAYS[way][1] in record.detail
        assert record.agents[record.culprit] == spec
        assert record.returns[record.culprit] == -1
    assert sum(fault.count for fault in outcome.faults if fault.agent == spec) == 4


def test_the_tournament_goes_on(hostile_tournament):
    tournament, outcome = hostile_tournament
    assert outcome.played == tournament.total == 2 * 2 * (len(WAYS) + 1)
    behaved = [record for record in tournament.played if HOSTILE in record.agents]
    assert all(record.outcome == "finished" for record in behaved)
    assert "random" not in {fault.agent for fault in outcome.faults}


def test_an_agent_apart_plays_as_it_does_here():
    game, tables = load("tic_tac_toe"), rotations([0, 1], 0)
    apart = Arena(game, ["random", "mcts:sims=20"], seed=9, apart=True)
    here = Arena(game, ["random", "mcts:sims=20"], seed=9)
    moves = [[record.actions for group in hall.play(tables) for _, record in group] for hall in (apart, here)]
    assert moves[0] == moves[1]


def test_a_clock_for_the_match_runs_down():
    clock = Clock(move=2.0, match=5.0)
    assert clock.left(0) == 2.0
    assert clock.left(4.5) == pytest.approx(0.5)
    assert clock.left(9) < 0.001
    assert Clock().left(100) == float("inf")
