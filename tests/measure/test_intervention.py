"""Planted actions: one that leaders do, and one that makes leaders."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.catalogue import load
from ludus.measure.intervention import ban_of
from ludus.measure.run import measure
from ludus.rng import match_words

MARKET = str(Path(__file__).parent / "games" / "market.py")


@pytest.fixture(scope="module")
def found():
    return measure(MARKET, ["action_use", "restricted_play"], agents=["random"], matches=1200, seed=1)


def worth(found, kind: str):
    return next(one.found for one in found.numbers if one.name == f"Worth of {kind}")


def test_a_lift_is_no_cause(found):
    """Leaders show crowns: who does wins more, and who may not loses nothing."""
    lift = next(light for light in found.lights if light.topic == "Lift of actions")
    assert "crown" in lift.sentence
    crown = worth(found, "crown")
    assert crown.low <= 0 <= crown.high
    assert "crown" in next(light.sentence for light in found.lights if light.topic == "Lift without a cause")


def test_what_is_too_strong_is_a_cause(found):
    assert worth(found, "oil").low > 0.05
    light = next(light for light in found.lights if light.topic == "Strength of actions")
    assert "Who may not do *oil* loses" in light.sentence


def test_an_action_is_forbidden_to_one_seat_alone():
    game = load(MARKET)
    ban = ban_of(game, {}, 2)
    assert set(ban.numbers) == {"wait", "crown", "oil"}
    values = ban.game.params.values({"forbidden": ban.numbers["oil"], "forbidden_seat": 1})
    states = ban.game.start(match_words(0, [0], [0], 2), 2, values)
    states["plies"] = 1
    assert 2 in ban.game.menu(states, 0)
    assert 2 not in ban.game.menu(states, 1)
