"""How a network sees a game: it scores one action at a time, and the action with the highest score is played.

For most games the inputs are what `observe` shows of the position after the action, with what is hidden guessed and
simultaneous rivals moving at random; a position at the end is worth its returns. A game may have a manner of its own,
which lies in `<game>/_scoring.py`. Templates that play with networks are compiled against the game and its manner; the
agent and the trainer use the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from ludus.agents._networks import Networks, output_of
from ludus.agents._own import own_part
from ludus.compile import bind, rule, template
from ludus.game import Game
from ludus.rng import below, draw
from ludus.rules import HIDDEN, SEATS, determinize, hide, legal, observe, returns, step, to_act

# ------------------------------------------------------------------------------------------------ room to think

TRUTH, VIEW, WORLD, TRIAL = range(4)
"""Rows of Workspace.states: the match, what the player sees, a guess of what is hidden, an action tried in it."""


class Workspace(NamedTuple):
    """Arrays to work in; one for each thread."""

    states: np.ndarray
    menu: np.ndarray
    spare: np.ndarray
    actions: np.ndarray
    features: np.ndarray
    values: np.ndarray
    payoffs: np.ndarray
    notes: np.ndarray  # float64[action, what]: of the game's own manner
    probe: np.ndarray  # a stream for guesses, so that a seat's own stream moves on by one draw whatever is thought


def workspace_for(game: Game, nets: Networks) -> Workspace:
    facts = game.facts
    return Workspace(
        states=np.zeros(4, game.state_type),
        menu=np.zeros(facts.max_actions, np.int32),
        spare=np.zeros(facts.max_actions, np.int32),
        actions=np.zeros(facts.players[1], np.int32),
        features=np.zeros(game.names["FEATURES"], np.float32),
        values=np.zeros(nets.inputs + nets.kinds.shape[1]),
        payoffs=np.zeros(facts.players[1]),
        notes=np.zeros((facts.max_actions, scoring_of(game).notes)),
        probe=np.zeros(1, np.uint64),
    )


# ------------------------------------------------------------------------------------------------ any game


@template
def afterstate_worth(player, action, nets, g, space):
    """What the network thinks of one guessed world after the action; the return where the match is then over."""
    world = space.states[WORLD]
    if HIDDEN:
        determinize(world, player, space.probe)
    mask = to_act(world)
    for rival in range(SEATS):
        space.actions[rival] = -1
        if rival != player and mask >> rival & 1:
            space.actions[rival] = space.spare[below(space.probe, legal(world, rival, space.spare))]
    space.actions[player] = action
    step(world, space.actions, space.probe)
    if to_act(world) == 0:
        returns(world, space.payoffs)
        return space.payoffs[player]
    hide(world, player)
    observe(world, player, space.features)
    space.values[0] = 1.0
    for k in range(space.features.shape[0]):
        space.values[1 + k] = space.features[k]
    return np.tanh(output_of(nets, g, space.values))


@template
def choose_afterstate(player, nets, g, samples, rng, space):
    """The action after which the view at hand looks best; every action is tried on the same guesses."""
    n = legal(space.states[VIEW], player, space.menu)
    if n == 1:
        return space.menu[0]
    guess = draw(rng)
    best, best_worth = 0, -np.inf
    for k in range(n):
        worth = 0.0
        space.probe[0] = guess
        for _ in range(samples):
            space.states[WORLD] = space.states[VIEW]
            worth += afterstate_worth(player, space.menu[k], nets, g, space)
        if worth > best_worth:
            best, best_worth = k, worth
    return space.menu[best]


@rule
def no_progress(state, player):
    return 0.0


# ------------------------------------------------------------------------------------------------ manners


@dataclass(frozen=True)
class Scoring:
    """One game's manner of scoring."""

    inputs: int
    """How many inputs a network has."""
    choose: Callable = choose_afterstate
    """(player, nets, g, samples, rng, space) -> the action of network g in the view at hand."""
    progress: Callable = no_progress
    """(state, player) -> progress a round in a match that is over, for a training to reward; most games have none."""
    notes: int = 0
    """Numbers that it keeps of each action before it scores them."""
    can_do_without_guesses: bool = False

    def samples(self, game: Game, wanted: int) -> int:
        """Guesses of each action: where the position after an action is certain, one is enough; elsewhere one is
        needed, unless the network sees the present position too."""
        facts = game.facts
        if self.can_do_without_guesses:
            return wanted
        return max(wanted, 1) if facts.hidden or facts.chance or facts.simultaneous else 1


@cache
def scoring_of(game: Game) -> Scoring:
    return own_part(game, "scoring", None) or Scoring(1 + game.names["FEATURES"])


def choose(player, nets, g, samples, rng, space):
    """In a template: the game's manner of choosing."""


@cache
def scoring_kernel(game: Game, function: Callable, **names: Callable) -> Callable:
    """A template that names `choose`, compiled against the game and its manner of scoring."""
    return bind(function, game.names | {"choose": scoring_of(game).choose} | names, game.name)
