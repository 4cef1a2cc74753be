"""Gravwell: worked positions, a second implementation, published numbers, secrets and notation."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import load
from ludus.compile import template
from ludus.errors import BadNotation, BadParams
from ludus.games._gravwell_text import MOVE, PULL, SYMBOLS
from ludus.games.gravwell import GO, HALT, PICK, attraction
from ludus.kernels import estimates, features, guess_worlds, rollouts, swap_secrets, validity
from ludus.rng import below, match_words
from ludus.rules import MAX_ACTIONS, SEATS, legal, step, to_act

from .naive_gravwell import NaiveGravwell, cards
from .second_opinion import agree

GAME = load("gravwell")
DRAFT, CHOOSE, STOP, OVER = range(4)
SMALL = {"gate": 18, "hulk": 11, "second_hulk": 7}  # a short track, on which the gate is reached all the time


# ------------------------------------------------------------------------------------------------ helpers


def start(count, players=4, preset="default", rules=None, seed=1):
    words = match_words(seed, np.arange(count), 0, players)
    return GAME.start(words, players, GAME.rule_values(preset, rules)), words


def random_states(count, players=4, preset="default", rules=None, seed=1):
    """Random matches side by side: yields all that are not over, ply after ply, and at last all that are."""
    states, words = start(count, players, preset, rules, seed)
    plies = np.zeros(count, np.int64)
    advance = GAME.kernel(rollouts)
    for ply in range(GAME.facts.max_plies + 1):
        running = GAME.waiting(states) != 0
        if not running.any():
            break
        yield states[running]
        advance(states, words, plies, ply + 1)
    yield states


def board(tiles, hulks, plays=None, stops=1, preset="default", rules=None, round_no=1):
    """A position at the last turn of a round, each player with one card: the given one, or any other."""
    spare = [symbol for symbol in SYMBOLS if symbol not in (plays or {}).values()]
    rows = [f"Round {round_no}, turn 6: choose", "hulks " + " ".join(map(str, hulks))]
    for name, tile in tiles.items():
        rows.append(f"{name} tile {tile} stops {stops} hand {(plays or {}).get(name) or spare.pop()}")
    return GAME.parse_state("\n".join(rows), len(tiles), GAME.rule_values(preset, rules))


def joint(states, actions, seed=5):
    row = np.full((1, 4), -1, np.int32)
    for player, action in actions.items():
        row[0, player] = action
    GAME.advance(states, row, match_words(seed, 0, 0, int(states[0].players)).reshape(1, -1))


def play_turn(states, stopping=(), seed=5):
    """Everybody plays the only card; those named stop when they are asked. Returns who was asked, in order."""
    joint(states, {seat: int(GAME.menu(states, seat)[0]) for seat in range(states[0].players)})
    asked = ""
    while states[0].phase == STOP:
        seat = int(GAME.waiting(states)[0]).bit_length() - 1
        asked += "ABCD"[seat]
        joint(states, {seat: HALT if "ABCD"[seat] in stopping else GO}, seed)
    return asked


def after_turn(tiles, hulks, plays, stopping=(), **setting):
    """Tiles of players and hulks after a turn in which all who have no given card stop it."""
    states = board(tiles, hulks, plays, **setting)
    play_turn(states, [*stopping, *(name for name in tiles if name not in plays)])
    return tiles_of(states[0])


def tiles_of(state):
    n = int(state.players)
    return dict(zip("ABCD", state.tile[:n].tolist())), state.tile[n : state.ships].tolist()


def wins(preset, policy, matches=60_000):
    """How often seat 0 wins, in per cent."""
    states, words = start(matches, 4, preset)
    GAME.kernel(play_policy)(states, words, policy)
    return 100 * float((states["winner"] == 1).mean())


@template
def play_policy(states, words, policy):
    """Seat 0 plays at random but for its stops (1: never, 2: whenever it would move backward); the others at random."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    actions = np.empty(SEATS, np.int32)
    for i in range(states.shape[0]):
        state = states[i]
        mask = to_act(state)
        while mask != 0:
            for player in range(SEATS):
                actions[player] = -1
                if mask >> player & 1:
                    actions[player] = menu[below(words[i, 1 + player : 2 + player], legal(state, player, menu))]
            if state.phase == STOP and actions[0] >= 0:
                backward = MOVE[state.played[0] - 1] * attraction(state, 0) < 0
                actions[0] = HALT if policy == 2 and backward else GO
            step(state, actions, words[i, :1])
            mask = to_act(state)


# ------------------------------------------------------------------------------------------------ worked positions

FOUR = {"A": 10, "B": 7, "C": 13, "D": 0}
STUCK = {"A": 30, "B": 27, "C": 33, "D": 0}


