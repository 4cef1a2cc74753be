"""An author edits and runs: never a stale number, never a refusal, and nothing that was played is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.records import Store, read_records
from ludus.rng import config

HEAP = """
import numpy as np
import stones
from ludus import Facts, Param, Params, record, rule

FACTS = Facts("Heap", players=(2, 2), max_actions=3, max_plies=40)
PARAMS = Params(heap=Param(9, 1, 20, "stones"))
PRESETS = {"small": {"heap": 4}}
State = record(players=np.int32, mover=np.int32, heap=np.int32, params=PARAMS)

@rule
def setup(state, rng):
    state.heap = state.params.heap

@rule
def to_act(state):
    return 0 if state.heap <= 0 else 1 << state.mover

@rule
def legal(state, player, out):
    for k in range(stones.MOST):
        out[k] = k + 1
    return stones.MOST

@rule
def step(state, actions, rng):
    state.heap -= actions[state.mover]
    state.mover = 1 - state.mover

@rule
def returns(state, out):
    out[state.mover], out[1 - state.mover] = -1.0, 1.0
"""
BOT = """
from dataclasses import dataclass
from ludus import Agent
import taste

@dataclass
class Bot(Agent):
    def act(self, view, rng):
        return view.legal[taste.CHOICE]
"""
GAME_EDITS = {
    "a rule": ("heap.py", "= -1.0, 1.0", "= 1.0, -1.0", "the rules of heap"),
    "a helper of the rules": ("stones.py", "3", "2", "the rules of heap"),
    "a default": ("heap.py", "Param(9,", "Param(8,", "heap (9, now 8)"),
    "a preset": ("heap.py", '"heap": 4', '"heap": 5', "heap (4, now 5)"),
}
BOT_EDITS = {
    "a bot": ("bot.py", "view.legal[taste.CHOICE]", "view.legal[-1 - taste.CHOICE]", "bot.py"),
    "what a bot imports": ("taste.py", "0", "1", "taste.py"),
}


@pytest.fixture
def author(command_line, tmp_path):
    """A folder with a game, a bot and a helper of each."""
    for name, text in {"heap.py": HEAP, "stones.py": "MOST = 3\n", "bot.py": BOT, "taste.py": "CHOICE = 0\n"}.items():
        (tmp_path / name).write_text(text)
    return command_line


@pytest.fixture
def uncompiled(monkeypatch):
    """What is edited here changes how a game is played, compiled or not, and this is quicker."""
    monkeypatch.setattr(config, "DISABLE_JIT", 1)


def edit(folder: Path, file: str, old: str, new: str) -> None:
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))


@pytest.mark.parametrize("what", GAME_EDITS)
def test_an_edited_game_never_borrows_results(author, uncompiled, tmp_path, what):
    file, old, new, named = GAME_EDITS[what]
    rest = ("heap.py", "random", "greedy", "--games", "4", "--preset", "small" if what == "a preset" else "default")
    edited_between(author, tmp_path, rest, (file, old, new), named, named)


@pytest.mark.parametrize("what", BOT_EDITS)
def test_an_edited_bot_never_borrows_results(author, tmp_path, what):
    file, old, new, named = BOT_EDITS[what]
    rest = ("tic_tac_toe", "random", "bot.py", "--games", "2")
    edited_between(author, tmp_path, rest, (file, old, new), named, "the agent bot.py")


def edited_between(author, folder: Path, rest: tuple[str, ...], change: tuple[str, str, str], named: str, agent: str):
    """A tournament and a file of records before and after an edit, and the tournament after undoing it."""
    file, old, new = change
    name, matches = Path(rest[0]).stem, int(rest[4])
    first = run(author, "tournament", *rest, "--json")
    assert author("match", *rest, "--records", "m.jsonl")[0] == 0
    before = (folder / "m.jsonl").read_text()
    edit(folder, file, old, new)
    code, out, err = author("tournament", *rest, "--json")
    assert code == 0
    assert f"{named} changed since {name!r} was played" in err
    assert (first["name"], json.loads(out)["name"]) == (name, f"{name} 2")
    assert first["played"] == json.loads(out)["played"] == matches
    code, _, err = author("match", *rest, "--records", "m.jsonl")
    assert code == 0
    assert f"{agent} changed since m.jsonl was written: the earlier matches are now in m.1.jsonl" in err
    assert (folder / "m.1.jsonl").read_text() == before
    assert len(read_records(folder / "m.jsonl")[0]) == matches
    edit(folder, file, new, old)
    assert run(author, "tournament", *rest, "--json") == first  # the old series was there all the time
    with Store(folder / "ludus.sqlite") as store:
        assert [len(list(store.matches(series))) for series in (name, f"{name} 2")] == [matches, matches]


def run(author, *command: str) -> dict:
    code, out, err = author(*command)
    assert (code, err) == (0, "")
    return json.loads(out)


# ------------------------------------------------------------------------------------------------ growing


def test_a_tournament_grows_without_a_new_name(author):
    command = ("tournament", "tic_tac_toe", "random", "greedy", "--json")
    assert run(author, *command, "--games", "4")["played"] == 4
    assert run(author, *command, "--games", "10")["played"] == 10
    three = run(author, *command[:-1], "mcts:sims=5", "--json", "--games", "10")
    assert (three["name"], three["played"], len(three["agents"])) == ("tic_tac_toe", 30, 3)
    again = run(author, "tournament", "tic_tac_toe", "mcts:sims=5", "random", "--json", "--games", "10")
    assert again == three
    assert run(author, "tournament", "kuhn_poker", "random", "greedy", "--json", "--games", "4")["name"] == "kuhn_poker"


def test_a_match_goes_on_with_its_file(author, tmp_path):
    command = ("match", "tic_tac_toe", "random", "greedy", "--records", "m.jsonl", "--json")
    whole = run(author, *command[:-3], "--games", "20", "--json")
    assert run(author, *command, "--games", "8")["games"] == 8
    text = (tmp_path / "m.jsonl").read_text()
    (tmp_path / "m.jsonl").write_text(text[:-40])  # killed while it wrote
    assert run(author, *command, "--games", "20") == whole
    records, problems = read_records(tmp_path / "m.jsonl")
    assert not problems
    assert sorted((record.block, record.rotation) for record in records) == [(b, r) for b in range(10) for r in (0, 1)]


def test_other_settings_of_an_agent_are_another_file(author, tmp_path):
    rest = ("--games", "2", "--records", "m.jsonl")
    for spec in ("greedy:3", "greedy:3"):  # as it is written, not as a record writes it
        assert author("match", "tic_tac_toe", "random", spec, *rest)[2] == ""
    code, _, err = author("match", "tic_tac_toe", "random", "greedy:samples=4", *rest)
    assert code == 0
    assert "the lineup (random, greedy:samples=3, now random, greedy:samples=4)" in err
    assert len(read_records(tmp_path / "m.1.jsonl")[0]) == len(read_records(tmp_path / "m.jsonl")[0]) == 2


def test_a_damaged_file_is_moved_aside_and_kept(author, tmp_path):
    (tmp_path / "m.jsonl").write_text("a letter to my aunt\n")
    code, _, err = author("match", "tic_tac_toe", "random", "greedy", "--games", "2", "--records", "m.jsonl")
    assert code == 0
    assert "line 1: no JSON" in err
    assert (tmp_path / "m.1.jsonl").read_text() == "a letter to my aunt\n"


# ------------------------------------------------------------------------------------------------ faults


def test_who_failed_and_why_is_said(author, tmp_path):
    edit(tmp_path, "bot.py", "return view.legal[taste.CHOICE]", "raise ValueError('I am lost')")
    code, out, _ = author("match", "tic_tac_toe", "random", "bot.py", "--games", "2")
    assert code == 0
    assert "bot.py lost 2 matches by exception: ValueError: I am lost" in out
    assert "first: block 0, rotation" in out
    code, out, _ = author("tournament", "tic_tac_toe", "random", "bot.py", "--games", "2")
    assert code == 0
    assert "bot.py lost 2 matches by exception: ValueError: I am lost" in out
    assert "replay tic_tac_toe.0.0." in out


# ------------------------------------------------------------------------------------------------ nonsense and trouble


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("match", "tic_tac_toe", "random", "random", "--seconds", "-1"), "a number from 0 up"),
        (("match", "tic_tac_toe", "random", "random", "--seconds", "nan"), "a number from 0 up"),
        (("tournament", "tic_tac_toe", "random", "greedy", "--seconds", "inf"), "a number from 0 up"),
        (("tournament", "tic_tac_toe", "random", "greedy", "--elo", "nan"), "a number from 0 up"),
        (("tournament", "tic_tac_toe", "random", "greedy", "--elo", "0", "--format", "until-sure"), "a lead in Elo"),
        (("match", "tic_tac_toe", "random", "random", "--games", "100000000000"), "--games"),
        (("tournament", "tic_tac_toe", "random", "greedy", "--games", "100000000000"), "--games"),
        (("match", "tic_tac_toe", "random", "random", "--records", "."), "is a folder"),
        (("match", "tic_tac_toe", "random", "random", "--records", "no/where.jsonl"), "there is no folder no"),
        (("tournament", "tic_tac_toe", "random", "greedy", "--store", "heap.py"), "no store of matches"),
    ],
)
def test_nonsense_gets_a_sentence_before_the_first_match(author, arguments, sentence):
    code, out, err = author(*arguments)
    assert code == 2
    assert sentence in err
    assert not out
    assert "Traceback" not in err


SMALL_DISK = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.argv[1:2] = []
from ludus.cli import main
main()
"""


@pytest.mark.parametrize(
    ("size", "arguments"),
    [
        (6_000, ["match", "tic_tac_toe", "random", "random", "--games", "40", "--records", "m.jsonl"]),
        (400_000, ["tournament", "tic_tac_toe", "random", "greedy", "--games", "4000", "--store", "s.sqlite"]),
    ],
)
def test_a_disk_without_room_gets_a_sentence_and_keeps_what_is_there(tmp_path, author, size, arguments):
    script = [sys.executable, "-c", SMALL_DISK, str(size), *arguments]
    stopped = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True)
    assert stopped.returncode == 2
    assert "cannot write" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    code, out, err = author(*arguments)
    assert (code, err) == (0, "")
    assert "40 matches" in out or "4,000 matches" in out
