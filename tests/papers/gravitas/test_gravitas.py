"""The reproduction of Gravitas: counts, verdicts, and that the same seed gives the same tables."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ludus.papers.claims import Finding, Verdict
from ludus.papers.experiments import Measured, Scale
from ludus.papers.gravitas import counts, evolution, judgements, learning, lineups, run_counts
from ludus.papers.gravitas.lineups import BOTH, CORRECT, NEURAL, PAPER
from ludus.papers.reproduction import reproduce
from ludus.workers import Threads

WORKERS = Threads(2)

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
    found = {finding.claim.key: finding for finding in judgements.complexity()}
    assert found["formula-1"].verdict is Verdict.NOT_REPRODUCED
    assert "Singularity" in found["formula-1"].why
    assert all(found[f"formula-{k}"].verdict is Verdict.REPRODUCED for k in (2, 3, 4))


# ------------------------------------------------------------------------------------------------ verdicts


def lineup(*shares: float) -> dict:
    return {"games": 1000, "shares": [{"value": one, "low": one - 0.005, "high": one + 0.005} for one in shares]}


@pytest.mark.parametrize(("share", "verdict"), [(0.518, Verdict.REPRODUCED), (0.45, Verdict.NOT_REPRODUCED)])
def test_the_verdict_on_the_tree_follows_the_numbers(share, verdict):
    results = Measured()
    for preset in (PAPER, CORRECT):
        results.found[f"tree-published-{preset}"] = results.found[f"tree-intended-{preset}"] = lineup(
            share, 0.2, 0.2, 0.1
        )
    found = {finding.claim.key: finding for finding in judgements.thinking_players(results)}
    assert found["fig-13"].verdict is verdict
    assert found["fig-12"].verdict is Verdict.NOT_MEASURED


def tables_with(variant: str, value: float) -> dict[str, Verdict]:
    """The verdicts on tables 2 to 5 if one variant wins so often, and all others 41 %."""
    results = Measured()
    for preset in (PAPER, CORRECT):
        for name in learning.VARIANTS:
            share = value if name == variant else 0.41
            results.found[f"learn-{name}-{preset}"] = lineup(share) | {"trainings": 8}
    return {finding.claim.key: finding.verdict for finding in judgements.q_tables(results)}


def test_the_verdicts_on_the_tables_follow_the_numbers():
    assert tables_with("no-stop", 0.295) == dict.fromkeys(judgements.TABLES, Verdict.REPRODUCED)
    assert tables_with("no-stop", 0.39)["table-5"] is Verdict.NOT_REPRODUCED
    assert tables_with("no-stop", 0.255)["table-5"] is Verdict.NOT_REPRODUCED  # no better than chance
    assert tables_with("whole-round", 0.36)["table-2"] is Verdict.NOT_REPRODUCED
    assert tables_with("gamma-1", 0.44)["table-4"] is Verdict.NOT_REPRODUCED


def test_a_difference_that_the_paper_could_not_see_does_not_contradict_it():
    """Three points down is certain here, and within the noise of 797 wins beside 818."""
    assert tables_with("whole-round", 0.38)["table-2"] is Verdict.REPRODUCED


def finals(*shares: float) -> dict[str, Finding]:
    """The findings on figure 15 if its seats win so often, whatever the rules."""
    results = Measured()
    one = lineup(*shares)
    spread = [share | {"one_low": share["value"] - 0.02, "one_high": share["value"] + 0.02} for share in one["shares"]]
    results.found[f"final-{NEURAL}"] = one | {"shares": spread}
    for preset in BOTH:
        results.found |= dict.fromkeys((f"final-{preset}", f"final-text-{preset}", f"neat-final-{preset}"), one)
    return {finding.claim.key: finding for finding in judgements.final(results) + judgements.new_finals(results)}


def test_the_order_of_the_final_follows_the_numbers():
    found = finals(0.31, 0.29, 0.21, 0.19)
    assert [found[key].verdict for key in ("fig-15", "fig-15-order", "fig-15-text")] == [Verdict.REPRODUCED] * 3
    assert found["neat-final"].verdict is Verdict.NOT_REACHED
    found = finals(0.30, 0.20, 0.35, 0.15)
    assert [found[key].verdict for key in ("fig-15", "fig-15-order", "fig-15-text")] == [Verdict.NOT_REPRODUCED] * 3
    assert found["neat-final"].verdict is Verdict.REACHED
    assert "NEAT > tree > Q-learning > random" in found["neat-final"].why
    assert "NEAT ≈ tree > Q-learning > random" in finals(0.349, 0.20, 0.35, 0.10)["neat-final"].why


# ------------------------------------------------------------------------------------------------ experiments


def test_random_players_pass_by_tile_far_more_often_than_by_wins():
    wins, tiles = (
        run_counts.passed_tests(name, PAPER, 40, 3, lambda done: None, WORKERS) for name in ("wins-320", "tiles-280")
    )
    assert wins < 24
    assert tiles >= 34


def test_the_best_of_equals_is_lucky():
    rng = np.random.default_rng(1)
    wins, fresh = rng.random((2, 48, 4000)) < 0.25
    best = evolution.best_seen(wins, fresh)
    assert best["34"]["seen"] > 0.38
    assert best["34"]["true"] == pytest.approx(0.25, abs=0.01)
    assert evolution.true_spread(fresh) < 0.005
    unequal = rng.random((48, 4000)) < np.linspace(0.1, 0.4, 48)[:, None]
    assert evolution.true_spread(unequal) == pytest.approx(0.088, abs=0.01)


# ------------------------------------------------------------------------------------------------ the whole


@pytest.fixture(scope="module")
def tiny():
    """All experiments, with so few games that a test can run them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "TABLE_GAMES", 8)
        patch.setattr(learning, "FINAL_GAMES", 8)
        patch.setattr(evolution, "SELECTION_RUNS", (20, 34))
        patch.setattr(
            run_counts,
            "RUN_COUNTS",
            {name: (players, 20, 0.1) for name, (players, *_) in run_counts.RUN_COUNTS.items()},
        )
        yield Scale("tiny", share=0.0005)


