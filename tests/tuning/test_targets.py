"""What a designer wants, in words."""

from __future__ import annotations

import math

import pytest

from ludus.arena.statistics import Interval
from ludus.errors import BadInput, UnknownName
from ludus.measure.metrics import all_metrics
from ludus.measure.run import measure
from ludus.tuning.targets import read_targets, resolve


def one(text: str):
    return read_targets([text])[0]


def test_every_form_reads():
    edge, draws, openings = one("seat_advantage in -3..3"), one("draws < 5 %"), one("openings > 8")
    assert (edge.metric.name, edge.part, edge.low, edge.high) == ("seat_advantage", "seat-1", -3, 3)
    assert (draws.metric.name, draws.part, draws.high) == ("endings", "draws", 5)
    assert (openings.low, openings.high) == (8, math.inf)
    assert one("duration.turns in 20..80").name == "duration.turns"
    assert [one(f"{word}:skill_ladder").aim for word in ("maximise", "minimise", "maximize")] == [1, -1, 1]


def test_every_metric_can_be_a_target():
    assert all(resolve(name)[1] in metric.parts for name, metric in all_metrics().items())


def test_numbers_are_those_that_a_playtest_prints():
    readings = measure("tic_tac_toe", ["endings", "seat_advantage"], agents=["random"], matches=60)
    draws = one("draws < 5 %").find(readings)
    assert draws is not None
    assert draws.value == pytest.approx(100 * readings.find("draws").found.value)
    assert one("maximise:skill_ladder").find(readings) is None


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["seat_advantage in 3..-3"], "write the lesser first"),
        (["draws < 5 %", "draws > 10 %"], "contradict each other"),
        (["duration in 10..20", "duration.plies in 30..40"], "no duration meets both"),
        (["maximise:skill_ladder", "minimise:skill_ladder"], "one aim at most"),
        (["draws < 0.05"], "did you mean 5 %"),
        (["draws > 120 %"], "between 0 and 100 %"),
        (["elo in 0..20"], "seat_advantage.elo or skill_ladder.elo"),
        (["draws about 5"], "does not read"),
        ([], "needs a target"),
    ],
)
def test_what_cannot_be_is_refused(texts, words):
    with pytest.raises(BadInput, match=words):
        read_targets(texts)


@pytest.mark.parametrize(("text", "near"), [("seat_advantge in -3..3", "seat_advantage"), ("drews < 5 %", "draws")])
def test_the_nearest_name_is_told(text, near):
    with pytest.raises(UnknownName, match=f"did you mean .*{near}"):
        read_targets([text])


def test_the_nearest_part_is_told():
    with pytest.raises(UnknownName, match="did you mean turns"):
        read_targets(["duration.turn in 1..2"])


def test_a_range_is_met_by_an_interval_and_not_by_a_value():
    target = one("seat_advantage in -3..3")
    verdicts = [target.verdict(Interval(*bounds, 100)) for bounds in ((0, -2, 2), (0, -4, 4), (9, 5, 12))]
    assert verdicts == ["met", "open", "missed"]
    assert target.miss(6) == pytest.approx(1)  # half a range outside
    assert not target.is_out_of_reach(Interval(5, 4, 6, 100), slack=1)


def test_metrics_declare_the_parts_that_they_give():
    """Of every metric that two levels and a few traces allow."""
    found = measure("tic_tac_toe", all_metrics(), agents=["random", "mcts:sims=8"], matches=40)
    assert {reading.metric for reading in found.numbers} > {"endings", "skill_ladder", "drama"}
    for reading in found.numbers:
        assert all_metrics()[reading.metric].parts[reading.part] == reading.unit


def test_more_room_inside_a_range_is_safer():
    both, below, above = read_targets(["seat_advantage in -6..6", "draws < 5 %", "openings > 8"])
    assert [both.eccentricity(value) for value in (-6, 0, 3, 9)] == [1, 0, 0.5, 1]
    assert [below.eccentricity(value) for value in (0, 2.5, 5, 9)] == [0, 0.5, 1, 1]
    assert [above.eccentricity(value) for value in (8, 12, 30)] == [1, 0.5, 0]
