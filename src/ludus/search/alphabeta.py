"""Alpha-beta: iterative deepening with a transposition table, killer moves and move history.

Values are returns of the *root player*, whoever moves: the root player maximises, everybody else minimises. So a player
who moves twice running needs no care, and with more than two players the search is paranoid. The search keeps its own
stack of positions: recursion would spread every array argument over the machine's stack at each call (half the speed).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.rng import blend, shuffle, stream
from ludus.rules import HAS_HEURISTIC, SEATS, heuristic, legal, record, returns, step, to_act

EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # what a stored value says; 0 marks an empty entry
ENTRY = record(key=np.uint64, worth=np.float64, best=np.int32, depth=np.int16, bound=np.int8, cut=np.int8)
FRAME = record(
    key=np.uint64, alpha=np.float64, beta=np.float64, low=np.float64, high=np.float64, worth=np.float64,
    best=np.int32, mover=np.int32, count=np.int32, tried=np.int32, cut=np.int32,
)  # fmt: skip
# low and high are the window that the node was entered with; alpha and beta narrow as its moves are tried; cut is 1 if
# the worth rests on leaves that were valued because the search goes no deeper, and 0 if it holds at any depth

HISTORY = 4096  # cells a player; actions share cells where a game has more
PROVEN = 0.9995  # heuristics are clipped below it, so a greater value is a forced win
DELAY = 2.0**-24  # what a ply costs of a win: a power of two, so that plies can be added and taken off without rounding
DEEPEST = 4000  # so many plies do not add up to the difference between a win and a heuristic
NODES, PLY = 0, 1  # where a search is: positions entered, and the node at hand; BEGIN and DONE are before and after
BEGIN, DONE = -1, -2


class Stack(NamedTuple):
    """The memory of a search to some depth: one row a ply, and what all depths share."""

    states: np.ndarray  # State[1 + depth]
    words64: np.ndarray  # uint64[1 + depth, …]: the same memory, for hashing
    frames: np.ndarray  # FRAME[1 + depth]
    menus: np.ndarray  # int32[1 + depth, MAX_ACTIONS]
    ranks: np.ndarray  # int64[1 + depth, MAX_ACTIONS]
    killers: np.ndarray  # int32[1 + depth, 2]
    history: np.ndarray  # int64[SEATS, HISTORY]
    table: np.ndarray  # ENTRY[a power of two]
    counters: np.ndarray  # int64[2]
    actions: np.ndarray  # int32[SEATS]
    values: np.ndarray  # float64[SEATS]


@template
def key_of(words64, row):
    key = np.uint64(0x9E3779B97F4A7C15)
    for k in range(words64.shape[1]):
        key = blend(key, words64[row, k])
    return key


@template
def player_of(mask):
    player = 0
    while mask >> player & 1 == 0:
        player += 1
    return player


@template
def delayed(worth, plies):
    """The worth of what comes so many plies later: quick wins are better than slow ones, slow losses than quick ones.

    The table keeps wins and losses as seen from the position itself, since the root may be near or far.
    """
    if worth > PROVEN:
        return worth - plies * DELAY
    if worth < -PROVEN:
        return worth + plies * DELAY
    return worth


@template
def leaf_value(state, root):
    if not HAS_HEURISTIC:
        return 0.0
    return min(max(heuristic(state, root), -0.999), 0.999)


@template
def home_of(table, key):
    """The first of a position's two places in the table. It keeps the deepest search, the other the latest."""
    return np.int64(key >> np.uint64(1)) & (table.shape[0] - 2)


@template
def find(table, key):
    """Where the position is in the table; -1 if it is not there."""
    home = home_of(table, key)
    for slot in (home, home + 1):
        if table[slot].key == key and table[slot].bound != 0:
            return slot
    return -1


@template
def look_up(table, frame, depth, ply):
    """Take what the table knows of the node; true if that settles it within its window."""
    slot = find(table, frame.key)
    if slot < 0:
        return False
    entry = table[slot]
    frame.best = entry.best
    if entry.cut and entry.depth < depth:
        return False
    frame.worth, frame.cut = delayed(entry.worth, ply), entry.cut
    if entry.bound == AT_LEAST:
        return frame.worth >= frame.beta
    if entry.bound == AT_MOST:
        return frame.worth <= frame.alpha
    return True


