"""Kuhn poker: stakes, secrets, the value of the game."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from ludus import kernels, load
from ludus.errors import BadNotation
from ludus.rng import match_words
from tests.games.classics import are_valid, digest, guesses, plain_digest, positions

GAME = load("kuhn_poker")
HISTORIES = ["none", "pass", "bet", "pass bet", "pass pass", "bet pass", "bet bet", "pass bet pass", "pass bet bet"]
OPEN = HISTORIES[:4]


def at(cards, moves="none"):
    return GAME.parse_state(f"cards {cards}\nmoves {moves}", 2)


def masked(states, player):
    return GAME.masked(states, np.full(len(states), player))


@pytest.mark.parametrize(
    ("moves", "king_first", "jack_first"),
    [("pass pass", 0.5, -0.5), ("bet bet", 1, -1), ("pass bet bet", 1, -1), ("bet pass", 0.5, 0.5),
     ("pass bet pass", -0.5, -0.5)],
)  # fmt: skip
def test_stakes(moves, king_first, jack_first):
    for cards, payoff in (("K Q", king_first), ("J Q", jack_first)):
        assert GAME.payoffs(at(cards, moves))[0].tolist() == [payoff, -payoff]


@pytest.mark.parametrize("moves", HISTORIES)
def test_who_acts(moves):
    expected = {"none": 1, "pass": 2, "bet": 2, "pass bet": 1}.get(moves, 0)
    assert GAME.waiting(at("J K", moves))[0] == expected


def test_all_six_deals_come_equally_often():
    words = match_words(1, np.arange(60_000), 0, 2)
    deals = GAME.start(words, 2)["cards"]
    _, counts = np.unique(deals, axis=0, return_counts=True)
    assert len(counts) == 6
    assert np.abs(counts - 10_000).max() < 4 * np.sqrt(10_000)


def test_the_value_of_the_game_is_minus_one_thirtysixth():
    """A linear program over all pure strategies: 27 of the first player, 64 of the second."""
    payoff = {(cards, moves): GAME.payoffs(at(cards, moves))[0, 0] for cards in DEALS for moves in HISTORIES[4:]}
    first = list(product([("pass", "pass"), ("pass", "bet"), ("bet", "")], repeat=3))
    second = list(product(product(["pass", "bet"], repeat=2), repeat=3))
    matrix = np.array([[sum(played(payoff, a, b, cards) for cards in DEALS) / 6 for b in second] for a in first])
    # Maximise v with strategy x: v <= x . matrix for every column.
    rows = np.hstack([-matrix.T, np.ones((64, 1))])
    best = linprog([*[0] * 27, -1], rows, np.zeros(64), [[*[1] * 27, 0]], [1], [*[(0, 1)] * 27, (None, None)])
    assert -best.fun == pytest.approx(-1 / 36)


DEALS = [f"{a} {b}" for a, b in permutations("JQK", 2)]


def played(payoff, first, second, cards):
    opening, after_bet = first["JQK".index(cards[0])]
    on_pass, on_bet = second["JQK".index(cards[2])]
    if opening == "bet":
        return payoff[cards, f"bet {on_bet}"]
    return payoff[cards, "pass pass" if on_pass == "pass" else f"pass bet {after_bet}"]


def test_the_rivals_card_is_hidden_until_a_showdown():
    for moves in HISTORIES:
        shown = moves in ("pass pass", "bet bet", "pass bet bet")
        for player in range(2):
            cards = masked(at("J K", moves), player)[0].cards.tolist()
            assert cards[player] == (1, 3)[player]
            assert cards[1 - player] == ((3, 1)[player] if shown else 0)


@pytest.mark.parametrize("moves", OPEN)
def test_guesses_are_both_other_cards(moves):
    for player, card in ((0, 1), (1, 3)):
        views = np.repeat(masked(at("J K", moves), player), 2000)
        worlds = guesses(GAME, views, np.full(2000, player))
        assert are_valid(GAME, worlds).all()
        assert masked(worlds, player).tobytes() == views.tobytes()
        others, counts = np.unique(worlds["cards"][:, 1 - player], return_counts=True)
        assert others.tolist() == [other for other in (1, 2, 3) if other != card]
        assert np.abs(counts - 1000).max() < 4 * np.sqrt(500)


def test_twin_deals_the_third_card():
    states, swapped = at("J K", "pass"), np.empty(1, np.bool_)
    twins = states.copy()
    GAME.kernel(kernels.swap_secrets)(twins, np.array([0]), np.zeros((1, 1), np.uint64), swapped)
    assert swapped[0]
    assert twins[0].cards.tolist() == [1, 2]
    assert masked(twins, 0).tobytes() == masked(states, 0).tobytes()
    GAME.kernel(kernels.swap_secrets)(at("J K", "bet bet"), np.array([0]), np.zeros((1, 1), np.uint64), swapped)
    assert not swapped[0]


def test_observe_does_not_show_the_rivals_card():
    out = np.zeros((2, 13), np.float32)
    for row, cards in enumerate(("J K", "J Q")):
        GAME.kernel(kernels.features)(at(cards, "pass bet"), np.array([0]), out[row : row + 1])
    assert (out[0] == out[1]).all()
    assert np.flatnonzero(out[0]).tolist() == [0, 6, 9, 12]


def test_notation():
    states = at("Q J", "pass")
    assert GAME.state_text(states[0]) == "cards Q J\nmoves pass"
    assert GAME.state_text(masked(states, 1)[0]) == "cards ? J\nmoves pass"
    assert [GAME.action_text(states[0], 1, action) for action in (0, 1)] == ["pass", "bet"]
    for text, action in (("pass", 0), ("Check", 0), ("fold", 0), ("bet", 1), ("CALL", 1)):
        assert GAME.parse_action(states, 1, text) == action
    with pytest.raises(BadNotation, match="no move"):
        GAME.parse_action(states, 1, "raise")


def test_outcomes_say_why():
    assert GAME.outcome_text(at("Q J", "bet pass")) == "player 2 gives up, player 1 wins 1 chip"
    assert GAME.outcome_text(at("Q J", "pass bet bet")) == "player 1 wins 2 chips with Q against J"
    assert GAME.outcome_text(at("Q K", "pass pass")) == "player 2 wins 1 chip with K against Q"


def test_positions_and_views_read_back():
    for states in positions("kuhn_poker", 60):
        for player in range(2):
            for records in (states, masked(states, player)):
                for state in records:
                    assert GAME.parse_state(GAME.state_text(state), 2).tobytes() == state.tobytes()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "two lines"),
        ("moves pass\ncards J K", "two lines"),
        ("cards J J\nmoves none", "line 1"),
        ("cards J\nmoves none", "line 1"),
        ("cards J A\nmoves none", "line 1"),
        ("cards J K\nmoves raise", "line 2"),
        ("cards J K\nmoves bet pass pass", "line 2"),
        ("cards J K\nmoves pass bet bet bet", "line 2"),
    ],
)
def test_bad_positions_are_refused(text, reason):
    with pytest.raises(BadNotation, match=reason):
        GAME.parse_state(text, 2)


@settings(deadline=None)
@given(st.lists(st.sampled_from("JQK"), max_size=3), st.lists(st.sampled_from(["pass", "bet", "none"]), max_size=4))
def test_whatever_is_read_as_a_position_is_valid(cards, moves):
    try:
        states = at(" ".join(cards), " ".join(moves))
    except BadNotation:
        return
    assert are_valid(GAME, states)[0]


def test_impossible_positions_are_not_valid():
    for field, value in (("cards", [1, 1]), ("cards", [0, 1]), ("plies", 2), ("moves", [2, 1, 1])):
        states = at("J K", "pass bet bet")
        states[field] = value
        assert not are_valid(GAME, states)[0]


def test_plain_python_gives_the_same():
    assert plain_digest("kuhn_poker", 40, 2, {}) == digest("kuhn_poker", 40, 2, {})
