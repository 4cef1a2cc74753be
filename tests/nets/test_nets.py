"""One network, three times: the sums that its definition states, torch, and onnxruntime give the same answers."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
import torch

from ludus import load
from ludus.errors import Mismatch
from ludus.nets.compiled import CompiledEvaluator
from ludus.nets.export import from_onnx, to_onnx
from ludus.nets.network import Network
from ludus.nets.play import CpuEvaluator, session
from ludus.nets.spec import NetSpec, Weights, check_weights, net_spec
from ludus.nets.variants import Variant, rule_columns, variant_of
from ludus.rng import match_words
from ludus.search.forest import Forest
from ludus.shapes import flat, hexagons, planes, squares

SHAPES = {
    "squares": (planes(3, squares(4, 5), extra=2), planes(2, squares(4, 5), extra=3)),
    "hexagons": (planes(3, hexagons(3), extra=2), planes(2, hexagons(3), extra=3)),
    "a board, but slots of none": (planes(2, squares(3, 4)), flat(7)),
    "no board": (flat(9), flat(5)),
}


def make(shapes, narrow: int = 4, seats: int = 3) -> Network:
    """A network that has been through something."""
    torch.manual_seed(1)
    network = Network(net_spec(*shapes, seats, channels=8, blocks=2, hidden=6, narrow=narrow))
    for norm in network.modules():
        if isinstance(norm, torch.nn.BatchNorm2d):
            norm.running_mean.normal_(0, 0.1)
            norm.running_var.uniform_(0.5, 1.5)
            torch.nn.init.normal_(norm.bias, 0, 0.1)
    for head in (network.cells_weight, network.extra_weight, network.value_weight):
        torch.nn.init.normal_(head, 0, 0.3)
    return network.eval()


def by_definition(spec: NetSpec, weights: Weights, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What `ludus.nets` says that a network computes, cell by cell."""
    table = np.concatenate([np.arange(spec.cells)[:, None], *([spec.board.neighbours] if spec.board else [])], axis=1)

    def layer(x, taps, bias):
        return bias + np.array([sum(taps[t] @ x[n] for t, n in enumerate(near) if n >= 0) for near in table])

    relu = lambda x: np.maximum(x, 0)  # noqa: E731
    seen = row[: spec.planes * spec.cells].reshape(spec.planes, spec.cells).T
    x = relu(
        layer(seen, weights["stem.taps"], weights["stem.bias"])
        + weights["stem.extra"] @ row[spec.features - spec.extra :]
    )
    for block in range(spec.blocks):
        y = relu(layer(x, weights["trunk.taps"][2 * block], weights["trunk.bias"][2 * block]))
        x = relu(layer(y, weights["trunk.taps"][2 * block + 1], weights["trunk.bias"][2 * block + 1]) + x)
    summary = (
        weights["summary.bias"] + weights["summary.mean"] @ x.mean(axis=0) + weights["summary.most"] @ x.max(axis=0)
    )
    if spec.narrow:
        narrow = relu(x @ weights["narrow.weight"].T + weights["narrow.bias"])
        summary = summary + np.einsum("snc,cn->s", weights["summary.narrow"], narrow)
    summary = relu(summary)
    cells = (x @ weights["cells.weight"].T + weights["cells.bias"]).T.ravel()
    extra = weights["extra.weight"] @ summary + weights["extra.bias"]
    return np.concatenate([cells, extra]), np.tanh(weights["value.weight"] @ summary + weights["value.bias"])


@pytest.mark.parametrize("narrow", [4, 0])
@pytest.mark.parametrize("kind", SHAPES)
def test_definition_torch_and_onnxruntime_agree(kind, narrow):
    network = make(SHAPES[kind], narrow)
    spec, weights = network.spec, network.weights()
    features = np.random.default_rng(0).uniform(-1, 1, (5, spec.features)).astype(np.float32)
    logits, values = (part.detach().numpy() for part in network(torch.as_tensor(features)))
    played = session(to_onnx(spec, weights)).run(None, {"features": features})
    assert logits.shape == (5, SHAPES[kind][1].length)
    assert np.abs(played[0] - logits).max() < 1e-4
    assert np.abs(played[1] - values).max() < 1e-4
    for row in range(5):
        expected = by_definition(spec, weights, features[row])
        assert np.abs(expected[0] - logits[row]).max() < 1e-4
        assert np.abs(expected[1] - values[row]).max() < 1e-4


