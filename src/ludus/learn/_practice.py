"""Thousands of matches in lock-step, in which a deep Q-learner chooses by its network and all decisions are kept.

At each step the network judges everybody on move in one batch. Each match has its own chance of a random action, from
large to hardly any, and its own symmetry of the board, so that matches differ. Each has its rival, which is the learner
itself or an agent, asked as in any match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ludus import kernels
from ludus.agent import Agent
from ludus.compile import template
from ludus.game import Game
from ludus.learn._decisions import Decisions
from ludus.learn._selfplay import ask, show
from ludus.rng import below, match_words, uniform

BOLDEST, SPREAD = 0.4, 7.0
"""Chances of a random action run from the first of these to its power of 1 + the second."""

Judge = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(features in bytes, slots) -> float32[n, …]: what each entry of a menu is worth beside the others."""


@template
def choose_boldly(worths, counts, explore, words, places, bold):
    """The best entry of each menu, now and then a random one, which is bold where it is another."""
    for k in range(places.shape[0]):
        best = 0
        for entry in range(1, counts[k]):
            if worths[k, entry] > worths[k, best]:
                best = entry
        places[k] = below(words[k], counts[k]) if uniform(words[k]) < explore[k] else best
        bold[k] = places[k] != best


class Practice:
    """Matches that go on from call to call."""

    def __init__(
        self, game: Game, players: int, values: Mapping[str, object], matches: int, rivals: Sequence[Agent | None],
        decisions: Decisions, seed: int,
    ):  # fmt: skip
        self.game, self.players, self.values, self.rivals, self.decisions = game, players, values, rivals, decisions
        self.seed, self.rng, self.begun = seed, np.random.default_rng(seed), 0
        self.states, self.words = np.zeros(matches, game.state_type), np.zeros((matches, 1 + players), np.uint64)
        self.plies, self.symmetries = np.zeros(matches, np.int64), np.zeros(matches, np.int64)
        self.explore = BOLDEST ** (1 + SPREAD * np.arange(matches) / max(matches - 1, 1))
        self.learns = np.ones((matches, players), np.bool_)
        self.whom = np.arange(matches) % len(rivals)  # each rival has matches of every boldness
        self.met = [0] * len(rivals)
        memory = max(rival.memory if rival else 0 for rival in rivals)
        self.memories = np.zeros((matches, players, memory), np.uint64)
        self.length = game.shapes(players, values)[0].length
        self._begin(np.arange(matches))

    def _begin(self, which: np.ndarray) -> None:
        """New matches in the places of old ones; against an agent the learner has each seat in turn."""
        numbers = self.begun + np.arange(len(which))
        self.begun += len(which)
        self.words[which] = match_words(self.seed, numbers, 0, self.players)
        self.states[which] = self.game.start(self.words[which], self.players, self.values)
        self.plies[which], self.memories[which] = 0, 0
        self.symmetries[which] = self.rng.integers(self.game.names["SYMMETRIES"], size=len(which))
        for k, rival in enumerate(self.rivals):
            if rival:
                theirs = which[self.whom[which] == k]
                seats = (self.met[k] + np.arange(len(theirs))) % self.players
                self.learns[theirs] = np.arange(self.players) == seats[:, None]
                self.met[k] += len(theirs)

    def move(self, judge: Judge, tally: Counter[str]) -> None:
        """One step of every match."""
        game, room = self.game, len(self.states)
        views, matches, players = np.empty(room, game.state_type), np.empty(room, np.int64), np.empty(room, np.int64)
        n = game.kernel(ask)(self.states, views, matches, players)
        views, matches, players = views[:n], matches[:n], players[:n]
        actions = np.full((room, game.facts.players[1]), -1, np.int32)
        own = self.learns[matches, players]
        if not own.all():
            theirs = matches[~own], players[~own]
            actions[theirs] = self._answers(views[~own], *theirs)
        if own.any():
            mine = matches[own], players[own]
            actions[mine] = self._decide(views[own], *mine, judge)
        game.advance(self.states, actions, self.words)
        self.plies += 1
        tally["decisions"] += int(own.sum())
        self._finish(tally)

    def _answers(self, views: np.ndarray, matches: np.ndarray, players: np.ndarray) -> np.ndarray:
        """What the rivals do; their streams and memories are put back."""
        found = np.empty(len(views), np.int32)
        for k, rival in enumerate(self.rivals):
            asked = np.flatnonzero(self.whom[matches] == k)
            if rival and len(asked):
                at, memory = (matches[asked], players[asked]), slice(rival.memory)
                word, kept = (at[0], 1 + at[1]), (*at, memory)
                streams = np.concatenate([self.words[word][:, None], self.memories[kept]], axis=1)
                found[asked] = rival.act_many(views[asked], players[asked], streams)
                self.words[word], self.memories[kept] = streams[:, 0], streams[:, 1:]
        return found

    def _decide(self, views: np.ndarray, matches: np.ndarray, players: np.ndarray, judge: Judge) -> np.ndarray:
        """What the learner does; its decisions are put down, forced ones too, for they are part of the way."""
        game, n = self.game, len(views)
        menus, counts = np.empty((n, game.facts.max_actions), np.int32), np.empty(n, np.int64)
        game.kernel(kernels.menus)(views, players, menus, counts)
        features, slots = np.zeros((n, self.length), np.int8), np.full(menus.shape, -1, np.int16)
        row = np.zeros(game.features.length, np.float32)
        game.kernel(show)(views, players, self.symmetries[matches], counts, menus.copy(), row, features, slots)
        words, places, bold = self.words[matches, 1 + players][:, None], np.empty(n, np.int64), np.empty(n, np.bool_)
        game.kernel(choose_boldly)(judge(features, slots), counts, self.explore[matches], words, places, bold)
        self.words[matches, 1 + players] = words[:, 0]
        self.decisions.add(matches, players, features, slots, places, bold)
        return menus[np.arange(n), places]

    def _finish(self, tally: Counter[str]) -> None:
        """Matches that are over give their returns, those that are too long none; new ones begin in their places."""
        ended = self.game.waiting(self.states) == 0
        over = np.flatnonzero(ended | (self.plies >= self.game.facts.max_plies))
        if len(over):
            payoffs = np.where(ended[over, None], self.game.payoffs(self.states[over]), 0.0)
            self.decisions.end(over, payoffs)
            tally.update(matches=len(over), plies=int(self.plies[over].sum()))
            self._begin(over)
