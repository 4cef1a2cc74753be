"""Handicaps on top of games that know nothing of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ludus
from ludus.arena.match import Match
from ludus.catalogue import load, load_for
from ludus.draw import choices, picture
from ludus.errors import BadInput, BadParams
from ludus.game import View
from ludus.handicaps import SWAP, offered, variant
from ludus.testing import check_game

HALVES = str(Path(__file__).parent / "tuning" / "games" / "halves.py")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("connect_four", {"pie"}),
        ("goofspiel", {"komi"}),  # all move at once, so nobody has a first turn
        ("thrones", {"pie", "komi"}),
        ("organism", {"pie", "first_actions", "second_actions"}),
        ("kuhn_poker", set()),
    ],
)
def test_a_game_is_offered_what_fits_it(name, wanted):
    assert set(offered(load(name))) == wanted


@pytest.mark.parametrize("name", ["tic_tac_toe", HALVES])
def test_wrapped_rules_keep_the_contract(name):
    """With all handicaps off, and with all of them on: the wrapped game has a preset for that."""
    game = load(f"{name}+handicaps")
    assert game.rule_values("handicapped")["pie"] == "on"
    (*_, report) = check_game(game, matches=6)
    assert not report.failures


def play(match: Match, *actions: int) -> None:
    for action in actions:
        match.submit(match.acting[0], action)


def test_the_pie_rule_hands_over_a_side():
    game = load("tic_tac_toe+handicaps")
    match = Match(game, 2, game.rule_values(changes={"pie": "on"}))
    play(match, 4)  # the centre
    (view,) = match.waiting().values()
    assert view.player == 1
    assert SWAP in view.legal
    assert view.action_text(SWAP) == "swap"
    play(match, SWAP)
    (view,) = match.waiting().values()
    assert view.player == 0  # who opened now has the second side
    assert SWAP not in view.legal
    play(match, 0, 3, 8, 5)  # the second player has 4, 3 and 5: a row
    assert match.returns == [-1.0, 1.0]


def test_without_the_pie_rule_nothing_changes():
    plain = ludus.play("tic_tac_toe", "mcts:sims=8", "random", games=20, seed=3)
    wrapped = ludus.play("tic_tac_toe+handicaps", "mcts:sims=8", "random", games=20, seed=3)
    assert [one.score for one in plain.agents] == [one.score for one in wrapped.agents]


def test_a_swap_is_a_button_and_the_board_is_drawn_as_ever():
    game = load("connect_four+handicaps")
    match = Match(game, 2, game.rule_values(changes={"pie": "on"}))
    play(match, 3)
    (view,) = match.waiting().values()
    assert choices(view)[SWAP] == ()
    assert all(parts for action, parts in choices(view).items() if action != SWAP)
    assert "<svg" in picture(View(game, match.states, 0))


def test_a_first_turn_may_have_an_action_more_or_fewer():
    game = load(f"{HALVES}+handicaps")

    def movers(**changes) -> list[int]:
        match, found = Match(game, 2, game.rule_values(changes=changes)), []
        for _ in range(6):
            found.append(next(iter(match.waiting())))
            play(match, 0)
        return found

    assert movers() == [0, 0, 1, 1, 0, 0]
    assert movers(first_actions=-1) == [0, 1, 1, 0, 0, 1]
    assert movers(second_actions=1) == [0, 0, 1, 1, 1, 0]


def test_a_komi_decides_a_close_count():
    game = load(f"{HALVES}+handicaps")

    def result(komi: float) -> list[float]:
        match = Match(game, 2, game.rule_values(changes={"komi": komi}))
        play(match, 1, 1, 0, 0, 1, 0, 0, 0)  # three points to none
        return match.returns

    assert [result(komi) for komi in (0.0, 2.5, 3.0, 3.5)] == [[1, -1], [1, -1], [0, 0], [-1, 1]]


def test_rules_that_are_handicaps_wrap_the_game():
    assert load_for("connect_four", ["rows"]).source == "connect_four"
    assert load_for("connect_four", ["rows", "pie"]).source == "connect_four+handicaps"


def test_what_fits_no_handicap_is_refused():
    with pytest.raises(BadInput, match="offers no handicap: a pie rule needs"):
        load("kuhn_poker+handicaps")
    game = load("goofspiel+handicaps")
    with pytest.raises(BadParams, match="for two players"):
        game.check_setting(3, game.rule_values(changes={"komi": 1.0}))


def test_a_variant_has_other_defaults():
    names = variant(load("connect_four"), {"rows": 5})
    assert names["PARAMS"].values({})["rows"] == 5
    assert names["PRESETS"]["original"]["rows"] == 6
    assert np.dtype(names["State"]) == load("connect_four").state_type
