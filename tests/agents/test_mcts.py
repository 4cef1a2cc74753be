"""Monte Carlo tree search: it sees what is forced, cannot see what is hidden, mixes where it must, and beats chance."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from ludus import agent, kernels, load
from ludus.agents.mcts import Mcts
from ludus.arena.contest import contest
from ludus.catalogue import game_names
from ludus.errors import BadSpec
from ludus.game import Game, View
from ludus.rng import match_words, stream
from ludus.rules import rule
from ludus.search.tree import make_tree
from ludus.search.uct import decide
from tests.agents.minimax import Minimax, mover_of, random_positions, start, successors, thoughts_on


def answers(spec: str, game: Game, states: np.ndarray, player: int, streams: int = 10) -> list[int]:
    chooser, view = agent(spec, game), View(game, states, player)
    return [chooser.act(view, stream(seed)) for seed in range(streams)]


# ------------------------------------------------------------------------------------------------ what is forced


@pytest.mark.parametrize(
    ("columns", "only"),
    [("112233", 3), ("7112233", 3), ("121314", 0), ("11223", 3), ("213171", 0), ("77665", 3)],
    ids=["win", "win as second", "win upwards", "block", "block upwards", "block on the right"],
)
def test_connect_four_wins_and_blocks_in_one(columns, only):
    game = load("connect_four")
    states = game.parse_state(columns, 2)
    assert set(answers("mcts:sims=200", game, states, mover_of(game, states))) == {only}


def test_a_win_in_one_is_never_missed():
    """In a hundred positions of random matches that can be won at once, it is, even with few simulations."""
    game, seen = load("connect_four"), 0
    for states in random_positions(game, 15, 300):
        player = mover_of(game, states)
        menu, after = game.menu(states, player), successors(game, states, player)
        wins = menu[game.payoffs(after)[:, player] * (game.waiting(after) == 0) == 1]
        if len(wins) and len(menu) > 1:
            assert set(answers("mcts:sims=30", game, states, player, 3)) <= set(wins.tolist())
            seen += 1
    assert seen > 30


@pytest.mark.parametrize("plies", [1, 2, 3, 4, 5])
def test_tic_tac_toe_converges_to_minimax(plies):
    game = load("tic_tac_toe")
    for states in random_positions(game, plies, 6):
        thoughts = thoughts_on("mcts:sims=30000", game, states)
        truth = round(Minimax(game, plies % 2).value(states, 9))
        assert thoughts.value == pytest.approx(truth, abs=0.01)
        assert truth == 0 or thoughts.note.endswith("solved")


def test_tic_tac_toe_is_a_draw():
    game = load("tic_tac_toe")
    assert thoughts_on("mcts:sims=300000", game, start(game)).value == pytest.approx(0, abs=0.02)


class Watched(Mcts):
    """Keeps its tree, so that one can see which arms are proven."""

    name = "watched"

    def _tree(self):
        self.tree = super()._tree()
        return self.tree

    def proven(self, view: View) -> dict[int, float]:
        """The actions whose worth is certain."""
        first, _ = self.game.kernel(decide)(self.tree, view.states, 0, view.player, stream(1), 1.0)
        arms = self.tree.arms[first : first + len(view.legal)]
        return {int(action): float(arm.worth) for action, arm in zip(view.legal, arms) if arm.spread == 0}


@pytest.mark.parametrize(
    ("name", "plies", "rules", "sims"),
    [("tic_tac_toe", 3, {}, 2000), ("connect_four", 32, {}, 150), ("breakthrough", 5, {"rows": 5, "columns": 3}, 150)],
)
def test_what_is_proven_is_so(name, plies, rules, sims):
    """With too few simulations to solve everything: wins, draws and losses that are taken for certain are minimax's."""
    game, found = load(name), []
    for states in list(random_positions(game, plies, 300, rules))[:15]:
        player = mover_of(game, states)
        searcher, view = agent(Watched(sims=sims), game), View(game, states, player)
        truth, after = Minimax(game, player), successors(game, states, player)
        if len(view.legal) > 1:
            searcher.act(view, stream(1))
            proven = searcher.proven(view)
            for action, worth in proven.items():
                k = view.legal.tolist().index(action)
                assert round(truth.value(after[k : k + 1], 100)) == worth
            solved = max(proven.values(), default=0) == 1 or len(proven) == len(view.legal)
            assert searcher.thoughts.note.endswith("solved") == solved
            found += proven.values()
    assert set(found) == ({-1, 0, 1} if name == "tic_tac_toe" else {-1, 1})
    assert len(found) > 15


