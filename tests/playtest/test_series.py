"""Edit and run again: results are known by their content; nothing stale is ever shown, and nothing is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ludus.errors import BadInput, DiskTrouble
from ludus.playtest.ledger import Ledger
from ludus.playtest.series import series
from ludus.playtest.tracing import TraceFile

GAME = """
import numpy as np
from ludus import Facts, Param, Params, record, rule
from dice import sides

FACTS = Facts("Rolling", players=(2, 2), max_actions=2, max_plies=40, chance=True)
PARAMS = Params(goal=Param(6, 1, 20, "points to win"))
PRESETS = {"long": {"goal": 9}}
State = record(players=np.int32, params=PARAMS, mover=np.int32, plies=np.int32, points=(np.int32, 2))

@rule
def setup(state, rng):
    pass

@rule
def to_act(state):
    return 0 if state.plies == 40 or max(state.points) >= state.params.goal else 1 << state.mover

@rule
def legal(state, player, out):
    out[0], out[1] = 1, 2
    return 2

@rule
def step(state, actions, rng):
    state.points[state.mover] += sides(rng)
    state.mover = 1 - state.mover
    state.plies += 1

@rule
def returns(state, out):
    out[0] = np.sign(state.points[0] - state.points[1])
    out[1] = -out[0]
"""
DICE = """
from ludus.rng import below
from ludus import rule

@rule
def sides(rng):
    return 1 + below(rng, 3)
"""
BOT = """
from dataclasses import dataclass
from ludus import Agent

@dataclass
class Bot(Agent):
    def act(self, view, rng):
        return view.legal[0]
"""


def edit(path: Path, old: str, new: str) -> Callable[[], None]:
    def change() -> None:
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return change


PLAYTEST = """
import json
from pathlib import Path
from ludus.playtest.plan import Mode, Order
from ludus.playtest.run import Runner
order = Order("rolling.py", "long", {}, 2, Mode("small", 6, 0.1, 8), agents=["bot.py"], games=2)
found = (runner := Runner(order, Path("out"))).run()
print(json.dumps({"folder": str(runner.folder), "changed": runner.changed, "rules": found.rules}))
"""


def run(folder: Path, *command: str) -> dict:
    """A command in a process of its own, as an author's are."""
    done = subprocess.run([sys.executable, "-c", *command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ludus(folder: Path, *arguments: str) -> dict:
    return run(folder, "from ludus.cli import main; main()", *arguments, "--json")


@pytest.fixture
def edits(tmp_path) -> dict[str, Callable[[], None]]:
    """A game, its helper, a bot; and what an author may change about them, by the words that tell it."""
    for name, text in (("rolling.py", GAME), ("dice.py", DICE), ("bot.py", BOT)):
        (tmp_path / name).write_text(text)
    game = tmp_path / "rolling.py"
    return {
        "the rules of rolling": edit(game, "+= sides(rng)", "+= sides(rng) + 1"),
        "the rules of rolling (helper)": edit(tmp_path / "dice.py", "below(rng, 3)", "below(rng, 2)"),
        "goal": edit(game, "Param(6,", "Param(7,"),
        "goal of the preset": edit(game, '"goal": 9', '"goal": 10'),
        "bot.py": edit(tmp_path / "bot.py", "legal[0]", "legal[1]"),
    }


def test_edit_and_run_playtest(tmp_path, edits):
    """Every edit is told, begins a series of its own, and shows values of its own; undone, the old are there again."""
    first = run(tmp_path, PLAYTEST)
    assert first == {"folder": "out", "changed": "", "rules": {"goal": 9}}
    folders = ["out"]
    for name in ("the rules of rolling", "the rules of rolling (helper)", "goal of the preset", "bot.py"):
        edits[name]()
        found = run(tmp_path, PLAYTEST)
        assert found["folder"] not in folders
        assert name.partition(" of the")[0].partition(" (")[0] in found["changed"]
        folders.append(found["folder"])
    assert found["rules"] == {"goal": 10}
    edit(tmp_path / "bot.py", "legal[1]", "legal[0]")()
    assert run(tmp_path, PLAYTEST)["folder"] == folders[-2]


def test_edit_and_run_compare(tmp_path, edits):
    arguments = ("compare", "rolling.py", "--b-preset", "long", "--agent", "bot.py", "--games", "2")
    seen: dict[str, dict] = {}
    first = ludus(tmp_path, *arguments)
    assert first["note"] == ""
    seen[first["page"]] = first
    for name, change in edits.items():
        change()
        found = ludus(tmp_path, *arguments)
        assert found["page"] not in seen
        assert name.partition(" of the")[0].partition(" (")[0] in found["note"]
        seen[found["page"]] = found
    assert found["a"]["rules"] == {"goal": 7}
    assert found["b"]["rules"] == {"goal": 10}
    assert len({Path(page).parent for page in seen}) == 6


# ------------------------------------------------------------------------------------------------ files


def test_a_series_is_found_by_its_content(tmp_path):
    folder = tmp_path / "out"
    assert series(folder, {"rule": "=1"}) == (folder, "")
    assert series(folder, {"rule": "=1"}) == (folder, "")
    beside, told = series(folder, {"rule": "=2"})
    assert beside == tmp_path / "out-2"
    assert told == f"{folder} holds another rule (1, now 2): a new series begins in {beside}"
    assert series(folder, {"rule": "=1"}) == (folder, "")
    assert series(folder, {"rule": "=2"})[0] == beside
    assert series(folder, {"rule": "=3"})[0] == tmp_path / "out-3"


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to_mother.txt").write_text("dear")
    assert series(tmp_path / "letters", {})[0] == tmp_path / "letters-2"
    with pytest.raises(BadInput, match="is a file; give a folder"):
        series(tmp_path / "letters" / "to_mother.txt", {})


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', "\x00\x01"])
def test_a_damaged_content_is_one_sentence_and_stays(tmp_path, text):
    folder, _ = series(tmp_path / "out", {"rule": "=1"})
    (folder / "content.json").write_text(text)
    with pytest.raises(DiskTrouble, match="is damaged"):
        series(folder, {"rule": "=1"})
    assert (folder / "content.json").read_text() == text


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"counts": {"random": "many"}, "seconds_each": {}, "spent": 1}', '{"counts": 3}']
)
def test_a_damaged_plan_is_one_sentence_and_stays(tmp_path, text):
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(DiskTrouble, match=r"plan\.json is damaged"):
        Ledger(tmp_path)
    assert (tmp_path / "plan.json").read_text() == text


def test_damaged_lines_of_traces_are_done_again_and_the_others_kept(tmp_path):
    good = {"by": "me", "key": [0, 1], "evaluator": "me", "expected": [[0.5, 0.5]], "errors": [[0.1, 0.1]],
            "opened": [[0, [[1, 0]], [[0, 0]], [3]]], "stride": 1}  # fmt: skip
    bad = [
        "", "nonsense", "[]", "3", json.dumps({"by": "me"}), json.dumps({**good, "key": 7}),
        json.dumps({**good, "key": [5, 0], "expected": [[0.5], [0.5, 0.5]]}), json.dumps(good)[:-9],
    ]  # fmt: skip
    path = tmp_path / "traces.jsonl"
    path.write_text("\n".join([*bad[:4], json.dumps(good), *bad[4:]]))
    file = TraceFile(path, "me")
    assert list(file.found) == [(0, 1)]
    assert file.has((0, 1), plies=0)
    assert not file.has((0, 1), plies=4)
    file.close()
    assert path.read_text().startswith("\n".join(bad[:4]))
