"""Measure these rules: names in, numbers with intervals out; the same call gives the same numbers."""

from __future__ import annotations

import pytest

from ludus.errors import BadInput, UnknownName
from ludus.measure.run import measure
from ludus.workers import Threads
from tests.measure.scripted import GAMES

TILTED, RACE = (str(GAMES / f"{name}.py") for name in ("tilted", "race"))


def test_a_rule_changes_what_is_measured():
    edges = [
        measure(TILTED, ["seat_advantage"], rules={"first": first}, agents=["random"], matches=200).find("seat-1").found
        for first in (20, 80)
    ]
    assert edges[0].high < 0 < edges[1].low
    assert {edge.n for edge in edges} == {200}


def test_only_what_was_asked_for_is_measured():
    found = measure(RACE, ["endings", "duration"], agents=["random"], matches=20, players=3)
    assert {reading.metric for reading in found.numbers} == {"endings", "duration"}
    assert found.find("duration") is found.find("plies")
    assert found.find("draws").found.n == 21  # whole blocks
    assert {light.metric for light in found.lights} == {"endings", "duration"}


def test_the_same_call_gives_the_same_numbers_on_any_number_of_threads():
    calls = [
        measure(RACE, ["drama", "luck_in_play"], agents=["greedy"], matches=12, seed=4, workers=Threads(count))
        for count in (1, 2)
    ]
    assert calls[0].to_dict() == calls[1].to_dict()
    assert calls[0].find("drama").evaluator == "32 continuations by greedy"


def test_who_beats_whom_is_played_only_where_it_is_asked_for():
    found = measure(RACE, ["skill_ladder", "skill_share"], agents=["random", "greedy"], matches=40)
    assert found.find("step").name == "greedy against random"
    assert found.find("rungs").found.value in (0, 1)


def test_bad_input_is_a_sentence():
    with pytest.raises(UnknownName, match="did you mean endings"):
        measure(RACE, ["ending"])
    with pytest.raises(BadInput, match="at least 2 matches"):
        measure(RACE, ["endings"], matches=1)
    with pytest.raises(UnknownName, match="no reading is called 'draw'"):
        measure(RACE, ["endings"], agents=["random"], matches=2).find("draw")
