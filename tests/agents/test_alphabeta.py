"""Alpha-beta against plain minimax: the same values, the quickest wins, within its limits."""

from __future__ import annotations

import time
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from ludus import agent, load
from ludus.arena.match import Match
from ludus.errors import BadSpec, Mismatch
from ludus.game import View
from ludus.rng import stream
from ludus.search.alphabeta import Deepening
from ludus.search.evaluation import evaluation
from ludus.search.table import DELAY
from tests.agents.minimax import Minimax, later, mover_of, random_positions, start, successors, thoughts_on


def agree(name: str, states: np.ndarray, depth: int, settings: str = "") -> float:
    """The value is minimax's, and so is that of the chosen action. A win found early is the quickest, so alpha-beta may
    stop there and still has the value of the full depth."""
    game = load(name)
    player = mover_of(game, states)
    menu = game.menu(states, player).tolist()
    if len(menu) == 1:  # forced: nothing is searched
        return 0.0
    thoughts = thoughts_on(f"alphabeta:nodes=100000000,depth={depth}{settings}", game, states)
    minimax, place = Minimax(game, player), f"{name}, depth {depth}:\n{game.state_text(states[0])}"
    assert thoughts.value == pytest.approx(minimax.value(states, depth), abs=1e-12), place
    chosen = menu.index(thoughts.actions[0])
    after = successors(game, states, player)[chosen : chosen + 1]
    assert thoughts.value == pytest.approx(later(minimax.value(after, depth - 1)), abs=1e-12), place
    return thoughts.value


# ------------------------------------------------------------------------------------------------ values


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 6, 9])
def test_tic_tac_toe_has_the_values_of_minimax(depth):
    for plies in range(8):
        for states in random_positions(load("tic_tac_toe"), plies, 8):
            agree("tic_tac_toe", states, depth)


@pytest.mark.parametrize(("depth", "matches"), [(1, 12), (2, 12), (3, 8), (4, 4), (5, 1)])
def test_connect_four_has_the_values_of_minimax(depth, matches):
    for plies in (4, 9, 14, 20, 25):
        for states in random_positions(load("connect_four"), plies, matches):
            agree("connect_four", states, depth)


@pytest.mark.parametrize(("depth", "matches"), [(1, 12), (2, 12), (3, 8), (4, 4), (5, 1)])
def test_breakthrough_has_the_values_of_minimax(depth, matches):
    for rows, columns in ((5, 4), (6, 3)):
        for plies in (0, 3, 6, 9):
            for states in random_positions(load("breakthrough"), plies, matches, {"rows": rows, "columns": columns}):
                agree("breakthrough", states, depth)


@pytest.mark.parametrize("settings", [",table=4", ",table=8", ",table=18"])
def test_the_size_of_the_table_changes_no_value(settings):
    for plies in (6, 13, 22):
        for states in random_positions(load("connect_four"), plies, 2):
            agree("connect_four", states, 4, settings)
    game = load("connect_four")
    specs = [f"alphabeta:nodes=100000000,depth=9,table={bits}" for bits in (4, 18)]
    found = {thoughts_on(spec, game, start(game)).value for spec in specs}
    assert len(found) == 1


# ------------------------------------------------------------------------------------------------ solved games


def test_tic_tac_toe_is_a_draw():
    game = load("tic_tac_toe")
    assert thoughts_on("alphabeta:depth=9", game, start(game)).value == 0
    thoughts = thoughts_on("alphabeta:nodes=10000000", game, start(game))
    assert thoughts.value == 0
    assert thoughts.visits[0] < 100_000  # and it knows that looking deeper changes nothing


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("seed", [1, 2])
def test_tic_tac_toe_is_never_lost_whatever_the_replies(seat, seed):
    game = load("tic_tac_toe")
    player = agent("alphabeta:nodes=10000000", game)
    waiting, seen, ends = [start(game)], set(), []
    while waiting:
        states = waiting.pop()
        if game.waiting(states)[0] == 0:
            ends.append(game.payoffs(states)[0, seat])
            continue
        mover = mover_of(game, states)
        after = successors(game, states, mover)
        if mover == seat:
            chosen = player.act(View(game, states, seat), stream(seed, len(seen)))
            kept = [game.menu(states, seat).tolist().index(chosen)]
        else:
            kept = range(len(after))
        for k in kept:
            if after[k].tobytes() not in seen:
                seen.add(after[k].tobytes())
                waiting.append(after[k : k + 1])
    assert min(ends) == 0  # the best reply holds the draw,
    assert max(ends) == 1  # others lose


