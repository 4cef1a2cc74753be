"""Self-play, the window of positions, teaching and judging; and a training that is killed and goes on."""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from ludus import load
from ludus.arena.contest import contest
from ludus.arena.statistics import Interval
from ludus.errors import BadInput, LudusError
from ludus.learn import alphazero
from ludus.learn._plan import advice, make_plan, rule_sets
from ludus.learn._replay import Replay
from ludus.learn._rulers import SHARES, Judgement, Standing, elo, shares_of
from ludus.learn._selfplay import PlaySettings, Samples, SelfPlay, look_back
from ludus.learn._teaching import Teacher
from ludus.learn._travelling import PACKET
from ludus.nets.export import from_onnx
from ludus.nets.play import next_wave
from ludus.nets.spec import net_spec
from ludus.nets.variants import Variant
from ludus.runs import RunFolder, begin_run
from ludus.workers import Threads, Workers

TINY = alphazero.Settings(
    rounds=2, positions=60, channels=8, blocks=1, sims=6, matches=8, batch=16, ruler="mcts:sims=5", window=500
)


class Uniform:
    """Judges all actions alike, and nobody better off."""

    def evaluate(self, leaves) -> None:
        leaves.priors[:] = 1 / leaves.counts[:, None]
        leaves.values[:] = 0

    def search(self, forest, most=0) -> int:
        return next_wave(self, forest)


def play(name: str, players: int = 2, plies: int = 60, **settings) -> tuple[Samples, Counter, SelfPlay]:
    game = load(name)
    wanted = PlaySettings(**{"matches": 8, "sims": 12, "noise": 0.25, **settings})
    table = SelfPlay(game, players, game.params.values({}), wanted, Uniform(), seed=1)
    return *table.run(plies=plies), table


# ------------------------------------------------------------------------------------------------ self-play


@pytest.mark.parametrize(("name", "players"), [("tic_tac_toe", 2), ("kuhn_poker", 2), ("goofspiel", 3)])
def test_samples_of_every_kind_of_game(name, players):
    samples, tally, _ = play(name, players)
    assert tally["matches"] > 0
    assert len({len(part) for part in samples}) == 1
    assert np.allclose(samples.targets.sum(axis=1), 1, atol=1e-5)
    assert ((samples.targets > 0) <= (samples.slots >= 0)).all(), "what is aimed at has a slot"
    assert np.allclose(samples.values[:, :players].sum(axis=1), 0, atol=1e-5), "somebody's win is somebody's loss"
    assert (samples.weights == 1).all()


def test_values_are_the_viewers_first():
    """Who has found a win plays it."""
    samples, _, _ = play("tic_tac_toe", plies=200)
    has_won = samples.worths[:, 0] == 1
    assert has_won.any()
    assert (samples.values[has_won, 0] == 1).mean() > 0.9
    assert (samples.values[has_won, 1] == -1).mean() > 0.9


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (1.0, [[0.5, -0.4], [-0.4, 0.3], [0.3, -1.0]]),
        (0.5, [[0.575, -0.7], [-0.7, 0.65], [0.65, -1.0]]),
        (0.0, [[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]]),
    ],
)
def test_a_search_is_taken_to_have_expected_some_of_what_came_later(share, expected):
    """Player 0 wins; it expected 0.5 and 0.3, player 1 -0.4 between. By hand, from the end."""
    out = np.zeros((3, 2), np.float32)
    kernel = load("tic_tac_toe").kernel(look_back)
    viewers, worths = np.array([0, 1, 0]), np.array([0.5, -0.4, 0.3], np.float32)
    kernel(np.zeros(3, np.int64), viewers, worths, share, 2, np.array([[1.0, -1.0]]), out)
    assert np.allclose(out, expected)


def test_a_piece_of_work_in_which_no_match_ends_gives_no_samples(tmp_path):
    samples, tally, table = play("connect_four", plies=0)
    assert (len(samples.features), tally["matches"]) == (0, 0)
    replay = Replay(10)
    replay.add(samples)
    replay.save(RunFolder(tmp_path), 1)
    again, tally = table.run(plies=40)
    assert len(again.features) > 0
    assert tally["matches"] > 0


