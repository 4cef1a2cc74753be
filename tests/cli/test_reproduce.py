"""`ludus reproduce` as a person and a program meet it."""

from __future__ import annotations

import json
import sys

import pytest

from ludus.cli import main
from ludus.papers import _gravitas_lab as lab
from ludus.papers import gravitas


@pytest.fixture
def ludus(monkeypatch, capsys, tmp_path):
    """Run a command in this process: exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    few = lambda scale, seed, folder: [lab.matches("nostop-paper", ["nostop", *["random"] * 3], lab.PAPER, 40, seed)]  # noqa: E731
    monkeypatch.setattr(gravitas, "experiments", few)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ludus", "reproduce", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1 if stop.code else 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


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
