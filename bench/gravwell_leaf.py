"""Fits the net by which Gravwell's champion judges the end of a round, and prints its table.

Positions are the starts of rounds in matches of two, three and four trees that play a quarter of their answers at
random; the net learns from every seat whether that seat won. Run: `python bench/gravwell_leaf.py` (two CPU-minutes).
"""

from __future__ import annotations

import numpy as np

from ludus import load
from ludus.agents.gravwell.champion import HIDDEN, INPUTS, describe, noisy_answer
from ludus.compile import template
from ludus.rng import match_words
from ludus.rules import MAX_ACTIONS, SEATS, step, to_act

MATCHES, NOISE, ROUNDS = 200_000, 0.25, 6
EPOCHS, BATCH, RATE = 4, 4096, 0.01


@template
def watch(states, words, inputs, starts, winners):
    """Play all matches, and describe the start of every round but the first from every seat."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    actions = np.empty(SEATS, np.int32)
    for i in range(states.shape[0]):
        state = states[i]
        mask = to_act(state)
        while mask != 0:
            if state.round_no > starts[i]:
                starts[i] = state.round_no
                for player in range(state.players):
                    describe(state, player, inputs[i, state.round_no - 1, player])
            for player in range(SEATS):
                actions[player] = -1
                if mask >> player & 1:
                    actions[player] = noisy_answer(state, player, NOISE, menu, words[i, 1 + player : 2 + player])
            step(state, actions, words[i, :1])
            mask = to_act(state)
        winners[i] = state.winner - 1


def examples(players: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs, and whether the seat won."""
    game = load("gravwell")
    words = match_words(players, np.arange(MATCHES), 0, players)
    inputs = np.zeros((MATCHES, ROUNDS - 1, players, INPUTS))
    starts, winners = np.zeros(MATCHES, np.int64), np.empty(MATCHES, np.int64)
    game.kernel(watch)(game.start(words, players), words, inputs, starts, winners)
    reached = np.arange(1, ROUNDS) <= starts[:, None]
    won = winners[:, None, None] == np.arange(players)
    won = np.broadcast_to(won, inputs.shape[:3])
    return inputs[reached].reshape(-1, INPUTS).astype(np.float32), won[reached].ravel().astype(np.float32)


def fit(inputs: np.ndarray, won: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """One hidden layer of ramps, by Adam on the log-likelihood: weights and bias in, weights and bias out."""
    net = [rng.normal(0, 0.5, (INPUTS, HIDDEN)), rng.normal(0, 0.5, HIDDEN), rng.normal(0, 0.3, HIDDEN), np.zeros(1)]
    means, squares = [[np.zeros_like(part) for part in net] for _ in range(2)]
    batches = len(inputs) // BATCH
    for epoch in range(EPOCHS):
        order = rng.permutation(len(inputs))
        for k in range(batches):
            chosen, age = order[k * BATCH : (k + 1) * BATCH], epoch * batches + k + 1
            slopes = gradient(net, inputs[chosen], won[chosen])
            for part, slope, mean, square in zip(net, slopes, means, squares):
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope**2 - square)
                scale = np.sqrt(square / (1 - 0.999**age)) + 1e-8
                part -= RATE * (1 - age / (EPOCHS * batches)) * mean / (1 - 0.9**age) / scale
        print(f"# epoch {epoch + 1}: log-loss {loss(net, inputs, won):.4f}", flush=True)
    return net


def outputs(net: list[np.ndarray], inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    hidden = np.maximum(inputs @ net[0] + net[1], 0)
    return hidden, 1 / (1 + np.exp(-(hidden @ net[2] + net[3])))


def gradient(net: list[np.ndarray], inputs: np.ndarray, won: np.ndarray) -> list[np.ndarray]:
    hidden, chance = outputs(net, inputs)
    error = (chance - won) / len(won)
    back = error[:, None] * net[2] * (hidden > 0)
    return [inputs.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(keepdims=True)]


def loss(net: list[np.ndarray], inputs: np.ndarray, won: np.ndarray) -> float:
    chance = outputs(net, inputs[:500_000])[1]
    return -float(np.log(np.where(won[:500_000] > 0, chance, 1 - chance)).mean())


def main() -> None:
    parts = [examples(players) for players in (2, 3, 4)]
    inputs, won = (np.concatenate(arrays) for arrays in zip(*parts))
    rng = np.random.default_rng(0)
    order = rng.permutation(len(inputs))
    net = fit(inputs[order], won[order], rng)
    for row in np.vstack([net[0], net[1][None], net[2][None]]):
        print(" ".join(f"{number:.3f}" for number in row))
    print(f"{net[3][0]:.3f}")


if __name__ == "__main__":
    main()