WINS_AND_LOSSES = {"3x3": 1, "3x6": 1, "4x2": -1, "4x3": 1, "4x4": 1, "5x2": 1, "5x3": 1, "6x2": 1, "7x2": -1}
"""Breakthrough boards, rows by columns, and what they are worth to White."""


@pytest.mark.parametrize(("board", "worth"), WINS_AND_LOSSES.items())
def test_small_breakthrough_is_solved(board, worth):
    rows, columns = int(board[0]), int(board[2])
    game = load("breakthrough")
    thoughts = thoughts_on("alphabeta:nodes=100000000", game, start(game, {"rows": rows, "columns": columns}))
    assert thoughts.value == pytest.approx(solve_breakthrough(rows, columns), abs=1e-12)
    assert round(thoughts.value) == worth


@pytest.mark.parametrize("board", ["3x3", "4x2", "4x3", "5x3"])
def test_openspiel_agrees_who_wins(board):
    assert openspiel_value(f"breakthrough(rows={board[0]},columns={board[2]})") == WINS_AND_LOSSES[board]


def test_connect_four_is_solved_near_its_end():
    """Twelve cells are empty; among the positions are wins, draws and losses of several lengths."""
    found = [agree("connect_four", states, 12) for states in random_positions(load("connect_four"), 30, 800)]
    assert {round(value) for value in found} == {-1, 0, 1}
    assert len(set(found)) >= 5


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (5, 4), (4, 5)])
def test_small_connect_four_is_a_draw(rows, columns):
    """As in the table of John Tromp's page on connect four."""
    game = load("connect_four")
    depth = rows * columns
    thoughts = thoughts_on(f"alphabeta:depth={depth}", game, start(game, {"rows": rows, "columns": columns}))
    assert (thoughts.value, thoughts.note.split(",")[0]) == (0, f"depth {depth}")


def test_small_connect_four_is_solved_from_anywhere():
    game, found = load("connect_four"), set()
    for plies in (4, 6, 8):
        for states in random_positions(game, plies, 20, {"rows": 4, "columns": 4}):
            player = mover_of(game, states)
            mine, theirs = int(states[0].stones[player]), int(states[0].stones[1 - player])
            value = round(thoughts_on("alphabeta:nodes=100000000", game, states).value)
            assert value == solve_connect_four(mine, theirs)
            found.add(value)
    assert found == {-1, 0, 1}


@cache
def solve_connect_four(mine: int, theirs: int) -> int:
    """The value to the side to move on four columns of four, by rules written here anew; cells are bits, 7 a column."""
    heights = [((mine | theirs) >> 7 * column & 127).bit_length() for column in range(4)]
    values = [0] if min(heights) == 4 else []
    for column in range(4):
        stones = mine | 1 << 7 * column + heights[column]
        if heights[column] == 4:
            continue
        if any(stones & stones >> way & stones >> 2 * way & stones >> 3 * way for way in (1, 6, 7, 8)):
            return 1
        values.append(-solve_connect_four(theirs, stones))
    return max(values)


def openspiel_value(name: str) -> float:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import minimax

    return minimax.alpha_beta_search(pyspiel.load_game(name), maximum_depth=1000, maximizing_player_id=0)[0]


