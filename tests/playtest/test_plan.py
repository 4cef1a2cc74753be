"""What is planned: enough matches for the wanted precision, a ladder, and gates that shut on broken games."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ludus.catalogue import load
from ludus.errors import BadInput
from ludus.measure.evidence import Level
from ludus.measure.replays import Replay
from ludus.playtest.plan import (
    DEFAULT,
    QUICK,
    Count,
    Mode,
    count_for,
    gate,
    half_width,
    ladder,
    matches_for,
    mode_for,
)


@pytest.mark.parametrize(("precision", "matches"), [(0.1, 97), (0.05, 385), (0.03, 1068), (0.01, 9604)])
def test_matches_for_a_precision(precision, matches):
    assert matches_for(precision) == matches
    assert half_width(matches) <= precision


def test_a_count_is_whole_blocks_within_the_time():
    assert count_for(0.05, 100, 0.001, 4) == Count(388, 388)
    assert count_for(0.05, 100, 1.0, 4) == Count(388, 100)
    assert count_for(0.05, 10, 1.0, 4) == Count(388, 0)  # too few to begin
    assert count_for(0.3, 1000, 1.0, 4).played == 12  # fewer are wanted than the least


def test_a_short_count_says_what_it_would_take():
    assert Count(386, 386).note("random", 1.0) == ""
    note = Count(9604, 400).note("mcts:sims=64", 0.5)
    assert note == "mcts:sims=64: 400 matches give ± 4.9 points; ± 1.0 takes 9,604, about 80 minutes"


def test_modes():
    assert mode_for(quick=True) == QUICK
    assert mode_for() == DEFAULT
    assert mode_for(hours=2).seconds == 7200
    assert mode_for(hours=2).name == "2 hours"
    assert mode_for(precision=0.02).precision == 0.02
    with pytest.raises(BadInput, match="either --quick or --hours"):
        mode_for(quick=True, hours=1)
    for precision in (0.7, -0.1, math.nan):
        with pytest.raises(BadInput, match="half-width between"):
            mode_for(precision=precision)
    for hours in (-3, math.nan, math.inf, 1e9):
        with pytest.raises(BadInput, match=r"takes 0\.01 to 10,000 hours"):
            mode_for(hours=hours)


def test_the_ladder_doubles_its_budgets():
    mode = Mode("test", 1, 0.1, 64)
    assert ladder(load("connect_four"), mode, 20) == [
        Level("random", "random"), Level("greedy:slip=0.1", "heuristic"), Level("mcts:sims=16", "search", 16),
        Level("mcts:sims=32", "search", 32), Level("mcts:sims=64", "search", 64),
    ]  # fmt: skip
    assert ladder(load("gravwell"), mode, 150)[-1] == Level("mcts:sims=64,horizon=20", "search", 64)


def test_levels_know_whether_they_are_weak():
    weak = [Level("random", "random"), Level("greedy", "heuristic"), Level("mcts:sims=32", "search", 32)]
    assert all(level.is_weak for level in weak)
    assert not Level("mcts:sims=64", "search", 64).is_weak
    assert not Level("my_bot.py").is_weak


def match(shares=(1.0, 0.0), decisions=10, menu=4, outcome="finished") -> Replay:
    numbers = np.arange(decisions)
    return Replay(
        ("random", "random"), 0, 0, np.array(shares), outcome, decisions, numbers % 2, numbers,
        np.full(decisions, menu), numbers * 0, ("a",) * decisions, np.arange(decisions + 1).astype(np.uint64),
    )  # fmt: skip


FAIR = [match(), match((0.0, 1.0))] * 50


@pytest.mark.parametrize(
    ("replays", "words"),
    [
        ([*FAIR[:40], *[match((0.5, 0.5), outcome="limit")] * 60], "60 % of the matches only end at the limit"),
        ([match(decisions=1), match((0.0, 1.0), decisions=1)] * 50, "only 1.0 decisions"),
        ([match(menu=1), match((0.0, 1.0), menu=1)] * 50, "only 0 % of the decisions leave a choice"),
        ([match((0.5, 0.5))] * 100, "100 % of the matches are drawn"),
        ([match((0.0, 1.0))] * 100, "player 2 takes 100 % of the points"),
    ],
)
def test_a_gate_shuts_and_says_why(replays, words):
    shut = gate("random", replays)
    assert not shut.is_open
    assert words in shut.sentence


def test_a_gate_opens_for_a_sound_game():
    assert gate("random", FAIR).is_open
    assert not gate("random", []).is_open
