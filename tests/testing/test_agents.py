"""Agents with planted faults."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ludus.arena.hosts import Safety
from ludus.errors import Mismatch
from ludus.testing import check_agent

EXAMPLES = Path(__file__).parents[1] / "example_games"

BOT = """
import random
import time
from dataclasses import dataclass
from ludus import Agent

@dataclass
class Bot(Agent):
    def act(self, view, rng):
        {}
        return {}
"""


@pytest.fixture
def bot(tmp_path):
    def write(answer: str = "int(view.legal[0])", before: str = "pass") -> str:
        (tmp_path / "bot.py").write_text(BOT.format(before, answer))
        return str(tmp_path / "bot.py")

    return write


def failures(spec: str, **options) -> dict[str, str]:
    safety = Safety(trust=frozenset([spec]))  # a process for each would take long
    report = check_agent(spec, str(EXAMPLES / "row.py"), matches=1, safety=safety, **options)
    for failure in report.failures:
        assert failure.command == f"ludus check --agent {spec} {EXAMPLES / 'row.py'} --seed {options.get('seed', 0)}"
    return {failure.check: failure.sentence for failure in report.failures}


@pytest.mark.parametrize("spec", ["random", "mcts:sims=8"])
@pytest.mark.parametrize("name", ["tic_tac_toe", str(EXAMPLES / "three_hands.py")])
def test_good_agents_pass(spec, name):
    report = check_agent(spec, name)
    assert report.failures == []
    assert set(report.passed) == {
        "answers are legal", "answers in time", "leaves its view alone", "same seed, same answer"
    }  # fmt: skip
    assert report.passed["answers are legal"] >= 10


def test_an_agent_is_checked_in_its_own_process(bot):
    """The same is found, and nothing of the file is imported here."""
    path = bot(before="view.state.board[0] = 1; assert 'pytest' not in __import__('sys').modules")
    report = check_agent(path, str(EXAMPLES / "row.py"), matches=1)
    assert [failure.check for failure in report.failures][:1] == ["leaves its view alone"]
    assert report.passed["answers are legal"] > 1


def test_a_plain_agent_passes(bot):
    assert failures(bot(), seed=3) == {}


@pytest.mark.parametrize("answer", ["9", "-1", "None", "'0'", "0.5", "2 ** 40"])
def test_an_illegal_answer_is_found(bot, answer):
    found = failures(bot(answer))
    assert list(found) == ["answers are legal"]
    assert "ply 0, 2 players" in found["answers are legal"]


def test_an_agent_that_changes_its_view_is_found(bot):
    found = failures(bot(before="view.state.board[0] = 1", answer="4 if view.state.plies == 0 else int(view.legal[0])"))
    assert found["leaves its view alone"] == "the view was changed at ply 0, seat 0"


def test_an_agent_that_answers_otherwise_is_found(bot):
    path = bot("random.choice(view.legal.tolist())")
    random.seed(1)
    found = [failures(path, seed=seed) for seed in range(3)]
    assert all(set(kinds) <= {"same seed, same answer"} for kinds in found)
    assert any("a second agent answers otherwise at ply" in said for kinds in found for said in kinds.values())


def test_a_slow_agent_is_found(bot):
    found = failures(bot(before="time.sleep(0.03)"), seconds=0.02)
    assert list(found) == ["answers in time"]
    assert "more than 0.02" in found["answers in time"]
    assert failures(bot(before="time.sleep(0.03)"), seconds=5) == {}


def test_an_agent_that_raises_an_error_is_found(bot):
    found = failures(bot("1 // int(view.state.plies)"))
    assert list(found) == ["raises no error"]
    assert found["raises no error"].startswith("ZeroDivisionError: ")
    assert "ply 0" in found["raises no error"]


def test_an_agent_limited_by_time_need_not_repeat_itself():
    report = check_agent("mcts:ms=1", "tic_tac_toe", matches=1)
    assert report.ok
    assert "same seed, same answer" in report.skipped
    assert "same seed, same answer" not in report.passed


def test_an_agent_that_cannot_play_the_game_is_refused():
    with pytest.raises(Mismatch, match="alphabeta cannot play"):
        check_agent("alphabeta", str(EXAMPLES / "three_hands.py"))
