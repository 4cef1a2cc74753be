"""Pivit's terms against plain counts, its forcing moves, the authors' minimax and the champion."""

from __future__ import annotations

import numpy as np
import pytest

import ludus
from ludus import agent, load
from ludus.agents.pivit.minimax import LARGE
from ludus.compile import template
from ludus.errors import BadSpec
from ludus.games._pivit_terms import SCALE, TERMS
from ludus.rules import forcing, legal, share, terms
from ludus.search.evaluation import SURE, estimate
from tests.agents.minimax import mover_of, random_positions, successors, thoughts_on


@template
def read_terms(states, player, out):
    terms(states[0], player, out)


@template
def read_forcing(states, player, menu, out):
    count = legal(states[0], player, menu)
    for k in range(count):
        out[k] = forcing(states[0], player, menu[k])
    return count


@template
def read_estimates(states, evaluation, out):
    for player in range(states[0].players):
        out[player] = estimate(states[0], player, evaluation)


def terms_of(game, states, player) -> dict[str, float]:
    out = np.zeros(len(TERMS), np.float32)
    game.kernel(read_terms)(states, player, out)
    return dict(zip(TERMS, out * SCALE))


def captures(game, states, player, targets) -> set[int]:
    """The squares on which a player can capture now, were it on move."""
    turned = states.copy()
    turned[0].turn = player
    return {int(action) & 63 for action in game.menu(turned, player)} & targets


@pytest.mark.parametrize("plies", [0, 15, 40, 70])
def test_terms_are_what_they_say(plies):
    """Two players: what is mine less what is yours, counted here from menus."""
    game = load("pivit")
    for states in random_positions(game, plies, 6):
        found = terms_of(game, states, 0)
        expected = []
        for player in (0, 1):
            own = {k for k in range(64) if states[0].board[k] >> 2 == 1 + player}
            masters = {k for k in own if states[0].board[k] & 2}
            attacked = captures(game, states, 1 - player, own)
            moved = states.copy()
            moved[0].turn = player
            corners = [a for a in game.menu(moved, player) if int(a) & 63 in (0, 7, 56, 63)]
            doors = {int(a) >> 6 for a in corners if int(a) >> 6 not in masters}
            expected.append({
                "minions": len(own - masters), "masters": len(masters), "attacked minions": len(attacked - masters),
                "attacked masters": len(attacked & masters), "mobility": len(game.menu(moved, player)),
                "minions at a corner's door": len(doors),
            })  # fmt: skip
        for name, mine in expected[0].items():
            assert found[name] == pytest.approx(mine - expected[1][name], abs=1e-4), name
        assert terms_of(game, states, 1)["mobility"] == pytest.approx(-found["mobility"])


def test_captures_and_promotions_force_and_nothing_else():
    game, menu, out = load("pivit"), np.empty(84, np.int32), np.zeros(84, np.int32)
    for states in random_positions(game, 30, 10):
        player = mover_of(game, states)
        count = game.kernel(read_forcing)(states, player, menu, out)
        for k, after in enumerate(successors(game, states, player)):
            rival = 1 - player
            pieces = after.minions[rival] + after.masters[rival]
            captured = pieces < states[0].minions[rival] + states[0].masters[rival]
            promoted = after.masters[player] > states[0].masters[player]
            assert (out[k] > 0) == (captured or promoted), k
        assert count == k + 1


@pytest.mark.parametrize("style", ["aggressive", "defensive", "neutral"])
def test_the_authors_minimax_beats_random_play(style):
    played = ludus.play("pivit", f"pivit/minimax:style={style},depth=1", "random", games=10)
    assert played.agents[0].wins >= 9


TEMPERS = """
1  .  .  .  .  .  .  .  .
2  .  .  Bv .  .  .  .  .
3  .  .  .  .  .  .  .  .
4  Rh .  .  .  .  Bh .  .
5  .  .  .  .  .  .  .  .
6  .  .  .  .  .  .  .  .
7  .  .  .  .  .  .  .  .
8  .  .  .  .  .  .  .  RV
turn Red
ply 20
promoted Red
"""
"""Two minions attack each other, three steps from a corner each; two steps from one stands a safe one of Blue."""