def solve_breakthrough(rows: int, columns: int) -> float:
    """White's value of the first position, by rules written here anew; pieces are sets of (row, column)."""
    home_rows = 2 if rows >= 6 else 1
    white = frozenset((r, c) for r in range(home_rows) for c in range(columns))
    black = frozenset((rows - 1 - r, c) for r, c in white)

    @cache
    def value(mine: frozenset, theirs: frozenset, ahead: int) -> float:
        """For the side to move, whose pieces go `ahead`."""
        best = -1.0
        for row, column in mine:
            for aside in (-1, 0, 1):
                target = row + ahead, column + aside
                if not 0 <= target[1] < columns or target in mine or (aside == 0 and target in theirs):
                    continue
                rest = theirs - {target}
                if target[0] in (0, rows - 1) or not rest:
                    return 1 - DELAY
                best = max(best, -value(rest, mine - {(row, column)} | {target}, -ahead))
        return later(best)

    return value(white, black, 1)


# ------------------------------------------------------------------------------------------------ limits


@pytest.mark.parametrize("nodes", [50, 1000, 20_000])
def test_no_more_positions_than_allowed(nodes):
    for name in ("connect_four", "breakthrough"):
        game = load(name)
        thoughts = thoughts_on(f"alphabeta:nodes={nodes}", game, start(game))
        assert nodes / 2 < thoughts.visits[0] <= nodes


def test_one_position_is_enough_for_an_answer():
    game = load("connect_four")
    thoughts = thoughts_on("alphabeta:nodes=1", game, game.parse_state("112233", 2))
    assert (thoughts.actions, thoughts.note) == ([3], "depth 1, 8 positions")


def test_depth_is_a_limit():
    game = load("connect_four")
    assert thoughts_on("alphabeta:depth=3", game, start(game)).note.startswith("depth 3,")


def test_time_is_a_limit():
    game = load("breakthrough")
    thinker = agent("alphabeta:ms=150", game)
    view = View(game, start(game), 0)
    thinker.act(view, stream(1))  # compiles
    began, began_cpu = time.perf_counter(), time.thread_time()
    thinker.act(view, stream(1))
    assert time.perf_counter() - began > 0.07  # past half of the time no deeper search is begun
    assert time.thread_time() - began_cpu < 0.2  # a busy machine stretches the other clock
    assert not thinker.repeatable


def _search(game, states) -> Deepening:
    player = mover_of(game, states)
    search = Deepening(game, states, player, game.menu(states, player), 12, evaluation(game))
    for depth in range(1, 6):
        search.begin(depth)
        search.go_on(1 << 62)
    search.begin(6)
    return search


def test_a_search_broken_into_pieces_is_the_same_search():
    game = load("connect_four")
    for states in random_positions(game, 5, 4):
        whole, pieces = _search(game, states), _search(game, states)
        whole.go_on(1 << 62)
        values = [pieces.value]
        while not pieces.go_on(pieces.nodes + 50):
            values.append(pieces.value)
        assert (whole.best, whole.value, whole.nodes) == (pieces.best, pieces.value, pieces.nodes)
        # It keeps what it has found so far: once the best move of the last depth is searched anew, things only improve.
        found = [value for before, value in pairwise(values) if value != before]
        assert len(values) > 10
        assert found == sorted(found)


# ------------------------------------------------------------------------------------------------ what it prefers


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "breakthrough"])
def test_its_line_can_be_played(name):
    game = load(name)
    for states in random_positions(game, 5, 10):
        thoughts = thoughts_on("alphabeta:nodes=3000", game, states)
        match = Match(game, 2, start=states)
        for action in thoughts.line:
            match.submit(match.acting[0], action)
        assert thoughts.line[0] == thoughts.actions[0]
        assert -1 <= thoughts.value <= 1


def test_its_line_ends_with_the_win_it_announces():
    game = load("tic_tac_toe")
    thoughts = thoughts_on("alphabeta", game, game.parse_state("X.. ... O..", 2))
    assert thoughts.value == 1 - 5 * DELAY
    match = Match(game, 2, start=game.parse_state("X.. ... O..", 2))
    for action in thoughts.line:
        match.submit(match.acting[0], action)
    assert match.returns == [1, -1]