def test_fast_searches_teach_no_policy_and_random_openings_nothing():
    samples, tally, _ = play("connect_four", plies=150, fast_share=0.5, fast_sims=2, openings=6)
    assert 0.2 < samples.weights.mean() < 0.8
    assert len(samples.features) < tally["plies"]


def test_symmetries_are_drawn():
    """The first position of tic-tac-toe has one target up to symmetry; without noise all samples of it are that."""
    samples, _, _ = play("tic_tac_toe", plies=100, noise=0.0, matches=24)
    empty = (samples.features == 0).all(axis=1)
    assert len(samples.features) > 20
    assert empty.any()
    assert (np.sort(samples.slots[empty], axis=1) == np.arange(9)).all()
    assert len({tuple(row) for row in samples.slots[empty].tolist()}) > 1, "turned in several ways"


def test_those_who_give_up_lose_and_some_play_on_to_see_whether_they_were_right():
    _, none, _ = play("tic_tac_toe", plies=400)
    _, some, _ = play("tic_tac_toe", plies=400, sims=60, resign=0.05, play_on=0.5)
    assert (none["resigned"], none["checked"]) == (0, 0)
    assert some["resigned"] + some["checked"] > 0
    assert some["wrong"] <= some["checked"]
    assert some["matches"] > some["resigned"]


# ------------------------------------------------------------------------------------------------ positions


def some_samples(count: int, first: int = 0) -> Samples:
    numbers = np.arange(first, first + count)
    return Samples(
        np.zeros((count, 18), np.int8), np.tile(np.arange(9, dtype=np.int16), (count, 1)),
        np.full((count, 9), 1 / 9, np.float32), np.zeros((count, 2), np.float32),
        np.stack([numbers, numbers], axis=1).astype(np.float32), np.ones(count, np.float32),
    )  # fmt: skip


def seen(replay: Replay, window: int = 1000) -> set[int]:
    rng = np.random.default_rng(0)
    return {int(worth) for batch in replay.batches(20, 50, window, rng) for worth in batch.worths[:, 0]}


def test_the_newest_positions_stay(tmp_path):
    run, replay = RunFolder(tmp_path), Replay(30)
    for k in range(5):
        replay.add(some_samples(10, 10 * k))
        replay.save(run, k + 1)
    assert seen(replay) == set(range(20, 50))
    assert seen(replay, window=10) == set(range(40, 50))
    assert len(list(tmp_path.glob("positions/*"))) == 3, "what lies behind the window is gone"
    again = Replay(30)
    again.load(run, rounds=4)
    assert seen(again) == set(range(20, 40))
    assert len(list(tmp_path.glob("positions/*"))) == 2, "what came after the checkpoint will be made again"


# ------------------------------------------------------------------------------------------------ teaching


def lesson_samples(count: int = 64) -> Samples:
    """The player with the stone in cell 0 wins, and its best action has that number of stones."""
    rng = np.random.default_rng(0)
    features = np.where(rng.random((count, 18)) < 0.3, 127, 0).astype(np.int8)
    wins = np.where(features[:, 0] > 0, 1.0, -1.0).astype(np.float32)
    targets = np.zeros((count, 9), np.float32)
    targets[np.arange(count), np.where(wins > 0, 2, 5)] = 1
    slots = np.tile(np.arange(9, dtype=np.int16), (count, 1))
    values = np.stack([wins, -wins], axis=1)
    return Samples(features, slots, targets, values, values, np.ones(count, np.float32))


DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def make_teacher(device: str = "cpu") -> Teacher:
    game = load("tic_tac_toe")
    return Teacher(
        [Variant(net_spec(*game.shapes(2), 2, 8, 1, hidden=8))], 2, rate=0.01, trust=0.5, seed=1, device=device
    )


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_taught_is_learnt_and_what_plays_has_learnt_it(device):
    teacher, samples = make_teacher(device), lesson_samples()
    first = teacher.teach([[samples] * 3], 0.0)
    teacher.teach([[samples] * 120], 0.5)
    last = teacher.teach([[samples] * 3], 0.9)
    assert last.policy < 0.3 * first.policy
    assert last.value < 0.3 * first.value
    smooth = teacher.smooth.eval().cpu()
    logits, values = smooth(torch.as_tensor(samples.features).float() / 127)
    assert (logits.argmax(1).numpy() == samples.targets.argmax(axis=1)).mean() > 0.8
    assert (np.sign(values[:, 0].detach().numpy()) == samples.values[:, 0]).mean() > 0.8