@pytest.mark.parametrize(("card", "tile"), [("C", 14), ("Kr", 8), ("Xe", 6)])
def test_T1_tie_and_bump(card, tile):
    assert after_turn(FOUR, [26, 36], {"A": card}) == (FOUR | {"A": tile}, [26, 36])


def test_T2_stuck_ship_stays_and_is_not_asked():
    states = board(STUCK, [26, 36], {"A": "Mg"})
    assert "A" not in play_turn(states, "BCD")
    assert tiles_of(states[0]) == (STUCK, [26, 36])


def test_T2_stuck_ship_may_pull_and_is_asked():
    states = board(STUCK, [26, 36], {"A": "Jo"})
    assert play_turn(states, "BCD").count("A") == 1
    assert tiles_of(states[0]) == ({"A": 30, "B": 29, "C": 31, "D": 2}, [28, 34])
    assert after_turn(STUCK, [26, 36], {"A": "Jo"}, preset="paper") == (STUCK, [26, 36])
    assert after_turn(STUCK, [26, 36], {"A": "Jo"}, stopping="A") == (STUCK, [26, 36])


@pytest.mark.parametrize(("card", "tile"), [("Mg", 15), ("Ne", 0)])
def test_T3_singularity_attracts_nothing_and_is_shared(card, tile):
    assert after_turn({"A": 5, "B": 0}, [36], {"A": card}) == ({"A": tile, "B": 0}, [36])


FLIP = {"A": 12, "B": 15, "C": 10, "D": 0}


def test_T4_order_flips_a_move():
    states = board(FLIP, [26, 36], {"A": "Zr", "B": "B", "C": "Ne", "D": "H"})
    assert play_turn(states) == "BDCA"
    assert tiles_of(states[0]) == ({"A": 19, "B": 13, "C": 3, "D": 4}, [26, 36])


def test_T4_a_stop_cancels_the_card_and_is_spent():
    states = board(FLIP, [26, 36], {"A": "Zr", "B": "B", "C": "Ne", "D": "H"}, rules={"stops_per": "game"})
    assert play_turn(states, stopping="B") == "BDCA"
    # B stays on 15; C is repelled from A to 4, taken, so 3; A's nearest is then B, 3 ahead
    assert tiles_of(states[0])[0] == {"A": 19, "B": 15, "C": 3, "D": 4}
    assert states[0].stops.tolist() == [1, 0, 1, 1]


def test_T5_tractor_order():
    tiles = {"A": 20, "B": 22, "C": 17, "D": 0}
    assert after_turn(tiles, [26, 36], {"A": "Qt"}) == ({"A": 20, "B": 19, "C": 21, "D": 3}, [23, 33])


def test_T6_bumped_into_the_gate_wins_and_later_cards_are_void():
    states = board({"A": 48, "B": 53, "C": 30, "D": 0}, [26, 36], {"A": "Pu", "B": "Zr", "C": "Y", "D": "W"})
    assert play_turn(states) == "A"
    assert (states[0].phase, states[0].winner) == (OVER, 1)
    assert tiles_of(states[0])[0] == {"A": 54, "B": 53, "C": 30, "D": 0}
    assert GAME.payoffs(states)[0].tolist() == [1, -1 / 3, -1 / 3, -1 / 3]


def test_T6_a_big_card_may_go_backward_and_a_repulsor_through_the_gate():
    tiles = {"A": 50, "B": 45, "C": 30, "D": 0}
    assert after_turn(tiles, [26, 36], {"A": "Mg"})[0] == tiles | {"A": 40}
    assert after_turn(tiles, [26, 36], {"A": "Ne"})[0] == tiles | {"A": 54}


def test_published_positions_replay_exactly(shared):
    cases = json.loads((shared / "facts" / "gravwell_tests.json").read_text())["tests"]
    assert len(cases) >= 12
    for case in cases:
        states = board(case["pos"], case["h"], case["plays"])
        play_turn(states, [name for name in case["pos"] if name not in case["plays"]])
        assert tiles_of(states[0]) == (case["expect"], sorted(case["expect_h"])), case["id"]
        winner = "ABCD"[states[0].winner - 1] if states[0].winner else None
        assert winner == case.get("winner"), case["id"]


def test_published_cards(shared):
    with open(shared / "facts" / "gravwell_cards.csv") as file:
        rows = list(csv.DictReader(file))
    assert [row["symbol"] for row in rows] == SYMBOLS
    for card, row in enumerate(rows):
        value = int(row["value"])
        expected = {"normal": (value, 0), "repulsor": (-value, 0), "tractor": (0, value)}[row["type"]]
        assert (MOVE[card], PULL[card]) == expected, row


