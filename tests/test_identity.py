"""What a game and an agent are: every edit that could change a result is seen and named, no other is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.catalogue import load
from ludus.identity import agent_parts, changes, game_parts
from ludus.runs import RunFolder

GAME = '''
"""Take stones."""
import numpy as np
import stones
from ludus import Facts, Param, Params, record, rule

FACTS = Facts("Take", players=(2, 2), max_actions=3, max_plies=40)
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
    """How many."""
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

def state_text(state):
    return f"{state.heap} left"
'''


@pytest.fixture
def game_file(tmp_path) -> Path:
    (tmp_path / "stones.py").write_text("MOST = 3\n")
    (tmp_path / "take.py").write_text(GAME)
    return tmp_path / "take.py"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def parts(path: Path, preset: str = "default") -> dict[str, str]:
    game = load(str(path))
    return game_parts(game, game.rule_values(preset))


@pytest.mark.parametrize(
    ("file", "old", "new", "preset", "said"),
    [
        ("take.py", "= -1.0, 1.0", "= 1.0, -1.0", "default", ["the rules of take"]),
        ("stones.py", "MOST = 3", "MOST = 2", "default", ["the rules of take"]),
        ("take.py", "max_plies=40", "max_plies=50", "default", ["the rules of take"]),
        ("take.py", "Param(9,", "Param(8,", "default", ["heap (9, now 8)"]),
        ("take.py", '"heap": 4', '"heap": 5', "small", ["heap (4, now 5)"]),
        ("take.py", '"heap": 4', '"heap": 5', "default", []),
        ("take.py", "} left", "} remain", "default", []),
        ("take.py", "How many.", "How many stones.", "default", []),
    ],
)
def test_an_edit_of_a_game_is_named_if_it_can_change_a_result(game_file, file, old, new, preset, said):
    before = parts(game_file, preset)
    edit(game_file.parent / file, old, new)
    assert changes(before, parts(game_file, preset)) == said
    edit(game_file.parent / file, new, old)
    assert changes(before, parts(game_file, preset)) == []


def test_all_defaults_and_presets_where_none_is_chosen(game_file):
    before = game_parts(load(str(game_file)))
    edit(game_file, '"heap": 4', '"heap": 5')
    assert changes(before, game_parts(load(str(game_file)))) == ["heap of small (4, now 5)"]


def test_the_same_rules_in_another_folder_are_the_same_rules(game_file, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    for name in ("stones.py", "take.py"):
        (other / name).write_text((game_file.parent / name).read_text())
    assert parts(other / "take.py") == parts(game_file)


def test_another_python_cannot_be_compared_and_is_no_change():
    assert changes({"the rules of go": "python3.11-a"}, {"the rules of go": "python3.12-b"}) == []
    assert changes({"the rules of go": "python3.11-a"}, {"the rules of go": "python3.11-b"}) == ["the rules of go"]


# ------------------------------------------------------------------------------------------------ agents


def test_a_users_agent_is_read_and_never_run(tmp_path):
    (tmp_path / "bot.py").write_text("import aide\nwhile True: pass\n")
    (tmp_path / "aide.py").write_text("x = 1\n")
    game = load("tic_tac_toe")
    before = agent_parts(f"{tmp_path}/bot.py:depth=2", game)
    assert list(before) == ["bot.py", "aide.py"]
    (tmp_path / "aide.py").write_text("x = 2\n")
    assert changes(before, agent_parts(f"{tmp_path}/bot.py:depth=2", game)) == ["aide.py"]


def test_an_agent_that_comes_with_ludus_is_its_source_and_what_it_builds_on():
    game = load("tic_tac_toe")
    assert agent_parts("mcts:sims=3", game) == agent_parts("mcts", game)
    assert agent_parts("mcts", game) != agent_parts("greedy", game)


def test_a_run_that_an_agent_loads_is_part_of_it(tmp_path):
    run = RunFolder.begin(tmp_path / "run", {"method": "qlearning"})
    run.write("table.npz", b"1")
    game = load("tic_tac_toe")
    before = agent_parts(f"qlearning:{run.path}", game)
    run.write("table.npz", b"2")
    assert changes(before, agent_parts(f"qlearning:{run.path}", game)) == ["the run run"]
    assert "the run gravwell-paper" in agent_parts("qlearning:run=gravwell-paper,stop=never", load("gravwell"))


def test_a_file_that_a_setting_names_is_part_of_it(tmp_path):
    (tmp_path / "bot.py").write_text("x = 1\n")
    (tmp_path / "weights.json").write_text("1")
    spec = f"{tmp_path}/bot.py:weights={tmp_path}/weights.json"
    before = agent_parts(spec, load("tic_tac_toe"))
    (tmp_path / "weights.json").write_text("2")
    assert changes(before, agent_parts(spec, load("tic_tac_toe"))) == ["weights.json"]
