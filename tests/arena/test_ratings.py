"""Ratings find the strengths that matches were drawn from, say how sure they are, and agree with choix."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import choix
import numpy as np
import pytest

from ludus.arena.circles import alpha_rank, cyclic_share
from ludus.arena.ratings import Ratings, rate
from ludus.arena.statistics import ELO, Interval
from ludus.errors import BadInput

Matches = tuple[list[tuple[str, ...]], list[tuple[float, ...]], list[int]]
LADDER = {"random": 0.0, "greedy": 150.0, "mcts": 300.0, "alphabeta": 600.0}


def pair_tournament(rng: np.random.Generator, elo: dict[str, float], first: float, tie: float, rounds: int) -> Matches:
    """Every two agents meet in mirrored pairs; `tie` is Davidson's weight of a draw."""
    agents, results, blocks = [], [], []
    for block, (a, b) in enumerate(pair for _ in range(rounds) for pair in combinations(elo, 2)):
        for one, two in ((a, b), (b, a)):
            ratio = math.exp((elo[one] + first - elo[two]) / ELO)
            weights = np.array([ratio, 1.0, tie * math.sqrt(ratio)])
            agents.append((one, two))
            results.append([(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)][rng.choice(3, p=weights / weights.sum())])
            blocks.append(block)
    return agents, results, blocks


def table_tournament(rng: np.random.Generator, elo: dict[str, float], seats: list[float], rounds: int) -> Matches:
    """Four players in all rotations; the places follow from strengths with Gumbel noise, which is Plackett and Luce."""
    agents, results, blocks = [], [], []
    for block in range(rounds):
        table = rng.permutation(list(elo))[:4]
        for turn in range(4):
            names = tuple(str(name) for name in np.roll(table, turn))
            luck = np.array([elo[name] for name in names]) + seats + ELO * rng.gumbel(size=4)
            agents.append(names)
            results.append(tuple(luck.argsort().argsort() / 3))
            blocks.append(block)
    return agents, results, blocks


def by_name(ratings: Ratings) -> dict[str, float]:
    return {row.name: row.elo.value for row in ratings.rows}


def test_two_players_with_draws_and_a_first_move():
    rng = np.random.default_rng(1)
    ratings = rate(*pair_tournament(rng, LADDER, first=80, tie=0.7, rounds=400), rng=rng)
    assert [row.name for row in ratings.rows] == ["alphabeta", "mcts", "greedy", "random"]
    assert by_name(ratings) == pytest.approx(LADDER, abs=35)
    assert ratings.anchor == "random"
    assert ratings.rows[-1].elo == Interval(0, 0, 0, 2400)
    assert all(row.elo.low <= LADDER[row.name] <= row.elo.high and row.elo.n == 2400 for row in ratings.rows)
    assert ratings.seats[0].value == pytest.approx(80, abs=20)
    assert ratings.seats[0].value == pytest.approx(-ratings.seats[1].value)
    assert sum(row.score for row in ratings.rows) == pytest.approx(2)
    assert ratings.note == ""


@pytest.mark.parametrize("winner_only", [False, True])
def test_four_players_with_seats(winner_only: bool):
    rng = np.random.default_rng(2)
    elo, seats = {**LADDER, "tabular": 220.0, "neat": 400.0}, [60.0, 20.0, -20.0, -60.0]
    agents, results, blocks = table_tournament(rng, elo, seats, rounds=600)
    if winner_only:
        results = [tuple(1.0 if share == 1 else -1 / 3 for share in match) for match in results]
    ratings = rate(agents, results, blocks, rng=rng, repeats=100)
    assert by_name(ratings) == pytest.approx(elo, abs=60 if winner_only else 30)
    assert [seat.value for seat in ratings.seats] == pytest.approx([80, 80 / 3, -80 / 3, -80], abs=25)


def test_three_players_with_shared_places():
    """Two may share the first place, or all three draw; what is shared at the bottom by rule says nothing."""
    rng = np.random.default_rng(3)
    elo, tie = {"a": -100.0, "b": 0.0, "c": 100.0}, {1: 1.0, 2: 0.8, 3: 0.5}
    top = [winners for size in (1, 2, 3) for winners in combinations(range(3), size)]
    agents, results = [], []
    for names in list(permutations(elo)) * 400:
        strength = np.array([elo[name] for name in names]) / ELO
        weights = np.array([tie[len(winners)] * math.exp(strength[list(winners)].mean()) for winners in top])
        winners = top[rng.choice(len(top), p=weights / weights.sum())]
        rest = [] if rng.random() < 0.4 else (strength + rng.gumbel(size=3)).argsort().argsort() / 10
        agents.append(names)
        results.append(tuple(1.0 if seat in winners else rest[seat] if len(rest) else 0.0 for seat in range(3)))
    ratings = rate(agents, results, rng=rng, repeats=100)
    assert by_name(ratings) == pytest.approx(elo, abs=20)
    assert all(seat.low < 0 < seat.high for seat in ratings.seats)
    assert sum(row.score for row in ratings.rows) == pytest.approx(1)


def test_intervals_cover():
    rng = np.random.default_rng(4)
    elo, hits = {"random": 0.0, "greedy": 100.0, "mcts": 300.0}, []
    for _ in range(150):
        ratings = rate(*pair_tournament(rng, elo, first=80, tie=0.5, rounds=12), rng=rng, repeats=150)
        hits += [row.elo.low <= elo[row.name] <= row.elo.high for row in ratings.rows if row.name != "random"]
        hits += [ratings.seats[0].low <= 80 <= ratings.seats[0].high]
    assert 0.92 <= np.mean(hits) <= 0.98


