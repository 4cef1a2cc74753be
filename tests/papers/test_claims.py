"""Verdicts follow from numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ludus.papers.claims import (
    Measure,
    Verdict,
    all_likely,
    all_near,
    answered,
    at_least,
    at_most,
    exactly,
    in_order,
    near,
    no_difference,
    unless_unseen,
)
from ludus.papers.matches import mean_interval


def rate(value: float, half: float, label: str = "it", rules: str = "") -> Measure:
    return Measure(label, value, value - half, value + half, 1000, rules=rules)


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


def test_a_difference_that_a_paper_could_not_see_does_not_contradict_it():
    ours, theirs = [rate(-0.03, 0.005)], [rate(-0.01, 0.03)]
    verdict, why = unless_unseen(no_difference(ours), ours, theirs, "2,000 games")
    assert verdict is Verdict.REPRODUCED
    assert "there is a difference: it -3.0" in why
    assert why.endswith("too small for 2,000 games to show")


def test_published_levels_must_lie_where_one_training_falls():
    spreads = [mean_interval([0.26, 0.28, 0.30, 0.28])] * 2
    ours = [rate(0.28, 0.01, "Q"), rate(0.28, 0.01, "tree")]
    assert spreads[0]["low"] > 0.25 > spreads[0]["one_low"] > 0.22
    assert all_likely(ours, spreads, [0.25, 0.31])[0] is Verdict.REPRODUCED
    assert all_likely(ours, spreads, [0.28, 0.36])[0] is Verdict.NOT_REPRODUCED