def test_the_quicker_win_is_preferred():
    """X can win at once with column 4, or later with many another."""
    game = load("connect_four")
    states = game.parse_state("112233", 2)
    for seed in range(8):
        assert thoughts_on("alphabeta:nodes=50000", game, states, seed).actions == [3]


def test_equal_moves_are_chosen_at_random():
    """After X has taken the centre, O may take any corner."""
    game = load("tic_tac_toe")
    states = game.parse_state("... .X. ...", 2)
    assert {thoughts_on("alphabeta", game, states, seed).actions[0] for seed in range(40)} == {0, 2, 6, 8}


def test_same_stream_same_answer():
    game = load("connect_four")
    first, second = (thoughts_on("alphabeta:nodes=5000", game, start(game), 7) for _ in range(2))
    assert first == second


# ------------------------------------------------------------------------------------------------ more than two players

PROMOTION_WINS = """
1  .  Rv .  .  .  .  .  BV
2  .  .  .  .  .  .  .  .
3  .  .  .  .  .  .  .  .
4  .  .  .  .  .  .  .  .
5  .  .  .  .  GH .  .  .
6  .  .  .  .  .  .  .  .
7  .  .  .  .  .  .  .  .
8  .  .  RV .  .  .  .  .
turn Red
ply 30
promoted Blue Green Red
"""


def test_three_players_a_win_in_one_is_taken():
    game = load("pivit")
    states = game.parse_state(PROMOTION_WINS.replace("Rv", "Rh"), 3)
    for seed in range(5):
        thoughts = thoughts_on("alphabeta:nodes=2000", game, states, seed)
        assert game.action_text(states[0], 0, thoughts.actions[0]) == "b1-a1"
        assert thoughts.value == 1 - DELAY


def test_three_players_play_a_match():
    game = load("pivit")
    match = Match(game, 3, game.rule_values("default", {"cap": 30}))
    players = [agent("alphabeta:nodes=300", game) for _ in range(3)]
    while not match.over:
        for seat, view in match.waiting().items():
            match.submit(seat, players[seat].act(view, match.stream(seat)))
    assert match.outcome == "finished"


def test_each_for_itself_takes_the_same_win_and_has_plain_maxn_values():
    game = load("pivit")
    states = game.parse_state(PROMOTION_WINS.replace("Rv", "Rh"), 3)
    thoughts = thoughts_on("alphabeta:depth=2,rivals=maxn", game, states)
    assert game.action_text(states[0], 0, thoughts.actions[0]) == "b1-a1"
    for states in random_positions(game, 25, 3, players=3):
        player = mover_of(game, states)
        thoughts = thoughts_on("alphabeta:depth=2,rivals=maxn", game, states)
        assert thoughts.value == pytest.approx(_maxn(game, states, 2)[player], abs=1e-6)


def _maxn(game, states, depth) -> np.ndarray:
    if game.waiting(states)[0] == 0:
        return game.payoffs(states)[0]
    if depth == 0:
        return np.array([Minimax(game, player).value(states, 0) for player in range(3)])
    player = mover_of(game, states)
    after = successors(game, states, player)
    found = [_maxn(game, after[k : k + 1], depth - 1) for k in range(len(after))]
    return max(found, key=lambda worths: worths[player])


def test_where_one_rival_replies_at_a_time_there_is_less_to_fear():
    """Two plies deep only one rival has moved; deeper, the other may no longer do its worst too."""
    game, hopes = load("pivit"), []
    for states in random_positions(game, 25, 3, players=3):
        for depth in (2, 3, 4):
            fear, hope = (thoughts_on(f"alphabeta:depth={depth},rivals={rivals}", game, states).value
                          for rivals in ("paranoid", "best"))  # fmt: skip
            assert hope >= fear - 1e-9
            assert depth > 2 or hope == pytest.approx(fear)
            hopes.append(hope - fear)
    assert max(hopes) > 0.01


def test_with_two_players_the_only_rival_replies():
    game = load("pivit")
    for states in random_positions(game, 10, 3):
        same = [thoughts_on(f"alphabeta:nodes=500,rivals={rivals}", game, states) for rivals in ("paranoid", "best")]
        assert same[0] == same[1]