@pytest.mark.parametrize(("style", "red", "blue"), [
    ("aggressive", -5 + 10 + 500 - 20 - 3 + 5, -5 + 10 + 5 - 500 - 5 + 3),
    ("defensive", -40 + 0 + 500 - 10 - 3 + 5, -40 + 0 + 20 - 500 - 5 + 3),
    ("neutral", -5 + 0 + 500 - 10 - 3 + 5, -5 + 0 + 10 - 500 - 5 + 3),
])  # fmt: skip
def test_tempers_count_as_the_authors_did(style, red, blue):
    """By hand: own minion attacked, rival's attacked, the master, the safe minion, steps of both."""
    minimax, out = agent(f"minimax:style={style}", "pivit"), np.zeros(2)
    minimax.game.kernel(read_estimates)(load("pivit").parse_state(TEMPERS, 2), minimax._evaluation, out)
    assert LARGE * np.arctanh(out / SURE) == pytest.approx([red, blue], abs=0.01)


def test_an_unknown_style_is_refused():
    with pytest.raises(BadSpec, match="style is one of aggressive, defensive, neutral, not 'shy'"):
        agent("minimax:style=shy", "pivit")


@pytest.mark.parametrize(("players", "preset"), [(2, "default"), (2, "short"), (3, "default"), (4, "default")])
def test_the_champion_plays_on_every_board_with_any_number(players, preset):
    game = load("pivit")
    for states in random_positions(game, 20, 2, game.presets[preset], players):
        thoughts = thoughts_on("champion:nodes=500,ms=0", game, states)
        assert thoughts.actions[0] in game.menu(states, mover_of(game, states))


def test_the_champion_beats_a_plain_search_of_two_plies():
    played = ludus.play("pivit", "champion:ms=0,nodes=3000", "alphabeta:depth=2", games=12, seed=3)
    assert played.agents[0].wins >= 10


# ------------------------------------------------------------------------------------------------ three and four


def chances(states) -> np.ndarray:
    """Everybody's chance to win, as the champion judges."""
    crowd = agent("champion", "pivit")._crowd
    out = np.zeros(int(states[0].players))
    crowd.game.kernel(read_estimates)(states, crowd._evaluation, out)
    return share(out, len(out))


@pytest.mark.parametrize("players", [3, 4])
def test_chances_of_several_add_up_and_follow_what_they_have(players):
    for states in random_positions(load("pivit"), 60, 4, players=players):
        before = chances(states)
        assert before.sum() == pytest.approx(1, abs=0.01)
        states[0].masters[1] += 3
        after = chances(states)
        assert after[1] > before[1]
        assert all(after[p] <= before[p] for p in range(players) if p != 1)


def test_who_has_no_piece_has_no_chance_and_hurting_the_leader_helps_the_second():
    states = next(random_positions(load("pivit"), 60, 4, players=3))
    states[0].minions[:] = (0, 3, 3, 0)
    states[0].masters[:] = (0, 3, 1, 0)
    states[0].promoted[:] = (0, 1, 2, 0)
    found = chances(states)
    assert found[0] < 0.01
    assert found[1] > found[2]
    states[0].masters[1] -= 1
    assert chances(states)[2] > found[2]


@pytest.mark.parametrize(("players", "plies", "known"), [
    (3, 60, [(0.3727, 0.2815, 0.3458), (0.5827, 0.2706, 0.1467)]),
    (3, 90, [(0.0064, 0.0003, 0.9933), (0.0489, 0.9332, 0.0178)]),
    (4, 60, [(0.1938, 0.1736, 0.0917, 0.5408), (0.2368, 0.1142, 0.3899, 0.2591)]),
    (4, 90, [(0.2809, 0.4462, 0.0698, 0.2031), (0.0894, 0.7601, 0.0003, 0.1503)]),
])  # fmt: skip
def test_the_weights_are_those_that_were_learnt(players, plies, known):
    """Every count shows here, but for attacked masters among four, so a spoilt weight does too."""
    found = [chances(states) for states in random_positions(load("pivit"), plies, 2, players=players)]
    assert np.array(found) == pytest.approx(np.array(known), abs=2e-4)


def test_the_champion_beats_one_ply_of_thought_among_three():
    played = ludus.play("pivit", "champion:ms=0,nodes=150", "greedy", "greedy", games=6, seed=1)
    assert played.agents[0].wins >= 4
