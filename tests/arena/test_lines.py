"""Programs in any language, in any game: the three examples of the docs, and a hostile set."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ludus.arena.contest import contest
from ludus.arena.hosts import Clock
from ludus.records import MatchRecord
from ludus.testing import check_program
from ludus.workers import Threads

PROGRAMS = Path(__file__).resolve().parents[2] / "docs" / "programs"
HEAD = "import json, os, sys, time\nfor line in sys.stdin:\n    told = json.loads(line)\n"
GOOD = "    if told['kind'] == 'act': print(json.dumps({'action': told['menu'][0]}), flush=True)\n"


def command(language: str, folder: Path) -> str:
    """The spec of an example, built where it must be."""
    if language == "python":
        return f"cmd:{sys.executable} {PROGRAMS / 'bot.py'}"
    if language == "javascript":
        if not shutil.which("node"):
            pytest.skip("node is not installed")
        return f"cmd:node {PROGRAMS / 'bot.js'}"
    if not (compiler := shutil.which("cc")):
        pytest.skip("no C compiler is installed")
    subprocess.run([compiler, "-O2", "-o", str(folder / "bot"), str(PROGRAMS / "bot.c")], check=True)
    return f"cmd:{folder / 'bot'}"


def play(spec: str, game: str = "tic_tac_toe", games: int = 2, seconds: float = 20.0) -> list[MatchRecord]:
    kept: list[MatchRecord] = []
    contest(game, [spec, "random"], games=games, clock=Clock(seconds), workers=Threads(2), keep=kept.append)
    return kept


def python(tmp_path: Path, text: str) -> str:
    path = tmp_path / "program.py"
    path.write_text(text)
    return f"cmd:{sys.executable} {path}"


@pytest.mark.parametrize(("language", "games"), [("c", 160), ("python", 20), ("javascript", 20)])
def test_the_examples_play_two_hundred_matches(language, games, tmp_path):
    kept = play(command(language, tmp_path), games=games)
    assert len(kept) == games
    assert {record.outcome for record in kept} == {"finished"}
    assert all(any(record.printed) for record in kept), "what it says on stderr is kept"


@pytest.mark.parametrize("game", ["kuhn_poker", "goofspiel", "gravwell"])
def test_a_program_plays_games_with_secrets_and_all_at_once(game, tmp_path):
    assert {record.outcome for record in play(command("python", tmp_path), game)} == {"finished"}


def test_a_program_is_told_its_view_and_no_more(tmp_path):
    told = tmp_path / "told"
    play(python(tmp_path, HEAD + f"    open({str(told)!r}, 'a').write(line)\n" + GOOD), "kuhn_poker")
    text = told.read_text()
    assert '"kind":"start"' in text
    assert '"seconds":' in text
    views = [line for line in text.splitlines() if '"kind":"act"' in line]
    assert all('"cards":[0,' in line or ',0],"moves"' in line for line in views), "the rival's card is unknown"


HOSTILE = {
    "stall": ("    time.sleep(60)\n", 0.3, "timeout"),
    "flood": ("    while True: sys.stdout.write('x' * 65536)\n", 20, "illegal"),
    "garbage": ("    print('hello', flush=True)\n", 20, "illegal"),
    "no number": ('    print(\'{"action": "first"}\', flush=True)\n', 20, "illegal"),
    "not on the menu": ("    print('{\"action\": 999}', flush=True)\n", 20, "illegal"),
    "deep": ("    print('[' * 100000, flush=True)\n", 20, "illegal"),
    "exit": ("    sys.exit(3)\n", 20, "crash"),
    "memory": ("    held = bytearray(10 << 30)\n", 20, "crash"),
    "stderr": ("    while True: sys.stderr.write('x' * (1 << 20))\n", 5, None),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_hostile_end_in_a_recorded_outcome_and_leave_no_process(name, tmp_path):
    text, seconds, outcome = HOSTILE[name]
    record = play(python(tmp_path, HEAD + text), seconds=seconds)[0]
    assert record.culprit >= 0
    assert record.detail
    assert record.outcome == outcome if outcome else record.outcome in ("crash", "timeout")
    assert_all_ended(tmp_path)


def running(folder: Path) -> list[str]:
    """The command lines of all processes, forked ones too, that run a program of this folder."""
    lines = subprocess.run(["ps", "-wweo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in lines.splitlines() if str(folder / "program.py") in line]


def assert_all_ended(folder: Path) -> None:
    """Nothing of the program is left; what was killed this moment may take a while to go on a busy machine."""
    for _ in range(300):
        if not (left := running(folder)):
            return
        time.sleep(0.1)
    raise AssertionError(f"left behind: {left}")


def test_a_process_that_is_left_would_be_seen(tmp_path):
    python(tmp_path, "import time\ntime.sleep(600)\n")
    with subprocess.Popen([sys.executable, str(tmp_path / "program.py")]) as left:
        try:
            assert running(tmp_path)
        finally:
            left.kill()
    assert_all_ended(tmp_path)


def test_children_that_would_live_on_are_ended_with_it(tmp_path):
    pids = tmp_path / "pids"
    note = f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')"
    child = f"            os.setsid()\n            {note}\n            time.sleep(600)\n"
    fork = f"    for _ in range(3):\n        if os.fork() == 0:\n{child}    sys.exit(0)\n"
    assert {record.outcome for record in play(python(tmp_path, HEAD + fork))} == {"crash"}
    assert pids.read_text().split(), "there were children"
    assert_all_ended(tmp_path)


def test_the_report_says_what_was_asked_what_was_answered_and_what_is_wrong(tmp_path):
    good = check_program(command("python", tmp_path), "tic_tac_toe")
    assert good.ok, good.failures
    assert good.passed["answers are allowed"] > 4
    assert any("it was asked" in note and '"menu"' in note for note in good.notes)
    assert any("ms at most, of 10 s" in note for note in good.notes)
    bad = check_program(python(tmp_path, HEAD + "    print('hello', flush=True)\n"), "tic_tac_toe")
    assert [failure.check for failure in bad.failures] == ["answers are allowed"]
    assert "not 'hello'" in bad.failures[0].sentence
    assert any("it answered    hello" in note for note in bad.notes)


def test_a_command_that_cannot_be_started_is_refused(command_line):
    for spec, sentence in (("cmd:no_such_program", "cannot be found"), ("cmd:", "after cmd: stands a command")):
        code, _, err = command_line("match", "tic_tac_toe", spec, "random")
        assert code == 2
        assert sentence in err
