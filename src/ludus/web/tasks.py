"""What is done in the processes of `thinkers`, and never in the server's own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ludus.agent import Agent, Thoughts
from ludus.arena.live import advise
from ludus.arena.match import Match, replay
from ludus.catalogue import agent, load
from ludus.draw import picture
from ludus.game import Game, View
from ludus.web import chances
from ludus.web.frames import rehearse

PORTRAIT_PLIES = 40
"""Where most boards look like their game; of a shorter match the middle."""
TRIES = 8


def nothing() -> None:
    """So that there is a process, with everything loaded."""


def prepare(source: str, setting: tuple[int, dict[str, object]] | None, specs: Sequence[str]) -> None:
    """Compile all rules that a live match calls, if its setting is given, and let each of these agents answer once. The
    cache on the disk then has everything for every process."""
    game = load(source)
    if setting:
        rehearse(game, *setting)
    for spec in specs:
        match = Match(game, game.facts.players[0])
        for player, view in match.waiting().items():
            made(spec, source).act(view, match.stream(player))


@lru_cache(64)
def made(spec: str, source: str) -> Agent:
    return agent(spec, load(source))


def answer(spec: str, source: str, states: np.ndarray, player: int, word: np.ndarray) -> tuple[int, np.ndarray, Any]:
    """An agent's action, its random stream after it, and what it thought."""
    chosen = made(spec, source)
    chosen.thoughts = None
    action = chosen.act(View(load(source), states, player), word)
    return int(action), word, chosen.thoughts


def hint(source: str, states: np.ndarray, player: int) -> tuple[int, Thoughts | None]:
    return advise(View(load(source), states, player))


def estimate(source: str, states: np.ndarray) -> list[chances.Chances]:
    """The chances in each position."""
    game = load(source)
    return [chances.expected(game, states[k : k + 1]) for k in range(len(states))]


def portrait(source: str) -> str:
    """A position in the middle of a random match; of several matches, since some are over too soon."""
    game = load(source)
    match = max((_random_match(game, seed) for seed in range(TRIES)), key=lambda played: played.plies)
    position = replay(match.record([]), steps=match.plies // 2, game=game)
    return picture(View.public(game, position.states))


def _random_match(game: Game, seed: int) -> Match:
    match, player = Match(game, game.facts.players[0], seed=seed), agent("random", game)
    while not match.over and match.plies < 2 * PORTRAIT_PLIES:
        for seat, view in match.waiting().items():
            match.submit(seat, player.act(view, match.stream(seat)))
    return match
