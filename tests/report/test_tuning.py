"""The page of a tuning."""

from __future__ import annotations

import html
import re
from dataclasses import replace
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


def pasted(page: str, folder: Path, text: str) -> Path:
    """The game's file with the preset of the page in it."""
    line = html.unescape(re.search(r"<pre>(    &#x27;tuned.*?)</pre>", page)[1])
    path = folder / "pasted.py"
    path.write_text(f"{text}\nPRESETS = {{\n{line}\n}}\n")
    return path


def test_the_preset_can_be_pasted(folder, tmp_path):
    game = load(str(pasted((folder / "tune.html").read_text(), tmp_path, Path(PIPS).read_text())))
    assert game.rule_values("tuned") == load(str(folder / "tuned.py")).rule_values()


def test_handicaps_are_no_part_of_the_preset(tmp_path):
    settings = {"agents": ["random"], "candidates": 4, "matches": 40, "fresh": 400, "best": 1, "lights": False}
    rules = {"rows": "3..4", "columns": "4", "pie": "off|on"}
    found = tune("connect_four", rules, ["seat_advantage in -30..30"], out=tmp_path, **settings)
    best = replace(found.best[0], values={"rows": 3, "pie": "on"})
    page = write(replace(found, best=[best], winners=[])).read_text()
    assert "tuned&#x27;: {&#x27;rows&#x27;: 3, &#x27;columns&#x27;: 4}" in page
    assert "ludus play connect_four+handicaps --preset tuned --rule pie=on" in page


def test_the_whole_command_is_on_the_page(folder):
    page = html.unescape((folder / "tune.html").read_text())
    assert "--rule handicap=4..12 --target 'seat_advantage in -9..9'" in page
    assert "--agent random --candidates 8 --matches 60 --fresh 600 --best 2 --players 2 --seed 0" in page


def test_what_was_found_is_a_game_of_its_own(folder):
    game = load(str(folder / "tuned.py"))
    assert game.rule_values()["handicap"] in range(4, 13)
    assert game.rule_values("original")["handicap"] == 0
