"""A position and its images, turned and mirrored, are judged alike."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ludus import kernels, load
from ludus.agents.alphazero import AlphaZero
from ludus.catalogue import agent
from ludus.nets.export import to_onnx
from ludus.nets.images import AllImages
from ludus.nets.network import Network
from ludus.nets.play import CpuEvaluator, Evaluator
from ludus.nets.spec import net_spec
from ludus.rng import match_words
from ludus.search.forest import Forest

GAME = load("organism")
COUNT = 40


def judge(evaluator: Evaluator, states: np.ndarray) -> tuple[np.ndarray, list[dict[int, float]]]:
    """The value of each position for its mover, and what is expected of each action."""
    forest = Forest(GAME, len(states), 1)
    forest.plant(states, states["mover"], match_words(1, np.arange(len(states)), 0, 2)[:, :1])
    leaves = forest.wave()
    evaluator.evaluate(leaves)
    menus = [GAME.menu(states[k : k + 1], int(states["mover"][k])).tolist() for k in range(len(states))]
    return leaves.values[:, 0], [dict(zip(menu, leaves.priors[k].tolist())) for k, menu in enumerate(menus)]


def positions() -> np.ndarray:
    """Where somebody has a choice."""
    words = match_words(2, np.arange(COUNT), 0, 2)
    states = GAME.start(words, 2, GAME.rule_values("PE"))
    GAME.kernel(kernels.rollouts)(states, words, np.zeros(COUNT, np.int64), 9)
    states = states[GAME.waiting(states) != 0]
    return states[[len(GAME.menu(states[k : k + 1], int(states["mover"][k]))) > 1 for k in range(len(states))]]


def image_of(states: np.ndarray, symmetry: int) -> np.ndarray:
    turned = states.copy()
    GAME.kernel(kernels.turn_boards)(turned, symmetry)
    return turned


def action_images(state: np.ndarray, symmetry: int, actions: list[int]) -> list[int]:
    out = np.empty(len(actions), np.int32)
    GAME.kernel(kernels.turn_actions)(np.repeat(state, len(actions)), symmetry, np.array(actions, np.int32), out)
    return out.tolist()


def check_alike(evaluator: Evaluator, states: np.ndarray) -> None:
    """Value and policy agree on all twelve images."""
    values, policies = judge(evaluator, states)
    for symmetry in range(1, GAME.names["SYMMETRIES"]):
        there, found = judge(evaluator, image_of(states, symmetry))
        assert np.abs(there - values).max() < 1e-4
        for k, policy in enumerate(policies):
            images = action_images(states[k : k + 1], symmetry, list(policy))
            assert all(abs(found[k][image] - policy[one]) < 1e-4 for one, image in zip(policy, images))


def test_value_and_policy_agree_on_all_images():
    torch.manual_seed(1)
    states = positions()
    assert len(states) > 4
    network = Network(net_spec(*GAME.shapes(2), 2, 8, 1, hidden=8, narrow=0)).eval()
    for head in (network.cells_weight, network.extra_weight, network.value_weight):
        torch.nn.init.normal_(head, 0, 0.5)
    alone = CpuEvaluator(GAME, to_onnx(network.spec, network.weights()))
    check_alike(AllImages(GAME, alone), states)
    turned = (judge(alone, image_of(states, symmetry))[0] for symmetry in range(1, GAME.names["SYMMETRIES"]))
    differs = max(float(np.abs(one - judge(alone, states)[0]).max()) for one in turned)
    assert differs > 0.01, "the network alone judges images differently"


@pytest.mark.parametrize("run", ["organism", "organism_sizes", "organism_small_boards"])
def test_networks_of_the_package_agree_where_they_are_asked_to(run):
    states = positions()
    player = agent(f"alphazero:{run},images=on", GAME)
    assert isinstance(player, AlphaZero)
    check_alike(player._evaluator(states), states)
