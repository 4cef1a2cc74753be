"""The champion of Thrones: sweeps like the second assistant's bot, but plans larger loops, knows what walkers will do,
and looks before every step whether a fight is won or lost.

- A plan is as long as the enemy's way to it allows (`boldness`), and may close on itself.
- Before a step the true transition is searched some plies deep. A won fight is fought; a planned step that loses one is
  not taken. Since the enemy's head can be taken by one player only, whom parity chooses, the search finds that either
  the head is to be hunted or that it must never end a step beside the enemy.
- Towards the last round a lead is carried home.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents.thrones._leaf import LIGHT
from ludus.agents.thrones._minimax import TA1, WON, new_search, value_moves
from ludus.agents.thrones._sweep import LIMITS, find_plan, is_guarded, new_scratch
from ludus.agents.thrones._terms import NEVER, PLAN_WORDS, is_fatal, keep_plan, next_step, planned, sure_home, take_step
from ludus.compile import rule, template
from ludus.game import Game
from ludus.runs import load_numbers
from ludus.settings import setting


@rule
def decide(state, player, values, wanted, trust, scratch):
    """A won fight; else the planned step unless it loses one, or is worth far less than another; else the best of the
    guarded steps, or of all."""
    best = best_of(values)
    if values[best] > WON / 100:
        return best
    if wanted >= 0 and values[wanted] > max(-WON / 100, values[best] - trust):
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
def choose_as_champion(views, players, words, search, scratch, depth, trust, out):
    values = np.empty(4)
    for i in range(views.shape[0]):
        rng, memory = words[i, :1], words[i, 1:]
        value_moves(search, views[i], players[i], TA1, depth, values)
        wanted = planned_step(views[i], players[i], rng, memory, scratch)
        out[i] = decide(views[i], players[i], values, wanted, trust, scratch)
        forget_step(memory, out[i])


@dataclass
class Champion(Agent):
    """Sweeps in loops as large as are safe, and searches every fight."""

    name: ClassVar[str] = "champion"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "thrones"
    memory: ClassVar[int] = PLAN_WORDS

    depth: int = setting(6, "plies to which a fight is searched", low=1)
    longest: int = setting(12, "longest way out", low=1)
    widest: int = setting(16, "longest way along", low=1)
    borders: int = setting(64, "cells of the border from which plans start", low=1)
    run: str = setting("", "a run that tuned the numbers below")
    boldness: float = setting(2.0, "most steps of a plan for each step that the enemy is away from it", low=0.01)
    venture: float = setting(3.0, "steps more where the enemy cannot take heads")
    berth: float = setting(2.0, "steps that count as nearer where it can")
    walk: float = setting(1.0, "what a step inside, on the way to the border, counts among the steps of a plan")
    haste: float = setting(1.0, "what it counts where gains are divided by steps", low=0.01)
    enemy_loss: float = setting(1.0, "what a cell taken from the enemy counts beside one won")
    distance: float = setting(0.0, "what it is worth to keep far from the enemy")
    trust: float = setting(300.0, "a planned step is taken unless the search finds another worth so much more")
    own: float = setting(10.0, "in the search: a cell of own territory")
    enemy: float = setting(10.0, "a cell of the enemy's")
    trail: float = setting(3.0, "a cell of head and trail, up to six")
    way: float = setting(0.5, "a step from home")
    danger: float = setting(80.0, "somebody who can reach head or trail before home is reached")
    trapped: float = setting(300.0, "no way home")
    land: float = setting(1.5, "a step to the nearest land")
    room: float = setting(0.0, "all cells of the room being nearer to the own head than to the enemy's")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        numbers = self.tunable()
        if self.run:
            trained = load_numbers(self.run, self.name, game, len(numbers))
            numbers = np.where(numbers == type(self)().tunable(), trained, numbers)
        self._numbers = dict(zip(_tuned_names(), numbers.tolist()))
        self._numbers["boldness"] = max(0.01, self._numbers["boldness"])
        self._numbers["haste"] = max(0.01, self._numbers["haste"])

    def tunable(self) -> np.ndarray:
        return np.array([getattr(self, name) for name in _tuned_names()])

    def tuned(self, numbers: np.ndarray) -> Champion:
        made = replace(self, run="")
        for name, value in zip(_tuned_names(), numbers):
            setattr(made, name, float(value))
        return made

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out, kind = np.empty(len(views), np.int32), self.game.state_type
        limits, light = np.zeros(1, LIMITS), np.zeros(1, LIGHT)
        limits[["longest", "widest", "borders"]] = self.longest, self.widest, self.borders
        for record in (limits, light):
            for name in set(record.dtype.names or ()) & self._numbers.keys():
                record[name] = self._numbers[name]
        search, scratch = new_search(kind, self.depth, light=light), new_scratch(kind, limits)
        trust = self._numbers["trust"]
        self.game.kernel(choose_as_champion)(views, players, words, search, scratch, self.depth, trust, out)
        return out


def _tuned_names() -> list[str]:
    names = [field.name for field in fields(Champion)]
    return names[names.index("boldness") :]
