"""The champion: its plans keep the rules, heed the time they are given, and its numbers can be tuned."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import agent, load
from ludus.agents.planet_wars._outlook import OUTLOOK, look, turn_round
from ludus.agents.planet_wars.champion import MOST_SIEGES, TUNED, WORK, Champion
from ludus.compile import template
from ludus.errors import BadSpec
from ludus.learn.evolution import Settings, train
from ludus.runs import RunFolder
from ludus.workers import Threads
from tests.agents.planet_wars.test_outlook import GAME, outlooks, positions
from tests.agents.planet_wars.test_planner import plan


@template
def look_and_turn(states, player, outlooks):
    for i in range(states.shape[0]):
        look(states[i], player, 50, outlooks[i])
        turn_round(outlooks[i])


def test_turned_round_an_outlook_is_the_rivals():
    states = positions()[::20]
    turned = np.zeros(len(states), OUTLOOK)
    GAME.kernel(look_and_turn)(states, 0, turned)
    rivals = outlooks(states, 1)
    for table in ("owner", "ships", "landing", "leaving", "spare"):
        assert np.array_equal(turned[table], rivals[table]), table


@pytest.mark.parametrize("trust", ["0", "0.5", "1"])
def test_a_plan_is_allowed_however_replies_count(trust):
    assert plan(f"champion:trust={trust}") != []


def work(spec: str, states: np.ndarray | None = None) -> int:
    """What a plan took, in turns of sieges."""
    player = agent(spec, GAME)
    player.act_many(positions()[20:21] if states is None else states, np.array([0]), np.zeros((1, 1), np.uint64))
    return player.work


def test_more_time_tries_more_plans_up_to_all():
    least, most = work("champion:ms=1"), work("champion:ms=10000")
    assert work("champion:ms=1,starts=1") <= least < most
    assert most == work("champion:ms=20000")


def test_plans_are_played_out_more_often_with_more_time():
    assert work("champion:ms=20,casts=1") < work("champion:ms=20") < work("champion:ms=10000")
    assert work("champion:ms=10000,casts=1") < work("champion:ms=10000,casts=8") == work("champion:ms=10000")


def test_a_turn_takes_about_the_milliseconds_that_it_is_given():
    """Up to what must be done anyway: few steps of one draft, a planner's orders, and what moves up."""
    states = positions()[20::100]
    for ms in (1, 2, 5, 20):
        player = agent(f"champion:ms={ms}", GAME)
        took = []
        for k in range(len(states)):
            player.act_many(states[k : k + 1], np.array([0]), np.zeros((1, 1), np.uint64))
            took.append(player.work / WORK)
        assert np.mean(took) < 1.2 * ms + 0.3
        assert max(took) < 1.5 * ms + 2


def test_more_time_besieges_more_often():
    sieges = [int(agent(f"champion:ms={ms}", GAME)._weights["sieges"][0]) for ms in (1, 10, 10_000)]
    assert 2 == sieges[0] < sieges[1] < sieges[2] == MOST_SIEGES


STUCK = """
P 0 0 1 0 0
P 5 0 2 50 5
P 9 0 0 20 3
"""


def test_where_there_is_nothing_to_choose_more_time_is_not_spent():
    states = GAME.parse_state(STUCK, 2, GAME.rule_values())
    least, most = work("champion:ms=20", states), work("champion:ms=10000", states)
    assert 0 < work("champion:ms=1", states) <= least == most < 5_000


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(BadSpec, match="trust must be at most 1"):
        agent("champion:trust=2", GAME)
    with pytest.raises(BadSpec, match="ms must be at least 1"):
        agent("champion:ms=0", GAME)


def test_tuned_numbers_are_played_within_their_ends():
    tuned = agent(agent("champion", GAME).tuned(np.full(len(TUNED), 1e6)), GAME)
    assert isinstance(tuned, Champion)
    assert [float(tuned._weights[name][0]) for name in TUNED] == [high for _, high in TUNED.values()]
    numbers = agent("champion", GAME).tunable()
    assert agent("champion", GAME).tuned(numbers) == agent("champion", GAME)


def test_evolution_changes_its_numbers(tmp_path):
    settings = Settings(agent="champion:starts=1;tries=2", opponents="rage", generations=1, population=4, games=1)
    game = load("planet_wars")
    values = game.rule_values("skirmish", {"turns": 8})
    run = RunFolder(tmp_path)
    (row,) = train(game, values, settings, run, 1, Threads(1))
    assert -100 <= row["margin"] <= 100
    assert len(np.loadtxt(tmp_path / "numbers.txt")) == len(TUNED)


BEHIND = """
P 0 0 1 40 5
P 5 0 1 10 5
P 10 0 1 20 5
P 16 0 2 60 5
P 30 0 2 90 5
"""


def test_what_is_spare_behind_the_front_moves_up():
    assert {"0 1 40", "1 2 10"} <= set(plan("champion", BEHIND))
