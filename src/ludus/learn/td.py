"""TD(λ) and TDLeaf: learns the weights of an evaluation in self-play, for `alphabeta`, `greedy` and `mcts`.

A position is described by the game's `terms`, or by what it `observe`s, and judged by their weighted sum, as a return.
On a board, patterns of neighbouring cells are learnt by heart beside them; without a board and without `terms`, where
what is observed says little one by one, some units come between. All seats choose by that judgement and all learn: what
was thought of a position moves towards what came later, a mixture of the next thoughts and the result (λ says how much
of either), but never across a random move. A match is learnt from as one of its mirror images, where the game has any.

With `depth=1` the positions are those that were reached, by looking one ply ahead. With more, every choice is searched
that deep and the position at the end of the expected line is learnt from (TDLeaf): slower, and it learns what a search
needs to know. The step is measured by the length of the terms, so that their number and size hardly matter.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ludus.agents._evaluation import FILE, PATTERNS, evaluation_text, patterns_bytes
from ludus.agents.greedy import Looks, Room, looks_of, new_room, weigh_actions
from ludus.arena.lockstep import play_to_the_end
from ludus.arena.statistics import wilson
from ludus.catalogue import agent
from ludus.compile import template
from ludus.errors import Mismatch
from ludus.game import Game
from ludus.learn._matches import one_by_one
from ludus.rng import below, match_words, uniform, word
from ludus.rules import MAX_PLIES, SEATS, SYMMETRIES, legal, reflect, returns, share, step, to_act
from ludus.runs import RunFolder
from ludus.search.alphabeta import BEGIN, NODES, PLY, Stack, follow, new_stack, search_to
from ludus.search.evaluation import OWN_TERMS, Evaluation, evaluation, numbers_of, prospect, weigh
from ludus.search.patterns import WALKS, Patterns, new_patterns
from ludus.search.table import ENTRY
from ludus.settings import setting
from ludus.workers import Workers

STATE = "learner.npz"
UNITS = 32
LONGEST = 2048
"""Positions of a match that are learnt from; of a longer one, the first ones."""
ALIKE = 0.01
"""Actions whose returns differ by less are equally good to a learner."""
RULER = 100
"""Matches against random play by which each row of the log is measured."""
ROWS = 20
"""Rows of the log, unless somebody says otherwise."""


@dataclass
class Settings:
    """How to learn."""

    games: int = setting(20_000, "matches to play", 1, 10**12)
    minutes: float = setting(0.0, "how long to train, instead of counting matches; 0: count", 0, 10**6, resource=True)
    every: int = setting(0, "matches from one row of the log and checkpoint to the next; 0: a twentieth", 0, 10**6)
    depth: int = setting(
        1, "plies that a choice looks ahead; above 1 it is TDLeaf, for games without luck or secrets", 1, 6
    )
    trace: float = setting(0.7, "λ: how much of the way to the result counts beside the next thought", 0, 1)
    alpha: float = setting(-1.0, "step size at first, it falls to a tenth; -1: 0.1, with patterns 0.5", -1, 10)
    explore: float = setting(0.1, "chance of a random action", 0, 1)
    opening: int = setting(-1, "random plies at the start of every match; -1: up to 8, by the longest match", -1, 1000)
    units: int = setting(-1, "units between terms and value; -1: none where the game writes `terms`, else 32", -1, 1024)
    walks: int = setting(WALKS, "patterns from each cell of the board; 0: none", 0, 64)
    players: int = setting(0, "players in a match; 0: the fewest that the game allows", low=0)


CURVE = {"win_rate": "share of the point by one ply, against random play"}


def TOTAL(settings: Settings) -> int:
    return ROWS if settings.minutes else -(-settings.games // _every(settings))


def _every(settings: Settings) -> int:
    return settings.every or -(-settings.games // ROWS)


def SPEC(settings: Settings, folder: Path, game: Game) -> str:
    return f"greedy:run={folder}"


# ------------------------------------------------------------------------------------------------ one match


class Course(NamedTuple):
    """The positions of one match that are learnt from."""

    terms: np.ndarray  # float32[LONGEST, SEATS, TERMS + OWN_TERMS]
    units: np.ndarray  # float32[LONGEST, SEATS, units]
    entries: np.ndarray  # int32[LONGEST, SEATS, patterns]: which of their numbers were added
    values: np.ndarray  # float64[LONGEST, SEATS]: what was thought of each
    breaks: np.ndarray  # bool[LONGEST]: what follows came by a random move


class Coherence(NamedTuple):
    """How each number of the patterns was corrected so far. Where corrections cancel out it has been learnt, and its
    steps become small; where all point one way they stay as they are (temporal coherence)."""

    net: np.ndarray  # float32[as many as there are numbers]: the sum of all corrections
    gross: np.ndarray  # float32[…]: the sum of their sizes


class Mind(NamedTuple):
    """All that a choice needs."""

    looks: Looks
    room: Room
    stack: Stack
    menu: np.ndarray
    worth: np.ndarray
    line: np.ndarray  # int32[depth]


@template
def note(course, t, scratch, symmetry, evaluation):
    """Write down how a position looks to everybody, turned; one that is over is known, and teaches no weight."""
    state = scratch[0]
    reflect(state, symmetry)
    is_over = to_act(state) == 0
    if is_over:
        returns(state, course.values[t])
    for player in range(state.players):
        row = course.terms[t, player]
        row[:] = 0.0
        course.units[t, player] = 0.0
        course.entries[t, player] = -1
        if not is_over:
            course.values[t, player] = prospect(weigh(state, player, evaluation), state.players)
            row[:] = evaluation.terms
            course.units[t, player] = evaluation.units
            course.entries[t, player] = evaluation.patterns.entries
    course.breaks[t] = False


@template
def search_leaf(states, index, player, depth, mind, rng):
    """The best action by a search so deep; the stack's first state becomes the end of the expected line."""
    stack, line = mind.stack, mind.line
    stack.states[0] = states[index]
    for slot in range(stack.table.shape[0]):
        stack.table[slot].bound, stack.table[slot].depth = 0, 0
    root = stack.frames[0]
    root.alpha, root.beta, root.count = -np.inf, np.inf, legal(states[index], player, stack.menus[0])
    stack.counters[NODES], stack.counters[PLY] = 0, BEGIN
    search_to(stack, depth, player, False, np.int64(1) << 62, rng)
    follow(stack.states, stack.words64, stack.table, root.best, stack.actions, rng, line)
    return root.best


