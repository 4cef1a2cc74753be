"""Planet Wars: the published cases by name, maps, texts, secrets, and the naive referee."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import kernels, load
from ludus.errors import BadNotation, BadParams
from ludus.games import planet_wars as rules
from ludus.rng import below, match_words, stream
from tests.games.naive_planet_wars import NaivePlanetWars
from tests.games.second_opinion import agree

GAME = load("planet_wars")
ANY = np.zeros((1, 3), np.uint64)


def words_for(matches: int, seed: int = 1) -> np.ndarray:
    return np.array([match_words(seed, match, 0, 2) for match in range(matches)])


def started(matches: int, preset: str = "default", seed: int = 1, **changes) -> tuple[np.ndarray, np.ndarray]:
    words = words_for(matches, seed)
    return GAME.start(words, 2, GAME.rule_values(preset, changes)), words


def position(text: str, **changes) -> np.ndarray:
    return GAME.parse_state(text, 2, GAME.rule_values("default", changes))


def joint(first: int, second: int) -> np.ndarray:
    return np.array([[first, second]], np.int32)


def play_turn(states: np.ndarray, first: str = "", second: str = "") -> None:
    """One turn with the orders of both players, each a text of 'source dest ships' parted by commas."""
    answers = [orders.replace(",", "\n") + "\ngo" for orders in (first, second)]
    lists = [rules.parse_orders(states[0], player, text) for player, text in enumerate(answers)]
    for pair in itertools.zip_longest(*lists, fillvalue=-1):
        for player, action in enumerate(pair):
            assert action == -1 or GAME.allows(states, player, action)
        GAME.advance(states, joint(*pair), ANY)


def planet(states: np.ndarray, number: int) -> tuple[int, int]:
    return int(states[0].owner[number]), int(states[0].ships[number])


# Planets 0 … 3 on a line, 3 turns from one to the next; 1 belongs to player 1, 2 to player 2.
LINE = """
P 0 0 0 10 4
P 3 0 1 50 5
P 6 0 2 50 5
P 9 0 0 7 2
"""

# ------------------------------------------------------------------------------------------------ battles


def landing(garrison: tuple[int, int], first: int, second: int, growth: int = 0) -> tuple[int, int]:
    """Owner and ships of a planet after fleets of both players have landed on it in one turn."""
    owner, ships = garrison
    fleets = [f"F 1 {first} 1 0 4 1"] * (first > 0) + [f"F 2 {second} 2 0 4 1"] * (second > 0)
    states = position("\n".join([f"P 0 0 {owner} {ships} {growth}", "P 4 0 1 1 0", "P 0 4 2 1 0", *fleets]))
    play_turn(states)
    return planet(states, 0)


def test_three_forces_5_v_4_v_3_leave_one_ship_to_the_five():
    assert landing((0, 3), 5, 4) == (1, 1)
    assert landing((0, 5), 4, 3) == (0, 1)
    assert landing((0, 4), 3, 5) == (2, 1)


def test_an_exact_tie_keeps_the_owner_with_no_ships():
    assert landing((0, 7), 7, 0) == (0, 0)
    assert landing((2, 7), 7, 0) == (2, 0)
    assert landing((1, 3), 4, 7) == (1, 0)


def test_a_tie_of_the_two_largest_of_three_keeps_the_original_owner():
    assert landing((0, 3), 9, 9) == (0, 0)
    assert landing((0, 9), 9, 3) == (0, 0)
    assert landing((0, 5), 5, 5) == (0, 0)
    assert landing((0, 0), 6, 6) == (0, 0)


def test_taking_s_defenders_needs_s_plus_one():
    assert landing((0, 30), 31, 0) == (1, 1)
    assert landing((0, 30), 29, 0) == (0, 1)
    assert landing((2, 30), 31, 0) == (1, 1)


def test_own_reinforcements_that_land_the_same_turn_count():
    assert landing((1, 10), 8, 17) == (1, 1)
    assert landing((1, 10), 8, 19) == (2, 1)
    assert landing((1, 10), 8, 0) == (1, 18)


def test_a_lost_planet_has_grown_for_its_old_owner_and_that_growth_fights():
    assert landing((2, 10), 13, 0, growth=3) == (2, 0)
    assert landing((2, 10), 14, 0, growth=3) == (1, 1)
    assert landing((0, 10), 11, 0, growth=3) == (1, 1), "a neutral planet does not grow"


def test_the_snipe_of_the_paper_finds_one_survivor_and_growth():
    text = "P 0 0 0 31 5\nP 5 0 2 32 0\nP 0 6 1 8 0"
    states = position(text)
    play_turn(states, "2 0 7", "1 0 32")
    for _ in range(5):
        play_turn(states)
    assert planet(states, 0) == (1, 7 - 1 - 5), "one survivor and a turn's growth stood there"


# ------------------------------------------------------------------------------------------------ timing


def test_growth_of_the_own_turn_comes_after_the_departure():
    states = position(LINE)
    play_turn(states, "1 2 50")
    assert planet(states, 1) == (1, 5)
    with pytest.raises(BadNotation, match="has 5 free"):
        rules.parse_orders(states[0], 0, "1 2 6\ngo")


def test_a_planet_taken_this_turn_grows_from_the_next():
    states = position(LINE + "F 1 11 1 0 3 1")
    play_turn(states)
    assert planet(states, 0) == (1, 1)
    play_turn(states)
    assert planet(states, 0) == (1, 5)


def test_neutral_planets_never_grow():
    states = position(LINE)
    for _ in range(10):
        play_turn(states)
    assert planet(states, 0) == (0, 10)
    assert planet(states, 1) == (1, 100)


def test_a_fleet_over_distance_d_is_seen_landed_d_turns_after_its_order():
    states = position(LINE)
    play_turn(states, "1 0 11")
    assert rules.contest_text(states[0], 0).splitlines()[4] == "F 1 11 1 0 3 2"
    play_turn(states)
    assert planet(states, 0) == (0, 10)
    play_turn(states)
    assert planet(states, 0) == (1, 1)
    assert states[0].under_way[0] == 0


def test_a_trip_of_one_turn_lands_in_the_update_of_its_order():
    states = position("P 0 0 0 3 1\nP 0.5 0 1 9 0\nP 9 9 2 9 0")
    play_turn(states, "1 0 4")
    assert planet(states, 0) == (1, 1)
    assert planet(states, 1) == (1, 5)


@pytest.mark.parametrize(("x", "y", "turns"), [(3, 4, 5), (3, 4.001, 6), (1, 0, 1), (1.0001, 0, 2), (12, 16, 20)])
def test_a_trip_is_the_distance_rounded_up(x, y, turns):
    states = position(f"P 0 0 1 9 0\nP {x} {y} 2 9 0")
    play_turn(states, "0 1 4")
    flying = states[0].fleet_turns[0, 0] if states[0].under_way[0] else 0
    assert flying == turns - 1


def test_orders_of_one_turn_over_one_route_are_one_fleet():
    states = position(LINE)
    play_turn(states, "1 2 10,1 0 4,1 2 5,1 2 1")
    assert rules.contest_text(states[0], 0).splitlines()[4:6] == ["F 1 4 1 0 3 2", "F 1 16 1 2 3 2"]
    play_turn(states, "1 2 1")
    assert states[0].under_way[0] == 3, "orders of different turns stay apart"


def test_the_sequence_of_orders_leaves_no_trace():
    one, other = position(LINE), position(LINE)
    play_turn(one, "1 3 2,1 2 10,1 0 4", "2 1 5")
    play_turn(other, "1 0 4,1 2 10,1 3 2", "2 1 5")
    assert one.tobytes() == other.tobytes()


def test_fleets_never_meet_in_space():
    states = position("P 0 0 1 20 0\nP 3 0 2 20 0")
    play_turn(states, "0 1 20", "1 0 20")
    for _ in range(2):
        play_turn(states)
    assert planet(states, 0) == (2, 20)
    assert planet(states, 1) == (1, 20)


def test_the_naive_referee_knows_the_same_cases():
    """The judge is judged: 5 v 4 v 3 and a tie, played by it alone."""
    naive = NaivePlanetWars.at(position("P 0 0 0 3 2\nP 4 0 1 9 0\nP 0 4 2 9 0")[0])
    naive.step({0: 5 * 1600 + 1 * 40, 1: 4 * 1600 + 2 * 40})
    naive.step({0: 0, 1: 0})
    for _ in range(3):
        naive.step({0: 0, 1: 0})
    assert (naive.planets[0].owner, naive.planets[0].ships) == (1, 1)


# ------------------------------------------------------------------------------------------------ the end


def ended(states: np.ndarray) -> list[float] | None:
    return None if GAME.waiting(states)[0] else GAME.payoffs(states)[0].tolist()


def test_whoever_has_neither_planet_nor_fleet_has_lost():
    states = position("P 0 0 1 20 0\nP 3 0 2 5 0")
    play_turn(states, "0 1 6")
    play_turn(states)
    assert ended(states) is None
    play_turn(states)
    assert ended(states) == [1, -1]
    assert rules.outcome_text(states[0]) == "player 1 wins after turn 3: the rival has nothing left"


def test_a_player_with_only_a_fleet_is_alive():
    states = position("P 0 0 1 20 0\nP 3 0 0 5 0\nF 2 9 0 1 3 2")
    play_turn(states)
    assert ended(states) is None
    play_turn(states)
    assert planet(states, 1) == (2, 4)
    assert ended(states) is None


def test_a_player_with_only_an_empty_barren_planet_is_alive():
    states = position("P 0 0 1 20 0\nP 3 0 2 0 0")
    play_turn(states)
    assert ended(states) is None
    assert [int(action) for action in GAME.menu(states, 1)] == [rules.DONE]


def test_both_gone_at_once_is_a_draw():
    states = position("P 0 0 0 20 0\nP 3 0 0 20 0\nF 1 9 0 1 3 1\nF 2 9 1 0 3 1")
    play_turn(states)
    assert ended(states) == [0, 0]
    assert rules.outcome_text(states[0]) == "a draw after turn 1"


@pytest.mark.parametrize(("ships", "payoffs"), [(21, [1, -1]), (20, [0, 0]), (19, [-1, 1])])
def test_after_the_last_turn_ships_on_planets_and_under_way_are_counted(ships, payoffs):
    states = position(f"P 0 0 1 {ships - 5} 0\nP 30 0 2 20 0\nF 1 5 0 1 30 30", turns=4)
    for _ in range(3):
        play_turn(states)
        assert ended(states) is None
    play_turn(states)
    assert ended(states) == payoffs


def test_the_default_is_200_turns():
    states, words = started(1)
    for _ in range(200):
        assert GAME.waiting(states)[0] == 3
        GAME.advance(states, joint(0, 0), words)
    assert ended(states) == [0, 0]
    assert states[0].turn == 200


def test_a_forfeit_turns_planets_neutral_and_wins_for_the_rival():
    states = position(LINE)
    play_turn(states, "1 2 10", "2 1 10")
    GAME.advance(states, joint(1600 + 40, 2 * 1600 + 80), ANY)
    rules.forfeit(states[0], 0)
    assert ended(states) == [-1, 1]
    assert planet(states, 1) == (0, 44), "the ship that was ordered away is lost"
    assert planet(states, 2) == (2, 45), "the rival's orders are not"
    assert states[0].under_way.tolist() == [0, 1]
    assert states[0].waiting.tolist() == [0, 0]
    both = position(LINE)
    rules.forfeit(both[0], 0, 1)
    assert ended(both) == [0, 0]


# ------------------------------------------------------------------------------------------------ orders and the menu


def order(source: int, dest: int, ships: int) -> int:
    return ships * 1600 + source * 40 + dest


def test_the_menu_proposes_all_half_and_what_takes_the_planet():
    states = position(LINE)
    texts = {GAME.action_text(states[0], 0, int(action)) for action in GAME.menu(states, 0)}
    assert texts == {
        "go", "1 0 50", "1 0 25", "1 0 11",
        "1 2 50", "1 2 25",  # 50 ships and 3 turns of growth: more than there are
        "1 3 50", "1 3 25", "1 3 8",
    }  # fmt: skip


def test_the_count_that_takes_a_planet_takes_it():
    states = position(LINE.replace("2 50", "2 20"))
    menu = {GAME.action_text(states[0], 0, int(action)) for action in GAME.menu(states, 0)}
    assert "1 2 36" in menu
    play_turn(states, "1 2 36")
    for _ in range(2):
        play_turn(states)
    assert planet(states, 2) == (1, 1)


def test_the_menu_ends_after_the_proposed_orders_but_more_may_be_given():
    states = position(LINE, menu_orders=2)
    for _ in range(2):
        assert len(GAME.menu(states, 0)) > 1
        GAME.advance(states, joint(order(1, 2, 1), order(2, 1, 1)), ANY)
    assert GAME.menu(states, 0).tolist() == [rules.DONE]
    assert GAME.allows(states, 0, order(1, 2, 48))
    assert not GAME.allows(states, 0, order(1, 2, 49))


def test_a_full_table_leaves_only_done_until_a_fleet_has_landed():
    states = position(LINE, fleets=3, menu_orders=9)
    play_turn(states, "1 0 1,1 2 1,1 3 1")
    assert GAME.menu(states, 0).tolist() == [rules.DONE]
    assert not GAME.allows(states, 0, order(1, 2, 1))
    assert len(GAME.menu(states, 1)) > 1
    play_turn(states)
    play_turn(states)
    assert states[0].under_way[0] == 1
    assert GAME.allows(states, 0, order(1, 2, 1))


def test_orders_over_one_route_need_one_place():
    states = position(LINE, fleets=2)
    GAME.advance(states, joint(order(1, 2, 1), 0), ANY)
    GAME.advance(states, joint(order(1, 3, 1), -1), ANY)
    assert GAME.allows(states, 0, order(1, 2, 1))
    assert GAME.allows(states, 0, order(1, 3, 48))
    assert not GAME.allows(states, 0, order(1, 0, 1))


def test_hundreds_of_orders_over_a_few_routes_are_allowed():
    ring = [f"P {10 * np.cos(k / 6)} {10 * np.sin(k / 6)} 0 5 1" for k in range(38)]
    states = position("\n".join(["P 0 0 1 400 5", "P 20 0 2 50 5", *ring]))
    answer = "\n".join(f"0 {1 + k % 39} 1" for k in range(300)) + "\ngo"
    assert len(rules.parse_orders(states[0], 0, answer)) == 40
    for k in range(300):
        assert GAME.allows(states, 0, order(0, 1 + k % 39, 1))
        GAME.advance(states, joint(order(0, 1 + k % 39, 1), 0 if k == 0 else -1), ANY)
    GAME.advance(states, joint(0, -1), ANY)
    assert states[0].under_way[0] == 39
    assert planet(states, 0) == (1, 105)


def test_in_a_crowded_table_fleets_that_land_together_are_joined():
    text = "P 0 0 1 90 0\nP 3 0 1 90 0\nP 3 4 2 90 9\nP 9 0 0 5 0"
    states = position(text, fleets=4)
    play_turn(states, "0 2 10")  # 5 turns
    play_turn(states, "1 2 20")  # 4 turns: lands with the first
    play_turn(states, "0 3 7")
    assert states[0].under_way[0] == 3, "three quarters full: not crowded"
    play_turn(states, "1 3 7")
    assert rules.contest_text(states[0], 0).splitlines()[4:7] == ["F 1 30 0 2 5 1", "F 1 7 0 3 9 7", "F 1 7 1 3 6 5"]


def test_an_order_is_a_32_bit_number_even_from_a_huge_planet():
    states = position("P 0 0 1 1500000000 0\nP 3 0 2 5 0")
    most = rules.MOST_SHIPS
    assert GAME.menu(states, 0).max() == order(0, 1, most) < 2**31
    assert not GAME.allows(states, 0, order(0, 1, most + 1))
    assert rules.parse_orders(states[0], 0, f"0 1 {most + 1}\ngo") == [order(0, 1, most), order(0, 1, 1), rules.DONE]
    with pytest.raises(BadNotation, match="at most"):
        GAME.parse_action(states, 0, f"0 1 {most + 1}")
    play_turn(states, f"0 1 {most},0 1 {most}")
    assert states[0].fleet_ships[0, 0] == 2 * most


@pytest.mark.parametrize(
    "action",
    [
        order(1, 1, 5),
        order(1, 2, 51),
        order(1, 2, 0),
        order(2, 1, 5),
        order(0, 1, 5),
        order(1, 39, 5),
        order(39, 1, 5),
        -1,
    ],
)
def test_what_is_no_order_is_not_allowed(action):
    states = position(LINE)
    assert not GAME.allows(states, 0, action)


def test_orders_of_a_turn_are_cumulative_and_may_be_off_the_menu():
    states = position(LINE)
    assert GAME.allows(states, 0, order(1, 2, 37))
    GAME.advance(states, joint(order(1, 2, 37), rules.DONE), ANY)
    assert GAME.allows(states, 0, order(1, 0, 13))
    assert not GAME.allows(states, 0, order(1, 0, 14))
    assert not GAME.allows(states, 1, rules.DONE), "player 2 is done"


def test_pairs_belong_to_the_classic_maps():
    with pytest.raises(BadParams, match="leave pairs alone"):
        started(1, maps="finals", pairs=3)


# ------------------------------------------------------------------------------------------------ maps


def points(state) -> np.ndarray:
    return np.column_stack([state.x, state.y])[: state.planets]


def distances(state) -> np.ndarray:
    """Between all planets; endless from a planet to itself."""
    gaps = points(state)[:, None] - points(state)
    return np.sqrt((gaps**2).sum(axis=2)) + np.diag(np.full(state.planets, np.inf))


def twins(state) -> list[int]:
    """Each planet's mirror image, found by geometry: the homes change places."""
    xy = points(state)
    for image in (2 * xy[0] - xy, _mirrored(xy)):
        gaps = np.linalg.norm(image[:, None] - xy, axis=2)
        # The axis is taken from the homes, whose places are rounded: what is far from them may miss by some hundredths.
        if gaps.min(axis=1).max() < 0.05 and gaps[1, 2] < 0.05:
            return gaps.argmin(axis=1).tolist()
    raise AssertionError("the map has neither symmetry")


