"""Alpha-beta: iterative deepening, principal variations first, with a transposition table and forcing moves at the end.

Values are returns of the *root player*, whoever moves: the root player maximises, everybody else minimises. So a player
who moves twice running needs no care, and with more than two players the search is paranoid. Then it can also be left
to one rival at a time to reply (*best reply*): between two moves of the root player one rival tries all its moves, the
one whose reply hurts most, and the others do the usual. That is less afraid, and looks deeper. The search keeps its own
stack of positions: recursion would spread every array argument over the machine's stack at each call (half the speed).

The first move of a node gets the whole window. Of the others it is only asked whether they are better at all, in a
window without width (a *scout*), late ones at less depth; one that surprises is searched again as it deserves. Where
the depth ends and the game names forcing moves (`forcing`), these are followed until the position is at rest, and the
player on move may always stop. Each deepening expects about the value of the last, and opens its window if it errs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.rng import blend, shuffle, stream
from ludus.rules import FORCES, SEATS, forcing, legal, record, returns, step, to_act
from ludus.search.borrowed import borrow
from ludus.search.evaluation import Evaluation, estimate, is_judged
from ludus.search.table import DELAY, ENTRY, PROVEN, delayed, keep, key_of, look_up, stored_move

FRAME = record(
    key=np.uint64, alpha=np.float64, beta=np.float64, low=np.float64, high=np.float64, worth=np.float64,
    best=np.int32, mover=np.int32, count=np.int32, tried=np.int32, cut=np.int32, left=np.int32, asked=np.int32,
    usual=np.int32, replied=np.int32,
)  # fmt: skip
# low and high are the window that the node was entered with; alpha and beta narrow as its moves are tried; cut is 1 if
# the worth rests on leaves that were valued because the search goes no deeper, and 0 if it holds at any depth; left is
# how deep the node is searched, below 1 by forcing moves only; usual is what the mover does if another rival replies,
# and replied whether one has; asked is what is asked of the move at hand:
WHOLE, SCOUT, SHALLOW = 0, 1, 2

HISTORY = 4096  # cells a player; actions share cells where a game has more
NARROW = DELAY / 256  # the width of a window in which a move is only compared
EXPECTED = 0.03  # how far from the last depth's value the next one's is looked for
MANY = 3  # moves of a node before the others count as late
NODES, PLY = 0, 1  # where a search is: positions entered, and the node at hand; BEGIN and DONE are before and after
ONE_REPLIES = 2  # beside them: whether between two moves of the root player only one rival replies
BEGIN, DONE = -1, -2

BEST, FORCED, KILLERS = np.int64(1) << 62, np.int64(1) << 58, np.int64(1) << 57


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
    counters: np.ndarray  # int64[3]
    actions: np.ndarray  # int32[SEATS]
    values: np.ndarray  # float64[SEATS]
    evaluation: Evaluation


@template
def player_of(mask):
    player = 0
    while mask >> player & 1 == 0:
        player += 1
    return player


@template
def leaf_value(state, root, evaluation):
    if not is_judged(evaluation):
        return 0.0
    return min(max(estimate(state, root, evaluation), -0.999), 0.999)


# ------------------------------------------------------------------------------------------------ the order of moves


@template
def rank_moves(state, frame, menu, ranks, killers, history):
    """The stored best move first, then forcing ones, moves that refuted siblings, and the others by history."""
    for k in range(frame.count):
        action = menu[k]
        force = forcing(state, frame.mover, action) if FORCES else 0
        if action == frame.best:
            ranks[k] = BEST
        elif force > 0:
            ranks[k] = FORCED + force
        elif action == killers[0] or action == killers[1]:
            ranks[k] = KILLERS + (action == killers[0])
        else:
            ranks[k] = history[frame.mover, action & (HISTORY - 1)]


@template
def keep_forcing(state, frame, menu, ranks):
    """Only the forcing moves of a menu, ranked; how many."""
    kept = 0
    for k in range(frame.count):
        force = forcing(state, frame.mover, menu[k])
        if force > 0:
            menu[kept], ranks[kept] = menu[k], force
            kept += 1
    return kept


@template
def usual_move(state, frame, menu, history):
    """What a player does whom nobody expects to reply: the move that forces most, else what is good elsewhere."""
    best, most = menu[0], np.int64(-1)
    for k in range(frame.count):
        force = np.int64(forcing(state, frame.mover, menu[k])) if FORCES else np.int64(0)
        rank = (force << 40) + history[frame.mover, menu[k] & (HISTORY - 1)]
        if rank > most:
            best, most = menu[k], rank
    return best


@template
def next_move(frame, menu, ranks):
    """Bring the best-ranked untried move to the front of those left, and take it; its rank."""
    first = frame.tried
    best = first
    for k in range(first + 1, frame.count):
        if ranks[k] > ranks[best]:
            best = k
    menu[first], menu[best] = menu[best], menu[first]
    ranks[first], ranks[best] = ranks[best], ranks[first]
    frame.tried += 1
    return ranks[first]


@template
def remember(frame, action, killers, history):
    """This move refuted its node: try it early elsewhere."""
    if killers[0] != action:
        killers[1], killers[0] = killers[0], action
    history[frame.mover, action & (HISTORY - 1)] += frame.left * frame.left


# ------------------------------------------------------------------------------------------------ one node


@template
def enter(stack, ply, forced, root):
    """Look at a node; true if its worth is settled without trying its moves."""
    state, frame = stack.states[ply], stack.frames[ply]
    stack.counters[NODES] += 1
    mask = to_act(state)
    if mask == 0:
        returns(state, stack.values)
        frame.worth, frame.cut = delayed(stack.values[root], ply), 0
        return True
    frame.best, frame.usual, frame.tried, frame.mover = -1, -1, 0, player_of(mask)
    if frame.mover == root:
        frame.replied = 0
    if frame.left <= 0:
        return come_to_rest(stack, ply, forced, root)
    frame.key = key_of(stack.words64, ply)
    if frame.replied:
        frame.key = blend(frame.key, np.uint64(1))  # who may still reply is part of the position
    frame.low, frame.high = frame.alpha, frame.beta
    if look_up(stack.table, frame, ply) and ply > 0:
        return True
    frame.worth, frame.cut = -np.inf if frame.mover == root else np.inf, 0
    if ply > 0:
        frame.count = legal(state, frame.mover, stack.menus[ply])
    if stack.counters[ONE_REPLIES] and frame.mover != root:
        take_turns(stack, ply)
    rank_moves(state, frame, stack.menus[ply], stack.ranks[ply], stack.killers[ply], stack.history)
    return False


@template
def take_turns(stack, ply):
    """The rival on move has a usual move, and no other one if a rival has replied before it."""
    frame, menu = stack.frames[ply], stack.menus[ply]
    frame.usual = usual_move(stack.states[ply], frame, menu, stack.history)
    if frame.replied:
        menu[0], frame.count = frame.usual, 1


@template
def come_to_rest(stack, ply, forced, root):
    """The depth is used up: the position is worth what it looks like, unless forcing moves make it better for who is
    on move. True if there are none to try."""
    state, frame = stack.states[ply], stack.frames[ply]
    frame.worth, frame.cut = leaf_value(state, root, stack.evaluation), 1
    if not FORCES or frame.replied or -frame.left >= forced:
        return True
    if frame.mover == root:
        frame.alpha = max(frame.alpha, frame.worth)
    else:
        frame.beta = min(frame.beta, frame.worth)
    if frame.alpha >= frame.beta:
        return True
    frame.count = legal(state, frame.mover, stack.menus[ply])
    frame.count = keep_forcing(state, frame, stack.menus[ply], stack.ranks[ply])
    return frame.count == 0


@template
def ask(frame, child, root):
    """Set the child's window by what its parent asks of it."""
    child.alpha, child.beta = frame.alpha, frame.beta
    if frame.asked != WHOLE and frame.mover == root:
        child.beta = frame.alpha + NARROW
    elif frame.asked != WHOLE:
        child.alpha = frame.beta - NARROW


