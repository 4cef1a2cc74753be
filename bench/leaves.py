"""How much of onnxruntime's own speed the judging of leaves keeps, on one thread.

    python bench/leaves.py [--rounds 7]

`judged` is from leaves in to priors and values filled in; `onnxruntime` is its run alone on a batch of the same size.
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
from ludus.nets.export import to_onnx
from ludus.nets.network import Network
from ludus.nets.play import CpuEvaluator
from ludus.rng import match_words
from ludus.search.forest import Forest

GAMES = ("connect_four", "breakthrough", "goofspiel")
ROWS = (1, 8, 32, 128)
PASSES = 256


def seconds(work: Callable[[], object], times: int) -> float:
    started = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - started) / times


def compare(name: str, trees: int, rounds: int) -> str:
    game = load(name)
    values = game.params.values({})
    spec = make_plan(game, 2, values, Settings(), workers=1).net
    evaluator = CpuEvaluator(game, to_onnx(spec, Network(spec).eval().weights()))
    words, seats = match_words(1, np.arange(trees), 0, 2), np.zeros(trees, np.int64)
    forest = Forest(game, trees, 1)
    forest.plant(game.masked(game.start(words, 2), seats), seats, words[:, :1].copy())
    leaves = forest.wave()
    rows, times = len(leaves.trees), max(PASSES // trees, 4)
    features = np.zeros((rows, evaluator.length), np.float32)
    pairs = [
        (
            seconds(lambda: evaluator.evaluate(leaves), times),
            seconds(lambda: evaluator.session.run(None, {"features": features}), times),
        )
        for _ in range(rounds + 1)
    ][1:]
    share = float(np.median([alone / judged for judged, alone in pairs]))
    judged, alone = (rows / min(column) for column in zip(*pairs))
    return f"{name:<14} {rows:>5} rows   judged {judged:>9,.0f}/s   onnxruntime {alone:>9,.0f}/s   {100 * share:.0f} %"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    for name in GAMES:
        for trees in ROWS:
            print(compare(name, trees, rounds), flush=True)


if __name__ == "__main__":
    main()
