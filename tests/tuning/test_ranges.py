"""Which rules may change, and how far."""

from __future__ import annotations

import pytest

from ludus.catalogue import load
from ludus.errors import BadInput
from ludus.tuning.ranges import read_ranges, size_of

THRONES = load("thrones")


def test_numbers_choices_and_single_values():
    ranges, fixed = read_ranges(THRONES, {"cap": "10..13", "walkers": "bounce|frozen", "tie": "coin", "map": "*"})
    assert [one.values for one in ranges] == [
        (10, 11, 12, 13),
        ("bounce", "frozen"),
        ("small_room", "empty_room", "large_room"),
    ]
    assert fixed == {"tie": "coin"}
    assert size_of(ranges) == 4 * 2 * 3


def test_numbers_with_a_fraction_go_in_steps():
    ranges, _ = read_ranges(load("thrones+handicaps"), {"komi": "0..10"})
    assert ranges[0].values[:3] == (0.0, 0.5, 1.0)


def test_a_range_can_be_written_down_and_read_again():
    game = load("thrones+handicaps")
    ranges, _ = read_ranges(game, {"cap": "10|13|15", "walkers": "bounce|frozen", "komi": "0|2.5"})
    assert read_ranges(game, dict(one.text.split("=") for one in ranges))[0] == ranges
    assert ranges[0].text == "cap=10|13|15"  # not 10..15, which would be another tuning under the same name


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ({"cap": "0..10"}, "lies in 1..1000 by the game itself; 0 is outside"),
        ({"cap": "9..5"}, "the lesser end first"),
        ({"cap": "many"}, "takes a range like 1..1000"),
        ({"walkers": "bounce|flying"}, "is one of bounce, random, frozen, not 'flying'"),
        ({"kap": "1..5"}, "did you mean .*cap"),
        ({"cap": "20"}, "needs a rule with a range"),
    ],
)
def test_what_cannot_be_is_refused(items, words):
    with pytest.raises(BadInput, match=words):
        read_ranges(THRONES, items)
