"""The page of a tuning."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.catalogue import load
from ludus.report.tuning import write
from ludus.tuning.tune import tune

PIPS = str(Path(__file__).resolve().parents[1] / "tuning" / "games" / "pips.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tuning")
    targets = ["seat_advantage in -9..9", "duration in 5..9", "minimise:tree_size"]
    settings = {"agents": ["random"], "candidates": 8, "matches": 60, "fresh": 600, "best": 2}
    write(tune(PIPS, {"handicap": "4..12"}, targets, out=folder, **settings))
    return folder


def test_all_that_was_promised_is_on_the_page(folder):
    page = (folder / "tune.html").read_text()
    for words in (
        "rule sets were tried", "Today", "Verdict lights", "What pulls against what", "handicap +1",
        "ludus serve --game", "tuned&#x27;: {&#x27;handicap&#x27;:", "compare/compare.html", "ludus playtest",
        "hold for all 2\nrule sets together", "circle class",
    ):  # fmt: skip
        assert words in page
    assert (folder / "compare" / "compare.html").is_file()
    assert (folder / "tune.json").is_file()


def test_what_was_found_is_a_game_of_its_own(folder):
    game = load(str(folder / "tuned.py"))
    assert game.rule_values()["handicap"] in range(4, 13)
    assert game.rule_values("original")["handicap"] == 0
