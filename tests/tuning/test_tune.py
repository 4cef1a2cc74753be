"""Tunings of small games whose right rules are known."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from ludus.arena.statistics import Interval
from ludus.errors import BadInput
from ludus.tuning.book import STARTUP, Book
from ludus.tuning.confirm import Confirmed, matches_needed, wider, winners
from ludus.tuning.effects import effects, front, pulls
from ludus.tuning.gates import Candidate
from ludus.tuning.targets import read_targets
from ludus.tuning.tune import Tuning, order, tune

GAMES = Path(__file__).parent / "games"
PIPS, LOTS = str(GAMES / "pips.py"), str(GAMES / "lots.py")
SMALL = {"agents": ["random"], "matches": 100, "fresh": 600, "best": 2, "lights": False}
PRECISE = {**SMALL, "fresh": 1500}


def test_the_handicap_of_a_race_is_known():
    """Seven pips: the nearest to an even race, by all sequences of throws."""
    goal, least, faces = 50, 10, 9

    @cache
    def wins(own: int, other: int) -> float:
        throws = range(least, least + faces)
        return sum(1.0 if own + roll >= goal else 1 - wins(other, own + roll) for roll in throws) / faces

    assert min(range(21), key=lambda handicap: abs(wins(0, handicap) - 0.5)) == 7


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tuned")
    targets = ["seat_advantage in -8..8", "duration in 5..9"]
    return tune(PIPS, {"handicap": "0..14"}, targets, candidates=10, out=folder, **PRECISE)


def test_the_right_handicap_is_found(tuned):
    assert tuned.winner is not None
    assert tuned.winner.values == {"handicap": 7}
    assert tuned.rules(tuned.winner) == {"handicap": 7}
    assert "handicap=7 meets every target." in tuned.sentences


def test_hopeless_candidates_are_dropped_early(tuned):
    dropped = [one for one in tuned.candidates if one.dropped]
    assert dropped
    assert all("wanted: seat_advantage in -8..8" in one.reason for one in dropped)


def test_today_is_measured_and_compared(tuned):
    assert tuned.start.last["seat_advantage in -8..8"].value > 20
    assert tuned.today.verdicts(tuned.order.targets[0]) == ["missed"]
    assert any("player 1" in sentence for sentence in tuned.compared.sentences)


def test_what_each_rule_does_is_told(tuned):
    found = effects(tuned.candidates, tuned.order.ranges, tuned.order.targets)
    edge = next(one for one in found if one.target.name == "seat_advantage")
    assert edge.label == "handicap +1"
    assert edge.found.high < 0
    assert front(tuned.candidates, tuned.order.targets)
    assert pulls(tuned.candidates, tuned.order.targets)


class Killed(Exception):
    pass


def test_killed_at_any_moment_it_ends_the_same(tmp_path, tuned):
    """Killed again and again, at every third word it says, with a line cut short each time."""

    def watch(doing: str, done: int, total: int) -> None:
        nonlocal words
        words += 1
        if words % 3 == 0:
            raise Killed

    words, deaths, again = 0, 0, None
    targets = [one.text for one in tuned.order.targets]
    made = order(PIPS, {"handicap": "0..14"}, targets, candidates=10, **PRECISE)
    while again is None:
        try:
            tuning = Tuning(made, tmp_path, watch=watch)
            again = tuning.run()
        except Killed:
            deaths += 1
            tuning.book.close()
            with (tmp_path / "study.log").open("a") as journal:
                journal.write('{"op_code": 5, "half a li')
    assert deaths > 3
    assert again.candidates == tuned.candidates
    assert again.best == tuned.best
    assert again.winners == tuned.winners


HANGS = """
import sys, time
from pathlib import Path
from ludus.tuning.tune import Tuning, order

def watch(doing, done, total):
    print(doing, flush=True)
    if doing.startswith("rule set 3"):
        time.sleep(3600)