@template
def about_best(worth, count, rng):
    """The place of the best entry, or of one that is hardly worse, at random. Were the best one always chosen, thoughts
    that say nearly nothing would make the same moves to and fro, and matches without a winner teach nothing else."""
    most, ties, place = worth[:count].max(), 0, 0
    for k in range(count):
        if worth[k] > most - ALIKE:
            ties += 1
            if below(rng, ties) == 0:
                place = k
    return place


@template
def choose(states, index, player, depth, explore, mind, rng):
    """An action, and whether it is a random one."""
    best = search_leaf(states, index, player, depth, mind, rng) if depth > 1 else -1
    if uniform(rng) < explore:
        return mind.menu[below(rng, legal(states[index], player, mind.menu))], True
    if depth > 1:
        return best, False
    count = weigh_actions(states, index, player, rng, mind.looks, mind.room, mind.menu, mind.worth)
    return mind.menu[about_best(mind.worth, count, rng)], False


@template
def play_course(states, index, words, depth, explore, opening, symmetry, mind, course):
    """Play a match to its end, in place; how many positions there are to learn from."""
    actions = np.empty(SEATS, np.int32)
    length, plies, mask = 0, 0, to_act(states[index])
    while mask != 0 and plies < MAX_PLIES:
        wild = False
        for player in range(SEATS):
            actions[player] = -1
            if mask >> player & 1:
                rng, chance = words[1 + player : 2 + player], 1.0 if plies < opening else explore
                actions[player], strayed = choose(states, index, player, depth, chance, mind, rng)
                wild = wild or strayed
        if depth > 1 and length < course.breaks.shape[0]:
            note(course, length, mind.stack.states, symmetry, mind.looks.evaluation)
            course.breaks[length] = wild
            length += 1
        step(states[index], actions, words[:1])
        mask = to_act(states[index])
        if depth == 1 and wild and length > 0:
            course.breaks[length - 1] = True
        if depth == 1 and mask != 0 and length < course.breaks.shape[0]:
            mind.room.scratch[0] = states[index]
            note(course, length, mind.room.scratch, symmetry, mind.looks.evaluation)
            length += 1
        plies += 1
    return length


@template
def learn(course, length, payoffs, players, evaluation, coherence, alpha, trace):
    """Move the weights, the last position first; the mean square of what was surprising."""
    surprise = 0.0
    for player in range(players):
        target = payoffs[player]
        for t in range(length - 1, -1, -1):
            value = course.values[t, player]
            if course.breaks[t]:
                target = value
            surprise += (target - value) ** 2
            terms, units, entries = course.terms[t, player], course.units[t, player], course.entries[t, player]
            part = move_weights(evaluation, terms, units, entries, alpha * (target - value))
            move_entries(evaluation.patterns.tables, coherence, entries, part)
            target = (1.0 - trace) * value + trace * target
    return surprise / max(length * players, 1)


