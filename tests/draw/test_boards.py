"""Pictures of boards: whole, honest, clickable, and the same family everywhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from ludus.arena.match import Match
from ludus.catalogue import agent, load
from ludus.draw import artist_of, boards, choices, picture
from ludus.draw.canvas import STYLE, Picture
from ludus.game import View

SVG = "{http://www.w3.org/2000/svg}"
GAMES = ("breakthrough", "connect_four", "organism", "pivit", "thrones", "tic_tac_toe")
EXTREMES = [
    ("breakthrough", 2, {"rows": 3, "columns": 2}),
    ("connect_four", 2, {"rows": 1, "columns": 1}),
    ("connect_four", 2, {"rows": 6, "columns": 3}),
    ("organism", 2, {"rings": 7, "notches": "on", "action_limit": 1, "handicap": 2, "token_limit": 3}),
    ("organism", 2, {"rings": 4, "start": "introduced", "eat_from": "pile", "second_food": 3, "passing": "always"}),
    ("organism", 2, {"eat_from": "supply", "eat_limit": 0, "flow": "all", "reach": "organism", "food_0": 9}),
    ("pivit", 4, {"quiet": 20}),
    ("thrones", 2, {"walkers": "frozen", "first": 1}),
    ("thrones", 2, {"cap": 3, "wall_encloses": "on"}),
]
SETTINGS = [
    (name, players, game.rule_values(preset))
    for name in GAMES
    for game in [load(name)]
    for preset in game.presets
    for players in range(game.facts.players[0], game.facts.players[1] + 1)
    if not (name == "pivit" and preset == "short" and players > 2)
] + [(name, players, load(name).rule_values("default", rules)) for name, players, rules in EXTREMES]


def moments(name: str, players: int, values: dict, most: int = 150) -> Iterator[tuple[Match, np.ndarray]]:
    """A match: the moments of its opening and some later ones, each with the states of one step earlier.

    Many actions are an agent's: at random alone, heads run into walls and organisms fall apart at once.
    """
    match = Match(load(name), players, values, seed=7)
    dice = np.random.default_rng(7)
    wise = agent("greedy", name)
    before = match.states.copy()
    while match.plies < most:
        if match.plies < 12 or match.plies % 9 == 0 or match.over:
            yield match, before
        if match.over:
            return
        before = match.states.copy()
        for player, view in match.waiting().items():
            chance = dice.random() < (0.5 if name != "thrones" else 0.03)
            match.submit(player, int(dice.choice(view.legal)) if chance else wise.act(view, match.stream(player)))


def at(name: str, text: str, players: int = 2, player: int = 0, **rules: object) -> View:
    game = load(name)
    return View(game, game.parse_state(text, players, game.rule_values("default", rules)), player)


def start(name: str, players: int = 2, player: int = 0, **rules: object) -> View:
    game = load(name)
    return Match(game, players, game.rule_values("default", rules)).view(player)


def tree(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def labels(view: View) -> dict[str, str]:
    """What a screen reader says of every part."""
    return {part.attrib["data-part"]: part.attrib["aria-label"] for part in parts(tree(picture(view)))}


def parts(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [element for element in root.iter(SVG + "g") if "data-part" in element.attrib]


def looks(root: ElementTree.Element) -> Counter[str]:
    return Counter(element.attrib.get("class", "") for element in root.iter())


# ------------------------------------------------------------------------------------------------ all boards


@pytest.mark.parametrize(("name", "players", "values"), SETTINGS)
def test_every_action_can_be_clicked(name, players, values):
    for match, before in moments(name, players, values):
        for player in match.acting:
            view = match.view(player)
            root = tree(picture(view, View(match.game, before, player), can_act=True))
            keys = [part.attrib["data-part"] for part in parts(root)]
            assert len(keys) == len(set(keys))
            sequences = choices(view)
            assert set(sequences) == set(view.legal.tolist())
            assert all(sequences.values())
            assert {key for sequence in sequences.values() for key in sequence} <= set(keys)
            check_no_sequence_begins_another(list(sequences.values()))
            marked = {part.attrib["data-part"] for part in parts(root) if "can" in part.attrib["class"].split()}
            assert marked == {sequence[0] for sequence in sequences.values()}


def check_no_sequence_begins_another(sequences: list[tuple[str, ...]]) -> None:
    beginnings = {sequence[:k] for sequence in sequences for k in range(len(sequence))}
    assert len(set(sequences)) == len(sequences)
    assert beginnings.isdisjoint(sequences)


@pytest.mark.parametrize(("name", "players", "values"), SETTINGS)
def test_pictures_are_whole_for_players_and_those_who_watch(name, players, values):
    known = set(re.findall(r"\.([a-z][a-z0-9-]*)", STYLE))
    for match, before in moments(name, players, values):
        views = [match.view(match.plies % players), View.public(match.game, match.states)]
        for view in views:
            svg = picture(view, View(match.game, before, view.player) if view.player >= 0 else None)
            root = tree(svg)
            for element in root.iter():
                assert set(element.attrib.get("class", "").split()) <= known
            assert not re.search(r"#[0-9a-fA-F]{3}", svg.partition("</style>")[2])  # colours have names
            assert "nan" not in svg
            check_words_fit(root)
            for part in parts(root):
                assert "halo" in part[-1].attrib["class"]


def check_words_fit(root: ElementTree.Element) -> None:
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    assert 340 <= width <= 480
    for text in root.iter(SVG + "text"):
        size, x, y = (float(text.attrib[name]) for name in ("font-size", "x", "y"))
        assert size >= 9
        assert 0 < y < height
        look = text.attrib["class"].split()
        room = 2 * min(x, width - x) if "middle" in look else x if "end" in look else width - x
        assert len(text.text or "") * size * 0.56 <= room


@pytest.mark.parametrize("name", GAMES)
def test_seats_differ_in_more_than_colour(name):
    shapes = set()
    for seat in range(load(name).facts.players[1]):
        drawn = Picture(10, 10, "")
        artist_of(load(name)).token(drawn, seat, (5.0, 5.0), 4.0)
        shapes.add(re.sub(r' class="[^"]*"', "", drawn.svg()))
    assert len(shapes) == load(name).facts.players[1]


@pytest.mark.parametrize("name", GAMES)
def test_the_last_action_shows(name):
    seen = 0
    for match, before in moments(name, load(name).facts.players[0], load(name).rule_values()):
        view, then = match.view(0), View(match.game, before, 0)
        marked = any("last" in look.split() for look in looks(tree(picture(view, then))))
        assert not any("last" in look.split() for look in looks(tree(picture(view, view)))) or match.over
        seen += marked
        if name in ("breakthrough", "connect_four", "pivit", "tic_tac_toe") and match.plies:
            assert marked
    assert seen > 0


@pytest.mark.parametrize("name", GAMES)
def test_the_strip_and_the_sentence_say_whose_turn_it_is(name):
    view = start(name)
    root = tree(picture(view))
    assert looks(root)["board rim"] == 1
    assert boards.acting(view) == [0]
    first = artist_of(view.game).NAMES[0] if hasattr(artist_of(view.game), "NAMES") else artist_of(view.game).COLOURS[0]
    assert root.attrib["aria-label"].startswith(f"{view.game.facts.title}: {first} ")
    *_, (match, _) = moments(name, 2, view.game.rule_values(), most=20_000)
    end = tree(picture(match.view(0)))
    assert looks(end)["board rim"] == 0
    written = " ".join(text.text or "" for text in end.iter(SVG + "text"))
    assert match.outcome_text() in written


# ------------------------------------------------------------------------------------------------ one by one


def test_tic_tac_toe():
    view = at("tic_tac_toe", "X X X  O O .  . . .", player=1)
    root = tree(picture(view))
    assert labels(view) == {
        "a1": "a1, X", "b1": "b1, X", "c1": "c1, X", "a2": "a2, O", "b2": "b2, O", "c2": "c2, empty",
        "a3": "a3, empty", "b3": "b3, empty", "c3": "c3, empty",
    }  # fmt: skip
    assert looks(root)["seat0"] == 4  # three crosses and the one in the strip
    assert looks(root)["seat1"] == 3
    (line,) = [element for element in root.iter(SVG + "line") if element.attrib["class"] == "last"]
    assert line.attrib["y1"] == line.attrib["y2"]
    assert float(line.attrib["x2"]) - float(line.attrib["x1"]) == 2 * 104


def test_connect_four():
    view = at("connect_four", "4453", player=0)
    root = tree(picture(view, at("connect_four", "445")))
    assert list(labels(view)) == list("1234567")
    assert looks(root)["seat0"] == looks(root)["seat1"] == 3  # two stones each, and those in the strip
    assert looks(root)["none last"] == 1
    third = next(part for part in parts(root) if part.attrib["data-part"] == "3")
    assert looks(third)["none last"] == looks(third)["seat1"] == 1
    assert choices(view)[2] == ("3",)
    diagonal = tree(picture(at("connect_four", "12234334464")))
    (line,) = [element for element in diagonal.iter(SVG + "line") if element.attrib["class"] == "last"]
    run, rise = (abs(float(line.attrib[a]) - float(line.attrib[b])) for a, b in (("x1", "x2"), ("y1", "y2")))
    assert run == rise > 0


def test_breakthrough():
    said = Counter(label.partition(", ")[2] for label in labels(start("breakthrough")).values())
    assert said == {"White": 16, "Black": 16, "empty": 32}
    small = start("breakthrough", rows=4, columns=4)
    assert labels(small)["d4"] == "d4, Black"
    assert choices(small)[3 * 0 + 2] == ("a1", "b2")
    text = "4 . . . B\n3 B . . .\n2 W . . .\n1 . . . W\n  a b c d\nblack to move"
    black = at("breakthrough", text, player=1, rows=4, columns=4)
    assert set(choices(black).values()) == {("a3", "b2"), ("d4", "c3"), ("d4", "d3")}


def test_pivit_shows_axes_and_masters():
    said = Counter(label.partition(", ")[2] for label in labels(start("pivit")).values())
    assert said["Red minion, slides up and down"] == 4
    assert said["Red minion, slides left and right"] == 8
    assert sum(count for label, count in said.items() if label.startswith("Blue")) == 12
    text = (
        "   a b c d e f\n1 RV . . . . .\n2 . . . . . .\n3 . . Bh . . .\n4 . . . . . .\n5 . . . . . .\n6 . . . . . .\n"
    )
    view = at("pivit", text + "turn Red\nply 9\npromoted Red", board="6x6")
    assert labels(view)["a1"] == "a1, Red master, slides up and down"
    assert ("a1", "a6") in choices(view).values()
    assert (
        sum(1 for polygon in tree(picture(view)).iter(SVG + "polygon") if polygon.attrib["class"] == "seat1 rim") == 3
    )
    # The arrowheads of the blue piece lie to its left and right.
    heads = [polygon for polygon in tree(picture(view)).iter(SVG + "polygon") if polygon.attrib["class"] == "seat0 rim"]
    tips = [[float(number) for number in head.attrib["points"].split()[0].split(",")] for head in heads]
    assert tips[0][1] == tips[1][1]
    assert tips[1][0] - tips[0][0] == 50


ROOM = """
###########
#XX*     W#
#XX1  #   #
#     # ..#
#       2O#
###########
walker 1,9 down-left
"""


def test_thrones_shows_land_trails_heads_and_walkers():
    view = at("thrones", ROOM)
    root = tree(picture(view))
    assert looks(root)["seat0 faint"] == 2  # a bar in each of two rows
    assert looks(root)["rim0 faint"] == 2  # striped
    assert looks(root)["seat1 faint"] == 1
    assert (looks(root)["seat0"], looks(root)["seat1"]) == (1, 2)  # trails
    assert looks(root)["wall"] > 0
    assert [part.attrib["data-part"] for part in parts(root)] == ["up", "down", "left", "right"]
    (diamond,) = [polygon for polygon in root.iter(SVG + "polygon") if polygon.attrib["class"] == "white rim"]
    (corner,) = [polygon for polygon in root.iter(SVG + "polygon") if polygon.attrib["class"] == "black rim"]
    xs, ys = (sorted(float(point.split(",")[k]) for point in diamond.attrib["points"].split()) for k in range(2))
    assert corner.attrib["points"].split()[0] == f"{xs[0]:g},{ys[-1]:g}"  # down-left
    frozen = tree(picture(at("thrones", ROOM, walkers="frozen")))
    assert looks(frozen)["black rim"] == 0


def test_thrones_offers_its_arrows_to_players_only():
    assert not parts(tree(picture(View.public(load("thrones"), at("thrones", ROOM).states))))
    over = tree(picture(at("thrones", ROOM + "over: O wins, wall")))
    assert not parts(over)
    assert looks(over)["none last"] == 1  # round the head that lost


TWO_ORGANISMS = """
phase: {phase}
player: first
turn: 4
tokens: 1 0
{more}
        .    E1{role}  G2{role}
     .    .    .    M1{role}
  .    .    .3   .    .
     e1   .    m1   .
        g1   .    .
