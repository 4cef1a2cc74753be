"""`ludus playtest` as a person and a program meet it."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path

import pytest

GAMES = Path(__file__).resolve().parents[1] / "measure" / "games"


@pytest.fixture
def ludus(command_line):
    return partial(command_line, "playtest")


def test_a_verdict_and_a_page_and_its_table(ludus, command_line, tmp_path):
    code, out, err = ludus("tic_tac_toe", "--quick", "--games", "40", "--jobs", "2", "--out", "here")
    assert (code, err) == (0, "")
    assert "verdict" in out
    assert "Draws" in out
    assert "the report: here/report.html" in out
    assert (tmp_path / "here" / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    code, out, _ = ludus("tic_tac_toe", "--quick", "--games", "40", "--out", "here", "--json")
    told = json.loads(out)
    kept = json.loads((tmp_path / "here" / "report.json").read_text(encoding="utf-8"))
    assert told["page"] == "here/report.html"
    assert told["summary"] == kept["summary"]
    out = command_line("export", "here", "--to", "csv")[1]
    assert [row["text"] for row in csv.DictReader(io.StringIO(out))] == [one["text"] for one in kept["readings"]]
    assert json.loads(command_line("export", "here", "--to", "jsonl")[1].splitlines()[0]) == kept["readings"][0]
    parquet = pytest.importorskip("pyarrow.parquet")
    assert command_line("export", "here", "--to", "parquet", "--out", "here.parquet")[0] == 0
    assert parquet.read_table("here.parquet").to_pylist() == kept["readings"]


def test_a_game_of_pure_chance_is_seen_through(ludus):
    code, out, _ = ludus(str(GAMES / "coin_flip.py"), "--quick", "--games", "100")
    words = " ".join(out.split())
    assert code == 0
    assert "Thinking more hardly pays" in words
    assert "Chance decides 100.0 %" in words
    assert "playtests/coin_flip-2p-quick-0/report.html" in words


def test_rules_have_folders_of_their_own(ludus, tmp_path):
    for arguments in ([], ["--preset", "fair"], ["--rule", "first=60"]):
        assert ludus(str(GAMES / "tilted.py"), "--quick", "--games", "8", *arguments)[0] == 0
    assert sorted(path.name for path in (tmp_path / "playtests").iterdir()) == [
        "tilted-2p-fair-quick-0",
        "tilted-2p-first-60-quick-0",
        "tilted-2p-quick-0",
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no_such_game"], "no game is called 'no_such_game'"),
        (["tic_tac_toe", "--quick", "--hours", "1"], "either --quick or --hours, not both"),
        (["tic_tac_toe", "--precision", "5"], "half-width between"),
        (["tic_tac_toe", "--hours", "nan"], "--hours takes a number from 0 up, not nan"),
        (["tic_tac_toe", "--hours", "-3"], "--hours takes a number from 0 up, not -3"),
        (["tic_tac_toe", "--precision", "nan"], "--precision takes a number from 0 up, not nan"),
        (["tic_tac_toe", "--hours", "1e9"], "0.01 to 10,000 hours, not 1e+09"),
        (["tic_tac_toe", "--out", "taken"], "taken is a file; name a folder"),
        (["tic_tac_toe", "--players", "3"], "tic_tac_toe is for 2 players, not 3"),
        (["tic_tac_toe", "--rule", "size=4"], "size"),
        (["tic_tac_toe", "--agent", "genius"], "no agent is called 'genius'"),
        (["kuhn_poker", "--agent", "alphabeta"], "alphabeta cannot play kuhn_poker"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(ludus, tmp_path, arguments, sentence):
    (tmp_path / "taken").write_text("mine")
    code, _, err = ludus(*arguments)
    assert code == 2
    assert sentence in err
    assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "playtests").exists()
