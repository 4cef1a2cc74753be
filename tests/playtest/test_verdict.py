"""The verdict: lights follow numbers and their intervals, and games with planted flaws get the lights they earned."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ludus.arena.statistics import Interval
from ludus.catalogue import load
from ludus.measure import metrics
from ludus.measure.evidence import Bug, Gate, Results
from ludus.measure.reading import ELO, LIGHTS, NUMBER, POINTS, SHARE, Reading, light
from ludus.playtest.verdict import GROUPS, SEATS, UNSURE, read
from tests.playtest.small_results import RANDOM, SEARCH, playtest, random_only

GAMES = Path(__file__).resolve().parents[1] / "measure" / "games"
WITHOUT_A_PAGE = {"gates", "bugs", "faults"}


def lights(results: Results) -> dict[str, str]:
    return {reading.topic: reading.light for reading in read(results).verdict()}


def said(results: Results, topic: str) -> str:
    return next(reading.sentence for reading in read(results).verdict() if reading.topic == topic)


# ------------------------------------------------------------------------------------------------ lights and words


@pytest.mark.parametrize(
    ("value", "low", "high", "colour"),
    [
        (0.02, 0.01, 0.03, "green"),
        (0.02, 0.01, 0.12, "amber"),  # it might be a problem
        (0.07, 0.06, 0.08, "amber"),
        (0.12, 0.11, 0.13, "red"),
        (0.12, 0.04, 0.20, "amber"),  # it might be nothing
    ],
)
def test_a_light_needs_an_interval_that_excludes_the_opposite(value, low, high, colour):
    assert light(Interval(value, low, high, 100), 0.05, 0.10) == colour
    upside_down = Interval(1 - value, 1 - high, 1 - low, 100)
    assert light(upside_down, 0.95, 0.90) == colour


def test_numbers_are_written_with_their_intervals():
    found = Interval(0.0512, -0.011, 0.1, 50)
    assert SHARE.text(found) == "5.1 % [-1.1, 10.0]"
    assert POINTS.text(found) == "+5.1 points [-1.1, +10.0]"
    assert ELO.text(Interval(1234.5, 1000.0, float("inf"), 9)) == "+1,234 Elo [+1,000, ∞]"
    assert NUMBER.text(Interval(13.0, 13.0, 13.0, 9)) == "13.0"


# ------------------------------------------------------------------------------------------------ whole playtests


@pytest.fixture(scope="module")
def connect_four() -> Results:
    return playtest("connect_four")


def test_every_reading_rests_on_games_and_lies_in_its_interval(connect_four):
    found = read(connect_four).found
    for reading in found:
        assert reading.group in GROUPS
        assert reading.key in metrics.EXPLAINED or reading.key in WITHOUT_A_PAGE
        assert (reading.light == "none") == (reading.sentence == "")
        if reading.text:
            assert reading.n > 0
            assert reading.low - 1e-9 <= reading.value <= reading.high + 1e-9, reading
    # For three players, for three levels, for games of chance, and without a number.
    elsewhere = {"kingmaking", "non_transitivity", "luck_share", "luck_in_play", "action_use"}
    assert {reading.key for reading in found} >= set(metrics.EXPLAINED) - elsewhere


def test_numbers_of_a_trace_name_their_evaluator(connect_four):
    drama = next(reading for reading in read(connect_four).found if reading.key == "drama")
    assert drama.evaluator == f"8 continuations by {SEARCH}"
    assert drama.level == SEARCH


def test_the_strongest_level_is_judged_and_comes_first(connect_four):
    edges = [reading for reading in read(connect_four).of(SEATS) if reading.name == "Edge of player 1"]
    assert [reading.level for reading in edges] == [SEARCH, RANDOM]
    assert edges[1].light == "none"


def test_the_verdict_begins_with_the_worst(connect_four):
    bug = Bug("endless", "A match went round in circles.")
    shown = read(replace(connect_four, bugs=[bug])).verdict()
    colours = [list(LIGHTS).index(reading.light) for reading in shown]
    assert colours == sorted(colours)
    assert shown[0].sentence == bug.sentence
    assert read(replace(connect_four, bugs=[bug])).summary().startswith("1 problem, ")
    assert read(replace(connect_four, bugs=[bug])).summary().endswith(bug.sentence)


def test_readings_are_json(connect_four):
    kept = read(connect_four).to_dict()
    assert json.loads(json.dumps(kept, allow_nan=False)) == kept
    odd = Reading("openings", "Choices", "n", "t", float("inf"), 1.0, float("nan"), 3)
    assert (odd.to_dict()["value"], odd.to_dict()["low"], odd.to_dict()["high"]) == (None, 1.0, None)


def test_few_matches_are_said_to_be_few():
    few = playtest("connect_four", blocks=3, matches=1)
    assert lights(few)["Seats"] == "amber"
    assert UNSURE in said(few, "Seats")


# ------------------------------------------------------------------------------------------------ planted flaws


def test_nim_is_won_by_the_first_seat():
    results = playtest(str(GAMES / "nim.py"), blocks=40, strong="mcts:sims=200")
    assert lights(results)["Seats"] == "red"
    assert "Player 1 gets" in said(results, "Seats") or "Player 2 gets" in said(results, "Seats")


def test_a_coin_has_no_skill_and_is_all_luck():
    found = lights(playtest(str(GAMES / "coin_flip.py"), blocks=60))
    assert found["Luck"] == "red"
    assert found["Skill"] == "red"


def test_gold_dominates_and_nobody_who_thinks_burns():
    anyhow = random_only(str(GAMES / "planted.py"), blocks=100)
    assert lights(anyhow)["Dominant actions"] == "red"
    assert "*gold*" in said(anyhow, "Dominant actions")
    thinking = playtest(str(GAMES / "planted.py"), blocks=10, matches=1, strong="greedy")
    assert lights(thinking)["Dead actions"] == "amber"
    assert "*burn*" in said(thinking, "Dead actions")
    assert "Dominant actions" not in lights(thinking)  # everybody digs gold, so that it brings nobody more


def test_kuhn_poker_stands_beside_its_equilibrium():
    found = read(playtest("kuhn_poker")).found
    value, sentence = load("kuhn_poker").module.KNOWN["seat_advantage"]
    assert value == pytest.approx(-1 / 18 / 2 / 2)  # a chip is half a return, a return half a share
    beside = [reading for reading in found if sentence in reading.beside]
    assert [(reading.name, reading.level) for reading in beside] == [("Edge of player 1", SEARCH)]
    holds = beside[0].low <= value <= beside[0].high
    assert ("inside" if holds else "outside") in beside[0].beside


def test_a_shut_gate_is_a_problem_and_an_agent_at_fault_is_to_watch():
    shut = replace(random_only("tic_tac_toe"), gates=[Gate("random", False, "No match ends.")], faults=["It crashed."])
    assert lights(shut)["Stopped after random play"] == "red"
    assert lights(shut)["An agent failed"] == "amber"
    assert "problem" in read(shut).summary()
    assert read(shut).summary().endswith("No match ends.")


def test_a_harmless_bug_is_amber():
    results = replace(random_only("tic_tac_toe"), bugs=[Bug("never-chosen", "Nobody passes.")])
    assert lights(results)["Never chosen"] == "amber"
    assert "Rules" not in lights(results)


def test_nothing_played_is_nothing_judged():
    empty = replace(random_only("tic_tac_toe"), cells=[], legal_kinds={})
    assert read(empty).found == ()
    assert read(empty).summary() == "Nothing could be judged."
