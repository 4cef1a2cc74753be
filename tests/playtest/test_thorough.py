"""What a playtest does where it has time: forbid actions, train a network."""

from __future__ import annotations

import pytest

from ludus.catalogue import load
from ludus.playtest.plan import Mode, Order
from ludus.playtest.run import Runner
from ludus.playtest.training import FIRST_SIMS, level, pays, sims_for
from ludus.playtest.verdict import read
from ludus.tuning.advice import advice
from ludus.workers import Threads
from tests.playtest.small import GAMES

TINY = Mode("quick", 2, 0.2, 16)


def test_actions_are_forbidden_and_what_that_told_is_kept(tmp_path):
    order = Order(str(GAMES / "market.py"), "default", {}, 2, Mode("quick", 2, 0.2, 8), games=60, bans=True)
    found = [Runner(order, tmp_path).run() for _ in range(2)]
    assert {one.kind for one in found[0].restricted} >= {"crown", "oil"}
    assert found[0].restricted == found[1].restricted
    assert any(reading.metric == "restricted_play" for reading in read(found[0]).numbers)


def test_a_network_is_the_top_of_the_ladder(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("onnxruntime")
    order = Order("tic_tac_toe", "default", {}, 2, TINY, games=8, train=True)
    found = Runner(order, tmp_path).run()
    network = level(load("tic_tac_toe"), tmp_path / "trained", FIRST_SIMS)
    assert network in found.levels
    assert any(set(lineup.specs) == {network.spec, "mcts:sims=16"} for lineup in found.lineups)
    assert any("a network trained for this playtest" in note and "in 8 matches" in note for note in found.notes)
    again = Runner(order, tmp_path).run()
    assert again.notes == found.notes


def test_a_network_thinks_as_long_as_the_search():
    assert sims_for(1.0, 16, 0.1) == 160
    assert sims_for(0.123, 100, 0.1) == 120
    assert sims_for(0.001, 16, 1.0) == 4


def test_a_training_pays_where_the_game_has_a_board():
    pytest.importorskip("torch")
    assert pays(load("connect_four"))
    assert not pays(load("goofspiel"))


def test_a_step_of_the_right_rule_is_advised(tmp_path):
    """The auction is far from fair, and of its rules only the tax does anything."""
    game = str(GAMES.parents[1] / "tuning" / "games" / "lots.py")
    found = Runner(Order(game, "default", {}, 2, Mode("quick", 2, 0.2, 8), games=300), tmp_path).run()
    steps = advice(found, read(found).lights, 0.0, 1200, Threads(1))
    assert (steps[0].name, steps[0].before, steps[0].after) == ("tax", 0, 1)
    assert steps[0].is_sure
    assert {step.name for step in steps if step.is_sure} == {"tax"}
    assert "`tax` from 0 to 1 surely helps" in steps[0].sentence
