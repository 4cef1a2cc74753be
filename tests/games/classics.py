"""What the tests of the small classic games share: random matches, perft and a digest of all that the rules say."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from ludus import kernels, load
from ludus.compile import template
from ludus.game import Game
from ludus.rng import match_words
from ludus.rules import MAX_ACTIONS, legal, step, to_act


def positions(name: str, matches: int, players: int = 2, rules: Mapping[str, object] | None = None, seed: int = 1):
    """Random matches in lock-step: yields the batch before every ply and at the end, when all are over."""
    game = load(name)
    words = match_words(seed, np.arange(matches), 0, players)
    states = game.start(words, players, game.rule_values("default", rules))
    yield states
    while game.waiting(states).any():
        game.kernel(kernels.rollouts)(states, words, np.zeros(matches, np.int64), 1)
        yield states


def play(name: str, moves: str, players: int = 2, rules: Mapping[str, object] | None = None) -> np.ndarray:
    """The position after these moves, written in the game's notation; players take turns."""
    game = load(name)
    words = match_words(1, np.arange(1), 0, players)
    states = game.start(words, players, game.rule_values("default", rules))
    for text in moves.split():
        player = int(game.waiting(states)[0]).bit_length() - 1
        joint = np.full((1, game.facts.players[1]), -1, np.int32)
        joint[0, player] = game.parse_action(states, player, text)
        game.advance(states, joint, words)
    return states


def are_valid(game: Game, states: np.ndarray) -> np.ndarray:
    good = np.empty(len(states), np.bool_)
    game.kernel(kernels.validity)(states, good)
    return good


def guesses(game: Game, views: np.ndarray, players: np.ndarray, seed: int = 1) -> np.ndarray:
    """One determinized world for each view."""
    worlds = views.copy()
    game.kernel(kernels.guess_worlds)(worlds, players, match_words(seed, np.arange(len(views)), 0, 1)[:, 1:].copy())
    return worlds


def check_symmetries(name: str, matches: int, rules: Mapping[str, object] | None = None) -> int:
    """In random matches: turned positions have turned menus and turned successors. Returns how many were compared."""
    game, compared = load(name), 0
    for states in positions(name, matches, 2, rules):
        for i in np.flatnonzero(game.waiting(states)):
            state, player = states[i : i + 1], int(game.waiting(states)[i]) - 1
            menu = game.menu(state, player)
            for symmetry in range(1, game.names["SYMMETRIES"]):
                turned, actions = state.copy(), np.empty(len(menu), np.int32)
                game.kernel(kernels.turn_boards)(turned, symmetry)
                game.kernel(kernels.turn_actions)(np.repeat(state, len(menu)), symmetry, menu, actions)
                assert set(actions.tolist()) == set(game.menu(turned, player).tolist())
                k = compared % len(menu)
                one, other = _after(game, state, menu[k]), _after(game, turned, actions[k])
                game.kernel(kernels.turn_boards)(one, symmetry)
                assert one.tobytes() == other.tobytes()
                compared += 1
    return compared


def _after(game: Game, state: np.ndarray, action: int) -> np.ndarray:
    after = state.copy()
    game.advance(after, np.array([[action, action]], np.int32), np.zeros((1, 3), np.uint64))
    return after


# ------------------------------------------------------------------------------------------------ perft


@template
def count_leaves(stack, menus, actions, rng):
    """How many sequences of so many actions there are from stack[0], for games with turns and without chance."""
    depth = len(stack) - 1
    left = np.zeros(depth + 1, np.int64)
    leaves, level, entering = 0, 0, True
    while level >= 0:
        if entering:
            mask = to_act(stack[level])
            leaves += level == depth
            over = mask == 0 or level == depth
            left[level] = 0 if over else legal(stack[level], 0 if mask == 1 else 1, menus[level])
        if left[level] == 0:
            level, entering = level - 1, False
            continue
        left[level] -= 1
        stack[level + 1] = stack[level]
        actions[0] = actions[1] = menus[level, left[level]]
        step(stack[level + 1], actions, rng)
        level, entering = level + 1, True
    return leaves


