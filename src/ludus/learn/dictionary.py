"""Q-learning and SARSA(λ) over positions as they are met, stored in a dictionary; for any game.

A choice is learnt from when its player comes to the next one: its value moves towards discount · worth, where worth is
the best of the new position (Q-learning) or what is chosen there (SARSA), and at the end towards the reward. With a
trace it is learnt from when the match is over, last choice first, as in `qlearning`.

`reading=textbook` looks at all legal actions, one never tried being worth 0, and learns in every seat in turn.
`reading=published` is what the program of the Pivit paper did: it chooses among stored actions only, at random where
nothing is stored, always sits in the first seat, and its SARSA does not learn at the end what it knows already; its
numbers differ for the two rules. What is not set, the reading decides.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus.agents._dictionary import (
    FREE,
    PAIRS,
    STATES,
    best_worth,
    empty,
    greedy_action,
    key_of,
    megabytes,
    positions_of,
    rehash,
    reward_of,
    sizes,
    slot_of,
    stored_pair,
    with_room,
)
from ludus.agents._rivals import find_rival
from ludus.agents.dictionary import FILE, read_dictionary
from ludus.arena.statistics import wilson
from ludus.compile import template
from ludus.errors import BadInput
from ludus.game import Game
from ludus.learn._matches import EVERYBODY, one_by_one, play_out, share_of
from ludus.rng import below, match_words, uniform, word
from ludus.rules import MAX_ACTIONS, SEATS, legal, record
from ludus.runs import RunFolder
from ludus.settings import setting
from ludus.workers import Workers

READINGS = ("textbook", "published")
RULES = ("q", "sarsa")
NUMBERS = {
    ("textbook", "q"): (0.1, 0.99, 0.1, 0.1, 0.0),
    ("textbook", "sarsa"): (0.1, 0.99, 0.1, 0.1, 0.0),
    ("published", "q"): (0.1, 0.99, 1.0, 0.01, 0.01),
    ("published", "sarsa"): (0.85, 0.95, 0.8, 0.8, 0.0),
}
"""Step size, discount, and the chance of a random action: at first, at last, and how fast it falls a match."""


@dataclass
class Settings:
    """How to learn; what is -1, the reading decides."""

    games: int = setting(20_000, "matches to play", 1, 10**12)
    every: int = setting(1_000, "matches from one row of the log to the next", 1, 10**6)
    reading: str = setting("textbook", "textbook, or published: as the program of the Pivit paper did it")
    rule: str = setting("q", "q (the best next action counts) or sarsa (the one taken)")
    trace: float = setting(0.0, "the λ of SARSA(λ): how much of the way a match took counts", 0, 1)
    alpha: float = setting(-1.0, "step size; -1: that of the reading", -1, 1)
    discount: float = setting(-1.0, "worth of what comes a choice later; -1: that of the reading", -1, 1)
    explore: float = setting(-1.0, "chance of a random action from first to last; -1: that of the reading", -1, 1)
    players: int = setting(0, "players in a match; 0: the fewest that the game allows", low=0)
    rivals: str = setting("random", "the other players: random, self, a name, or file.py:function; auto: the usual one")
    key: str = setting("auto", "what makes a position: features, or file.py:function; auto: the game's own, if any")
    memory: int = setting(2_000, "megabytes that the dictionary may take", 1, 10**6, resource=True)


CURVE = {"win_rate": "share of the point while learning"}


def TOTAL(settings: Settings) -> int:
    return -(-settings.games // settings.every)


# ------------------------------------------------------------------------------------------------ what is remembered

HOW = record(
    alpha=np.float64, discount=np.float64, explore=np.float64, tracing=np.float64, on_policy=np.int64,
    stored_only=np.int64, keeps_known_ends=np.int64,
)  # fmt: skip
MOST_CHOICES = 4096
"""A player's choices of one match that can be learnt from with a trace; of a longer one, the last ones."""
MOST_ROOM = 1 << 19
"""Positions for which room is made at once."""
AT_RISK = 2.0
"""Seconds of learning that may be lost: a checkpoint of millions of positions takes as long as thousands of matches."""
PLIES = 512
"""Of this many first choices it is counted how often a greedy one finds its position."""


class Memory(NamedTuple):
    """The choices of each player in the match at hand."""

    lengths: np.ndarray  # int64[player]
    slots: np.ndarray  # int64[player, choice]
    pairs: np.ndarray  # int64[player, choice]
    counts: np.ndarray  # int64[player, choice]: actions on the menu
    greedy: np.ndarray  # int64[2, choice]: greedy decisions, and those that found their position
    views: np.ndarray


def new_memory(game: Game) -> Memory:
    shape = game.facts.players[1], min(game.facts.max_plies, MOST_CHOICES) + 1
    slots, pairs, counts = (np.zeros(shape, np.int64) for _ in range(3))
    views = np.zeros(1, game.state_type)
    return Memory(np.zeros(shape[0], np.int64), slots, pairs, counts, np.zeros((2, PLIES), np.int64), views)


# ------------------------------------------------------------------------------------------------ learning


