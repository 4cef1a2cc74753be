"""The page of a training draws what its log tells."""

from __future__ import annotations

from ludus.report.training import training_page
from ludus.runs import RunFolder, shipped_runs

MADE = {"method": "m", "game": "g", "version": "1", "settings": {"rate": 0.1}}


def test_the_curve_has_its_interval_and_chance(tmp_path):
    run = RunFolder.begin(tmp_path, MADE)
    for k in range(1, 4):
        run.log({"games": k, "share": 0.1 * k, "low": 0.1 * k - 0.05, "high": 0.1 * k + 0.05, "fresh": 0.2})
    page = training_page(run, {"share": "as seen", "fresh": "in truth", "missing": "never"}, 0.25, "score 30 %")
    assert "Score 30 %." in page
    assert "as seen" in page
    assert "in truth" in page
    assert "never" not in page
    assert page.count('class="s0 band"') == 1
    assert "<td>rate</td><td>0.1</td>" in page


def test_a_training_without_a_row_has_a_page_too(tmp_path):
    assert "nothing to draw" in training_page(RunFolder.begin(tmp_path, MADE), {"share": "x"}, 0.5, "")


def test_logs_from_before_intervals_are_drawn():
    run = next(run for run in shipped_runs() if run.path.name == "gravwell-neat")
    assert "<svg class=chart" in training_page(run, {"share": "the best"}, 0.25, "")