def test_card_checksums():
    assert (len(SYMBOLS), SYMBOLS) == (26, sorted(SYMBOLS))
    assert [
        (int((MOVE > 0).sum()), int(MOVE[MOVE > 0].sum())),
        (int((MOVE < 0).sum()), int(-MOVE[MOVE < 0].sum())),
    ] == [
        (20, 110),
        (4, 16),
    ]
    assert ((PULL > 0).sum(), PULL.sum()) == (2, 5)


# ------------------------------------------------------------------------------------------------ edges


def test_repulsor_in_the_singularity_is_wasted_but_may_be_stopped():
    states = board({"A": 0, "B": 20}, [36], {"A": "Ne", "B": "Zr"})
    assert "A" in play_turn(states, "B")
    assert tiles_of(states[0])[0] == {"A": 0, "B": 20}


def test_no_ship_outside_the_singularity_leaves_all_stuck():
    states = board({"A": 0, "B": 0}, [0], {"A": "Mg", "B": "Jo"})
    assert play_turn(states) == "B"  # only the tractor could be stopped, and it finds nobody to pull
    assert tiles_of(states[0]) == ({"A": 0, "B": 0}, [0])


def test_a_stop_does_not_help_against_a_tractor():
    states = board({"A": 20, "B": 10}, [36], {"A": "Qt", "B": "Zr"})
    assert play_turn(states, stopping="B") == "AB"
    assert tiles_of(states[0]) == ({"A": 20, "B": 13}, [33])


def test_without_stops_nobody_is_asked():
    assert play_turn(board(FLIP, [26, 36], {"A": "Zr", "B": "B", "C": "Ne", "D": "H"}, stops=0)) == ""


def test_tractor_ties_take_the_lower_tile_first():
    # B goes first, to 21, where C still is, so 22; then C finds 19 free
    tiles = {"A": 20, "B": 19, "C": 21, "D": 0}
    assert after_turn(tiles, [26, 36], {"A": "Jo"})[0] == {"A": 20, "B": 22, "C": 19, "D": 2}
    # the same with B and C exchanged: the tile decides, not the seat
    tiles = {"A": 20, "B": 21, "C": 19, "D": 0}
    assert after_turn(tiles, [26, 36], {"A": "Jo"})[0] == {"A": 20, "B": 19, "C": 22, "D": 2}


def test_tractor_lands_beyond_ships_that_have_not_moved_yet():
    tiles = {"A": 20, "B": 19, "C": 22, "D": 0}
    assert after_turn(tiles, [26, 36], {"A": "Qt"})[0] == {"A": 20, "B": 23, "C": 19, "D": 3}


def test_tractor_draws_out_of_the_singularity_by_seat():
    tiles = {"A": 20, "B": 0, "C": 0, "D": 0}
    assert after_turn(tiles, [26, 36], {"A": "Qt"})[0] == {"A": 20, "B": 3, "C": 4, "D": 5}
    off = {"pull_from_singularity": "off"}
    assert after_turn(tiles, [26, 36], {"A": "Qt"}, rules=off) == (tiles, [23, 33])


def test_a_puller_in_the_singularity_leaves_its_neighbours_there():
    assert after_turn({"A": 0, "B": 0, "C": 2}, [26, 36], {"A": "Qt"}) == ({"A": 0, "B": 0, "C": 0}, [23, 33])


def test_a_ship_pulled_over_the_gate_wins_at_once():
    states = board({"A": 53, "B": 52, "C": 51, "D": 0}, [26, 36], {"A": "Qt", "B": "Zr", "C": "Y", "D": "W"})
    assert play_turn(states) == "A"
    assert (states[0].phase, states[0].winner) == (OVER, 2)
    assert tiles_of(states[0]) == ({"A": 53, "B": 54, "C": 51, "D": 0}, [26, 36])  # the rest is not pulled any more


def test_gate_check_actor_lets_only_the_acting_player_win():
    tiles, plays = {"A": 53, "B": 52, "C": 51, "D": 0}, {"A": "Qt", "B": "C", "C": "B", "D": "Ar"}
    states = board(tiles, [26, 36], plays, rules={"gate_check": "actor"})
    play_turn(states, stopping="BCD")
    # B's and C's cards were through when A pulled them: both wait in the gate, and nobody has won
    assert states[0].winner == 0
    assert tiles_of(states[0]) == ({"A": 53, "B": 54, "C": 54, "D": 3}, [29, 39])
    # a stopped card counts as done: B, whose card comes after A's, then wins
    states = board(tiles, [26, 36], plays | {"B": "Zr"}, rules={"gate_check": "actor"})
    play_turn(states, stopping="BCD")
    assert (states[0].phase, states[0].winner) == (OVER, 2)


