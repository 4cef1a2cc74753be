"""The reproduction of Gravitas: counts, verdicts, notebook, page, and that the same seed gives the same tables."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from ludus.errors import BadInput, UnknownName
from ludus.papers import Experiment, Notebook, Results, Scale, find_paper, gravitas, measure, paper_names, reproduce
from ludus.papers import _gravitas_counts as counts
from ludus.papers import _gravitas_lab as lab
from ludus.papers.claims import (
    Claim,
    Finding,
    Measure,
    Verdict,
    all_near,
    answered,
    at_least,
    at_most,
    exactly,
    in_order,
    near,
    no_difference,
)
from ludus.papers.page import (
    Group,
    Line,
    Page,
    Section,
    bar_chart,
    findings_table,
    line_chart,
    paragraph,
    picture,
    render,
)

TINY = Scale("tiny", share=0.002)


def rate(value: float, half: float, label: str = "it", rules: str = "") -> Measure:
    return Measure(label, value, value - half, value + half, 1000, rules=rules)


# ------------------------------------------------------------------------------------------------ formulas


def test_the_formulas_have_their_known_values():
    assert [counts.board_permutations(n) for n in (2, 3, 4)] == [148_826, 189_750_606, 9_297_779_424]
    assert [counts.stop_sequences(6, n) for n in (2, 3, 4)] == [28, 84, 210]
    assert [f"{counts.play_sequences(6, n):.4e}" for n in (2, 3, 4)] == ["2.0239e+15", "1.8008e+19", "2.2159e+20"]
    assert [f"{counts.distinct_play_sequences(6, n):.4e}" for n in (2, 3, 4)] == [
        "2.2668e+17", "3.4308e+24", "4.8415e+29",
    ]  # fmt: skip


def test_boards_are_counted_as_by_hand(monkeypatch):
    """Two players and a hulk on three tiles: 3 boards with both at home, 2·3·2 with one, 3·2·1 with none."""
    monkeypatch.setattr(counts, "TILES", 3)
    assert counts.count_boards(2) == 3 + 12 + 6


def test_counts_agree_with_formulas_but_for_the_first():
    found = {finding.claim.key: finding for finding in gravitas.complexity()}
    assert found["formula-1"].verdict is Verdict.NOT_REPRODUCED
    assert "Singularity" in found["formula-1"].why
    assert all(found[f"formula-{k}"].verdict is Verdict.REPRODUCED for k in (2, 3, 4))


# ------------------------------------------------------------------------------------------------ verdicts


def test_near_takes_the_interval_or_the_tolerance():
    assert near(rate(0.50, 0.03), 0.52, 0.01)[0] is Verdict.REPRODUCED
    assert near(rate(0.50, 0.001), 0.52, 0.03)[0] is Verdict.REPRODUCED
    assert near(rate(0.50, 0.001), 0.52, 0.01)[0] is Verdict.NOT_REPRODUCED
    assert all_near([rate(0.25, 0.001), rate(0.30, 0.001)], [0.25, 0.25], 0.01)[0] is Verdict.NOT_REPRODUCED


def test_differences_add_their_errors():
    difference = rate(0.5, 0.03).minus(rate(0.4, 0.04))
    assert difference.value == pytest.approx(0.1)
    assert (difference.low, difference.high) == (pytest.approx(0.05), pytest.approx(0.15))
    assert no_difference([difference])[0] is Verdict.NOT_REPRODUCED
    assert no_difference([replace(difference, low=-0.01)])[0] is Verdict.REPRODUCED
    assert no_difference([replace(difference, low=-0.01), difference])[0] is Verdict.NOT_REPRODUCED
    assert answered(difference)[0] is Verdict.ANSWERED
    assert answered(replace(difference, low=-0.01))[0] is Verdict.NOT_MEASURED


def test_orders_and_aims():
    assert in_order([rate(0.5, 0.01), rate(0.4, 0.01)])[0] is Verdict.REPRODUCED
    assert in_order([rate(0.5, 0.1), rate(0.45, 0.1)])[0] is Verdict.NOT_REPRODUCED
    assert at_least(rate(0.66, 0.02), 0.65)[0] is Verdict.REACHED
    assert at_least(rate(0.64, 0.02), 0.65)[0] is Verdict.NOT_REACHED
    assert at_most(Measure("time", 3.0, 3.0, 3.0, 0, "s"), 2.0)[0] is Verdict.NOT_REACHED
    assert exactly([1, 2], [1, 3])[0] is Verdict.NOT_REPRODUCED


def lineup(*shares: float) -> dict:
    return {"games": 1000, "shares": [{"value": one, "low": one - 0.005, "high": one + 0.005} for one in shares]}


@pytest.mark.parametrize(("share", "verdict"), [(0.518, Verdict.REPRODUCED), (0.45, Verdict.NOT_REPRODUCED)])
def test_the_verdict_on_the_tree_follows_the_numbers(share, verdict):
    results = Results()
    for preset in (lab.PAPER, lab.CORRECT):
        results.found[f"tree-published-{preset}"] = results.found[f"tree-intended-{preset}"] = lineup(
            share, 0.2, 0.2, 0.1
        )
    found = {finding.claim.key: finding for finding in gravitas.thinking_players(results)}
    assert found["fig-13"].verdict is verdict
    assert found["fig-12"].verdict is Verdict.NOT_MEASURED


def tables_with(variant: str, value: float) -> dict[str, Verdict]:
    """The verdicts on tables 2 to 5 if one variant wins so often, and all others 41 %."""
    results = Results()
    for preset in (lab.PAPER, lab.CORRECT):
        for name in lab.VARIANTS:
            share = value if name == variant else 0.41
            one = {"trainings": 8, "games": 16000, "value": share, "low": share - 0.01, "high": share + 0.01}
            results.found[f"learn-{name}-{preset}"] = one
    return {finding.claim.key: finding.verdict for finding in gravitas.q_tables(results)}


def test_the_verdicts_on_the_tables_follow_the_numbers():
    assert tables_with("no-stop", 0.295) == dict.fromkeys(gravitas.TABLES, Verdict.REPRODUCED)
    assert tables_with("no-stop", 0.39)["table-5"] is Verdict.NOT_REPRODUCED
    assert tables_with("no-stop", 0.255)["table-5"] is Verdict.NOT_REPRODUCED  # no better than chance
    assert tables_with("whole-round", 0.38)["table-2"] is Verdict.NOT_REPRODUCED
    assert tables_with("gamma-1", 0.44)["table-4"] is Verdict.NOT_REPRODUCED


# ------------------------------------------------------------------------------------------------ experiments


def test_random_players_pass_by_tile_far_more_often_than_by_wins():
    wins, tiles = (lab.passed_tests(name, lab.PAPER, 40, 3, lambda done: None) for name in ("wins-320", "tiles-280"))
    assert wins < 24
    assert tiles >= 34


def test_the_best_of_equals_is_lucky():
    rng = np.random.default_rng(1)
    wins, fresh = rng.random((2, 48, 4000)) < 0.25
    best = lab.best_seen(wins, fresh)
    assert best["34"]["seen"] > 0.38
    assert best["34"]["true"] == pytest.approx(0.25, abs=0.01)
    assert lab.true_spread(fresh) < 0.005
    unequal = rng.random((48, 4000)) < np.linspace(0.1, 0.4, 48)[:, None]
    assert lab.true_spread(unequal) == pytest.approx(0.088, abs=0.01)


def test_an_agent_that_is_not_there_is_a_reason_and_no_crash(tmp_path):
    results = Results()
    experiment = lab.matches("nobody-paper", ["nobody", "random", "random", "random"], lab.PAPER, 4, 0)
    measure(experiment, Notebook(tmp_path), results, lambda done: None)
    assert "nobody" in results.reasons["nobody-paper"]
    with pytest.raises(BadInput, match="nobody"):
        results["nobody-paper"]


def test_a_finished_experiment_is_not_run_again_unless_its_settings_changed(tmp_path):
    ran = []

    def run(watch) -> dict:
        ran.append(1)
        return {"answer": len(ran)}

    notebook = Notebook(tmp_path)
    for settings in ({"seed": 1, "pair": (1, 2)}, {"seed": 1, "pair": (1, 2)}, {"seed": 2, "pair": (1, 2)}):
        results = Results()
        measure(Experiment("one", settings, 1, run), notebook, results, lambda done: None)
    assert len(ran) == 2
    assert results["one"] == {"answer": 2}


def test_code_behind_an_agent_counts_as_a_setting():
    assert lab.fingerprint("tree:reading=published") != lab.fingerprint("random")
    assert "def tree_card" in lab.source_of("ludus.agents.qlearning")  # it drafts like the tree


def test_papers_are_found_by_name():
    assert "gravitas" in paper_names()
    with pytest.raises(UnknownName, match="gravitas"):
        find_paper("gravitass")


# ------------------------------------------------------------------------------------------------ the whole


@pytest.fixture
def cheap(monkeypatch):
    """A reproduction small enough for a test: a few lineups, few games, one training of each variant."""
    chosen = ("random-paper", "random-default", "nostop-paper", "tree-published-paper", "tree-published-default")
    monkeypatch.setattr(lab, "TABLE_GAMES", 40)
    monkeypatch.setattr(lab, "SELECTION_RUNS", (20, 34))
    everything = gravitas.experiments

    def few(scale, seed, folder):
        wanted = [one for one in everything(scale, seed, folder) if one.name in (*chosen, "learn-baseline-paper")]
        assert len(wanted) == len(chosen) + 1
        return wanted

    monkeypatch.setattr(gravitas, "experiments", few)


def test_the_same_seed_gives_the_same_tables(cheap, tmp_path):
    heard = []
    tables = []
    for name in ("a", "b"):
        reproduce("gravitas", TINY, 5, tmp_path / name, lambda *news: heard.append(news))
        tables.append((tmp_path / name / "gravitas.json").read_text())
    assert tables[0] == tables[1]
    assert sum(done for _, done, _ in heard) == 2 * heard[0][2]
    reproduce("gravitas", TINY, 6, tmp_path / "c")
    assert (tmp_path / "c" / "gravitas.json").read_text() != tables[0]


def test_a_killed_reproduction_goes_on_where_it_was(cheap, tmp_path):
    def stop_at_tree(name, done, total):
        if name.startswith("tree"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce("gravitas", TINY, 5, tmp_path / "cut", stop_at_tree)
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "cut" / "experiments").iterdir()}
    assert "random-paper.json" in kept
    reproduce("gravitas", TINY, 5, tmp_path / "cut")
    reproduce("gravitas", TINY, 5, tmp_path / "whole")
    assert all((tmp_path / "cut" / "experiments" / name).stat().st_mtime_ns == when for name, when in kept.items())
    assert (tmp_path / "cut" / "gravitas.json").read_text() == (tmp_path / "whole" / "gravitas.json").read_text()


def test_every_claim_has_a_row_with_a_verdict(cheap, tmp_path):
    reproduce("gravitas", TINY, 5, tmp_path)
    rows = {row["key"]: row for row in json.loads((tmp_path / "gravitas.json").read_text())["claims"]}
    figures = [f"fig-{k}" for k in range(10, 16)]
    tables = [f"table-{k}" for k in range(2, 6)]
    formulas = [f"formula-{k}" for k in range(1, 5)]
    runs = [f"runs-{name}" for name in lab.RUN_COUNTS]
    assert {*figures, *tables, *formulas, *runs, "evolution-cost", "champion-intended", "neat"} <= set(rows)
    assert all(row["verdict"] and row["why"] and row["published"] for row in rows.values())
    measured = rows["fig-13"]["ours"]
    assert rows["fig-13"]["verdict"] == Verdict.NOT_MEASURED
    assert not measured
    assert rows["fig-10"]["ours"][0]["games"] == 60


# ------------------------------------------------------------------------------------------------ the page


def test_the_page_needs_nothing_else_and_escapes_words():
    finding = Finding(
        Claim("k", "Figure <1>", "a & b", "52 %"), (rate(0.5, 0.1, rules="odd"),), Verdict.REPRODUCED, "so"
    )
    text = render(Page("T <x>", "s", "l", [], [Section("S", [findings_table([finding], ["x", "y"])])], "f"))
    assert "Figure &lt;1&gt;" in text
    assert "T <x>" not in text
    assert "50.0 %" in text
    assert not re.findall(r"(?:src|href)=[\"']?[^#\"']", text)
    assert "@import" not in text
    assert "prefers-color-scheme:dark" in text
    assert "@media print" in text


def test_a_bar_is_as_long_as_its_number_says():
    chart = bar_chart("t", ["a"], [Group("g", [rate(0.3, 0.01)], published=0.6)], chance=0.25)
    assert 'width="43.0%"' in chart  # half of the axis, which ends at 60 % and at 86 % of the width
    assert 'x="86.0%"' in chart


def test_a_logarithmic_line_bends_the_axis():
    chart = line_chart("t", "games", [Line("seen", [(10, 0.4), (100, 0.3), (1000, 0.2)])])
    assert [float(x) for x in re.findall(r'cx="([\d.]+)%"', chart)] == [8.0, 52.5, 97.0]


def test_a_chart_can_be_a_picture_of_its_own():
    chart = bar_chart("A & B", ["a", "b"], [Group("g", [rate(0.3, 0.01), rate(0.2, 0.01)], 0.6)], chance=0.25)
    ElementTree.fromstring(picture(chart))


def test_words_may_be_emphasised():
    assert paragraph("*so* & `x`") == "<p><em>so</em> &amp; <code>x</code></p>"