def _mirrored(xy: np.ndarray) -> np.ndarray:
    across = (xy[2] - xy[1]) / np.linalg.norm(xy[2] - xy[1])
    return xy - 2 * np.outer((xy - (xy[1] + xy[2]) / 2) @ across, across)


def check_symmetry(state) -> None:
    twin_of = twins(state)
    assert twin_of[:3] == [0, 2, 1]
    assert state.owner[:3].tolist() == [0, 1, 2]
    assert not state.owner[3:].any()
    trips = np.ceil(distances(state))
    assert (trips == trips[twin_of][:, twin_of]).all()
    for number, other in enumerate(twin_of):
        assert state.ships[number] == state.ships[other]
        assert state.growth[number] == state.growth[other]
    alone = [number for number in range(3, state.planets) if twin_of[number] == number]
    assert alone == list(range(3, 3 + len(alone))), "planets on the axis come first"
    pairs = range(3 + len(alone), state.planets, 2)
    assert all(twin_of[number] == number + 1 for number in pairs)


def test_classic_maps_are_those_of_the_old_generator():
    states, _ = started(300)
    homes = []
    for state in states:
        check_symmetry(state)
        assert state.planets == 23
        assert points(state).min(axis=0).tolist() == [0, 0]
        assert points(state).max() <= 24
        assert (2 * points(state)[0] - points(state)[1] == points(state)[2]).all(), "exactly opposite"
        roots = np.sqrt(state.growth[:23])
        assert (distances(state) > np.maximum(1, 0.4 * (roots[:, None] + roots))).all()
        homes.append(math.ceil(distances(state)[1, 2]))
    check_numbers(states, 90, 150)
    # 100 published files: mean 19.32, sd 6.5, 5 to 34
    assert abs(np.mean(homes) - 19.32) < 3.5 * 6.5 * math.sqrt(1 / 100 + 1 / 300)
    assert min(homes) >= 5
    assert max(homes) <= 34