@template
def try_next(stack, ply, forced, root, reduce, rng):
    """Try the node's next move; true if its worth is settled at once."""
    frame, child, actions = stack.frames[ply], stack.frames[ply + 1], stack.actions
    rank = next_move(frame, stack.menus[ply], stack.ranks[ply])
    for seat in range(SEATS):
        actions[seat] = -1
    action = stack.menus[ply, frame.tried - 1]
    actions[frame.mover] = action
    is_reply = stack.counters[ONE_REPLIES] and frame.mover != root and action != frame.usual
    child.replied = 1 if is_reply else frame.replied
    stack.states[ply + 1] = stack.states[ply]
    step(stack.states[ply + 1], actions, rng)
    frame.asked, child.left = WHOLE, frame.left - 1
    if frame.tried > 1 and frame.left > 1 and frame.beta - frame.alpha > NARROW:
        frame.asked = SCOUT
    if reduce and rank < KILLERS and frame.tried > MANY and frame.left > 2:
        frame.asked, child.left = SHALLOW, child.left - (1 if frame.tried <= 4 * MANY or frame.left < 6 else 2)
    ask(frame, child, root)
    return enter(stack, ply + 1, forced, root)


@template
def surprises(frame, child, root):
    """Whether a move that was only compared turns out better than what its node has; it is then asked more."""
    if frame.asked == WHOLE:
        return False
    better = child.worth > frame.alpha if frame.mover == root else child.worth < frame.beta
    if frame.asked == SHALLOW:
        child.left = frame.left - 1
        frame.asked = SCOUT if frame.beta - frame.alpha > NARROW else WHOLE
        return better
    inside = child.worth < frame.beta if frame.mover == root else child.worth > frame.alpha
    frame.asked = WHOLE
    return better and inside


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
def hand_over(stack, ply, root):
    """The node above takes a move's worth."""
    parent = stack.frames[ply]
    action = stack.menus[ply, parent.tried - 1]
    if absorb(parent, stack.frames[ply + 1], action, root):
        if parent.left > 0:
            remember(parent, action, stack.killers[ply], stack.history)
        parent.tried = parent.count


