"""Run folders: what decides a run is compared, what was damaged is named, nothing is lost."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ludus.catalogue import load
from ludus.errors import BadInput, DiskTrouble, Mismatch
from ludus.runs import RunFolder, begin_run, load_run, shipped_runs

GAME = load("tic_tac_toe")
MADE = {
    "method": "qlearning", "game": "tic_tac_toe", "version": GAME.facts.version, "fingerprint": GAME.fingerprint,
    "settings": {"rate": 0.1},
}  # fmt: skip
OTHER_RULES = GAME.fingerprint[:-1] + "~"


@dataclass
class Settings:
    rate: float = 0.1


# ------------------------------------------------------------------------------------------------ identity


def test_what_differs_is_named_with_both_values(tmp_path):
    begin_run(tmp_path, "qlearning", GAME, {}, Settings(), 0)
    begin_run(tmp_path, "qlearning", GAME, {}, Settings(), 0)
    with pytest.raises(BadInput, match=r"other rate \(0.1, now 0.2\), seed \(0, now 1\); use another folder"):
        begin_run(tmp_path, "qlearning", GAME, {}, Settings(0.2), 1)


def test_settings_that_a_method_has_lost_do_not_count(tmp_path):
    RunFolder.begin(tmp_path, MADE | {"settings": {"rate": 0.1, "threads": 2}})
    RunFolder.begin(tmp_path, MADE)


def test_a_run_is_bound_to_the_text_of_its_rules(tmp_path):
    RunFolder.begin(tmp_path, MADE | {"fingerprint": OTHER_RULES})
    with pytest.raises(BadInput, match=rf"other rules of the game \({OTHER_RULES}, now {GAME.fingerprint}\)"):
        RunFolder.begin(tmp_path, MADE)
    with pytest.raises(Mismatch, match=f"{OTHER_RULES} of tic_tac_toe, and now they are {GAME.fingerprint}"):
        load_run(str(tmp_path), "qlearning", GAME)


def test_a_run_from_before_fingerprints_is_taken_at_its_word(tmp_path):
    RunFolder.begin(tmp_path, {key: value for key, value in MADE.items() if key != "fingerprint"})
    RunFolder.begin(tmp_path, MADE)
    assert load_run(str(tmp_path), "qlearning", GAME).path == tmp_path


@pytest.mark.parametrize("run", shipped_runs(), ids=lambda run: run.path.name)
def test_shipped_runs_are_bound_to_the_rules_as_they_are(run):
    made = run.settings
    assert made["fingerprint"].startswith("python3.")
    assert load_run(run.path.name, made["method"], load(made["game"])).path == run.path


# ------------------------------------------------------------------------------------------------ damage


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"method": "qlearning"}', b"\xff\xfe", b"7"])
def test_damaged_settings_are_named_and_kept(tmp_path, content):
    (tmp_path / "settings.json").write_bytes(content)
    for meet in (lambda: RunFolder.begin(tmp_path, MADE), lambda: load_run(str(tmp_path), "qlearning", GAME)):
        with pytest.raises(DiskTrouble, match=r"settings\.json"):
            meet()
    assert (tmp_path / "settings.json").read_bytes() == content


def test_a_damaged_file_is_named(tmp_path):
    run = RunFolder.begin(tmp_path, MADE)
    assert run.load("weights", len) is None
    run.write("weights", b"half")
    with pytest.raises(DiskTrouble, match=r"weights is damaged \(invalid literal.*move it away"):
        run.load("weights", lambda content: int(content))
    (tmp_path / "folder").mkdir()
    with pytest.raises(DiskTrouble, match="cannot read"):
        run.read("folder")


def test_a_row_that_was_never_finished_is_made_again(tmp_path):
    run = RunFolder.begin(tmp_path, MADE)
    for k in range(3):
        run.log({"games": k, "words": "a, b"})
    whole = (tmp_path / "log.csv").read_bytes()
    (tmp_path / "log.csv").write_bytes(whole + b'7,"a')
    assert [row["games"] for row in run.rows()] == ["0", "1", "2"]
    run.cut_log(3)
    assert (tmp_path / "log.csv").read_bytes() == whole


@pytest.mark.parametrize("line", [b"1\n", b"1,2,3\n", b"\xff,2\n"])
def test_a_damaged_row_is_named_and_kept(tmp_path, line):
    run = RunFolder.begin(tmp_path, MADE)
    run.log({"games": 0, "share": 0.5})
    content = (tmp_path / "log.csv").read_bytes() + line
    (tmp_path / "log.csv").write_bytes(content)
    with pytest.raises(DiskTrouble, match=r"log\.csv is damaged"):
        run.cut_log(1)
    assert (tmp_path / "log.csv").read_bytes() == content


def test_a_folder_that_cannot_be_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DiskTrouble, match="cannot make the folder"):
        RunFolder.begin(tmp_path / "file" / "run", MADE)