@pytest.mark.parametrize("kind", SHAPES)
def test_a_file_holds_the_whole_network(kind):
    network = make(SHAPES[kind])
    spec, weights = from_onnx(to_onnx(network.spec, network.weights()))
    assert spec == network.spec
    assert all((array == network.weights()[name]).all() for name, array in weights.items())


@pytest.mark.parametrize(("bits", "size", "error"), [(16, 0.8, 0.01), (8, 0.75, 0.1)])
def test_fewer_bits_make_the_file_smaller_and_change_little(bits, size, error):
    network = make(SHAPES["squares"])
    whole, small = (to_onnx(network.spec, network.weights(), bits) for bits in (32, bits))
    features = np.random.default_rng(0).uniform(-1, 1, (9, network.spec.features)).astype(np.float32)
    one, two = (session(content).run(None, {"features": features}) for content in (whole, small))
    assert len(small) < size * len(whole)
    assert np.abs(one[0] - two[0]).max() < error
    assert (one[0].argmax(axis=1) == two[0].argmax(axis=1)).all()
    again = session(to_onnx(*from_onnx(small))).run(None, {"features": features})
    assert np.abs(again[0] - two[0]).max() < 1e-5, "what is read back is what plays"


def test_one_network_serves_boards_of_all_sizes():
    network = make(SHAPES["hexagons"], narrow=0)
    shapes = planes(3, hexagons(4), extra=2), planes(2, hexagons(4), extra=3)
    larger = network.spec.on(*shapes)
    features = np.random.default_rng(0).uniform(-1, 1, (2, larger.features)).astype(np.float32)
    ((logits, _),) = network.judge([(Variant(larger), torch.as_tensor(features))])
    played = session(to_onnx(larger, network.weights())).run(None, {"features": features})
    assert np.abs(played[0] - logits.detach().numpy()).max() < 1e-4


def test_boards_of_several_sizes_are_judged_together_as_each_alone():
    network = make(SHAPES["hexagons"], narrow=0)
    nets = [network.spec.on(planes(3, hexagons(k), extra=2), planes(2, hexagons(k), extra=3)) for k in (4, 3, 5)]
    rng = np.random.default_rng(0)
    parts = [(Variant(net), torch.as_tensor(rng.uniform(-1, 1, (3, net.features)).astype(np.float32))) for net in nets]
    for part, (logits, values) in zip(parts, network.judge(parts)):
        ((alone, worth),) = network.judge([part])
        assert torch.allclose(logits, alone, atol=1e-5)
        assert torch.allclose(values, worth, atol=1e-5)


def test_numbers_of_the_rules_go_into_the_bias():
    """What torch is told of the rules beside the features plays as a plain network."""
    spec = dataclasses.replace(make(SHAPES["hexagons"], narrow=0).spec, rules="length,style=round")
    network = Network(spec).eval()
    torch.nn.init.normal_(network.stem_rules)
    torch.nn.init.normal_(network.cells_weight)
    features = np.random.default_rng(0).uniform(-1, 1, (3, spec.features)).astype(np.float32)
    answers = []
    for numbers in ((0.0, 0.0), (0.25, 1.0)):
        variant = Variant(spec, numbers)
        ((logits, _),) = network.judge([(variant, torch.as_tensor(features))])
        played = session(to_onnx(*variant.plain(network.weights()))).run(None, {"features": features})
        assert np.abs(played[0] - logits.detach().numpy()).max() < 1e-4
        answers.append(played[0])
    assert np.abs(answers[0] - answers[1]).max() > 0.01, "other rules, other answers"
    kept, _ = from_onnx(to_onnx(spec, network.weights()))
    assert kept == spec, "the file says what it wants to be told"


def test_what_a_network_is_told_of_the_rules():
    game = load("organism")
    one, two = game.rule_values("PE"), game.rule_values("P", {"rings": 4, "turn_limit": 100, "flow": "half"})
    told = rule_columns(game, 2, [one, two])
    assert told == "flow=one,flow=half,token_limit,organism_limit,turn_limit", "not the rings, which the board shows"
    spec = net_spec(*game.shapes(2, one), 2, channels=8, blocks=1, narrow=0)
    numbers = variant_of(dataclasses.replace(spec, rules=told), game, 2, two).numbers
    assert np.allclose(numbers, (0, 1, 3 / 20, 2 / 9, 90 / 490))
    assert rule_columns(game, 2, [one]) == ""
    with pytest.raises(Mismatch, match="the rule height, which this game does not have"):
        variant_of(dataclasses.replace(spec, rules="height"), game, 2, one)


