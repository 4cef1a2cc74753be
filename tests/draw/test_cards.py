"""Pictures of the games with secrets: they show all that a player needs to act, and nothing that it may not know."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from ludus import kernels, load
from ludus.draw import choices, picture
from ludus.draw import gravwell as gravwell_picture
from ludus.draw import planet_wars as planet_wars_picture
from ludus.draw.canvas import STYLE
from ludus.game import View
from ludus.rng import match_words

SETTINGS = [
    ("kuhn_poker", 2, "default", {}),
    ("goofspiel", 2, "default", {}),
    ("goofspiel", 4, "hidden_bids", {}),
    ("goofspiel", 3, "hidden_prize", {}),
    ("goofspiel", 3, "four_cards", {"bids": "hidden"}),
    ("gravwell", 2, "default", {}),
    ("gravwell", 3, "paper", {}),
    ("gravwell", 4, "neural", {"gate": 99, "stops": 3}),
    ("gravwell", 3, "no_secrets", {"gate": 10, "hulk": 5, "second_hulk": 8}),
    ("gravwell", 4, "hardcore", {"gate_check": "actor"}),
    ("planet_wars", 2, "default", {"turns": 30}),
    ("planet_wars", 2, "finals", {"turns": 12, "menu_orders": 5}),
    ("planet_wars", 2, "skirmish", {"fleets": 3}),
]
every_setting = pytest.mark.parametrize(("name", "players", "preset", "changes"), SETTINGS)
OPEN = {("goofspiel", "default"), ("goofspiel", "hidden_prize"), ("gravwell", "no_secrets")}
"""Settings without secrets."""
PICTURES = 32
"""Positions looked at in each setting, spread over two matches."""


def random_match(name, players, preset="default", changes=None, seed=0):
    """All positions of a match played at random."""
    game, words = load(name), match_words(seed, 0, 0, players).reshape(1, -1)
    states, rng = game.start(words, players, game.rule_values(preset, changes)), np.random.default_rng(seed)
    positions = [states.copy()]
    while mask := int(game.waiting(states)[0]):
        actions = np.full((1, game.facts.players[1]), -1, np.int32)
        for player in seats(mask):
            actions[0, player] = rng.choice(game.menu(states, player))
        game.advance(states, actions, words)
        positions.append(states.copy())
    return positions


def seats(mask):
    return [player for player in range(4) if int(mask) >> player & 1]


def moments(name, players, preset, changes):
    """Pairs of the position before and the position, the start and the end among them."""
    for seed in (1, 2):
        positions = random_match(name, players, preset, changes, seed)
        pairs = list(zip([None, *positions[:-1]], positions, strict=True))
        chosen = np.unique(np.linspace(0, len(pairs) - 1, PICTURES // 2).astype(int))
        yield from (pairs[k] for k in chosen)


def seen(game, states, player) -> View:
    return View.public(game, states) if player < 0 else View(game, states, player)


def shot(game, pair, player):
    before, now = pair
    return picture(seen(game, now, player), None if before is None else seen(game, before, player))


def parts(svg):
    found = [element.get("data-part") for element in ElementTree.fromstring(svg).iter() if element.get("data-part")]
    assert len(found) == len(set(found)), "two parts have one name"
    return set(found)


def words(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def at(name, text, player, players=2, changes=None):
    """What a player sees of a written position."""
    game = load(name)
    return seen(game, game.parse_state(text, players, game.rule_values("default", changes)), player)


# ------------------------------------------------------------------------------------------------ every game


@every_setting
def test_every_picture_is_well_formed_and_within_its_frame(name, players, preset, changes):
    looks = set(re.findall(r"\.([a-z][\w-]*)", STYLE))
    for pair in moments(name, players, preset, changes):
        for player in range(-1, players):
            root = ElementTree.fromstring(shot(load(name), pair, player))
            width, height = float(root.attrib["width"]), float(root.attrib["height"])
            assert 360 <= width <= 480
            for element in root.iter():
                assert looks.issuperset(element.get("class", "").split())
                x, y = (float(element.get(a) or element.get(f"c{a}") or 1) for a in "xy")
                assert 0 <= x < width
                assert 0 <= y < height
                assert float(element.get("font-size", 11)) >= 10.4


@every_setting
def test_every_action_can_be_clicked_and_no_clicks_begin_others(name, players, preset, changes):
    game = load(name)
    for pair in moments(name, players, preset, changes):
        for player in seats(game.waiting(pair[1])[0]):
            view = View(game, pair[1], player)
            offered, drawn = list(choices(view).values()), parts(shot(game, pair, player))
            assert len(offered) == len(set(offered)) == len(view.legal)
            assert drawn.issuperset(itertools.chain(*offered))
            beginnings = {clicks[:k] for clicks in offered for k in range(len(clicks))}
            assert not beginnings & set(offered)


@every_setting
def test_no_picture_tells_a_secret(name, players, preset, changes):
    game, swaps = load(name), 0
    for k, (before, now) in enumerate(moments(name, players, preset, changes)):
        dice = match_words(7, k, 0, players)[:1].reshape(1, 1)
        for player in range(players):
            seat, drawn = np.array([player]), shot(game, (before, now), player)
            other, swapped = now.copy(), np.zeros(1, np.bool_)
            game.kernel(kernels.swap_secrets)(other, seat, dice, swapped)
            swaps += swapped[0]
            assert shot(game, (before, other), player) == drawn
            world = game.masked(now, seat)
            game.kernel(kernels.guess_worlds)(world, seat, dice)
            assert shot(game, (before, world), player) == drawn
    assert swaps == 0 if (name, preset) in OPEN else swaps > 5


@every_setting
def test_who_watches_sees_no_more_than_all_players_together(name, players, preset, changes):
    """What is swapped is known to one player at most, so the public picture must not change."""
    game = load(name)
    for k, (before, now) in enumerate(moments(name, players, preset, changes)):
        other, dice = now.copy(), match_words(9, k, 0, players)[:1].reshape(1, 1)
        game.kernel(kernels.swap_secrets)(other, np.array([k % players]), dice, np.zeros(1, np.bool_))
        assert shot(game, (before, other), -1) == shot(game, (before, now), -1)


@every_setting
def test_the_last_action_is_marked(name, players, preset, changes):
    game, changed = load(name), 0
    for before, now in moments(name, players, preset, changes):
        old, new = seen(game, now if before is None else before, 0).state, seen(game, now, 0).state
        if any((old[field] != new[field]).any() for field in ON_THE_BOARD[name]):
            changed += 1
            looks = [
                element.get("class", "") for element in ElementTree.fromstring(shot(game, (before, now), 0)).iter()
            ]
            assert any("last" in look.split() for look in looks)
    assert changed > 3


ON_THE_BOARD = {
    "kuhn_poker": ["moves"],
    "goofspiel": ["turn"],
    "gravwell": ["tile", "picks"],
    "planet_wars": ["owner", "fleet_ships"],
}


# ------------------------------------------------------------------------------------------------ Kuhn poker


def test_kuhn_poker_shows_one_card_until_the_showdown():
    view = at("kuhn_poker", "cards Q K\nmoves pass bet", 0)
    found = words(picture(view))
    assert "Q" in found
    assert not {"J", "K"} & set(found)
    assert {"your turn", "pot 3", "check", "bet", "pass (fold)", "bet (call)"} <= set(found)
    found = words(picture(at("kuhn_poker", "cards Q K\nmoves pass bet bet", 0)))
    assert {"Q", "K", "player 2 wins 2 chips", "pot 4", "call"} <= set(found)
    assert not {"Q", "K"} & set(words(picture(at("kuhn_poker", "cards Q K\nmoves pass bet pass", -1))))


# ------------------------------------------------------------------------------------------------ Goofspiel


def test_goofspiel_tells_the_last_round():
    positions = random_match("goofspiel", 3, seed=5)
    game = load("goofspiel")
    for before, now in itertools.pairwise(positions):
        bids = [int(before[0].hands[seat] ^ now[0].hands[seat]).bit_length() for seat in range(3)]
        best = [seat for seat in range(3) if bids[seat] == max(bids)]
        taker = f"player {best[0] + 1}" if len(best) == 1 else "nobody"
        assert f"last round: {taker} took {before[0].prize}" in words(shot(game, (before, now), -1))


def test_goofspiel_hidden_bids_stay_hidden():
    now = random_match("goofspiel", 3, "hidden_bids", seed=5)[6]
    found = words(shot(load("goofspiel"), (None, now), 1))
    unseen = [word for word in found if str(word).startswith("hand unseen")]
    assert len(unseen) == 2
    assert len(parts(shot(load("goofspiel"), (None, now), 1))) == 13 - 6


# ------------------------------------------------------------------------------------------------ Gravwell

DRAFT = """Round 1, turn 1: draft
A  tile 0  stops 1  hand B* Qt
B  tile 0  stops 1  hand
hulks 36
draft A B, 1 taken
table Ar/Jo C/Es Ga/H Mg/Ne Zr/Y"""
STOP = """Round 2, turn 5: stop
A  tile 12  stops 1  plays Mg  hand B*
B  tile 30  stops 0  plays Xe  hand Qt
hulks 36
gone Ar C"""


def test_gravwell_shows_stacks_but_not_what_is_beneath():
    svg = picture(at("gravwell", DRAFT, 1))
    assert parts(svg) == {"stack-Ar", "stack-C", "stack-Ga", "stack-Mg", "stack-Zr"}
    assert not {"Jo", "Es", "Ne", "Y", "Qt"} & set(words(svg))
    assert {"B", "?", "pick a stack", "hulk"} <= set(words(svg))
    assert "Qt" in words(picture(at("gravwell", DRAFT, 0)))


def test_gravwell_asks_about_the_stop():
    svg = picture(at("gravwell", STOP, 0))
    assert parts(svg) == {"go", "stop"}
    assert "your Mg +10 comes next: stop?" in words(svg)
    assert "Qt" not in words(svg)
    assert parts(picture(at("gravwell", STOP, 1))) == {"card-Qt"}
    assert "player 1's Mg +10 comes next" in words(picture(at("gravwell", STOP, 1)))


def test_gravwell_tells_who_played_what():
    """Of two players it is always known."""
    game, told = load("gravwell"), 0
    for before, now in itertools.pairwise(random_match("gravwell", 2, seed=3)):
        old, new = before[0], now[0]
        if old.phase != 1 or new.round_no != old.round_no:
            continue
        played = [int(old.hand[seat] ^ new.hand[seat]).bit_length() - 1 for seat in range(2)]
        for player in range(2):
            found = gravwell_picture.just_resolved(View(game, now, player), View(game, before, player))
            assert found == {seat: played[seat] for seat in range(2) if not new.played[seat]}
            told += len(found)
    assert told > 20


@pytest.mark.parametrize("gate", [10, 54, 99])
def test_gravwell_track_winds_without_touching_itself(gate):
    step, places = gravwell_picture.track(gate)
    assert len(places) == gate + 1
    for k, place in enumerate(places[1:-1], 1):
        away = [np.hypot(place[0] - x, place[1] - y) for x, y in places[k + 1 :]]
        assert min(away) > 2 * 0.38 * step
        assert away[0] < 1.6 * step
        assert np.hypot(place[0] - places[0][0], place[1] - places[0][1]) > 32 + 0.2 * step


# ------------------------------------------------------------------------------------------------ Planet Wars

MAP = """#! turn 3 of 200
P 0 0 0 20 2
P 10 0 1 30 5
P 0 10 2 40 5
F 1 7 1 0 10 4
F 2 9 2 0 10 4"""


def test_planet_wars_shows_planets_fleets_and_totals():
    svg = picture(at("planet_wars", MAP, 0))
    assert parts(svg) == {"planet-0", "planet-1", "planet-2", "all", "half", "enough", "end-turn"}
    assert {"20", "30", "40", "0 +2", "1 +5", "2 +5"} <= set(words(svg))
    assert {"7", "9", "you: 37 +5", "player 2: 49 +5", "turn 3/200"} <= set(words(svg))


def test_planet_wars_orders_are_three_clicks():
    view = at("planet_wars", MAP, 0)
    assert choices(view)[view.parse("1 0 30")] == ("planet-1", "planet-0", "all")
    assert choices(view)[view.parse("1 0 15")] == ("planet-1", "planet-0", "half")
    assert choices(view)[view.parse("1 0 21")] == ("planet-1", "planet-0", "enough")
    assert choices(view)[view.parse("go")] == ("end-turn",)


def test_planet_wars_shows_own_orders_only():
    game = load("planet_wars")
    before = game.parse_state(MAP, 2)
    joint = np.array([[View(game, before, 0).parse("1 0 21"), View(game, before, 1).parse("2 0 33")]], np.int32)
    now = before.copy()
    game.advance(now, joint, match_words(0, 0, 0, 2).reshape(1, -1))
    svg = shot(game, (before, now), 0)
    assert {"21", "40"} <= set(words(svg))  # the order; all ships of the rival, whose order is unknown
    assert not {"30", "33"} & set(words(svg))
    assert "last sky dashed" in svg
    assert not {"21", "33"} & set(words(shot(game, (before, now), -1)))


def test_planet_wars_proposes_no_order_when_the_menu_has_none():
    game = load("planet_wars")
    states = game.parse_state("#! given 1 2\n#! given 2 2\n" + MAP, 2)
    assert "all" not in parts(picture(seen(game, states, 0)))
    assert choices(seen(game, states, 0)) == {0: ("end-turn",)}


@pytest.mark.parametrize("changes", [{}, {"maps": "finals"}, {"pairs": 18}])
def test_planets_never_overlap(changes):
    game = load("planet_wars")
    states = game.start(match_words(3, np.arange(12), 0, 2), 2, game.rule_values("default", changes))
    for k in range(len(states)):
        places, radii = planet_wars_picture.layout(seen(game, states[k : k + 1], -1))
        for i, j in itertools.combinations(range(len(radii)), 2):
            assert np.hypot(*(places[i] - places[j])) > radii[i] + radii[j] + 6
        assert (places[:, 1] + radii + 13 < planet_wars_picture.SKY_TOP + planet_wars_picture.SKY).all()