def test_pairs_agree_with_choix():
    """Every match also counts with seats exchanged, so that the seats cancel, and the prior is next to nothing."""
    rng = np.random.default_rng(5)
    strengths = rng.normal(size=5)
    wins = [tuple(rng.choice(5, 2, replace=False).tolist()) for _ in range(400)]
    wins = [(a, b) if rng.random() < 1 / (1 + math.exp(strengths[b] - strengths[a])) else (b, a) for a, b in wins]
    theirs = choix.ilsr_pairwise(5, wins)
    agents = [names for a, b in wins for names in ((f"{a}", f"{b}"), (f"{b}", f"{a}"))]
    ours = by_name(rate(agents, [(1, 0), (0, 1)] * len(wins), rng=rng, repeats=10, prior=1e-6))
    assert [ours[f"{k}"] for k in range(5)] == pytest.approx((ELO * theirs).tolist(), abs=0.5)


def test_rankings_agree_with_choix():
    rng = np.random.default_rng(6)
    rankings = [np.argsort(-(np.arange(4) / 2 + rng.gumbel(size=4)))[:3].tolist() for _ in range(150)]
    theirs = choix.ilsr_rankings(4, rankings)
    agents, results = [], []
    for ranking in rankings:
        for order in permutations(range(3)):
            agents.append(tuple(f"{ranking[place]}" for place in order))
            results.append(tuple(-place for place in order))
    ours = by_name(rate(agents, results, rng=rng, repeats=10, prior=1e-6))
    assert [ours[f"{k}"] for k in range(4)] == pytest.approx((ELO * theirs).tolist(), abs=0.5)


def test_an_agent_that_wins_everything_stays_finite():
    agents = [("best", "random"), ("random", "best")] * 50
    rng = np.random.default_rng(7)
    best = rate(agents, [(1, -1), (-1, 1)] * 50, np.repeat(np.arange(50), 2), rng=rng).rows[0]
    assert best.name == "best"
    assert 400 < best.elo.low < 800 < best.elo.value < 1300 < best.elo.high < 10_000


def test_agents_that_never_met():
    agents = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")] * 20
    results = [(1, 0), (1, 0), (0, 1), (1, 0)] * 20
    ratings = rate(agents, results, np.repeat(np.arange(40), 2), rng=np.random.default_rng(8))
    assert ratings.note == "these groups never met, so only the prior compares them: a, b | c, d"
    assert all(row.elo.high - row.elo.low > 500 for row in ratings.rows)
    assert ratings.anchor == ""
    assert sum(row.elo.value for row in ratings.rows) == pytest.approx(0, abs=1e-6)


def test_seats_without_rotation_cannot_be_told_from_agents():
    ratings = rate([("a", "b")] * 100, [(1, 0)] * 70 + [(0, 1)] * 30, rng=np.random.default_rng(9))
    assert ratings.rows[0].elo.high - ratings.rows[0].elo.low > 500
    assert ratings.seats[0].high - ratings.seats[0].low > 500


def test_one_match_is_enough_to_answer():
    ratings = rate([("a", "b")], [(0.5, 0.5)], rng=np.random.default_rng(10))
    assert [row.elo.value for row in ratings.rows] == pytest.approx([0, 0], abs=1e-6)
    assert [row.score for row in ratings.rows] == [0.5, 0.5]


def test_same_seed_same_ratings():
    matches = pair_tournament(np.random.default_rng(11), LADDER, first=0, tie=0.3, rounds=3)
    one, two = (rate(*matches, rng=np.random.default_rng(12), repeats=20) for _ in range(2))
    assert one == two


def test_matches_that_do_not_fit_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(BadInput, match="same number"):
        rate([("a", "b"), ("a", "b", "c")], [(1, 0), (1, 0)], rng=rng)
    with pytest.raises(BadInput, match="result for each seat"):
        rate([("a", "b")], [(1, 0, 0)], rng=rng)


# ------------------------------------------------------------------------------------------------ circles

ROCK_PAPER_SCISSORS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def ladder(agents: int) -> np.ndarray:
    return np.subtract.outer(np.arange(agents), np.arange(agents)) / agents


def test_cyclic_share():
    assert cyclic_share(ROCK_PAPER_SCISSORS) == pytest.approx(1)
    assert cyclic_share(ladder(5)) == pytest.approx(0)
    assert cyclic_share(np.zeros((3, 3))) == 0
    assert cyclic_share(ladder(3) * 3 + ROCK_PAPER_SCISSORS) == pytest.approx(1 / 3)
    assert cyclic_share((ROCK_PAPER_SCISSORS + 1) / 2) == pytest.approx(1)  # scores serve as well as payoffs


def test_alpha_rank():
    assert alpha_rank(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3)
    assert alpha_rank(ladder(5)) == pytest.approx([0, 0, 0, 0, 1], abs=1e-9)
    assert alpha_rank(np.zeros((4, 4))) == pytest.approx([1 / 4] * 4)
    beaten_by_all = np.pad(ROCK_PAPER_SCISSORS, (0, 1))
    beaten_by_all[:3, 3], beaten_by_all[3, :3] = 1, -1
    assert alpha_rank(beaten_by_all) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-9)
    assert alpha_rank([[0.0]]).tolist() == [1.0]


def test_alpha_rank_is_the_long_run_of_its_chain():
    payoffs, alpha, population = np.random.default_rng(13).normal(size=(4, 4)) / 10, 1.0, 20
    chain = np.zeros((4, 4))
    for old, new in permutations(range(4), 2):
        x = alpha * (payoffs[new, old] - payoffs[old, new])
        chain[old, new] = (1 - math.exp(-x)) / (1 - math.exp(-population * x)) / 3
    chain += np.diag(1 - chain.sum(axis=1))
    long_run = np.linalg.matrix_power(chain, 100_000)[0]
    assert alpha_rank(payoffs, alpha, population) == pytest.approx(long_run)
