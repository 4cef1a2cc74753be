"""Steps per CPU-second through the bridges, beside the libraries' own connect four. Random legal actions everywhere;
a step is one action that was given through the interface. What is not installed is left out.

    python bench/interop.py                                    --seconds 3
    python -m pip install pettingzoo[classic] pgx jax          for the rivals that need more
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator

import numpy as np

LANES = 4096


def vectorised() -> Iterator[int]:
    import gymnasium

    import ludus.interop.gymnasium  # noqa: F401 (registers)

    env = gymnasium.make_vec("ludus/ConnectFour-v0", num_envs=LANES)
    observation, _ = env.reset(seed=0)
    rng = np.random.default_rng(0)
    while True:
        mask = observation["action_mask"]
        observation, *_ = env.step((rng.random(mask.shape, np.float32) * mask).argmax(1))
        yield LANES


def single() -> Iterator[int]:
    import gymnasium

    import ludus.interop.gymnasium  # noqa: F401 (registers)

    env = gymnasium.make("ludus/ConnectFour-v0").unwrapped
    observation, _ = env.reset(seed=0)
    while True:
        action = random.choice(np.flatnonzero(observation["action_mask"]))
        observation, _, ended, cut, _ = env.step(action)
        if ended or cut:
            observation, _ = env.reset()
        yield 1


def our_turns() -> Iterator[int]:
    from ludus.interop.pettingzoo import env as make

    return _turns(make("connect_four", masks="observation"))


def pettingzoo() -> Iterator[int]:
    from pettingzoo.classic import connect_four_v3

    return _turns(connect_four_v3.env())


def _turns(env) -> Iterator[int]:
    while True:
        env.reset()
        for _ in env.agent_iter():
            observation, _, ended, cut, _ = env.last()
            env.step(None if ended or cut else int(random.choice(np.flatnonzero(observation["action_mask"]))))
            yield 1


def openspiel() -> Iterator[int]:
    import pyspiel

    game = pyspiel.load_game("connect_four")
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            state.observation_tensor(0)
            yield 1


def pgx() -> Iterator[int]:
    import jax
    import pgx

    env = pgx.make("connect_four")

    @jax.jit
    def step(state, key):
        chosen, following = jax.random.split(key)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        return advance(state, jax.random.categorical(chosen, logits), jax.random.split(following, LANES)), following

    from pgx.experimental.wrappers import auto_reset

    advance = jax.vmap(auto_reset(env.step, env.init))
    key = jax.random.PRNGKey(0)
    state = jax.vmap(env.init)(jax.random.split(key, LANES))
    while True:
        state, key = step(state, key)
        jax.block_until_ready(state.observation)
        yield LANES


def rate(make: Callable[[], Iterator[int]], seconds: float) -> float:
    """Steps per CPU-second of all threads, after a second to warm up and to compile."""
    steps = make()
    _count(steps, 1.0)
    started = time.process_time()
    return _count(steps, seconds) / (time.process_time() - started)


def _count(steps: Iterator[int], seconds: float) -> int:
    next(steps)
    until, count = time.perf_counter() + seconds, 0
    while time.perf_counter() < until:
        count += next(steps)
    return count


ROWS = {
    f"Ludus, gymnasium.make_vec, {LANES:,} matches": vectorised,
    "Ludus, gymnasium.make": single,
    "Ludus, PettingZoo's AEC": our_turns,
    "PettingZoo's connect_four_v3": pettingzoo,
    "OpenSpiel's C++ through its Python bindings": openspiel,
    f"PGX on a CPU, {LANES:,} matches": pgx,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0)
    seconds = parser.parse_args().seconds
    print("| connect four, random legal actions | steps per CPU-second |\n|---|---:|")
    for name, make in ROWS.items():
        try:
            found = [rate(make, seconds) for _ in range(3)]
            print(f"| {name} | {np.median(found):,.0f} [{min(found):,.0f}, {max(found):,.0f}] |", flush=True)
        except ImportError as error:
            print(f"| {name} | {error.name} is not installed |")


if __name__ == "__main__":
    main()
