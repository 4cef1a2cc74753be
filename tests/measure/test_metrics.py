"""Metrics on matches made up by hand, with the numbers worked out by hand."""

from __future__ import annotations

import importlib
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ludus.errors import UnknownName
from ludus.measure.metric import Light
from ludus.measure.metrics import (
    action_use,
    agency,
    all_metrics,
    balance,
    blunder_cost,
    branching,
    comeback,
    coverage,
    decisiveness,
    downtime,
    drama,
    duration,
    effective_choice,
    endings,
    killer_moves,
    kingmaking,
    lead_changes,
    luck_in_play,
    luck_share,
    metric,
    non_transitivity,
    openings,
    permanence,
    refinement,
    repetition,
    runaway_leader,
    seat_advantage,
    skill_ladder,
    skill_share,
    stability,
    surprise,
    suspense,
    tree_size,
    uncertainty,
)
from ludus.measure.metrics.non_transitivity import _cyclic
from ludus.measure.sampling import blocks_of, entropy_of, jackknife, quantile, rate, ratio
from ludus.measure.strength import pair_score
from ludus.measure.traces import leaders, trace_of
from ludus.report.examples import highlights
from tests.measure.scripted import made_up, options, told, two_seats

PAGES = Path(__file__).resolve().parents[2] / "docs" / "metrics"


# ------------------------------------------------------------------------------------------------ intervals


def test_an_interval_holds_its_value_and_counts_matches():
    found = rate([1, 0, 1, 1], np.array([0, 0, 1, 1]))
    assert found.value == 0.75
    assert found.n == 4
    assert found.low < 0.75 < found.high


def test_matches_that_say_nothing_do_not_count():
    found = rate([1, math.nan, 0], np.array([0, 1, 2]))
    assert (found.value, found.n) == (0.5, 2)


def test_nothing_measured_is_said_so():
    for found in (rate([], np.array([])), ratio([0.0], [0.0], np.array([0])), jackknife(np.array([], int), len)):
        assert math.isnan(found.value)
        assert found.n == 0


def test_one_block_says_nothing_about_the_spread():
    found = ratio([3.0, 5.0], [1.0, 1.0], np.array([7, 7]))
    assert (found.value, found.low, found.high) == (4.0, 0.0, math.inf)


def test_never_is_no_certainty():
    found = ratio([0.0] * 10, [4.0] * 10, np.arange(10), 0.0, 1.0)
    assert found.value == 0.0
    assert 0.05 < found.high < 0.6


def test_blocks_that_stand_and_fall_together_widen_the_interval():
    wins = np.repeat([0.0, 1.0] * 10, 2)
    together, apart = rate(wins, np.repeat(np.arange(20), 2)), rate(wins, np.arange(40))
    assert together.high - together.low > 1.2 * (apart.high - apart.low)


def test_a_quantile_of_many_equal_values_is_sure():
    found = quantile([4.0] * 30 + [5.0] * 40 + [6.0] * 30, np.arange(100), 0.5)
    assert (found.value, found.low, found.high) == (5.0, 5.0, 5.0)
    found = quantile([4.0] * 45 + [5.0] * 55, np.arange(100), 0.5)
    assert (found.value, found.low, found.high) == (5.0, 4.0, 5.0)


def test_entropy_is_corrected_by_miller_and_madow():
    plain = -sum(p * math.log(p) for p in (10 / 16, 5 / 16, 1 / 16))
    assert entropy_of(np.array([10, 5, 1, 0])) == pytest.approx(plain + 2 / 32)


# ------------------------------------------------------------------------------------------------ who wins


def test_seat_advantage_is_what_lies_beyond_a_fair_share():
    replays = [made_up([1, 0, 0], block=k) for k in range(6)] + [made_up([0, 0.5, 0.5], block=k) for k in range(6, 10)]
    found = seat_advantage.measure(replays)
    assert [seat.value for seat in found.seats] == pytest.approx([0.6 - 1 / 3, 0.2 - 1 / 3, 0.2 - 1 / 3])
    assert found.elo is None


def test_seat_advantage_of_two_in_elo():
    found = seat_advantage.measure([made_up([w, 1 - w], block=k) for k, w in enumerate([1, 1, 1, 0] * 10)])
    assert found.elo is not None
    assert found.elo.value == pytest.approx(400 * math.log10(3))
    assert found.elo.low < found.elo.value < found.elo.high