def test_a_hulk_never_enters_the_gate():
    # from 51 by 3: 54, the gate; 53 is A's, so 52
    assert after_turn({"A": 53, "B": 0}, [51], {"A": "Qt"}) == ({"A": 53, "B": 3}, [52])
    # 52 goes first and comes back to 52; then 50 goes to 53, taken, and on to the gate; 53 and 52 are taken, so 51
    assert after_turn({"A": 53, "B": 0, "C": 30}, [50, 52], {"A": "Qt"})[1] == [51, 52]


def test_hulks_may_fall_into_the_singularity_and_be_drawn_out_again():
    assert after_turn({"A": 1, "B": 40}, [2], {"A": "Qt"})[1] == [0]
    assert after_turn({"A": 30, "B": 40}, [0], {"A": "Qt"})[1] == [3]


def test_round_limit_nearest_rearmost_and_lot():
    tiles = {"A": 5, "B": 40, "C": 0}
    for rules, winner in (({}, 2), ({"limit_winner": "neural"}, 1)):
        states = board(tiles, [26, 36], round_no=6, rules=rules)
        play_turn(states, stopping="ABC")
        assert (states[0].phase, states[0].winner) == (OVER, winner)
    lots = set()
    for seed in range(40):
        states = board({"A": 0, "B": 0, "C": 0}, [0, 0], {"A": "Ar", "B": "B", "C": "C"}, round_no=6)
        row = np.array([[0, 1, 2, -1]], np.int32)
        GAME.advance(states, row, match_words(seed, 0, 0, 3).reshape(1, -1))
        lots.add(int(states[0].winner))
    assert lots == {1, 2, 3}


def test_stops_come_back_each_round_or_never():
    for stops_per, left in (("round", 1), ("game", 0)):
        states = board(FLIP, [26, 36], {"A": "Zr", "B": "B", "C": "Ne", "D": "H"}, rules={"stops_per": stops_per})
        play_turn(states, stopping="D")
        assert (states[0].phase, states[0].round_no) == (DRAFT, 1)
        assert states[0].stops.tolist() == [1, 1, 1, left]


@pytest.mark.parametrize(
    ("draft", "orders"),
    [("farthest", {"CDAB", "DCAB"}), ("neural", {"CDBA", "DCBA"}), ("clockwise", {"CDAB", "DABC"})],
)
def test_draft_order(draft, orders):
    seen = set()
    for seed in range(30):
        states = board({"A": 10, "B": 40, "C": 0, "D": 0}, [26, 36], rules={"draft": draft})
        assert sorted(play_turn(states, stopping="ABCD", seed=seed)) == list("ABCD")
        seen.add("".join("ABCD"[seat] for seat in states[0].order))
    assert seen == orders


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_draft_is_three_rounds_of_one_order(players):
    states, _ = start(1, players)
    order, taken = states[0].order[:players].tolist(), []
    while states[0].phase == DRAFT:
        seat = int(GAME.waiting(states)[0]).bit_length() - 1
        top = int(GAME.menu(states, seat)[-1]) - PICK
        under = int(states[0].under[top]) - 1
        joint(states, {seat: PICK + top})
        assert states[0].hand[seat] >> top & 1
        assert states[0].hand[seat] >> under & 1
        taken.append(seat)
    assert taken == order * 3
    assert states[0].held[:players].tolist() == [6] * players


# ------------------------------------------------------------------------------------------------ second opinion

SETTINGS = [
    (4, "default", {}, 60),
    (2, "default", {"rounds": 2}, 200),
    (3, "default", {"rounds": 2}, 150),
    (4, "paper", {"rounds": 2}, 120),
    (4, "neural", {"rounds": 2}, 120),
    (3, "hardcore", {"rounds": 3, "draft": "clockwise"}, 100),
    (4, "no_secrets", {"rounds": 2, "pull_from_singularity": "off"}, 100),
    (2, "default", SMALL | {"rounds": 3}, 200),
    (3, "default", SMALL | {"rounds": 3, "stops": 0}, 200),
    (4, "default", SMALL | {"rounds": 2, "stops": 3}, 200),
    (4, "default", SMALL | {"rounds": 2, "gate_check": "actor", "limit_winner": "neural"}, 200),
    (2, "default", {"gate": 10, "hulk": 9, "rounds": 3, "gate_check": "actor", "draft": "neural"}, 200),
    (3, "default", {"gate": 12, "hulk": 10, "second_hulk": 11, "rounds": 2}, 200),
    (4, "default", {"gate": 99, "hulk": 1, "second_hulk": 0, "rounds": 2, "draft": "clockwise"}, 100),
]


