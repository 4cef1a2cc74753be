"""The small classic games against OpenSpiel, move by move: who acts, what is legal, what is known, how it ends."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations, product

import numpy as np
import pytest

from ludus import kernels, load
from ludus.rng import match_words
from tests.games.classics import levels, perft, positions, value_of_start

pyspiel = pytest.importorskip("pyspiel")


# ------------------------------------------------------------------------------------------------ games with turns


def same_numbers(states, seats, actions):
    return actions


def breakthrough_numbers(states, seats, actions):
    """OpenSpiel counts (row, column, direction, captures) in mixed base; its first player, too, starts in row 0."""
    seats, columns = seats[:, None], states["params"]["columns"][:, None]
    cells, directions = actions // 3, actions % 3
    targets = cells + directions - 1 + np.where(seats == 0, 8, -8)
    rivals = states["pieces"][np.arange(len(states)), 1 - seats[:, 0], None]
    captures = (rivals >> targets.clip(0, 63).astype(np.uint64)).astype(np.int64) & 1
    return ((cells // 8 * columns + cells % 8) * 6 + directions + 3 * seats) * 2 + captures


def board_of(name, state):
    """Our position as OpenSpiel draws it."""
    text = load(name).state_text(state).splitlines()
    if name == "breakthrough":  # ours is upside down, and its White is their Black
        rows = int(state.params.rows)
        rows_up = [line.split()[1:] for line in text[:rows]][::-1]
        drawn = [f"{rows - k}" + "".join(row).translate(str.maketrans("WB", "bw")) for k, row in enumerate(rows_up)]
        return "\n".join([*drawn, " " + "abcdefgh"[: int(state.params.columns)]])
    if name == "connect_four":
        return "\n".join(line.replace(" ", "").lower() for line in text[: int(state.params.rows)])
    return "\n".join("".join(line.split()[1:]).lower() for line in text[:3])


def menus_of(game, states, seats):
    out = np.empty((len(states), game.facts.max_actions), np.int32)
    counts = np.empty(len(states), np.int64)
    game.kernel(kernels.menus)(states, seats, out, counts)
    return out, counts


def agree_in_turns(name, rules, spiel_name, matches, numbers, seed=1):
    """Random matches in lock-step, the moves chosen by NumPy; returns the number of plies compared."""
    game, dice = load(name), np.random.default_rng(seed)
    words = match_words(seed, np.arange(matches), 0, 2)
    states = game.start(words, 2, game.rule_values("default", rules))
    theirs = [pyspiel.load_game(spiel_name).new_initial_state() for _ in range(matches)]
    plies = 0
    while len(live := np.flatnonzero(game.waiting(states))):
        seats = game.waiting(states[live]) - 1
        menus, counts = menus_of(game, states[live], seats)
        chosen = dice.integers(counts)
        joint = np.full((matches, 2), -1, np.int32)
        joint[live, seats] = menus[np.arange(len(live)), chosen]
        translated = numbers(states[live], seats, menus)
        for k, match in enumerate(live):
            place = f"{spiel_name}, seed {seed}, match {match}, ply {plies}"
            assert theirs[match].current_player() == seats[k], place
            assert sorted(translated[k, : counts[k]].tolist()) == theirs[match].legal_actions(), place
            theirs[match].apply_action(int(translated[k, chosen[k]]))
            plies += 1
        game.advance(states, joint, words)
    for match, their in enumerate(theirs):
        place = f"{spiel_name}, seed {seed}, match {match}"
        assert their.is_terminal(), place
        assert str(their).strip() == board_of(name, states[match]).strip(), place
    np.testing.assert_array_equal(game.payoffs(states), [their.returns() for their in theirs])
    return plies


def test_tic_tac_toe_matches_openspiel():
    assert agree_in_turns("tic_tac_toe", {}, "tic_tac_toe", 3000, same_numbers) > 20_000


@pytest.mark.parametrize(("rows", "columns", "matches"), [(6, 7, 3000), (4, 4, 500), (4, 5, 500), (5, 7, 500)])
def test_connect_four_matches_openspiel(rows, columns, matches):
    rules, spiel_name = {"rows": rows, "columns": columns}, f"connect_four(rows={rows},columns={columns})"
    assert agree_in_turns("connect_four", rules, spiel_name, matches, same_numbers) > 10 * matches


@pytest.mark.parametrize(
    ("rows", "columns", "matches"),
    [(8, 8, 2000), (6, 6, 2000), (7, 5, 1000), (5, 5, 1000), (4, 4, 1000), (4, 5, 1000), (5, 8, 1000),
     (3, 2, 1000), (3, 8, 1000), (8, 2, 1000)],
)  # fmt: skip
def test_breakthrough_matches_openspiel(rows, columns, matches):
    rules = {"rows": rows, "columns": columns}
    spiel_name = f"breakthrough(rows={rows},columns={columns})"
    assert agree_in_turns("breakthrough", rules, spiel_name, matches, breakthrough_numbers) >= 3 * matches


# ------------------------------------------------------------------------------------------------ perft


def spiel_perft(state, depth):
    if depth == 0 or state.is_terminal():
        return int(depth == 0)
    return sum(spiel_perft(state.child(action), depth - 1) for action in state.legal_actions())


PERFT = {
    "tic_tac_toe": [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
    "connect_four": [7, 49, 343, 2401, 16807, 117649, 823536, 5673234],
    "breakthrough": [22, 484, 11132, 256036, 6182818],
}


@pytest.mark.parametrize("name", PERFT)
def test_perft(name):
    assert [perft(name, 1 + k) for k in range(len(PERFT[name]))] == PERFT[name]


@pytest.mark.parametrize(
    ("name", "rules", "depth"),
    [("tic_tac_toe", {}, 5), ("connect_four", {}, 5), ("breakthrough", {}, 3),
     ("breakthrough", {"rows": 4, "columns": 4}, 5), ("breakthrough", {"rows": 3, "columns": 3}, 9),
     ("breakthrough", {"rows": 5, "columns": 3}, 6)],
)  # fmt: skip
def test_perft_is_that_of_openspiel(name, rules, depth):
    text = ",".join(f"{rule}={value}" for rule, value in rules.items())
    start = pyspiel.load_game(f"{name}({text})").new_initial_state()
    for level in range(1, depth + 1):
        assert perft(name, level, rules) == spiel_perft(start, level)


def spiel_value(state, known):
    """The first player's return under perfect play."""
    if state.is_terminal():
        return state.returns()[0]
    key = f"{state}{state.current_player()}"
    if key not in known:
        values = [spiel_value(state.child(action), known) for action in state.legal_actions()]
        known[key] = max(values) if state.current_player() == 0 else min(values)
    return known[key]


