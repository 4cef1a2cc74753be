"""The agent that plays by tables: what it loads and refuses, how it chooses, and the runs that come with Ludus."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from ludus import agent, load
from ludus.agents.qlearning import QLearning, weigh
from ludus.arena.contest import contest
from ludus.catalogue import agent_kinds
from ludus.compile import template
from ludus.errors import BadInput, BadSpec, Mismatch, UnknownName
from ludus.games._gravwell_text import GO, HALT
from ludus.rng import match_words
from ludus.runs import SHIPPED
from ludus.testing import check_agent

GAME = load("gravwell")
PAPER = "gravwell-paper"
RUNS = sorted(
    path.parent.name
    for path in SHIPPED.glob("*/settings.json")
    if json.loads(path.read_text(encoding="utf-8"))["method"] == "qlearning"
)


@template
def weigh_often(cells, columns, temperature, words, out):
    for i in range(out.shape[0]):
        out[i] = weigh(cells, 0, columns, columns.shape[0], temperature, words)


def places(worths, temperature, draws=40_000):
    """How often each of three actions is chosen; their columns are not in the order of the menu."""
    columns, out = np.array([2, 0, 1]), np.empty(draws, np.int64)
    cells = np.array([worths], np.float32)[:, [1, 2, 0]]
    GAME.kernel(weigh_often)(cells, columns, temperature, np.array([7], np.uint64), out)
    return np.bincount(out, minlength=3) / draws


def changed_copy(folder, **changes):
    """A shipped run with other facts in its settings."""
    shutil.copytree(SHIPPED / PAPER, folder)
    file = folder / "settings.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | changes), encoding="utf-8")
    return folder


# ------------------------------------------------------------------------------------------------ choosing


def test_actions_are_drawn_by_boltzmann_s_distribution():
    worths = np.array([4.0, 1.0, -2.0])
    expected = np.exp(worths / 3)
    assert places(worths, 3.0) == pytest.approx(expected / expected.sum(), abs=0.01)
    assert places(worths + 5000, 3.0) == pytest.approx(expected / expected.sum(), abs=0.01)  # and nothing overflows


def test_without_temperature_the_best_is_taken_and_ties_are_broken_by_lot():
    assert places([4.0, 1.0, 4.5], 0.0).tolist() == [0, 0, 1]
    assert places([4.0, 4.0, 1.0], 0.0) == pytest.approx([0.5, 0.5, 0], abs=0.01)


def stops_asked(spec, count=300):
    """What an agent answers when its card is about to resolve, over matches among its equals."""
    player, words = agent(spec, GAME), match_words(3, np.arange(count), 0, 4)
    states, answers = GAME.start(words, 4, GAME.rule_values("paper")), []
    for _ in range(60):
        actions = np.full((count, 4), -1, np.int32)
        waiting = GAME.waiting(states)
        for seat in range(4):
            own = np.flatnonzero(waiting >> seat & 1)
            if len(own):
                views, streams = GAME.masked(states[own], np.full(len(own), seat)), words[own, 1 + seat, None]
                actions[own, seat] = player.act_many(views, np.full(len(own), seat), streams)
                words[own, 1 + seat] = streams[:, 0]
        answers.extend(actions[actions >= GO])
        GAME.advance(states, actions, words)
    return np.array(answers)


def test_the_stop_may_be_left_out():
    assert set(stops_asked(f"qlearning:{PAPER}")) == {GO, HALT}
    assert set(stops_asked(f"qlearning:{PAPER},stop=never")) == {GO}
    asked = stops_asked(f"qlearning:{PAPER},stop=random")
    assert 0.4 < (asked == HALT).mean() < 0.55  # tractors are never stopped


# ------------------------------------------------------------------------------------------------ loading


def test_a_run_for_another_game_or_version_is_refused_and_both_are_named(tmp_path):
    with pytest.raises(Mismatch, match="trained for gravwell version 1, this is tic_tac_toe version 1"):
        agent(f"qlearning:{PAPER}", "tic_tac_toe")
    other = changed_copy(tmp_path / "old", version="0")
    with pytest.raises(Mismatch, match="gravwell version 0, this is gravwell version 1"):
        agent(f"qlearning:{other}", "gravwell")
    other = changed_copy(tmp_path / "neat", method="neat")
    with pytest.raises(Mismatch, match="trained by neat"):
        agent(f"qlearning:{other}", "gravwell")


def test_a_table_of_another_shape_is_refused(tmp_path):
    trained = json.loads((SHIPPED / PAPER / "settings.json").read_text(encoding="utf-8"))["settings"]
    other = changed_copy(tmp_path / "turn", settings=trained | {"abstraction": "product+turn"})
    with pytest.raises(Mismatch, match=r"table of \(384, 26\).*product\+turn one of \(1104, 26\)"):
        agent(f"qlearning:{other}", "gravwell")


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        ("qlearning", BadSpec, "needs a run"),
        ("qlearning:gravwell-papers", UnknownName, "did you mean gravwell-paper"),
        (f"qlearning:{PAPER},stop=seldom", BadSpec, "learnt, never or random"),
        (f"qlearning:{PAPER},habit=trees", UnknownName, "did you mean tree"),
        (f"qlearning:{PAPER},temperature=-2", BadSpec, "at least -1"),
    ],
)
def test_a_spec_that_means_nothing_is_refused(spec, error, words):
    with pytest.raises(error, match=words):
        agent(spec, "gravwell")


def test_a_run_without_tables_is_refused(tmp_path):
    (changed_copy(tmp_path / "new") / "tables.npz").unlink()
    with pytest.raises(BadInput, match="no tables yet"):
        agent(f"qlearning:{tmp_path / 'new'}", "gravwell")


def test_files_with_an_underscore_are_no_agents():
    kinds = agent_kinds()
    assert kinds["qlearning"] is QLearning
    assert not any(name.startswith("_") for name in kinds)


# ------------------------------------------------------------------------------------------------ shipped runs


@pytest.mark.parametrize("name", RUNS)
def test_a_shipped_run_is_small_and_says_how_it_was_made(name):
    made = json.loads((SHIPPED / name / "settings.json").read_text(encoding="utf-8"))
    assert made["command"].startswith("ludus train qlearning gravwell")
    assert f"--seed {made['seed']}" in made["command"]
    assert sum(file.stat().st_size for file in (SHIPPED / name).iterdir()) < 200_000


@pytest.mark.parametrize("name", RUNS)
def test_a_shipped_run_plays_by_the_contract(name):
    report = check_agent(f"qlearning:{name}", "gravwell", matches=1)
    assert report.ok, report


def test_the_shipped_runs_are_as_strong_as_they_should_be():
    assert RUNS[0] != RUNS[-1]
    paper, no_stop = (
        contest("gravwell", [spec, *["random"] * 3], games=4000, preset="paper", seed=3).agents[0].score
        for spec in (f"qlearning:{PAPER}", f"qlearning:{PAPER},stop=never")
    )
    assert paper > 0.385  # measured 41.2 %
    assert 0.27 < no_stop < 0.33