@pytest.mark.parametrize(("players", "preset", "rules", "matches"), SETTINGS)
def test_second_opinion(players, preset, rules, matches):
    assert agree("gravwell", NaiveGravwell, matches, players, preset, rules, seed=players) > 8 * matches


def test_second_opinion_is_asked_about_enough():
    assert sum(matches for *_, matches in SETTINGS) >= 2000


@pytest.mark.parametrize(("players", "preset"), [(4, "default"), (3, "default"), (2, "no_secrets")])
def test_views_hold_exactly_what_a_player_has_seen(players, preset):
    states, _ = start(1, players, preset, {"rounds": 3}, seed=3)
    naive = NaiveGravwell(states[0])
    while mask := int(GAME.waiting(states)[0]):
        actions = {seat: int(GAME.menu(states, seat)[0]) for seat in range(players) if mask >> seat & 1}
        joint(states, actions)
        naive.step(actions, states[0])
        for viewer in range(players):
            view = GAME.masked(states, np.array([viewer]))[0]
            hands, stacks = naive.knows(viewer)
            assert [cards(hand) for hand in view.hand[:players]] == hands
            under = {top: view.under[ord(top[0]) - 65] for top in stacks}
            assert under == {top: -1 if card is None else ord(card[0]) - 64 for top, card in stacks.items()}
            assert np.count_nonzero(view.under) == len(stacks)


# ------------------------------------------------------------------------------------------------ published numbers


@pytest.mark.parametrize(("preset", "mean", "gate"), [("paper", 26.0, 8), ("default", 21.45, 5)])
def test_published_random_play(preset, mean, gate):
    """Four players who choose uniformly, stops included: end tile, matches that reach the gate, equal seats."""
    count = 40_000
    states, words = start(count, 4, preset, seed=11)
    plies = np.zeros(count, np.int64)
    GAME.kernel(rollouts)(states, words, plies, GAME.facts.max_plies)
    tiles = states["tile"][:, :4]
    error = tiles.mean(axis=1).std() / count**0.5
    assert abs(tiles.mean() - mean) < 0.1 + 4 * error  # published to one decimal
    at_gate = 100 * (tiles == 54).any(axis=1).mean()
    assert abs(at_gate - gate) < 0.5 + 4 * 100 * (gate / 100 / count) ** 0.5  # published to a whole per cent
    shares = [(states["winner"] == 1 + seat).mean() for seat in range(4)]
    assert np.abs(np.array(shares) - 0.25).max() < 4 * (0.1875 / count) ** 0.5
    if preset == "paper":
        assert abs(tiles.std() - 12.4) < 0.2


@pytest.mark.parametrize(
    ("preset", "policy", "published"),
    [("paper", 1, 26.2), ("default", 1, 25.6), ("paper", 2, 35.3), ("default", 2, 30.0)],
)
def test_published_worth_of_the_emergency_stop(preset, policy, published):
    """Never stopping, and stopping every move backward, against three random players; published with error 0.15."""
    error = (100 * 100 * 0.25 * 0.75 / 60_000 + 0.15**2) ** 0.5
    assert abs(wins(preset, policy) - published) < 0.05 + 3.5 * error


# ------------------------------------------------------------------------------------------------ secrets


@pytest.mark.parametrize(("players", "matches", "least"), [(4, 700, 100_000), (3, 200, 20_000), (2, 200, 10_000)])
def test_secrets_stay_secret(players, matches, least):
    """Cards that a player has not seen change places, four times over: the view's bytes do not change."""
    swap, swapped, seen = GAME.kernel(swap_secrets), 0, 0
    for states in random_states(matches, players, seed=17):
        for player in range(players):
            viewers = np.full(len(states), player)
            words = np.arange(seen, seen + len(states), dtype=np.uint64).reshape(-1, 1)
            other, done = states.copy(), np.empty(len(states), np.bool_)
            swap(other, viewers, words, done)
            assert np.array_equal((rows_of(other) != rows_of(states)).any(axis=1), done)
            for _ in range(3):
                swap(other, viewers, words, np.empty(len(states), np.bool_))
            assert GAME.masked(other, viewers).tobytes() == GAME.masked(states, viewers).tobytes()
            swapped += int(done.sum())
        seen += len(states)
    assert seen > least
    assert swapped > 0.8 * players * seen


def rows_of(states):
    return np.ascontiguousarray(states).view(np.uint8).reshape(len(states), -1)


