"""The network on a GPU says what torch and onnxruntime say; without one its arrays are read as the kernels would."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import load
from ludus.errors import BadInput
from ludus.nets.spec import NetSpec, net_spec
from ludus.shapes import flat, hexagons, planes, squares

torch = pytest.importorskip("torch")

from ludus.nets.cuda import PAD, Captured, CudaEvaluator, CudaNet, largest_activations, layers  # noqa: E402
from ludus.nets.network import Network  # noqa: E402

SPECS = {
    "squares": net_spec(planes(2, squares(3, 4)), flat(4), 2, channels=24, blocks=2, hidden=32, narrow=5),
    "hexagons": net_spec(planes(3, hexagons(3), extra=2), planes(2, hexagons(3), extra=3), 2, channels=32, blocks=1),
    "no board": net_spec(flat(9), flat(6), 3, channels=32, blocks=1, hidden=32),
    "any size": net_spec(planes(1, squares(4, 4)), planes(1, squares(4, 4)), 2, channels=32, blocks=1, narrow=0),
}


def network(spec: NetSpec) -> Network:
    """One whose parts all say something."""
    torch.manual_seed(1)
    made = Network(spec).eval()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return made


def positions(spec: NetSpec, count: int = PAD) -> np.ndarray:
    return np.random.default_rng(2).integers(-127, 128, (count, spec.features)).astype(np.int8)


def said_by(made: Network, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with torch.no_grad():
        logits, values = made(torch.from_numpy(features).float() / 127)
    return logits.numpy(), values.numpy()


def read_as_kernels_do(net: CudaNet, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    spec, cells, wide = net.spec, net.spec.cells, net.channels
    x0 = torch.zeros(len(features), net.inputs)
    x0[:, : spec.features] = torch.from_numpy(features).float() / 127
    x = torch.stack([torch.relu(x0 @ rows.T + net.stem_bias) for rows in net.stem.view(cells, wide, -1)])

    def layer(source, k, residual=None):
        out = []
        for cell in range(cells):
            total = net.bias[k] + (residual[cell] if residual is not None else 0)
            for t in range(int(net.counts[cell])):
                near, kind = int(net.sources[cell]) >> 7 * t & 127, int(net.kinds[cell]) >> 7 * t & 127
                total = total + source[near] @ net.taps[k].view(-1, wide, wide)[kind].T
            out.append(torch.relu(total))
        return torch.stack(out)

    for block in range(spec.blocks):
        x = layer(layer(x, 2 * block), 2 * block + 1, x)
    thin = torch.relu(x @ net.narrow_weight.T + net.narrow_bias)
    summary = net.summary_bias + x.mean(0) @ net.summary_mean.T + x.amax(0) @ net.summary_most.T
    if spec.narrow:
        by_cell = net.summary_narrow.view(cells, net.hidden, net.narrow)
        summary = summary + sum(thin[cell] @ by_cell[cell].T for cell in range(cells))
    rest = torch.relu(summary) @ net.rest_weight.T + net.rest_bias
    on_cells = (x @ net.cells_weight.T + net.cells_bias)[:, :, : spec.policy_planes].permute(1, 2, 0).flatten(1)
    logits = torch.cat([on_cells, rest[:, : spec.policy_extra]], 1)
    return logits.numpy(), torch.tanh(rest[:, spec.policy_extra : spec.policy_extra + spec.seats]).numpy()


@pytest.mark.parametrize("kind", SPECS)
def test_the_arrays_of_the_kernels_are_those_of_the_network(kind):
    spec, made = SPECS[kind], network(SPECS[kind])
    net, features = CudaNet(spec, "fp32", device="cpu"), positions(SPECS[kind], 16)
    net.fill(made.weights())
    for said, wanted in zip(read_as_kernels_do(net, features), said_by(made, features)):
        assert np.abs(said - wanted).max() < 1e-4 * max(1, np.abs(wanted).max())


@pytest.mark.parametrize("kind", SPECS)
def test_the_scales_are_measured_on_the_same_activations(kind):
    spec, made = SPECS[kind], network(SPECS[kind])
    features = torch.from_numpy(positions(spec, 16)).float() / 127
    with torch.no_grad():
        *_, last = layers(spec, made.weights(), features)
        wanted = made.trunk(features).flatten(2)[:, :, torch.as_tensor(spec.places)]
    assert torch.allclose(last.transpose(1, 2), wanted, atol=1e-3, rtol=1e-4)
    assert len(largest_activations(spec, made.weights(), features)) == 2 * spec.blocks + 1


def test_eight_bits_need_positions_and_boards_have_a_limit():
    spec = SPECS["squares"]
    with pytest.raises(BadInput, match="positions"):
        CudaNet(spec, "fp8", device="cpu").fill(network(spec).weights())
    with pytest.raises(BadInput, match="128 cells"):
        CudaNet(net_spec(planes(1, squares(12, 12)), flat(4), 2, 32, 1), device="cpu")


def test_without_cuda_one_sentence():
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    from ludus.learn._pipeline import CudaSelfPlay
    from ludus.learn._selfplay import PlaySettings

    game, spec = load("connect_four"), SPECS["squares"]
    with pytest.raises(BadInput, match="no CUDA device"):
        CudaSelfPlay(game, 2, game.rule_values(), PlaySettings(), spec, {}, seed=1)


def test_a_pass_that_cannot_be_captured_runs_kernel_by_kernel(monkeypatch, caplog):
    class Card:
        """Refuses to capture."""

        def __init__(self, *args, **settings):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *error):
            return False

        def synchronize(self):
            pass

        record = synchronize

    def refuse(*args, **settings):
        raise RuntimeError("operation not permitted when stream is capturing")

    for name in ("Stream", "Event", "CUDAGraph", "stream"):
        monkeypatch.setattr(torch.cuda, name, Card)
    monkeypatch.setattr(torch.cuda, "graph", refuse)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.Tensor, "to", lambda tensor, *where: tensor.clone())
    passes = []

    class Net:
        def room(self, positions):
            return positions

        def forward(self, features, slots, answers, room):
            passes.append(room)
            answers += 1

    host = torch.zeros(3, 2), torch.zeros(3, 2), torch.zeros(3, 2)
    captured = Captured(Net(), *host)  # pyright: ignore[reportArgumentType]
    assert "not captured" in caplog.text
    captured.launch()
    assert passes == [3, 3]
    assert host[2].eq(2).all(), "the answers of the second pass are where the search reads them"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@pytest.mark.parametrize("kind", SPECS)
@pytest.mark.parametrize(
    ("precision", "error", "kl", "same"),
    [("fp32", 1e-4, 1e-6, 1.0), ("fp16", 5e-3, 1e-4, 0.98), ("fp8", 0.3, 0.01, 0.9)],
)
def test_the_kernels_say_what_torch_says(kind, precision, error, kl, same):
    spec, made = SPECS[kind], network(SPECS[kind])
    features = positions(spec)
    logits, values = said_by(made, features)
    slots = np.tile(np.arange(spec.policy, dtype=np.int16), (PAD, 1))
    net, answers = CudaNet(spec, precision), torch.zeros((PAD, spec.policy + spec.seats), device="cuda")
    net.fill(made.weights(), torch.from_numpy(features))
    net.forward(torch.from_numpy(features).cuda(), torch.from_numpy(slots).cuda(), answers, net.room(PAD))
    said, priors = answers.cpu().numpy(), np.exp(logits - logits.max(axis=1, keepdims=True))
    priors /= priors.sum(axis=1, keepdims=True)
    chances = said[:, : spec.policy]
    assert np.abs(chances - priors).max() < error
    assert np.abs(said[:, spec.policy :] - values).max() < error
    assert (priors * np.log((priors + 1e-12) / (chances + 1e-12))).sum(axis=1).mean() < kl
    assert (chances.argmax(axis=1) == priors.argmax(axis=1)).mean() >= same


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_an_evaluator_on_the_gpu_fills_in_what_one_on_the_processor_does():
    from ludus.nets.export import to_onnx
    from ludus.nets.play import CpuEvaluator
    from ludus.rng import match_words
    from ludus.search.forest import Forest

    game = load("connect_four")
    spec = net_spec(*game.shapes(2), 2, channels=32, blocks=1)
    weights, answers = network(spec).weights(), []
    for evaluator in (CpuEvaluator(game, to_onnx(spec, weights)), CudaEvaluator(game, spec, weights)):
        words = match_words(1, np.arange(300), 0, 2)
        forest = Forest(game, 300, 1)
        forest.plant(game.start(words, 2), np.zeros(300, np.int64), words[:, :1].copy())
        leaves = forest.wave()
        evaluator.evaluate(leaves)
        answers.append((leaves.priors.copy(), leaves.values.copy()))
    for one, other in zip(*answers):
        assert np.abs(one - other).max() < 5e-3
