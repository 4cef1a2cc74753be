"""The champion of Thrones: sweeps like the second assistant's bot, but plans larger loops, knows what walkers will do,
and looks before every step whether a fight is won or lost.

- A plan is as long as the enemy's way to it allows (`boldness`), and may close on itself.
- Before a step the true transition is searched some plies deep. A won fight is fought; a planned step that loses one is
  not taken. Since the enemy's head can be taken by one player only, whom parity chooses, the search finds that either
  the head is to be hunted or that it must never end a step beside the enemy.
- Towards the last round a lead is carried home.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents.thrones._minimax import TA1, WON, new_search, value_moves
from ludus.agents.thrones._sweep import LIMITS, find_plan, is_guarded, new_scratch
from ludus.agents.thrones._terms import NEVER, PLAN_WORDS, is_fatal, keep_plan, next_step, planned, sure_home, take_step
from ludus.compile import rule, template
from ludus.settings import setting


@rule
def decide(state, player, values, wanted, scratch):
    """A won fight; else the planned step unless it loses one; else the best of the guarded steps, or of all."""
    best = best_of(values)
    if values[best] > WON / 100:
        return best
    if wanted >= 0 and values[wanted] > -WON / 100:
        return wanted
    guarded = np.full(4, -np.inf)
    for action in range(4):
        if values[action] > -WON / 100 and is_guarded(state, player, action, scratch):
            guarded[action] = values[action]
    return best_of(guarded) if guarded.max() > -np.inf else best


@rule
def best_of(values):
    best = 0
    for action in range(1, 4):
        if values[action] > values[best]:
            best = action
    return best


@rule
def planned_step(state, player, rng, memory, scratch):
    """The next step of the plan while the guard allows it, else of a new one; -1 if there is none."""
    if planned(memory) > 0:
        action = next_step(memory)
        if not is_fatal(state, player, action) and is_guarded(state, player, action, scratch):
            return action
    memory[:PLAN_WORDS] = 0
    if state.inside[player] == 0:
        return sure_step(state, player, scratch)
    n = find_plan(state, player, rng, scratch)
    if n == 0:
        return -1
    keep_plan(memory, scratch.best, n)
    return next_step(memory)


@rule
def sure_step(state, player, scratch):
    """The guarded step after which home is nearest, or -1."""
    best, least = -1, NEVER
    for action in range(4):
        if not is_fatal(state, player, action) and is_guarded(state, player, action, scratch):
            # the guard has left the position after the step, and the walkers' move, behind
            way = sure_home(scratch.after[0], player, scratch.queue, scratch.seen)
            if way < least:
                best, least = action, way
    return best


@rule
def forget_step(memory, action):
    """Take the step off the plan, or drop the plan if another was taken."""
    if planned(memory) > 0 and next_step(memory) == action:
        take_step(memory)
    else:
        memory[:PLAN_WORDS] = 0


@template
def choose_as_champion(views, players, words, search, scratch, depth, out):
    values = np.empty(4)
    for i in range(views.shape[0]):
        rng, memory = words[i, :1], words[i, 1:]
        value_moves(search, views[i], players[i], TA1, depth, values)
        wanted = planned_step(views[i], players[i], rng, memory, scratch)
        out[i] = decide(views[i], players[i], values, wanted, scratch)
        forget_step(memory, out[i])


@dataclass
class Champion(Agent):
    """Sweeps in loops as large as are safe, and searches every fight."""

    name: ClassVar[str] = "champion"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "thrones"
    memory: ClassVar[int] = PLAN_WORDS

    depth: int = setting(6, "plies to which a fight is searched", low=1)
    boldness: float = setting(1.5, "most steps of a plan for each step that the enemy is away from it", low=0.1)
    longest: int = setting(12, "longest way out", low=1)
    widest: int = setting(16, "longest way along", low=1)
    borders: int = setting(64, "cells of the border from which plans start", low=1)
    enemy_loss: float = setting(1.0, "what a cell taken from the enemy counts beside one won", low=0)

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        limits = np.array([(self.longest, self.widest, self.borders, self.boldness, self.enemy_loss)], LIMITS)
        search, scratch = new_search(self.game.state_type, self.depth), new_scratch(self.game.state_type, limits)
        self.game.kernel(choose_as_champion)(views, players, words, search, scratch, self.depth, out)
        return out