def test_three_players_a_win_in_one_is_taken():
    game = load("pivit")
    board = "\n".join([". Rh . . . . . BV", *[". . . . . . . ."] * 3, ". . . . GH . . .", *[". . . . . . . ."] * 2])
    states = game.parse_state(f"{board}\n. . RV . . . . .\nturn Red\nply 30\npromoted Blue Green Red", 3)
    chosen = answers("mcts:sims=300", game, states, 0, 4)
    assert {game.action_text(states[0], 0, action) for action in chosen} == {"b1-a1"}


# ------------------------------------------------------------------------------------------------ at once


def goofspiel_ending() -> np.ndarray:
    """Five cards, two rounds to go, prize 2 and then 1. Player 0 has 2 and 5, player 1 has 1 and 2 and leads by 2.

             1    2         Player 0 should bid the 2 once in three times, player 1 the 1 twice in three times;
    bids 2   1   -1         then player 0 gets 1/3 whatever the other does.
    bids 5   0    1
    """
    game = load("goofspiel")
    states = start(game, {"cards": 5, "order": "descending"})
    state = states[0]
    state.turn, state.prize, state.prizes = 3, 2, 0b1
    state.points[:2] = 5, 7
    state.hands[:2] = 0b10010, 0b00011
    return states


@pytest.mark.parametrize(("player", "cards", "right"), [(0, (1, 4), 1 / 3), (1, (0, 1), 2 / 3)])
def test_play_is_mixed_where_it_must_be(player, cards, right):
    states = goofspiel_ending()
    chosen = answers("mcts:sims=1000,mix=0", load("goofspiel"), states, player, 300)
    assert set(chosen) == set(cards)
    assert abs(chosen.count(cards[0]) / 300 - right) < 0.12


def test_the_most_visited_is_played_unless_mixed():
    game = load("goofspiel")
    for seed in range(20):
        thinker = agent("mcts:sims=200", game)
        chosen = thinker.act(View(game, goofspiel_ending(), 0), stream(seed))
        assert thinker.thoughts is not None
        visits = thinker.thoughts.visits
        assert (chosen, visits[0]) == (thinker.thoughts.actions[0], max(visits))


# ------------------------------------------------------------------------------------------------ what is hidden


@pytest.mark.parametrize(
    ("cards", "moves", "player", "only"),
    [
        ("Q K", "bet", 1, 1),  # never give up the king,
        ("K Q", "pass bet", 0, 1),
        ("Q J", "bet", 1, 0),  # never call with the jack,
        ("J Q", "pass bet", 0, 0),
        ("Q K", "pass", 1, 1),  # and the king loses nothing by a bet after a pass.
    ],
)
def test_kuhn_poker_has_no_dominated_moves(cards, moves, player, only):
    game = load("kuhn_poker")
    states = game.parse_state(f"cards {cards}\nmoves {moves}", 2)
    assert set(answers("mcts:sims=3000", game, states, player, 25)) == {only}


@pytest.mark.parametrize(
    ("cards", "moves", "player", "points"),
    # One's own decision now and, if it may come, after pass and bet; the rival's for either card and what he has seen.
    [("Q K", "none", 0, 1 + 1 + 2 * 2), ("J Q", "pass", 1, 1 + 2), ("J Q", "bet", 1, 1)],
)
def test_nobody_in_the_tree_plays_by_what_it_cannot_know(cards, moves, player, points):
    game = load("kuhn_poker")
    searcher = agent(Watched(sims=500), game)
    searcher.act(View(game, game.parse_state(f"cards {cards}\nmoves {moves}", 2), player), stream(1))
    assert np.count_nonzero(searcher.tree.points["key"]) == points


def twins(game: Game, players: int, plies: int, rules: dict | None = None) -> list[tuple[np.ndarray, np.ndarray, int]]:
    """Positions with a player to act, and the same with something swapped that this player cannot know."""
    words = match_words(plies, np.arange(20), 0, players)
    states = game.start(words, players, game.rule_values("default", rules))
    game.kernel(kernels.rollouts)(states, words, np.zeros(20, np.int64), plies)
    pairs = []
    for k in np.flatnonzero(game.waiting(states)):
        player = int(game.waiting(states[k : k + 1])[0]).bit_length() - 1
        other, swapped = states[k : k + 1].copy(), np.empty(1, np.bool_)
        game.kernel(kernels.swap_secrets)(other, np.array([player]), stream(int(k)).reshape(1, 1), swapped)
        if swapped[0]:
            pairs.append((states[k : k + 1], other, player))
    return pairs