def check_numbers(states, most, most_in_centre) -> None:
    """Homes, and that ships and growth reach the ends of their ranges and nothing beyond."""
    assert (states["ships"][:, 1:3] == 100).all()
    assert (states["growth"][:, 1:3] == 5).all()
    ships = np.concatenate([state.ships[3 : state.planets] for state in states])
    growth = np.concatenate([state.growth[3 : state.planets] for state in states])
    assert (ships.min(), ships.max()) == (1, most)
    assert set(growth) == {1, 2, 3, 4, 5}
    assert set(states["growth"][:, 0]) == {0, 1, 2, 3, 4, 5}
    assert states["ships"][:, 0].min() >= 1
    assert most_in_centre * 0.9 < states["ships"][:, 0].max() <= most_in_centre


def test_finals_maps_are_those_of_the_late_generator():
    states, _ = started(400, "finals")
    homes, opposite = [], 0
    for state in states:
        check_symmetry(state)
        apart, planets = distances(state), int(state.planets)
        is_point = np.abs(2 * points(state)[0] - points(state)[1] - points(state)[2]).max() < 0.002
        opposite += is_point
        assert not is_point or planets % 2 == 1
        assert apart.min() > 1
        assert apart[1, 2] > 3
        inner = apart[np.isfinite(apart)]
        assert np.abs(inner - np.round(inner)).min() >= 0.002
        assert points(state)[0].tolist() == [15, 15]
        assert apart[0, 1:].max() < 15.001
        assert apart[0, 1:3].min() > 1.999
        even = np.abs(apart[3:, 1] - apart[3:, 2]) < 0.003
        assert even.sum() <= 5
        assert state.ships[3 + even.sum()] <= 5 * math.ceil(apart[1, 2]) - 1, "the first pair is a bargain"
        homes.append(math.ceil(apart[1, 2]))
    check_numbers(states, 100, 100)
    assert set(states["planets"]) == set(range(15, 31))
    assert 140 < opposite < 260, "a fair coin"
    # 150 published maps: mean 17.8, 4 to 30
    assert abs(np.mean(homes) - 17.8) < 3.5 * np.std(homes) * math.sqrt(1 / 150 + 1 / 400)
    assert min(homes) >= 4
    assert max(homes) <= 30