# ------------------------------------------------------------------------------------------------ a whole search


@template
def errs(frame):
    """Whether the root's worth lies outside the window that was expected; opens it on that side."""
    if frame.low < frame.worth < frame.high:
        return False
    opened = (frame.worth <= frame.low and frame.low > -np.inf) or (frame.worth >= frame.high and frame.high < np.inf)
    frame.alpha = -np.inf if frame.worth <= frame.low else frame.low
    frame.beta = np.inf if frame.worth >= frame.high else frame.high
    return opened


@template
def search_to(stack, depth, root, reduce, budget, rng):
    """Search the first position to a depth, or go on where the budget ended last time. The answer is in the first
    frame; its menu and its window must be filled in."""
    stack = borrow(stack)
    frames, counters, forced = stack.frames, stack.counters, stack.frames.shape[0] - 1 - depth
    ply, settled = counters[PLY], False
    if ply == BEGIN:
        ply = 0
        frames[0].left = depth
        enter(stack, 0, forced, root)
    while True:
        if settled or frames[ply].tried == frames[ply].count:
            if not settled and frames[ply].left > 0:
                keep(stack.table, frames[ply], ply)
            if ply > 0 and surprises(frames[ply - 1], frames[ply], root):
                ask(frames[ply - 1], frames[ply], root)
                settled = enter(stack, ply, forced, root)
            elif ply > 0:
                ply -= 1
                hand_over(stack, ply, root)
                settled = False
            elif errs(frames[0]):
                enter(stack, 0, forced, root)
            else:
                counters[PLY] = DONE
                return
        elif counters[NODES] >= budget:
            counters[PLY] = ply
            return
        else:
            settled = try_next(stack, ply, forced, root, reduce, rng)
            ply += 1


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


def new_stack(game: Game, plies: int, table: np.ndarray, evaluation: Evaluation) -> Stack:
    """Room for a search so many plies deep, forcing moves included."""
    longest, seats, rows = game.facts.max_actions, game.facts.players[1], plies + 1
    states = np.zeros(rows, game.state_type)
    return Stack(
        states, states.view(np.uint64).reshape(rows, -1), np.zeros(rows, FRAME),
        np.empty((rows, longest), np.int32), np.empty((rows, longest), np.int64), np.full((rows, 2), -1, np.int32),
        np.zeros((seats, HISTORY), np.int64), table, np.zeros(3, np.int64),
        np.empty(seats, np.int32), np.zeros(seats), evaluation,
    )  # fmt: skip


class Deepening:
    """The memory of one search, deepened step by step."""

    def __init__(
        self, game: Game, views: np.ndarray, player: int, menu: np.ndarray, table_bits: int, evaluation: Evaluation,
        forced: int = 0, reduce: bool = False, one_replies: bool = False,
    ):  # fmt: skip
        self.game, self.views, self.player, self.menu = game, views, player, menu
        self.forced, self.reduce, self.evaluation = forced if game.writes("forcing") else 0, reduce, evaluation
        self.stack = new_stack(game, 1 + self.forced, np.zeros(1 << table_bits, ENTRY), evaluation)
        self.stack.counters[ONE_REPLIES] = one_replies
        self.best, self.value, self.reached = int(menu[0]), 0.0, 0

    @property
    def nodes(self) -> int:
        return int(self.stack.counters[NODES])

    @property
    def is_decided(self) -> bool:
        """Whether looking deeper can change nothing."""
        return abs(self.value) > PROVEN or not self.stack.frames[0].cut

    def begin(self, depth: int) -> None:
        """Make room for a search to this depth; what was learnt of moves and positions stays."""
        before = self.stack
        fresh = new_stack(self.game, depth + self.forced, before.table, self.evaluation)
        self.stack = fresh._replace(history=before.history, counters=before.counters)
        self.stack.states[0] = self.views[0]
        self.stack.menus[0, : len(self.menu)] = self.menu
        root = self.stack.frames[0]
        root.count, root.alpha, root.beta = len(self.menu), -np.inf, np.inf
        if self.reached > 2 and abs(self.value) < PROVEN:
            root.alpha, root.beta = self.value - EXPECTED, self.value + EXPECTED
        self.depth, self.stack.counters[PLY] = depth, BEGIN

    def go_on(self, budget: int) -> bool:
        """Search until so many positions were entered in all; true if this depth is finished."""
        self.game.kernel(search_to)(self.stack, self.depth, self.player, self.reduce, budget, stream(0))
        root, finished = self.stack.frames[0], bool(self.stack.counters[PLY] == DONE)
        if root.best >= 0 and root.worth > root.low:  # the best so far of a broken search is better than what it was
            self.best, self.value = int(root.best), float(root.worth)
        if finished:
            self.reached = self.depth
        return finished

    def line(self) -> list[int]:
        """The answer, and what is then expected."""
        states = self.views.copy()
        line, actions, table = np.empty(64, np.int32), np.empty(self.game.facts.players[1], np.int32), self.stack.table
        walk = self.game.kernel(follow)
        length = walk(states, states.view(np.uint64).reshape(1, -1), table, self.best, actions, stream(0), line)
        return line[:length].tolist()
