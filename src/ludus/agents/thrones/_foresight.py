"""Foresight: what becomes of the next steps if the rival is one that is known.

Against perfect play the hunted one of a small room is lost. But few rivals are perfect, and most do the same in the
same place, so a copy of them tells what they will do. Copies of known players are asked after each step for the
rival's next one. That which is right most of the time then answers a beam of lines, some steps deep: lines that it
kills are dropped, and of the others that whose end is worth most is begun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ludus.agent import Agent
from ludus.agents.thrones._hunt import flight, flights_of
from ludus.agents.thrones._minimax import Minimax
from ludus.agents.thrones._terms import (
    NEVER,
    for_search,
    is_fatal,
    reach_of_enemy,
    reach_of_walkers,
    steps_to_land,
    trail_cells,
    way_home,
)
from ludus.compile import rule, template
from ludus.game import Game
from ludus.games.thrones import COL_STEP, DRAW, MAX_CELLS, ROW_STEP, move, step
from ludus.rng import word
from ludus.rules import record

LOST, WON = -1e6, 1e6

OUTLOOK = record(
    run=np.float64, search=np.float64, way=np.float64, fear=np.float64, promise=np.float64, hold=np.float64,
    toss=np.float64, dare=np.float64,
)  # fmt: skip
WORTH = np.array([(0.8, 0.3, 0.3, 30.0, 1.0, 0.02, 1.0, 0.0)], OUTLOOK)
"""What the end of a line is valued by, in cells of land: a step that the hunted one can still run; a step to new land
from inside, and home from outside; somebody who is in time to cut it off; the share of a trail's land that counts
before it is closed. At each step of the line: a cell of its lead, another answer that coins may bring, after which the
line is left, and such a danger."""


# ------------------------------------------------------------------------------------------------ what an end is worth


@rule
def outlook(state, player, weights, flights, spare, cells, came, steps):
    """The lead in land, and what there will be if the player goes straight home; how long it can run counts, too."""
    if state.winner != 0:
        return (0.0 if state.winner == DRAW else WON if state.winner == 1 + player else LOST), 0
    worth = state.area[player] - state.area[1 - player] + weights.run * flight(state, player, flights)
    if state.inside[player] != 0:
        return worth - weights.search * min(steps_to_land(state, player), 12), 0
    way = way_home(state, player, -1, cells, came, steps)
    if way == NEVER:
        return worth - 100.0, 2
    spare[0] = state
    for k in range(way):
        move(spare[0], player, steps[k])
    won, lost = spare[0].area[player] - state.area[player], state.area[1 - player] - spare[0].area[1 - player]
    n = trail_cells(state, player, cells)
    threats = int(reach_of_enemy(state, player, cells, n) <= way) + int(reach_of_walkers(state, cells, n) <= way + 1)
    promise = weights.promise * (won + lost) - weights.fear * threats
    if threats > 0:  # nobody builds on land that somebody can cut off
        promise = min(promise, 0.0)
    return worth + promise - weights.way * way, threats


# ------------------------------------------------------------------------------------------------ lines


@template
def widen(states, player, children, parents, actions):
    """Every step of every line that does not kill who takes it; their number."""
    dice, both, found = np.zeros(1, np.uint64), np.full(2, -1, np.int32), 0
    for i in range(states.shape[0]):
        for action in range(4):
            if not is_fatal(states[i], player, action):
                children[found] = states[i]
                both[player] = action
                step(children[found], both, dice)
                parents[found], actions[found] = i, action
                found += 1
    return found


@template
def answer(states, player, answers, weights, flights, spare, values, held, keys):
    """The rival's answers; what each line is worth then, and a key that tells equal positions."""
    dice, both = np.zeros(1, np.uint64), np.full(2, -1, np.int32)
    cells, came, steps = np.empty(MAX_CELLS, np.int64), np.empty(MAX_CELLS, np.int64), np.empty(MAX_CELLS, np.int64)
    for i in range(states.shape[0]):
        if states[i].winner == 0:
            both[1 - player] = answers[i]
            step(states[i], both, dice)
        end, threats = outlook(states[i], player, weights[0], flights, spare, cells, came, steps)
        held[i] += weights[0].hold * (states[i].area[player] - states[i].area[1 - player]) - weights[0].dare * threats
        values[i] = end + held[i] if abs(end) < WON else end
        for cell in range(states[i].rows * states[i].cols):
            keys[i] = (keys[i] ^ np.uint64(states[i].board[cell])) * np.uint64(1099511628211)


@template
def settle(states):
    """No dice in a line."""
    for i in range(states.shape[0]):
        for_search(states[i])
        states[i].params.tie = 0


