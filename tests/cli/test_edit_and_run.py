"""An author edits and runs: never a stale number, never a refusal, and nothing that was played is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ludus.records import Store, read_records

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
EDITS = {
    "a bot": ("bot.py", "view.legal[taste.CHOICE]", "view.legal[-1 - taste.CHOICE]", "bot.py"),
    "what a bot imports": ("taste.py", "0", "1", "taste.py"),
    "a rule": ("heap.py", "= -1.0, 1.0", "= 1.0, -1.0", "the rules of heap"),
    "a helper of the rules": ("stones.py", "3", "2", "the rules of heap"),
    "a default": ("heap.py", "Param(9,", "Param(8,", "heap (9, now 8)"),
    "a preset": ("heap.py", '"heap": 4', '"heap": 5', "heap (4, now 5)"),
}


@pytest.fixture
def author(command_line, tmp_path):
    """A folder with a game, a bot and a helper of each."""
    for name, text in {"heap.py": HEAP, "stones.py": "MOST = 3\n", "bot.py": BOT, "taste.py": "CHOICE = 0\n"}.items():
        (tmp_path / name).write_text(text)
    return command_line


def edit(folder: Path, file: str, old: str, new: str) -> None:
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))


@pytest.mark.parametrize("what", EDITS)
def test_a_tournament_never_shows_results_of_what_was_edited_since(author, tmp_path, what):
    file, old, new, named = EDITS[what]
    preset = "small" if what == "a preset" else "default"
    command = ("tournament", "heap.py", "random", "bot.py", "--games", "4", "--preset", preset, "--json")
    first = run(author, *command)
    edit(tmp_path, file, old, new)
    code, out, err = author(*command)
    assert code == 0
    assert named in err
    assert "changed since 'heap' was played" in err
    second = json.loads(out)
    assert (first["name"], second["name"]) == ("heap", "heap 2")
    assert first["played"] == second["played"] == 4
    edit(tmp_path, file, new, old)
    assert run(author, *command) == first  # the old series was there all the time
    with Store(tmp_path / "ludus.sqlite") as store:
        assert [len(list(store.matches(name))) for name in ("heap", "heap 2")] == [4, 4]


@pytest.mark.parametrize("what", EDITS)
def test_a_file_of_records_never_mixes_what_was_played_before_an_edit(author, tmp_path, what):
    file, old, new, named = EDITS[what]
    preset = "small" if what == "a preset" else "default"
    command = ("match", "heap.py", "random", "bot.py", "--games", "4", "--preset", preset, "--records", "m.jsonl")
    assert author(*command)[0] == 0
    before = (tmp_path / "m.jsonl").read_text()
    edit(tmp_path, file, old, new)
    code, _, err = author(*command)
    assert code == 0
    assert ("the agent bot.py" if named in ("bot.py", "taste.py") else named) in err
    assert "the earlier matches are now in m.1.jsonl" in err
    assert (tmp_path / "m.1.jsonl").read_text() == before
    records, problems = read_records(tmp_path / "m.jsonl")
    assert len(records) == 4
    assert not problems


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


def test_a_damaged_file_is_moved_aside_and_kept(author, tmp_path):
    (tmp_path / "m.jsonl").write_text("a letter to my aunt\n")
    code, _, err = author("match", "tic_tac_toe", "random", "greedy", "--games", "2", "--records", "m.jsonl")
    assert code == 0
    assert "line 1: no JSON" in err
    assert (tmp_path / "m.1.jsonl").read_text() == "a letter to my aunt\n"


# ------------------------------------------------------------------------------------------------ faults


def test_who_failed_and_why_is_said(author, tmp_path):
    edit(tmp_path, "bot.py", "return view.legal[taste.CHOICE]", "raise ValueError('I am lost')")
    code, out, _ = author("match", "heap.py", "random", "bot.py", "--games", "2")
    assert code == 0
    assert "bot.py lost 2 matches by exception: ValueError: I am lost" in out
    assert "first: block 0, rotation" in out
    code, out, _ = author("tournament", "heap.py", "random", "bot.py", "--games", "2")
    assert code == 0
    assert "bot.py lost 2 matches by exception: ValueError: I am lost" in out
    assert "replay heap.0.0." in out


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