@pytest.mark.parametrize(
    ("name", "players", "plies", "rules"),
    [("kuhn_poker", 2, 1, {}), ("goofspiel", 3, 3, {"bids": "hidden", "cards": 6}), ("gravwell", 3, 14, {})],
)
def test_it_cannot_peek(name, players, plies, rules):
    game = load(name)
    pairs = twins(game, players, plies, rules)
    assert len(pairs) >= 5
    assert all(state.tobytes() != other.tobytes() for state, other, _ in pairs)
    for state, other, player in pairs:
        assert answers("mcts:sims=60", game, state, player, 3) == answers("mcts:sims=60", game, other, player, 3)


def test_a_peeker_would_be_found():
    """The same test on Kuhn poker with its cards face up."""
    honest = load("kuhn_poker")
    game = Game(honest.module, "kuhn_poker")
    game.names = game.names | {"hide": rule(lambda state, player: None)}
    different = [
        answers("mcts:sims=60", game, state, player, 3) != answers("mcts:sims=60", game, other, player, 3)
        for state, other, player in twins(game, 2, 1)
    ]
    assert any(different)


# ------------------------------------------------------------------------------------------------ one search, many ways

WAYS = [
    ("connect_four", 2, "mcts:sims=150"),
    ("breakthrough", 2, "mcts:sims=60,horizon=4"),
    ("kuhn_poker", 2, "mcts:sims=150"),
    ("goofspiel", 3, "mcts:sims=100,mix=0.1"),
]


@pytest.mark.parametrize(("name", "players", "spec"), WAYS)
def test_a_batch_is_answered_as_one_by_one(name, players, spec):
    game, searcher = load(name), agent(spec, name)
    words = match_words(5, np.arange(15), 0, players)
    states = game.start(words, players)
    game.kernel(kernels.rollouts)(states, words, np.zeros(15, np.int64), 1)
    states = states[game.waiting(states) != 0]
    seats = np.array([int(mask).bit_length() - 1 for mask in game.waiting(states)])
    streams = words[: len(states), 1:2].copy()
    alone = streams.copy()
    chosen = searcher.act_many(game.masked(states, seats), seats, streams)
    views = [View(game, states[k : k + 1], int(seats[k])) for k in range(len(states))]
    assert chosen.tolist() == [searcher.act(view, alone[k]) for k, view in enumerate(views)]
    assert (streams == alone).all()  # and both have drawn as much


PLAIN = """
import numpy as np
from ludus import agent, load
from ludus.game import View
from ludus.rng import match_words, stream
for name, players, spec, streams in {cases!r}:
    game = load(name)
    states = game.start(match_words(3, np.arange(1), 0, players), players)
    player = int(game.waiting(states)[0]).bit_length() - 1
    thinker = agent(spec, game)
    for seed in range(streams):
        rng = stream(seed)
        thinker.act(View(game, states, player), rng)
        print(name, thinker.thoughts, int(rng[0]))
"""


def test_plain_python_thinks_the_same():
    cases = [
        ("tic_tac_toe", 2, "mcts:sims=200", 2),
        ("connect_four", 2, "mcts:sims=40,horizon=3", 2),
        ("kuhn_poker", 2, "mcts:sims=80", 3),
        ("goofspiel", 2, "mcts:sims=25,mix=0", 2),
        ("tic_tac_toe", 2, "alphabeta:depth=4", 2),
        ("connect_four", 2, "alphabeta:nodes=150", 1),
        ("goofspiel", 2, "greedy:samples=2", 1),
    ]
    script = [sys.executable, "-W", "error", "-c", PLAIN.format(cases=cases)]
    environments = (os.environ, os.environ | {"NUMBA_DISABLE_JIT": "1"})
    compiled, plain = (
        subprocess.run(script, env=dict(environment), capture_output=True, text=True, check=True).stdout
        for environment in environments
    )
    assert compiled.count("\n") == 13
    assert compiled == plain


# ------------------------------------------------------------------------------------------------ limits


@pytest.mark.parametrize("sims", [1, 7, 500])
def test_simulations_are_a_limit(sims):
    for name in ("connect_four", "goofspiel", "kuhn_poker"):
        game = load(name)
        states = start(game)
        mask = int(game.waiting(states)[0])
        thinker = agent(f"mcts:sims={sims}", game)
        chosen = thinker.act(View(game, states, (mask & -mask).bit_length() - 1), stream(1))
        thoughts = thinker.thoughts
        assert thoughts is not None
        assert sum(thoughts.visits) == sims
        assert thoughts.note == f"{sims} simulations"
        assert chosen == thoughts.actions[0]


