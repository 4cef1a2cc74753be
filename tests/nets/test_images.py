"""A position and its images, turned and mirrored, are judged alike."""

from __future__ import annotations

import numpy as np
import torch

from ludus import kernels, load
from ludus.nets.export import to_onnx
from ludus.nets.images import AllImages
from ludus.nets.network import Network
from ludus.nets.play import CpuEvaluator, Evaluator
from ludus.nets.spec import net_spec
from ludus.rng import match_words
from ludus.search.forest import Forest

COUNT = 40


def judge(evaluator: Evaluator, states: np.ndarray) -> tuple[np.ndarray, list[dict[int, float]]]:
    """The value of each position for its mover, and what is expected of each action."""
    game = load("organism")
    forest = Forest(game, len(states), 1)
    forest.plant(states, states["mover"], match_words(1, np.arange(len(states)), 0, 2)[:, :1])
    leaves = forest.wave()
    evaluator.evaluate(leaves)
    menus = [game.menu(states[k : k + 1], int(states["mover"][k])).tolist() for k in range(len(states))]
    return leaves.values[:, 0], [dict(zip(menu, leaves.priors[k].tolist())) for k, menu in enumerate(menus)]


def test_value_and_policy_agree_on_all_images():
    torch.manual_seed(1)
    game, words = load("organism"), match_words(2, np.arange(COUNT), 0, 2)
    states = game.start(words, 2, game.rule_values("PE"))
    game.kernel(kernels.rollouts)(states, words, np.zeros(COUNT, np.int64), 9)
    states = states[game.waiting(states) != 0]
    states = states[[len(game.menu(states[k : k + 1], int(states["mover"][k]))) > 1 for k in range(len(states))]]
    assert len(states) > 4
    network = Network(net_spec(*game.shapes(2), 2, 8, 1, hidden=8, narrow=0)).eval()
    for head in (network.cells_weight, network.extra_weight, network.value_weight):
        torch.nn.init.normal_(head, 0, 0.5)
    alone = CpuEvaluator(game, to_onnx(network.spec, network.weights()))
    evaluator, differs = AllImages(game, alone), 0.0
    values, policies = judge(evaluator, states)
    for symmetry in range(1, game.names["SYMMETRIES"]):
        turned = states.copy()
        game.kernel(kernels.turn_boards)(turned, symmetry)
        there, found = judge(evaluator, turned)
        assert np.abs(there - values).max() < 1e-4
        differs = max(differs, float(np.abs(judge(alone, turned)[0] - judge(alone, states)[0]).max()))
        for k, policy in enumerate(policies):
            actions, out = np.array(list(policy), np.int32), np.empty(len(policy), np.int32)
            for at in range(len(actions)):
                game.kernel(kernels.turn_actions)(states[k : k + 1], symmetry, actions[at : at + 1], out[at : at + 1])
            assert all(abs(found[k][int(image)] - policy[int(one)]) < 1e-4 for one, image in zip(actions, out))
    assert differs > 0.01, "the network alone judges images differently"
