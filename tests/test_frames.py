"""Tables out: what others' tools read is what was played."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest

import ludus
from ludus.arena.schedule import make_schedule
from ludus.arena.sheets import match_text, store_rows
from ludus.arena.tournament import Tournament
from ludus.errors import LudusError
from ludus.frames import frame, packed
from ludus.records import Store, read_records
from ludus.runs import RunFolder
from tests.playtest.small import random_only

ROWS = [{"name": "a", "score": 0.5, "n": 1}, {"name": "b", "score": float("nan"), "more": True}]


def test_rows_are_written_in_every_kind():
    assert packed(ROWS, "csv").splitlines() == ["name,score,n,more", "a,0.5,1,", "b,nan,,True"]
    assert [json.loads(line) for line in packed(ROWS, "jsonl").splitlines()][1]["score"] is None
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = parquet.read_table(io.BytesIO(packed(ROWS, "parquet")))
    assert table.column_names == ["name", "score", "n", "more"]
    assert table.column("n").to_pylist() == [1, None]


def test_a_result_is_a_frame_of_pandas_and_of_polars():
    pytest.importorskip("pyarrow")
    result = ludus.play("tic_tac_toe", "random", "alphabeta", games=10)
    table = result.frame()
    assert table.column("spec").to_pylist() == ["random", "alphabeta"]
    assert table.column("score").to_pylist()[1] == result.agents[1].score
    assert list(pytest.importorskip("pandas").DataFrame(table.to_pandas())["wins"])[1] == result.agents[1].wins
    assert pytest.importorskip("polars").from_arrow(table).height == 2


def test_tournaments_playtests_and_runs_are_frames(tmp_path):
    pytest.importorskip("pyarrow")
    with Store(tmp_path / "s.sqlite") as store:
        tournament = Tournament(make_schedule("tic_tac_toe", ["random", "greedy"], "default", {}, blocks=3), store)
        tournament.run()
        assert sorted(tournament.frame().column("agent").to_pylist()) == ["greedy", "random"]
        assert frame(store_rows(store)).num_rows == 2 * 6
    readings = random_only("tic_tac_toe").frame()
    assert {"metric", "value", "low", "high", "n"} <= set(readings.column_names)
    (tmp_path / "log.csv").write_text("iteration,score\n1,0.5\n2,0.75\n")
    assert RunFolder(tmp_path).frame().column("score").to_pylist() == [0.5, 0.75]


def test_records_stores_and_runs_are_exported(command_line, tmp_path):
    assert command_line("match", "tic_tac_toe", "random", "greedy", "--games", "4", "--records", "m.jsonl")[0] == 0
    code, out, _ = command_line("export", "m.jsonl", "--to", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert len(rows) == 8
    assert {row["agent"] for row in rows} == {"random", "greedy"}
    command_line("tournament", "tic_tac_toe", "random", "greedy", "--games", "4", "--store", "s.sqlite")
    out = command_line("export", "s.sqlite", "--to", "jsonl")[1]
    assert json.loads(out.splitlines()[0])["tournament"] == "tic_tac_toe"
    assert command_line("export", "s.sqlite", "--to", "text", "--match", "4")[1].startswith('[Game "Tic-tac-toe"]')
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "log.csv").write_text("iteration,score\n1,0.5\n2,0.75\n")
    out = command_line("export", "run", "--to", "jsonl")[1]
    assert [json.loads(line) for line in out.splitlines()][1] == {"iteration": 2, "score": 0.75}


def test_a_match_is_a_text_that_people_read(command_line, tmp_path):
    command_line("match", "tic_tac_toe", "random", "greedy", "--games", "2", "--records", "m.jsonl")
    code, out, _ = command_line("export", "m.jsonl", "--to", "text", "--match", "2")
    assert code == 0
    assert out.startswith('[Game "Tic-tac-toe"]\n')
    assert '[Player1 "greedy"]' in out
    record = read_records(tmp_path / "m.jsonl")[0][1]
    assert f"{record.plies}. " in out
    assert out == match_text(record, ludus.load("tic_tac_toe"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("m.jsonl", "--to", "csv"), "there is no file"),
        ((".", "--to", "csv"), "neither a playtest"),
        ((".", "--to", "xls"), "--to is one of"),
        ((".", "--to", "text"), "holds no matches"),
    ],
)
def test_what_cannot_be_exported_is_said(arguments, sentence, command_line):
    code, _, err = command_line("export", *arguments)
    assert code == 2
    assert sentence in err


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(LudusError, match=r"pip install 'ludus\[frames\]'"):
        packed(ROWS, "parquet")