def test_the_seat_test_agrees_with_the_binomial_where_matches_are_independent():
    from scipy.stats import binomtest

    found = seat_advantage.measure([made_up([w, 1 - w], block=k) for k, w in enumerate([1] * 29 + [0] * 15)])
    assert found.p_value == pytest.approx(binomtest(29, 44).pvalue, abs=0.012)


def test_the_seat_test_counts_blocks_and_not_matches():
    wins = [1] * 9 + [0] * 5
    single = seat_advantage.measure([made_up([w, 1 - w], block=k) for k, w in enumerate(wins)])
    tripled = seat_advantage.measure([made_up([w, 1 - w], block=k % 14) for k, w in enumerate(wins * 3)])
    assert tripled.p_value == pytest.approx(single.p_value, abs=1e-9)


def test_matches_ended_by_a_fault_say_nothing_about_seats():
    replays = [made_up([1, 0], block=0), made_up([0, 1], block=1, outcome="crash")]
    assert seat_advantage.measure(replays).seats[0].value == 0.5


def test_balance_takes_off_what_noise_adds():
    even = [made_up([w, 1 - w], block=k) for k, w in enumerate([1] * 52 + [0] * 48)]
    found = balance.measure(even)
    assert found.value == 1.0
    assert found.low < 0.9
    assert found.high == 1.0
    uneven = balance.measure([made_up([w, 1 - w], block=k) for k, w in enumerate([1] * 80 + [0] * 20)])
    # The seats differ by 60 points, and the variance of that difference is 4 · 0.8 · 0.2 / 100.
    assert uneven.value == pytest.approx(1 - math.sqrt(0.36 - 0.0064), abs=0.002)
    assert uneven.low < 0.4 < uneven.high


def test_endings_add_up_to_everything():
    replays = [
        made_up([1, 0], block=0),
        made_up([0.5, 0.5], block=1),
        made_up([0.5, 0.5], block=2, outcome="limit"),
        made_up([0, 1], block=3, outcome="illegal"),
    ]
    found = endings.measure(replays)
    assert [x.value for x in (found.completion, found.draws, found.limits, found.faults)] == [0.25] * 4


def test_a_tie_of_some_is_no_draw():
    assert endings.measure([made_up([0.5, 0.5, 0])]).draws.value == 0


# ------------------------------------------------------------------------------------------------ luck and skill


def blocks_of_two(pairs: list[tuple[float, float]], **rest) -> list:
    """What the first seat got in the two matches of each block."""
    return [
        made_up([win, 1 - win], block=block, rotation=turn, **rest)
        for block, pair in enumerate(pairs)
        for turn, win in enumerate(pair)
    ]


def test_luck_is_all_where_the_same_chance_always_ends_alike():
    found = luck_share.measure(blocks_of_two([(1, 1), (0, 0)] * 10))
    assert found.value == 1
    assert 0.4 < found.low < 1


def test_luck_by_the_analysis_of_variance():
    found = luck_share.measure(blocks_of_two([(1, 1), (1, 0), (0, 0), (1, 1)]))
    # Block means 1, 1/2, 0, 1 around 5/8: MSB = 2 · 0.6875 / 3, MSW = 0.5 / 4.
    between, within = 2 * 0.6875 / 3, 0.125
    assert found.value == pytest.approx((between - within) / (between + within))


def test_luck_is_unknown_where_the_same_seat_always_wins():
    assert luck_share.measure(blocks_of_two([(1, 1)] * 10)).n == 0


def test_incomplete_blocks_are_left_out_of_luck():
    replays = blocks_of_two([(1, 1), (1, 0), (0, 0), (1, 1), (1, 0)])
    assert luck_share.measure(replays[:-1]).value == luck_share.measure(replays[:-2]).value
    assert luck_share.measure(replays[:-1]).n == 8


def test_without_chance_luck_is_nothing_for_certain():
    found = luck_share.measure(blocks_of_two([(1, 1), (0, 0)]), chance=False)
    assert (found.value, found.low, found.high) == (0, 0, 0)


