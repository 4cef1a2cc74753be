"""Papers are folders."""

from __future__ import annotations

import json

import pytest

import ludus.papers
from ludus.errors import UnknownName
from ludus.papers.experiments import QUICK
from ludus.papers.reproduction import find_paper, paper_names, reproduce
from ludus.workers import Threads


def test_papers_are_found_by_name():
    assert "gravitas" in paper_names()
    with pytest.raises(UnknownName, match="gravitas"):
        find_paper("gravitass")


PAPER = """
from ludus.papers.claims import Claim, Finding, at_least, judged
from ludus.papers.matches import ladder, lineup, share
from ludus.papers.reproduction import Reproduction
from ludus.papers.tables import Cell, cells_table, findings_table, ladder_table
from ludus.papers.claims import rate_of
from ludus.report.page import Page, Section

TITLE = "A toy"


def experiments(scale, seed, folder, workers):
    agents = {"random": "random", "greedy": "greedy"}
    return [
        lineup("greedy", "tic_tac_toe", ["greedy", "random"], "default", 20, seed, workers),
        ladder("ladder", "tic_tac_toe", agents, "default", 20, seed, workers),
    ]


def report(results):
    ours = share(results, "greedy", "greedy")
    findings = [judged(Claim("k", "Table 1", "It wins.", "80 %"), lambda: ([ours], at_least(ours, 0.5)))]
    cells = cells_table("bot", {"greedy": {"random": Cell(ours, rate_of(4, 5))}})
    blocks = [findings_table(findings, ["rules"]), cells, ladder_table(results["ladder"])]
    return Reproduction(Page(TITLE, "", "", [], [Section("All", blocks)], ""), findings)
"""


def test_a_new_paper_is_one_new_folder(tmp_path, monkeypatch):
    """With a published table, verdicts and a ladder, and nothing else touched."""
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "__init__.py").write_text("")
    (tmp_path / "toy" / "paper.py").write_text(PAPER)
    monkeypatch.setattr(ludus.papers, "__path__", [*ludus.papers.__path__, str(tmp_path)])
    assert "toy" in paper_names()
    reproduce("toy", QUICK, 1, tmp_path / "out", Threads(1))
    assert json.loads((tmp_path / "out" / "toy.json").read_text())["claims"][0]["verdict"] == "reached"
    assert "<table class=ladder>" in (tmp_path / "out" / "toy.html").read_text()
