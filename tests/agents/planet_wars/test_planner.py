"""The planner and the champion: their plans keep the rules, follow their settings and beat what they should."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ludus import agent, load
from ludus.agents.planet_wars.planner import CHOICES
from ludus.arena.lockstep import Seating, play_batch, records_of
from ludus.arena.match import Match
from ludus.errors import BadSpec
from ludus.games import planet_wars as rules

GAME = load("planet_wars")
VALUES = GAME.rule_values("finals", {"turns": 120})


def wins(first: str, second: str, matches: int = 6, seed: int = 4) -> float:
    players = [agent(first, GAME), agent(second, GAME)]
    tables = [Seating((k % 2, 1 - k % 2), k // 2, k % 2) for k in range(matches)]
    batch = play_batch(GAME, players, tables, seed, VALUES)
    return float(np.mean([batch.returns[k, k % 2] == 1 for k in range(matches)]))


@pytest.mark.parametrize("rival", ["random_bot", "bully", "prospector", "dual", "rage"])
def test_the_planner_beats_the_example_bots(rival):
    assert wins("planner", rival) == 1


def test_the_champion_beats_the_planner():
    assert wins("champion", "planner", 4, seed=1) >= 0.75


@pytest.mark.parametrize("name", ["planner", "champion"])
def test_batch_and_stepper_play_the_same_match(name):
    players = [agent(name, GAME), agent("rage", GAME)]
    values = GAME.rule_values("skirmish", {"turns": 30})
    batch = play_batch(GAME, players, [Seating((0, 1), 0, 0)], 5, values, with_history=True)
    (record,) = records_of(batch, GAME, players, 5, values)
    match = Match(GAME, 2, values, seed=5)
    fresh = [agent(name, GAME), agent("rage", GAME)]
    while not match.over:
        for player, view in match.waiting().items():
            match.submit(player, fresh[player].act(view, match.stream(player)))
    assert match.actions == record.actions


def test_a_plan_does_not_depend_on_the_orders_that_are_given():
    """An agent that is asked in the middle of a turn goes on with the plan of that turn."""
    match = Match(GAME, 2, VALUES, seed=3)
    asked = [agent("planner", GAME).act(match.view(0), match.stream(0)) for _ in range(2)]
    assert asked[0] == asked[1] != rules.DONE
    match.submit(1, rules.DONE)
    match.submit(0, asked[0])
    second = agent("planner", GAME).act(match.view(0), match.stream(0))
    assert second != asked[0]


SKY = """
P 0 0 1 60 5
P 6 0 1 40 3
P 20 0 2 50 5
P 14 0 2 30 3
P 3 6 0 10 4
P 17 6 0 10 4
P 10 4 0 20 5
F 2 25 3 1 8 3
F 2 22 3 6 6 2
F 1 12 0 4 7 4
"""


def plan(spec: str, sky: str = SKY) -> list[str]:
    """The orders of a turn, in a crowded little position unless another is given."""
    states, orders = GAME.parse_state(sky, 2, GAME.rule_values()), []
    player = agent(spec, GAME)
    for step in itertools.count():
        action = int(player.act_many(states, np.array([0]), np.zeros((1, 1), np.uint64))[0])
        if action == rules.DONE:
            return orders
        assert GAME.allows(states, 0, action)
        orders.append(rules.action_text(states[0], 0, action))
        GAME.advance(states, np.array([[action, 0 if step == 0 else -1]], np.int32), np.zeros((1, 3), np.uint64))
    raise AssertionError


def test_without_parts_there_are_no_orders():
    off = "defend=off,snipe=off,attack=off,expand=off,supply=off"
    assert plan(f"planner:{off}") == []
    assert plan(f"planner:caution=never,{off.replace('expand=off', 'expand=on')}") != []


@pytest.mark.parametrize("name", CHOICES)
def test_every_reading_is_accepted_and_others_are_refused(name):
    for value in CHOICES[name]:
        plan(f"planner:{name}={value}")
    if CHOICES[name] != ("off", "on"):
        with pytest.raises(BadSpec, match=f"{name} is one of {', '.join(CHOICES[name])}, not 'sometimes'"):
            agent(f"planner:{name}=sometimes", GAME)


OPEN_TO_A_RUSH = """
P 0 0 1 40 5
P 20 0 2 190 5
P 10 5 0 20 4
P -3 0 0 10 5
"""

OPEN_LATER = """
P 0 0 1 60 5
P 18 0 2 10 5
P 8 0 0 20 5
P 30 9 2 900 1
"""


def expansion(sky: str, caution: str) -> list[str]:
    """Only the neutral planets that it goes to."""
    return plan(f"planner:defend=off,snipe=off,attack=off,supply=off,caution={caution}", sky)


def test_caution_spares_planets_that_would_leave_the_home_open():
    """Planet 3 pays even if the rival takes it right after; planet 2 does not, and takes the home's defence away."""
    assert expansion(OPEN_TO_A_RUSH, "never") == ["0 3 11", "0 2 21"]
    for caution in ("payback", "unsure"):
        assert expansion(OPEN_TO_A_RUSH, caution) == ["0 3 11"]
    assert expansion(OPEN_TO_A_RUSH, "always") == []


def test_caution_looks_until_a_planet_has_paid_or_to_the_horizon():
    """The large fleet is too far away to come before planet 2 has paid for itself."""
    assert expansion(OPEN_LATER, "payback") == ["0 2 21"]
    assert expansion(OPEN_LATER, "unsure") == []


TAKEN_SOON = """
P 0 0 1 20 5
P 8 0 1 20 5
P 14 0 0 3 5
P 24 0 2 60 5
F 1 9 1 2 6 3
"""

ROUND_THE_CORNER = """
P 0 0 2 60 5
P 3 0 1 20 5
P 3 4 1 20 5
P -5 7.4 1 20 5
"""


def supplies(sky: str, front: str) -> list[str]:
    return plan(f"planner:defend=off,snipe=off,attack=off,expand=off,route=direct,front={front}", sky)


def test_a_front_that_is_foreseen_lies_on_the_planet_that_is_about_to_be_taken():
    assert supplies(TAKEN_SOON, "now") == ["0 1 20"]
    assert {order.rsplit(" ", 1)[0] for order in supplies(TAKEN_SOON, "foreseen")} == {"0 1", "0 2"}


def test_only_the_front_shields_a_planet_unless_the_front_is_the_edge():
    """Planet 3 is nearer to planet 2 than to the rival, but planet 2 is behind the front itself.
    What goes to the front is shared by nearness to the rival, here 9 to 3."""
    assert supplies(ROUND_THE_CORNER, "now") == ["2 1 15", "2 3 5"]
    assert {order.split()[1] for order in supplies(ROUND_THE_CORNER, "edge")} == {"1"}