def test_policies_of_fast_searches_are_not_learnt():
    teacher = make_teacher()
    silent = lesson_samples()._replace(weights=np.zeros(64, np.float32))
    lesson = teacher.teach([[silent] * 5], 0.0)
    assert lesson.policy == 0
    assert torch.count_nonzero(teacher.network.cells_weight) == 0, "as at the beginning"


# ------------------------------------------------------------------------------------------------ judging, planning


def test_where_players_mix_a_lesson_is_what_a_search_adds():
    teacher = make_teacher()
    teacher.mix = 1.0
    logs = torch.log(torch.tensor([[0.7, 0.2, 0.1, 1e-30]])).masked_fill(
        torch.tensor([[False, False, False, True]]), -1e9
    )
    even, better = torch.tensor([[1 / 3, 1 / 3, 1 / 3, 0]]), torch.tensor([[0.2, 0.6, 0.2, 0]])
    first, last = (teacher._mixed(logs, even, progress)[0] for progress in (0.0, 1.0))
    assert first[0] < last[0] < 0.7, "nothing is better: a little more even, and ever less so"
    wanted = teacher._mixed(logs, better, 1.0)[0]
    assert wanted[1] / wanted[0] > 2 * 0.2 / 0.7
    assert wanted[3] == 0


@pytest.mark.parametrize(
    ("rounds", "share", "why"),
    [
        (((0.2, 0.3, 0.1), (0.3, 0.4, 0.1), (0.9, 0.35, 0.1)), 0.0, "the newest rounds count for most"),
        (((0.2, 0.3, 0.1), (0.3, 0.4, 0.1)), 0.5, "it did better"),
        (((0.5, 0.52, 0.5), (0.5, 0.5, 0.53)), 0.0, "hardly better is not worth the time"),
    ],
)
def test_the_share_of_playouts_is_the_one_that_scored_most(rounds, share, why):
    standing = Standing(playouts=0.5)
    for scores in rounds:
        one = Interval(0.5, 0.4, 0.6, 10)
        standing.add(Judgement(one, one, None, one, True, 0.5, dict(zip(SHARES, scores))), 1.0, 1)
    assert standing.playouts == share, why
    assert standing.rounds == len(rounds)


@pytest.mark.parametrize(
    ("name", "mix", "count", "first"),
    [
        ("connect_four", 0.0, 3, 0.0),
        ("goofspiel", 0.0, 3, 0.5),
        ("kuhn_poker", 1.0, 1, 0.0),
        ("kuhn_poker", 0.0, 3, 0.5),
    ],
)
def test_playouts_are_tried_but_where_players_mix(name, mix, count, first):
    shares, begins = shares_of(load(name), 2, mix)
    assert (len(shares), begins) == (count, first)


def test_elo_is_of_the_point_that_equals_would_share():
    assert elo(0.5, 2) == 0
    assert elo(1 / 3, 3) == pytest.approx(0)
    assert elo(10 / 11, 2) == pytest.approx(400)
    assert 1000 < elo(1.0, 2) < 1300


@pytest.mark.parametrize(
    ("name", "network", "size"),
    [("connect_four", "cells", (32, 4)), ("tic_tac_toe", "cells", (32, 2)), ("goofspiel", "cells", (256, 0)),
     ("connect_four", "", (256, 0))],
)  # fmt: skip
def test_sizes_follow_the_game_and_settings_go_before(name, network, size):
    game = load(name)
    plan = make_plan(game, 2, [game.params.values({})], alphazero.Settings(network=network), workers=2)
    assert (plan.net.channels, plan.net.blocks) == size
    assert (plan.net.kind == "none") == (not network or name == "goofspiel")
    assert plan.play.sims == plan.sims(1.0) > plan.sims(0.0)
    wanted = alphazero.Settings(channels=12, blocks=0, sims=40)
    plan = make_plan(game, 2, [game.params.values({})], wanted, workers=2)
    assert (plan.net.channels, plan.net.blocks, plan.play.sims) == (12, 0, 40)


