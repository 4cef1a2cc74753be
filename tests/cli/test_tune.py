"""`ludus tune` as a person calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PIPS = str(Path(__file__).resolve().parents[1] / "tuning" / "games" / "pips.py")
TARGET = ["--target", "seat_advantage in -9..9"]
SMALL = [*TARGET, "--agent", "random", "--candidates", "9", "--matches", "200", "--fresh", "2000", "--best", "3"]


def test_a_whole_tuning(command_line):
    code, out, _ = command_line("tune", PIPS, "--rule", "handicap=4..12", *SMALL, "--playtests", "0", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["tried"] == 9
    assert told["winner"] == {"handicap": 7}
    assert Path(told["page"]).is_file()
    code, out, _ = command_line("tune", PIPS, "--rule", "handicap=4..12", *SMALL, "--playtests", "0")
    assert code == 0
    assert "handicap=7 meets every target." in out
    assert "the page: tunings/pips-" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rule", "handicap=4..12"], "a tuning needs a target"),
        (["--rule", "handycap=4..12", *TARGET], "no rule is called 'handycap' in pips; did you mean handicap?"),
        (["--rule", "handicap=4..99", *TARGET], "lies in 0..20 by the game itself; 99 is outside"),
        (["--rule", "handicap=4..12", "--target", "fairness > 3"], "no metric is called 'fairness'"),
        (["--rule", "handicap=4..12", *TARGET, "--target", "seat_advantage > 20"], "contradict each other"),
        (["--rule", "handicap=4..12", *TARGET, "--agent", "random", "--fresh", "20"], "can: give --fresh"),
        (["--rule", "handicap=4..12", *TARGET, "--agent", "random", "--on", "moon"], "place to work"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(command_line, arguments, words):
    code, _, err = command_line("tune", PIPS, *arguments)
    assert code == 2
    assert words in err
    assert err.count("\n") == 1
