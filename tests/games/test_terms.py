"""The terms that games write for TD to weigh: counted by hand, opposite for the two sides, blind to reflections."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import kernels, load
from ludus.compile import template
from ludus.game import Game
from ludus.games import _breakthrough_terms, _connect_four_terms
from ludus.rng import match_words
from ludus.rules import TERMS, terms


@template
def all_terms(states, player, out):
    for i in range(states.shape[0]):
        terms(states[i], player, out[i, :TERMS])


def seen(game: Game, states: np.ndarray, player: int) -> np.ndarray:
    out = np.zeros((len(states), game.names["TERMS"]), np.float32)
    game.kernel(all_terms)(states, player, out)
    return out


def some_states(game: Game, plies: int) -> np.ndarray:
    words = match_words(1, np.arange(40), 0, 2)
    states, done = game.start(words, 2), np.zeros(40, np.int64)
    game.kernel(kernels.rollouts)(states, words, done, plies)
    return states


def counted(name: str, position: str, module) -> dict[str, float]:
    """What the first player has over the second, term by term."""
    game = load(name)
    found = seen(game, game.parse_state(position, 2), 0)[0] * module.SCALE
    return {term: float(value) for term, value in zip(module.TERMS, found)}


@pytest.mark.parametrize(("name", "plies"), [("connect_four", 12), ("breakthrough", 24), ("pivit", 40)])
def test_one_sides_lead_is_the_others_lag_and_mirrors_change_nothing(name, plies):
    game = load(name)
    states = some_states(game, plies)
    mine, theirs = seen(game, states, 0), seen(game, states, 1)
    assert np.abs(mine).max() > 0
    assert mine == pytest.approx(-theirs)
    game.kernel(kernels.turn_boards)(states, 1)
    assert seen(game, states, 0) == pytest.approx(mine)


def test_lines_and_threats_of_connect_four():
    one = counted("connect_four", "4", _connect_four_terms)  # d1: four lines across, one up, two along diagonals
    assert (one["lines with a stone"], one["middle column"]) == (7, 1)
    row = counted("connect_four", "425363", _connect_four_terms)  # X d1 e1 f1, O b1 c1 c2: g1 wins
    assert row["threats to play now"] == 1
    assert row["lines with three"] == 1


def test_pieces_of_breakthrough():
    rows = ["8 . . . . . . . .", "7 B . . . . . . .", "6 . . . . . . . .", "5 . . . . W . . .", "4 . . . . . . . .",
            "3 . . . . . . . .", "2 W . . . . . . .", "1 . . . . . . . .", "  a b c d e f g h",
            "White to move"]  # fmt: skip
    found = counted("breakthrough", "\n".join(rows), _breakthrough_terms)
    expected = {"four rows on": 1, "foremost": 3, "past all rivals": 1, "the foremost of those": 4}
    assert {term: value for term, value in found.items() if value} == expected
    rows[1], rows[2] = "7 . . . . . . . .", "6 . . . B . . . ."  # now each could capture the other
    found = counted("breakthrough", "\n".join(rows), _breakthrough_terms)
    assert (found["attacked"], found["hanging"], found["past all rivals"]) == (0, 0, 1)