@pytest.mark.parametrize("pairs", [0, 1, 18])
def test_classic_maps_of_other_sizes(pairs):
    states, _ = started(20, pairs=pairs)
    assert (states["planets"] == 3 + 2 * pairs).all()
    for state in states:
        check_symmetry(state)


def test_the_seed_makes_the_map():
    one, _ = started(3, seed=5)
    again, _ = started(3, seed=5)
    assert one.tobytes() == again.tobytes()
    assert len({state.tobytes() for state in one}) == 3


@pytest.mark.parametrize("preset", ["default", "finals"])
def test_mirrored_orders_keep_the_position_mirrored(preset):
    """No rule and no map favours a seat: what both do alike leaves both alike."""
    states, words = started(12, preset, seed=3)
    rng = stream(4)
    for match in range(12):
        one = states[match : match + 1]
        twin_of = twins(one[0])
        for _ in range(25):
            menu = [int(action) for action in GAME.menu(one, 0)]
            action = menu[below(rng, len(menu))]
            image = 0
            if action:
                ships, source, dest = action // 1600, action // 40 % 40, action % 40
                image = order(twin_of[source], twin_of[dest], ships)
            assert GAME.allows(one, 1, image)
            GAME.advance(one, joint(action, image), words[:1])
            swapped = [(0, 2, 1)[one[0].owner[other]] for other in twin_of]
            assert one[0].owner[: len(twin_of)].tolist() == swapped
            assert one[0].ships[: len(twin_of)].tolist() == one[0].ships[twin_of].tolist()
        assert one[0].under_way[0] == one[0].under_way[1]


def test_turning_the_plane_changes_no_trip():
    states, _ = started(1)
    seen = set()
    for symmetry in range(rules.SYMMETRIES):
        turned = states.copy()
        GAME.kernel(kernels.turn_boards)(turned, symmetry)
        seen.add(turned.tobytes())
        assert (distances(turned[0]) == distances(states[0])).all()
    assert len(seen) == 8


# ------------------------------------------------------------------------------------------------ texts


def mid_turn_states(matches: int, preset: str, steps: int, seed: int, **changes) -> np.ndarray:
    states, words = started(matches, preset, seed, **changes)
    GAME.kernel(kernels.rollouts)(states, words, np.zeros(matches, np.int64), steps)
    return states


