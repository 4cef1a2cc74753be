"""The champion of Thrones: sweeps like the second assistant's bot, in larger loops, and looks before every step
whether a fight is won or lost.

- Where no walker roams and parity lets it take heads it hunts, and catches the other by force (`_hunt`). Where one
  roams, a plan that shuts it in comes before all others.
- A copy of each rival that it knows foretells the rival's steps. Where it can be hunted, and a copy fits, it walks the
  line that comes out best against it (`_foresight`); all else holds against anybody.
- A plan is as long as the enemy's way to it allows (`boldness`), and may close on itself. Where parity lets the enemy
  take heads, and never the player, a plan keeps away from it (`berth`).
- Outside, a step is taken only while there is a way home on which no enemy can be in time, and which the walkers, whose
  ways are known, leave free. The last such step turns into the way home that wins most.
- Before a step the true transition is searched by iterative deepening. A won fight is fought; a planned step that loses
  one, or in small rooms is worth less than another, is not taken. The search compares territories at the last round, so
  a lead is carried home in time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.agents._tuned import tuned_numbers
from ludus.agents.thrones._fight import fight, follow, new_stack
from ludus.agents.thrones._foresight import MOST_LEFT, NOTE, NOTE_WORDS, Copy, Foresight
from ludus.agents.thrones._hunt import Judge, flights_of, hunt, standing
from ludus.agents.thrones._leaf import SMALL_ROOM
from ludus.agents.thrones._sweep import LIMITS, find_plan, find_return, is_sure, new_scratch
from ludus.agents.thrones._terms import (
    NEVER,
    PLAN_WORDS,
    home,
    is_fatal,
    keep_plan,
    next_step,
    planned,
    reach_of_enemy,
    reach_of_walkers,
    steps_left,
    take_step,
    trail_cells,
)
from ludus.agents.thrones.assistants import Ta1
from ludus.agents.thrones.bots import Bot1, Bot2
from ludus.agents.thrones.course import Attack, attack_memory
from ludus.compile import bind, rule, template
from ludus.game import Game
from ludus.games.thrones import MAX_CELLS, can_take_heads
from ludus.search.table import PROVEN
from ludus.settings import setting

SMALL_RUN = "thrones-champion"
"""Numbers that were tuned for small rooms, where they are taken if nobody says otherwise."""
COPIES = (
    Copy(Ta1()),
    Copy(Attack(), attack_memory, tosses=6, dare=3.0, deep=16, lines=40),
    Copy(Bot2(run="thrones-bot2", race=1.0)),
    Copy(Bot1(run="thrones-bot1")),
    Copy(Bot1(run="thrones-bot1-small")),
)
"""Players that it knows."""
FIGHT = 14
"""Steps within which somebody else is looked at."""


@template
def decide(state, player, wanted, nodes, trust, stack, spare):
    """A won fight; else the planned step unless it loses one, or is worth far less than the best; else the best."""
    spare[0] = state
    best, worth = -1, 0.0
    for look in range(2):  # one call of `fight` for both looks: each would be compiled for 20 seconds
        found, value = fight(stack, spare[0], player, nodes)
        if look == 1:
            return wanted if value > max(-PROVEN, worth - trust) else best
        best, worth = found, value
        if worth > PROVEN or wanted < 0 or wanted == best:
            return best
        follow(spare, state, player, wanted)
        if spare[0].winner != 0:
            return wanted if spare[0].winner == 1 + player else best
    return best


@rule
def is_quiet(state, cells):
    """Whether everybody is too far from each other for a fight that could be seen to its end."""
    for player in range(2):
        n = trail_cells(state, player, cells)
        if reach_of_enemy(state, player, cells, n) <= FIGHT or reach_of_walkers(state, cells, n) <= FIGHT // 2:
            return False
    return True


@rule
def planned_step(state, player, rng, memory, scratch):
    """The next step of the plan while the guard allows it, else of a new one; -1 if there is none."""
    if planned(memory) > 0:
        action = next_step(memory)
        left = steps_left(memory, scratch.path)
        if not is_fatal(state, player, action) and is_sure(state, player, action, left, scratch):
            return action
    memory[:PLAN_WORDS] = 0
    outside = state.inside[player] == 0
    n = find_return(state, player, rng, scratch) if outside else find_plan(state, player, rng, scratch)
    if n == 0:
        return sure_step(state, player, scratch) if outside else -1
    keep_plan(memory, scratch.best, n)
    return next_step(memory)


@rule
def sure_step(state, player, scratch):
    """The guarded step after which home is nearest, or -1."""
    best, least = -1, NEVER
    for action in range(4):
        if not is_fatal(state, player, action) and is_sure(state, player, action, 0, scratch):
            # the guard has left the position after the step behind
            way = home(scratch.after[0], player, scratch.queue, scratch.seen)
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
def sort_out(views, players, apart):
    """Of those who can be hunted: how many steps one is from the other's head or trail."""
    cells = np.empty(MAX_CELLS, np.int64)
    for i in range(views.shape[0]):
        if can_take_heads(views[i], 1 - players[i]) & views[i].params.head_kill:
            apart[i] = NEVER
            for player in range(2):
                reach = reach_of_enemy(views[i], player, cells, trail_cells(views[i], player, cells))
                apart[i] = min(apart[i], reach)


