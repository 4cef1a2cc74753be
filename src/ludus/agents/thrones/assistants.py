"""The bots of the course's two assistants, as substitutes: their programs exist in compiled form only, so these follow
what is known of them. `ta1` searches four plies of the true transition, walkers included, with a light heuristic.
`ta2` sweeps rectangles, and steps on only while nobody can reach it sooner than it is home.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents.thrones._minimax import TA1, Minimax, Search, new_search
from ludus.agents.thrones._sweep import (
    LIMITS,
    find_plan,
    head_home,
    is_guarded,
    new_scratch,
    stay_inside,
    strike,
)
from ludus.agents.thrones._terms import PLAN_WORDS, is_fatal, keep_plan, next_step, planned, take_step
from ludus.compile import rule, template

RECTANGLES = np.array([(8, 8, 12, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0)], LIMITS)


@rule
def sweep_action(state, player, rng, memory, scratch):
    action = strike(state, player)
    if action >= 0:
        return action
    if planned(memory) > 0:
        action = next_step(memory)
        if not is_fatal(state, player, action) and is_guarded(state, player, action, scratch):
            return take_step(memory)
    memory[:PLAN_WORDS] = 0
    if state.inside[player] != 0:
        n = find_plan(state, player, rng, scratch)
        if n > 0:
            keep_plan(memory, scratch.best, n)
            return take_step(memory)
        action = stay_inside(state, player, rng, scratch)
        if action >= 0:
            return action
    return head_home(state, player, scratch)


@template
def choose_by_sweeping(views, players, words, scratch, out):
    for i in range(views.shape[0]):
        out[i] = sweep_action(views[i], players[i], words[i, :1], words[i, 1:], scratch)


@dataclass
class Ta1(Minimax):
    """The first assistant's bot (a substitute): four plies of alpha-beta that foresees walkers."""

    name: ClassVar[str] = "ta1"
    who: ClassVar[int] = TA1
    depth = 4

    def new_search(self) -> Search:
        return new_search(self.game.state_type, self.depth)


@dataclass
class Ta2(Agent):
    """The second assistant's bot (a substitute): sweeps rectangles, and goes home in time."""

    name: ClassVar[str] = "ta2"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "thrones"
    memory: ClassVar[int] = PLAN_WORDS

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        scratch = new_scratch(self.game.state_type, RECTANGLES)
        self.game.kernel(choose_by_sweeping)(views, players, words, scratch, out)
        return out
