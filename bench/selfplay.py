"""How fast self-play is on one GPU, beside PGX + mctx, and how well the precisions agree.

    python bench/selfplay.py               all of it: about two minutes on an H200 with 16 cores
    python bench/selfplay.py agreement     only whether torch, onnxruntime and Triton say the same
    python bench/selfplay.py connect_four  only the table of connect four;  organism: of Organism with 4 rings
    python bench/selfplay.py compile       only what must be compiled for them, which is kept for the next time
    python bench/selfplay.py trees         trees alone, without a GPU
    python bench/selfplay.py tiles groups  the network with other sizes of its tiles; other numbers of groups

Numbers are simulations a second in windows of some seconds, after a few moves: the best window, and the median; the
same search, no cache, the tree not kept between moves unless a row says so. Those of PGX + mctx are published
measurements of the same net on an H200.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable

import numpy as np

from ludus.catalogue import load
from ludus.game import Game
from ludus.learn._pipeline import CudaSelfPlay, Pipeline
from ludus.learn._selfplay import PlaySettings
from ludus.nets.export import from_onnx
from ludus.nets.spec import NetSpec, Weights, net_spec
from ludus.runs import find_run
from ludus.search.forest.memory import Leaves

SHIPPED = "connect_four"
PGX = {(16384, 32): 3.43, (4096, 32): 2.45, (4096, 128): 1.31}
"""Millions of simulations a second: matches x simulations."""
ROWS = {
    "connect_four": [("fp16", False, ""), ("fp8", False, ""), ("fp16", False, SHIPPED), ("fp8", False, SHIPPED),
                     ("fp8", True, "")],
    "organism": [("fp8", False, ""), ("fp8", True, "")],
}  # fmt: skip
"""Precision, whether trees are kept, and a trained run; "": a network that knows nothing, whose activations have fewer
zeros, so that the card draws more power for them and its clock falls further."""
CHANNELS, BLOCKS = 128, 6
SECONDS, WINDOWS = 2.0, 5
RULES: dict[str, dict[str, object]] = {"connect_four": {}, "organism": {"rings": 4}}
FP8_SMALL = ("connect_four", "fp8", 4096, 32, False, SHIPPED)


def random_weights(spec: NetSpec, seed: int = 0) -> Weights:
    """A network that knows nothing, whose activations are of the usual size."""
    rng, weights = np.random.default_rng(seed), {}
    for name, shape in spec.arrays.items():
        inputs = int(np.prod(shape[1:])) if name != "trunk.taps" else spec.taps * spec.channels
        if name == "stem.taps":
            inputs = spec.taps * spec.planes
        size = 0.1 if name.endswith("bias") else np.sqrt(2 / max(inputs, 1))
        weights[name] = (rng.standard_normal(shape) * size).astype(np.float32)
    weights["trunk.taps"][1::2] *= 0.3
    return weights


def trained_weights(spec: NetSpec, run: str) -> Weights:
    trained, weights = from_onnx((find_run(run).path / "weights.onnx").read_bytes())
    assert trained.arrays == spec.arrays, f"{run} is a network of another size"
    return weights


def network(game: Game, values: dict[str, object]) -> NetSpec:
    features, policy = game.shapes(2, values)
    return net_spec(features, policy, 2, CHANNELS, BLOCKS)


# ------------------------------------------------------------------------------------------------ speed


def speed(name: str, precision: str, matches: int, sims: int, keep: bool, run: str, groups: int = 0) -> str:
    game = load(name)
    values = game.rule_values("default", RULES[name])
    spec = network(game, values)
    settings = PlaySettings(matches=matches, sims=sims, openings=8, keep=keep)
    weights = trained_weights(spec, run) if run else random_weights(spec)
    play = CudaSelfPlay(game, 2, values, settings, spec, weights, 1, 0, precision, groups)
    play.run(seconds=0.7)
    rates = [window(play) for _ in range(WINDOWS)]
    play.close()
    return f"{max(rates):.2f} ({np.median(rates):.2f})"


def window(play: Pipeline) -> float:
    """Millions of simulations a second."""
    started = time.perf_counter()
    _, tally = play.run(seconds=SECONDS)
    return tally["simulations"] / (time.perf_counter() - started) / 1e6


def table(name: str, sizes: list[tuple[int, int]]) -> None:
    print(f"\n{name} {RULES[name] or ''}: millions of simulations a second, {BLOCKS} x {CHANNELS}", flush=True)
    print(f"{'':26s}" + "".join(f"{f'{matches} x {sims}':>16s}" for matches, sims in sizes), flush=True)
    if name == "connect_four":
        print(f"{'PGX + mctx (published)':26s}" + "".join(f"{PGX[size]:16.2f}" for size in sizes), flush=True)
    for precision, keep, run in ROWS[name]:
        print(f"{precision + ', tree kept' * keep + ', trained' * bool(run):26s}", end="", flush=True)
        for matches, sims in sizes:
            print(f"{attempt(speed, name, precision, matches, sims, keep, run):>16s}", end="", flush=True)
        print(flush=True)


def attempt(function: Callable[..., str], *arguments: object) -> str:
    """One failure should not hide the rest."""
    try:
        return function(*arguments)
    except Exception:
        traceback.print_exc()
        return "failed"


def alone(precision: str, positions: int) -> str:
    """The network alone, on batches that are there: millions of positions a second."""
    import torch

    from ludus.nets.cuda import CudaNet

    game = load("connect_four")
    spec = network(game, game.rule_values())
    net, room = CudaNet(spec, precision), None
    features = torch.randint(0, 128, (positions, spec.features), dtype=torch.int8)
    net.fill(random_weights(spec), features[:256])
    room, given = net.room(positions), features.cuda()
    slots = torch.arange(7, dtype=torch.int16).repeat(positions, 1).cuda()
    answers = torch.zeros((positions, 7 + spec.seats), device="cuda")
    for _ in range(3):
        net.forward(given, slots, answers, room)
    torch.cuda.synchronize()
    graph, times = torch.cuda.CUDAGraph(), []
    with torch.cuda.graph(graph):
        net.forward(given, slots, answers, room)
    for _ in range(5):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(20):
            graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 20)
    return f"{positions / np.median(times) / 1e3:.2f}"


def tiles() -> None:
    """One thing at a time is changed."""
    from ludus.nets import cuda

    def row(precision: str, what: str) -> None:
        print(f"{precision} {what:60s}", *(attempt(alone, precision, n) for n in (1024, 4096)), flush=True)

    for precision, step in (("fp8", 128), ("fp16", 64)):
        row(precision, "as it is")
        for sizes in ((16, 2, 4), (16, 2, 6)):
            kept, cuda.SUMMARY = cuda.SUMMARY, dict(zip(("ROWS", "num_warps", "num_stages"), sizes))
            row(precision, f"summary {cuda.SUMMARY}")
            cuda.SUMMARY = kept
        for change in (
            {"ROWS": 256, "num_warps": 8},
            {"ROWS": 256, "num_warps": 8, "num_stages": 4},
            {"ROWS": 256, "num_warps": 8, "STEP": step // 2, "num_stages": 4},
            {"ROWS": 256, "num_warps": 8, "together": 4},
        ):
            kept = cuda.TILES[precision]
            cuda.TILES[precision] = kept | change
            row(precision, f"layers {change}")
            cuda.TILES[precision] = kept


# ------------------------------------------------------------------------------------------------ agreement


def agreement(name: str, rules: dict[str, object]) -> str:
    """KL and same first choice against float32 in torch, over positions of random play."""
    import torch

    from ludus.learn._pipeline import _some_features
    from ludus.nets.cuda import CudaNet
    from ludus.nets.export import to_onnx
    from ludus.nets.play import session

    game = load(name)
    values = game.rule_values("default", rules)
    spec, features = network(game, values), _some_features(game, 2, values, 3)
    weights, rng = random_weights(spec), np.random.default_rng(1)
    width = min(spec.policy, 64)
    slots = np.stack([rng.permutation(spec.policy)[:width] for _ in features]).astype(np.int16)
    logits, judged = session(to_onnx(spec, weights)).run(None, {"features": features.astype(np.float32) / 127})
    chosen = np.take_along_axis(logits, slots.astype(np.int64), axis=1).astype(np.float64)
    priors = np.exp(chosen - chosen.max(axis=1, keepdims=True))
    priors /= priors.sum(axis=1, keepdims=True)
    lines = []
    for precision in ("fp32", "fp16", "fp8"):
        net = CudaNet(spec, precision)
        given = torch.from_numpy(features)
        net.fill(weights, given)
        answers = torch.zeros((len(features), width + spec.seats), device="cuda")
        net.forward(given.cuda(), torch.from_numpy(slots).cuda(), answers, net.room(len(features)))
        said = answers.cpu().numpy().astype(np.float64)
        kl = (priors * (np.log(priors + 1e-12) - np.log(said[:, :width] + 1e-12))).sum(axis=1).mean()
        same = (priors.argmax(axis=1) == said[:, :width].argmax(axis=1)).mean()
        worst = np.abs(priors - said[:, :width]).max(), np.abs(judged - said[:, width:]).max()
        off = np.abs(judged - said[:, width:]).mean()
        lines.append(
            f"{name} {precision} beside onnxruntime: KL {kl:.6f}, same first choice {100 * same:.2f} %, value off by"
            f" {off:.5f} on average; at most {worst[0]:.6f} (prior), {worst[1]:.6f} (value)"
        )
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------ trees alone


class AnyAnswer:
    """Judges nothing: priors and values are noise, and always there."""

    def __init__(self, leaves: Leaves, rows: int):
        rng = np.random.default_rng(0)
        priors = rng.random(leaves.priors.shape).astype(np.float32) ** 3
        leaves.priors[:] = priors / priors.sum(axis=1, keepdims=True)
        leaves.values[:, 0] = rng.normal(0, 0.2, len(priors))
        leaves.values[:, 1] = -leaves.values[:, 0]

    def launch(self, group: int) -> None: ...

    def is_ready(self, group: int) -> bool:
        return True

    def wait(self, group: int) -> None: ...


def trees_alone(name: str, matches: int, sims: int, threads: int) -> Pipeline:
    game = load(name)
    settings = PlaySettings(matches=matches, sims=sims, openings=8, keep=False)
    return Pipeline(game, 2, game.rule_values("default", RULES[name]), settings, 1, AnyAnswer, threads)


def compiled(name: str) -> str:
    started, used = time.perf_counter(), time.process_time()
    play = trees_alone(name, 64, 4, 1)
    play.run(seconds=0.0)
    play.close()
    seconds, spent = time.perf_counter() - started, time.process_time() - used
    return f"{name} is compiled: {seconds:.1f} s, {spent:.1f} s of processor time"


def trees(name: str, matches: int, sims: int, threads: int) -> str:
    play = trees_alone(name, matches, sims, threads)
    play.run(seconds=0.5)
    started, used = time.perf_counter(), time.process_time()
    _, tally = play.run(seconds=SECONDS)
    seconds, spent = time.perf_counter() - started, time.process_time() - used
    play.close()
    rate = tally["simulations"] / seconds / 1e6
    return (
        f"{name}, trees alone, {matches} x {sims}, {play.threads} threads: {rate:.2f} M simulations a second,"
        f" {spent:.1f} s of processor time in {seconds:.1f} s"
    )


def main(what: list[str]) -> None:
    parts = what or ["agreement", "trees", "connect_four", "organism"]
    if "compile" in parts:
        for name in RULES:
            print(attempt(compiled, name), flush=True)
    if "agreement" in parts:
        for name, rules in RULES.items():
            print(attempt(agreement, name, rules), flush=True)
    if "trees" in parts:
        for matches, sims, threads in ((1024, 32, 1), (4096, 32, 0), (4096, 128, 0)):
            print(attempt(trees, "connect_four", matches, sims, threads), flush=True)
    if "tiles" in parts:
        tiles()
    if "groups" in parts:
        for groups in (2, 3, 4, 6):
            print(f"{groups} groups, fp8, about 4096 x 32:", attempt(speed, *FP8_SMALL, groups), flush=True)
    if "connect_four" in parts:
        table("connect_four", list(PGX))
    if "organism" in parts:
        table("organism", [(4096, 32), (8192, 32)])


if __name__ == "__main__":
    main(sys.argv[1:])
