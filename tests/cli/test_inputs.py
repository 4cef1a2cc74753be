"""Nonsense gets one sentence, and Ctrl-C is heard wherever a command is."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

import ludus

EXAMPLES = Path(__file__).parents[1] / "example_games"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("match", "tic_tac_toe", "random", "random", "--seconds", "-1"), "--seconds takes a number from 0 up, not -1"),
        (("match", "tic_tac_toe", "random", "random", "--seconds", "nan"), "a number from 0 up, not nan"),
        (("match", "tic_tac_toe", "random", "random", "--games", "100000000000"), "is not in the range"),
        (("match", "tic_tac_toe", "mcts:sims=999999999999", "random"), "sims must be at most 10,000,000, not 9"),
        (("match", "tic_tac_toe", "mcts:c=nan", "random"), "c is a finite number, not nan"),
        (("match", "tic_tac_toe", "greedy:samples=99999999999", "random"), "samples must be at most 1,000,000,000"),
        (("playtest", "tic_tac_toe", "--hours", "nan"), "--hours takes a number from 0 up, not nan"),
        (("playtest", "tic_tac_toe", "--hours", "-3"), "--hours takes a number from 0 up, not -3"),
        (("playtest", "tic_tac_toe", "--out", "FILE"), "file.txt is a file; name a folder"),
        (("compare", "connect_four", "--b", "rows=5", "--out", "FILE"), "file.txt is a file; name a folder"),
        (("tournament", "tic_tac_toe", "random", "greedy", "--elo", "nan"), "--elo takes a number from 0 up, not nan"),
        (("match", "tic_tac_toe", "random", "random", "--svg", "FOLDER"), "is a folder; name a file"),
        (("perft", "tic_tac_toe", "--start", "FOLDER"), "cannot be read: Is a directory"),
        (("perft", "./FOLDER.py"), "there is no file"),
        (("perft", "LOOP"), "cannot be read: Too many levels of symbolic links"),
        (("perft", "BINARY"), "binary.py is no text"),
        (("match", "tic_tac_toe", "BINARY", "random"), "binary.py is no text"),
        (("match", "tic_tac_toe", "LOOP", "random"), "loop.py cannot be read: Too many levels of symbolic links"),
    ],
)  # fmt: skip
def test_nonsense_gets_one_sentence(command_line, tmp_path, words, sentence):
    (tmp_path / "file.txt").write_text("here")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    (tmp_path / "binary.py").write_bytes(bytes(range(128, 256)))
    places = {"FILE": "file.txt", "FOLDER": "", "LOOP": "loop.py", "BINARY": "binary.py"}
    code, _, err = command_line(*(str(tmp_path / places[word]) if word in places else word for word in words))
    assert code == 2
    assert sentence in " ".join(err.split())
    assert "Traceback" not in err


@contextmanager
def small_disk(size: int):
    """As if no file could be longer."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (60_000, ("playtest", "tic_tac_toe", "--quick", "--out", "here")),
        (60_000, ("compare", "tic_tac_toe", "kuhn_poker", "--agent", "random", "--games", "99", "--out", "here")),
        (100, ("train", "dictionary", "tic_tac_toe", "--out", "here")),
    ],
)
def test_a_disk_without_room_gets_a_sentence_and_keeps_what_is_there(command_line, tmp_path, size, words):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "mine.txt").write_text("here")
    with small_disk(size):
        code, _, err = command_line(*words)
    assert code == 2
    assert "cannot write" in err
    assert "Traceback" not in err
    assert (tmp_path / "here" / "mine.txt").read_text() == "here"


def test_the_version_is_printed(command_line):
    assert command_line("--version")[:2] == (0, f"ludus {ludus.__version__}\n")


@pytest.fixture
def endless(tmp_path):
    text = (
        (EXAMPLES / "row.py").read_text().replace("state.plies += 1", "state.plies |= 4\n    while state.plies: pass")
    )
    (tmp_path / "endless.py").write_text(text)
    return str(tmp_path / "endless.py")


@pytest.mark.parametrize("words", [("match", "ENDLESS", "random", "random"), ("check", "ENDLESS")])
def test_ctrl_c_is_heard_in_a_rule_that_never_ends(endless, words):
    """It ends by the signal; how soon is for a quiet machine to say."""
    command = [sys.executable, "-c", "from ludus.cli import main; main()", *words]
    child = subprocess.Popen(
        [endless if word == "ENDLESS" else word for word in command], stderr=subprocess.PIPE, text=True
    )
    try:
        while _computing(child.pid) < 1.5 and child.poll() is None:
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 130
    assert err.removeprefix("ludus: compiling the rules of endless (first time)\n") == "ludus: stopped\n"


def _computing(pid: int) -> float:
    """Seconds that a process and its children have computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_computing(int(child)) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
