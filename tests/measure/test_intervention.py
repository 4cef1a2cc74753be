"""Planted actions: one that leaders do, and one that makes leaders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ludus.arena.bulk import Arena
from ludus.arena.lockstep import Seating
from ludus.catalogue import load
from ludus.game import Game
from ludus.measure.intervention import treated, turn_fields
from ludus.measure.run import measure
from ludus.rng import match_words

MARKET = str(Path(__file__).parent / "games" / "market.py")
HALVES = str(Path(__file__).parents[1] / "tuning" / "games" / "halves.py")


@pytest.fixture(scope="module")
def found():
    return measure(MARKET, ["action_use", "restricted_play"], agents=["random"], matches=1200, seed=1)


def worth(found, kind: str, what: str = "Worth"):
    return next(one.found for one in found.numbers if one.name == f"{what} of {kind}")


def test_a_lift_is_no_cause(found):
    """Leaders show crowns: who does wins more, and who may not loses nothing; nor does a free crown help."""
    lift = next(light for light in found.lights if light.topic == "Lift of actions")
    assert "crown" in lift.sentence
    crown = worth(found, "crown")
    assert crown.low <= 0 <= crown.high
    gift = worth(found, "crown", "Gift")
    assert gift.low <= 0 <= gift.high
    assert "crown" in next(light.sentence for light in found.lights if light.topic == "Lift without a cause")


def test_what_is_too_strong_is_a_cause(found):
    assert worth(found, "oil").low > 0.05
    assert worth(found, "oil", "Gift").low > 0.05
    light = next(light for light in found.lights if light.topic == "Strength of actions")
    assert "Who may not do *oil* loses" in light.sentence
    assert "who does it once for free gains" in light.sentence


@pytest.fixture(scope="module")
def market():
    return treated(load(MARKET), {}, 2)


def test_an_action_is_forbidden_to_one_seat_alone(market):
    assert set(market.numbers) == {"wait", "crown", "oil"}
    values = market.game.params.values({"treated": market.numbers["oil"], "treated_seat": 1})
    states = market.game.start(match_words(0, [0], [0], 2), 2, values)
    states["plies"] = 1
    assert 2 in market.game.menu(states, 0)
    assert 2 not in market.game.menu(states, 1)


def movers(game: Game, actions: list[int], **changes) -> list[int]:
    """Who acts, ply after ply, where each plays these actions."""
    words = match_words(0, [0], [0], 2)
    states, found = game.start(words, 2, game.params.values(changes)), []
    for action in actions:
        player = int(game.waiting(states)[0]) - 1
        found.append(player)
        game.advance(states, np.array([[action, -1] if player == 0 else [-1, action]], np.int32), words)
    return found


def test_what_is_free_uses_up_no_turn(market):
    """Once, for one seat."""
    oils = [0, 2, 2, 2, 2, 2, 2]
    free = {"treated": market.numbers["oil"], "treatment": "free"}
    assert market.gives
    assert movers(market.game, oils) == [0, 0, 1, 1, 0, 0, 1]
    assert movers(market.game, oils, **free, treated_seat=0) == [0, 0, 0, 1, 1, 0, 0]
    assert movers(market.game, oils, **free, treated_seat=1) == [
        0,
        0,
        1,
        1,
        0,
        0,
        1,
    ]  # who acts on keeps the turn anyway


def test_where_actions_are_counted_what_is_free_is_one_more():
    made = treated(load(HALVES), {}, 2)
    free = {"treated": made.numbers["1"], "treated_seat": 1, "treatment": "free"}
    assert movers(made.game, [1, 1, 0, 1, 1, 1, 1], **free) == [0, 0, 1, 1, 1, 0, 0]


@pytest.mark.parametrize(("name", "fields"), [("connect_four", ["turn"]), (MARKET, ["plies"]), ("goofspiel", [])])
def test_the_field_that_says_whose_turn_it_is_is_found(name, fields):
    game = load(name)
    arena = Arena(game, ["random"], seed=1)
    records = [record for group in arena.play(Seating((0, 0), block, 0) for block in range(20)) for _, record in group]
    assert turn_fields(game, records) == fields


def test_what_breaks_the_rules_is_not_given():
    """A tenth mark has no cell: tic-tac-toe counts its plies, so a turn that comes back leaves a player stuck."""
    assert not treated(load("tic_tac_toe"), {}, 2).gives