def test_skill_is_all_where_one_agent_wins_every_match():
    replays = [
        made_up([1, 0] if turn == 0 else [0, 1], agents=["s", "w"] if turn == 0 else ["w", "s"], block=k, rotation=turn)
        for k in range(10)
        for turn in range(2)
    ]
    found = skill_share.measure(replays)
    assert found.value == 1
    assert found.low < 0.9


def test_skill_is_nothing_where_wins_go_round():
    replays = [made_up([1, 0], agents=["s", "w"] if k % 2 else ["w", "s"], block=k // 2) for k in range(40)]
    assert skill_share.measure(replays).value == 0


def test_skill_of_two_by_hand():
    replays = [made_up([w, 1 - w], agents=["s", "w"], block=k) for k, w in enumerate([1, 1, 1, 0] * 5)]
    # (2 · 0.75 - 1)² = 0.25, less the variance of a mean of 20: 4 · 0.1875 / 19.
    assert skill_share.measure(replays).value == pytest.approx(0.25 - 4 * 0.1875 / 19)


def duel(first: str, second: str, wins: int, of: int, players: int = 2) -> list:
    """Matches of one `first`, in every seat in turn, among others called `second`."""
    others = players - 1
    won, lost = [1.0] + [0.0] * others, [0.0] + [1 / others] * others
    agents = np.array([first] + [second] * others)
    return [
        made_up(np.roll(won if k < wins else lost, k).tolist(), agents=np.roll(agents, k).tolist(), block=k)
        for k in range(of)
    ]


def test_a_score_among_many_is_read_as_that_of_a_match_of_two():
    found = pair_score(duel("s", "w", 50, 100, players=3), "s")
    assert found.value == pytest.approx(2 / 3)
    assert pair_score(duel("s", "w", 25, 100, players=4), "s").value == pytest.approx(0.5)


def test_the_ladder_counts_sure_rungs():
    cells = [duel("b", "a", 80, 100), duel("c", "b", 62, 100), duel("d", "c", 90, 100), duel("d", "a", 99, 100)]
    found = skill_ladder.measure(["a", "b", "c", "d"], cells)
    assert found.rungs == 1  # c is not surely above b, and nothing is known of d against b
    assert skill_ladder.measure(["a", "b", "c", "d"], [*cells, duel("d", "b", 85, 100)]).rungs == 2
    assert [score.value for score in found.scores] == pytest.approx([0.8, 0.62, 0.9])
    assert 500 < found.elo.low < found.elo.value < found.elo.high < 1200
    assert found.elo.n == 400


def test_a_ladder_is_as_high_as_the_levels_that_met():
    found = skill_ladder.measure(["a", "b", "c"], [duel("b", "a", 80, 100)])
    assert found.rungs == 1
    assert found.scores[1].n == 0
    assert found.met == ("a", "b")
    assert 100 < found.elo.low < found.elo.value < found.elo.high < 400
    assert skill_ladder.measure(["a", "b"], []).elo.n == 0


def test_guessing_what_others_choose_is_no_fault_of_a_game():
    light = luck_in_play._with_guesses(Light("red", "Luck", "Chance decides all."))
    assert light.colour == "amber"
    assert light.sentence.endswith("Guessing what others choose at the same moment counts as chance here.")
    assert luck_in_play._with_guesses(Light("green", "Luck", "")).colour == "green"


def test_rock_paper_and_scissors_go_round():
    cells = [duel("paper", "rock", 40, 40), duel("scissors", "paper", 40, 40), duel("rock", "scissors", 40, 40)]
    found = non_transitivity.measure(["rock", "paper", "scissors"], cells)
    assert found.value == 1
    assert found.low > 0.9


def test_a_ladder_does_not_go_round():
    scores = {"ab": 60, "bc": 60, "ac": 69}  # log-odds add up
    cells = [duel(pair[0], pair[1], wins, 100) for pair, wins in scores.items()]
    assert non_transitivity.measure("abc", cells).value < 0.05


def test_noise_is_taken_off_the_circles():
    # Leads of 1, 1 and 1: ratings give 4/3 to the long one and 2/3 to the others, so 1/3 is left of each.
    leads, sure, noisy = np.ones(3), np.zeros(3), np.full(3, 0.1)
    assert _cyclic(leads, sure, 3) == pytest.approx((3 / 9) / 3)
    assert _cyclic(leads, noisy, 3) == pytest.approx((3 / 9 - 0.1) / (3 - 0.3))


def test_circles_need_everybody_to_have_met_everybody():
    assert non_transitivity.measure("abc", [duel("a", "b", 1, 2), duel("b", "c", 1, 2)]).n == 0


# ------------------------------------------------------------------------------------------------ decisions


def test_durations():
    long = made_up([1, 0], movers=[0, 0, 1, 1, 0, 1], block=0)
    short = made_up([1, 0], movers=[0, 1], block=1)
    found = duration.measure([long, short])
    assert [x.mean.value for x in (found.plies, found.decisions, found.per_seat, found.turns)] == [4, 4, 2, 3]
    assert found.plies.deviation.value == pytest.approx(math.sqrt(8))
    assert [q.value for q in found.plies.quantiles] == pytest.approx([2.2, 3, 4, 5, 5.8])


def test_a_step_of_several_is_a_turn_of_its_own():
    replay = made_up([1, 0], movers=[0, 1, 0, 1, 0, 0], steps=[0, 0, 1, 1, 2, 3])
    assert duration.measure([replay]).turns.mean.value == 3


def test_waits_count_the_decisions_of_others():
    replay = made_up([1, 0, 0], movers=[0, 1, 2, 2, 0, 0, 1])
    # Player 1 waits 3 (1, 2, 2), player 2 waits 4 (2, 2, 0, 0), player 3 for nobody.
    found = downtime.measure([replay])
    assert (found.wait.value, found.longest.value) == (3.5, 4)


def test_nobody_waits_for_those_who_decide_at_the_same_time():
    found = downtime.measure([made_up([1, 0], movers=[0, 1, 0, 1], steps=[0, 0, 1, 1])])
    assert found.wait.n == 0


def test_branching():
    found = branching.measure([made_up([1, 0], movers=[0, 1, 0, 1], menus=[1, 2, 4, 1])])
    assert (found.menu.value, found.factor.value, found.rate.value) == (2, 3, 0.5)


def test_tree_size_is_the_log_of_a_mean_and_ludii_the_mean_of_logs():
    replays = [made_up([1, 0], movers=[0, 1], menus=[10, 10]), made_up([1, 0], movers=[0], menus=[10], block=1)]
    found = tree_size.measure(replays)
    assert found.knuth.value == pytest.approx(math.log10((100 + 10) / 2))
    assert found.ludii.value == pytest.approx(1.5)


def test_refinement():
    assert refinement.measure([made_up([1, 0], movers=[0, 1] * 10, menus=[4] * 20)]).value == pytest.approx(0.1)


def test_repetition_within_a_match():
    assert repetition.measure([made_up([1, 0], movers=[0, 1, 0], positions=[1, 2, 1, 2])]).value == 0.5


def test_openings_count_lines_as_if_equally_frequent():
    replays = [made_up([1, 0], movers=[0, 1], actions=[k % 4, 0], block=k) for k in range(400)]
    found = openings.measure(replays, first=2)
    assert found.effective.value == pytest.approx(4 * math.exp(3 / 800))
    assert found.spread.value == 0


def test_results_may_depend_on_the_opening():
    replays = [made_up([k % 2, 1 - k % 2], movers=[0], actions=[k % 2], block=k) for k in range(100)]
    found = openings.measure(replays, first=1)
    assert found.spread.value == pytest.approx(0.5)
    # Within an opening nothing varies, so nothing is taken off; here everything does.
    mixed = [made_up([k % 2, 1 - k % 2], movers=[0], actions=[k // 2 % 2], block=k) for k in range(100)]
    assert openings.measure(mixed, first=1).spread.value == 0


def test_openings_played_a_few_times_each_do_not_look_different_by_noise():
    """A hundred openings of four matches each: their means differ by 25 points of noise."""
    wins = np.random.default_rng(0).integers(2, size=400)
    replays = [made_up([w, 1 - w], movers=[0], actions=[k % 100], block=k) for k, w in enumerate(wins)]
    assert openings.measure(replays, first=1).spread.value < 0.17


def test_openings_seen_once_say_how_many_at_least():
    found = openings.measure([made_up([1, 0], actions=[k, k], block=k) for k in range(30)])
    assert found.effective.high == math.inf
    assert math.isnan(found.spread.value)


def test_action_use_and_lift():
    replays = [made_up([1, 0], kinds=["hit", "run"], block=k) for k in range(30)]
    replays += [made_up([0, 1], kinds=["run", "hit"], block=k) for k in range(30, 60)]
    found = {row.kind: row for row in action_use.measure(replays, {"hit": 90, "run": 90, "fly": 90, "rare": 3})}
    assert found["hit"].use.value == 0.5
    assert found["hit"].lift.value == 0.5
    assert [found[kind].flag for kind in ("hit", "run", "fly", "rare")] == ["lift", "negative lift", "dead", ""]
    assert found["hit"].p_value < 0.01


def test_what_nearly_all_do_is_compared_with_those_who_do_not():
    """Five in six players hit, so hitters get only 10 points beyond the mean; but all who do not hit lose."""
    replays = [made_up([k % 2, 1 - k % 2], kinds=["hit", "hit"], block=k) for k in range(40)]
    replays += [
        made_up([k % 2, 1 - k % 2], kinds=["hit", "run"] if k % 2 else ["run", "hit"], block=k) for k in range(40, 60)
    ]
    hit, run = action_use.measure(replays, {})
    assert hit.lift.value == pytest.approx(0.1)
    assert (hit.flag, run.flag) == ("lift", "")


def test_lift_is_counted_from_what_a_seat_gets_anyway():
    """The first seat always wins, and only the first seat can use the crown: no lift."""
    replays = [made_up([1, 0], kinds=["crown", "run"], block=k) for k in range(30)]
    assert {row.lift.value for row in action_use.measure(replays, {})} == {0.0}


def test_coverage_can_only_grow():
    found = coverage.measure([made_up([1, 0], kinds=["hit", "run"])], {"hit": 9, "run": 9, "fly": 9, "swim": 9})
    assert (found.value, found.low, found.high) == (0.5, 0.5, 1.0)


# ------------------------------------------------------------------------------------------------ traces

STORY = [0.5, 0.3, 0.2, 0.6, 1.0]


def test_drama_by_hand():
    found = drama.measure([two_seats(STORY)])
    assert found.mean.value == pytest.approx((math.sqrt(0.4) + math.sqrt(0.6)) / 2)
    assert found.peak.value == pytest.approx(math.sqrt(0.6))
    assert found.trailing.value == 0.5


def test_no_drama_where_the_winner_never_trailed():
    found = drama.measure([two_seats([0.5, 0.6, 0.9, 1.0])])
    assert (found.mean.value, found.trailing.value) == (0, 0)


def test_drama_needs_a_winner():
    assert drama.measure([two_seats([0.5, 0.2, 0.5])]).mean.n == 0


def test_noise_is_no_drama():
    wobble = [0.5, 0.45, 0.55, 0.45, 1.0]
    assert drama.measure([two_seats(wobble)]).trailing.value == 0.5
    assert drama.measure([two_seats(wobble, error=0.05)]).trailing.value == 0
    assert lead_changes.measure([two_seats(wobble)]).count.value == 3
    assert lead_changes.measure([two_seats(wobble, error=0.05)]).count.value == 0


def test_taking_the_lead_first_is_no_change():
    assert leaders(trace_of(two_seats(STORY))).tolist() == [-1, 1, 1, 0, 0]
    found = lead_changes.measure([two_seats(STORY)])
    assert (found.count.value, found.rate.value) == (1, 0.25)


def test_a_match_is_settled_only_when_it_stays_so():
    # The rival once had 0.8. The winner passed that at ply 1 and fell again: only from ply 4 on it stayed above.
    found = decisiveness.measure([two_seats([0.5, 0.9, 0.2, 0.6, 0.96, 0.97, 1.0])])
    assert (found.turned.value, found.settled.value, found.dead.value) == pytest.approx((4 / 6, 4 / 6, 2))


def test_a_steady_rise_turns_early_and_settles_late():
    found = decisiveness.measure([two_seats([0.5, 0.6, 0.7, 0.8, 1.0])])
    assert (found.turned.value, found.settled.value, found.dead.value) == (0.25, 1.0, 0)


def test_uncertainty():
    found = uncertainty.measure([two_seats([0.5, 0.5, 0.5, 1.0, 1.0])])
    assert (found.whole.value, found.late.value) == pytest.approx((0.75, 0.0))
    thirds = uncertainty.measure([told([[1 / 3, 1 / 3, 1 / 3], [1, 0, 0]])])
    assert thirds.whole.value == pytest.approx(1)


def test_noise_does_not_lower_uncertainty():
    """Evaluations by 20 coin flips each look surer than even, on average; corrected they do not."""
    chances = np.random.default_rng(0).binomial(20, 0.5, 4000) / 20
    plain = uncertainty.measure([two_seats([*chances, 1.0])]).whole.value
    corrected = uncertainty.measure([two_seats([*chances, 1.0], error=math.sqrt(0.25 / 20))]).whole.value
    assert plain < 0.97 < 0.98 < corrected


def test_surprise_and_its_noise():
    found = surprise.measure([two_seats([0.5, 0.7, 0.4, 1.0])])
    assert found.size.seen.value == pytest.approx(1.1 / 3)
    assert found.size.noise.value == 0
    assert found.real.value == pytest.approx(math.sqrt((0.04 + 0.09 + 0.36) / 3))
    noisy = surprise.measure([two_seats([0.5, 0.7, 0.4, 1.0], error=0.1)])
    assert noisy.size.noise.value == pytest.approx(math.sqrt(2 / math.pi) * 0.1 * (2 * math.sqrt(2) + 1) / 3)
    assert noisy.real.value == pytest.approx(math.sqrt((0.49 - 0.05) / 3))


def test_pure_noise_is_seen_as_such():
    chances = 0.5 + 0.05 * np.random.default_rng(3).standard_normal(3000)
    found = surprise.measure([two_seats([*chances, 0.5], error=0.05, block=k) for k in range(2)])
    assert found.size.seen.value == pytest.approx(found.size.noise.value, rel=0.05)
    assert found.real.value < 0.015


def test_what_is_held_between_looks_is_no_evaluation():
    looks = [0.5, 0.7, 0.4, 0.5, 0.3, 0.6]
    every, held = two_seats([*looks, 1.0], error=0.1), two_seats([*np.repeat(looks, 3), 1.0], error=0.1)
    held = replace(held, trace=replace(trace_of(held), stride=3))
    # The same squares of changes, each with the noise of its two ends, over three times as many plies.
    once, thrice = surprise.measure([every]).real.value, surprise.measure([held]).real.value
    assert once == pytest.approx(math.sqrt((0.04 + 0.09 + 0.01 + 0.04 + 0.09 + 0.16 - 0.11) / 6))
    assert thrice == pytest.approx(once / math.sqrt(3))
    assert stability.measure([held]).value == pytest.approx(stability.measure([every]).value)
    assert killer_moves.measure([held]).seen.n == 0


def test_stability_is_variance_over_the_match():
    assert stability.measure([two_seats([0.5, 0.7, 0.4, 1.0])]).value == pytest.approx(2 * np.var([0.5, 0.7, 0.4]))
    noisy = stability.measure([two_seats([0.5, 0.7, 0.4, 1.0], error=0.1)])
    assert noisy.value == pytest.approx(2 * np.var([0.5, 0.7, 0.4]) - 2 * 0.01 * 2 / 3)


def test_the_killer_move_is_the_largest_gain_of_a_mover():
    found = killer_moves.measure([two_seats([0.5, 0.7, 0.1, 0.3, 0.0], movers=[0, 1, 0, 1])])
    assert found.seen.value == pytest.approx(0.6)
    assert found.noise.value == 0
    assert killer_moves.measure([two_seats([0.5, 0.7, 0.4, 1.0], error=0.1)]).noise.value > 0.05


def test_permanence_is_what_is_left_of_a_gain():
    # Seat 1 gains 0.2, of which 0.1 is left when it moves again; seat 2 then gains 0.1 and keeps it.
    found = permanence.measure([two_seats([0.5, 0.7, 0.6, 0.6, 0.6, 1.0])])
    assert found.value == pytest.approx((0.1 + 0.1) / (0.2 + 0.1))


def test_a_run_of_moves_is_one_turn():
    # Seat 1 moves twice: 0.5 to 0.9 in all; seat 2 takes half of it back and then loses.
    found = permanence.measure([two_seats([0.5, 0.6, 0.9, 0.7, 1.0], movers=[0, 0, 1, 0])])
    assert found.value == pytest.approx(0.2 / (0.4 + 0.2))


def test_comebacks():
    replays = [two_seats([0.5, 0.15, 1.0], block=0), two_seats([0.5, 0.25, 1.0], block=1)]
    assert comeback.measure(replays).value == 0.5
    assert comeback.measure([two_seats([0.5, 0.15, 1.0], error=0.05)]).value == 0
    assert comeback.measure([told([[0.15, 0.5, 0.35], [0.6, 0.2, 0.2], [1, 0, 0]])]).value == 0


def test_runaway_leaders():
    found = runaway_leader.measure([two_seats([0.6, 0.6, 0.5, 0.4, 1.0])])
    assert [share.value for share in found] == [1, 0.5, 0]


def test_highlights():
    replays = [
        two_seats([0.5, 0.6, 0.7, 0.9, 1.0]),
        two_seats([0.5, 0.1, 0.05, 0.3, 1.0]),
        two_seats([0.9, 0.95, 0.99, 0.99, 1.0]),
        two_seats([0.5, 0.6, 0.7, 0.8, 1.0]),
        made_up([1, 0], outcome="crash"),
    ]
    assert highlights(replays) == {"typical": 0, "dramatic": 1, "one-sided": 2}
    assert highlights([made_up([1, 0], movers=[0] * n) for n in (2, 9, 3)]) == {"typical": 2}
    assert highlights([]) == {}


# ------------------------------------------------------------------------------------------------ some


def opened(*some, **rest):
    """A match in which some decisions of the first seat were opened up."""
    return two_seats([0.5] * 8 + [1.0], movers=[0] * 8, opened=some, **rest)


def test_suspense_is_what_the_next_choice_may_change():
    found = suspense.measure([opened(options([1.0, 0.0], [8, 8]))])
    assert found.value == pytest.approx(0.5 * math.sqrt(16 / 15))
    assert suspense.measure([opened(options([1.0, 0.0], [16, 0]))]).value == 0
    noisy = suspense.measure([opened(options([1.0, 0.0], [8, 8], error=0.1))])
    assert noisy.value == pytest.approx(math.sqrt((0.25 - 0.005) * 16 / 15))


def test_suspense_of_noise_is_nothing():
    values = 0.5 + 0.1 * np.random.default_rng(0).standard_normal((500, 4))
    some = [options(row, [5, 5, 5, 5], error=0.1) for row in values]
    assert suspense.measure([opened(*some)]).value < 0.03
    assert agency.measure([opened(*some)]).spread.value < 0.03
    assert agency.measure([opened(*some)]).agency.value < 0.07


def test_luck_in_play():
    choice = [
        two_seats([0.5, k % 2], movers=[0], opened=[options([1.0, 0.0], [500, 500])], block=k) for k in range(200)
    ]
    assert luck_in_play.measure(choice).value == pytest.approx(0, abs=0.01)
    chance = [
        two_seats([0.5, k % 2], movers=[0], opened=[options([0.5, 0.5], [500, 500])], block=k) for k in range(200)
    ]
    assert luck_in_play.measure(chance).value == 1
    both = [
        two_seats([0.5, k % 2], movers=[0], opened=[options([0.75, 0.25], [500, 500])], block=k) for k in range(200)
    ]
    assert luck_in_play.measure(both).value == pytest.approx(0.75, abs=0.01)


def test_decisions_not_opened_up_count_like_those_that_were():
    some = [options([0.75, 0.25], [500, 500])]
    replays = [two_seats([0.5, 0.5, k % 2], movers=[0, 0], opened=some, block=k) for k in range(200)]
    assert luck_in_play.measure(replays).value == pytest.approx(0.5, abs=0.01)


def test_blunder_cost_compares_the_choice_with_a_random_one():
    assert blunder_cost.measure([opened(options([0.8, 0.2, 0.2], [10, 0, 0]))]).value == pytest.approx(0.4)


def test_noise_makes_no_blunders():
    values = 0.5 + 0.1 * np.random.default_rng(0).standard_normal((400, 10))
    some = [options(row, [3] * 10) for row in values]
    assert blunder_cost.measure([opened(*some)]).value == pytest.approx(0, abs=1e-9)


def test_effective_choice():
    found = effective_choice.measure([opened(options([0.5, 0.5], [16, 16]), options([0.9, 0.1], [32, 0]))])
    assert found.value == pytest.approx(1.5)


def test_agency_and_clarity():
    found = agency.measure([opened(options([0.9, 0.1, 0.1], [9, 0, 0]), options([0.5, 0.5, 0.5], [3, 3, 3]))])
    assert (found.agency.value, found.narrowness.value) == pytest.approx((0.5, 1 / 3))
    assert found.spread.value == pytest.approx(math.sqrt(np.var([0.9, 0.1, 0.1]) / 2))
    assert agency.measure([opened(options([0.9, 0.1, 0.1], [9, 0, 0], error=0.4))]).agency.value == 0


def test_kingmaking_means_little_to_oneself_and_much_to_others():
    king = options([[0.1, 0.8, 0.1], [0.1, 0.1, 0.8]], [5, 5])
    own = options([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], [5, 5])
    replay = told([[1 / 3] * 3, [0.1, 0.8, 0.1], [0, 1, 0]], opened=[king, own])
    assert kingmaking.measure([replay]).value == 0.5
    assert kingmaking.measure([opened(options([0.5, 0.5], [5, 5]))]).n == 0


# ------------------------------------------------------------------------------------------------ the front


def test_traces_are_asked_for_only_where_there_are_some():
    plain = [made_up([1, 0])]
    assert drama.measure(plain).mean.n == suspense.measure(plain).n == surprise.measure(plain).real.n == 0
    assert luck_in_play.measure(plain).n == permanence.measure(plain).n == 0


OTHER_CALLS = {
    "skill_ladder": lambda replays: skill_ladder.measure(["a", "b"], [replays]),
    "non_transitivity": lambda replays: non_transitivity.measure(["a", "b"], [replays]),
    "action_use": lambda replays: action_use.measure(replays, {}),
    "coverage": lambda replays: coverage.measure(replays, {}),
}


@pytest.mark.parametrize("name", [name for name in all_metrics() if name != "restricted_play"])  # plays its own matches
@pytest.mark.parametrize("count", [0, 1])
def test_too_few_matches_are_no_error(name, count):
    call = OTHER_CALLS.get(name) or importlib.import_module(f"ludus.measure.metrics.{name}").measure
    call([])
    call([two_seats(STORY, opened=[options([0.6, 0.4], [3, 5])])] * count)
    call([made_up([1, 0], movers=[])] * count)


@pytest.mark.parametrize("name", all_metrics())
def test_every_metric_has_a_page(name):
    assert metric(name).what.endswith(".")
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert all(f"## {part}" in text for part in ("How it is measured", "How to read it", "Pitfalls", "Source"))
    assert f"({name}.md)" in (PAGES / "README.md").read_text(encoding="utf-8")


def test_every_page_has_a_metric():
    assert {path.stem for path in PAGES.glob("*.md")} - {"README"} == set(all_metrics())


def test_an_unknown_metric_is_named():
    with pytest.raises(UnknownName, match="did you mean drama"):
        metric("dramma")


def test_the_same_matches_give_the_same_interval():
    replays = [two_seats(STORY, block=k) for k in range(5)] + [two_seats([0.5, 0.6, 1.0], block=9)]
    assert surprise.measure(replays) == surprise.measure(replays)
    assert blocks_of(replays).max() == 5


def test_what_strong_players_give_up_has_faded():
    at_random = [made_up([1.0, 0.0], kinds=("dig", "burn", "dig", "burn"), block=k) for k in range(50)]
    strong = [made_up([1.0, 0.0], kinds=("dig", "burn" if k < 2 else "dig", "dig", "dig"), block=k) for k in range(50)]
    assert action_use.faded(strong, at_random) == ("burn",)
    assert action_use.faded(at_random, at_random) == ()
    assert action_use.faded(strong[:5], at_random) == ()  # two of twenty may be chance
    assert action_use.crowding(strong, at_random) == ("dig",)
    assert action_use.crowding(at_random, at_random) == ()
