"""The reproduction of the Organism paper: verdicts follow numbers, and a tiny run writes its page."""

from __future__ import annotations

import json

import pytest

from ludus.papers.claims import Verdict
from ludus.papers.experiments import Measured, Scale
from ludus.papers.organism import judgements, lineups, paper
from ludus.papers.organism.lineups import BOTH, SEEDS, STRENGTHS
from ludus.papers.reproduction import reproduce
from ludus.workers import Threads


def row(**changes: float) -> dict[str, float]:
    return {"matches": 100, "first": 0.5, "suicides": 0.6, "turns": 10, "grows": 0.3, "centre": 0.1, "decided": 40,
            "playing": 20, **changes}  # fmt: skip


def results(first: float = 0.55, learnt: bool = True) -> Measured:
    found = Measured()
    later = row(first=first, suicides=0.05 if learnt else 0.6, turns=16 if learnt else 9, grows=0.9, centre=0.8)
    for preset in BOTH:
        for k in range(SEEDS):
            found.found[f"training-{preset}-{k}"] = {"rows": [row(), *[later] * 9], "device": "cuda"}
        for name in STRENGTHS:
            found.found[f"fairness-{preset}-{name}"] = {"games": 1200, "first": 550, "second": 600, "draws": 50}
        found.found[f"networks-{preset}"] = {"games": 0, "iterations": {}}
    found.found["plateau"] = {"games": 0, "later": {}}
    found.found["pace"] = {"seconds": {"trained": 0.02, "untrained": 1.5, "ours": 0.005}, "width": 32}
    return found


def verdicts(found: Measured) -> dict[str, Verdict]:
    groups = judgements.all_groups(found)
    return {finding.claim.key: finding.verdict for group in groups.values() for finding in group}


@pytest.mark.parametrize("first", [0.55, 0.7])
def test_seventy_percent_is_judged_by_its_interval(first):
    expected = Verdict.REPRODUCED if first == 0.7 else Verdict.NOT_REPRODUCED
    assert verdicts(results(first))["first-player"] is expected


@pytest.mark.parametrize("learnt", [True, False])
def test_suicides_and_length(learnt):
    found = verdicts(results(learnt=learnt))
    expected = Verdict.REPRODUCED if learnt else Verdict.NOT_REPRODUCED
    assert [found[key] for key in ("fewer-suicides", "longer", "length")] == [expected] * 3
    assert found["suicides"] is Verdict.REPRODUCED
    assert (found["pace"], found["pace-amortised"]) == (Verdict.NOT_REACHED, Verdict.REACHED)


def test_a_later_network_that_is_stronger_breaks_the_plateau():
    found = results()
    assert verdicts(found)["plateau"] is Verdict.REPRODUCED
    shares = [{"value": 0.7, "low": 0.6, "high": 0.8}]
    found.found["plateau"] = {"games": 40, "later": {"8": {"games": 40, "shares": shares}}}
    assert verdicts(found)["plateau"] is Verdict.NOT_REPRODUCED


@pytest.mark.parametrize(
    ("is_full", "preset", "dearest"),
    [(True, "PE", "mcts 10,000"), (True, "P", "mcts 400"), (False, "PE", "mcts 1,600"), (False, "P", "mcts 100")],
)
def test_the_dearest_searches_are_for_the_full_reproduction(is_full, preset, dearest):
    assert lineups.strengths(Scale("", is_full), preset)[-1] == dearest


def test_a_tiny_run_writes_page_and_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(lineups, "SMALL", {"width": 4, "games": 2, "gate": 2, "epochs": 1, "sims": 2})
    monkeypatch.setattr(lineups, "SEEDS", 1)
    monkeypatch.setattr(lineups, "BOTH", ("PE",))
    monkeypatch.setattr(lineups, "STRENGTHS", {"random": "random"})
    monkeypatch.setattr(lineups, "OUR_STRENGTHS", {})
    for name in ("plateau", "pace"):
        monkeypatch.setattr(
            lineups, name, lambda *given: lineups.fairness(Scale("x", share=0.01), 1, Threads(1), "PE", "random")
        )
    monkeypatch.setattr(lineups, "ours", lambda *given: [])
    reproduce("organism", Scale("tiny", share=0.01), 1, tmp_path, Threads(2))
    numbers = json.loads((tmp_path / "organism.json").read_text())
    assert {claim["key"]: claim["verdict"] for claim in numbers["claims"]}["pace"] == "not measured"
    page = (tmp_path / "organism.html").read_text()
    assert paper.TITLE in page
    assert page.count("<div class=still>") >= 4, "the first turns of random play are drawn"
