"""Metrics on games whose answer is known: the tiny ones of tests/playtest/games, and some of the library."""

from __future__ import annotations

import itertools
import math

import pytest

from ludus.measure.metrics import (
    action_use,
    branching,
    coverage,
    downtime,
    duration,
    endings,
    luck_share,
    openings,
    repetition,
    seat_advantage,
    skill_ladder,
    skill_share,
    tree_size,
)
from ludus.testing import check_game
from tests.measure.scripted import GAMES, cell


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.py")), ids=lambda path: path.stem)
def test_the_tiny_games_keep_the_contract(path):
    *_, report = check_game(str(path), matches=20)
    assert report.ok, report.failures


def test_a_coin_flip_is_all_luck_and_fair():
    replays = cell("coin_flip", ["random"] * 2, 500)
    luck, seats = luck_share.measure(replays), seat_advantage.measure(replays)
    assert luck.value == 1
    assert luck.low > 0.95
    assert seats.p_value > 0.01
    assert seats.seats[0].low < 0 < seats.seats[0].high
    assert endings.measure(replays).completion.value == 1


def test_the_planted_seat_bias_is_found():
    found = seat_advantage.measure(cell("tilted", ["random"] * 2, 4000))
    assert found.seats[0].low > 0
    assert found.seats[0].low < 0.03 < found.seats[0].high
    assert found.p_value < 0.05


def test_nim_is_won_by_the_first_seat():
    found = seat_advantage.measure(cell("nim", ["alphabeta:nodes=500"] * 2, 8))
    assert found.seats[0].value == 0.5
    assert found.p_value < 0.05
    assert found.elo is not None
    assert found.elo.value == math.inf


def test_luck_of_a_game_without_chance_is_nothing():
    replays = cell("nim", ["random"] * 2, 200)
    assert luck_share.measure(replays, chance=False).high == 0
    # Also where nobody says so, it is found to be little.
    assert luck_share.measure(replays).high < 0.25


def test_tic_tac_toe_is_a_draw_and_has_255168_lines_of_play():
    assert endings.measure(cell("tic_tac_toe", ["alphabeta"] * 2, 6)).draws.value == 1
    knuth = tree_size.measure(cell("tic_tac_toe", ["random"] * 2, 500)).knuth
    assert knuth.low < math.log10(255_168) < knuth.high
    assert knuth.high - knuth.low < 0.05


def test_rock_paper_and_scissors():
    replays = cell("rock_paper_scissors", ["random"] * 2, 300)
    found = duration.measure(replays)
    assert (found.plies.mean.value, found.decisions.mean.value, found.turns.mean.value) == (1, 2, 1)
    draws = endings.measure(replays).draws
    assert draws.low < 1 / 3 < draws.high
    assert openings.measure(replays, first=2).effective.value == pytest.approx(9, rel=0.03)
    assert openings.measure(replays, first=2).spread.value == pytest.approx(math.sqrt(1 / 6), rel=0.05)


def test_the_planted_flaws_are_found():
    legal = {"dig": 1000, "trade": 1000, "gold": 1000, "burn": 1000}
    clumsy = {row.kind: row.flag for row in action_use.measure(cell("planted", ["random"] * 2, 300), legal)}
    assert clumsy == {"gold": "lift", "burn": "negative lift", "dig": "", "trade": ""}
    strong = cell("planted", ["greedy"] * 2, 20)
    assert {row.kind: row.flag for row in action_use.measure(strong, legal)}["burn"] == "dead"
    assert coverage.measure(strong, legal).value < 1


def test_a_race_is_a_race():
    replays = cell("race", ["random"] * 3, 100)
    assert downtime.measure(replays).wait.value == 2
    assert branching.measure(replays).menu.value == 2
    assert repetition.measure(replays).value < 0.01
    first, *_ = seat_advantage.measure(replays).seats
    assert first.low > 0


def test_better_players_climb_the_ladder():
    levels = ["random", "mcts:sims=8", "mcts:sims=64"]
    cells = [cell("connect_four", [strong, weak], 30) for weak, strong in itertools.pairwise(levels)]
    found = skill_ladder.measure(levels, cells)
    assert found.rungs == 2
    assert found.elo.low > 200
    assert skill_share.measure(cells[0]).value > 0.2