@pytest.mark.parametrize("preset", ["default", "finals", "skirmish"])
@pytest.mark.parametrize("steps", [0, 1, 2, 50, 151, 10_000])
def test_positions_survive_their_text(preset, steps):
    for state in mid_turn_states(8, preset, steps, steps, menu_orders=3):
        again = position(rules.state_text(state), **GAME.params.read(state.params))
        assert again[0].tobytes() == state.tobytes()


def test_crowded_positions_survive_their_text():
    for state in mid_turn_states(8, "default", 300, 2, fleets=12, menu_orders=6):
        again = position(rules.state_text(state), **GAME.params.read(state.params))
        assert again[0].tobytes() == state.tobytes()


def test_the_published_maps_are_read_and_written_as_they_are(shared):
    for number in range(1, 101):
        text = (shared / "planetwars_maps" / f"map{number}.txt").read_text()
        states = position(text)
        assert states[0].planets == 23
        lines = [line.split() for line in text.splitlines() if line.startswith("P")]
        written = [line.split() for line in rules.contest_text(states[0], 0).splitlines()[:-1]]
        assert [[float(value) for value in line[1:]] for line in lines] == [
            [float(value) for value in line[1:]] for line in written
        ]
        assert position(rules.state_text(states[0])).tobytes() == states.tobytes()
        check_symmetry(states[0])
        trips = distances(states[0])
        assert 22 <= np.ceil(trips[np.isfinite(trips)]).max() <= 34


def test_a_random_match_on_a_published_map_agrees_with_the_naive_referee(shared):
    for number in (1, 50, 100):
        states = position((shared / "planetwars_maps" / f"map{number}.txt").read_text(), turns=40)
        follow(states, NaivePlanetWars.at(states[0]), stream(number))


def test_player_2_sees_itself_as_1():
    states = position(LINE)
    play_turn(states, "1 2 10", "2 1 7")
    first, second = (rules.contest_text(states[0], player) for player in (0, 1))
    assert first == "P 0 0 0 10 4\nP 3 0 1 45 5\nP 6 0 2 48 5\nP 9 0 0 7 2\nF 1 10 1 2 3 2\nF 2 7 2 1 3 2\ngo\n"
    assert second == "P 0 0 0 10 4\nP 3 0 2 45 5\nP 6 0 1 48 5\nP 9 0 0 7 2\nF 2 10 1 2 3 2\nF 1 7 2 1 3 2\ngo\n"
    for player, text in enumerate((first, second)):
        read = GAME.blank(2, GAME.rule_values())
        rules.parse_contest(text, read[0], player)
        read["turn"] = 1  # the contest's text does not tell
        assert read.tobytes() == states.tobytes()


def test_a_contest_text_tells_no_pending_orders():
    states = position(LINE)
    before = rules.contest_text(states[0], 1)
    GAME.advance(states, joint(order(1, 2, 10), order(2, 1, 3)), ANY)
    assert rules.contest_text(states[0], 1) == before


def test_orders_are_written_and_read():
    states = position(LINE)
    assert rules.parse_orders(states[0], 0, "1 2 10\n\n1 0 0\n  1 3 40 \ngo\n") == [order(1, 2, 10), order(1, 3, 40), 0]
    assert rules.parse_orders(states[0], 0, "1 2 10\n1 3 1\n1 2 5\nGO\n") == [order(1, 2, 15), order(1, 3, 1), 0]
    assert GAME.action_text(states[0], 0, order(1, 2, 10)) == "1 2 10"
    assert GAME.parse_action(states, 0, "1 2 10") == order(1, 2, 10)
    assert GAME.parse_action(states, 0, "Done") == GAME.parse_action(states, 0, "go") == rules.DONE
    assert order(4, 7, 20) == 32167


def test_an_order_from_a_planet_to_itself_takes_ships_for_the_turn_and_does_nothing():
    states = position(LINE)
    assert rules.parse_orders(states[0], 0, "1 1 20\n1 2 30\ngo") == [order(1, 2, 30), rules.DONE]
    with pytest.raises(BadNotation, match="line 2: 31 ships cannot leave planet 1, which has 30 free ones"):
        rules.parse_orders(states[0], 0, "1 1 20\n1 2 31\ngo")


def test_comments_blanks_and_go_are_accepted():
    states = position("# a map\n\nP 0 0 1 5 1 # home\nP 3 0 2 5 1\ngo\n")
    assert states[0].planets == 2


def test_java_fleets_are_joined_or_dropped_as_the_server_did():
    states = position(LINE + "F 1 5 1 0 3 2\nF 1 4 1 0 3 2\nF 2 0 2 3 3 1")
    assert states[0].under_way.tolist() == [1, 0]
    assert states[0].fleet_ships[0, 0] == 9


PLAYBACK = "0,0,0,10,4:3,0,1,50,5:6,0,2,50,5|0.10,1.45,2.55,1.10.1.2.3.2:0.10,1.50,2.60,1.10.1.2.3.1"


def test_playback_is_written_and_read():
    states = position("\n".join(LINE.split("\n")[:4]))
    match = [states.copy()]
    for orders in ("1 2 10", ""):
        play_turn(states, orders)
        match.append(states.copy())
    text = rules.playback_text([state[0] for state in match])
    assert text == PLAYBACK
    again = rules.parse_playback(text, GAME.blank(2, GAME.rule_values())[0])
    assert again.tobytes() == np.concatenate(match).tobytes()


@pytest.mark.parametrize("text", [PLAYBACK + ":", f"game_id=7\nwinner=1\nplayback_string={PLAYBACK}\n"])
def test_playback_of_both_engines_and_with_headers(text):
    blank = GAME.blank(2, GAME.rule_values())[0]
    assert rules.parse_playback(text, blank).tobytes() == rules.parse_playback(PLAYBACK, blank).tobytes()


def test_playback_accepts_the_servers_trailing_comma():
    blank = GAME.blank(2, GAME.rule_values())[0]
    states = rules.parse_playback("0,0,1,10,4:3,0,2,50,5|1.14,2.55,:1.18,2.60,", blank)
    assert states["ships"][:, :2].tolist() == [[10, 50], [14, 55], [18, 60]]


