"""Programs in any language at the table, honest and hostile."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from ludus import agent, load
from ludus.arena.contest import contest
from ludus.arena.hosts import Clock
from ludus.arena.match import replay
from ludus.catalogue import check_name
from ludus.errors import BadInput
from ludus.identity import agent_parts
from ludus.records import MatchRecord
from ludus.testing import check_program

GAME = load("planet_wars")
PROGRAMS = Path(__file__).parent / "programs"


def play(spec: str, games: int = 2, turns: int = 12, seconds: float = 20.0, rival: str = "rage") -> list[MatchRecord]:
    kept: list[MatchRecord] = []
    short = {"turns": turns}
    contest("planet_wars", [spec, rival], games=games, seed=4, preset="skirmish", rules=short, clock=Clock(seconds),
            keep=kept.append)  # fmt: skip
    return sorted(kept, key=lambda record: (record.block, record.rotation))


def shell(tmp_path: Path, text: str) -> str:
    """The spec of a program that is a shell script."""
    script = tmp_path / "bot.sh"
    script.write_text(text)
    return f"cmd:sh {script}"


GO = "while read line; do [ $line = go ] && echo go; done"


def test_a_program_is_asked_once_a_turn_and_answers_with_many_orders(tmp_path):
    told = tmp_path / "told"
    both = (
        f"while read line; do echo $line >> {told}; [ \"$line\" = go ] && echo '1 2 5' && echo '1 0 3' && echo go; done"
    )
    record, other = play(shell(tmp_path, both), turns=3)
    assert record.outcome == "finished", record.detail
    assert other.detail == "turn 1, line 1: planet 1 is not player 2's ('1 2 5')", "from the other seat"
    assert told.read_text().count("go") == 3 + 1
    assert told.read_text().startswith("P ")
    replay(record)


def test_each_side_sees_itself_as_player_1(tmp_path):
    told = tmp_path / "told"
    record = play(
        shell(tmp_path, f'while read line; do echo $line >> {told}; [ "$line" = go ] && echo go; done'), turns=1
    )
    first, second = told.read_text().split("go\n")[:2]
    owners = [[line.split()[3] for line in text.splitlines()][1:3] for text in (first, second)]
    assert owners == [["1", "2"], ["2", "1"]]
    assert len(record) == 2


def test_what_it_writes_on_stderr_is_kept(tmp_path):
    record = play(shell(tmp_path, f"echo I am here >&2; {GO}"), turns=2)[0]
    assert "I am here" in record.printed[0]


@pytest.mark.parametrize(
    ("text", "outcome", "detail"),
    [
        ("exit 3", "crash", "exit code 3"),
        (
            "read a; echo hello; echo go",
            "illegal",
            "turn 1, line 1: an order is source dest ships, not 'hello' ('hello')",
        ),
        ("read a; echo 0 9 5; echo go", "illegal", "there is no planet 9"),
        ("read a; echo 0 1 5; echo go", "illegal", "planet 0 is not player 1's"),
        ("yes", "illegal", "an answer of more than"),
        ("head -c 100000000 /dev/zero", "illegal", "longer than 256 characters"),
        ("kill -9 $$", "crash", "SIGKILL"),
    ],
)
def test_a_hostile_program_loses_with_a_reason(tmp_path, text, outcome, detail):
    for record in play(shell(tmp_path, text)):
        seat = record.agents.index(next(spec for spec in record.agents if spec.startswith("cmd:")))
        assert (record.outcome, record.culprit) == (outcome, seat)
        assert detail.replace("player 1's", f"player {seat + 1}'s") in record.detail
        assert record.returns[seat] == -1


def test_a_silent_program_is_late(tmp_path):
    record = play(shell(tmp_path, "sleep 60"), seconds=0.1)[0]
    assert record.outcome == "timeout"
    assert "turn 1: no answer within 0.3 s" in record.detail, "the first turns have three times as long"


def test_no_child_is_left_behind(tmp_path):
    length = "314159.2"
    play(shell(tmp_path, f"sleep {length} & setsid sleep {length} & {GO}"), turns=2)
    for _ in range(50):
        left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        if f"sleep {length}" not in left:
            return
        time.sleep(0.1)
    raise AssertionError("a child of the program lives on")


def test_commands_that_cannot_be_are_refused():
    with pytest.raises(BadInput, match="no_such_bot' cannot be found"):
        check_name("cmd:./no_such_bot")
    with pytest.raises(BadInput, match="after cmd: stands a command"):
        check_name("cmd: ")
    with pytest.raises(BadInput, match="cannot be read: No closing quotation"):
        check_name("cmd:sh -c 'x")


def test_an_edited_program_is_another_agent(tmp_path):
    spec = shell(tmp_path, "exit 1")
    before = agent_parts(spec, GAME)
    assert agent_parts(shell(tmp_path, "exit 1"), GAME) == before
    assert agent_parts(shell(tmp_path, "exit 2"), GAME) != before


def test_the_compliance_report_says_what_is_wrong(tmp_path):
    report = check_program(shell(tmp_path, "read a; echo 1 2 3 4; echo go"), GAME)
    assert not report.ok
    assert "1 2 3 4" in report.failures[0].sentence


def test_the_compliance_report_heeds_the_clock(tmp_path):
    report = check_program(shell(tmp_path, "sleep 60"), GAME, seconds=0.05)
    assert report.failures[0].sentence.startswith("turn 1: no answer within 0.15 s")


def built(tmp_path: Path, compiler: str, source: str, *arguments: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed here")
    done = subprocess.run([compiler, str(PROGRAMS / source), *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def plays_as_ours(spec: str) -> None:
    """Fifty matches, in each of which the program orders what our own agent would."""
    records, ours, given = play(spec, games=50, turns=10, rival="dual"), agent("rage", GAME), 0
    assert [record.outcome for record in records] == ["finished"] * 50
    for record in records:
        seat, match = record.agents.index(spec), replay(record, 0, GAME)
        actions = iter(record.actions)
        while not match.over:
            for player, view in match.waiting().items():
                action = next(actions)
                if player == seat:
                    given += action != 0
                    assert action == ours.act(view, match.stream(player))
                match.submit(player, action)
    assert given >= 50


def test_a_program_in_c_plays_50_matches_like_ours(tmp_path):
    built(tmp_path, "g++", "rage.cc", "-O1", "-o", "rage")
    plays_as_ours(f"cmd:{tmp_path / 'rage'}")


def test_a_program_in_java_plays_50_matches_like_ours(tmp_path):
    built(tmp_path, "javac", "Rage.java", "-d", ".")
    plays_as_ours(f"cmd:java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -cp {tmp_path} Rage")
