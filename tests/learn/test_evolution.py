"""Evolution of an agent's numbers: two schemes, the same result after a kill, and clear refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ludus.catalogue import agent, load
from ludus.errors import LudusError
from ludus.learn.evolution import COPIES, SPEC, Published, Scores, Settings, train
from ludus.runs import SHIPPED, begin_run
from ludus.workers import Threads

THRONES = load("thrones")
SMALL = {"agent": "bot1:depth=1", "opponents": "rand@paper_small", "generations": 3, "population": 6, "games": 2}


def trained(folder, stop=None, threads=1, **changes):
    """Train until the end, or break off after some generations."""
    settings, values = Settings(**SMALL | changes), THRONES.rule_values("paper_small")
    run = begin_run(folder, "evolution", THRONES, values, settings, 1)
    for row in train(THRONES, values, settings, run, 1, Threads(threads)):
        if row["generation"] == stop:
            break
    return run


@pytest.mark.parametrize("scheme", ["modern", "published"])
def test_a_run_that_was_broken_off_ends_as_if_it_had_not_been(tmp_path, scheme):
    whole = trained(tmp_path / "whole", scheme=scheme, renew=1)
    trained(tmp_path / "broken", stop=1, scheme=scheme, renew=1)
    again = trained(tmp_path / "broken", threads=2, scheme=scheme, renew=1)
    assert again.read("numbers.txt") == whole.read("numbers.txt")
    assert again.rows() == whole.rows()
    assert [row["generation"] for row in whole.rows()] == ["1", "2", "3"]


def test_what_was_found_is_played(tmp_path):
    run = trained(tmp_path, spread=0.5)
    found = np.loadtxt(run.path / "numbers.txt")
    player = agent(SPEC(Settings(**SMALL), run.path, THRONES), THRONES)
    assert player.depth == 1
    assert player._weights[0].territory == found[0] != 10.0
    by_hand = agent(f"bot1:run={run.path},territory=2", THRONES)
    assert by_hand._weights[0].territory == 2
    assert by_hand._weights[0].trail == player._weights[0].trail


@pytest.mark.parametrize(
    ("given", "spec"),
    [
        ("bot1:territory=3;depth=2", "bot1:depth=2,run=here"),
        ("bot1:run=thrones-bot1", "bot1:run=here"),
        ("bot2:run=thrones-bot2;race=1", "bot2:race=1.0,run=here"),
        ("champion:nodes=9;trust=1", "champion:nodes=9,run=here"),
    ],
)
def test_numbers_that_a_training_began_with_do_not_stand_before_what_it_found(given, spec):
    assert SPEC(Settings(agent=given), Path("here"), THRONES) == spec


@pytest.mark.parametrize("spec", ["bot1:run=thrones-bot1", "champion:run=thrones-champion"])
def test_a_training_goes_on_from_the_numbers_of_a_run(spec):
    shipped = np.loadtxt(SHIPPED / spec.partition("=")[2] / "numbers.txt")
    assert np.allclose(agent(spec, THRONES).tunable(), shipped)


def test_a_network_is_evolved_and_played(tmp_path):
    run = trained(tmp_path, agent="bot2:depth=1", generations=1, scheme="published", spread=0.03)
    found = np.loadtxt(run.path / "numbers.txt")
    assert (agent(f"bot2:run={run.path}", THRONES)._net == found).all()
    with pytest.raises(LudusError, match="numbers of bot2, not of bot1"):
        agent(f"bot1:run={run.path}", THRONES)


def test_the_published_reward_is_all_or_nothing_and_copies_measure_the_parent_again():
    scheme = Published(np.ones(3), Settings(bonus=1000.0, population=16, spread=0.03), 0)
    margins = np.array([5.0, 6.0])
    assert scheme.fitness(Scores(np.array([1.0, 1.0]), margins)) == 1011
    assert scheme.fitness(Scores(np.array([1.0, 0.5]), margins)) == 11
    children = scheme.ask()
    assert len(children) == 16
    assert all((child == 1).all() for child in children[:COPIES])
    spread = [np.abs(child - 1).mean() for child in children[COPIES:]]
    assert min(spread) > 0
    assert (scheme.tell(np.arange(16.0)) == children[15]).all()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"agent": ""}, "agent=NAME"),
        ({"agent": "ta1"}, "ta1 names no numbers"),
        ({"scheme": "ancient"}, "modern, published"),
        ({"opponents": "+"}, "nobody"),
        ({"opponents": "rand@papr"}, "paper_small"),
    ],
)
def test_what_cannot_be_evolved_is_refused(tmp_path, changes, sentence):
    with pytest.raises(LudusError, match=sentence):
        trained(tmp_path, **changes)