@template
def move(book, pair, target, alpha):
    book.values[pair] += alpha * (target - book.values[pair])
    book.visits[pair] += 1


@template
def dictionary_choice(view, player, rng, mind):
    """Learn from the last choice, choose, and put the choice down."""
    memory, book, how, menu = mind
    t, count, key = memory.lengths[player], legal(view, player, menu), key_of(view, player)
    slot = slot_of(book, key)
    online = how[0].tracing == 0 and t > 0
    if online and not how[0].on_policy:
        worth = best_worth(book, slot, count, how[0].stored_only) if book.keys[slot] != FREE else 0.0
        move(book, memory.pairs[player, t - 1], how[0].discount * worth, how[0].alpha)
    action = chosen(book, slot, menu, count, how[0], memory.greedy, t, rng)
    pair = stored_pair(book, slot, key, action)
    if online and how[0].on_policy:
        move(book, memory.pairs[player, t - 1], how[0].discount * book.values[pair], how[0].alpha)
    if t == memory.pairs.shape[1]:  # full: forget the first half
        t = forget(memory, player)
    memory.slots[player, t], memory.pairs[player, t], memory.counts[player, t] = slot, pair, count
    memory.lengths[player] = t + 1
    return action


@template
def chosen(book, slot, menu, count, how, greedy, t, rng):
    """A random action now and then, and where the position is not known; else the best."""
    if uniform(rng) < how.explore:
        return menu[below(rng, count)]
    if t < greedy.shape[1]:
        greedy[0, t] += 1
        greedy[1, t] += book.keys[slot] != FREE
    if book.keys[slot] == FREE:
        return menu[below(rng, count)]
    return greedy_action(book, slot, menu, count, how.stored_only, rng)


@template
def forget(memory, player):
    half = memory.pairs.shape[1] // 2
    kept = memory.pairs.shape[1] - half
    for t in range(kept):
        memory.slots[player, t] = memory.slots[player, half + t]
        memory.pairs[player, t] = memory.pairs[player, half + t]
        memory.counts[player, t] = memory.counts[player, half + t]
    return kept


@template
def finish(memory, player, reward, book, how):
    """The match is over: learn from the last choice, or with a trace from all, last to first."""
    n = memory.lengths[player]
    memory.lengths[player] = 0
    if n == 0:
        return
    last = memory.pairs[player, n - 1]
    if how.keeps_known_ends:
        if book.visits[last] == 0:
            move(book, last, reward, 1.0)
    else:
        move(book, last, reward, how.alpha)
    target = reward
    for t in range(n - 2, -1, -1):
        if how.tracing == 0:
            break
        worth = book.values[memory.pairs[player, t + 1]]
        if not how.on_policy:
            worth = best_worth(book, memory.slots[player, t + 1], memory.counts[player, t + 1], how.stored_only)
        target = how.discount * ((1.0 - how.tracing) * worth + how.tracing * target)
        move(book, memory.pairs[player, t], target, how.alpha)


@template
def play_and_store(states, words, learners, explore, book, how, memory, shares, rewards):
    """Play the matches one after the other."""
    menu, payoffs = np.empty(MAX_ACTIONS, np.int32), np.empty(SEATS)
    for i in range(states.shape[0]):
        how[0].explore = explore[i]
        play_out(states[i], words[i], learners[i], memory.views, (memory, book, how, menu))
        seat = max(learners[i], 0)
        rewards[i] = reward_of(states[i], seat)
        for player in range(states[i].players):
            finish(memory, player, reward_of(states[i], player), book, how[0])
        shares[i] = share_of(states[i], seat, payoffs)


# ------------------------------------------------------------------------------------------------ the trainer


def train(
    game: Game, values: Mapping[str, object], settings: Settings, run: RunFolder, seed: int, workers: Workers
) -> Iterator[dict[str, object]]:
    """Train, or go on from the folder's last checkpoint; one row for every `every` matches.

    What is learnt from a match decides how the next one is played, so one worker is all that it can use.
    """
    learner = Learner(game, values, settings, seed)
    done = run.load(FILE, learner.restore) or 0
    run.cut_log(done)
    written, last = time.monotonic(), TOTAL(settings) - 1
    for iteration in range(done, TOTAL(settings)):
        try:
            row = learner.play(iteration * settings.every, min((iteration + 1) * settings.every, settings.games))
        except Outgrown:
            if not (run.path / FILE).exists():
                run.write(FILE, learner.checkpoint(0))
            raise
        run.log(row)
        if iteration == last or time.monotonic() > written + AT_RISK:
            run.write(FILE, learner.checkpoint(iteration + 1))
            written = time.monotonic()
        yield row


class Outgrown(BadInput):
    """The dictionary may not take as much memory as it would need."""


