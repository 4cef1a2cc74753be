"""Many matches side by side: in each one learner, the other seats played by compiled agents.

A learner answers with policy slots. Its moves, the agents' and the rules run in compiled code over all matches, with
the kernels of bulk play; Python only says whose turn it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ludus.agent import Agent
from ludus.arena.lockstep import collect, move_on, spread
from ludus.catalogue import agent, is_command, is_ours
from ludus.compile import template
from ludus.errors import BadInput
from ludus.game import Game, View
from ludus.rng import match_words
from ludus.rules import HIDDEN, MAX_ACTIONS, hide, legal, observe, policy_slot, to_act

LEARNER = -1


@template
def look(states, players, scratch, features, masks):
    """What each player sees of its state and which slots it may answer; of a match that is over, or where it owes
    nothing, all slots: the answer does not count."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    for i in range(states.shape[0]):
        player = players[i]
        if HIDDEN:
            scratch[0] = states[i]
            hide(scratch[0], player)
            observe(scratch[0], player, features[i])
        else:
            observe(states[i], player, features[i])
        count = legal(states[i], player, menu) if to_act(states[i]) >> player & 1 else 0
        masks[i, :] = count == 0
        for k in range(count):
            masks[i, policy_slot(states[i], player, menu[k])] = 1


@template
def choose(states, players, slots, actions):
    """The action behind each slot, -1 where the player may not play it."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    for i in range(states.shape[0]):
        player = players[i]
        actions[i, player] = -1
        if to_act(states[i]) >> player & 1:
            for k in range(legal(states[i], player, menu)):
                if policy_slot(states[i], player, menu[k]) == slots[i]:
                    actions[i, player] = menu[k]
                    break


@template
def going(states, learners, actions, plies, limit, seats, asked):
    """Who is asked now: the agents of matches that can go on without a word of the learner's; how many go on."""
    count = 0
    for i in range(states.shape[0]):
        mask = to_act(states[i])
        free = not mask >> learners[i] & 1 or actions[i, learners[i]] >= 0
        goes = mask != 0 and free and plies[i] < limit
        count += goes
        for player in range(seats.shape[1]):
            asked[i, player] = seats[i, player] if goes else LEARNER
    return count


@template
def slots_of(states, player, actions, out):
    """The slots of a player's actions in one state."""
    for k in range(actions.shape[0]):
        out[k] = policy_slot(states[0], player, actions[k])