def test_time_is_a_limit():
    game = load("breakthrough")
    thinker = agent("mcts:ms=150", game)
    view = View(game, start(game), 0)
    thinker.act(view, stream(1))  # compiles
    began, began_cpu = time.perf_counter(), time.thread_time()
    thinker.act(view, stream(1))
    assert time.perf_counter() - began > 0.145
    assert time.thread_time() - began_cpu < 0.2  # a busy machine stretches the other clock
    assert not thinker.repeatable
    assert agent("mcts", game).repeatable


def test_a_solved_position_takes_no_more_time():
    game = load("tic_tac_toe")
    began = time.perf_counter()
    thoughts = thoughts_on("mcts:ms=60000", game, game.parse_state("XX. OO. ...", 2))
    assert time.perf_counter() - began < 30
    assert (thoughts.actions[0], thoughts.value) == (2, 1)


class Cramped(Mcts):
    """With room for five points only."""

    name = "cramped"

    def _tree(self):
        return make_tree(self.game, self.sims, points=8, arms=70)


@pytest.mark.parametrize(("name", "players"), [("connect_four", 2), ("goofspiel", 4), ("kuhn_poker", 2)])
def test_full_tables_only_stop_the_tree_from_growing(name, players):
    game = load(name)
    searcher = agent(Cramped(sims=800), game)
    view = View(game, start(game, players=players), 0)
    assert view.allows(searcher.act(view, stream(1)))
    assert searcher.thoughts is not None
    assert sum(searcher.thoughts.visits) == 800
    words = stream(1).reshape(1, 1)
    assert searcher.act_many(view.states, np.array([0]), words)[0] == searcher.thoughts.actions[0]


# ------------------------------------------------------------------------------------------------ the heuristic


def test_at_the_horizon_the_heuristic_speaks():
    """One simulation an arm and no random step: each arm is worth what the heuristic says of it."""
    game = load("connect_four")
    states = game.parse_state("4453", 2)
    thoughts = thoughts_on("mcts:sims=7,horizon=0", game, states)
    estimates = np.zeros(7)
    game.kernel(kernels.estimates)(successors(game, states, 0), np.zeros(7, np.int64), estimates)
    assert sorted(thoughts.actions) == list(range(7))
    assert thoughts.values == [estimates[action] for action in thoughts.actions]


def test_a_horizon_needs_a_heuristic():
    with pytest.raises(BadSpec, match="horizon needs a heuristic, and kuhn_poker has none"):
        agent("mcts:horizon=3", "kuhn_poker")


# ------------------------------------------------------------------------------------------------ what it says


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "breakthrough"])
def test_thoughts_hang_together(name):
    game = load(name)
    for states in random_positions(game, 4, 8):
        thoughts = thoughts_on("mcts:sims=300", game, states)
        assert sorted(thoughts.actions) == sorted(game.menu(states, mover_of(game, states)).tolist())
        assert thoughts.value == thoughts.values[0]
        assert all(-1 <= value <= 1 for value in thoughts.values)
        unproven = [n for n, value in zip(thoughts.visits, thoughts.values) if abs(value) < 1]
        assert unproven == sorted(unproven, reverse=True)


def test_a_proven_loss_comes_last():
    """Every move of O but the block loses at once, and five simulations an arm are enough to know it."""
    game = load("connect_four")
    thoughts = thoughts_on("mcts:sims=2000", game, game.parse_state("11223", 2))
    assert thoughts.actions[0] == 3
    assert thoughts.values[1:] == [-1] * 6


def test_forced_moves_cost_nothing():
    game = load("tic_tac_toe")
    thinker, rng = agent("mcts", game), stream(1)
    assert thinker.act(View(game, game.parse_state("XOX XOO OX.", 2), 0), rng) == 8
    assert thinker.thoughts is not None
    assert thinker.thoughts.note == "forced"
    assert rng == stream(1)


# ------------------------------------------------------------------------------------------------ strength

SETTINGS = {  # game: players, agent, matches, preset; for others two players, 150 simulations and 40 matches
    "gravwell": (4, "mcts:sims=150,horizon=6", 80, "default"),
    "kuhn_poker": (2, "mcts:sims=200", 600, "default"),
    "organism": (2, "mcts:sims=100,horizon=10", 24, "default"),
    "pivit": (2, "mcts:sims=100,horizon=10", 24, "short"),
    "planet_wars": (2, "mcts:sims=150,horizon=30", 24, "skirmish"),
    "thrones": (2, "mcts:sims=100,horizon=10", 40, "short"),
}


@pytest.mark.parametrize("name", game_names())
def test_it_beats_random_play(name):
    players, spec, games, preset = SETTINGS.get(name, (2, "mcts:sims=150", 40, "default"))
    result = contest(name, [spec, *["random"] * (players - 1)], games=games, preset=preset)
    assert result.agents[0].low > 1 / players, result.agents[0]
    assert not result.faults
