"""Experiments by playing: what decides them, several trainings, a ladder."""

from __future__ import annotations

import pytest

from ludus.papers.matches import LEARNER, Course, codes, ladder, lineup, trainings
from ludus.workers import Threads

WORKERS = Threads(2)


def test_code_behind_an_agent_counts_as_a_setting():
    found = codes("gravwell", ["tree:reading=published", "random", "qlearning:gravwell-paper", "nobody"])
    assert found["tree:reading=published"] != found["random"]
    assert "the run gravwell-paper" in found["qlearning:gravwell-paper"]
    assert found["nobody"] == {}


def test_trainings_are_repeated_and_their_spread_is_told(tmp_path):
    course = Course("tic_tac_toe", "qlearning", {"games": 400})
    experiment = trainings("t", course, [LEARNER, "random"], "default", 20, [1, 2, 3], tmp_path, WORKERS)
    result = experiment.run(lambda done: None)
    one = result["shares"][0]
    assert (result["trainings"], result["games"]) == (3, 60)
    assert one["one_low"] < one["low"] < one["value"] < one["high"] < one["one_high"]
    assert experiment.run(lambda done: None) == result
    longer = Course("tic_tac_toe", "qlearning", {"games": 800})
    trainings("t", longer, [LEARNER, "random"], "default", 20, [1, 2, 3], tmp_path, WORKERS).run(lambda done: None)


def test_a_killed_lineup_goes_on_with_the_matches_it_has(tmp_path):
    experiment = lineup("m", "tic_tac_toe", ["greedy", "random"], "default", 40, 0, Threads(1), tmp_path)

    def killed(done: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        experiment.run(killed)
    path = tmp_path / "matches" / "m.jsonl"
    first = path.read_text()
    assert 0 < len(first.splitlines()) < 40
    result = experiment.run(lambda done: None)
    assert path.read_text().startswith(first)
    assert len(path.read_text().splitlines()) == result["games"] == 40
    alone = lineup("m", "tic_tac_toe", ["greedy", "random"], "default", 40, 0, Threads(1))
    assert result == alone.run(lambda done: None)


def test_a_ladder_rates_everybody_with_intervals():
    agents = {"random": "random", "greedy": "greedy", "reader": "alphabeta:depth=3"}
    experiment = ladder("l", "tic_tac_toe", agents, "default", 20, 0, WORKERS)
    heard: list[int] = []
    result = experiment.run(heard.append)
    assert sum(heard) == experiment.steps == result["games"] == 60
    rows = {row["name"]: row for row in result["rows"]}
    assert rows["random"]["rating"] == 0
    assert rows["reader"]["low"] > 0
    assert result["rows"][0]["rating"] >= result["rows"][-1]["rating"]