@pytest.mark.parametrize(("players", "preset"), [(4, "default"), (3, "hardcore"), (2, "default"), (4, "no_secrets")])
def test_guesses_are_possible_and_look_the_same(players, preset):
    guess, check, watch = GAME.kernel(guess_worlds), GAME.kernel(validity), GAME.kernel(features)
    for states in random_states(60, players, preset, {"rounds": 3}, seed=23):
        good = np.empty(len(states), np.bool_)
        check(states, good)
        assert good.all()
        for player in range(players):
            viewers = np.full(len(states), player)
            views = GAME.masked(states, viewers)
            assert GAME.masked(views, viewers).tobytes() == views.tobytes()
            worlds = views.copy()
            guess(worlds, viewers, np.arange(len(states), dtype=np.uint64).reshape(-1, 1))
            check(worlds, good)
            assert good.all()
            assert GAME.masked(worlds, viewers).tobytes() == views.tobytes()
            seen, true = (np.zeros((len(states), GAME.names["FEATURES"]), np.float32) for _ in range(2))
            watch(views, viewers, seen)
            watch(states, viewers, true)
            assert np.array_equal(seen, true)
            assert np.abs(seen).max() <= 1
            assert (views["hand"][:, player] == states["hand"][:, player]).all()
            if preset == "no_secrets":
                assert worlds.tobytes() == states.tobytes()


def test_guesses_are_uniform():
    """Every unseen card is equally often in a rival's hand, and never one that was seen elsewhere."""
    states, words = start(1, 3, seed=4)
    GAME.kernel(rollouts)(states, words, np.zeros(1, np.int64), 11)  # late in the draft, then one turn
    count = 20_000
    views = np.repeat(GAME.masked(states, np.array([0])), count)
    GAME.kernel(guess_worlds)(views, np.zeros(count, np.int64), np.arange(count, dtype=np.uint64).reshape(-1, 1))
    known = cards(states[0].shown) | cards(states[0].hand[0])
    unseen = [card for card in range(26) if SYMBOLS[card] not in known]
    rival = views["hand"][:, 1]
    hidden = int(views[0].held[1]) - len(cards(states[0].hand[1] & states[0].shown))
    assert hidden > 0
    for card in range(26):
        share = (rival >> card & 1).mean()
        if card in unseen:
            assert abs(share - hidden / len(unseen)) < 4.5 * (share * (1 - share) / count) ** 0.5
        else:
            assert share == (states[0].hand[1] >> card & 1)


def test_chosen_cards_are_in_no_record():
    """A choice is a joint step: nothing of it is stored before everybody has chosen."""
    for states in random_states(50, seed=29):
        choosing = states[states["phase"] == CHOOSE]
        assert not choosing["played"].any()
        assert (GAME.waiting(choosing) == 15).all()


# ------------------------------------------------------------------------------------------------ properties


