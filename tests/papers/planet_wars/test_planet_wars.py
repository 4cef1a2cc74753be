"""The reproduction of the Planet Wars paper: verdicts follow numbers, and a tiny run writes its page."""

from __future__ import annotations

import json

import pytest

from ludus.papers.claims import Verdict
from ludus.papers.experiments import Measured, Scale
from ludus.papers.planet_wars import judgements, lineups, paper
from ludus.papers.reproduction import reproduce
from ludus.workers import Threads


def results(**shares: float) -> Measured:
    found = Measured()
    for name, value in shares.items():
        for preset in lineups.BOTH:
            one = {"value": value, "low": value - 0.02, "high": value + 0.02}
            found.found[f"{name}-{preset}"] = {"games": 1000, "shares": [one, one]}
    return found


@pytest.mark.parametrize(("share", "verdict"), [(0.7, Verdict.REPRODUCED), (0.51, Verdict.NOT_REPRODUCED)])
def test_a_part_is_worth_something_if_the_whole_wins(share, verdict):
    found = {one.claim.key: one for one in judgements.parts(results(**{"part-defend": share}))}
    assert found["part-defend"].verdict is verdict
    assert found["part-attack"].verdict is Verdict.NOT_MEASURED


@pytest.mark.parametrize(("share", "word"), [(0.7, "better"), (0.3, "worse"), (0.5, "no difference")])
def test_a_reading_is_answered_by_its_lead(share, word):
    found = {one.claim.key: one for one in judgements.readings(results(**{"reading-bonus=text": share}))}
    assert word in found["reading-bonus=text"].why


def test_over_expansion_is_a_weakness_if_care_wins():
    verdicts = [judgements.weaknesses(results(**{"reading-caution=never": share}))[0].verdict for share in (0.3, 0.5)]
    assert verdicts == [Verdict.REPRODUCED, Verdict.NOT_REPRODUCED]


def test_every_setting_of_the_planner_is_put_to_the_test():
    from ludus.agents.planet_wars.planner import CHOICES

    tested = {change.partition("=")[0] for change in lineups.READINGS} | set(lineups.PARTS)
    assert tested == set(CHOICES)


def test_a_tiny_run_writes_page_and_numbers(tmp_path, monkeypatch):
    for name, kept in [("EXAMPLES", 1), ("PARTS", 1), ("READINGS", 1)]:
        monkeypatch.setattr(lineups, name, dict(list(getattr(lineups, name).items())[:kept]))
    monkeypatch.setattr(lineups, "LADDER", {"random": "random_bot", "rage": "rage"})
    monkeypatch.setattr(lineups, "TYPICAL", dict.fromkeys(lineups.TYPICAL, ("planner", "dual")))
    monkeypatch.setattr(lineups, "CHAMPION", "rage")
    reproduce("planet_wars", Scale("tiny", share=0.02), 1, tmp_path, Threads(2))
    numbers = json.loads((tmp_path / "planet_wars.json").read_text())
    assert {claim["key"] for claim in numbers["claims"]} >= {"example-dual", "part-supply", "champion", "rank"}
    assert paper.TITLE in (tmp_path / "planet_wars.html").read_text()
