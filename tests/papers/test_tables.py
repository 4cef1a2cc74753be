"""Findings as tables."""

from __future__ import annotations

from ludus.papers.claims import Claim, Finding, Measure, Verdict, rate_of
from ludus.papers.tables import STYLE, Cell, cells_table, curve, findings_table, ladder_table, summed
from ludus.report.page import Page, Section, render


def test_the_table_of_claims_escapes_words_and_names_other_rules():
    finding = Finding(
        Claim("k", "Figure <1>", "a & b", "52 %"),
        (Measure("it", 0.5, 0.4, 0.6, 1000, rules="odd"),),
        Verdict.REPRODUCED,
        "so",
    )
    table = findings_table([finding], ["x", "y"])
    text = render(Page("t", "s", "l", [], [Section("S", [table])], "f", STYLE))
    assert "Figure &lt;1&gt;" in text
    assert "50.0 %" in text
    assert "<span class=label>it, odd</span>" in text
    assert 'class="badge reproduced"' in text
    assert ".reproduced," in text


def test_a_published_cell_is_judged_by_the_noise_of_both():
    ours = Measure("bot", 0.70, 0.65, 0.75, 400)
    assert Cell(ours, rate_of(5, 5)).judgement[0] is Verdict.REPRODUCED  # five of five is anything above 57 %
    assert Cell(ours, rate_of(100, 100)).judgement[0] is Verdict.NOT_REPRODUCED
    assert "100.0 % [96.3, 100.0] (100 games)" in Cell(ours, rate_of(100, 100)).judgement[1]
    assert Cell(ours).judgement[0] is Verdict.NOT_MEASURED


def test_a_table_of_cells_shows_both_numbers_and_holes():
    ours = Measure("bot", 0.70, 0.65, 0.75, 400)
    text = cells_table("bot", {"one": {"a & b": Cell(ours, rate_of(100, 100))}, "two": {"c": Cell(ours)}})
    assert '<td class="not-reproduced" data-label="a &amp; b"' in text
    assert "published 100.0 %" in text
    assert text.count("<td class=none>") == 2
    assert text.count("<b>70.0 %</b>") == 2


def test_a_table_may_differ_in_as_many_cells_as_chance_allows():
    good, bad = (Cell(Measure("", value, value - 0.02, value + 0.02, 400), rate_of(70, 100)) for value in (0.70, 0.40))
    assert summed({"r": {str(k): good for k in range(40)}})[0] is Verdict.REPRODUCED
    assert summed({"r": {str(k): bad if k < 3 else good for k in range(40)}})[0] is Verdict.REPRODUCED
    verdict, why = summed({"r": {str(k): bad if k < 12 else good for k in range(40)}})
    assert verdict is Verdict.NOT_REPRODUCED
    assert "28 of 40 cells agree" in why


def test_ladders_and_curves_carry_their_intervals():
    row = {"name": "a < b", "rating": 120.4, "low": 90.0, "high": 150.0, "score": 0.66, "games": 400}
    text = ladder_table({"rows": [row], "note": ""})
    assert "a &lt; b" in text
    assert "[+90, +150]" in text
    line = curve("share", {1: Measure("", 0.5, 0.4, 0.6, 100)})
    assert (line.points, line.band) == ([(1, 0.5)], [(0.4, 0.6)])
