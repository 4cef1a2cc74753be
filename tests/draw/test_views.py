"""What everybody knows, and views as pictures in a notebook."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from ludus import kernels
from ludus.catalogue import game_names, load
from ludus.draw import picture
from ludus.game import Game, View
from ludus.rng import match_words

HANDS = str(Path(__file__).parents[1] / "example_games" / "three_hands.py")
HIDDEN = [name for name in (*game_names(), HANDS) if load(name).facts.hidden]


def positions(game: Game, players: int, preset: str = "default", count: int = 24) -> list[np.ndarray]:
    """Single states, each some random plies into a match of its own."""
    words = match_words(5, np.arange(count), 0, players)
    states = game.start(words, players, game.rule_values(preset))
    for k in range(count):
        game.kernel(kernels.rollouts)(states[k : k + 1], words[k : k + 1], np.zeros(1, np.int64), 2 * k)
    return [states[k : k + 1] for k in range(count)]


def player_counts(game: Game) -> range:
    return range(game.facts.players[0], game.facts.players[1] + 1)


@pytest.mark.parametrize("name", HIDDEN)
def test_what_everybody_knows_does_not_depend_on_the_order_of_hiding(name):
    game = load(name)
    for preset in game.presets:
        for players in player_counts(game):
            for states in positions(game, players, preset):
                known = View.public(game, states).states.tobytes()
                for order in permutations(range(players)):
                    hidden = states
                    for player in order:
                        hidden = game.masked(hidden, np.array([player]))
                    assert hidden.tobytes() == known


@pytest.mark.parametrize("name", HIDDEN)
def test_what_everybody_knows_is_in_nobodys_way(name):
    """It is the same whatever a player cannot know, and hiding from that player takes nothing more away."""
    game = load(name)
    swaps = 0
    for preset in game.presets:
        for players in player_counts(game):
            for k, states in enumerate(positions(game, players, preset, 8)):
                known = View.public(game, states)
                assert (known.player, known.legal.size) == (-1, 0)
                for player in range(players):
                    assert game.masked(known.states, np.array([player])).tobytes() == known.states.tobytes()
                    other, done = states.copy(), np.zeros(1, np.bool_)
                    game.kernel(kernels.swap_secrets)(other, np.array([player]), np.array([[k]], np.uint64), done)
                    swaps += bool(done[0])
                    assert View.public(game, other).states.tobytes() == known.states.tobytes()
                    assert picture(View.public(game, other)) == picture(known)
    assert swaps > 3


@pytest.mark.parametrize("name", [*game_names(), HANDS])
def test_notebooks_show_a_view(name):
    game = load(name)
    for states in positions(game, game.facts.players[1], count=4):
        for view in (View(game, states, 0), View.public(game, states)):
            svg = view._repr_svg_()
            assert svg == picture(view)
            root = ElementTree.fromstring(svg)
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert game.facts.title in root.attrib["aria-label"]
