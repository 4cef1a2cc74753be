"""Tabular learning: Q-learning and SARSA(λ) over whatever an abstraction makes of a game.

One compiled loop plays match after match and learns as it goes. A player's successive choices by the same table form a
chain; when an episode of it is over (a match, or a part that the abstraction names), its cells move towards

    target(t) = reward(t) + discount · ((1 - trace) · worth(t + 1) + trace · target(t + 1))

from the last choice to the first, where worth(t + 1) is the best of the next row (Q-learning) or the cell that was
chosen there (SARSA). With trace 0 that is the plain one-step rule. Match k is named by the seed and k alone, so a
training that was cut off goes on as if nothing had happened.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ludus.agents._abstraction import TABLES, Abstraction, continues, episode_of, find_abstraction, pack, reward
from ludus.agents._rivals import find_rival
from ludus.agents.qlearning import (
    BY_TABLE,
    COUNT_AT,
    PLACE_AT,
    ROW_AT,
    TABLE_AT,
    decide,
    find_cells,
    manners_of,
    refuse_cells,
)
from ludus.arena.statistics import wilson
from ludus.compile import template
from ludus.errors import BadInput
from ludus.game import Game
from ludus.learn._matches import EVERYBODY, one_by_one, play_out, share_of
from ludus.rng import match_words, word
from ludus.rules import MAX_ACTIONS, SEATS, record
from ludus.runs import RunFolder
from ludus.settings import setting
from ludus.workers import Workers

# ------------------------------------------------------------------------------------------------ what is remembered

HOW = record(on_policy=np.int64, tracing=np.float64, decay=np.float64)
CHAIN = record(length=np.int64, episode=np.int64)
LINK = record(
    row=np.int64, column=np.int64, count=np.int64, action=np.int64, goes_on=np.int64, reward=np.float64
)  # fmt: skip
LONGEST_CHAIN = 512
"""A longer episode is learnt from in pieces."""


class Memory(NamedTuple):
    """One chain of choices for each player and table, in the match at hand."""

    chains: np.ndarray
    links: np.ndarray  # [chain, choice]
    columns: np.ndarray  # [chain, choice, place on the menu]
    before: np.ndarray  # the view at the latest choice of a chain
    opening: np.ndarray  # the view at the first choice of its episode
    seen: np.ndarray  # one view, for whoever is to choose


def new_memory(game: Game, tables: int) -> Memory:
    chains, length = game.facts.players[1] * tables, min(game.facts.max_plies, LONGEST_CHAIN) + 1
    views = [np.zeros(n, game.state_type) for n in (chains, chains, 1)]
    columns = np.zeros((chains, length, game.facts.max_actions), np.int64)
    return Memory(np.zeros(chains, CHAIN), np.zeros((chains, length), LINK), columns, *views)


# ------------------------------------------------------------------------------------------------ learning


@template
def weighted(value, penalty):
    return value * penalty if value < 0 else value


@template
def best_worth(cells, row, columns, count, table):
    """The best cell of a row: among those on the menu, or of all."""
    best = -np.inf
    if table.whole_row:
        for column in range(cells.shape[1]):
            best = max(best, cells[row, column])
    else:
        for k in range(count):
            best = max(best, cells[row, columns[k]])
    return max(best, table.floor)


@template
def sweep(memory, index, n, table, how, cells, visits):
    """Move the cells of the first n choices towards their targets, from last to first."""
    links, target = memory.links[index], 0.0
    for t in range(n - 1, -1, -1):
        link = links[t]
        future = 0.0
        if link.goes_on:
            after = links[t + 1]
            worth = cells[after.row, after.column]
            if not how.on_policy:
                worth = best_worth(cells, after.row, memory.columns[index, t + 1], after.count, table)
            trace = how.tracing if t < n - 1 else 0.0  # the target of what lies beyond the episode is not known yet
            discount = table.discount if t < n - 1 else table.last_discount
            future = discount * ((1.0 - trace) * worth + trace * target)
        target = link.reward + future
        rate = table.alpha / (1.0 + how.decay * visits[link.row, link.column])
        cells[link.row, link.column] += rate * (target - cells[link.row, link.column])
        visits[link.row, link.column] += 1


@template
def close_link(memory, index, kind, table, player, after, is_over, tally):
    """The latest choice of a chain has led to `after`: what did it bring?"""
    link = memory.links[index, memory.chains[index].length - 1]
    value = reward(kind, memory.before[index], link.action, after, player)
    link.reward = weighted(value, table.penalty)
    link.goes_on = not is_over and continues(kind, memory.before[index], link.action, after, player)
    if kind == 0:
        tally[0] += value
        tally[1] += 1


@template
def learn_episode(memory, index, n, kind, table, how, player, after, cells, visits):
    """Learn from the first n choices of a chain, after which things stand as in `after`."""
    if table.whole_episode:
        for t in range(n - 1):
            memory.links[index, t].reward = 0.0
        value = reward(kind, memory.opening[index], memory.links[index, n - 1].action, after, player)
        memory.links[index, n - 1].reward = weighted(value, table.penalty)
    sweep(memory, index, n, table, how, cells, visits)


@template
def open_link(memory, index, columns, told):
    """Append a choice that is still to be made."""
    chain, count = memory.chains[index], told[COUNT_AT]
    link = memory.links[index, chain.length]
    link.row, link.count = told[ROW_AT], count
    memory.columns[index, chain.length, :count] = columns[:count]
    chain.length += 1


@template
def learn_if_over(memory, index, kind, table, how, player, cells, visits):
    """Where a choice is the first of a new episode, learn from the one before and forget it."""
    chain, view, last = memory.chains[index], memory.seen[0], memory.chains[index].length - 1
    if last == 0 or (episode_of(view) == chain.episode and last + 1 < memory.links.shape[1]):
        return
    learn_episode(memory, index, last, kind, table, how, player, view, cells, visits)
    memory.links[index, 0] = memory.links[index, last]
    memory.columns[index, 0] = memory.columns[index, last]
    chain.length = 1


@template
def before_choice(memory, index, player, columns, told, table, how, cells, visits, tally):
    """A player has come to a choice: what did its last one bring? Q-learning need not wait for what is chosen now."""
    kind = told[TABLE_AT]
    if memory.chains[index].length > 0:
        close_link(memory, index, kind, table, player, memory.seen[0], False, tally)
    open_link(memory, index, columns, told)
    if not how.on_policy:
        learn_if_over(memory, index, kind, table, how, player, cells, visits)


@template
def after_choice(memory, index, player, action, columns, told, table, how, cells, visits):
    chain, view = memory.chains[index], memory.seen[0]
    link = memory.links[index, chain.length - 1]
    link.column, link.action = columns[told[PLACE_AT]], action
    if how.on_policy:
        learn_if_over(memory, index, told[TABLE_AT], table, how, player, cells, visits)
    if chain.length == 1:
        chain.episode = episode_of(view)
        memory.opening[index] = view
    memory.before[index] = view


@template
def choose_and_learn(memory, player, rng, menu, columns, told, tables, manners, how, cells, visits, tally):
    """The learner's action on the view in `seen`; -1 if the abstraction names a cell that is not there."""
    view = memory.seen[0]
    if not find_cells(view, player, cells, menu, columns, told):
        return -1
    kind = told[TABLE_AT]
    if kind < 0 or manners[kind] != BY_TABLE:
        return decide(view, player, rng, cells, tables, manners, menu, columns, told)
    index, table = player * TABLES + kind, tables[kind]
    before_choice(memory, index, player, columns, told, table, how, cells, visits, tally)
    action = decide(view, player, rng, cells, tables, manners, menu, columns, told)
    after_choice(memory, index, player, action, columns, told, table, how, cells, visits)
    return action