def test_another_board_or_other_features_are_refused():
    spec = make(SHAPES["hexagons"]).spec
    with pytest.raises(Mismatch, match="board of 19 cells alone, not of 37"):
        spec.on(planes(3, hexagons(4), extra=2), planes(2, hexagons(4), extra=3))
    with pytest.raises(Mismatch, match=r"3 planes and 2 numbers in, .* ask for 4 planes"):
        dataclasses.replace(spec, narrow=0).on(planes(4, hexagons(3), extra=2), planes(2, hexagons(3), extra=3))
    with pytest.raises(Mismatch, match=r"stem\.bias is \(3,\)"):
        check_weights(spec, make(SHAPES["hexagons"]).weights() | {"stem.bias": np.zeros(3)})


@pytest.mark.parametrize(("name", "players"), [("connect_four", 2), ("goofspiel", 3)])
def test_leaves_are_judged_by_what_their_players_see(name, players):
    game = load(name)
    network = make(game.shapes(players), seats=game.facts.players[1])
    evaluator = CpuEvaluator(game, to_onnx(network.spec, network.weights()))
    forest = Forest(game, 200, sims=1)
    words = match_words(1, np.arange(200), 0, players)
    forest.plant(game.start(words, players), np.zeros(200, np.int64), words[:, :1].copy())
    evaluator.evaluate(leaves := forest.wave())
    features = np.zeros((len(leaves.trees), network.spec.features), np.float32)
    evaluator._see(leaves.views, leaves.players, features)
    logits, values = (part.detach().numpy() for part in network(torch.as_tensor(features)))
    assert np.abs(leaves.values - values).max() < 1e-4
    row = len(leaves.trees) - 1
    count = leaves.counts[row]
    chances = np.exp(logits[row, leaves.slots[row, :count]])
    assert np.allclose(leaves.priors[row, :count], chances / chances.sum(), atol=1e-5)


@pytest.mark.parametrize("name", ["tic_tac_toe", "goofspiel"])
@pytest.mark.parametrize("blocks", [0, 2])
def test_compiled_code_judges_as_onnxruntime_does(name, blocks):
    game = load(name)
    lengths = [flat(shape.length) for shape in game.shapes(2)]
    torch.manual_seed(1)
    network = Network(net_spec(*lengths, game.facts.players[1], channels=8, blocks=blocks, hidden=6)).eval()
    for head in (network.extra_weight, network.value_weight, network.extra_bias):
        torch.nn.init.normal_(head, 0, 0.3)
    spec, weights = network.spec, network.weights()
    compiled, played = CompiledEvaluator(game, spec, weights), CpuEvaluator(game, to_onnx(spec, weights))
    answers = []
    for evaluator in (compiled, played):
        forest, words = Forest(game, 50, sims=8), match_words(1, np.arange(50), 0, 2)
        forest.plant(game.start(words, 2), np.zeros(50, np.int64), words[:, :1].copy())
        for _ in range(4):  # deeper than the first position, which is empty
            played.evaluate(leaves := forest.wave())
        evaluator.evaluate(leaves)
        answers.append((leaves.priors.copy(), leaves.values.copy()))
    for one, other in zip(*answers):
        assert np.abs(one - other).max() < 1e-5


def test_a_compiled_search_is_the_search_in_batches():
    game = load("tic_tac_toe")
    network = make([flat(shape.length) for shape in game.shapes(2)], seats=2)
    spec, weights = network.spec, network.weights()
    visits, words = [], match_words(1, np.arange(5), 0, 2)
    for evaluator in (CompiledEvaluator(game, spec, weights), CpuEvaluator(game, to_onnx(spec, weights))):
        forest = Forest(game, 5, sims=40)
        forest.plant(game.start(words, 2), np.zeros(5, np.int64), words[:, :1].copy())
        while evaluator.search(forest):
            pass
        visits.append(forest.roots().visits)
    assert (visits[0] == visits[1]).all()
    assert visits[0].sum() == 5 * 40


def test_playing_needs_no_torch_and_starting_no_onnxruntime():
    code = (
        "import sys; import ludus.nets.play; print([name in sys.modules for name in ('torch', 'onnx', 'onnxruntime')])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[False, False, False]"