@settings(max_examples=25, deadline=None)
@given(
    players=st.integers(2, 4),
    seed=st.integers(0, 2**32),
    gate=st.integers(10, 60),
    rounds=st.integers(1, 4),
    stops=st.integers(0, 3),
    draft=st.sampled_from(["farthest", "clockwise", "neural"]),
    flags=st.tuples(*[st.booleans()] * 6),
)
def test_random_play_keeps_its_laws(players, seed, gate, rounds, stops, draft, flags):
    rules = {"gate": gate, "hulk": gate - 1, "second_hulk": gate // 2, "rounds": rounds, "stops": stops, "draft": draft}
    rules |= {"tractor": "noop" if flags[0] else "pull", "gate_check": "actor" if flags[1] else "any"}
    rules |= {"secrets": flags[2], "pull_from_singularity": flags[3], "stops_per": "game" if flags[4] else "round"}
    rules |= {"limit_winner": "neural" if flags[5] else "nearest"}
    check = GAME.kernel(validity)
    plies, history = 0, list(random_states(10, players, "default", rules, seed))
    for states in history:
        good = np.empty(len(states), np.bool_)
        check(states, good)
        assert good.all()
        hands = states["held"][:, :players]
        assert (hands[states["phase"] == CHOOSE] == 6 - states["turn_no"][states["phase"] == CHOOSE, None]).all()
        assert (states["stops"] <= stops).all()
        assert (states["tile"][:, players:] < gate).all()
        plies += 1
    assert plies - 1 <= rounds * (3 * players + 6 * (1 + players))
    final = history[-1]
    assert (final["phase"] == OVER).all()
    np.testing.assert_allclose(GAME.payoffs(final).sum(axis=1), 0, atol=1e-12)
    if flags[0]:
        assert (final["tile"][:, players : players + 1] != 0).all()
        assert set(np.unique(final["tile"][:, players:])) <= {0, gate // 2, gate - 1}


def test_menus_fit_and_hold_no_action_twice():
    for states in random_states(20, seed=31):
        state = states[:1]
        for seat in range(4):
            if GAME.waiting(state)[0] >> seat & 1:
                menu = GAME.menu(state, seat).tolist()
                assert 1 <= len(set(menu)) == len(menu) <= 12


def test_a_lead_is_worth_something():
    states = board({"A": 30, "B": 20, "C": 0}, [26, 36])
    out = np.empty(3)
    GAME.kernel(estimates)(np.repeat(states, 3), np.arange(3), out)
    assert out.tolist() == [0.5, -0.5, -1]


PLAIN = """
import hashlib, sys, numpy as np
from ludus import load
from ludus.kernels import *
from ludus.rng import match_words
game, digest = load("gravwell"), hashlib.sha256()
for players, preset, rules in [(4, "default", {}), (2, "no_secrets", {"gate": 18, "hulk": 11}), (3, "neural", {}),
                               (4, "default", {"gate": 14, "hulk": 12, "second_hulk": 13, "gate_check": "actor"})]:
    words = match_words(9, np.arange(3), 0, players)
    states = game.start(words, players, game.rule_values(preset, rules | {"rounds": 2}))
    plies = np.zeros(3, np.int64)
    for ply in range(90):
        for player in range(players):
            viewers, chance = np.full(3, player), words[:, :1].copy()
            good, seen, worth = np.empty(3, bool), np.zeros((3, game.names["FEATURES"]), np.float32), np.empty(3)
            worlds = game.masked(states, viewers)
            game.kernel(features)(worlds, viewers, seen)
            game.kernel(guess_worlds)(worlds, viewers, chance)
            game.kernel(swap_secrets)(worlds, viewers, chance, good)
            game.kernel(validity)(worlds, good)
            game.kernel(estimates)(worlds, viewers, worth)
            for part in (worlds, good, seen, worth, chance):
                digest.update(part.tobytes())
        game.kernel(rollouts)(states, words, plies, ply + 1)
        digest.update(states.tobytes() + words.tobytes() + game.payoffs(states).tobytes())
print(digest.hexdigest())
"""


def test_plain_python_equals_compiled():
    digests = set()
    for flag in ("0", "1"):
        command = [sys.executable, "-W", "error", "-c", PLAIN]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"NUMBA_DISABLE_JIT": flag})
        assert done.returncode == 0, done.stderr[-2000:]
        digests.add(done.stdout)
    assert len(digests) == 1


# ------------------------------------------------------------------------------------------------ notation


@pytest.mark.parametrize(("players", "preset"), [(4, "default"), (3, "no_secrets"), (2, "hardcore")])
def test_positions_and_views_survive_their_notation(players, preset):
    values = GAME.rule_values(preset, {"rounds": 2})
    for states in random_states(4, players, preset, {"rounds": 2}, seed=37):
        views = GAME.masked(states, np.zeros(len(states), np.int64))
        for one in (*states, *views):
            assert GAME.parse_state(GAME.state_text(one), players, values)[0].tobytes() == one.tobytes()


def test_actions_survive_their_notation():
    for states in random_states(5, seed=41):
        state = states[:1]
        for seat in range(4):
            if GAME.waiting(state)[0] >> seat & 1:
                for action in GAME.menu(state, seat):
                    text = GAME.action_text(state[0], seat, int(action))
                    assert GAME.parse_action(state, seat, text) == action
                    assert GAME.parse_action(state, seat, text.split()[-1][0].upper()) == action


def test_text_of_a_view():
    states = board(FLIP, [26, 36], {"A": "Zr", "B": "B", "C": "Ne", "D": "H"})
    assert GAME.state_text(GAME.masked(states, np.array([1]))[0]).splitlines() == [
        "Round 1, turn 6: choose",
        "|0         10        20        30        40        50",
        "|D.........C.A..B..........o.........o..................|",
        "A  tile 12  stops 1  hand ?",
        "B  tile 15  stops 1  hand B",
        "C  tile 10  stops 1  hand ?",
        "D  tile 0  stops 1  hand ?",
        "hulks 26 36",
    ]
    assert GAME.action_text(states[0], 0, 25) == "play Zr"
    assert [GAME.action_text(states[0], 0, action) for action in (GO, HALT)] == ["go", "stop"]
    assert GAME.action_text(states[0], 0, PICK + 16) == "take Qt"


