"""Self-play as in the Organism paper, at a small size: what is learnt from, the gate, and going on after a kill."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ludus import load
from ludus.agents.organism._search import Limits, Search
from ludus.errors import BadInput
from ludus.learn.organism._games import Played, Room, count
from ludus.learn.organism._lessons import Network, teach
from ludus.learn.organism.hexaconv import Settings, train
from ludus.nets.hexaconv import PLANES, CpuValues
from ludus.rng import match_words
from ludus.runs import begin_run
from ludus.workers import Threads

ORGANISM = load("organism")
SMALL = Settings(iterations=2, games=4, gate=2, sims=4, width=4, epochs=1)


def run_training(folder, settings=SMALL, rows=None):
    values = ORGANISM.rule_values("PE", {})
    run = begin_run(folder, "organism/hexaconv", ORGANISM, values, settings, 1)
    found = []
    for row in train(ORGANISM, values, settings, run, 1, Threads(1)):
        found.append({name: value for name, value in row.items() if name not in ("playing", "learning", "trying")})
        if len(found) == rows:
            break
    return found, run


def test_a_killed_training_goes_on_as_if_nothing_had_been(tmp_path):
    whole, run = run_training(tmp_path / "whole")
    first, _ = run_training(tmp_path / "parts", rows=1)
    second, parts = run_training(tmp_path / "parts")
    assert whole == [*first, *second]
    assert [row["iteration"] for row in parts.rows()] == ["1", "2"]
    assert run.read("weights.onnx") == parts.read("weights.onnx")


def test_the_network_that_wins_plays_on(tmp_path):
    settings = Settings(**{**vars(SMALL), "iterations": 1, "needed": 0.0})
    (row,), run = run_training(tmp_path / "run", settings)
    assert row["accepted"] == int(row["decided"] > 0)
    if row["accepted"]:
        assert run.read("iteration-1.onnx") == run.read("weights.onnx")


def test_torch_and_onnxruntime_agree():
    torch.manual_seed(0)
    network, rng = Network(5, 8), np.random.default_rng(0)
    planes = rng.integers(0, 4, (256, PLANES * 25)).astype(np.int8)
    teach(network, planes, rng.choice([-1, 1], 256), np.arange(25)[None], 1, 0)
    with torch.no_grad():
        ours = network(torch.as_tensor(planes).float().view(-1, PLANES, 5, 5)).numpy()
    assert np.abs(ours - CpuValues(network.arrays())(planes)).max() < 1e-5


def test_a_network_learns_what_it_is_taught():
    torch.manual_seed(0)
    network, rng = Network(5, 8), np.random.default_rng(0)
    planes = rng.integers(0, 2, (300, PLANES * 25)).astype(np.int8)
    wins = np.where(planes[:, 12] > 0, 1, -1)
    errors = [teach(network, planes, wins, np.arange(25)[None], 10, k) for k in range(3)]
    assert errors[-1] < 0.7 * errors[0]


def test_the_published_network_has_eight_million_numbers():
    assert round(sum(part.numel() for part in Network(5, 512).parameters()) / 1e6, 2) == 8.19


def test_what_is_counted():
    start = ORGANISM.start(np.zeros((1, 3), np.uint64), 2)[0]
    end = start.copy()
    end["winner"], end["ending"], end["mover"], end["piece"][0] = 2, 1, 0, 6
    counts = count([Played([start, end])])
    assert (counts.matches, counts.first_wins, counts.suicides, counts.centre) == (1, 0, 1, 1)


def test_matches_that_nobody_wins_begin_anew_a_few_times_and_no_more():
    """Values that see nothing but food in the way never attack."""
    start = ORGANISM.start(np.zeros((1, 3), np.uint64), 2, ORGANISM.rule_values("PE", {"turn_limit": 10}))
    search = Search(ORGANISM, 3, 3, lambda planes: -np.abs(planes).sum(1, dtype=np.float32) / 99, Limits(4, 1.0, 0.1))
    room = Room(ORGANISM, start, [search], np.zeros((3, 2), np.int64), drawn=0)
    matches = room.play(match_words(1, np.arange(3), 0, 2)[:, 1:2].copy(), again=2)
    assert count(matches).cut_off == len(matches) == 3
    assert [len(match.states) for match in matches] == [11] * 3, "the last try is what stays"


def test_bad_input(tmp_path):
    with pytest.raises(BadInput, match="reading is published or program"):
        run_training(tmp_path / "run", Settings(reading="mine"))
