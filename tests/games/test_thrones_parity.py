"""The parity law of Thrones: every move changes the distance between the heads by one step, so on one player's turns it
is always odd, and nobody else can ever take a head. Exhaustively in small rooms, by property in the real ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.catalogue import load
from ludus.games.thrones import HEAD_TAKEN
from ludus.rng import match_words

THRONES = load("thrones")
ROOMS = {
    "#####\n#1  #\n#   #\n#  2#\n#####": 1,  # the heads are 4 steps apart: the second player's law
    "######\n#1   #\n#    #\n#   2#\n######": 0,  # 5 steps: the first player's
    "#####\n#1  #\n# W #\n#  2#\n#####": 1,
}
FAVOURED = {"empty_room": 1, "small_room": 1, "large_room": 0}


def odd_on_turn(states: np.ndarray) -> np.ndarray:
    """Whether the heads are an odd number of steps apart for whoever is to move."""
    cols = states["cols"]
    rise = abs(states["head"][:, 0] // cols - states["head"][:, 1] // cols)
    run = abs(states["head"][:, 0] % cols - states["head"][:, 1] % cols)
    return (rise + run) % 2 == 1


def movers(states: np.ndarray) -> np.ndarray:
    return (states["plies"] + states["params"]["first"]) % 2


def obey(states: np.ndarray, favoured: int) -> None:
    going_on = states["winner"] == 0
    assert (odd_on_turn(states[going_on]) == (movers(states[going_on]) == favoured)).all()
    taken = states["ending"] == HEAD_TAKEN
    assert (states["winner"][taken] == 1 + favoured).all()


def moved(states: np.ndarray, action: np.ndarray) -> np.ndarray:
    after = states.copy()
    actions = np.full((len(after), 2), -1, np.int32)
    actions[np.arange(len(after)), movers(after)] = action
    THRONES.advance(after, actions, match_words(0, np.arange(len(after)), 0, 2))
    return after


@pytest.mark.parametrize(("room", "favoured"), ROOMS.items())
def test_every_line_of_play_in_a_small_room_obeys(room, favoured):
    """All positions that ten plies can lead to: heads are taken in some, and always by the same player."""
    states, taken = THRONES.parse_state(room, 2, THRONES.rule_values()), 0
    for _ in range(10):
        after = np.concatenate([moved(states, np.full(len(states), action)) for action in range(4)])
        obey(after, favoured)
        taken += int((after["ending"] == HEAD_TAKEN).sum())
        states = np.unique(after[after["winner"] == 0].view(f"V{after.itemsize}")).view(after.dtype)
    assert taken > 0


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), room=st.sampled_from(sorted(FAVOURED)), first=st.integers(0, 1))
def test_random_play_in_the_real_rooms_obeys(seed, room, first):
    values = THRONES.rule_values("default", {"map": room, "first": first})
    states = THRONES.start(match_words(seed, np.arange(50), 0, 2), 2, values)
    favoured, rng = FAVOURED[room] ^ first, np.random.default_rng(seed)
    for _ in range(60):
        states = states[states["winner"] == 0]
        if not len(states):
            break
        states = moved(states, rng.integers(0, 4, len(states)))
        obey(states, favoured)


def test_heads_side_by_side_are_taken_by_the_one_whose_turn_is_odd():
    states = THRONES.parse_state(
        "######\n#X1  #\n# 2  #\n# O  #\n######\nO outside\nX inside", 2, THRONES.rule_values()
    )
    assert odd_on_turn(states)[0]
    after = moved(states, np.array([1]))
    assert after["ending"][0] == HEAD_TAKEN
    assert after["winner"][0] == 1