def test_playback_of_random_matches():
    states, words = started(4, "finals", turns=30)
    for match in range(4):
        one, row = states[match : match + 1], words[match : match + 1]
        frames = [one.copy()]
        while GAME.waiting(one)[0]:
            GAME.kernel(kernels.rollouts)(one, row, np.zeros(1, np.int64), 1)
            if one[0].turn == len(frames):
                frames.append(one.copy())
        text = rules.playback_text([frame[0] for frame in frames])
        blank = GAME.blank(2, GAME.rule_values("finals", {"turns": 30}))[0]
        assert rules.parse_playback(text, blank).tobytes() == np.concatenate(frames).tobytes()


# ------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "2 to 40 planets, this one 0"),
        ("P 0 0 1 5 1\n", "2 to 40 planets, this one 1"),
        ("".join(f"P {k} 0 0 5 1\n" for k in range(41)), "2 to 40 planets, this one 41"),
        ("P 0 0 1 5", "line 1: a planet is P x y owner ships growth"),
        ("P 0 0 1 5 1 9", "line 1: a planet is P x y"),
        ("# map\nP 0 zero 1 5 1", "line 2: a coordinate is a number"),
        ("P 0 nan 1 5 1", "line 1: a coordinate is a number"),
        ("P 0 0 3 5 1", "line 1: owner must lie in 0 … 2, not 3"),
        ("P 0 0 1 -5 1", "line 1: ships must lie in 0"),
        ("P 0 0 1 --5 1", "line 1: ships is a whole number"),
        ("P 0 0 1 5.5 1", "line 1: ships is a whole number, not '5.5'"),
        ("P 0 0 1 5 101", "line 1: growth must lie in 0 … 100"),
        ("P 0 0 1 5 1\nP 0 0 2 5 1", "line 2: planets 0 and 1 lie 0 turns apart"),
        ("P 0 0 1 5 1\nP 0 200 2 5 1", "line 2: planets 0 and 1 lie 200 turns apart"),
        ("Q 0 0 1 5 1", "line 1: a record starts with P or F, not 'Q'"),
        (LINE + "F 1 5 1 0 3", "line 6: a fleet is F owner ships"),
        (LINE + "F 0 5 1 0 3 2", "line 6: a fleet belongs to player 1 or 2"),
        (LINE + "F 1 5 1 9 3 2", "line 6: there is no planet 9"),
        (LINE + "F 1 5 1 1 3 2", "line 6: source and destination are both planet 1"),
        (LINE + "F 1 5 1 0 4 2", "line 6: the trip from 1 to 0 takes 3 turns, not 4"),
        (LINE + "F 1 5 1 0 3 0", "line 6: 0 of 3 turns cannot remain"),
        (LINE + "F 1 5 1 0 3 4", "line 6: 4 of 3 turns cannot remain"),
        (LINE + "#! order 1 2 1 5", "line 6: planet 2 is not player 1's"),
        (LINE + "#! order 1 1 2 51", "line 6: 51 ships cannot leave planet 1, which has 50"),
        (LINE + "#! order 1 1 2", "line 6: after #! stands"),
        (LINE + "#! pause", "line 6: after #! stands"),
        (LINE + "#! done 1\n#! done 2", "line 7: when both players are done"),
        (LINE + "#! done 0", "line 6: the player is 1 or 2"),
        (LINE + "#! order 1 1 2 5\n#! given 1 0", "1 orders but is said to have given 0"),
        (LINE + "#! order 1 1 2 5", "equally many orders, not 1 and 0"),
        (LINE + "#! done 1", "player 1 is done, so the other has given more than 0 orders"),
        ("P 0 0 1 1500000000 1\nP 3 0 2 1500000000 1", "3000000000 ships are too many"),
    ],
)
def test_bad_positions_are_told_with_line_and_reason(text, reason):
    with pytest.raises(BadNotation) as caught:
        position(text)
    assert reason in str(caught.value)


def test_more_fleets_than_the_table_holds_are_refused():
    far = [f"P {k} {k % 7} 0 5 1" for k in range(38)]
    base = ["P 0 50 1 5 1", "P 50 0 2 5 1", *far]
    naive = NaivePlanetWars.at(position("\n".join(base))[0])
    # No two land together, so that none can be joined.
    fleets = [
        f"F 1 1 0 {dest} {total} {left}"
        for dest in range(2, 40)
        for total in [naive.trip(0, dest)]
        for left in range(1, total)
    ]
    assert len(fleets) > 400
    with pytest.raises(BadNotation, match="player 1 has 400 fleets; the table holds 320"):
        position("\n".join(base + fleets[:400]))
    assert position("\n".join(base + fleets[:320]))[0].under_way[0] == 320


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 2 10", "end with a line 'go'"),
        ("1 2\ngo", "line 1: an order is source dest ships"),
        ("1 2 ten\ngo", "line 1: ships is a whole number, not 'ten'"),
        ("1 2 -1\ngo", "line 1: ships must lie in 0"),
        ("1 2 5\n1 9 5\ngo", "line 2: there is no planet 9"),
        ("2 1 5\ngo", "line 1: planet 2 is not player 1's"),
        ("1 1 51\ngo", "line 1: 51 ships cannot leave planet 1"),
        ("1 2 30\n\n1 0 21\ngo", "line 3: 21 ships cannot leave planet 1, which has 20 free ones"),
    ],
)
def test_bad_orders_are_told_with_line_and_reason(text, reason):
    with pytest.raises(BadNotation) as caught:
        rules.parse_orders(position(LINE)[0], 0, text)
    assert reason in str(caught.value)