@template
def keep(table, frame, depth, ply):
    """Store what the node's search has shown."""
    slot = home_of(table, frame.key)
    if table[slot].depth > depth and table[slot].key != frame.key:
        slot += 1
    entry = table[slot]
    entry.key = frame.key
    entry.worth = delayed(frame.worth, -ply)
    entry.best = frame.best
    entry.depth = depth
    entry.bound = AT_MOST if frame.worth <= frame.low else AT_LEAST if frame.worth >= frame.high else EXACT
    entry.cut = frame.cut


@template
def rank_moves(frame, menu, ranks, killers, history):
    """The stored best move first, then moves that refuted siblings, then by history."""
    for k in range(frame.count):
        action = menu[k]
        rank = history[frame.mover, action & (HISTORY - 1)]
        if action == frame.best:
            rank = np.int64(1) << 62
        elif action == killers[0]:
            rank = np.int64(1) << 61
        elif action == killers[1]:
            rank = np.int64(1) << 60
        ranks[k] = rank


@template
def next_move(frame, menu, ranks):
    """Bring the best-ranked untried move to the front of those left, and take it."""
    first = frame.tried
    best = first
    for k in range(first + 1, frame.count):
        if ranks[k] > ranks[best]:
            best = k
    menu[first], menu[best] = menu[best], menu[first]
    ranks[first], ranks[best] = ranks[best], ranks[first]
    frame.tried += 1
    return menu[first]


@template
def enter(stack, ply, depth, root):
    """Look at a new node; true if its worth is settled without trying its moves."""
    state, frame = stack.states[ply], stack.frames[ply]
    stack.counters[NODES] += 1
    mask = to_act(state)
    if mask == 0:
        returns(state, stack.values)
        frame.worth, frame.cut = delayed(stack.values[root], ply), 0
        return True
    if ply == depth:
        frame.worth, frame.cut = leaf_value(state, root), 1
        return True
    frame.key = key_of(stack.words64, ply)
    frame.low, frame.high, frame.best, frame.tried = frame.alpha, frame.beta, -1, 0
    if look_up(stack.table, frame, depth - ply, ply) and ply > 0:
        return True
    frame.mover = player_of(mask)
    frame.worth, frame.cut = -np.inf if frame.mover == root else np.inf, 0
    if ply > 0:
        frame.count = legal(state, frame.mover, stack.menus[ply])
    rank_moves(frame, stack.menus[ply], stack.ranks[ply], stack.killers[ply], stack.history)
    return False


@template
def absorb(frame, child, action, root):
    """A move's worth narrows the window; true if no other move matters any more."""
    if frame.mover == root:
        if child.worth > frame.worth:
            frame.worth, frame.best = child.worth, action
        frame.alpha = max(frame.alpha, frame.worth)
    else:
        if child.worth < frame.worth:
            frame.worth, frame.best = child.worth, action
        frame.beta = min(frame.beta, frame.worth)
    refuted = frame.alpha >= frame.beta
    frame.cut = child.cut if refuted else frame.cut | child.cut  # a refutation needs no other move
    return refuted


@template
def remember(frame, action, depth, killers, history):
    """This move refuted its node: try it early elsewhere."""
    if killers[0] != action:
        killers[1], killers[0] = killers[0], action
    history[frame.mover, action & (HISTORY - 1)] += depth * depth


@template
def retreat(stack, ply, depth, root, settled):
    """The node is done: store it, and hand its worth to the parent."""
    frame = stack.frames[ply]
    if not settled:
        keep(stack.table, frame, depth - ply, ply)
    if ply > 0:
        above = ply - 1
        parent = stack.frames[above]
        action = stack.menus[above, parent.tried - 1]
        if absorb(parent, frame, action, root):
            remember(parent, action, depth - above, stack.killers[above], stack.history)
            parent.tried = parent.count


@template
def try_next(stack, ply, depth, root, rng):
    """Try the node's next move; true if its worth is settled at once."""
    frame, actions = stack.frames[ply], stack.actions
    for seat in range(SEATS):
        actions[seat] = -1
    actions[frame.mover] = next_move(frame, stack.menus[ply], stack.ranks[ply])
    stack.states[ply + 1] = stack.states[ply]
    step(stack.states[ply + 1], actions, rng)
    stack.frames[ply + 1].alpha, stack.frames[ply + 1].beta = frame.alpha, frame.beta
    return enter(stack, ply + 1, depth, root)