made = order(sys.argv[1], {"tax": "0..6"}, ["seat_advantage in -9..9"], candidates=5, **SMALL)
Tuning(made, Path(sys.argv[2]), watch=watch).run()
"""


def test_a_process_that_is_killed_by_force_loses_nothing(tmp_path):
    """SIGKILL leaves no time to clean up; the folder is free at once, and the tuning ends as if nothing had been."""
    words = [sys.executable, "-c", f"SMALL = {SMALL!r}\n{HANGS}", LOTS, str(tmp_path / "killed")]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert any(line.startswith("rule set 3") for line in child.stdout)
    child.kill()
    assert child.wait() == -signal.SIGKILL
    killed, whole = (
        tune(LOTS, {"tax": "0..6"}, ["seat_advantage in -9..9"], candidates=5, out=tmp_path / name, **SMALL)
        for name in ("killed", "whole")
    )
    assert len(Book(tmp_path / "killed", killed.order.ranges, killed.order.targets, 0).study.trials) > 5  # one was lost
    assert (killed.candidates, killed.best, killed.winners) == (whole.candidates, whole.best, whole.winners)


def test_the_study_opens_as_any_of_optuna(tmp_path):
    import optuna

    found = tune(LOTS, {"tax": "0..6"}, ["seat_advantage in -9..9"], candidates=4, out=tmp_path, **SMALL)
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(tmp_path / "study.log")))
    study = optuna.load_study(study_name="tuning", storage=storage)
    done = study.get_trials(states=[optuna.trial.TrialState.COMPLETE])
    assert [trial.params for trial in done] == [one.values for one in found.candidates]


def test_more_candidates_go_on_where_the_last_stopped(tmp_path):
    few = tune(LOTS, {"tax": "0..6"}, ["seat_advantage in -9..9"], candidates=4, out=tmp_path, **SMALL)
    more = tune(LOTS, {"tax": "0..6"}, ["seat_advantage in -9..9"], candidates=20, out=tmp_path, **SMALL)
    assert more.candidates[:4] == few.candidates
    assert len(more.candidates) == 7  # there are no others
    assert more.winner is not None
    assert more.winner.values == {"tax": 2}


def test_the_number_of_threads_changes_nothing(tmp_path):
    from ludus.workers import Threads

    settings = {**SMALL, "candidates": 4}
    found = [
        tune(LOTS, {"tax": "0..6"}, ["seat_advantage in -9..9"], out=tmp_path / str(n), workers=Threads(n), **settings)
        for n in (1, 3)
    ]
    assert found[0].candidates == found[1].candidates
    assert found[0].best == found[1].best


def test_a_rule_without_effect_wins_nothing(tmp_path):
    """The colour and the weight of the hammer do nothing; `bench/tuning.py` counts how often one is announced."""
    items = {"hammer": "*", "weight": "1..9", "tax": "2"}
    for seed, target in enumerate(["seat_advantage in 4..24", "minimise:seat_advantage"]):
        found = tune(LOTS, items, [target], candidates=5, seed=seed, out=tmp_path / str(seed), **SMALL)
        assert found.winner is None


def test_two_aims_are_driven_by_generations(tmp_path):
    made = order(LOTS, {"tax": "0..6"}, ["minimise:balance", "maximise:seat_advantage"], candidates=4, **SMALL)
    book = Book(tmp_path, made.ranges, made.targets, 0)
    assert type(book._sampler(1)).__name__ == "NSGAIISampler"
    assert len(book.study.directions) == 2


def test_the_first_candidates_leave_no_value_out(tmp_path):
    made = order(LOTS, {"tax": "0..6", "weight": "1..9"}, ["seat_advantage in -9..9"], candidates=8, **SMALL)
    for seed in range(5):
        (tmp_path / str(seed)).mkdir()
        book = Book(tmp_path / str(seed), made.ranges, made.targets, seed)
        drawn = []
        for _ in range(STARTUP):
            trial, values = book.draw()
            book.keep(trial, Candidate(values))
            drawn.append(values)
        assert {values["tax"] for values in drawn} == set(range(7))
        assert len({values["weight"] for values in drawn}) == STARTUP
        book.close()


def test_a_folder_is_tuned_by_one_process_at_a_time(tmp_path):
    made = order(LOTS, {"tax": "0..6"}, ["seat_advantage in -9..9"], candidates=4, **SMALL)
    book = Book(tmp_path, made.ranges, made.targets, 0)
    with pytest.raises(BadInput, match="another process"):
        Book(tmp_path, made.ranges, made.targets, 0)
    book.close()
    Book(tmp_path, made.ranges, made.targets, 0).close()


# ------------------------------------------------------------------------------------------------ who has won


def confirmed(value: float, half: float = 1.0, **values: int) -> Confirmed:
    found = {"random": {"seat_advantage in -3..3": Interval(value, value - half, value + half, 1000)}}
    return Confirmed(dict(values), found)


def test_a_winner_lies_inside_and_differs_from_today():
    targets = read_targets(["seat_advantage in -3..3"])
    far, near, good = confirmed(9.0), confirmed(1.9), confirmed(0.0, tax=2)
    unsure, shifted = confirmed(0.0, 4.0, tax=3), confirmed(2.5, tax=1)
    assert winners(far, [unsure, good, shifted], targets) == [good]
    assert winners(confirmed(2.5), [confirmed(1.9, tax=1)], targets) == []  # inside, but perhaps as today
    assert winners(near, [good], targets) == []  # today's rules are fine


def test_intervals_widen_with_the_number_of_candidates():
    assert wider(1) == pytest.approx(1)
    assert wider(5) == pytest.approx(2.576 / 1.96, abs=1e-3)


def test_a_candidate_survives_the_disk():
    one = Candidate({"tax": 1}, {"random": {"draws < 5 %": Interval(1.0, 0.0, 2.0, 10)}}, "random", "why", 0, 10)
    assert Candidate.from_dict(one.to_dict()) == one


# ------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fresh": 100}, "100 matches cannot confirm .*about .* can: give --fresh"),
        ({"candidates": 2}, "too few for any verdict; it takes 4"),
        ({"matches": 4}, "too few to see anything"),
        ({"agents": ["random", "random"]}, "name each only once"),
        ({"minutes": -1}, "a tuning takes up to"),
    ],
)
def test_budgets_that_prove_nothing_are_refused(changes, words):
    with pytest.raises(BadInput, match=words):
        order(LOTS, {"tax": "0..6"}, ["seat_advantage in -3..3"], **{**SMALL, "fresh": 4000, "candidates": 8} | changes)


def test_few_minutes_are_refused_with_what_it_would_take(tmp_path):
    made = order(LOTS, {"tax": "0..6"}, ["seat_advantage in -3..3"], **{**SMALL, "fresh": 10**9, "minutes": 0.01})
    with pytest.raises(
        BadInput, match="minutes are too few for any verdict: 4 candidates and a confirmation take about"
    ):
        Tuning(made, tmp_path).run()


def test_how_many_matches_a_range_takes():
    edge, rare = read_targets(["seat_advantage in -3..3", "draws < 5 %"])
    assert matches_needed(edge, 1) == pytest.approx(0.25 * (1.96 / 0.03) ** 2, abs=1)
    assert matches_needed(rare, 1) == pytest.approx(1.96**2 * 19, abs=1)