def test_a_single_bad_order_is_told_with_its_reason():
    states = position(LINE, fleets=1)
    with pytest.raises(BadNotation, match="an order is source dest ships, not 'attack!'"):
        GAME.parse_action(states, 0, "attack!")
    with pytest.raises(BadNotation, match="0 ships cannot leave planet 1"):
        GAME.parse_action(states, 0, "1 2 0")
    GAME.advance(states, joint(order(1, 2, 1), order(2, 1, 1)), ANY)
    with pytest.raises(BadNotation, match="'1 3 1' is not allowed now"):
        GAME.parse_action(states, 0, "1 3 1")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0,0,1,10,4", "a playback is planets|turns"),
        ("0,0,1,10:3,0,2,50,5|", "planet 0: a planet is x,y,owner,ships,growth"),
        ("0,0,1,10,4:3,0,2,50,5|1.14", "turn 1: 1 entries are too few for 2 planets"),
        ("0,0,1,10,4:3,0,2,50,5|1.14,2.55:1.14.3,2.55", "turn 2, entry 1: a planet is owner.ships"),
        ("0,0,1,10,4:3,0,2,50,5|1.14,2.55,1.3.0.1.3", "turn 1, entry 3: a fleet is owner.ships.source"),
        ("0,0,1,10,4:3,0,2,50,5|1.14,2.55,1.3.0.1.9.2", "turn 1, entry 3: the trip from 0 to 1 takes 3 turns"),
    ],
)
def test_bad_playback_is_told_with_its_place(text, reason):
    with pytest.raises(BadNotation) as caught:
        rules.parse_playback(text, GAME.blank(2, GAME.rule_values())[0])
    assert reason in str(caught.value)


# ------------------------------------------------------------------------------------------------ the naive referee


@pytest.mark.parametrize(
    ("matches", "preset", "changes"),
    [
        (1000, "default", {"pairs": 1, "turns": 12, "menu_orders": 1}),
        (700, "default", {"pairs": 3, "turns": 15}),
        (300, "default", {"pairs": 2, "turns": 25, "fleets": 4, "menu_orders": 3}),
        (40, "skirmish", {}),
        (30, "default", {"turns": 30, "fleets": 16, "menu_orders": 5}),
        (30, "finals", {"turns": 20}),
        (3, "default", {}),
        (3, "finals", {}),
    ],
)
def test_random_matches_agree_with_the_naive_referee(matches, preset, changes):
    assert agree("planet_wars", NaivePlanetWars.at, matches, preset=preset, rules=changes) > matches


def follow(states: np.ndarray, naive: NaivePlanetWars, rng: np.ndarray) -> int:
    """A match of exact orders, most of them off the menu, with wrong ones tried in between; returns its steps."""
    steps = 0
    while mask := int(GAME.waiting(states)[0]):
        actions = {}
        for player in (0, 1):
            if mask >> player & 1:
                actions[player] = any_order(states, naive, player, rng)
            else:
                assert not GAME.allows(states, player, rules.DONE)
        GAME.advance(states, joint(actions.get(0, -1), actions.get(1, -1)), ANY)
        naive.step(actions)
        assert not (difference := naive.differs(states[0])), difference
        steps += 1
    assert naive.returns() == GAME.payoffs(states)[0].tolist()
    return steps


def any_order(states, naive, player, rng) -> int:
    planets = int(states[0].planets)
    for _ in range(4):
        source, dest = below(rng, planets + 1), below(rng, planets + 1)
        ships = below(rng, 2 + (naive.planets[source].ships if source < planets else 5))
        if order(source, dest, ships) == rules.DONE:
            continue
        expected = naive.allows(player, source, dest, ships)
        assert GAME.allows(states, player, order(source, dest, ships)) == expected
        if expected:
            return order(source, dest, ships)
    return rules.DONE


def test_matches_of_exact_orders_agree_with_the_naive_referee():
    states, _ = started(150, pairs=2, turns=20, seed=9)
    crowded, _ = started(50, pairs=3, turns=20, fleets=6, seed=9)
    rng = stream(8)
    steps = 0
    for batch in (states, crowded):
        for match in range(len(batch)):
            one = batch[match : match + 1]
            steps += follow(one, NaivePlanetWars.at(one[0]), rng)
    assert steps > 20 * 200


# ------------------------------------------------------------------------------------------------ laws


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["default", "finals", "skirmish"]))
def test_ships_come_only_from_growth_and_go_only_in_fights(seed, preset):
    states, words = started(20, preset, seed, menu_orders=3)
    for _ in range(120):
        before = states.copy()
        GAME.kernel(kernels.rollouts)(states, words, np.zeros(20, np.int64), 1)
        turned = states["turn"] > before["turn"]
        on_planets, flown = before["ships"].sum(axis=1), flying(before)
        assert (states["ships"].sum(axis=1)[~turned] == on_planets[~turned]).all(), "orders move nothing yet"
        assert (flying(states)[~turned] == flown[~turned]).all()
        growth = (before["growth"] * (before["owner"] > 0)).sum(axis=1)
        lost = on_planets + flown + growth - states["ships"].sum(axis=1) - flying(states)
        assert (lost[turned] >= 0).all()
        assert (lost[turned & ~landings(before)] == 0).all(), "no fleet landed, no ship was lost"
        assert (states["ships"] >= 0).all()


def flying(states: np.ndarray) -> np.ndarray:
    number = np.arange(rules.MAX_FLEETS)
    return (states["fleet_ships"] * (number < states["under_way"][:, :, None])).sum(axis=(1, 2))


def landings(before: np.ndarray) -> np.ndarray:
    """Whether a fleet, one still to leave included, had one turn to go."""
    return (before["fleet_turns"] == 1).any(axis=(1, 2))


def test_every_random_position_is_valid_and_judged_alike_from_both_sides():
    states = mid_turn_states(500, "default", 137, 6, menu_orders=3)
    valid = np.empty(500, np.bool_)
    GAME.kernel(kernels.validity)(states, valid)
    assert valid.all()
    first, second = np.empty(500), np.empty(500)
    GAME.kernel(kernels.estimates)(states, np.zeros(500, np.int64), first)
    GAME.kernel(kernels.estimates)(states, np.ones(500, np.int64), second)
    np.testing.assert_allclose(first, -second)
    assert np.abs(first).max() <= 1
    assert first.std() > 0.1


def test_the_heuristic_follows_ships_and_growth():
    def judged(text: str, **changes) -> float:
        out = np.empty(1)
        GAME.kernel(kernels.estimates)(position(text, **changes), np.zeros(1, np.int64), out)
        return out[0]

    assert judged("P 0 0 1 50 5\nP 9 0 2 50 5") == 0
    assert judged("P 0 0 1 60 5\nP 9 0 2 50 5") > 0
    assert judged("P 0 0 1 50 5\nP 9 0 2 70 4") > 0
    assert judged("P 0 0 1 50 5\nP 9 0 2 70 4", turns=10) < 0, "near the end growth is worth less"
    assert judged("P 0 0 1 50 5\nP 9 0 0 70 4") == 1