@template
def move_weights(evaluation, row, units, entries, step):
    """Along the slope of the weighted sum; the step is measured by its length. What is left of it for one number."""
    weights, _, layer, outward, active, _ = evaluation
    own = np.float32(0.0)
    for k in range(row.shape[0]):
        own += row[k] * row[k]
    size = 1.0 + own + entries.shape[0]
    for unit in range(units.shape[0]):
        active[unit] = outward[unit] if units[unit] > 0.0 else 0.0
        size += units[unit] * units[unit] + active[unit] * active[unit] * own
    step /= size
    for k in range(row.shape[0]):
        if row[k] != 0.0:
            weights[k] += step * row[k]
            part = np.float32(step * row[k])
            for unit in range(units.shape[0]):
                layer[k, unit] += part * active[unit]
    for unit in range(units.shape[0]):
        outward[unit] += step * units[unit]
    return step


@template
def move_entries(tables, coherence, entries, step):
    """The numbers that a position added up, each by its own part of the step."""
    net, gross = coherence
    for k in range(entries.shape[0]):
        place = entries[k]
        if place >= 0:
            tables[place] += step * (abs(net[place]) / gross[place] if gross[place] > 0.0 else 1.0)
            net[place] += step
            gross[place] += abs(step)


@template
def play_and_learn(states, words, depth, explore, opening, alphas, trace, mind, course, coherence, surprises):
    payoffs = np.zeros(SEATS)
    for i in range(states.shape[0]):
        symmetry = np.int64(words[i, 0] >> np.uint64(32)) % SYMMETRIES
        length = play_course(states, i, words[i], depth, explore, opening, symmetry, mind, course)
        returns(states[i], payoffs)
        judged = mind.looks.evaluation
        surprises[i] = learn(course, length, payoffs, states[i].players, judged, coherence, alphas[i], trace)


# ------------------------------------------------------------------------------------------------ the training


def train(
    game: Game, values: Mapping[str, object], settings: Settings, run: RunFolder, seed: int, workers: Workers
) -> Iterator[dict[str, object]]:
    """Train, or go on from the folder's last checkpoint. A match builds on the last one, so one worker must do."""
    learner = Learner(game, values, settings, seed)
    done = run.load(STATE, learner.restore) or 0
    run.cut_log(done)
    for _ in range(done, TOTAL(settings)):
        surprise = learner.play()
        run.write(FILE, evaluation_text(game, learner.settled))
        if len(learner.evaluation.patterns.cells):
            run.write(PATTERNS, patterns_bytes(learner.evaluation.patterns))
        measured = learner.measure(SPEC(settings, run.path, game))
        row = {"games": learner.games, **measured, "surprise": round(surprise, 5)}
        run.log(row)
        run.write(STATE, learner.checkpoint())
        yield row


