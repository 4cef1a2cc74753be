"""Goofspiel: rounds, orders of prizes, shares, and what players know of hidden bids."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import kernels, load
from ludus.errors import BadNotation, BadParams
from ludus.rng import match_words
from tests.games.classics import are_valid, digest, guesses, plain_digest, positions

GAME = load("goofspiel")
HIDDEN = {"bids": "hidden"}


def after(rounds, players=2, **rules):
    """The position after these rounds, each a text with one bid a player."""
    words = match_words(1, np.arange(1), 0, players)
    states = GAME.start(words, players, GAME.rule_values("default", rules))
    for bids in rounds:
        joint = np.full((1, 4), -1, np.int32)
        for player, text in enumerate(bids.split()):
            joint[0, player] = GAME.parse_action(states, player, text)
        GAME.advance(states, joint, words)
    return states


def masked(states, player):
    return GAME.masked(states, np.full(len(states), player))


def cards_in(mask):
    return {card for card in range(1, 14) if int(mask) >> (card - 1) & 1}


# ------------------------------------------------------------------------------------------------ rounds


def test_the_highest_bid_takes_the_prize_and_a_tie_nobody():
    states = after(["3 1", "2 2"], cards=3, order="descending")
    assert states[0].points[:2].tolist() == [3, 0]
    assert states[0].prize == 1
    assert GAME.menu(states, 0).tolist() == [0]
    assert GAME.menu(states, 1).tolist() == [2]


def test_a_tie_for_the_highest_of_three_bids_wins_nothing_for_the_third():
    states = after(["3 3 1"], players=3, cards=3, order="descending")
    assert states[0].points.tolist() == [0, 0, 0, 0]
    assert after(["1 1 3"], players=3, cards=3, order="descending")[0].points.tolist() == [0, 0, 3, 0]


@pytest.mark.parametrize(("order", "prizes"), [("descending", [4, 3, 2, 1]), ("ascending", [1, 2, 3, 4])])
def test_order_of_prizes(order, prizes):
    rounds = [f"{k} {5 - k}" for k in range(1, 5)]
    assert [int(after(rounds[:turn], cards=4, order=order)[0].prize) for turn in range(4)] == prizes
    assert after(rounds, cards=4, order=order)[0].prize == 0


def test_in_random_order_every_prize_is_as_likely():
    words = match_words(5, np.arange(26_000), 0, 2)
    _, counts = np.unique(GAME.start(words, 2)["prize"], return_counts=True)
    assert len(counts) == 13
    assert np.abs(counts - 2000).max() < 4.5 * np.sqrt(2000)


def test_a_hidden_prize_is_not_drawn_before_the_bids():
    states = after(["13 1"], prize="hidden")
    assert states[0].prize == 0
    won = int(states[0].points[0])
    assert cards_in(states[0].prizes) == set(range(1, 14)) - {won}
    assert GAME.state_text(states[0]).startswith("prize ?")


def test_a_hidden_prize_needs_random_order():
    for order in ("ascending", "descending"):
        with pytest.raises(BadParams, match="hidden prize needs order=random"):
            after([], prize="hidden", order=order)


@pytest.mark.parametrize(
    ("rounds", "players", "payoffs"),
    [
        (["3 1", "1 2", "2 3"], 2, [0, 0]),  # 3 against 2 + 1
        (["3 2", "1 3", "2 1"], 2, [1, -1]),
        (["3 2 1", "1 3 2", "2 1 3"], 3, [1, -0.5, -0.5]),  # 3, 2, 1
        (["3 3 2", "2 2 3", "1 1 1"], 3, [-0.5, -0.5, 1]),  # 0, 0, 2
        (["2 2 2 2", "3 3 1 1", "1 1 3 3"], 4, [0, 0, 0, 0]),
    ],
)
def test_payoffs(rounds, players, payoffs):
    states = after(rounds, players, cards=3, order="descending")
    assert GAME.waiting(states)[0] == 0
    assert GAME.payoffs(states)[0, :players].tolist() == payoffs


def test_two_of_three_share_a_win():
    states = after(["4 4 1", "1 3 2", "2 1 3", "3 2 4"], 3, cards=4, order="descending")
    assert states[0].points[:3].tolist() == [0, 3, 3]
    assert GAME.payoffs(states)[0, :3].tolist() == [-0.5, 0.25, 0.25]
    assert GAME.outcome_text(states) == "players 2 and 3 share the win, 0 to 3 to 3"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(3, 13), st.sampled_from(["open", "hidden"]))
def test_cards_and_points_are_conserved(seed, players, cards, bids):
    claimed = 0
    for turn, states in enumerate(positions("goofspiel", 1, players, {"cards": cards, "bids": bids}, seed)):
        state = states[0]
        assert state.turn == turn
        assert [len(cards_in(hand)) for hand in state.hands[:players]] == [cards - turn] * players
        left = sum(cards_in(state.prizes)) + int(state.prize)
        assert claimed <= state.points.sum() <= cards * (cards + 1) // 2 - left
        claimed = state.points.sum()
        assert are_valid(GAME, states)[0]
        assert bids == "hidden" or not state.bids.any()


# ------------------------------------------------------------------------------------------------ what players know

ROUNDS = ["5 2 1", "4 4 3", "3 5 4"]  # won by 0, tied between 0 and 1, won by 1


def test_open_bids_hide_nothing():
    states = after(ROUNDS, 3, cards=5)
    for player in range(3):
        assert masked(states, player).tobytes() == states.tobytes()


def test_hidden_bids_show_own_bids_winners_and_ties():
    views = [masked(after(ROUNDS, 3, cards=5, **HIDDEN), player)[0] for player in range(3)]
    assert views[0].bids[:3, :3].tolist() == [[5, 0, 0], [4, 4, 0], [3, 0, 0]]
    assert views[1].bids[:3, :3].tolist() == [[0, 2, 0], [4, 4, 0], [0, 5, 0]]
    assert views[2].bids[:3, :3].tolist() == [[0, 0, 1], [4, 4, 3], [0, 0, 4]]
    for player in range(3):
        assert views[player].winners[:3].tolist() == [1, 0, 2]
        assert [bool(hand) for hand in views[player].hands[:3]] == [seat == player for seat in range(3)]


def test_all_is_shown_when_the_match_is_over():
    states = after([*ROUNDS, "2 3 5", "1 1 2"], 3, cards=5, **HIDDEN)
    assert masked(states, 2).tobytes() == states.tobytes()


def test_observe_does_not_show_hidden_hands():
    out = np.zeros((2, 95), np.float32)
    for row, rounds in enumerate((["5 1"], ["5 2"])):
        states = after(rounds, cards=5, order="ascending", **HIDDEN)
        GAME.kernel(kernels.features)(states, np.array([0]), out[row : row + 1])
    assert (out[0] == out[1]).all()


def possible_worlds(view, me):
    """All bids of past rounds that the viewer cannot rule out, by brute force."""
    players, cards, turns = int(view.players), int(view.params.cards), int(view.turn)
    choices = [permutations(range(1, cards + 1), turns) for _ in range(players)]
    choices[me] = [tuple(int(bid) for bid in view.bids[:turns, me])]
    return {
        world for world in product(*map(list, choices)) if all(looks(view, me, turn, world) for turn in range(turns))
    }


def looks(view, me, turn, world):
    """Whether these bids (one tuple a player) would have shown the viewer this round."""
    bids = [spent[turn] for spent in world]
    highest = [player for player, bid in enumerate(bids) if bid == max(bids)]
    if len(highest) == 1:
        seen = [bid if player == me else 0 for player, bid in enumerate(bids)]
        return view.winners[turn] == 1 + highest[0] and view.bids[turn, : len(bids)].tolist() == seen
    seen = [bid if player == me or player in highest else 0 for player, bid in enumerate(bids)]
    return view.winners[turn] == 0 and view.bids[turn, : len(bids)].tolist() == seen


@pytest.mark.parametrize(("players", "cards", "seeds"), [(2, 4, 5), (2, 6, 2), (3, 4, 3), (4, 3, 3)])
def test_guesses_are_possible_and_every_possible_world_is_guessed(players, cards, seeds):
    compared = 0
    for seed in range(seeds):
        for states in positions("goofspiel", 1, players, {"cards": cards, **HIDDEN}, seed):
            turn = int(states[0].turn)
            for me in range(players if 0 < turn < cards else 0):
                view = masked(states, me)
                possible = possible_worlds(view[0], me)
                draws = min(40 * len(possible), 4000)
                worlds = guesses(GAME, np.repeat(view, draws), np.full(draws, me), seed)
                found = Counter(tuple(map(tuple, bids[:turn, :players].T.tolist())) for bids in worlds["bids"])
                assert set(found) <= possible
                assert len(possible) > 100 or set(found) == possible
                assert tuple(map(tuple, states[0].bids[:turn, :players].T.tolist())) in possible
                # No world is far more likely than another: uniform draws would have about 40 of each.
                assert len(possible) > 100 or max(found.values()) < 40 * 2.5
                compared += 1
    assert compared == seeds * players * (cards - 1)


HARD = [
    ["13 13 13 13", "1 1 1 1", "7 7 7 7"],
    ["1 2 3 4", "2 3 4 5", "3 4 5 6", "4 5 6 7", "5 6 7 8", "6 7 8 9", "7 8 9 10", "8 9 10 11", "9 10 11 12"],
    [
        "13 1 1 1",
        "12 2 2 2",
        "11 3 3 3",
        "10 4 4 4",
        "9 5 5 5",
        "8 6 6 6",
        "7 7 7 7",
        "6 8 8 8",
        "5 9 9 9",
        "4 10 10 10",
    ],
    [f"{k} {(k + 4) % 13 + 1} {(k + 7) % 13 + 1} {14 - k}" for k in range(1, 13)],
]


@pytest.mark.parametrize("rounds", HARD)
def test_guesses_hold_in_lopsided_matches(rounds):
    states = after(rounds, 4, **HIDDEN)
    for player in range(4):
        view = np.repeat(masked(states, player), 200)
        worlds = guesses(GAME, view, np.full(200, player))
        assert are_valid(GAME, worlds).all()
        assert masked(worlds, player).tobytes() == view.tobytes()


@pytest.mark.parametrize("rules", [HIDDEN, {**HIDDEN, "cards": 3}, {**HIDDEN, "prize": "hidden"}])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_guesses_and_twins_over_random_play(players, rules):
    varied = twinned = 0
    for states in positions("goofspiel", 200, players, rules):
        for player in range(players):
            seats = np.full(len(states), player)
            views = masked(states, player)
            one, other = guesses(GAME, views, seats, 1), guesses(GAME, views, seats, 2)
            assert are_valid(GAME, one).all()
            assert masked(one, player).tobytes() == views.tobytes()
            varied += (one != other).sum()
            twins, swapped = states.copy(), np.empty(len(states), np.bool_)
            GAME.kernel(kernels.swap_secrets)(twins, seats, match_words(3, np.arange(200), 0, 1)[:, 1:].copy(), swapped)
            assert ((twins != states) == swapped).all()
            assert are_valid(GAME, twins).all()
            assert masked(twins, player).tobytes() == views.tobytes()
            twinned += swapped.sum()
    assert varied > 100
    assert twinned > 100


# ------------------------------------------------------------------------------------------------ notation and the rest


def test_positions_are_written_for_people():
    text = GAME.state_text(masked(after(ROUNDS[:2], 3, cards=5, order="descending", **HIDDEN), 2)[0])
    assert text.splitlines() == [
        "prize 3, to come 1 2",
        "player 1: 5 points, hand ?",
        "player 2: 0 points, hand ?",
        "player 3: 0 points, hand 2 4 5",
        "round 1: prize 5, bids ? ? 1, won by player 1",
        "round 2: prize 4, bids 4 4 3, won by nobody",
    ]
    over = after(["3 1", "2 2", "1 3"], cards=3, order="descending")
    assert GAME.state_text(over[0]).splitlines()[:2] == ["prize -, to come -", "player 1: 3 points, hand -"]
    assert GAME.outcome_text(over) == "player 1 wins, 3 to 1"


@pytest.mark.parametrize("text", ["", "0", "6", "x", "-1", "1.5"])
def test_bad_bids_are_refused(text):
    with pytest.raises(BadNotation, match="no card"):
        GAME.parse_action(after([], cards=5), 0, text)


def test_a_spent_card_is_refused():
    with pytest.raises(BadNotation, match="not allowed now; your menu: 1, 3, 4, 5"):
        GAME.parse_action(after(["2 5"], cards=5), 0, "2")


def test_impossible_positions_are_not_valid():
    def broken(field, value, **rules):
        states = after(ROUNDS[:2], 3, cards=5, order="descending", **rules)
        assert are_valid(GAME, states)[0]
        states[field][0] = value
        return not are_valid(GAME, states)[0]

    assert broken("turn", 3)
    assert broken("prize", 1)
    assert broken("prizes", 0)
    assert broken("hands", [0b111, 0b11, 0b111, 0])
    assert broken("hands", [0b110001, 0b10101, 0b11010, 0])
    assert broken("points", [9, 1, 0, 0])
    assert broken("points", [4, 0, 0, 0], **HIDDEN)
    assert broken("winners", [2, *[0] * 12], **HIDDEN)
    assert broken("hands", [0b10011, 0b11001, 0b11010, 0], **HIDDEN)


def test_heuristic_follows_the_lead():
    out = np.empty(1)
    for player, sign in ((0, 1), (1, -1)):
        GAME.kernel(kernels.estimates)(after(["5 1"], cards=5), np.array([player]), out)
        assert sign * out[0] > 0
    GAME.kernel(kernels.estimates)(after([], cards=5), np.array([0]), out)
    assert out[0] == 0


@pytest.mark.parametrize(
    ("players", "rules"), [(2, {}), (3, {"cards": 5, "order": "descending"}), (2, {"cards": 8, **HIDDEN}),
                           (4, {"cards": 4, "prize": "hidden", **HIDDEN})],
)  # fmt: skip
def test_plain_python_gives_the_same(players, rules):
    assert plain_digest("goofspiel", 5, players, rules) == digest("goofspiel", 5, players, rules)
