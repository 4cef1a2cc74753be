"""`ludus train` as a person and a program meet it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import fields
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from ludus.catalogue import trainer, trainer_names
from ludus.learn import qlearning
from ludus.runs import RunFolder

EXAMPLES = Path(__file__).parents[1] / "example_games"
QUICK = ("qlearning", "tic_tac_toe", "--set", "games=8000", "--set", "every=4000", "--out", "run")


@pytest.fixture
def ludus(command_line):
    return partial(command_line, "train")


def test_it_says_how_strong_the_result_is_beside_random(ludus):
    code, out, _ = ludus(*QUICK)
    assert code == 0
    assert "run: 2 iterations; play it with the spec qlearning:run" in out
    assert "score " in out
    assert "random players" in out
    assert "400 games" in out
    assert "learnt nothing" not in out
    code, out, _ = ludus(*QUICK, "--json")
    answer = json.loads(out)
    assert answer["learnt"]
    assert answer["score"]["low"] > 0.5 > answer["score"]["random"]


def test_what_learnt_nothing_is_called_so(ludus):
    code, out, _ = ludus("qlearning", "tic_tac_toe", "--set", "games=1", "--set", "alpha=0", "--set", "temperature=9")
    assert code == 0
    assert "it has learnt nothing that shows; try more games, another method" in out


def test_threads_are_no_part_of_a_run(ludus):
    assert ludus(*QUICK)[0] == 0
    code, out, _ = ludus(*QUICK, "--jobs", "1")
    assert code == 0
    assert "resuming run after 2 iterations" in out


def test_methods_and_settings_are_explained(ludus):
    code, out, _ = ludus("--methods")
    assert code == 0
    assert {"qlearning", "neat", "gravwell/formulas"} <= set(out.split())
    code, out, _ = ludus("neat", "--help")
    assert code == 0
    assert "standard deviation of that jitter" in out
    assert "--preset" in out
    assert ludus("--help")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "METHOD GAME"),
        (("neat",), "which game?"),
        (("qlearnin", "tic_tac_toe"), "did you mean qlearning"),
        (("formulas", "tic_tac_toe"), "gravwell/formulas"),
        (("gravwell/formulas", "tic_tac_toe"), "cannot learn tic_tac_toe"),
        (("qlearning", "tic_tac_toe", "--set", "alpha=nan"), "alpha is a finite number"),
        (("qlearning", "tic_tac_toe", "--set", "discount=inf"), "discount is a finite number"),
        (("qlearning", "tic_tac_toe", "--set", "trace=2"), "trace must be at most 1"),
        (("qlearning", "tic_tac_toe", "--set", "games=99999999999999"), "games must be at most"),
        (("qlearning", "tic_tac_toe", "--set", "every=0"), "every must be at least 1"),
        (("neat", "tic_tac_toe", "--set", "population=1e9"), "population is a whole number"),
        (("neat", "tic_tac_toe", "--set", "threads=3"), "no setting is called 'threads'"),
    ],
)
def test_what_cannot_be_is_one_sentence(ludus, tmp_path, arguments, words):
    code, _, error = ludus(*arguments)
    assert code == 2
    assert words in error
    assert error.count("\n") == 1
    assert not list((tmp_path / "runs").glob("*")) if (tmp_path / "runs").exists() else True


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 half a table"])
def test_a_damaged_table_is_named_and_kept(ludus, tmp_path, damage):
    ludus(*QUICK)
    (tmp_path / "run" / "tables.npz").write_bytes(damage)
    code, _, error = ludus(*QUICK)
    assert code == 2
    assert "tables.npz is damaged" in error
    assert (tmp_path / "run" / "tables.npz").read_bytes() == damage
    (tmp_path / "run" / "tables.npz").unlink()
    assert ludus(*QUICK)[0] == 0


def test_a_training_that_needs_too_much_memory_says_so(ludus, monkeypatch):
    def train(*_):
        raise MemoryError
        yield

    monkeypatch.setattr(qlearning, "train", train)
    code, _, error = ludus(*QUICK)
    assert code == 2
    assert "more memory" in error


def test_a_method_whose_workers_share_memory_stays_here(ludus, monkeypatch, tmp_path):
    monkeypatch.setattr("ludus.workers.Ray", lambda on, count: SimpleNamespace(apart=True))
    code, _, error = ludus(*QUICK, "--on", "ray")
    assert code == 2
    assert error == "ludus: qlearning learns in the memory that its workers share, so it stays here; use --on threads\n"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("method", "endless"), [("qlearning", ["games=1000000000"]), ("neat", ["games=16", "generations=1000000000"])]
)
def test_ctrl_c_leaves_a_run_that_goes_on(tmp_path, method, endless):
    """Only that it is heard at all: how soon is a matter of the machine."""
    command = [sys.executable, "-c", "from ludus.cli import main; main()", "train", method, "tic_tac_toe"]
    command += [part for one in endless for part in ("--set", one)] + ["--out", str(tmp_path / "run")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not RunFolder(tmp_path / "run").rows():  # the file is there a moment before its first row
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "the same command goes on from there" in error
    assert RunFolder(tmp_path / "run").rows()


def test_a_game_that_writes_too_far_is_refused_before_it_is_compiled(ludus, tmp_path):
    """Compiled code would end the process without a word."""
    text = (EXAMPLES / "two_step.py").read_text()
    small = text.replace("FEATURES, POLICY = planes(4, BOARD, extra=1), planes(9, BOARD)", "FEATURES = POLICY = 20")
    (tmp_path / "small.py").write_text(small)
    code, _, err = ludus("neat", "small.py", "--preset", "tiny")
    assert code == 2
    assert "`shapes` gives 65 numbers, and FEATURES has room for 20" in err
    alone = small.replace("def shapes(", "def no_shapes(").replace("def policy_slot(", "def no_slot(")
    (tmp_path / "alone.py").write_text(alone)
    code, _, err = ludus("neat", "alone.py", "--preset", "tiny", "--rule", "row=4")
    assert code == 2
    assert "`observe` writes behind FEATURES, 20 numbers" in err
    assert "`ludus check alone.py` until it says ok" in err
    assert not (tmp_path / "runs").exists()


def test_players_are_the_fewest_where_nothing_is_said():
    for name in trainer_names():
        players = next((one for one in fields(trainer(name).Settings) if one.name == "players"), None)
        if players is not None and players.default == 0:
            assert players.metadata["help"] == "players in a match; 0: the fewest that the game allows"