def test_a_network_of_no_kind_is_refused():
    for wanted, told in (
        ({"network": "deep"}, "cells or flat, not 'deep'"),
        ({"network": "flat", "any_size": True}, "sees the board"),
    ):
        with pytest.raises(BadInput, match=told):
            make_plan(load("tic_tac_toe"), 2, [{}], alphazero.Settings(**wanted), workers=1)


def test_a_game_by_default_shapes_is_told_what_would_help():
    assert advice(load("connect_four")) == ""
    told = advice(load(str(Path(__file__).parents[1] / "example_games" / "take.py")))
    assert "`observe` with FEATURES" in told
    assert "`policy_slot`" in told


# ------------------------------------------------------------------------------------------------ a training


def begin(folder: Path, settings: alphazero.Settings = TINY) -> tuple:
    game = load("tic_tac_toe")
    run = begin_run(folder, "alphazero", game, {}, settings, 3)
    return game, {}, settings, run, 3, Threads(1)


def test_a_training_that_is_killed_goes_on(tmp_path):
    arguments = begin(tmp_path / "run")
    run = arguments[3]
    first = next(alphazero.train(*arguments))
    assert {"minutes", "score", "low", "high", "random", "elo", "policy", "value"} <= first.keys()
    assert (run.path / "weights.onnx").exists()
    run.log(first | {"matches": 999})  # killed between the log and the checkpoint
    rows = list(alphazero.train(*arguments))
    assert len(rows) == 1
    assert len(run.rows()) == 2
    assert float(run.rows()[1]["positions"]) > float(run.rows()[0]["positions"]) > 0
    assert list(alphazero.train(*arguments)) == [], "a training that is over is over"
    more = begin(tmp_path / "run", replace(TINY, rounds=3))
    assert len(list(alphazero.train(*more))) == 1, "and can be made longer"


class Pickled:
    """Workers who share nothing: work, items and results go through their bytes. The last item is finished first."""

    apart = True

    def __init__(self, count: int):
        self.count = count

    def stream(self, work, items):
        waiting = iter(items)
        while group := [item for _, item in zip(range(self.count), waiting)]:
            for item in reversed(group):
                there, own = pickle.loads(pickle.dumps((work, item)))
                yield pickle.loads(pickle.dumps(there(own)))


def trained_by(folder: Path, workers: Workers) -> tuple[dict, bytes]:
    """The first row of a training whose workers are other processes, and the network that was made."""
    game, values, settings, run, seed, _ = begin(folder, replace(TINY, positions=600, matches=2 * PACKET + 1))
    row = next(alphazero.train(game, values, settings, run, seed, workers))
    told = ("matches", "positions", "plies", "steps", "policy", "value")
    return {name: row[name] for name in told}, run.read("latest.onnx") or b""


def test_workers_that_share_nothing_make_the_same_network_however_many_they_are(tmp_path):
    row, network = trained_by(tmp_path / "one", Pickled(1))
    assert row["positions"] >= 600
    assert row["steps"] > 0
    assert (row, network) == trained_by(tmp_path / "three", Pickled(3))


@pytest.mark.parametrize("resign", [0.0, 0.05])
def test_matches_are_played_out_and_no_others(resign):
    _, _, table = play("tic_tac_toe", plies=0, resign=resign, sims=30, play_on=0.2)
    samples, tally = table.play_out()
    assert tally["matches"] == 8
    assert (tally["resigned"] > 0) == (resign > 0)
    assert 0 < len(samples.features) <= tally["plies"]
    assert not table.searched[0].serials.size, "nothing is left over"