@pytest.mark.parametrize(("rows", "columns"), [(3, 2), (3, 3), (4, 2), (5, 2), (3, 4), (4, 3)])
def test_small_breakthrough_boards_have_as_many_positions_and_the_value_of_openspiel(rows, columns):
    rules, known = {"rows": rows, "columns": columns}, {}
    start = pyspiel.load_game(f"breakthrough(rows={rows},columns={columns})").new_initial_state()
    assert value_of_start("breakthrough", rules) == spiel_value(start, known)
    open_positions = {state.tobytes() for states in levels("breakthrough", rules) for state in states if state.turn}
    assert len(open_positions) == len(known)


# ------------------------------------------------------------------------------------------------ Kuhn poker


@pytest.mark.parametrize("cards", list(permutations(range(3), 2)))
@pytest.mark.parametrize("actions", list(product(range(2), repeat=3)))
def test_kuhn_poker_matches_openspiel_in_every_match(cards, actions):
    game, words = load("kuhn_poker"), np.zeros((1, 3), np.uint64)
    states = game.parse_state(f"cards {'JQK'[cards[0]]} {'JQK'[cards[1]]}\nmoves none", 2)
    their = pyspiel.load_game("kuhn_poker").new_initial_state()
    for card in cards:
        their.apply_action(card)
    for action in actions:
        if their.is_terminal():
            break
        player = their.current_player()
        assert game.waiting(states)[0] == 1 << player
        assert sorted(game.menu(states, player)) == their.legal_actions()
        joint = np.full((1, 2), -1, np.int32)
        joint[0, player] = action
        game.advance(states, joint, words)
        their.apply_action(action)
    assert their.is_terminal()
    assert game.waiting(states)[0] == 0
    assert (game.payoffs(states)[0] * 2).tolist() == their.returns()


def spiel_kuhn(state):
    their = pyspiel.load_game("kuhn_poker").new_initial_state()
    for action in [*(int(card) - 1 for card in state.cards), *(int(move) - 1 for move in state.moves[: state.plies])]:
        their.apply_action(action)
    return their


def test_kuhn_poker_views_know_what_openspiel_says_that_players_know():
    game, same = load("kuhn_poker"), TwoWays()
    for states in positions("kuhn_poker", 400):
        for player in range(2):
            views = game.masked(states, np.full(len(states), player))
            for k in np.flatnonzero(game.waiting(states)):
                same.add(spiel_kuhn(states[k]).information_state_string(player), views[k].tobytes(), player)
    assert same.is_one_to_one()
    assert len(same.there) == 24  # for each of 2 players 3 cards and 4 unfinished histories


class TwoWays:
    """Which of our views go with which of their information states."""

    def __init__(self):
        self.there, self.back = defaultdict(set), defaultdict(set)

    def add(self, theirs, ours, player):
        self.there[player, ours].add(theirs)
        self.back[player, theirs].add(ours)

    def shows_enough(self):
        """Who knows our view knows theirs."""
        return all(len(found) == 1 for found in self.there.values())

    def is_one_to_one(self):
        return self.shows_enough() and all(len(found) == 1 for found in self.back.values())