@template
def finish(memory, player, state, tables, how, cells, visits, tally):
    """The match is over: learn from all open chains of a player."""
    for kind in range(TABLES):
        index = player * TABLES + kind
        n = memory.chains[index].length
        if n > 0:
            close_link(memory, index, kind, tables[kind], player, state, True, tally)
            learn_episode(memory, index, n, kind, tables[kind], how, player, state, cells, visits)
            memory.chains[index].length = 0


# ------------------------------------------------------------------------------------------------ playing


@template
def table_choice(view, player, rng, mind):
    memory, menu, columns, told, tables, manners, how, cells, visits, tally = mind
    return choose_and_learn(memory, player, rng, menu, columns, told, tables, manners, how[0], cells, visits, tally)


@template
def play_and_learn(states, words, learners, tables, manners, how, memory, cells, visits, shares, tally):
    """Play the matches one after the other; false if the abstraction names a cell that is not there."""
    menu, columns = np.empty(MAX_ACTIONS, np.int32), np.empty(MAX_ACTIONS, np.int64)
    told, payoffs = np.empty(4, np.int64), np.zeros(SEATS)
    mind = (memory, menu, columns, told, tables, manners, how, cells, visits, tally)
    for i in range(states.shape[0]):
        if not play_out(states[i], words[i], learners[i], memory.seen, mind):
            return False
        for player in range(states[i].players):
            finish(memory, player, states[i], tables, how[0], cells, visits, tally)
        shares[i] = share_of(states[i], max(learners[i], 0), payoffs)
    return True


