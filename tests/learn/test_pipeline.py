"""Self-play by compiled workers: matches are played by the rules, and what they leave is what happened in them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from ludus import load
from ludus.compile import template
from ludus.errors import BadInput
from ludus.learn._atomics import control_for, post, take
from ludus.learn._pipeline import Pipeline
from ludus.learn._selfplay import PlaySettings, Samples
from ludus.search.forest.memory import Leaves


class Judge:
    """Thinks all actions alike, and every position this good for who looks at it."""

    def __init__(self, value: float, leaves: Leaves, rows: int):
        self.value, self.leaves, self.rows = value, leaves, rows

    def launch(self, group: int) -> None:
        part = slice(group * self.rows, (group + 1) * self.rows)
        self.leaves.priors[part] = 1 / np.maximum(self.leaves.counts[part, None], 1)
        self.leaves.values[part], self.leaves.values[part, 0] = -self.value, self.value

    def is_ready(self, group: int) -> bool:
        return group % 2 == 0  # both ways round

    def wait(self, group: int) -> None: ...


def played(name: str = "connect_four", plies: int = 600, value: float = 0.0, **settings) -> tuple[Samples, Counter]:
    game = load(name)
    play = Pipeline(
        game, 2, game.rule_values(), PlaySettings(matches=32, sims=8, **settings), 1,
        lambda leaves, rows: Judge(value, leaves, rows), threads=1,
    )  # fmt: skip
    try:
        return play.run(plies=plies)
    finally:
        play.close()


def test_positions_and_outcomes():
    samples, tally = played(openings=4)
    count = len(samples.features)
    stones = samples.features.reshape(count, 2, 42) == 127
    assert tally["plies"] >= 600
    assert tally["plies"] * 8 * 0.5 < tally["simulations"]
    assert not (stones[:, 0] & stones[:, 1]).any()
    lead = stones[:, 0].sum(axis=1) - stones[:, 1].sum(axis=1)
    assert set(lead.tolist()) <= {0, -1}, "who looks is who moves"
    assert np.allclose(samples.targets.sum(axis=1), 1, atol=1e-5)
    assert (samples.values.sum(axis=1) == 0).all()
    assert {0, 1, -1} >= set(samples.values[:, 0].tolist())
    assert (np.abs(samples.worths) <= 1).all()


@pytest.mark.parametrize(("scattered", "low", "high"), [(0.0, 1.0, 1.0), (1.0, 0.05, 0.45)])
def test_so_many_matches_begin_with_random_plies(scattered, low, high):
    samples, tally = played(openings=4, scattered=scattered, plies=1500)
    from_nothing = int((samples.features == 0).all(axis=1).sum())
    assert low <= from_nothing / tally["matches"] <= high, "none, or none to four of them equally often"


def test_targets_are_on_columns_that_are_not_full():
    samples, _ = played()
    stones = (samples.features.reshape(-1, 2, 7, 6) == 127).any(axis=1)
    rows, places = np.nonzero(samples.targets > 0)
    columns = samples.slots[rows, places]
    assert (columns >= 0).all()
    assert not stones[rows, columns].all(axis=1).any()
    assert (samples.targets >= 0).all()


def test_an_immediate_win_is_what_the_target_says():
    """A tree of 8 simulations proves a win in one as soon as it tries it."""
    samples, _ = played(plies=2000, fast_share=0.0)
    won = samples.worths[:, 0] == 1
    assert won.any()
    assert (samples.targets[won].max(axis=1) == 1).all()
    assert (samples.values[won, 0] == 1).mean() > 0.9


def test_fast_searches_only_move_the_match_on():
    samples, tally = played(fast_sims=2, fast_share=0.75)
    assert 0.15 < samples.weights.mean() < 0.35
    assert tally["simulations"] / tally["plies"] < 0.7 * played()[1]["simulations"] / 600


def test_who_expects_to_lose_gives_up_and_some_matches_show_whether_that_was_right():
    _, tally = played(plies=200, value=0.95, resign=0.2, play_on=0.3)
    assert tally["resigned"] > 0
    assert tally["checked"] > 0
    assert tally["wrong"] > 0, "this judge is often wrong"


@pytest.mark.parametrize("options", [{"keep": False}, {"gumbel": 4}, {"cache": 1 << 10}])
def test_options_of_the_search(options):
    samples, tally = played(**options)
    assert np.allclose(samples.targets.sum(axis=1), 1, atol=1e-5)
    assert (tally["remembered"] > 0) == ("cache" in options)


def test_all_who_act_at_once_search_and_nothing_hidden_is_noted():
    samples, tally = played("goofspiel", plies=300)
    assert tally["matches"] > 10
    assert (samples.targets[samples.weights > 0] * 8 % 1 == 0).all(), "shares of eight visits"
    assert np.allclose(samples.targets.sum(axis=1), 1, atol=1e-5)
    assert (samples.values[:, 2:] == 0).all()


def test_a_gpu_without_memory_gets_fewer_matches(monkeypatch, caplog):
    torch = pytest.importorskip("torch")
    from ludus.learn import _pipeline
    from ludus.nets import cuda, play

    class Net:
        def __init__(self, spec, precision): ...

        def fill(self, weights, features): ...

    class Full(Judge):
        def __init__(self, net, rows, groups, tensors):
            if rows > room:
                raise torch.cuda.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(cuda, "CudaNet", Net)
    monkeypatch.setattr(play, "check_cuda", lambda: None)
    monkeypatch.setattr(_pipeline, "CudaJudge", Full)
    monkeypatch.setattr(_pipeline, "_pinned", lambda torch, tensors: np.zeros)
    monkeypatch.setattr(_pipeline, "MEMORY", 1 << 20)
    game, room = load("connect_four"), 256
    make = lambda: _pipeline.CudaSelfPlay(  # noqa: E731
        game, 2, game.rule_values(), PlaySettings(matches=4096, sims=2), None, {}, 1, 1, groups=4
    )
    assert make().settings.matches == 1024
    assert "going on with 1024" in caplog.text
    room = 64
    with pytest.raises(BadInput, match="no memory for this network"):
        make()


@template
def take_all(control, worker, size, taken):
    """How often each place was taken, and the first of all."""
    first, count = -1, 1
    while count > 0:
        job, place, count = take(control, worker, size, 8)
        first = place if first < 0 else first
        taken[place : place + count] += job
    return first


def test_every_place_is_taken_once_first_by_whose_it_is_then_by_who_is_idle():
    game, taken = load("tic_tac_toe"), np.zeros(100, np.int64)
    control = control_for(3)
    assert game.kernel(take_all)(control, 1, 100, taken) == 0
    assert not taken.any(), "nothing was posted yet"
    game.kernel(post)(control, 7)
    assert game.kernel(take_all)(control, 1, 100, taken) == 33
    assert (taken == 7).all()