@pytest.fixture(scope="module")
def whole(tiny, tmp_path_factory):
    """A folder with all of it, and what was heard on the way."""
    folder, heard = tmp_path_factory.mktemp("whole"), []
    reproduce("gravitas", tiny, 5, folder, WORKERS, lambda *news: heard.append(news))
    return folder, heard


def timeless(folder) -> tuple[list[dict], dict[str, str]]:
    """The rows of a reproduction and the results behind them, but for those that rest on a clock."""
    rows = json.loads((folder / "gravitas.json").read_text())["claims"]
    timed = {row["key"] for row in rows if row["timed"]}
    assert timed == {"evolution-cost", "learning-speed"}
    results = {path.stem: path.read_text() for path in (folder / "experiments").iterdir() if path.stem not in timed}
    return [row for row in rows if not row["timed"]], results


def test_every_experiment_is_run_and_its_progress_told(whole):
    folder, heard = whole
    assert sum(done for _, done, _ in heard) == heard[0][2]
    assert {path.stem for path in (folder / "experiments").iterdir()} == {name for name, *_ in heard}


def test_every_claim_has_a_row_with_a_verdict(whole):
    rows = {row["key"]: row for row in json.loads((whole[0] / "gravitas.json").read_text())["claims"]}
    figures = [f"fig-{k}" for k in range(10, 16)]
    tables = [f"table-{k}" for k in range(2, 6)]
    formulas = [f"formula-{k}" for k in range(1, 5)]
    runs = [f"runs-{name}" for name in run_counts.RUN_COUNTS]
    assert {*figures, *tables, *formulas, *runs, "evolution-cost", "champion-intended", "neat"} <= set(rows)
    assert all(row["verdict"] and row["why"] and row["published"] and row["ours"] for row in rows.values())
    assert rows["fig-10"]["ours"][0]["games"] == 16


class Killed(Exception):
    pass


def kill_at(experiment: str):
    """Dies when an experiment has gone some way, in the midst of it."""

    def watch(name, done, total):
        if name == experiment and done:
            raise Killed

    return watch


def test_the_same_seed_gives_the_same_tables_also_when_killed_and_resumed(tiny, whole, tmp_path):
    for experiment in ("tree-published-paper", "learn-turn-default", "breeding"):
        with pytest.raises(Killed):
            reproduce("gravitas", tiny, 5, tmp_path, WORKERS, kill_at(experiment))
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "experiments").iterdir()}
    assert 50 < len(kept) < len(list((whole[0] / "experiments").iterdir()))
    reproduce("gravitas", tiny, 5, tmp_path, WORKERS)
    assert all(path.stat().st_mtime_ns == when for path, when in kept.items())  # not measured again
    assert timeless(tmp_path) == timeless(whole[0])


def test_another_seed_gives_other_tables(tiny, tmp_path):
    found = [lineups.lineups(tiny, seed, WORKERS)[0].run(lambda done: None) for seed in (5, 6)]
    assert found[0] != found[1]