def perft(name: str, depth: int, rules: Mapping[str, object] | None = None) -> int:
    game = load(name)
    stack = np.zeros(depth + 1, game.state_type)
    stack[:1] = game.start(np.zeros((1, 3), np.uint64), 2, game.rule_values("default", rules))
    menus = np.empty((depth + 1, game.facts.max_actions), np.int32)
    return game.kernel(count_leaves)(stack, menus, np.empty(2, np.int32), np.zeros(1, np.uint64))


# ------------------------------------------------------------------------------------------------ all positions


@template
def spread(states, children, rng):
    """Everything that can follow some positions, for games with turns and without chance."""
    menu, actions, n = np.empty(MAX_ACTIONS, np.int32), np.empty(2, np.int32), 0
    for i in range(len(states)):
        mask = to_act(states[i])
        for k in range(0 if mask == 0 else legal(states[i], 0 if mask == 1 else 1, menu)):
            children[n] = states[i]
            actions[0] = actions[1] = menu[k]
            step(children[n], actions, rng)
            n += 1
    return n


def levels(name: str, rules: Mapping[str, object] | None = None) -> Iterator[np.ndarray]:
    """The different positions after 0, 1, 2, … plies; different means different bytes."""
    game = load(name)
    states = game.start(np.zeros((1, 3), np.uint64), 2, game.rule_values("default", rules))
    while len(states):
        yield states
        children = np.zeros(len(states) * game.facts.max_actions, game.state_type)
        count = game.kernel(spread)(states, children, np.zeros(1, np.uint64))
        states = np.unique(children[:count].view(f"V{children.itemsize}")).view(game.state_type)


def value_of_start(name: str, rules: Mapping[str, object] | None = None) -> float:
    """The first player's return under perfect play, from all positions backwards."""
    game, worth = load(name), {}
    for states in reversed(list(levels(name, rules))):
        children = np.zeros(game.facts.max_actions, game.state_type)
        for i in range(len(states)):
            state = states[i : i + 1]
            mask = int(game.waiting(state)[0])
            if mask == 0:
                worth[state.tobytes()] = game.payoffs(state)[0, 0]
                continue
            count = game.kernel(spread)(state, children, np.zeros(1, np.uint64))
            values = [worth[children[k].tobytes()] for k in range(count)]
            worth[state.tobytes()] = max(values) if mask == 1 else min(values)
    return worth[states.tobytes()]


# ------------------------------------------------------------------------------------------------ plain and compiled


def digest(name: str, matches: int, players: int, rules: dict[str, object]) -> str:
    """A hash of everything that all rules say in some random matches."""
    game, found = load(name), hashlib.sha256()
    for states in positions(name, matches, players, rules):
        for answer in _answers(game, states, players):
            found.update(np.ascontiguousarray(answer).tobytes())
    return found.hexdigest()


def _answers(game: Game, states: np.ndarray, players: int):
    n, masks = len(states), game.waiting(states)
    yield from (states, masks, are_valid(game, states), game.payoffs(states[masks == 0]))
    for player in range(players):
        seats = np.full(n, player)
        views = game.masked(states, seats)
        yield from (views, guesses(game, views, seats))
        features, hopes, swapped = np.zeros((n, game.names["FEATURES"]), np.float32), np.empty(n), np.empty(n, np.bool_)
        game.kernel(kernels.features)(views, seats, features)
        game.kernel(kernels.estimates)(states, seats, hopes)
        twins = states.copy()
        game.kernel(kernels.swap_secrets)(twins, seats, match_words(2, np.arange(n), 0, 1)[:, 1:].copy(), swapped)
        yield from (features, hopes, twins, swapped)
    for symmetry in range(1, game.names["SYMMETRIES"]):
        turned, actions = states.copy(), np.empty(n, np.int32)
        game.kernel(kernels.turn_boards)(turned, symmetry)
        game.kernel(kernels.turn_actions)(states, symmetry, np.arange(n) % game.facts.max_actions, actions)
        yield from (turned, actions)


def plain_digest(name: str, matches: int, players: int, rules: dict[str, object]) -> str:
    """The same, in plain Python with warnings as errors."""
    answer = subprocess.run(
        [sys.executable, "-W", "error", "-c",
         f"from tests.games.classics import digest; print(digest({name!r}, {matches}, {players}, {rules!r}))"],
        capture_output=True, text=True, cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()