class Learner:
    """A dictionary that learns from the matches it is given."""

    def __init__(self, game: Game, values: Mapping[str, object], settings: Settings, seed: int):
        _check_words(settings)
        self.game, self.values, self.settings, self.seed = game, values, settings, seed
        self.players = settings.players or game.facts.players[0]
        game.check_setting(self.players, values)
        self.book, self.memory = empty(1 << 12, 1 << 12), new_memory(game)
        published = settings.reading == "published"
        alpha, discount, first, last, fall = NUMBERS[settings.reading, settings.rule]
        self._explore = (first, last, fall) if settings.explore < 0 else (settings.explore, settings.explore, 0.0)
        self._how = np.zeros(1, HOW)
        self._how[0] = (
            alpha if settings.alpha < 0 else settings.alpha, discount if settings.discount < 0 else settings.discount,
            0.0, settings.trace, settings.rule == "sarsa", published, published and settings.rule == "sarsa",
        )  # fmt: skip
        rival = find_rival("random" if settings.rivals == "self" else settings.rivals, game)
        names = {"learner_choice": dictionary_choice, "rival_choice": rival}
        self._play = positions_of(game, settings.key).kernel(play_and_store, game, published, **names)

    def play(self, first: int, last: int) -> dict[str, object]:
        """Learn from the matches with these numbers; what came of it."""
        numbers = np.arange(first, last)
        words = match_words(word(self.seed, 1), numbers, 0, self.players)
        states = self.game.start(words, self.players, self.values)
        low, high, fall = self._explore[1], self._explore[0], self._explore[2]
        explore = low + (high - low) * np.exp(-fall * numbers)
        shares, rewards = np.zeros(len(numbers)), np.zeros(len(numbers))
        self.memory.greedy[:] = 0
        for piece in one_by_one(len(numbers), max(1, MOST_ROOM // self._most_stored)):
            for part in self._parts(first, piece):
                arrays = (self.book, self._how, self.memory)
                self._play(states[part], words[part], self._learners(numbers[part]), explore[part], *arrays,
                           shares[part], rewards[part])  # fmt: skip
        return self._row(last, shares, rewards)

    def _learners(self, numbers: np.ndarray) -> np.ndarray:
        if self.settings.rivals == "self":
            return np.full(len(numbers), EVERYBODY)
        return 0 * numbers if self.settings.reading == "published" else numbers % self.players

    @property
    def _most_stored(self) -> int:
        """Positions that one match may add."""
        seats = self.players if self.game.facts.simultaneous and self.settings.rivals == "self" else 1
        return seats * self.game.facts.max_plies

    def _parts(self, first: int, piece: slice) -> Iterator[slice]:
        """A piece of the matches from `first` on, in parts for which there is room: one, until memory runs short."""
        start = piece.start
        while start < piece.stop:
            matches = self._make_room(first + start, piece.stop - start)
            yield slice(start, start + matches)
            start += matches

    def _make_room(self, done: int, matches: int) -> int:
        """Room for all that so many matches may store, or that fewer may; how many, or a sentence."""
        while megabytes(*sizes(self.book, matches * self._most_stored)) > self.settings.memory:
            if matches == 1:
                raise Outgrown(
                    f"the dictionary has outgrown its {self.settings.memory} megabytes after {done:,} matches, at "
                    f"{self.book.used[STATES]:,} positions; the run keeps its last checkpoint, --set memory=… goes on"
                )
            matches //= 2
        self.book = with_room(self.book, matches * self._most_stored, self.game.kernel(rehash))
        return matches

    def _row(self, games: int, shares: np.ndarray, rewards: np.ndarray) -> dict[str, object]:
        rate, (asked, found) = wilson(float(shares.sum()), len(shares)), self.memory.greedy.sum(axis=1)
        return {
            "games": games,
            "win_rate": round(rate.value, 4),
            "low": round(rate.low, 4),
            "high": round(rate.high, 4),
            "draws": int(((shares > 0) & (shares < 1)).sum()),
            "mean_reward": round(float(rewards.mean()), 4),
            "positions": int(self.book.used[STATES]),
            "pairs": int(self.book.used[PAIRS]),
            "found": round(float(found / max(asked, 1)), 4),
            "megabytes": round(megabytes(*sizes(self.book)), 1),
        }

    def checkpoint(self, iterations: int) -> bytes:
        """The dictionary without its unused pairs, and how often a greedy choice of late found its position."""
        content, used = io.BytesIO(), int(self.book.used[PAIRS])
        parts: dict[str, Any] = self.book._asdict()
        parts |= {name: parts[name][: max(used, 1)] for name in ("actions", "values", "visits", "following")}
        np.savez(content, **parts, greedy=self.memory.greedy, iterations=np.int64(iterations))
        return content.getvalue()

    def restore(self, content: bytes) -> int:
        """Take a checkpoint up; the number of iterations it holds. One that holds no whole iteration is there to be
        played with: with more memory that iteration begins anew, as if it had never been stopped."""
        with np.load(io.BytesIO(content)) as saved:
            iterations = int(saved["iterations"])
        if iterations:
            self.book = read_dictionary(content)
        return iterations


def _check_words(settings: Settings) -> None:
    for name, known in (("reading", READINGS), ("rule", RULES)):
        if getattr(settings, name) not in known:
            raise BadInput(f"dictionary: {name} is {' or '.join(known)}, not {getattr(settings, name)!r}")
