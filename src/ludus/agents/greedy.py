"""One ply of thought: try every action, keep the one after which things look best.

"Looks" is the game's own heuristic or what a run has learnt, or, without either, random play to the end. Hidden things
are guessed, rivals who move at the same time play at random, and where such luck is involved every action is tried
several times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ludus.agent import Agent, Thoughts
from ludus.agents._evaluation import judging, load_evaluation
from ludus.compile import template
from ludus.errors import BadSpec
from ludus.game import Game, View
from ludus.kernels import any_place
from ludus.rng import below, uniform
from ludus.rules import HIDDEN, SEATS, determinize, legal, step, to_act
from ludus.search.evaluation import Evaluation, estimate
from ludus.search.rollout import roll_out
from ludus.settings import setting

LATER = 1 - 1e-9  # a win at once is better than one in every roll-out


@template
def try_action(world, player, action, horizon, evaluation, rng, menu, actions, values):
    """The player's prospect after one action, rivals at random."""
    if HIDDEN:
        determinize(world, player, rng)
    mask = to_act(world)
    for rival in range(SEATS):
        actions[rival] = -1
        if rival != player and mask >> rival & 1:
            actions[rival] = menu[any_place(legal(world, rival, menu), rng)]
    actions[player] = action
    step(world, actions, rng)
    is_certain = to_act(world) == 0
    if horizon == 0 and not is_certain:  # nobody asks what it is worth to the others
        return estimate(world, player, evaluation) * LATER
    roll_out(world, horizon, evaluation, rng, menu, actions, values)
    return values[player] if is_certain else values[player] * LATER


@template
def weigh_actions(views, index, player, rng, looks, room, menu, worth):
    """Fill `worth` for every entry of the player's menu, unless it is the only one; the length of the menu."""
    samples, horizon, evaluation = looks
    scratch, spare, actions, values = room
    count = legal(views[index], player, menu)
    for k in range(count):
        worth[k] = 0.0
        for _ in range(samples if count > 1 else 0):
            scratch[0] = views[index]
            found = try_action(scratch[0], player, menu[k], horizon, evaluation, rng, spare, actions, values)
            worth[k] += found / samples
    return count


@template
def best_entry(worth, count, rng):
    """Where the best is, ties at random."""
    best, ties = 0, 1
    for k in range(1, count):
        if worth[k] > worth[best]:
            best, ties = k, 1
        elif worth[k] == worth[best]:
            ties += 1
            if below(rng, ties) == 0:
                best = k
    return best


@template
def choose_greedily(views, players, words, looks, room, slip, out, menu, worth):
    """The best action for every view; menu and worth are left as they were for the last one."""
    for i in range(views.shape[0]):
        rng = words[i]
        count = weigh_actions(views, i, players[i], rng, looks, room, menu, worth)
        best = best_entry(worth, count, rng)
        if slip > 0.0 and uniform(rng) < slip:
            best = below(rng, count)
        out[i] = menu[best]


class Looks(NamedTuple):
    """How a position is looked at: so many times, after so many random steps (-1: to the end), by this evaluation."""

    samples: int
    horizon: int
    evaluation: Evaluation


class Room(NamedTuple):
    scratch: np.ndarray  # State[1]
    spare: np.ndarray  # int32[MAX_ACTIONS]: another menu
    actions: np.ndarray  # int32[SEATS]
    values: np.ndarray  # float64[SEATS]


def looks_of(game: Game, evaluation: Evaluation, samples: int) -> Looks:
    """By an evaluation, where luck is involved several times."""
    facts = game.facts
    return Looks(samples if facts.hidden or facts.chance or facts.simultaneous else 1, 0, evaluation)


def new_room(game: Game) -> Room:
    longest, seats = game.facts.max_actions, game.facts.players[1]
    return Room(np.zeros(1, game.state_type), np.empty(longest, np.int32), np.empty(seats, np.int32), np.zeros(seats))


@dataclass
class Greedy(Agent):
    """One ply by the game's heuristic, or by random play where it has none."""

    name: ClassVar[str] = "greedy"
    compiled: ClassVar[bool] = True

    samples: int = setting(16, "tries of each action where luck is involved", low=1)
    by: str = setting("auto", "heuristic, rollouts, or auto: the heuristic where there is one")
    run: str = setting("", "a run of `ludus train td` that judges positions, instead of the game's heuristic")
    slip: float = setting(0.0, "the chance of a random action instead, so that not all matches are alike", low=0)

    def prepare(self, game) -> None:
        super().prepare(game)
        if self.by not in ("auto", "heuristic", "rollouts"):
            raise BadSpec(f"greedy: by is heuristic, rollouts or auto, not {self.by!r}")
        if self.by == "heuristic" and not self.run and not game.writes("heuristic"):
            raise BadSpec(f"greedy: {game.name} has no heuristic; use by=rollouts")
        found = load_evaluation(game, self.run)
        judged = self.by != "rollouts" and (self.run != "" or game.writes("heuristic"))
        self._looks = looks_of(game, found, self.samples) if judged else Looks(self.samples, -1, found)

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        return self._choose(views, players, words)[0]

    def _choose(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> tuple[np.ndarray, ...]:
        out = np.empty(len(views), np.int32)
        menu = np.empty(self.game.facts.max_actions, np.int32)
        worth = np.empty(self.game.facts.max_actions)
        choose = self.game.kernel(choose_greedily)
        looks = self._looks._replace(evaluation=judging(self.game, views, self._looks.evaluation))
        choose(views, players, words, looks, new_room(self.game), self.slip, out, menu, worth)
        return out, menu, worth

    def act(self, view: View, rng: np.ndarray) -> int:
        chosen, menu, worth = self._choose(view.states, np.array([view.player]), rng.reshape(1, -1))
        count = len(view.legal)
        order = sorted(range(count), key=lambda k: (menu[k] != chosen[0], -worth[k]))
        values = [float(worth[k]) for k in order]
        self.thoughts = Thoughts(values[0], [int(menu[k]) for k in order], values, [self._looks.samples] * count)
        return int(chosen[0])
