"""The verdict: lights follow numbers and their intervals, and games with planted flaws get the lights they earned."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ludus.arena.statistics import Interval
from ludus.catalogue import load
from ludus.measure.evidence import Level
from ludus.measure.metric import ELO, GROUPS, NUMBER, POINTS, SEATS, SHARE, Limits, Reading
from ludus.measure.metrics import all_metrics
from ludus.measure.readings import COLOURS, UNSURE
from ludus.playtest.flaws import Flaw
from ludus.playtest.plan import Gate
from ludus.playtest.playtest import Playtest
from ludus.playtest.verdict import read
from tests.playtest.small import GAMES, SEARCH, played, playtest, random_only


def lights(found: Playtest) -> dict[str, str]:
    return {light.topic: light.colour for light in read(found).verdict()}


def said(found: Playtest, topic: str) -> str:
    return next(light.sentence for light in read(found).verdict() if light.topic == topic)


# ------------------------------------------------------------------------------------------------ lights and words


@pytest.mark.parametrize(
    ("value", "low", "high", "colour"),
    [
        (0.02, 0.01, 0.03, "green"),
        (0.02, 0.01, 0.12, "unsure"),  # it might be a problem
        (0.07, 0.06, 0.08, "amber"),
        (0.12, 0.11, 0.13, "red"),
        (0.12, 0.04, 0.20, "unsure"),  # it might be nothing
        (0.07, 0.04, 0.12, "unsure"),
    ],
)
def test_a_light_needs_an_interval_that_excludes_the_opposite(value, low, high, colour):
    assert Limits(0.05, 0.10).colour(Interval(value, low, high, 100)) == colour
    upside_down = Interval(1 - value, 1 - high, 1 - low, 100)
    assert Limits(0.95, 0.90).colour(upside_down) == colour


def test_numbers_are_written_with_their_intervals():
    found = Interval(0.0512, -0.011, 0.1, 50)
    assert SHARE.text(found) == "5.1 % [-1.1, 10.0]"
    assert POINTS.text(found) == "+5.1 points [-1.1, +10.0]"
    assert ELO.text(Interval(1234.5, 1000.0, float("inf"), 9)) == "+1,234 Elo [+1,000, ∞]"
    assert NUMBER.text(Interval(13.0, 13.0, 13.0, 9)) == "13.0"


# ------------------------------------------------------------------------------------------------ whole playtests


@pytest.fixture(scope="module")
def connect_four() -> Playtest:
    return playtest("connect_four")


def test_every_reading_rests_on_games_and_lies_in_its_interval(connect_four):
    found = read(connect_four)
    for reading in found.numbers:
        assert reading.group in GROUPS
        assert reading.found.n > 0
        assert reading.found.low - 1e-9 <= reading.found.value <= reading.found.high + 1e-9, reading
    assert all(light.colour in COLOURS and light.sentence.endswith(".") for light in found.lights)
    # For three players, for three levels, for games of chance, for many actions, and where some are forbidden.
    elsewhere = {"kingmaking", "non_transitivity", "luck_share", "luck_in_play", "action_use", "restricted_play"}
    assert {reading.metric for reading in found.numbers} >= set(all_metrics()) - elsewhere


def test_numbers_of_a_trace_name_their_evaluator(connect_four):
    drama = read(connect_four).find("drama")
    assert drama.evaluator == f"8 continuations by {SEARCH}"
    assert drama.level == SEARCH.spec


def test_the_judged_level_comes_first(connect_four):
    edges = [reading for reading in read(connect_four).of(SEATS) if reading.name == "Edge of player 1"]
    assert [reading.level for reading in edges] == [SEARCH.spec, "random"]


def test_the_verdict_begins_with_the_worst(connect_four):
    flaw = Flaw("endless", "A match went round in circles.")
    found = read(replace(connect_four, flaws=[flaw]))
    colours = [list(COLOURS).index(light.colour) for light in found.verdict()]
    assert colours == sorted(colours)
    assert found.verdict()[0].sentence == flaw.sentence
    reds = sum(light.colour == "red" for light in found.lights)
    assert found.summary().startswith(f"{reds} problem")
    assert found.summary().endswith(flaw.sentence)


def test_readings_are_json(connect_four):
    kept = read(connect_four).to_dict()
    assert json.loads(json.dumps(kept, allow_nan=False)) == kept
    odd = Reading("openings", "Openings", Interval(float("inf"), 1.0, float("nan"), 3)).to_dict()
    assert (odd["value"], odd["low"], odd["high"]) == (None, 1.0, None)


def test_too_few_matches_are_another_light_than_something_wrong():
    few = playtest("connect_four", blocks=3, matches=1)
    assert lights(few)["Seats"] == "unsure"
    assert UNSURE in said(few, "Seats")
    assert COLOURS["unsure"] != COLOURS["amber"]


def test_a_light_uses_the_level_with_the_most_matches_that_is_strong_enough(connect_four):
    strongest = Level("mcts:sims=32", "search", 32)
    few = played(load("connect_four"), [strongest.spec] * 2, 2)
    climbed = replace(connect_four, levels=[*connect_four.levels, strongest], lineups=[*connect_four.lineups, few])
    assert [lineup.specs[0] for lineup in climbed.judged()] == [strongest.spec]  # the others hardly think at all
    thinking = [replace(level, simulations=100 * level.simulations) for level in climbed.levels]
    assert [lineup.specs[0] for lineup in replace(climbed, levels=thinking).judged()] == [SEARCH.spec]


def test_a_light_that_rests_on_weak_play_says_so(connect_four):
    assert "Seen in weak play only: mcts:sims=16." in said(connect_four, "Seats")
    assert "Seen in weak play only: random." in said(random_only("tic_tac_toe"), "Seats")
    strong = [replace(level, simulations=100 * level.simulations) for level in connect_four.levels]
    assert "weak play" not in said(replace(connect_four, levels=strong), "Seats")


# ------------------------------------------------------------------------------------------------ planted flaws


def test_nim_is_won_by_the_first_seat():
    results = playtest(str(GAMES / "nim.py"), blocks=40, strong=Level("mcts:sims=200", "search", 200))
    assert lights(results)["Seats"] == "red"
    assert "Player 1 gets" in said(results, "Seats") or "Player 2 gets" in said(results, "Seats")


def test_a_coin_has_no_skill_and_is_all_luck():
    found = playtest(str(GAMES / "coin_flip.py"), blocks=60, matches=30)
    assert lights(found)["Luck"] == "red"
    assert lights(found)["Skill"] == "red"


def test_luck_has_one_light_and_both_numbers_are_explained():
    """Dice that fall during the race decide it; the deal decides nothing."""
    found = playtest(str(GAMES / "race.py"), blocks=20, matches=20)
    readings = read(found)
    assert [light.topic for light in readings.lights].count("Luck") == 1
    whole, deal = readings.find("luck_in_play"), readings.find("luck_share")
    assert whole.text in said(found, "Luck")
    assert f"The deal alone decides {deal.text}" in said(found, "Luck")
    assert whole in readings.headlines()
    assert deal not in readings.headlines()


def test_chance_in_all_decides_no_less_than_the_deal():
    """A coin falls in play; the same coin again gives the same winner, whatever noise says of single decisions."""
    found = playtest(str(GAMES / "coin_flip.py"), blocks=30, matches=8)
    whole, deal = (read(found).find(name).found.value for name in ("luck_in_play", "luck_share"))
    assert whole >= deal
    assert "when the same chance falls again" in said(found, "Luck")


def test_luck_of_the_deal_is_all_luck_where_no_dice_fall():
    found = playtest("kuhn_poker", blocks=10, matches=4)
    assert "Chance falls only in the deal" in said(found, "Luck")
    assert not any(reading.metric == "luck_in_play" for reading in read(found).numbers)


def test_gold_dominates_and_nobody_who_thinks_burns():
    anyhow = random_only(str(GAMES / "planted.py"), blocks=100)
    assert lights(anyhow)["Lift of actions"] == "red"
    assert "*gold*" in said(anyhow, "Lift of actions")
    thinking = playtest(str(GAMES / "planted.py"), blocks=10, matches=1, strong=Level("greedy", "heuristic"))
    assert lights(thinking)["Dead actions"] == "amber"
    assert "*burn*" in said(thinking, "Dead actions")
    assert "Lift of actions" not in lights(thinking)  # everybody digs gold, so that it brings nobody more


def test_a_lift_is_called_a_lift():
    assert "a lift and need not be a cause" in said(
        random_only(str(GAMES / "planted.py"), blocks=100), "Lift of actions"
    )


def test_kuhn_poker_stands_beside_its_equilibrium():
    found = read(playtest("kuhn_poker")).numbers
    value, sentence = load("kuhn_poker").module.KNOWN["seat_advantage"]
    assert value == pytest.approx(-1 / 18 / 2 / 2)  # a chip is half a return, a return half a share
    beside = [reading for reading in found if sentence in reading.beside]
    assert [(reading.name, reading.level) for reading in beside] == [("Edge of player 1", SEARCH.spec)]
    holds = beside[0].found.low <= value <= beside[0].found.high
    assert ("inside" if holds else "outside") in beside[0].beside


def test_a_shut_gate_is_a_problem_and_an_agent_at_fault_is_to_watch():
    shut = replace(random_only("tic_tac_toe"), gates=[Gate("random", False, "No match ends.")], faults=["It crashed."])
    assert lights(shut)["Stopped after random play"] == "red"
    assert lights(shut)["An agent failed"] == "amber"
    assert "problem" in read(shut).summary()
    assert read(shut).summary().endswith("No match ends.")


def test_a_harmless_flaw_is_amber():
    found = replace(random_only("tic_tac_toe"), flaws=[Flaw("never-chosen", "Nobody passes.")])
    assert lights(found)["Never chosen"] == "amber"
    assert "Rules" not in lights(found)


def test_nothing_played_is_nothing_judged():
    empty = replace(random_only("tic_tac_toe"), lineups=[], legal_kinds={})
    assert read(empty).numbers == ()
    assert read(empty).summary() == "Nothing could be judged."