def test_outcomes_are_told():
    states = board({"A": 50, "B": 45, "C": 30, "D": 0}, [26, 36], {"A": "Ne"})
    play_turn(states, "BCD")
    assert GAME.outcome_text(states) == "A wins: through the Warp Gate in round 1"
    for rules, text in (
        ({}, "B wins: nearest to the gate after round 6, on tile 40"),
        ({"limit_winner": "neural"}, "A wins: rearmost outside the Singularity after round 6, on tile 5"),
    ):
        states = board({"A": 5, "B": 40}, [26], round_no=6, rules=rules)
        play_turn(states, "AB")
        assert GAME.outcome_text(states) == text
    states = board({"A": 0, "B": 0}, [0], {"A": "Ar", "B": "B"}, round_no=6)
    play_turn(states)
    assert "wins by lot" in GAME.outcome_text(states)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Uranium", "is no card"),
        ("", "is no card"),
        ("stop", "is no card"),
        ("Ar", "is not allowed now; your menu: play Zr"),
    ],
)
def test_bad_cards(text, reason):
    with pytest.raises(BadNotation, match=reason):
        GAME.parse_action(board(FLIP, [26, 36], {"A": "Zr"}), 0, text)


def test_bad_answer_to_a_stop():
    states = board(FLIP, [26, 36], {"A": "Ar"})
    joint(states, {seat: int(GAME.menu(states, seat)[0]) for seat in range(4)})
    with pytest.raises(BadNotation, match="Ar is about to resolve: go or stop"):
        GAME.parse_action(states, 0, "Zr")


GOOD = "Round 1, turn 6: choose\nA tile 5 stops 1 hand Ar\nB tile 0 stops 1 hand Zr\nhulks 36"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Round 1, turn 6: choose\n", "", "lacks its first line"),
        ("choose", "think", "line 1: 'think' is no phase"),
        ("choose", "over", "line 1: a match has a winner when it is over"),
        ("choose", "stop", "somebody must be about to play"),
        ("choose", "draft", "the table must have 6 stacks, not 0"),
        ("turn 6", "turn 5", "A must have 2 cards in hand, not 1"),
        ("turn 6", "turn 7", "line 1: '7' is no turn from 1 to 6"),
        ("Round 1", "Round 99999999999", "line 1: '99999999999' is no round from 1 to 6"),
        ("A tile 5", "A tile 55", "line 2: '55' is no tile from 0 to 54"),
        ("A tile 5", "A tile five", "line 2: .* is no line of a position"),
        ("A tile 5", "C tile 5", "line 2: there is no player C among 2"),
        ("A tile 5", "B tile 5", "one row for each of 2 players"),
        ("A tile 5", "A tile 36", "two ships share a tile"),
        ("stops 1 hand Ar", "stops 2 hand Ar", "line 2: '2' is no number of stops from 0 to 1"),
        ("Ar", "Qx", "line 2: 'Qx' is no card"),
        ("Ar", "Zr", "line 3: Zr lies in two places"),
        ("Ar", "Ar Ar", "line 2: Ar lies in two places"),
        ("hulks 36", "hulks 36 26", "line 4: 1 belong here, not 2"),
        ("hulks 36", "hulks 54", "line 4: '54' is no tile from 0 to 53"),
        ("hulks 36", "", "lacks its line of hulks"),
        ("hulks 36", "hulks 36\ntable Ar", "line 5: 'Ar' is no stack"),
        ("hulks 36", "hulks 36\ndraft A A, 0 taken", "line 5: the order of the draft must name each player once"),
        ("hulks 36", "hulks 36\nnonsense", "line 5: 'nonsense' is no line"),
        ("1 hand Ar", "0 plays Ar hand", "A must have 1 cards in hand, not 0"),
    ],
)
def test_bad_positions(old, new, reason):
    GAME.parse_state(GOOD, 2)
    with pytest.raises(BadNotation, match=reason):
        GAME.parse_state(GOOD.replace(old, new, 1), 2)


def test_bad_position_in_a_stop():
    text = "Round 1, turn 6: stop\nA tile 5 stops 0 plays Ar hand\nB tile 0 stops 1 plays B hand\nhulks 36"
    with pytest.raises(BadNotation, match="has no stop left"):
        GAME.parse_state(text, 2)


@pytest.mark.parametrize(
    ("rules", "players", "reason"),
    [
        ({"gate": 30}, 2, "hulk 36 must lie before the gate, tile 30"),
        ({"gate": 20, "hulk": 10}, 3, "second_hulk 26 must lie before the gate"),
        ({"second_hulk": 36}, 4, "both hulks are on tile 36"),
        ({"gate": 5}, 2, "rule gate must lie in 10"),
        ({"draft": "snake"}, 2, "rule draft is one of farthest, clockwise, neural"),
    ],
)
def test_bad_rules(rules, players, reason):
    with pytest.raises(BadParams, match=reason):
        start(1, players, rules=rules)