def test_features_are_the_same_from_either_side_and_within_bounds():
    states = mid_turn_states(200, "finals", 41, 5, menu_orders=3)
    out = np.ones((2, 200, rules.FEATURES), np.float32)
    GAME.kernel(kernels.features)(states, np.zeros(200, np.int64), out[0])
    swapped = GAME.blank(2, GAME.rule_values("finals", {"menu_orders": 3}), 200)
    for state, other in zip(states, swapped):
        text = rules.state_text(state)
        rules.parse_contest(text, other, 1)
    GAME.kernel(kernels.features)(swapped, np.ones(200, np.int64), out[1])
    np.testing.assert_array_equal(out[0], out[1])
    assert np.abs(out).max() <= 1.5
    assert (out.std(axis=(0, 1)) > 0).sum() > 150


# ------------------------------------------------------------------------------------------------ secrets


def test_the_rivals_orders_and_its_being_done_are_hidden():
    states = position(LINE)
    first = states.copy()
    GAME.advance(states, joint(order(1, 2, 10), order(2, 1, 3)), ANY)
    view = GAME.masked(states, np.array([0]))
    assert view[0].waiting.tolist() == [1, 0]
    assert view[0].given.tolist() == [1, 0]
    assert "order 2" not in rules.state_text(view[0])
    GAME.advance(first, joint(order(1, 2, 10), rules.DONE), ANY)
    assert GAME.masked(first, np.array([0])).tobytes() == view.tobytes()
    assert GAME.waiting(view)[0] == 3


def test_what_takes_a_planet_does_not_tell_the_rivals_orders():
    states, other = position(LINE.replace("2 50", "2 20")), position(LINE.replace("2 50", "2 20"))
    GAME.advance(states, joint(order(1, 3, 1), order(2, 3, 19)), ANY)
    GAME.advance(other, joint(order(1, 3, 1), rules.DONE), ANY)
    assert GAME.menu(states, 0).tolist() == GAME.menu(other, 0).tolist()


def test_no_view_tells_a_secret_in_100_000_states():
    checked = changed = 0
    for seed, preset, changes in [
        (1, "default", {"menu_orders": 4}),
        (2, "skirmish", {"menu_orders": 3}),
        (3, "finals", {"menu_orders": 3, "fleets": 20}),
        (4, "skirmish", {"menu_orders": 6, "fleets": 3}),
    ]:
        states, words = started(700, preset, seed, **changes)
        mine = np.random.default_rng(seed).integers(0, 2**63, (700, 1), np.uint64)
        for step in range(60):
            GAME.kernel(kernels.rollouts)(states, words, np.zeros(700, np.int64), 1 + step % 5)
            checked += len(states)
            changed += check_secrets(states, np.full(700, step % 2), mine)
    assert checked >= 100_000
    assert changed >= 50_000


def check_secrets(states: np.ndarray, viewers: np.ndarray, words: np.ndarray) -> int:
    """Of how many states another with the same view was made."""
    count = len(states)
    views = GAME.masked(states, viewers)
    other, changed = states.copy(), np.empty(count, np.bool_)
    GAME.kernel(kernels.swap_secrets)(other, viewers, words, changed)
    assert ((rows(other) != rows(states)).any(axis=1) == changed).all()
    assert rows(GAME.masked(other, viewers)).tobytes() == rows(views).tobytes()
    guess = views.copy()
    GAME.kernel(kernels.guess_worlds)(guess, viewers, words)
    assert rows(GAME.masked(guess, viewers)).tobytes() == rows(views).tobytes()
    for worlds in (other, guess):
        valid = np.empty(count, np.bool_)
        GAME.kernel(kernels.validity)(worlds, valid)
        assert valid.all()
    acting = GAME.waiting(states) >> viewers & 1 == 1
    assert (acting == (GAME.waiting(views) >> viewers & 1 == 1)).all()
    assert menus(states[acting], viewers[acting]).tobytes() == menus(views[acting], viewers[acting]).tobytes()
    return int(changed.sum())


def menus(states: np.ndarray, viewers: np.ndarray) -> np.ndarray:
    out = np.zeros((len(states), GAME.facts.max_actions), np.int32)
    GAME.kernel(kernels.menus)(states, viewers, out, np.empty(len(states), np.int64))
    return out


def rows(states: np.ndarray) -> np.ndarray:
    return states.view(np.uint64).reshape(len(states), -1)


def test_guessed_worlds_vary():
    states = position(LINE)
    GAME.advance(states, joint(order(1, 2, 10), order(2, 1, 3)), ANY)
    guesses = np.repeat(GAME.masked(states, np.array([0])), 50)
    words = np.array([stream(7, k) for k in range(50)])
    GAME.kernel(kernels.guess_worlds)(guesses, np.zeros(50, np.int64), words)
    assert len({guess.tobytes() for guess in guesses}) > 20
    assert set(guesses["done"][:, 1]) == {0, 1}


# ------------------------------------------------------------------------------------------------ plain Python

DIGEST = """
import hashlib, numpy as np
from ludus import kernels, load
from ludus.rng import match_words
game, digest = load("planet_wars"), hashlib.sha256()
for preset, steps in (("default", 40), ("finals", 40), ("skirmish", 400)):
    words = np.array([match_words(11, match, 0, 2) for match in range(4)])
    states = game.start(words, 2, game.rule_values(preset, {"fleets": 12, "menu_orders": 4}))
    game.kernel(kernels.rollouts)(states, words, np.zeros(4, np.int64), steps)
    digest.update(states.tobytes() + words.tobytes())
    out = np.zeros((4, game.names["FEATURES"]), np.float32)
    game.kernel(kernels.features)(states, np.zeros(4, np.int64), out)
    digest.update(out.tobytes())
print(digest.hexdigest())
"""


def test_plain_python_plays_the_same_matches():
    digests = []
    for plain in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": plain}
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", DIGEST], env=environment, capture_output=True, text=True, check=True
        )
        digests.append(run.stdout)
    assert digests[0] == digests[1]
    assert len(digests[0].strip()) == len(hashlib.sha256().hexdigest())
