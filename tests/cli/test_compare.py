"""`ludus compare` as a person and a program meet it."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import pytest

from ludus.playtest.compare import Pairs

RACE = Path(__file__).resolve().parents[1] / "measure" / "games" / "race.py"


@pytest.fixture
def ludus(command_line):
    return partial(command_line, "compare")


def test_help_has_an_example(ludus):
    code, out, _ = ludus("--help")
    assert code == 0
    assert "Example: ludus compare" in " ".join(out.split())
    assert "--json" in out


def test_it_says_what_changes_and_writes_a_page(ludus, tmp_path):
    code, out, err = ludus(str(RACE), "--b", "fields=8", "--agent", "random", "--games", "80", "--out", "here")
    assert (code, err) == (0, "")
    assert "B shortens the game by " in out
    assert out.index("shortens") < out.index("quantity")
    assert "with fields = 8" in out
    assert "not sure yet" in out
    assert "All 9 intervals" in out
    assert (tmp_path / "here" / "compare.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads((tmp_path / "here" / "compare.json").read_text())["b"]["rules"] == {"fields": 8}


def test_json_is_the_same_again(ludus, tmp_path):
    arguments = (str(RACE), "--a", "fields=10", "--b-preset", "default", "--agent", "random", "--games", "60", "--json")
    code, out, _ = ludus(*arguments, "--players", "3", "--seed", "4")
    answer = json.loads(out)
    assert code == 0
    assert (answer["players"], answer["seed"], answer["confidence"]) == (3, 4, 0.95)
    assert (answer["a"]["rules"], answer["b"]["rules"]) == ({"fields": 10}, {"fields": 20})
    turns = next(row for row in answer["levels"][0]["quantities"] if row["key"] == "turns")
    assert (turns["verdict"], turns["difference"]["n"]) == ("changed", 60)
    assert Path(answer["page"]).parent.parent == Path("compared")
    assert ludus(*arguments, "--players", "3", "--seed", "4")[1] == out


def test_two_files_are_two_versions(ludus):
    old, new = (str(RACE.with_name(name)) for name in ("nim.py", "coin_flip.py"))
    code, out, _ = ludus(old, new, "--agent", "random", "--games", "100")
    assert code == 0
    assert f"A: {old}\nB: {new}" in out
    assert "B shortens the game by " in out
    code, _, err = ludus(old, old)
    assert code == 2
    assert "A and B are the same rules" in err


def test_what_matters_is_for_the_reader_to_say(ludus):
    arguments = (str(RACE), "--b", "fields=21", "--agent", "random", "--games", "400", "--json")
    strict = json.loads(ludus(*arguments)[1])["levels"][0]
    sizes = ("turns=8", "seat=30", "draws=9", "limits=9")
    coarse = json.loads(ludus(*arguments, *(part for size in sizes for part in ("--matters", size)), "--out", "b")[1])
    assert coarse["levels"][0]["pairs"] < strict["pairs"] == 400
    assert coarse["levels"][0]["settled"]


def test_stopped_by_hand_it_tells_what_it_knows(ludus, monkeypatch):
    play, calls = Pairs._play, []

    def tired(self, *arguments) -> None:
        calls.append(arguments)
        if len(calls) > 4:
            raise KeyboardInterrupt
        play(self, *arguments)

    monkeypatch.setattr(Pairs, "_play", tired)
    monkeypatch.setattr("ludus.cli.stop", lambda: sys.exit(130))  # which would end the tests, too
    code, out, _ = ludus(str(RACE), "--b", "fields=8", "--agent", "random", "--json")
    assert code == 0
    assert json.loads(out)["levels"][0]["pairs"] == 12
    assert ludus(str(RACE), "--b", "fields=9", "--agent", "random")[0] == 130  # nothing was played yet


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("conect_four", "--b", "rows=5"), "did you mean connect_four"),
        (("connect_four",), "A and B are the same rules (connect_four)"),
        (("connect_four", "--b", "rws=5"), "did you mean rows"),
        (("connect_four", "--b", "rows"), "NAME=VALUE"),
        (("connect_four", "--b", "rows=7"), "must lie in 1 … 6"),
        (("connect_four", "--b-preset", "tall"), "no preset"),
        (("connect_four", "--b", "rows=5", "--agent", "mtcs"), "did you mean mcts"),
        (("connect_four", "--b", "rows=5", "--agent", "random", "--agent", "random"), "each only once"),
        (("connect_four", "--b", "rows=5", "--players", "3"), "is for 2 players, not 3"),
        (("goofspiel", "--b", "cards=5", "--agent", "alphabeta"), "alphabeta cannot play goofspiel"),
        (("connect_four", "--b", "rows=5", "--matters", "length=3"), "no quantity is called 'length'"),
        (("connect_four", "--b", "rows=5", "--matters", "turns=few"), "is a number, not 'few'"),
        (("connect_four", "--b", "rows=5", "--matters", "turns=-1"), "is above 0"),
        (("connect_four", "nowhere.py"), "no file nowhere.py"),
        (("connect_four", "broken.py"), "broken.py: line 2"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(ludus, tmp_path, arguments, sentence):
    (tmp_path / "broken.py").write_text("FACTS = 1\nState = nothing\n")
    code, out, err = ludus(*arguments)
    assert code == 2
    assert sentence in err
    assert err.startswith("ludus: ")
    assert len(err.strip().splitlines()) == 1
    assert out == ""


def test_a_folder_holds_one_comparison_and_the_next_lies_beside_it(ludus, tmp_path):
    arguments = (str(RACE), "--agent", "random", "--games", "50", "--out", "here")
    assert ludus(*arguments, "--b", "fields=8")[0] == 0
    code, out, _ = ludus(*arguments, "--b", "fields=9")
    assert code == 0
    assert "here holds another fields of B (8, now 9): a new series begins in here-2" in out
    assert (tmp_path / "here" / "compare.html").exists()
    assert (tmp_path / "here-2" / "compare.html").exists()
    code, _, err = ludus(*arguments[:-1], "here/compare.html", "--b", "fields=9")
    assert code == 2
    assert "is a file; name a folder" in err
