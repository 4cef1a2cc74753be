"""Deep Q-learning: its targets, what it learns, what it refuses, and that a killed training goes on."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from ludus import agent, load
from ludus.errors import BadInput, Mismatch
from ludus.game import Game
from ludus.learn import dqn
from ludus.learn._decisions import Batch, Decisions
from ludus.learn._practice import Practice
from ludus.learn._worths import WorthTeacher
from ludus.nets.spec import net_spec
from ludus.runs import RunFolder, begin_run
from ludus.workers import Threads

TINY = dqn.Settings(
    rounds=2, decisions=120, channels=8, blocks=1, matches=16, batch=16, games=4, ruler="random", steps=2
)


def run_dqn(name: str, folder: Path, rows: int | None = None, settings: dqn.Settings = TINY) -> RunFolder:
    game = load(name)
    values = game.rule_values()
    run = begin_run(folder, "dqn", game, values, settings, seed=1)
    for done, _ in enumerate(dqn.train(game, values, settings, run, 1, Threads(1)), 1):
        if done == rows:
            break
    return run


def teacher(game: Game) -> WorthTeacher:
    return WorthTeacher(net_spec(*game.shapes(2), 2, 8, 1, hidden=8), rate=0.01, seed=1)


def some_batch(game: Game, rewards: np.ndarray, places: np.ndarray, goes_on: bool = False) -> Batch:
    count, longest = len(rewards), game.facts.max_actions
    slots = np.full((count, longest), -1, np.int16)
    slots[:, :3] = 0, 4, 6
    features = np.zeros((count, game.shapes(2)[0].length), np.int8)
    return Batch(
        np.arange(count), np.ones(count, np.float32), features, slots, places, rewards.astype(np.float32),
        np.full(count, 0.5 * goes_on, np.float32), features, slots,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------ worths


def test_it_learns_what_each_action_of_a_menu_is_worth():
    game = load("connect_four")
    one, rng, known = teacher(game), np.random.default_rng(1), np.array([-0.5, 0.0, 0.8])
    one.keep = 0.9  # the copy that judges follows at once
    places = [rng.integers(3, size=32) for _ in range(150)]
    for _ in one.teach((some_batch(game, known[place], place) for place in places), 0.0):
        pass
    batch = some_batch(game, np.zeros(1), np.zeros(1, np.int64))
    found = one.judge(batch.features, batch.slots)[0]
    assert found[:3] == pytest.approx(known, abs=0.15)
    assert (found[3:] < -1e6).all(), "what is not on the menu does not exist"


def test_the_network_names_the_next_action_and_its_smoothed_copy_says_what_it_is_worth():
    game = load("connect_four")
    one = teacher(game)
    with torch.no_grad():
        one.network.extra_bias[[0, 4, 6]] = torch.tensor([0.0, 0.0, 3.0])  # the last is best
        one.smooth.extra_bias[[0, 4, 6]] = torch.tensor([9.0, -4.0, 1.0])  # and worth -1 beside the mean of 2
    batch = some_batch(game, np.zeros(1), np.zeros(1, np.int64), goes_on=True)
    features, slots = (one.taken(part) for part in (batch.features, batch.slots.astype(np.int64)))
    assert one._best(features, slots).item() == pytest.approx(-1.0, abs=1e-5)


# ------------------------------------------------------------------------------------------------ practice


def test_matches_go_on_in_lock_step_and_their_returns_arrive():
    game = load("tic_tac_toe")
    memory = Decisions(game, game.shapes(2)[0].length, 4096, 32, 3, 1.0)
    practice = Practice(game, 2, game.rule_values(), 32, [None], memory, seed=1)
    tally: Counter[str] = Counter()
    for _ in range(40):
        practice.move(lambda features, slots: np.zeros(slots.shape, np.float32), tally)
    assert tally["matches"] > 100
    assert tally["decisions"] == memory.made == 40 * 32
    last = memory.ring.following == -1
    assert set(np.unique(memory.ring.rewards[last])) <= {-1.0, 0.0, 1.0}
    assert (memory.ring.rewards[last] > 0).sum() > 50


def test_against_an_agent_only_the_learners_decisions_are_kept_and_it_has_each_seat():
    game = load("tic_tac_toe")
    memory = Decisions(game, game.shapes(2)[0].length, 4096, 32, 3, 1.0)
    practice = Practice(game, 2, game.rule_values(), 32, [agent("greedy:samples=1", game)], memory, seed=1)
    assert practice.learns.sum(axis=0).tolist() == [16, 16]
    for _ in range(20):
        practice.move(lambda features, slots: np.zeros(slots.shape, np.float32), Counter())
    assert memory.made < 20 * 32
    assert (practice.learns.sum(axis=1) == 1).all()


def test_of_several_rivals_each_has_its_part_of_the_matches():
    game = load("tic_tac_toe")
    memory = Decisions(game, game.shapes(2)[0].length, 4096, 32, 3, 1.0)
    practice = Practice(game, 2, game.rule_values(), 32, [None, agent("greedy", game)], memory, seed=1)
    for _ in range(9):
        assert practice.learns[0::2].all(), "it plays itself"
        assert (practice.learns[1::2].sum(axis=1) == 1).all(), "it plays an agent"
        practice.move(lambda features, slots: np.zeros(slots.shape, np.float32), Counter())
    assert practice.learns[1::2, 0].any()
    assert practice.learns[1::2, 1].any()


# ------------------------------------------------------------------------------------------------ trainings


@pytest.mark.parametrize(("name", "settings"), [
    ("tic_tac_toe", TINY), ("kuhn_poker", TINY), ("tic_tac_toe", replace(TINY, against="self|random")),
])  # fmt: skip
def test_a_killed_training_goes_on(tmp_path, name, settings):
    run_dqn(name, tmp_path / "run", 1, settings)
    run = run_dqn(name, tmp_path / "run", None, settings)
    rows = run.rows()
    assert len(rows) == 2
    assert int(rows[1]["decisions"]) > int(rows[0]["decisions"]) >= 120
    assert 0 <= float(rows[1]["low"]) <= float(rows[1]["random"]) <= float(rows[1]["high"]) <= 1
    player = agent(f"dqn:{run.path}", load(name))
    assert run.read("weights.onnx")
    assert player.repeatable


def test_it_refuses_players_who_act_at_once(tmp_path):
    with pytest.raises(Mismatch, match="goofspiel players act at once"):
        run_dqn("goofspiel", tmp_path / "run")


def test_it_says_what_it_assumes_of_secrets():
    assert "taken for all there is to know" in dqn.ADVICE(load("kuhn_poker"))
    assert "secrets" not in dqn.ADVICE(load("tic_tac_toe"))


def test_runs_of_others_and_words_that_mean_nothing_are_refused(tmp_path):
    run = run_dqn("tic_tac_toe", tmp_path / "run", 1)
    with pytest.raises(Mismatch, match="trained for tic_tac_toe version 1, this is connect_four"):
        agent(f"dqn:{run.path}", "connect_four")
    with pytest.raises(Mismatch, match="trained by alphazero, not by dqn"):
        agent("dqn:tic_tac_toe", "tic_tac_toe")
    with pytest.raises(BadInput, match="network is best or latest"):
        agent(f"dqn:{run.path},network=first", "tic_tac_toe")
    with pytest.raises(BadInput, match="dqn needs a run"):
        agent("dqn", "tic_tac_toe")