class Learner:
    """Weights that learn from the matches they are given."""

    def __init__(self, game: Game, values: Mapping[str, object], settings: Settings, seed: int):
        self.game, self.values, self.settings, self.seed = game, values, settings, seed
        self.players = settings.players or game.facts.players[0]
        game.check_setting(self.players, values)
        if settings.depth > 1:
            agent("alphabeta", game)  # refuses what cannot be searched
        patterns = new_patterns(game, self.players, values, settings.walks)
        count, units = game.names["TERMS"] + OWN_TERMS, _units(game, settings, patterns)
        self.evaluation = evaluation(game, _first_numbers(count, units, seed))._replace(patterns=patterns)
        self.coherence = Coherence(np.zeros_like(patterns.tables), np.zeros_like(patterns.tables))
        self.later, self.iterations, self.games = np.zeros(len(numbers_of(self.evaluation))), 0, 0
        self._alpha = settings.alpha if settings.alpha >= 0 else 0.5 if len(patterns.cells) else 0.1
        self._opening = settings.opening if settings.opening >= 0 else min(8, game.facts.max_plies // 5)
        self._mind = _new_mind(game, settings.depth, self.evaluation)
        self._course = _new_course(game, count, units, len(patterns.cells))

    @property
    def settled(self) -> np.ndarray:
        """The mean of the weights over the later part of the training, once that has begun: single ones still shake.
        Those beside patterns come to rest with them, and only mean something together."""
        count = self.iterations - self._calm
        is_mean = count > 0 and not len(self.evaluation.patterns.cells)
        return self.later / count if is_mean else numbers_of(self.evaluation)

    @property
    def _calm(self) -> int:
        """The iterations before that part: a half; with units, whose weights only mean something together, more."""
        total = TOTAL(self.settings)
        return total - max(1, total // 10) if len(self.evaluation.units) else total // 2

    def play(self) -> float:
        """Learn from the matches of one row of the log; how much they surprised."""
        surprises = list(self._by_time() if self.settings.minutes else self._by_count())
        self.iterations += 1
        if self.iterations > self._calm:
            self.later += numbers_of(self.evaluation)
        return float(np.concatenate(surprises).mean())

    def _by_count(self) -> Iterator[np.ndarray]:
        numbers = np.arange(self.games, min(self.games + _every(self.settings), self.settings.games))
        for piece in one_by_one(len(numbers)):
            yield self.learn_from(numbers[piece] / self.settings.games)

    def _by_time(self) -> Iterator[np.ndarray]:
        began, seconds, part = time.perf_counter(), 60 * self.settings.minutes / ROWS, 0.0
        for piece in one_by_one(1 << 62):
            yield self.learn_from(np.full(piece.stop - piece.start, (self.iterations + part) / ROWS))
            part = (time.perf_counter() - began) / seconds
            if part >= 1:
                return

    def learn_from(self, progress: np.ndarray) -> np.ndarray:
        """Play so many more matches, each at this part of the training, and learn; how much they surprised."""
        settings, games = self.settings, len(progress)
        words = match_words(word(self.seed, 1), np.arange(self.games, self.games + games), 0, self.players)
        states, surprises = self.game.start(words, self.players, self.values), np.zeros(games)
        alphas, run = self._alpha * (1 - 0.9 * progress), self.game.kernel(play_and_learn)
        run(states, words, settings.depth, settings.explore, self._opening, alphas, settings.trace, self._mind,
            self._course, self.coherence, surprises)  # fmt: skip
        self.games += games
        return surprises

    def measure(self, spec: str) -> dict[str, float]:
        """One ply by these weights in each seat in turn, random play in the others; always the same deals."""
        players = [agent(spec, self.game), agent("random", self.game)]
        seats = np.ones((RULER, self.players), np.int64)
        seats[np.arange(RULER), np.arange(RULER) % self.players] = 0
        words = match_words(word(self.seed, 2), np.arange(RULER), 0, self.players)
        states = self.game.start(words, self.players, self.values)
        play_to_the_end(self.game, players, states, seats, words, np.zeros(RULER, np.int64))
        payoffs = self.game.payoffs(states)[np.arange(RULER), np.arange(RULER) % self.players]
        rate = wilson(float(share(payoffs, self.players).sum()), RULER)
        return {"win_rate": round(rate.value, 4), "low": round(rate.low, 4), "high": round(rate.high, 4)}

    def checkpoint(self) -> bytes:
        content = io.BytesIO()
        np.savez_compressed(
            content, numbers=numbers_of(self.evaluation), later=self.later, iterations=self.iterations,
            games=self.games, tables=self.evaluation.patterns.tables, net=self.coherence.net,
            gross=self.coherence.gross,
        )  # fmt: skip
        return content.getvalue()

    def restore(self, content: bytes) -> int:
        """Take a checkpoint up; the number of iterations it holds."""
        with np.load(io.BytesIO(content)) as saved:
            numbers, tables = saved["numbers"], saved["tables"]
            self.later, self.iterations, self.games = saved["later"], int(saved["iterations"]), int(saved["games"])
            if len(numbers) != len(numbers_of(self.evaluation)) or len(tables) != len(self.coherence.net):
                raise Mismatch(f"the run has {len(numbers)} weights, the game {self.game.names['TERMS']} terms")
            pairs = [*zip(self.evaluation[:-1], evaluation(self.game, numbers)[:-1])]
            pairs += [(self.evaluation.patterns.tables, tables)]
            pairs += [(self.coherence.net, saved["net"]), (self.coherence.gross, saved["gross"])]
            for mine, theirs in pairs:
                mine[:] = theirs
        return self.iterations


def _units(game: Game, settings: Settings, patterns: Patterns) -> int:
    own = game.writes("terms") or len(patterns.cells)
    return settings.units if settings.units >= 0 else 0 if own else UNITS


def _first_numbers(count: int, units: int, seed: int) -> np.ndarray:
    """Terms that count nothing yet; units that are all different and count nothing either."""
    rows = np.random.default_rng(seed).normal(0, (2 / count) ** 0.5, (units, count + 1))
    rows[:, count] = 0.0
    return np.concatenate([np.zeros(count), rows.ravel()])


def _new_mind(game: Game, depth: int, judged: Evaluation) -> Mind:
    longest = game.facts.max_actions
    stack = new_stack(game, depth, np.zeros(1 << 10, ENTRY), judged)
    return Mind(looks_of(game, judged, 4), new_room(game), stack, np.empty(longest, np.int32), np.empty(longest),
                np.empty(depth, np.int32))  # fmt: skip


def _new_course(game: Game, terms: int, units: int, patterns: int) -> Course:
    rows = min(game.facts.max_plies, LONGEST), game.facts.players[1]
    return Course(
        np.zeros((*rows, terms), np.float32), np.zeros((*rows, units), np.float32),
        np.zeros((*rows, patterns), np.int32), np.zeros(rows), np.zeros(rows[0], np.bool_),
    )  # fmt: skip