class Slots:
    """What learners see of a game under some rules, and the numbers that they answer with."""

    def __init__(self, game: Game, players: int, values: Mapping[str, object]):
        self.game = game
        features, policy = game.shapes(players, values)
        self.features, self.policy = features.length, policy.length
        self._scratch = np.empty(1, game.state_type)

    def see_many(self, states: np.ndarray, players: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What each player sees of its state, float32[n, features] in [-1, 1], and its mask, int8[n, policy]."""
        features = np.zeros((len(states), self.features), np.float32)
        masks = np.empty((len(states), self.policy), np.int8)
        self.game.kernel(look)(states, players, self._scratch, features, masks)
        return np.clip(features, -1.0, 1.0, out=features), masks

    def see(self, states: np.ndarray, player: int) -> np.ndarray:
        """What a player sees of a single state, by kernels that every match needs anyway."""
        return np.clip(View(self.game, states, player).features[: self.features], -1.0, 1.0)

    def menu(self, states: np.ndarray, player: int) -> dict[int, int]:
        """What the player may do in a single state: slots, and the actions behind them."""
        if not int(self.game.waiting(states)[0]) >> player & 1:
            return {}
        actions = self.game.menu(states, player)
        out = np.empty(len(actions), np.int64)
        self.game.kernel(slots_of)(states, player, actions, out)
        return dict(zip(out.tolist(), actions.tolist()))


class Lanes:
    """So many matches of a game, each begun anew with `deal`."""

    def __init__(self, game: Game, players: int, values: Mapping[str, object], rivals: Sequence[str], count: int):
        game.check_setting(players, values)
        self.game, self.players, self.values, self.count = game, players, dict(values), count
        self.slots = Slots(game, players, values)
        self.limit = game.facts.max_plies
        specs = list(dict.fromkeys(rivals))
        self.agents = [_compiled(spec, game) for spec in specs]
        self._rivals = np.array([specs.index(spec) for spec in rivals])
        self.states = game.blank(players, values, count)
        self.words = np.zeros((count, 1 + players), np.uint64)
        self.learners, self.plies = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.seats = np.full((count, players), LEARNER)
        self._memories = np.zeros((count, players, max(one.memory for one in self.agents)), np.uint64)
        self._actions = np.full((count, game.facts.players[1]), -1, np.int32)
        self._room = _Room(game, count, players, self.agents)

    def deal(self, which: np.ndarray, seed: int, blocks: np.ndarray, learners: np.ndarray) -> None:
        """Begin these matches anew, and play on until the learner owes an action."""
        self.words[which] = match_words(seed, blocks, 0, self.players)
        self.states[which] = self.game.start(self.words[which], self.players, self.values)
        self.learners[which], self.plies[which], self._memories[which] = learners, 0, 0
        self.seats[which] = LEARNER
        for k, rival in enumerate(self._rivals, 1):
            self.seats[which, (learners + k) % self.players] = rival
        self._actions[:] = -1
        self._go_on()

    def step(self, slots: np.ndarray) -> np.ndarray:
        """Play the learners' answers and on until they owe the next; which answers were not allowed."""
        self.game.kernel(choose)(self.states, self.learners, slots, self._actions)
        refused = self._actions[np.arange(self.count), self.learners] < 0
        self._go_on()
        return refused

    def _go_on(self) -> None:
        room, kernel = self._room, self.game.kernel
        while kernel(going)(
            self.states, self.learners, self._actions, self.plies, self.limit, self.seats, room.asked
        ):  # fmt: skip
            for k, player in enumerate(self.agents):
                n = kernel(collect)(
                    self.states, room.asked, k, self.words, self._memories,
                    room.views, room.matches, room.players, room.streams[k],
                )  # fmt: skip
                if n:
                    answers = player.act_many(room.views[:n], room.players[:n], room.streams[k][:n])
                    kernel(spread)(
                        n, room.matches, room.players, room.streams[k], answers,
                        self._actions, self.words, self._memories,
                    )  # fmt: skip
            before = self.plies.sum()
            kernel(move_on)(self.states, self._actions, self.words, self.plies)
            if self.plies.sum() == before:
                return  # somebody owes an action and has none: a fault of the game

    @property
    def over(self) -> np.ndarray:
        return self.game.waiting(self.states) == 0

    @property
    def too_long(self) -> np.ndarray:
        """Matches that reached the declared maximum of plies, or in which nobody can go on."""
        mask = self.game.waiting(self.states)
        return (mask != 0) & ((self.plies >= self.limit) | (mask >> self.learners & 1 == 0))

    def payoffs(self) -> np.ndarray:
        """What each learner's match is worth to it, were it over now."""
        return self.game.payoffs(self.states)[np.arange(self.count), self.learners]


class _Room:
    """Memory for what agents are asked, kept from step to step."""

    def __init__(self, game: Game, count: int, players: int, agents: Sequence[Agent]):
        room = count * players
        self.asked = np.empty((count, players), np.int64)
        self.views = np.empty(room, game.state_type)
        self.matches, self.players = np.empty(room, np.int64), np.empty(room, np.int64)
        self.streams = [np.empty((room, 1 + one.memory), np.uint64) for one in agents]


def _compiled(spec: str, game: Game) -> Agent:
    if is_command(spec) or not is_ours(spec, game.source):
        raise BadInput(f"{spec} plays in a process of its own; many matches at once take agents of Ludus: use make(…)")
    made = agent(spec, game)
    if not made.compiled:
        raise BadInput(f"{spec} does not answer many positions at once; use make(…)")
    return made
