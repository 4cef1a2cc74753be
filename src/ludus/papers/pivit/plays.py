"""What happens in matches of Pivit: random play under several readings of the rules, and how fast a search is."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from ludus.arena.statistics import wilson
from ludus.catalogue import agent, load
from ludus.compile import template
from ludus.errors import BadInput
from ludus.game import View
from ludus.games.pivit import FIRST_PROMOTION, LAST_COLOUR
from ludus.identity import game_parts
from ludus.kernels import random_step
from ludus.papers.claims import Measure
from ludus.papers.experiments import Experiment, Measured, Result, Watch, own_seed
from ludus.papers.matches import codes
from ludus.rng import match_words
from ludus.rules import MAX_ACTIONS, SEATS, legal, to_act
from ludus.workers import Workers

GAME = "pivit"
TOGETHER = 1000
"""Matches of a piece of work."""
SIDES = ("first", "second", "drawn")

# ------------------------------------------------------------------------------------------------ random play


@template
def count_choices(states, words, plies, limit, totals):
    """Random play to the end; adds up decisions and the entries of their menus."""
    menu, actions = np.empty(MAX_ACTIONS, np.int32), np.empty(SEATS, np.int32)
    for i in range(states.shape[0]):
        mask = to_act(states[i])
        while mask != 0 and plies[i] < limit:
            mover = 0
            while mask >> mover & 1 == 0:
                mover += 1
            totals[0] += 1
            totals[1] += legal(states[i], mover, menu)
            random_step(states[i], words[i], menu, actions, mask)
            plies[i] += 1
            mask = to_act(states[i])


def random_play(name: str, rules: Mapping[str, object], games: int, seed: int, workers: Workers) -> Experiment:
    """Random against random, two players: who wins from which seat, how long it takes, how it ends."""
    own, values = own_seed(seed, name), load(GAME).rule_values("default", dict(rules))

    def run(watch: Watch) -> Result:
        def play(first: int) -> Result:
            return _random_matches(values, own, np.arange(first, min(first + TOGETHER, games)))

        found = []
        for one in workers.stream(play, range(0, games, TOGETHER)):
            found.append(one)
            watch(len(one["plies"]))
        lengths = np.concatenate([one["plies"] for one in found])
        counts = {key: int(sum(one[key] for one in found)) for key in (*SIDES, "elimination", "tie_break")}
        decisions, entries = (sum(one[key] for one in found) for key in ("decisions", "entries"))
        return {"games": games, **counts, "plies": float(lengths.mean()), "spread": float(lengths.std()),
                "longest_tenth": float(np.quantile(lengths, 0.9)), "branching": entries / decisions}  # fmt: skip

    return Experiment(name, {"rules": game_parts(load(GAME), values), "games": games, "seed": own}, games, run)


def _random_matches(values: Mapping[str, object], seed: int, numbers: np.ndarray) -> Result:
    game = load(GAME)
    words = match_words(seed, numbers, 0, 2)
    states, plies, totals = game.start(words, 2, values), np.zeros(len(numbers), np.int64), np.zeros(2, np.int64)
    game.kernel(count_choices)(states, words, plies, game.facts.max_plies, totals)
    won = [states["winners"] == 1, states["winners"] == 2, states["winners"] == 3]
    ending = states["ending"]
    return {**{side: int(one.sum()) for side, one in zip(SIDES, won)}, "plies": plies,
            "elimination": int((ending == LAST_COLOUR).sum()), "tie_break": int((ending == FIRST_PROMOTION).sum()),
            "decisions": int(totals[0]), "entries": int(totals[1])}  # fmt: skip


def part_of(results: Measured, name: str, key: str, label: str, rules: str = "") -> Measure:
    """The share of random matches that ended so."""
    found = results[name]
    rate = wilson(found[key], found["games"])
    return Measure(label, rate.value, rate.low, rate.high, found["games"], rules=rules)


def length_of(results: Measured, name: str, label: str, rules: str = "") -> Measure:
    found = results[name]
    half = 1.96 * found["spread"] / found["games"] ** 0.5
    return Measure(label, found["plies"], found["plies"] - half, found["plies"] + half, found["games"], "plies", rules)


# ------------------------------------------------------------------------------------------------ the speed of a search


def search_speed(name: str, specs: Mapping[str, str], seed: int, positions: int) -> Experiment:
    """How deep each search comes and how many positions it enters a CPU-second, where matches between equals go."""
    own = own_seed(seed, name)

    def run(watch: Watch) -> Result:
        views = some_positions(own, positions)
        found = {}
        for label, spec in specs.items():
            found[label] = _depths(spec, views, own)
            watch(1)
        return {"games": 0, "searches": found}

    settings = {"code": codes(GAME, list(specs.values())), "seed": own, "positions": positions}
    return Experiment(name, settings, len(specs), run)


def some_positions(seed: int, count: int) -> list[np.ndarray]:
    """From matches of one ply of thought with some random moves: the opening, the middle, the end."""
    game = load(GAME)
    mover = agent("greedy:slip=0.2", game)
    found: list[np.ndarray] = []
    for match in range(count):
        words = match_words(seed, match, 0, 2)[None]
        states = game.start(words, 2)
        for ply in range(60):
            mask = int(game.waiting(states)[0])
            if mask == 0 or len(found) >= count:
                break
            player = mask.bit_length() - 1
            if ply % 6 == match % 6:
                found.append(states.copy())
            actions = np.full((1, game.facts.players[1]), -1, np.int32)
            actions[0, player] = mover.act(View(game, states.copy(), player), words[0, 1 + player : 2 + player])
            game.advance(states, actions, words)
    return found


def _depths(spec: str, positions: list[np.ndarray], seed: int) -> Result:
    game, word = load(GAME), np.array([seed], np.uint64)
    player = agent(spec, game)
    views = [View(game, states.copy(), int(game.waiting(states)[0]).bit_length() - 1) for states in positions]
    player.act(views[0], word)  # the first time it may compile
    depths, entered, seconds = [], 0, 0.0
    for view in views:
        started = time.thread_time()
        player.act(view, word)
        spent = time.thread_time() - started
        if player.thoughts is None:
            raise BadInput(f"{spec} says nothing of its search")
        told = player.thoughts.note.replace(",", "").split()
        if told[0] == "depth":
            depths.append(int(told[1]))
            entered, seconds = entered + int(told[2]), seconds + spent
    return {"depths": depths, "a_second": entered / max(seconds, 1e-9)}