@template
def take_steps(states, players, actions):
    both, dice = np.full(2, -1, np.int32), np.zeros(1, np.uint64)
    for i in range(states.shape[0]):
        both[players[i]] = actions[i]
        step(states[i], both, dice)


# ------------------------------------------------------------------------------------------------ a match's memory

MOST_COPIES = 5
NOTE = record(
    line=np.uint32, answers=np.uint32, head=np.uint16, beliefs=(np.uint8, MOST_COPIES), said=(np.uint8, MOST_COPIES),
    left=np.uint8,
)  # fmt: skip
"""What is remembered: how far each copy is believed, less FIRST; the steps that each said may come next, as bits; where
the rival was; how many steps of a line are left, which, and what the rival answers to each and to the one before, two
bits each."""
NOTE_WORDS = NOTE.itemsize // 8
FIRST, TRUST, TRUST_TOSSED, SURE = 217, 179, 245, 255
LEARN = 16
"""A belief goes a sixteenth of the way to what was seen. From TRUST on a copy is asked; one that tosses coins at every
step says more than one thing at a time, so it must be right nearly always."""
SHARE = 4
"""A first step has one of so many parts of the beam for sure."""
CROWD = 3
"""Lines in one place of which it has as much for sure."""
BEGINNINGS = 4
"""Different first steps of lines that are tried against other answers."""
GLANCE = 12, 40
"""Steps and lines of such a trial."""
MOST_LEFT = 15
"""Steps that a note has room for."""


class Copy(NamedTuple):
    """A player that is known."""

    agent: Agent
    recollect: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    """What it remembers, a word at most, by its last step and whether it is inside; nothing without one."""
    tosses: int = 0
    """How often it is asked if it cannot say between which steps it tosses a coin: of its answers the worst counts."""
    dare: float = 0.1
    """What a danger costs at each step of a line, in cells of land: the more, the less sure the copy is."""
    deep: int = 99
    lines: int = 999
    """No more steps and lines than these are worth the time where the copy is not sure."""


class Option(NamedTuple):
    """What a copy may do in some of the positions that it was asked about."""

    rows: np.ndarray
    answers: np.ndarray
    memory: np.ndarray
    """What it remembers then."""


class Ends(NamedTuple):
    """Of lines, after the rival's answer."""

    states: np.ndarray
    answers: np.ndarray
    memory: np.ndarray
    held: np.ndarray
    values: np.ndarray
    keys: np.ndarray
    """Equal positions share one."""