# ------------------------------------------------------------------------------------------------ goofspiel


def spiel_goofspiel(players, rules):
    return pyspiel.load_game(
        "goofspiel",
        {
            "players": players,
            "num_cards": rules.get("cards", 13),
            "points_order": rules.get("order", "random"),
            "imp_info": rules.get("bids") == "hidden",
            "returns_type": "total_points",
        },
    )


def expected_returns(points):
    """By the most points: winners share 1, and shares u of n players become (n u - 1) / (n - 1)."""
    winners = [number == max(points) for number in points]
    return [(len(points) * (won / sum(winners)) - 1) / (len(points) - 1) for won in winners]


GOOFSPIEL = [
    (2, {}, 2000),
    (3, {}, 1000),
    (4, {}, 1000),
    (2, {"cards": 3, "order": "descending"}, 1000),
    (3, {"cards": 5, "order": "ascending"}, 1000),
    (2, {"bids": "hidden"}, 1000),
    (4, {"bids": "hidden", "cards": 6, "order": "ascending"}, 1000),
    (2, {"prize": "hidden"}, 1000),
    (3, {"prize": "hidden", "bids": "hidden", "cards": 8}, 1000),
]


@pytest.mark.parametrize(("players", "rules", "matches"), GOOFSPIEL)
def test_goofspiel_matches_openspiel(players, rules, matches):
    game, dice = load("goofspiel"), np.random.default_rng(players)
    words = match_words(1, np.arange(matches), 0, players)
    states = game.start(words, players, game.rule_values("default", rules))
    theirs = [spiel_goofspiel(players, rules).new_initial_state() for _ in range(matches)]
    everybody = (1 << players) - 1
    for turn in range(rules.get("cards", 13)):
        assert (game.waiting(states) == everybody).all()
        menus = [menus_of(game, states, np.full(matches, player)) for player in range(players)]
        joint = np.full((matches, 4), -1, np.int32)
        for player, (menu, counts) in enumerate(menus):
            joint[:, player] = menu[np.arange(matches), dice.integers(counts)]
        before = states.copy()
        game.advance(states, joint, words)
        for match, their in enumerate(theirs):
            place = f"match {match}, turn {turn}"
            # A hidden prize is known only afterwards: it is the one that is no longer to come.
            prize = int(before[match].prize) or int(before[match].prizes ^ states[match].prizes).bit_length()
            if their.is_chance_node():
                their.apply_action(prize - 1)
            if their.is_terminal():  # OpenSpiel plays the last card of each hand by itself
                assert turn == rules.get("cards", 13) - 1, place
                assert all(counts[match] == 1 for _, counts in menus), place
                continue
            for player, (menu, counts) in enumerate(menus):
                assert sorted(menu[match, : counts[match]]) == their.legal_actions(player), place
            their.apply_actions(joint[match, :players].tolist())
    assert (game.waiting(states) == 0).all()
    for match, their in enumerate(theirs):
        assert their.is_terminal()
        assert states[match].points[:players].tolist() == their.returns()
        np.testing.assert_allclose(game.payoffs(states)[match, :players], expected_returns(their.returns()), atol=1e-12)


@pytest.mark.parametrize(
    ("players", "rules"),
    [
        (2, {"cards": 3}),
        (2, {"cards": 4, "order": "descending"}),
        (3, {"cards": 4, "order": "descending"}),
        (4, {"cards": 3}),
    ],
)
def test_goofspiel_views_know_what_openspiel_says_that_players_know(players, rules):
    """With two players just as much; more players also learn which bids tied."""
    rules = {**rules, "bids": "hidden"}
    game, same = load("goofspiel"), TwoWays()
    for turn, states in enumerate(positions("goofspiel", 400, players, rules)):
        if turn == rules["cards"] - 1:  # OpenSpiel plays the last card of each hand by itself
            break
        for player in range(players):
            views = game.masked(states, np.full(len(states), player))
            for k in range(len(states)):
                same.add(replayed(states[k], rules).information_state_string(player), views[k].tobytes(), player)
    assert len(same.there) >= 20
    assert same.is_one_to_one() if players == 2 else same.shows_enough()


def replayed(state, rules):
    """OpenSpiel's state after the rounds that our true record remembers."""
    players = int(state.players)
    their = spiel_goofspiel(players, rules).new_initial_state()
    for turn in range(int(state.turn) + 1):
        if their.is_chance_node():
            their.apply_action(int(state.past[turn] if turn < state.turn else state.prize) - 1)
        if turn < state.turn:
            their.apply_actions([int(bid) - 1 for bid in state.bids[turn, :players]])
    return their
