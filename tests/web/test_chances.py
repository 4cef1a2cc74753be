"""The curve of chances: alike for all seats, with an interval, and without teeth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ludus.arena.match import Match
from ludus.catalogue import agent, load
from ludus.web import chances


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """As many continuations as are wanted, however slow the machine."""
    monkeypatch.setattr(chances, "SECONDS", math.inf)
    monkeypatch.setattr(chances, "MOST", 96)


def positions(name: str, spec: str, plies: int) -> list[np.ndarray]:
    game = load(name)
    match, player = Match(game, game.facts.players[0], seed=3), agent(spec, game)
    found = []
    while not match.over and len(found) < plies:
        found.append(match.states.copy())
        for seat, view in match.waiting().items():
            match.submit(seat, player.act(view, match.stream(seat)))
    return found


def test_the_curve_of_pivit_does_not_jump_with_whoever_is_to_move():
    game = load("pivit")
    shares = [chances.expected(game, states).shares[0] for states in positions("pivit", "greedy", 14)]
    assert np.abs(np.diff(shares)).mean() < 0.15
    assert min(shares) > 0.1
    assert max(shares) < 0.9


@pytest.mark.parametrize("name", ["connect_four", "kuhn_poker"])
def test_shares_make_one_point_and_lie_within_their_bounds(name):
    for states in positions(name, "random", 3):
        found = chances.expected(load(name), states)
        assert sum(found.shares) == pytest.approx(1, abs=1e-3)
        for low, share, high in zip(found.low, found.shares, found.high):
            assert 0 <= low <= share <= high <= 1
            assert low < high


def test_what_always_ends_alike_is_not_certain_and_what_is_over_is():
    game = load("tic_tac_toe")
    match = Match(game, 2, start=game.parse_state("XX. OO. ...", 2))
    match.submit(match.acting[0], int(match.view(match.acting[0]).parse("c1")))
    assert match.over
    end = chances.expected(game, match.states)
    assert end.low == end.shares == end.high == [1.0, 0.0]
    alike = chances._interval(np.array([[1.0, 0.0]] * 50))
    assert alike.low[0] < 1 <= alike.high[0]
