"""TD: its targets by hand, what it learns of small games, and that a killed run goes on as if it had not been."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import agent, load
from ludus.errors import Mismatch
from ludus.game import Game
from ludus.learn.td import ALIKE, Coherence, Course, Settings, about_best, learn, move_weights, train
from ludus.runs import RunFolder, begin_run
from ludus.search.evaluation import Evaluation, evaluation, fits, numbers_of, own_room
from ludus.search.patterns import no_patterns
from ludus.workers import workers


def run_td(game: Game, folder, rows: int | None = None, **changes) -> RunFolder:
    settings = Settings(**changes)
    values = game.rule_values()
    run = begin_run(folder, "td", game, values, settings, seed=1)
    for done, _ in enumerate(train(game, values, settings, run, 1, workers(count=1)), 1):
        if done == rows:
            break
    return run


def _course(values: list[float], breaks: list[bool]) -> Course:
    terms = np.zeros((len(values), 2, 1), np.float32)
    terms[:, 0] = 1.0
    units = np.zeros((len(values), 2, 0), np.float32)
    entries = np.zeros((len(values), 2, 0), np.int32)
    return Course(terms, units, entries, np.array([[value, 0.0] for value in values]), np.array(breaks))


def _untouched(count: int) -> Coherence:
    return Coherence(np.zeros(count, np.float32), np.zeros(count, np.float32))


def _judging(terms: int, units: int = 0) -> Evaluation:
    """Weights of 0, and units that let their first term through."""
    layer = np.zeros((terms, units), np.float32)
    layer[:1] = 1.0
    room = np.zeros(terms, np.float32), np.zeros(units, np.float32)
    return Evaluation(np.zeros(terms), room[0], layer, np.ones(units, np.float32), room[1], no_patterns())


@pytest.mark.parametrize(
    ("trace", "breaks", "expected"),
    [
        (1.0, [False, False], (1 - 0.2) + (1 - 0.5)),  # all of the result
        (0.0, [False, False], (0.5 - 0.2) + (1 - 0.5)),  # the next thought alone
        (0.5, [False, False], (0.75 - 0.2) + (1 - 0.5)),
        (1.0, [True, False], 1 - 0.5),  # nothing across a random move
        (1.0, [False, True], 0.5 - 0.2),
    ],
)
def test_a_thought_moves_towards_what_came_later(trace, breaks, expected):
    judging = _judging(1)
    kernel = load("tic_tac_toe").kernel(learn)
    kernel(_course([0.2, 0.5], breaks), 2, np.array([1.0, 0.0]), 1, judging, _untouched(0), 0.1, trace)
    assert judging.weights[0] == pytest.approx(0.1 / 2 * expected)  # measured by 1 + the length of the terms


def test_what_is_hardly_worse_is_chosen_as_often():
    """Else thoughts that say nearly nothing would move to and fro for ever: Pivit was not learnt so."""
    worth, rng = np.array([0.3, 0.3 - 0.5 * ALIKE, 0.3 - 2 * ALIKE, 0.9]), np.array([5], np.uint64)
    choose = load("tic_tac_toe").kernel(about_best)
    chosen = np.bincount([choose(worth, 3, rng) for _ in range(2000)], minlength=4)
    assert chosen[2:].sum() == 0, "one is worse, the other not on the menu"
    assert abs(chosen[0] - chosen[1]) < 200


def test_weights_of_units_move_along_the_slope():
    """By hand: terms (1, 2), a unit at 3 whose weight is 1, one at rest. |slope|² = 1 + 5 + 3² + 5."""
    judging = _judging(2, 2)
    row, units = np.array([1.0, 2.0], np.float32), np.array([3.0, 0.0], np.float32)
    load("tic_tac_toe").kernel(move_weights)(judging, row, units, np.zeros(0, np.int32), 2.0)
    assert judging.weights == pytest.approx([0.1, 0.2])
    assert judging.outward == pytest.approx([1.3, 1.0])
    assert judging.layer == pytest.approx(np.array([[1.1, 1.0], [0.2, 0.0]]))


def test_an_evaluation_is_its_numbers():
    game = load("tic_tac_toe")
    count = game.names["TERMS"] + 2
    numbers = np.arange(count + 3 * (count + 1)) / 8
    assert numbers_of(evaluation(game, numbers)) == pytest.approx(numbers)
    assert fits(game, len(numbers))
    assert not fits(game, len(numbers) + 1)


def test_threads_that_share_an_agent_do_not_share_its_room():
    one = evaluation(load("tic_tac_toe"), np.zeros(load("tic_tac_toe").names["TERMS"] + 2))
    two = own_room(one)
    assert two.terms is not one.terms
    assert two.units is not one.units
    assert two.weights is one.weights


@pytest.mark.parametrize("depth", [1, 2])
def test_it_learns_tic_tac_toe(tmp_path, depth):
    """Weights over single cells know no rows, yet one ply by them beats random play, which wins half."""
    game = load("tic_tac_toe")
    run = run_td(game, tmp_path / "run", games=2000, every=500, depth=depth, opening=2, walks=0)
    rows = run.rows()
    assert len(rows) == 4
    assert float(rows[-1]["win_rate"]) > 0.7
    for spec in ("greedy", "alphabeta:nodes=50", "mcts:sims=20"):
        agent(f"{spec}{',' if ':' in spec else ':'}run={run.path}", game)


def test_a_killed_run_goes_on_as_if_it_had_not_been(tmp_path):
    game = load("tic_tac_toe")
    whole = run_td(game, tmp_path / "whole", games=300, every=100)
    run_td(game, tmp_path / "killed", rows=2, games=300, every=100)
    again = run_td(game, tmp_path / "killed", games=300, every=100)
    assert again.read("weights.txt") == whole.read("weights.txt")
    assert again.read("patterns.npz") == whole.read("patterns.npz")
    assert again.rows() == whole.rows()


def test_patterns_learn_what_single_cells_cannot_tell(tmp_path):
    """With patterns of eight of nine cells every position is known by heart: no match is lost any more."""
    game = load("tic_tac_toe")
    run = run_td(game, tmp_path / "run", games=6000, every=3000, opening=2)
    assert float(run.rows()[-1]["win_rate"]) > 0.9
    assert (run.path / "patterns.npz").exists()


def test_a_training_may_be_given_time_instead_of_matches(tmp_path):
    run = run_td(load("tic_tac_toe"), tmp_path / "run", rows=2, minutes=1e-6)
    assert [set(row) for row in run.rows()] == [{"games", "win_rate", "low", "high", "surprise"}] * 2


def test_every_kind_of_game_can_be_learnt(tmp_path):
    for name in ("kuhn_poker", "goofspiel"):
        assert len(run_td(load(name), tmp_path / name, games=40, every=20).rows()) == 2
    with pytest.raises(Mismatch, match="alphabeta cannot play kuhn_poker"):
        run_td(load("kuhn_poker"), tmp_path / "deep", games=40, depth=2)


def test_weights_of_other_terms_are_refused(tmp_path):
    run = run_td(load("pivit"), tmp_path / "run", games=2, every=2, walks=0)
    assert run.read("weights.txt").startswith(b"# python")
    lines = run.read("weights.txt").split(b"\n")
    run.write("weights.txt", b"\n".join([lines[0][:-4] + b"beef", *lines[1:]]))
    with pytest.raises(Mismatch, match=r"over the terms python.*beef of pivit, and now they are python"):
        agent(f"greedy:run={run.path}", "pivit")


def test_weights_of_another_game_are_refused(tmp_path):
    run = run_td(load("tic_tac_toe"), tmp_path / "run", games=20, every=20)
    with pytest.raises(Mismatch, match="was trained for tic_tac_toe"):
        agent(f"alphabeta:run={run.path}", "connect_four")
    run.write("weights.txt", b"1.0 2.0")
    with pytest.raises(Mismatch, match="holds 2 weights"):
        agent(f"alphabeta:run={run.path}", "tic_tac_toe")