def test_searches_grow_with_the_training_and_the_plan_stays(tmp_path):
    game, values, settings, run, seed, workers = begin(tmp_path / "run", replace(TINY, sims=32))
    training = alphazero.Training(game, values, settings, run, seed, workers)
    seen = []
    for progress in (0.0, 0.05, 0.2, 0.3, 0.9, 1.0):
        training._refill(progress)
        seen.append(training.tables[0][0].settings.sims)
    assert seen == [8, 8, 16, 16, 32, 32]
    assert training.plan.play.sims == 32
    assert all(table.settings is not training.plan.play for table in training.tables[0])


@pytest.mark.parametrize(("judged", "long"), [(0.0, 27.0), (20.0, 72.0)])
def test_rounds_are_longer_where_judging_takes_long(judged, long):
    training = object.__new__(alphazero.Training)
    training.settings, training.standing, training.judged = alphazero.Settings(minutes=10), Standing(), judged
    assert not training._is_round_over(long - 1, 0)
    assert training._is_round_over(long + 1, 0)


def test_who_gave_up_wrongly_too_often_gives_up_later(tmp_path):
    training = alphazero.Training(*begin(tmp_path / "run", replace(TINY, resign=0.9)))
    table = training.tables[0][0]
    for wrong, threshold in ((1, 0.9), (2, 0.95), (2, 0.975)):
        training._mind_resignations(Counter(checked=30, wrong=wrong))
        assert table.settings.resign == pytest.approx(threshold)
    training._mind_resignations(Counter(checked=3, wrong=3))
    assert table.settings.resign == pytest.approx(0.975), "three matches say little"


def test_a_training_for_a_device_that_is_not_there_is_refused(tmp_path, monkeypatch):
    with pytest.raises(BadInput, match="cpu or cuda, not 'tpu'"):
        next(alphazero.train(*begin(tmp_path / "one", replace(TINY, device="tpu"))))
    if not torch.cuda.is_available():
        with pytest.raises(BadInput, match="no CUDA device here; train with --device cpu"):
            next(alphazero.train(*begin(tmp_path / "two", replace(TINY, device="cuda"))))
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(BadInput, match=r"needs torch, which is missing: pip install 'ludus\[learn\]'"):
        next(alphazero.train(*begin(tmp_path / "three")))


# ------------------------------------------------------------------------------------------------ several rules at once


def test_one_network_learns_boards_of_all_sizes_and_goes_on(tmp_path):
    """Organism on three to seven rings; on four tokens win, which the network is told. It then plays all of them."""
    game = load("organism")
    values = game.rule_values("PE", {"turn_limit": 10})
    wanted = replace(TINY, rounds=1, positions=40, sims=2, matches=5, ruler="random",
                     also="rings=4;token_limit=3|rings=5|rings=6|rings=7")  # fmt: skip
    run = begin_run(tmp_path, "alphazero", game, values, wanted, 1)
    assert len(list(alphazero.train(game, values, wanted, run, 1, Threads(1)))) == 1
    spec, _ = from_onnx(run.read("weights.onnx") or b"")
    assert (spec.narrow, spec.rules) == (0, "token_limit")
    assert len(list(tmp_path.glob("positions*/*"))) == 5
    assert len(list(alphazero.train(game, values, replace(wanted, rounds=2), run, 1, Threads(1)))) == 1
    for rings in range(3, 8):
        rules = {"rings": rings, "turn_limit": 10}
        assert not contest("organism", [f"alphazero:{tmp_path},sims=1", "random"], games=2, rules=rules).faults


def test_other_rules_are_written_as_presets_and_changes():
    game = load("organism")
    first = game.rule_values("P")
    found = rule_sets(game, 2, first, "rings=4|P5;turn_limit=80|T")
    assert [rules["rings"] for rules in found] == [3, 4, 5, 4]
    assert (found[1]["token_limit"], found[2]["token_limit"], found[2]["turn_limit"]) == (3, 7, 80)
    for text, words in (("P5;rings", "not 'P5;rings'"), ("P9", "P9"), ("rings=9", "rings"), ("ring=4", "ring"),
                        ("notches=on", "five rings")):  # fmt: skip
        with pytest.raises(LudusError, match=words):
            rule_sets(game, 2, first, text)
