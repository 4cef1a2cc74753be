"""Fixed-depth alpha-beta for the scripted players of Thrones, who differ in three things only: the moves that they do
not look at, the transition that they believe in, and what a leaf is worth to them.

Values are from the side of the player at the root. A match that is over after d plies is worth ±WON / (d + 1).
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from ludus.agent import Agent
from ludus.agents.thrones._leaf import WEIGHTS, assistant_value, explicit_value, root_terms, threatens
from ludus.agents.thrones._net import NET_SIZE, Net, network_value, new_net
from ludus.agents.thrones._terms import UP, any_of, for_search, is_fatal
from ludus.compile import rule, template
from ludus.games.thrones import DRAW, FROZEN, MAX_CELLS, mover, step
from ludus.search.borrowed import borrow

TA1, BOT1, BOT2 = range(3)
WON = 1e6
TIE = 1e-9
"""Values closer than this are equal: the same parts, added in another order."""


part = rule(inline="always")
"""A rule that is compiled into its callers: handing on all the arrays of a search takes longer than what it does."""


class Search(NamedTuple):
    """The line that is being looked at, one row a level, and what a player brings to judge it."""

    states: np.ndarray
    """One more than there are levels: the last is for trying a move out."""
    actions: np.ndarray
    menu: np.ndarray
    moves: np.ndarray
    place: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    best: np.ndarray
    weights: np.ndarray
    net: Net
    cells: np.ndarray
    queue: np.ndarray
    seen: np.ndarray


def new_search(state_type: np.dtype, depth: int, weights: np.ndarray | None = None, numbers: np.ndarray | None = None):
    levels = depth + 1
    return Search(
        states=np.zeros(levels + 1, state_type), actions=np.empty(2, np.int32), menu=np.zeros((levels, 4), np.int64),
        moves=np.zeros(levels, np.int64), place=np.zeros(levels, np.int64),
        alpha=np.zeros(levels), beta=np.zeros(levels), best=np.zeros(levels),
        weights=np.zeros(1, WEIGHTS) if weights is None else weights,
        net=new_net(np.zeros(NET_SIZE) if numbers is None else numbers),
        cells=np.zeros(MAX_CELLS, np.int64), queue=np.zeros(MAX_CELLS, np.int64), seen=np.zeros(MAX_CELLS, np.int8),
    )  # fmt: skip


@part
def list_moves(search, level, who, root_player):
    """Write the moves worth a look at this level; none if every one is fatal."""
    state, out, n = search.states[level], search.menu[level], 0
    player = mover(state)
    all_count = who != TA1 and player != root_player  # the published bots prune their own moves only
    for action in range(4):
        if all_count or not is_fatal(state, player, action):
            out[n] = action
            n += 1
    if who != TA1 and not all_count:
        n = drop_dangers(search, state, player, out, n)
    search.moves[level], search.place[level] = n, 0


@part
def drop_dangers(search, state, player, out, n):
    """Move dangerous moves behind the others; the number of others, or of all if there are no others."""
    kept, spare = 0, search.states[-1:]
    for k in range(n):
        if not threatens(state, player, out[k], search.weights[0], spare, search.cells, search.queue, search.seen):
            held = out[kept]
            out[kept], out[k] = out[k], held
            kept += 1
    return kept if kept > 0 else n


@part
def value_of(search, state, plies, who, player, base):
    """What a position is worth to the player at the root."""
    if state.winner == DRAW:
        return 0.0
    if state.winner != 0:
        return (WON if state.winner == 1 + player else -WON) / (plies + 1)
    if who == TA1:
        return assistant_value(state, player, search.cells, search.queue, search.seen)
    if who == BOT1:
        return explicit_value(state, player, search.weights[0], base, search.cells, search.queue, search.seen)
    return network_value(state, player, search.net, base, search.cells)


@part
def go_down(search, level, dice):
    """Take the next move of this level; the position lies on the next one."""
    player = mover(search.states[level])
    search.states[level + 1] = search.states[level]
    search.actions[player] = search.menu[level, search.place[level]]
    search.actions[1 - player] = -1
    search.place[level] += 1
    step(search.states[level + 1], search.actions, dice)


@part
def open_level(search, level, who, player):
    list_moves(search, level, who, player)
    # At the root equal values must be told from worse ones, so the window below it is a little wider.
    search.alpha[level] = search.alpha[level - 1] - (TIE if level == 1 else 0.0)
    search.beta[level] = search.beta[level - 1]
    search.best[level] = -np.inf if mover(search.states[level]) == player else np.inf


@part
def take_value(search, level, player, value):
    """Put a value to the move that led to it; the rest of the level is skipped if it cannot matter."""
    if mover(search.states[level]) == player:
        search.best[level] = max(search.best[level], value)
        search.alpha[level] = max(search.alpha[level], value)
    else:
        search.best[level] = min(search.best[level], value)
        search.beta[level] = min(search.beta[level], value)
    if level > 0 and search.alpha[level] >= search.beta[level]:
        search.place[level] = search.moves[level]


@part
def close_level(search, level, player):
    """The value of a level that is done."""
    if search.moves[level] > 0:
        return search.best[level]
    return (-WON if mover(search.states[level]) == player else WON) / (level + 1)


@rule
def value_moves(search, view, player, who, depth, values):
    """Fill `values` with what each of the four actions is worth, -inf for those not looked at."""
    values[:] = -np.inf
    dice = np.zeros(1, np.uint64)
    root = search.states[0]
    search.states[0] = view
    for_search(root)
    if who != TA1:
        root.params.walkers = FROZEN
    base = root_terms(root, player, search.cells)
    search.alpha[0], search.beta[0], search.best[0] = -np.inf, np.inf, -np.inf
    list_moves(search, 0, who, player)
    level = 0
    while level > 0 or search.place[0] < search.moves[0]:
        if search.place[level] < search.moves[level]:
            go_down(search, level, dice)
            state = search.states[level + 1]
            if state.winner == 0 and level + 1 < depth:
                level += 1
                open_level(search, level, who, player)
                continue
            value = value_of(search, state, level + 1, who, player, base)
        else:
            value = close_level(search, level, player)
            level -= 1
        take_value(search, level, player, value)
        if level == 0:
            values[search.menu[0, search.place[0] - 1]] = value


@rule
def best_moves(values, menu):
    """Write the moves that are worth most, to the last of them; their number, 0 if every one is fatal."""
    n = 0
    for action in range(4):
        if values[action] > -np.inf and values[action] > values.max() - TIE:
            menu[n] = action
            n += 1
    return n


@template
def choose_by_search(views, players, words, search, who, depth, out):
    line, values, menu = borrow(search), np.empty(4), np.empty(4, np.int64)
    for i in range(views.shape[0]):
        value_moves(line, views[i], players[i], who, depth, values)
        n = best_moves(values, menu)
        out[i] = any_of(menu, n, words[i]) if n > 0 else UP


@template
def list_by_search(views, players, search, who, depth, out):
    """Bits of all moves between which the dice decide."""
    line, values, menu = borrow(search), np.empty(4), np.empty(4, np.int64)
    for i in range(views.shape[0]):
        value_moves(line, views[i], players[i], who, depth, values)
        n = best_moves(values, menu)
        out[i] = 1 << UP if n == 0 else 0
        for k in range(n):
            out[i] |= 1 << menu[k]


class Minimax(Agent):
    """One of the three: `who` says which, `new_search` what it brings to judge a line."""

    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "thrones"
    who: ClassVar[int]
    depth: int

    def new_search(self) -> Search:
        raise NotImplementedError(f"{type(self).__name__} brings nothing to judge a line")

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        search = self.new_search()
        self.game.kernel(choose_by_search)(views, players, words, search, self.who, self.depth, out)
        return out

    def equals(self, views: np.ndarray, players: np.ndarray) -> np.ndarray:
        """The moves that it would take, as bits: several where it tosses coins."""
        out = np.empty(len(views), np.int64)
        self.game.kernel(list_by_search)(views, players, self.new_search(), self.who, self.depth, out)
        return out