def test_a_win_is_found_whoever_replies():
    game = load("pivit")
    states = game.parse_state(PROMOTION_WINS.replace("Rv", "Rh"), 3)
    thoughts = thoughts_on("alphabeta:nodes=2000,rivals=best", game, states)
    assert game.action_text(states[0], 0, thoughts.actions[0]) == "b1-a1"


# ------------------------------------------------------------------------------------------------ forcing moves

EXCHANGE = """
1  .  .  .  .  .  .  .  .
2  .  .  .  .  .  .  .  .
3  .  .  RV .  Bh .  .  .
4  .  .  .  .  .  .  .  .
5  .  .  Bv .  .  .  .  .
6  .  .  .  .  .  .  .  .
7  .  .  .  .  .  .  .  Rh
8  .  .  BV .  .  .  .  .
turn Red
ply 30
promoted Blue Red
"""


def test_an_exchange_is_followed_to_its_end():
    """Red's master can take a minion that Blue's master guards; one ply deep that looks like a gain."""
    game = load("pivit")
    states = game.parse_state(EXCHANGE, 2)
    blind = thoughts_on("alphabeta:depth=1", game, states)
    assert game.action_text(states[0], 0, blind.actions[0]) == "c3xc5"
    wary = thoughts_on("alphabeta:depth=1,forced=8", game, states)
    assert game.action_text(states[0], 0, wary.actions[0]) != "c3xc5"


def test_a_fixed_depth_is_that_depth_and_nothing_else():
    game = load("pivit")
    for states in random_positions(game, 20, 3):
        minimax = Minimax(game, mover_of(game, states))
        thoughts = thoughts_on("alphabeta:depth=2", game, states)
        assert thoughts.note.startswith("depth 2,")
        assert thoughts.value == pytest.approx(minimax.value(states, 2), abs=1e-12)


# ------------------------------------------------------------------------------------------------ refusals


def test_rivals_are_paranoid_or_reply_one_at_a_time_or_play_each_for_itself():
    with pytest.raises(BadSpec, match="rivals is paranoid, best or maxn, not 'friendly'"):
        agent("alphabeta:rivals=friendly", "pivit")


DICE = '''
"""Each player in turn rolls a die or stands; for tests."""
import numpy as np
from ludus import Facts, record, rule
from ludus.rng import below
FACTS = Facts("Dice", players=(2, 2), max_actions=2, max_plies=4, chance=True)
State = record(players=np.int32, plies=np.int32, points=(np.int32, 2))
@rule
def setup(state, rng): pass
@rule
def to_act(state): return 0 if state.plies == 4 else 1 << (state.plies & 1)
@rule
def legal(state, player, out):
    out[0], out[1] = 0, 1
    return 2
@rule
def step(state, actions, rng):
    state.points[state.plies & 1] += actions[state.plies & 1] * below(rng, 6)
    state.plies += 1
@rule
def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
'''


@pytest.mark.parametrize(
    ("name", "reason"), [("kuhn_poker", "hidden information"), ("goofspiel", "hidden information")]
)
def test_games_with_secrets_are_refused(name, reason):
    with pytest.raises(Mismatch, match=f"alphabeta cannot play {name}: the game has {reason}; mcts can play it"):
        agent("alphabeta", name)


def test_games_with_dice_are_refused(tmp_path):
    (tmp_path / "dice.py").write_text(DICE)
    with pytest.raises(Mismatch, match="alphabeta cannot play dice: the game has chance; mcts can play it"):
        agent("alphabeta", str(tmp_path / "dice.py"))


def test_rules_with_dice_are_refused_where_others_are_not():
    game = load("thrones")
    assert thoughts_on("alphabeta:nodes=500", game, start(game)).visits[0] > 100
    with pytest.raises(Mismatch, match="under these rules: dice may fall"):
        thoughts_on("alphabeta:nodes=500", game, start(game, {"walkers": "random"}))