"""


def organism(phase: str, role: str = "*", more: str = "", player: int = 0, **rules: Any) -> View:
    return at("organism", TWO_ORGANISMS.format(phase=phase, role=role, more=more), player=player, **rules)


def test_organism_shows_elements_and_food():
    view = organism("act", more="declared: E 1")
    said = labels(view)
    assert said["c3"] == "c3, player 1 E, 1 food"
    assert said["c2"] == "c2, player 1 G, 2 food"
    assert said["a0"] == "a0, empty, 3 food"
    assert said["b5"] == "b5, player 2 M, 1 food"
    root = tree(picture(view))
    assert looks(root)["star rim"] == 4 + 3 + 3  # dots of food
    assert looks(root)["rim0"] == 2  # E - G - M
    assert looks(root)["seat0 rim"] == 3  # they act now
    crowded = TWO_ORGANISMS.replace(".3 ", ".7 ").format(phase="act", role="*", more="declared: E 1")
    assert "7" in [text.text for text in tree(picture(at("organism", crowded))).iter(SVG + "text")]


def test_an_organism_is_chosen_as_a_whole():
    two = organism("choose", "+").states.copy()
    two["piece"][0, 12] = 4  # an E at c5, far from the others, is the first player's too
    two["role"][0, 12] = 2
    view = View(load("organism"), two, 0)
    assert set(choices(view).values()) == {("organism c1",), ("organism c5",)}
    (whole,) = [part for part in parts(tree(picture(view))) if part.attrib["data-part"] == "organism c1"]
    assert looks(whole)["halo"] == 3
    assert {"c1", "c2", "c3"}.isdisjoint(labels(view))


def test_organism_buttons_belong_to_the_phase():
    declares = organism("declare")
    assert {"kind E", "kind G", "kind M"} <= set(labels(declares))
    assert set(choices(declares).values()) == {("kind E",), ("kind G",), ("kind M",)}
    assert labels(declares)["kind E"] == "eat ×1"
    assert "kind E" not in labels(organism("declare", player=1))  # it is not the rival's turn
    grows = organism("act", more="declared: G 1")
    assert ("kind M", "b1") in choices(grows).values()
    assert labels(grows)["kind M"] == "M for 1"
    pays = organism("pay", more="declared: G 1\ngrows: E 1\nat: b1")
    assert set(choices(pays).values()) == {("c2",)}
    assert looks(tree(picture(pays)))["seat0 faint"] == 1  # what is to grow
    pushes = organism("push", more="declared: M 1\nfrom: c1\nat: a0")
    assert ("b0",) in choices(pushes).values()
    supplied = organism("act", more="declared: E 1", eat_from="supply")
    assert ("c3", "supply") in choices(supplied).values()
    game = load("organism")
    introduces = Match(game, 2, game.rule_values("M")).view(0)
    assert {("kind E", "kind G"), ("kind E", "kind M"), ("kind M", "kind G")} < set(choices(introduces).values())
