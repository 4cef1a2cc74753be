"""How much of onnxruntime's own speed the judging of leaves keeps, on one thread.

    python bench/leaves.py [--rounds 7]

`judged` is from leaves in to priors and values filled in: by onnxruntime for networks that see the board (cells), by
compiled code for others (flat). `onnxruntime` is its run alone, with the same network on a batch of the same size.
Both in turn, processor time, the median of the rounds' ratios.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from ludus import load
from ludus.learn._plan import make_plan
from ludus.learn.alphazero import Settings
from ludus.nets.compiled import CompiledEvaluator
from ludus.nets.export import to_onnx
from ludus.nets.network import Network
from ludus.nets.play import CpuEvaluator, session
from ludus.rng import match_words
from ludus.search.forest import Forest

GAMES = (("connect_four", "cells"), ("breakthrough", "cells"), ("connect_four", "flat"), ("goofspiel", "flat"))
ROWS = (1, 8, 32, 128)
PASSES = 256
DEPTH = 8  # simulations before: positions with some stones on the board


def seconds(work: Callable[[], object], times: int) -> float:
    started = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - started) / times


def compare(name: str, network: str, trees: int, rounds: int) -> str:
    game = load(name)
    values = game.params.values({})
    spec = make_plan(game, 2, [values], Settings(network=network), workers=1).net
    weights = Network(spec).eval().weights()
    alone, plays = session(content := to_onnx(spec, weights)), CpuEvaluator(game, content)
    evaluator = CompiledEvaluator(game, spec, weights) if network == "flat" else plays
    words, seats = match_words(1, np.arange(trees), 0, 2), np.zeros(trees, np.int64)
    forest = Forest(game, trees, 2 * DEPTH)
    forest.plant(game.masked(game.start(words, 2), seats), seats, words[:, :1].copy())
    for _ in range(DEPTH):
        evaluator.evaluate(leaves := forest.wave())
    rows, times = len(leaves.trees), max(PASSES // trees, 4)
    features = np.zeros((rows, spec.features), np.float32)
    pairs = [
        (
            seconds(lambda: evaluator.evaluate(leaves), times),
            seconds(lambda: alone.run(None, {"features": features}), times),
        )
        for _ in range(rounds + 1)
    ][1:]
    share = float(np.median([its / ours for ours, its in pairs]))
    ours, its = (rows / min(column) for column in zip(*pairs))
    rates = f"judged {ours:>9,.0f}/s   onnxruntime {its:>9,.0f}/s   {100 * share:.0f} %"
    return f"{name:<14} {network} {rows:>5} rows   {rates}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    for name, network in GAMES:
        for trees in ROWS:
            print(compare(name, network, trees, rounds), flush=True)


if __name__ == "__main__":
    main()