# ------------------------------------------------------------------------------------------------ the trainer


@dataclass
class Settings:
    """How to learn. What is -1 or auto, the abstraction decides; numbers for learning are those of its first table."""

    games: int = setting(20_000, "matches to play", 1, 10**12)
    every: int = setting(1_000, "matches from one row of the log and one checkpoint to the next", 1, 10**6)
    abstraction: str = setting("auto", "how a view becomes a row: a name, hash, or file.py:function; auto: the game's")
    rows: int = setting(1 << 16, "rows of the table, where the abstraction does not know", 1, 10**8)
    players: int = setting(0, "players in a match; 0: the fewest that the game allows", low=0)
    rivals: str = setting("random", "the other players: random, self, a name, or file.py:function; auto: the usual one")
    rule: str = setting("q", "q (the best next action counts) or sarsa (the one taken)")
    trace: float = setting(0.0, "the λ of SARSA(λ): how much of the way an episode took counts", 0, 1)
    alpha: float = setting(-1.0, "step size", -1, 1)
    decay: float = setting(0.0, "the step size of a cell falls as alpha / (1 + decay · visits)", low=0)
    discount: float = setting(-1.0, "worth of what comes a choice later (the λ of the Gravitas paper)", low=-1)
    temperature: float = setting(-1.0, "of Boltzmann's distribution; 0: always the best", low=-1)
    penalty: float = setting(-1.0, "factor on negative rewards (the γ of the Gravitas paper)", low=-1)
    reward: str = setting("step", "step: each choice gets what it brought; episode: the last gets the sum")
    stop: str = setting("learnt", "Gravwell's emergency stop: learnt, never or random")
    habit: str = setting("auto", "who decides where no table does: a name from the abstraction")


CURVE = {"win_rate": "share of the point while learning"}


