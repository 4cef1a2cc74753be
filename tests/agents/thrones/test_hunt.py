"""The hunter of Thrones: whoever can take heads catches the other by force where no walker disturbs."""

from __future__ import annotations

import numpy as np
import pytest

from ludus.agents.thrones._hunt import flights_of, hunt
from ludus.agents.thrones.course import rand_action
from ludus.catalogue import agent, load
from ludus.compile import template
from ludus.papers.thrones.duels import play
from ludus.rules import step

GAME = load("thrones")
WON, NOT_WON, LONGEST_LINE = range(3)


@template
def follow_all_lines(states, choice, tally):
    """Every line of the first player against a hunter, one level a round: how many it wins, and how many not."""
    dice, actions, level = np.zeros(1, np.uint64), np.empty(2, np.int32), 0
    choice[0] = 0
    while level >= 0:
        if choice[level] == 4:
            level -= 1
            continue
        states[level + 1] = states[level]
        after = states[level + 1]
        actions[0], actions[1] = choice[level], -1
        choice[level] += 1
        step(after, actions, dice)
        if after.winner == 0:
            actions[0], actions[1] = -1, max(0, hunt(after, 1))
            step(after, actions, dice)
        if after.winner == 0 and level + 2 < states.shape[0]:
            level += 1
            choice[level] = 0
        else:
            tally[WON if after.winner == 2 else NOT_WON] += 1
            tally[LONGEST_LINE] = max(tally[LONGEST_LINE], level + 1)


@template
def hunt_runners(states, words):
    """The first player runs at random, but into nothing; the second hunts."""
    actions = np.empty(2, np.int32)
    for i in range(states.shape[0]):
        while states[i].winner == 0:
            actions[0], actions[1] = rand_action(states[i], 0, words[i]), -1
            step(states[i], actions, words[i])
            if states[i].winner == 0:
                actions[0], actions[1] = -1, max(0, hunt(states[i], 1))
                step(states[i], actions, words[i])


def room(side: int) -> np.ndarray:
    """An empty room with the heads in opposite corners."""
    rows = ["#" * (side + 2), *["#" + " " * side + "#"] * side, "#" * (side + 2)]
    rows[1], rows[side] = "#1" + rows[1][2:], rows[side][:side] + "2#"
    return GAME.parse_state("\n".join(rows), 2, GAME.rule_values())


@pytest.mark.parametrize("side", [3, 4, 5])
def test_in_small_rooms_every_line_is_won_by_the_hunter(side):
    states, tally = np.zeros(32, GAME.state_type), np.zeros(3, np.int64)
    states[0] = room(side)[0]
    GAME.kernel(follow_all_lines)(states, np.zeros(32, np.int64), tally)
    assert tally[NOT_WON] == 0
    assert tally[WON] >= 4 ** (side - 1)
    assert tally[LONGEST_LINE] == 2 * side - 3, "one round for each row and column that the hunter has to walk"


def test_nobody_escapes_from_anywhere_in_the_small_room():
    flights = flights_of(GAME, 13, 13, limit=50)
    start = 14 * 169 + 154
    assert flights[start] == 18
    assert 0 < flights.max() < 50, "from no pair of places can one run as far as the search looks"


def test_in_the_small_room_the_hunter_catches_whoever_runs():
    states = GAME.start(np.arange(300, dtype=np.uint64).reshape(100, 3), 2, GAME.rule_values("paper_small"))
    words = np.arange(100, dtype=np.uint64).reshape(100, 1)
    GAME.kernel(hunt_runners)(states, words)
    assert (states["winner"] == 2).all()
    assert states["plies"].max() <= 38


@pytest.mark.parametrize("rival", ["ta1", "ta2", "attack"])
def test_the_champion_hunts(rival):
    played = play(("champion", rival), GAME.rule_values("paper_small"), 1, 1, 0, 10)
    assert played["wins"] == 10
    assert played["plies"] <= 380


def test_the_champion_answers_on_several_maps_at_once():
    champion = agent("champion:nodes=50", GAME)
    views, words = np.concatenate([room(5), room(4), room(5)]), np.zeros((3, 1 + champion.memory), np.uint64)
    together = champion.act_many(views, np.zeros(3, np.int64), words.copy())
    alone = [champion.act_many(views[i : i + 1], np.zeros(1, np.int64), words[i : i + 1].copy())[0] for i in range(3)]
    assert together.tolist() == alone