class Foresight:
    """Copies of rivals, how well each foretold the rival of a match, and a beam of lines against the best."""

    def __init__(self, game: Game, copies: Sequence[Copy], deep: int, lines: int, walk: int):
        self.game, self.copies = game, copies
        self.deep, self.lines, self.walk = deep, lines, walk
        for copy in copies:
            copy.agent.prepare(game)

    def choose(self, views: np.ndarray, players: np.ndarray, near: np.ndarray, notes: np.ndarray) -> np.ndarray:
        """A step against the copy that fits the rival of each match; -1 where that is not near, none fits, or all lines
        die."""
        out, taken = np.full(len(views), -1, np.int32), last_steps(views, players, notes)
        best = self._recall(taken, notes)
        on = near & (best >= 0)
        notes["left"][~on | (taken != notes["answers"] & 3)] = 0
        for i in np.flatnonzero(on):
            if notes["left"][i] == 0:
                copy = self.copies[best[i]]
                line, answers = self.look(views[i : i + 1], int(players[i]), copy, taken[i : i + 1])
                write_line(notes[i], line[: self.walk if copy.tosses == 0 else 1], answers)
            if notes["left"][i] > 0:
                out[i] = take_off(notes[i])
        return out

    def _recall(self, taken: np.ndarray, notes: np.ndarray) -> np.ndarray:
        """Bring beliefs up to date. The copy that fits best, -1 for none."""
        beliefs, said = notes["beliefs"].astype(np.int64) ^ FIRST, notes["said"].astype(np.int64)
        right = (said >> np.maximum(taken, 0)[:, None] & 1 == 1) & (taken >= 0)[:, None]
        moved = np.rint(beliefs + (SURE * right - beliefs) / LEARN).astype(np.int64)
        tosses = np.array([copy.tosses > 0 for copy in self.copies] + [False] * (MOST_COPIES - len(self.copies)))
        tells = ~right | (said & (said - 1) == 0) | tosses  # to be right with one of several says little
        beliefs = np.where((said > 0) & tells, moved, beliefs)
        notes["beliefs"] = beliefs ^ FIRST
        needed = np.where(tosses, TRUST_TOSSED, TRUST)[: len(self.copies)]
        fits = np.where(beliefs[:, : len(needed)] >= needed, beliefs[:, : len(needed)] - needed, -1)
        return np.where(fits.max(axis=1) >= 0, fits.argmax(axis=1), -1)

    def expect(self, views: np.ndarray, players: np.ndarray, actions: np.ndarray, notes: np.ndarray) -> None:
        """Remember what each copy says the rival does after these steps."""
        states, rivals, taken = views.copy(), 1 - players, last_steps(views, players, notes)
        self.game.kernel(take_steps)(states, players, actions)
        notes["said"], notes["head"] = 0, views["head"][np.arange(len(views)), rivals]
        on = np.flatnonzero(states["winner"] == 0)
        for k, copy in enumerate(self.copies if len(on) else ()):
            memory = recollected(copy, views[on], rivals[on], taken[on])
            for rows, answers, _ in options(copy, states[on], rivals[on], memory):
                notes["said"][on[rows], k] |= (1 << answers).astype(np.uint8)

    # ------------------------------------------------------------------------------------------------ a beam of lines

    def look(self, view: np.ndarray, player: int, copy: Copy, taken: np.ndarray) -> tuple[Sequence[int], Sequence[int]]:
        """The best line after the rival's last step, and the answers to it; no steps if the copy kills at once whatever
        is done. A line is passed over whose first steps lead where another answer, that coins may bring, kills."""
        memory, states = recollected(copy, view, np.array([1 - player]), taken), view.copy()
        self.game.kernel(settle)(states)
        lines, _ = self._beam(states, player, copy, memory, min(self.deep, copy.deep), min(self.lines, copy.lines))
        best = lines[0]
        if copy.tosses == 0:
            beginnings = np.unique(lines[:, : self.walk].reshape(len(lines), -1), axis=0, return_index=True)[1]
            tried = (lines[k] for k in np.sort(beginnings)[:BEGINNINGS])
            best = next((line for line in tried if self._holds(states, player, copy, line[: self.walk])), best)
        return best[:, 0].tolist(), best[:, 1].tolist()

    def _beam(
        self, states: np.ndarray, player: int, copy: Copy, memory: np.ndarray, deep: int, most: int
    ) -> tuple[np.ndarray, bool]:
        """The best lines, the best first, and whether one lives to the end."""
        held, lines = np.zeros(1), np.zeros((1, 0, 2), np.int64)
        for _ in range(deep):
            children, parents, actions = self._children(states, player)
            ends = self._answered(children, player, copy, memory[parents], held[parents])
            order = self._best(ends, player, lines[parents, 0, 0] if lines.shape[1] else actions, most)
            if len(order) == 0:
                return lines, False
            steps = np.stack([actions, ends.answers], axis=1)
            lines = np.concatenate([lines[parents], steps[:, None]], axis=1)[order]
            states, memory, held = ends.states[order], ends.memory[order], ends.held[order]
            if ends.values[order[0]] >= WON:
                break
        return lines, True

    def _holds(self, states: np.ndarray, player: int, copy: Copy, line: np.ndarray) -> bool:
        """Whether a line can be gone on with wherever the rival's coins lead away from it."""
        me, rival, states = np.array([player]), np.array([1 - player]), states.copy()
        for action, answer in line:
            self.game.kernel(take_steps)(states, me, np.array([action]))
            if states["winner"][0] != 0:
                return True
            before = states.copy()
            for _, other, memory in options(copy, before, rival, np.zeros(1, np.uint64)):
                after = before.copy()
                self.game.kernel(take_steps)(after, rival, other)
                if other[0] == answer:
                    states = after
                elif after["winner"][0] == 1 + rival[0] or (
                    after["winner"][0] == 0 and not self._beam(after, player, copy, memory, *GLANCE)[1]
                ):
                    return False
        return True

    def _children(self, states: np.ndarray, player: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        children = np.empty(4 * len(states), states.dtype)
        parents, actions = np.empty((2, len(children)), np.int64)
        n = self.game.kernel(widen)(states, player, children, parents, actions)
        return children[:n], parents[:n], actions[:n]

    def _answered(self, states: np.ndarray, player: int, copy: Copy, memory: np.ndarray, held: np.ndarray) -> Ends:
        """Let the copy answer in every line; where it tosses coins, the answer counts that leaves least, and each other
        one costs something."""
        ends = self._ended(states, player, copy, np.zeros(len(states), np.int64), memory, held)
        open_yet, seen = np.flatnonzero(states["winner"] == 0), np.zeros(len(states), np.bool_)
        for some, answers, after in options(
            copy, states[open_yet], np.full(len(open_yet), 1 - player), memory[open_yet]
        ):
            rows = open_yet[some]
            other = self._ended(states[rows], player, copy, answers, after, held[rows])
            worse = ~seen[rows] | (other.values < ends.values[rows])
            split = rows[seen[rows] & (answers != ends.answers[rows])]
            seen[rows] = True
            for kept, new in zip(ends, other):
                kept[rows[worse]] = new[worse]
            ends.held[split] -= WORTH["toss"]
            ends.values[split] -= WORTH["toss"] * (np.abs(ends.values[split]) < WON)
        return ends

    def _ended(
        self, states: np.ndarray, player: int, copy: Copy, answers: np.ndarray, memory: np.ndarray, held: np.ndarray
    ) -> Ends:
        """Lines after these answers."""
        n = len(states)
        ends = Ends(states.copy(), answers, memory.copy(), held.copy(), np.empty(n), np.zeros(n, np.uint64))
        flights = flights_of(self.game, *states[["rows", "cols"]][0].tolist()) if n else np.zeros(1, np.int16)
        spare, worth = np.empty(1, states.dtype), WORTH.copy()
        worth["dare"] = copy.dare
        self.game.kernel(answer)(ends.states, player, answers, worth, flights, spare, ends.values, ends.held, ends.keys)
        return ends

    def _best(self, ends: Ends, player: int, firsts: np.ndarray, most: int) -> np.ndarray:
        """The lines that are gone on with, the best first: alive, no two in the same position, and of those that begin
        with the same step, or are in the same place, only so many that the others have room, too."""
        order = np.argsort(-ends.values, kind="stable")
        order = order[ends.values[order] > LOST]
        order = order[np.sort(np.unique(ends.keys[order], return_index=True)[1])]
        many = count_before(firsts[order]) >= max(1, most // SHARE)
        crowded = count_before(ends.states["head"][order, player]) >= CROWD
        kept = np.argsort(many | crowded, kind="stable")[:most]
        return order[np.sort(kept)]


def count_before(labels: np.ndarray) -> np.ndarray:
    """How many equal labels there are before each."""
    order = np.argsort(labels, kind="stable")
    ordered = labels[order]
    begins = np.searchsorted(ordered, ordered)
    counts = np.empty(len(labels), np.int64)
    counts[order] = np.arange(len(labels)) - begins
    return counts


def last_steps(views: np.ndarray, players: np.ndarray, notes: np.ndarray) -> np.ndarray:
    """The rival's, -1 before the first."""
    ways, now = ROW_STEP * views["cols"][:, None] + COL_STEP, views["head"][np.arange(len(views)), 1 - players]
    same = notes["head"][:, None] + ways == now[:, None]
    return np.where(same.any(axis=1), same.argmax(axis=1), -1)


def recollected(copy: Copy, views: np.ndarray, rivals: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """What a copy remembers after the rival's last step; nothing before the first."""
    if copy.recollect is None:
        return np.zeros(len(views), np.uint64)
    inside = views["inside"][np.arange(len(views)), rivals] != 0
    return np.where(taken < 0, 0, copy.recollect(np.maximum(taken, 0), inside)).astype(np.uint64)


def options(copy: Copy, states: np.ndarray, players: np.ndarray, memory: np.ndarray) -> Iterator[Option]:
    """Everything that a copy may do: first one answer in each position, then others where there are any."""
    rows = np.arange(len(states))
    if copy.tosses > 0:
        for toss in range(copy.tosses):
            yield Option(rows, *ask(copy.agent, states, players, memory, toss))
        return
    assert isinstance(copy.agent, Minimax)  # all others are asked
    left = copy.agent.equals(states, players)
    while len(rows):
        lowest = left[rows] & -left[rows]
        yield Option(rows, np.log2(lowest).astype(np.int64), memory[rows])
        left[rows] ^= lowest
        rows = rows[left[rows] != 0]


def ask(
    copy: Agent, states: np.ndarray, players: np.ndarray, memory: np.ndarray, toss: int
) -> tuple[np.ndarray, np.ndarray]:
    """What a copy does, and remembers then; always the same for the same toss."""
    words = np.zeros((len(states), 1 + copy.memory), np.uint64)
    words[:, 0] = word(toss, 0)
    words[:, 1:] = memory[:, None]
    return copy.act_many(states, players, words), words[:, -1]


def write_line(note: np.void, steps: Sequence[int], answers: Sequence[int]) -> None:
    """Remember a line; its first answer comes after its first step, so the place before that is empty."""
    note["left"] = len(steps)
    note["line"] = sum(action << 2 * k for k, action in enumerate(steps))
    note["answers"] = sum(action << 2 * k for k, action in enumerate(answers[: len(steps)])) << 2


def take_off(note: np.void) -> int:
    """The next step of a line, which is then forgotten."""
    action = int(note["line"]) & 3
    note["left"], note["line"], note["answers"] = note["left"] - 1, note["line"] >> 2, note["answers"] >> 2
    return action