def TOTAL(settings: Settings) -> int:
    return -(-settings.games // settings.every)


def train(
    game: Game, values: Mapping[str, object], settings: Settings, run: RunFolder, seed: int, workers: Workers
) -> Iterator[dict[str, object]]:
    """Train, or go on from the folder's last checkpoint; one row for every `every` matches.

    What is learnt from a match decides how the next one is played, so one worker is all that it can use.
    """
    learner = Learner(game, values, settings, seed)
    done = run.load("tables.npz", learner.restore) or 0
    run.cut_log(done)
    for iteration in range(done, TOTAL(settings)):
        row = learner.play(iteration * settings.every, min((iteration + 1) * settings.every, settings.games))
        # The log first: a row without its checkpoint is cut off and made again, a missing one would stay missing.
        run.log(row)
        run.write("tables.npz", learner.checkpoint(iteration + 1))
        yield row


class Learner:
    """Tables that learn from the matches they are given."""

    def __init__(self, game: Game, values: Mapping[str, object], settings: Settings, seed: int):
        _check_words(settings)
        self.game, self.values, self.settings, self.seed = game, values, settings, seed
        self.players = settings.players or game.facts.players[0]
        game.check_setting(self.players, values)
        self.abstraction = find_abstraction(settings.abstraction, game, settings.rows)
        self.cells = self.abstraction.blank_cells()
        self.visits = np.zeros(self.cells.shape, np.int32)
        self._tables = _packed(self.abstraction, settings)
        self._manners = manners_of(self.abstraction, settings.stop)
        self._how = np.zeros(1, HOW)
        self._how[0] = (settings.rule == "sarsa", settings.trace, settings.decay)
        self._memory = new_memory(game, len(self.abstraction.tables))
        rival = find_rival("random" if settings.rivals == "self" else settings.rivals, game)
        names = {"habit": self.abstraction.habit(settings.habit), "rival_choice": rival, "learner_choice": table_choice}
        self._play = self.abstraction.kernel(play_and_learn, game, **names)

    def play(self, first: int, last: int) -> dict[str, object]:
        """Learn from the matches with these numbers; what came of it, rewards by the first table."""
        numbers = np.arange(first, last)
        # Not the words of contests with the same seed: what is learnt from should not be judged by.
        words = match_words(word(self.seed, 1), numbers, 0, self.players)
        states = self.game.start(words, self.players, self.values)
        in_self_play = self.settings.rivals == "self"
        learners = np.full(len(numbers), EVERYBODY) if in_self_play else numbers % self.players
        shares, tally = np.zeros(len(numbers)), np.zeros(2)
        arrays = (self._tables, self._manners, self._how, self._memory, self.cells, self.visits)
        for piece in one_by_one(len(numbers)):
            if not self._play(states[piece], words[piece], learners[piece], *arrays, shares[piece], tally):
                raise refuse_cells(self.settings.abstraction, self.abstraction)
        return self._row(last, shares, tally)

    def _row(self, games: int, shares: np.ndarray, tally: np.ndarray) -> dict[str, object]:
        rate = wilson(float(shares.sum()), len(shares))
        return {
            "games": games,
            "win_rate": round(rate.value, 4),
            "low": round(rate.low, 4),
            "high": round(rate.high, 4),
            "mean_reward": round(float(tally[0] / max(tally[1], 1)), 4),
            "visited_rows": round(float((self.visits.max(axis=1) > 0).mean()), 4),
        }

    def checkpoint(self, iterations: int) -> bytes:
        content = io.BytesIO()
        np.savez_compressed(content, cells=self.cells, visits=self.visits, iterations=np.int64(iterations))
        return content.getvalue()

    def restore(self, content: bytes) -> int:
        """Take a checkpoint up; the number of iterations it holds."""
        with np.load(io.BytesIO(content)) as saved:
            cells, visits, iterations = saved["cells"], saved["visits"], int(saved["iterations"])
        if not cells.shape == visits.shape == self.cells.shape:
            raise ValueError(f"its tables have the shape {cells.shape}, not {self.cells.shape}")
        self.cells, self.visits = cells, visits
        return iterations


def _packed(abstraction: Abstraction, settings: Settings) -> np.ndarray:
    """The tables' numbers, those of the first one changed by the settings."""
    tables = pack(abstraction.tables)
    first = tables[0]
    if settings.reward == "episode":
        first["whole_episode"] = 1
        first["discount"], first["last_discount"] = abstraction.tables[0].episode_discounts
    if settings.discount >= 0:
        first["discount"] = first["last_discount"] = settings.discount
    for name in ("alpha", "temperature", "penalty"):
        if getattr(settings, name) >= 0:
            first[name] = getattr(settings, name)
    return tables


def _check_words(settings: Settings) -> None:
    for name, known in (("rule", ("q", "sarsa")), ("reward", ("step", "episode"))):
        if getattr(settings, name) not in known:
            raise BadInput(f"qlearning: {name} is {' or '.join(known)}, not {getattr(settings, name)!r}")
