"""The champion of Gravwell: clear decisions, mixed ones, what it may know, and that it wins."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import agent, kernels
from ludus.agents.gravwell.champion import CANDIDATE, INPUTS, chance_to_win, drop_half, learn_from_world
from ludus.arena.contest import contest
from ludus.compile import template
from ludus.game import View
from ludus.rng import match_words, stream
from ludus.testing import check_agent

from .positions import AHEAD, GAME, answers, choosing, drafting, stopping

CHAMPION = "champion:worlds=30"


def midgame(count: int, plies: int, players: int = 4) -> np.ndarray:
    """Random matches after so many steps."""
    words = match_words(3, np.arange(count), 0, players)
    states = GAME.start(words, players)
    GAME.kernel(kernels.rollouts)(states, words, np.zeros(count, np.int64), plies)
    return states[GAME.waiting(states) != 0]


def next_player(state: np.ndarray) -> int:
    return int(GAME.waiting(state)[0]).bit_length() - 1


# ------------------------------------------------------------------------------------------------ decisions


@pytest.mark.parametrize(
    ("tiles", "card", "answer"),
    [
        ({"A": 48, "B": 53, "C": 30, "D": 0}, "Pu", "go"),  # bumped into the gate
        ({"A": 50, "B": 45, "C": 30, "D": 0}, "Mg", "stop"),  # would fall behind B
        ({"A": 20, "B": 32, "C": 30, "D": 0}, "Ne", "go stop"),  # B wins either way
        (AHEAD, "Mg", "go"),  # overtakes C
    ],
)
def test_the_last_stop_of_a_match(tiles, card, answer):
    assert answers(CHAMPION, stopping(tiles, card, round_no=6)) == answer


def test_the_card_that_wins_is_played():
    alone_in_front = {"A": 52, "B": 1, "C": 2, "D": 3}  # the hulk on 36 draws A back: Kr repels it through the gate
    assert answers(CHAMPION, choosing(alone_in_front, "C Kr", round_no=3, stops=0)) == "Kr"


def test_close_decisions_are_mixed():
    twins = choosing(AHEAD, "V Zr")  # both of value 7, and late in the alphabet
    assert answers(CHAMPION, twins) == "V Zr"


def test_it_drafts():
    assert set(answers(CHAMPION, drafting("Kr B", "Ar Es Mg Dy")).split()) <= {"Ar", "Es", "Mg", "Dy"}


def test_thoughts_tell_probabilities_and_tries():
    states = choosing(AHEAD, "B Dy Kr Mg")
    champion = agent(CHAMPION, GAME)
    action = champion.act(View(GAME, states, 0), stream(4))
    thoughts = champion.thoughts
    assert thoughts is not None
    assert action in thoughts.actions
    assert sorted(thoughts.actions) == GAME.menu(states, 0).tolist()
    assert thoughts.visits == [45, 45, 15, 15]  # 4 x 30 tries in two stages: 15 worlds for four, then 30 for two
    assert all(-1 / 3 <= value <= 1 for value in [thoughts.value, *thoughts.values])
    assert thoughts.note.startswith("plays ")


# ------------------------------------------------------------------------------------------------ its parts


@template
def outlook(states, out):
    inputs = np.empty(INPUTS)
    for i in range(states.shape[0]):
        for player in range(states[i].players):
            out[i, player] = chance_to_win(states[i], player, inputs)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_chances_to_win_add_up_and_favour_the_leader(players):
    states = midgame(400, 5 * (3 * players + 10), players)
    chances = np.zeros((len(states), players))
    GAME.kernel(outlook)(states, chances)
    assert len(states) > 100
    assert chances.sum(axis=1).mean() == pytest.approx(1, abs=0.1)
    leader = states["tile"][:, :players].argmax(axis=1)
    last = states["tile"][:, :players].argmin(axis=1)
    rows = np.arange(len(states))
    assert chances[rows, leader].mean() > chances[rows, last].mean() + 0.005


@template
def match_pennies(candidates, gains):
    for world in range(gains.shape[0]):
        for k in range(2):
            candidates[k].gain = gains[world, k]
        learn_from_world(candidates, 2, world + 1)


def test_regret_matching_mixes_equals_and_finds_the_better():
    luck = np.random.default_rng(0)
    for lead, low, high in ((0.0, 0.2, 0.8), (0.5, 0.0, 0.1)):
        candidates = np.zeros(2, CANDIDATE)
        gains = luck.random((2000, 2))
        gains[:, 1] += lead
        GAME.kernel(match_pennies)(candidates, gains)
        share = candidates["weight"][0] / candidates["weight"].sum()
        assert low <= share <= high


@template
def drop(candidates, counts):
    counts[0] = drop_half(candidates, counts[0])


def test_the_better_half_stays():
    candidates = np.zeros(5, CANDIDATE)
    candidates["action"] = range(5)
    candidates["total"] = [1.0, 5.0, 2.0, 4.0, 3.0]
    counts = np.array([5])
    left = []
    for _ in range(3):
        GAME.kernel(drop)(candidates, counts)
        left.append(candidates["action"][: counts[0]].tolist())
    assert left == [[1, 3, 4], [1, 3], [1, 3]]
    assert sorted(candidates["action"]) == list(range(5))


# ------------------------------------------------------------------------------------------------ honesty and strength


def test_what_it_cannot_know_does_not_matter():
    compared = 0
    for plies in (3, 20, 40, 70):
        for state in np.split(midgame(10, plies), range(1, 10)):
            seat, other = next_player(state), state.copy()
            swapped = np.zeros(1, np.bool_)
            GAME.kernel(kernels.swap_secrets)(other, np.array([seat]), stream(8).reshape(1, 1), swapped)
            if swapped[0]:
                assert other.tobytes() != state.tobytes()
                twins = [agent(CHAMPION, GAME).act(View(GAME, one, seat), stream(5)) for one in (state, other)]
                assert twins[0] == twins[1]
                compared += 1
    assert compared > 20


def test_bulk_play_gives_the_same_answers():
    states = midgame(40, 30)
    players = np.array([next_player(states[i : i + 1]) for i in range(len(states))])
    words = match_words(6, np.arange(len(states)), 0, 1)[:, 1:].copy()
    champion = agent(CHAMPION, GAME)
    single = [champion.act(View(GAME, states[i : i + 1], players[i]), words[i].copy()) for i in range(len(states))]
    assert champion.act_many(GAME.masked(states, players), players, words).tolist() == single


def test_conforms():
    report = check_agent("champion:worlds=3", GAME, matches=1)
    assert report.ok, report.failures


@pytest.mark.parametrize("rules", [{"limit_winner": "neural"}, {"gate": 20, "hulk": 11, "second_hulk": 7}])
def test_rules_that_the_net_does_not_know_are_played_to_the_end(rules):
    played = contest("gravwell", ["champion:worlds=8", "nostop", "nostop"], games=90, rules=rules, seed=1)
    assert not played.faults
    assert played.agents[0].low > 1 / 3


@pytest.mark.parametrize("rival", ["tree", "random"])
def test_it_wins(rival):
    played = contest("gravwell", ["champion:worlds=20", rival, rival, rival], games=240, seed=1)
    assert played.agents[0].low > 0.4  # chance is 0.25
