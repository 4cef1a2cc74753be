"""`ludus match --svg`: a position of the first match as a picture."""

from __future__ import annotations

import json
from functools import partial
from xml.etree import ElementTree

import pytest

from ludus.arena.match import replay
from ludus.draw import picture
from ludus.game import View
from ludus.records import read_records


@pytest.fixture
def match(command_line):
    return partial(command_line, "match")


def test_the_end_of_the_first_match_is_drawn(match, tmp_path):
    code, out, _ = match("connect_four", "random", "random", "--games", "6", "--svg", "end.svg", "--records", "r.jsonl")
    assert code == 0
    first = read_records(tmp_path / "r.jsonl")[0][0]
    assert (first.block, first.rotation) == (0, 0)
    assert f"the first match at ply {first.plies} is drawn in end.svg" in out
    drawn = (tmp_path / "end.svg").read_text()
    last, before = replay(first), replay(first, first.plies - 1)
    assert drawn == picture(View.public(last.game, last.states), View.public(last.game, before.states))
    assert last.outcome_text() in " ".join(text.text or "" for text in ElementTree.fromstring(drawn).iter())


def test_the_first_match_is_the_first_whoever_finishes_it(match, tmp_path):
    arguments = ("tic_tac_toe", "random", "greedy", "--games", "40", "--svg")
    match(*arguments, "one.svg")
    match(*arguments, "two.svg", "--jobs", "2")
    assert (tmp_path / "one.svg").read_text() == (tmp_path / "two.svg").read_text()


def test_a_chosen_position_is_drawn(match, tmp_path):
    code, out, _ = match("tic_tac_toe", "random", "random", "--games", "2", "--svg", "x.svg", "--ply", "3", "--json")
    assert code == 0
    assert json.loads(out)["svg"] == "x.svg"
    assert (tmp_path / "x.svg").read_text().count(', X"') == 2
    match("tic_tac_toe", "random", "random", "--games", "2", "--svg", "x.svg", "--ply", "0")
    assert (tmp_path / "x.svg").read_text().count(', X"') == 0


def test_a_start_is_drawn_too(match, tmp_path):
    (tmp_path / "near.txt").write_text("X X .  O O .  . . .")
    match("tic_tac_toe", "greedy", "greedy", "--start", "near.txt", "--games", "2", "--svg", "x.svg", "--ply", "0")
    assert (tmp_path / "x.svg").read_text().count(', O"') == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--ply", "3"), "give --svg FILE too"),
        (("--svg", "nowhere/x.svg"), "there is no folder nowhere"),
        (("--svg", ".", "--ply", "1"), ". is a folder"),
        (("--svg", "x.svg", "--ply", "99"), "so --ply cannot be 99"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(match, arguments, sentence):
    code, out, err = match("tic_tac_toe", "random", "random", "--games", "2", *arguments)
    assert code == 2
    assert err.startswith("ludus: ")
    assert sentence in err
    assert len(err.strip().splitlines()) == 1
    assert out == ""
