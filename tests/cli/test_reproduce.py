"""`ludus reproduce` as a person and a program meet it."""

from __future__ import annotations

import json
from functools import partial

import pytest

from ludus.papers.gravitas import paper
from ludus.papers.matches import lineup


@pytest.fixture
def ludus(command_line, monkeypatch):
    def few(scale, seed, folder, workers):
        return [lineup("nostop-paper", "gravwell", ["nostop", *["random"] * 3], "paper", 40, seed, workers)]

    monkeypatch.setattr(paper, "experiments", few)
    return partial(command_line, "reproduce")


def test_it_writes_a_page_and_a_table(ludus, tmp_path):
    code, out, _ = ludus("gravitas", "--out", "here")
    assert code == 0
    assert "formula-2" in out
    assert "reproduced" in out
    assert "<!doctype html>" in (tmp_path / "here" / "gravitas.html").read_text()
    assert json.loads((tmp_path / "here" / "gravitas.json").read_text())["scale"] == "quick"


def test_it_speaks_json(ludus):
    code, out, _ = ludus("gravitas", "--full", "--seed", "3", "--json")
    assert code == 0
    answer = json.loads(out)
    assert answer["page"].endswith("gravitas-full-3/gravitas.html")
    assert {"key", "published", "ours", "verdict", "why"} <= set(answer["claims"][0])


def test_it_refuses_what_cannot_be(ludus):
    code, _, err = ludus("gravitass")
    assert code == 2
    assert "did you mean gravitas" in err
    code, _, err = ludus("gravitas", "--quick", "--full")
    assert code == 2
    assert "not both" in err


def test_help_has_an_example(ludus):
    code, out, _ = ludus("--help")
    assert code == 0
    assert "Example: ludus reproduce" in " ".join(out.split())
