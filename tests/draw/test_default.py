"""The picture of a game that draws none: usable without a line of code from its author."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from ludus import kernels
from ludus.arena.match import Match
from ludus.catalogue import game_names, load
from ludus.draw import artist_of, choices, default, picture
from ludus.draw.canvas import Picture
from ludus.game import Game, View
from ludus.rng import match_words

EXAMPLES = Path(__file__).parents[1] / "example_games"
SVG = "{http://www.w3.org/2000/svg}"

FIELDS = '''
"""Patches: a game with a field of every shape."""
import numpy as np
from ludus.rules import Facts, record, rule

FACTS = Facts("Patches & <co>", players=(2, 2), max_actions=2, max_plies=4)
Site = record(worth=np.float64, owner=np.int32)
State = record(
    players=np.int32, turn=np.int32, board=(np.int8, (3, 4)), cube=(np.int32, (2, 2, 3)), row=(np.int32, 5),
    store=(np.int32, 300), wide=(np.int64, 2), site=Site, sites=(Site, 3),
)

@rule
def setup(state, rng):
    state.board[1, 2] = 2
    state.store[70] = 9
    state.wide[1] = -(1 << 60)

@rule
def to_act(state):
    return 0 if state.turn == 4 else 1 << (state.turn & 1)

@rule
def legal(state, player, out):
    out[0], out[1] = 0, 1
    return 2

@rule
def step(state, actions, rng):
    state.board[0, state.turn] = 1 + (state.turn & 1)
    state.turn += 1

@rule
def returns(state, out):
    out[0], out[1] = 1.0, -1.0
'''


@pytest.fixture
def patches(tmp_path) -> Game:
    (tmp_path / "patches.py").write_text(FIELDS)
    return load(str(tmp_path / "patches.py"))


def words(root: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in root.iter(SVG + "text")]


def looks(root: ElementTree.Element) -> Counter[str]:
    return Counter(element.attrib.get("class", "") for element in root.iter())


def after(game: Game, plies: int, players: int, seed: int = 1) -> np.ndarray:
    random = match_words(seed, np.array([0]), 0, players)
    states = game.start(random, players)
    game.kernel(kernels.rollouts)(states, random, np.zeros(1, np.int64), plies)
    return states


def fields_only(view: View, before: View | None) -> Picture:
    """As if the game wrote no text."""
    drawn = Picture(480, 0, "")
    default._draw_fields(drawn, view, before, 0)
    return drawn


def test_a_text_is_shown_as_it_is():
    game = load("tic_tac_toe")
    states = game.parse_state("X . .  . O .  . . .", 2)
    root = ElementTree.fromstring(default.draw(View(game, states, 0), None).svg())
    assert [line.text for line in root.iter(SVG + "text") if line.attrib["class"] == "mono"] == [
        "1 X . .", "2 . O .", "3 . . .", "  a b c",
    ]  # fmt: skip
    assert "player 1 to move" in words(root)


def test_changed_lines_are_marked():
    game = load("tic_tac_toe")
    now, then = (View(game, game.parse_state(text, 2), 0) for text in ("X . . . O . . . .", "X . . . . . . . ."))
    assert looks(ElementTree.fromstring(default.draw(now, then).svg()))["last"] == 1
    assert looks(ElementTree.fromstring(default.draw(now, now).svg()))["last"] == 0


def test_fields_of_every_shape_are_shown(patches):
    match = Match(patches, 2)
    before = match.view(0)
    match.submit(0, 0)
    root = ElementTree.fromstring(picture(match.view(0), before))
    shown = words(root)
    assert {"Patches & <co>", "turn", "board", "cube[0]", "cube[1]", "row", "site.worth", "sites.owner"} <= set(shown)
    assert "store, the first 71 of 300; the others are 0" in shown
    assert str(-(1 << 60)) in shown
    assert "params" not in shown
    assert looks(root)["seat1 edge"] == 1  # the 2 of the board
    assert looks(root)["seat0 edge"] == looks(root)["none last"] == 1  # the new 1 on it
    assert looks(root)["last"] == 1  # the turn
    cells = 12 + 12 + 5 + 71 + 2 + 6
    assert sum(count for look, count in looks(root).items() if look.endswith("edge")) == cells


def test_actions_without_a_part_are_buttons(patches):
    match = Match(patches, 2)
    assert choices(match.view(0)) == {0: (), 1: ()}
    assert artist_of(patches) is default


def test_a_board_shows_its_other_fields_and_no_field_twice():
    game = load(str(EXAMPLES / "einstein.py"))
    view = Match(game, 2).view(0)
    shown = words(ElementTree.fromstring(picture(view)))
    assert shown[shown.index("die") + 1] == str(view.state.die)
    assert not {"board", "players"} & set(shown)


def test_actions_begin_at_the_cells_where_they_stand():
    clobber, halma = (
        Match(load(str(EXAMPLES / name)), players) for name, players in (("clobber.py", 2), ("halma_3.py", 3))
    )
    assert all(parts == (f"cell-{action // 4}",) for action, parts in choices(clobber.view(0)).items())
    assert all(parts == (f"cell-{action // 6}",) for action, parts in choices(halma.view(0)).items())
    assert default.clicks(halma.view(0), halma.game.module.PASS) == ()  # an extra slot is no cell


def test_a_user_may_draw_in_the_game_file(tmp_path):
    drawing = FIELDS + (
        "\nfrom ludus.draw.canvas import Picture\n"
        "def draw(view, before):\n    return Picture(10, 20, 'mine')\n"
        "def clicks(view, action):\n    return (str(action),)\n"
    )
    (tmp_path / "drawn.py").write_text(drawing)
    view = Match(load(str(tmp_path / "drawn.py")), 2).view(0)
    assert 'aria-label="mine"' in picture(view)
    assert choices(view) == {0: ("0",), 1: ("1",)}


def test_who_watches_has_no_choices():
    game = load("tic_tac_toe")
    assert choices(View.public(game, after(game, 2, 2))) == {}


@pytest.mark.parametrize("name", [*game_names(), "row.py", "take.py", "three_hands.py"])
def test_every_game_has_a_default_picture(name):
    game = load(str(EXAMPLES / name) if name.endswith(".py") else name)
    for players in range(game.facts.players[0], game.facts.players[1] + 1):
        for plies in (0, 3, game.facts.max_plies):
            states, earlier = after(game, plies, players), after(game, max(0, plies - 1), players)
            for view, before in (
                (View(game, states, players - 1), View(game, earlier, players - 1)),
                (View.public(game, states), None),
            ):
                drawn = default.draw(view, before)
                assert drawn.height > 40
                ElementTree.fromstring(drawn.svg())
                ElementTree.fromstring(fields_only(view, before).svg())


@pytest.mark.parametrize("draw", [default.draw, fields_only])
def test_the_default_picture_keeps_secrets(draw):
    game = load(str(EXAMPLES / "three_hands.py"))
    swaps = 0
    for seed in range(30):
        states = after(game, seed % 8, 3, seed)
        other, done = states.copy(), np.zeros(1, np.bool_)
        game.kernel(kernels.swap_secrets)(other, np.array([1]), np.array([[seed]], np.uint64), done)
        swaps += bool(done[0])
        assert draw(View(game, states, 1), None).svg() == draw(View(game, other, 1), None).svg()
    assert swaps > 5
