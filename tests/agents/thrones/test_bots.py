"""The players of Thrones: what they do in positions worked by hand, that they keep the contract, and who beats whom."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from ludus.agents.thrones._foresight import take_steps
from ludus.agents.thrones._net import FIRST, INPUTS, SECOND, network_terms, network_value, new_net
from ludus.arena.contest import contest
from ludus.arena.match import Match
from ludus.catalogue import agent, agent_kinds, load
from ludus.compile import template
from ludus.errors import Mismatch
from ludus.games.thrones import MAX_CELLS
from ludus.runs import SHIPPED
from ludus.testing import check_agent

THRONES = load("thrones")
OWN = sorted(name.partition("/")[2] for name in agent_kinds() if name.startswith("thrones/"))


def answers(spec: str, text: str, tries: int = 20) -> str:
    """The letters of all actions that an agent takes for X in a position."""
    states = THRONES.parse_state(text, 2, THRONES.rule_values())
    player = agent(spec, THRONES)
    words = np.zeros((tries, 1 + player.memory), np.uint64)
    words[:, 0] = np.arange(tries) * 0x9E3779B9
    actions = player.act_many(np.repeat(states, tries), np.zeros(tries, np.int64), words)
    return "".join("UDLR"[action] for action in sorted(set(actions.tolist())))


BESIDE_TRAIL = """
#######
#XX   #
#X1   #
# . . #
# ...2#
#  OO #
#######
O outside
"""
DEAD_END = """
#######
#XXX  #
#X1*  #
# **  #
#     #
#    2#
#######
X outside
"""


def test_those_who_look_cut_a_trail_beside_them():
    for spec in ("ta1", "ta2", "champion"):
        assert answers(spec, BESIDE_TRAIL) == "D", spec


def test_the_safe_actions_are_no_wall_and_no_own_trail():
    assert answers("rand", DEAD_END, 60) == "UL"
    assert answers("bot1", DEAD_END) in ("U", "L", "UL")


CORNER = """
#########
#1      #
#       #
#       #
#       #
#       #
#       #
#      2#
#########
"""
FACE_TO_FACE = """
###########
#XXXX     #
#XXX1     #
#XXXX     #
#X        #
#X  2     #
#XXXO     #
#         #
###########
"""


def test_the_second_assistants_bot_takes_the_first_of_equal_plans():
    assert answers("ta2", CORNER) == "D", "down or right is the same to it"


def test_the_second_assistants_bot_counts_on_nobody_to_wait():
    assert answers("ta2", FACE_TO_FACE) == "R", "down is a head that will have moved"


@template
def ask_network(states, player, net, cells, out):
    for i in range(states.shape[0]):
        out[i] = network_value(states[i], player, net, (1, 0, 0), cells)


def test_the_network_says_what_its_numbers_say_however_often_it_is_asked():
    """Beside the formula in plain numpy, in positions of random play."""
    numbers = agent("bot2:run=thrones-bot2", THRONES).tunable()
    states, rand = THRONES.start(np.arange(1, 61, dtype=np.uint64).reshape(20, 3), 2, {}), agent("rand", THRONES)
    words, cells, net, seen = np.ones((20, 1), np.uint64), np.zeros(MAX_CELLS, np.int64), new_net(numbers), []
    for turn in range(12):
        mover, words[:, 0] = np.full(20, turn % 2), np.arange(20) + 100 * turn
        THRONES.kernel(take_steps)(states, mover, rand.act_many(states, mover, words))
        seen.append(states.copy())
    positions = np.concatenate(seen)
    out = np.empty((2, len(positions)))
    for again in range(2):
        THRONES.kernel(ask_network)(positions, 1, net, cells, out[again])
    terms = np.array([network_terms(state, 1, (1, 0, 0), cells) for state in positions], float)
    values = terms / np.where(np.arange(INPUTS) < 3, 10, positions["rows"][:, None] + positions["cols"][:, None])
    for inputs, outputs in ((INPUTS, FIRST), (FIRST, SECOND), (SECOND, 1)):
        weights, biases, numbers = np.split(numbers, [inputs * outputs, (inputs + 1) * outputs])
        values = values @ weights.reshape(outputs, inputs).T + biases
        values = np.tanh(values) if outputs > 1 else values
    assert len(np.unique(terms, axis=0)) > 50
    assert out[0] == pytest.approx(values[:, 0], abs=1e-9)
    assert (out[0] == out[1]).all()


@pytest.mark.parametrize("spec", OWN)
def test_conforms(spec):
    check_agent(spec, "thrones", matches=1)


def test_attack_steps_out_and_straight_back():
    match = Match(THRONES, 2, THRONES.rule_values("paper_small"), seed=3)
    players = [agent("attack", THRONES), agent("rand", THRONES)]
    steps, outside = [], []
    while not match.over and len(steps) < 12:
        for seat, view in match.waiting().items():
            action = players[seat].act(view, match.stream(seat))
            match.submit(seat, action)
            if seat == 0:
                steps.append(action)
                outside.append(not match.states[0].inside[0])
    for k in range(len(steps) - 1):
        if outside[k]:
            assert steps[k + 1] == steps[k] ^ 1
            assert not outside[k + 1]


LADDER = [("attack", "rand", 0.8), ("safe", "rand", 0.8), ("ta1", "safe", 0.8), ("ta2", "safe", 0.8)]


@pytest.mark.parametrize(
    ("strong", "weak", "least"), [*LADDER, ("champion:nodes=300", "ta2", 0.6), ("bot1", "rand", 0.8)]
)
def test_the_order_of_strength(strong, weak, least):
    played = contest("thrones", [strong, weak], games=30, seed=5, preset="paper_small")
    assert played.agents[0].score >= least


def copied_run(folder, **changes):
    """The shipped run of bot 1, as if it had been made otherwise."""
    shutil.copytree(SHIPPED / "thrones-bot1", folder)
    settings = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps(settings | changes))
    return folder


def test_numbers_of_somebody_else_are_refused_by_both_names(tmp_path):
    with pytest.raises(Mismatch, match="trained by neat, not by evolution"):
        agent("bot2:run=gravwell-neat", THRONES)
    with pytest.raises(Mismatch, match="numbers of bot1, not of bot2"):
        agent("bot2:run=thrones-bot1", THRONES)
    with pytest.raises(Mismatch, match=r"pivit.*thrones|thrones.*pivit"):
        agent(f"bot1:run={copied_run(tmp_path / 'other', game='pivit')}", THRONES)


def test_a_network_of_another_shape_is_refused(tmp_path):
    run = copied_run(tmp_path / "short")
    (run / "numbers.txt").write_text("1.0\n2.0")
    with pytest.raises(Mismatch, match="holds 2 numbers; bot1 needs 19"):
        agent(f"bot1:run={run}", THRONES)


def test_a_training_goes_on_from_the_network_of_a_run():
    shipped = np.loadtxt(SHIPPED / "thrones-bot2" / "numbers.txt")
    assert np.array_equal(agent("bot2:run=thrones-bot2", THRONES).tunable(), shipped)


BOT1 = ["bot1:run=thrones-bot1", "bot1:run=thrones-bot1-small"]


@pytest.mark.parametrize("spec", [*BOT1, "bot2:run=thrones-bot2", "bot2:run=thrones-bot2-published"])
def test_trained_players_ship(spec):
    played = contest("thrones", [spec, "rand"], games=10, seed=1, preset="paper_small")
    assert played.agents[0].score >= 0.6