@template
def propose(views, players, words, scratch, fights, out):
    """A step of each, -1 for none, and whether a fight must be looked at first."""
    for i in range(views.shape[0]):
        out[i] = hunt(views[i], players[i])
        if out[i] < 0:
            out[i] = planned_step(views[i], players[i], words[i, :1], words[i, 1:], scratch)
            fights[i] = out[i] < 0 or not is_quiet(views[i], scratch.cells)


@template
def fight_out(views, players, nodes, trust, stack, spare, out):
    for i in range(views.shape[0]):
        out[i] = decide(views[i], players[i], out[i], nodes, trust, stack, spare)


@template
def forget_steps(words, out):
    for i in range(words.shape[0]):
        forget_step(words[i, 1:], out[i])


@dataclass
class Champion(Agent):
    """Sweeps in loops as large as are safe, and searches every fight."""

    name: ClassVar[str] = "champion"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "thrones"
    memory: ClassVar[int] = PLAN_WORDS + NOTE_WORDS

    nodes: int = setting(4_000, "positions that are looked at for the best step, and for the planned one", low=1)
    longest: int = setting(26, "longest way out", low=1)
    widest: int = setting(33, "longest way along", low=1)
    borders: int = setting(64, "cells of the border from which plans start", low=1)
    foresight: int = setting(24, "steps that are looked ahead against a copy of the rival, 0: none", low=0)
    lines: int = setting(128, "lines that are gone on with", low=1)
    walk_on: int = setting(4, "steps of a line that are taken before the next look", low=1, high=MOST_LEFT)
    run: str = setting("", "a run that tuned the numbers below; without one small rooms have theirs")
    boldness: float = setting(2.0, "most steps of a plan for each step that the enemy is away from it", low=0.01)
    venture: float = setting(3.0, "steps more where the enemy cannot take heads")
    berth: float = setting(2.0, "steps that count as nearer where it can")
    walk: float = setting(1.0, "what a step inside, on the way to the border, counts among the steps of a plan")
    haste: float = setting(1.0, "what it counts where gains are divided by steps", low=0.01)
    enemy_loss: float = setting(1.0, "what a cell taken from the enemy counts beside one won")
    distance: float = setting(0.0, "what it is worth to keep far from the enemy")
    trust: float = setting(2.0, "a planned step is taken unless the search finds another worth so much more")
    flight: float = setting(1.0, "cells that each step is worth which the hunted one can still run")
    cut: float = setting(0.3, "cells that each step is worth which it is nearer than `reach` to the hunter's trail")
    reach: float = setting(8.0, "that distance")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self._large = self._numbers(game)
        if self.foresight > 0:
            copies = [copy._replace(agent=replace(copy.agent)) for copy in COPIES]
            self._mind = Foresight(game, copies, self.foresight, self.lines, self.walk_on)
        self._small = self._large if self.run else replace(self, run=SMALL_RUN)._numbers(game)

    def _numbers(self, game: Game) -> dict[str, float]:
        numbers = dict(zip(_tuned_names(), tuned_numbers(self, game).tolist()))
        return numbers | {name: max(0.01, numbers[name]) for name in ("boldness", "haste")}

    def tunable(self) -> np.ndarray:
        """Those of its run, so that a training can go on from there."""
        if hasattr(self, "_large"):
            return np.array(list(self._large.values()))
        return np.array([getattr(self, name) for name in _tuned_names()])

    def tuned(self, numbers: np.ndarray) -> Champion:
        made = replace(self, run="")
        for name, value in zip(_tuned_names(), numbers):
            setattr(made, name, float(value))
        return made

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        rooms = set(zip(views["rows"].tolist(), views["cols"].tolist()))
        if len(rooms) > 1:  # starts on several maps: a search knows the flights of one
            one_by_one = (self.act_many(views[i : i + 1], players[i : i + 1], words[i : i + 1])
                          for i in range(len(views)))  # fmt: skip
            return np.concatenate(list(one_by_one))
        if self.foresight > 0:
            return self._foresee(views, players, words)
        return self._defend(views, players, words)

    def _foresee(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        """Where it can be hunted: the best line against a rival that is known, else as against anybody."""
        apart, out = np.full(len(views), -1, np.int64), np.full(len(views), -1, np.int32)
        self.game.kernel(sort_out)(views, players, apart)
        hunted = np.flatnonzero(apart >= 0)
        notes = words[hunted, 1 + PLAN_WORDS :].view(NOTE)[:, 0]
        near = FIGHT if views["rows"][0] * views["cols"][0] > SMALL_ROOM else NEVER
        out[hunted] = self._mind.choose(views[hunted], players[hunted], apart[hunted] <= near, notes)
        words[out >= 0, 1 : 1 + PLAN_WORDS] = 0
        rest = np.flatnonzero(out < 0)
        if len(rest):
            kept = words[rest]
            out[rest] = self._defend(views[rest], players[rest], kept)
            words[rest] = kept
        self._mind.expect(views[hunted], players[hunted], out[hunted], notes)
        words[hunted, 1 + PLAN_WORDS :] = notes[:, None].view(np.uint64)
        return out

    def _defend(self, views, players, words):
        rows, cols = int(views["rows"][0]), int(views["cols"][0])
        numbers = self._small if rows * cols <= SMALL_ROOM else self._large
        out, kind, limits = np.empty(len(views), np.int32), self.game.state_type, np.zeros(1, LIMITS)
        limits[["longest", "widest", "borders"]] = self.longest, self.widest, self.borders
        for name in set(LIMITS.names or ()) & numbers.keys():
            limits[name] = numbers[name]
        weights = np.array([numbers[name] for name in ("flight", "cut", "reach")])
        scratch, fights = new_scratch(kind, limits), np.zeros(len(views), np.bool_)
        self.game.kernel(propose)(views, players, words, scratch, fights, out)
        if fights.any():
            stack = new_stack(kind, Judge(weights, flights_of(self.game, rows, cols)))
            found = out[fights]
            _kernel(self.game)(
                views[fights], players[fights], self.nodes, numbers["trust"], stack, scratch.after, found
            )
            out[fights] = found
        self.game.kernel(forget_steps)(words, out)
        return out


@cache
def _kernel(game: Game) -> Callable:
    return bind(fight_out, game.names | {"estimate": standing}, game.name)


def _tuned_names() -> list[str]:
    names = [field.name for field in fields(Champion)]
    return names[names.index("boldness") :]
