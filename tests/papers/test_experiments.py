"""Experiments are run once, kept, and run again when what decides them has changed."""

from __future__ import annotations

import pytest

from ludus.errors import BadInput, DiskTrouble
from ludus.papers.experiments import Experiment, Measured, Notebook, measure, side_by_side
from ludus.papers.matches import lineup
from ludus.workers import Threads


def test_a_finished_experiment_is_not_run_again_unless_its_settings_changed(tmp_path):
    ran = []

    def run(watch) -> dict:
        ran.append(1)
        return {"answer": len(ran)}

    notebook = Notebook(tmp_path)
    for settings in ({"seed": 1, "pair": (1, 2)}, {"seed": 1, "pair": (1, 2)}, {"seed": 2, "pair": (1, 2)}):
        results = Measured()
        measure(Experiment("one", settings, 1, run), notebook, results, lambda done: None)
    assert len(ran) == 2
    assert results["one"] == {"answer": 2}


def test_an_agent_that_is_not_there_is_a_reason_and_no_crash(tmp_path):
    results = Measured()
    experiment = lineup("nobody-paper", "gravwell", ["nobody", *["random"] * 3], "paper", 4, 0, Threads(1))
    measure(experiment, Notebook(tmp_path), results, lambda done: None)
    assert "nobody" in results.reasons["nobody-paper"]
    with pytest.raises(BadInput, match="nobody"):
        results["nobody-paper"]


def test_a_damaged_result_is_named_and_kept(tmp_path):
    for content in ("{", "[]", "{}"):
        (tmp_path / "one.json").write_text(content)
        with pytest.raises(DiskTrouble, match=r"one\.json"):
            Notebook(tmp_path).recall(Experiment("one", {}, 1, lambda watch: {}))
        assert (tmp_path / "one.json").read_text() == content


def test_results_come_in_the_order_of_the_items_and_each_is_told_of():
    told = []
    found = side_by_side(lambda k: k * k, range(50), Threads(4), lambda: told.append(1))
    assert found == [k * k for k in range(50)]
    assert len(told) == 50