@template
def search_to(stack, depth, root, budget, rng):
    """Search the first position to a fixed depth, or go on where the budget ended last time. The answer is in the first
    frame; its menu must be filled in."""
    frames, counters = stack.frames, stack.counters
    ply, settled = counters[PLY], False
    if ply == BEGIN:
        ply = 0
        frames[0].alpha, frames[0].beta = -np.inf, np.inf
        enter(stack, 0, depth, root)
    while True:
        if settled or frames[ply].tried == frames[ply].count:
            retreat(stack, ply, depth, root, settled)
            if ply == 0:
                counters[PLY] = DONE
                return
            ply -= 1
            settled = False
        elif counters[NODES] >= budget:
            counters[PLY] = ply
            return
        else:
            settled = try_next(stack, ply, depth, root, rng)
            ply += 1


@template
def stored_move(table, key):
    slot = find(table, key)
    return table[slot].best if slot >= 0 else -1


@template
def follow(states, words64, table, action, actions, rng, line):
    """Write the line that begins with `action` and goes on as far as the table knows; its length."""
    length = 0
    mask = to_act(states[0])
    while mask != 0 and action >= 0 and length < line.shape[0]:
        for seat in range(SEATS):
            actions[seat] = -1
        actions[player_of(mask)] = action
        line[length] = action
        length += 1
        step(states[0], actions, rng)
        mask = to_act(states[0])
        action = stored_move(table, key_of(words64, 0))
    return length


@template
def mix(rng, menu):
    shuffle(rng, menu, menu.shape[0])


class Deepening:
    """The memory of one search, deepened step by step."""

    def __init__(self, game: Game, views: np.ndarray, player: int, menu: np.ndarray, table_bits: int):
        self.game, self.views, self.player, self.menu = game, views, player, menu
        self.stack: Stack
        self.table = np.zeros(1 << table_bits, ENTRY)
        self.history = np.zeros((game.facts.players[1], HISTORY), np.int64)
        self.counters = np.zeros(2, np.int64)
        self.best, self.value, self.reached = int(menu[0]), 0.0, 0

    @property
    def nodes(self) -> int:
        return int(self.counters[NODES])

    @property
    def is_decided(self) -> bool:
        """Whether looking deeper can change nothing."""
        return abs(self.value) > PROVEN or not self.stack.frames[0].cut

    def begin(self, depth: int) -> None:
        """Make room for a search to this depth."""
        longest, seats = self.game.facts.max_actions, self.game.facts.players[1]
        states = np.zeros(depth + 1, self.game.state_type)
        states[0] = self.views[0]
        self.stack = Stack(
            states,
            states.view(np.uint64).reshape(depth + 1, -1),
            np.zeros(depth + 1, FRAME),
            np.empty((depth + 1, longest), np.int32),
            np.empty((depth + 1, longest), np.int64),
            np.full((depth + 1, 2), -1, np.int32),
            self.history,
            self.table,
            self.counters,
            np.empty(seats, np.int32),
            np.zeros(seats),
        )
        self.stack.menus[0, : len(self.menu)] = self.menu
        self.stack.frames[0].count = len(self.menu)
        self.depth, self.counters[PLY] = depth, BEGIN

    def go_on(self, budget: int) -> bool:
        """Search until so many positions were entered in all; true if this depth is finished."""
        self.game.kernel(search_to)(self.stack, self.depth, self.player, budget, stream(0))
        root, finished = self.stack.frames[0], bool(self.counters[PLY] == DONE)
        if root.best >= 0 and root.worth > -np.inf:  # the best so far of a broken search is better than what it was
            self.best, self.value = int(root.best), float(root.worth)
        if finished:
            self.reached = self.depth
        return finished

    def line(self) -> list[int]:
        """The answer, and what is then expected."""
        states = self.views.copy()
        line, actions = np.empty(64, np.int32), np.empty(self.game.facts.players[1], np.int32)
        walk = self.game.kernel(follow)
        length = walk(states, states.view(np.uint64).reshape(1, -1), self.table, self.best, actions, stream(0), line)
        return line[:length].tolist()
