"""Plays random matches with the compiled rules and asks a naive, independent implementation about every step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from ludus import load
from ludus.rng import below, match_words


class Naive(Protocol):
    """A slow second implementation: plain objects, no code shared with the rules it judges."""

    def to_act(self) -> set[int]: ...

    def legal(self, player: int) -> set[int]: ...

    def step(self, actions: dict[int, int], after: Any) -> None:
        """Apply a joint action; `after` is the compiled state after it, to be read only for the outcome of chance."""

    def returns(self) -> list[float]: ...

    def differs(self, state: Any) -> str:
        """What differs from the compiled position, in words; "" if nothing does."""
        ...


def agree(
    name: str,
    naive_from: Any,
    matches: int,
    players: int = 2,
    preset: str = "default",
    rules: Mapping[str, object] | None = None,
    seed: int = 1,
    limit: int | None = None,
) -> int:
    """Play random matches in step; `naive_from(state)` makes the naive game at a fresh position. Returns the plies."""
    game = load(name)
    values = game.rule_values(preset, rules)
    plies = 0
    for match in range(matches):
        words = match_words(seed, match, 0, players).reshape(1, -1)
        states = game.start(words, players, values)
        naive = naive_from(states[0])
        ply = 0
        while mask := int(game.waiting(states)[0]):
            place = f"{name}, seed {seed}, match {match}, ply {ply}"
            if limit is not None and ply >= limit:
                break
            actions = _random_actions(game, states, naive, mask, words, place)
            joint = np.full((1, game.facts.players[1]), -1, np.int32)
            for player, action in actions.items():
                joint[0, player] = action
            game.advance(states, joint, words)
            naive.step(actions, states[0])
            assert not (difference := naive.differs(states[0])), f"{place}: after {actions}: {difference}"
            ply += 1
        else:
            assert naive.to_act() == set(), f"{name}, seed {seed}, match {match}: naive rules go on after ply {ply}"
            np.testing.assert_allclose(game.payoffs(states)[0, :players], naive.returns(), atol=1e-12)
        plies += ply
    return plies


def _random_actions(game, states, naive, mask, words, place) -> dict[int, int]:
    acting = {player for player in range(game.facts.players[1]) if mask >> player & 1}
    assert naive.to_act() == acting, f"{place}: the naive rules wait for {naive.to_act()}, the compiled for {acting}"
    actions = {}
    for player in sorted(acting):
        menu = [int(action) for action in game.menu(states, player)]
        assert len(set(menu)) == len(menu), f"{place}: the menu of player {player} lists an action twice"
        assert set(menu) == naive.legal(player), f"{place}: menus of player {player} differ"
        actions[player] = menu[int(below(words[0, 1 + player : 2 + player], len(menu)))]
    return actions
