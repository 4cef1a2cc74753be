"""Monte Carlo tree search for every kind of game.

One search serves games with turns, with simultaneous moves, with chance and with hidden information. Its one idea: a
*decision point* is a player together with all that this player knows, so a point is keyed by a hash of that player's
view.

- Simultaneous moves: every acting player chooses at its own point, by its own upper confidence bound (decoupled UCT).
- Hidden information: each simulation starts from a fresh guess of what is hidden; rivals choose at points keyed by what
  *they* would know in that world, so nobody in the tree plays by knowledge it lacks (multiple-observer ISMCTS).
- Chance: dice are part of what a view shows, so each outcome leads to a point of its own.
- Open games: the view is the position, so move orders that transpose share their statistics.

A point's arms lie side by side: `legal` on a view gives the same menu every time, so arm k is menu entry k.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.compile import template
from ludus.errors import BadSpec
from ludus.game import Agent, Thoughts, View, setting
from ludus.rng import below, blend
from ludus.rules import (
    HAS_HEURISTIC,
    HIDDEN,
    MAX_ACTIONS,
    MAX_PLIES,
    SEATS,
    determinize,
    heuristic,
    hide,
    legal,
    record,
    returns,
    step,
    to_act,
)

POINT = record(key=np.uint64, first_arm=np.int64, visits=np.int64)
ARM = record(worth=np.float64, spread=np.float64, visits=np.int64)
# worth is the mean return; spread is 1 / sqrt(visits), kept so that choosing needs neither a root nor a division

WORLD, SEEN = 0, 1  # rows of the scratch states: the world of this simulation, and one player's view of it


@template
def point_of(scratch, words64, player):
    """The key of the player's decision point in the world at hand."""
    row = WORLD
    if HIDDEN:
        scratch[SEEN] = scratch[WORLD]
        hide(scratch[SEEN], player)
        row = SEEN
    key = blend(np.uint64(player + 1), np.uint64(0x9E3779B97F4A7C15))
    for k in range(words64.shape[1]):
        key = blend(key, words64[row, k])
    return key | np.uint64(1)  # zero marks an empty slot


@template
def slot_of(points, key):
    """Where the point is in the table, or the empty slot where it belongs."""
    mask = points.shape[0] - 1
    slot = np.int64(key >> np.uint64(1)) & mask
    while points[slot].key != key and points[slot].key != 0:
        slot = (slot + 1) & mask
    return slot


@template
def open_point(points, arms, used, slot, key, count):
    """Make the point; false if the tables are full."""
    if used[0] * 4 > points.shape[0] * 3 or used[1] + count > arms.shape[0]:
        return False
    points[slot].key = key
    points[slot].first_arm = used[1]
    points[slot].visits = 0
    for k in range(used[1], used[1] + count):
        arms[k].visits = 0
        arms[k].worth = 0.0
    used[0] += 1
    used[1] += count
    return True


@template
def choose_arm(point, arms, count, c, rng):
    """An untried arm while there is one, else the highest upper confidence bound."""
    first = point.first_arm
    if point.visits < count:
        skip = below(rng, count - point.visits)
        for k in range(count):
            if arms[first + k].visits == 0:
                if skip == 0:
                    return k
                skip -= 1
    weight = c * np.sqrt(np.log(point.visits))
    best, best_bound = 0, -np.inf
    for k in range(count):
        bound = arms[first + k].worth + weight * arms[first + k].spread
        if bound > best_bound:
            best, best_bound = k, bound
    return best


@template
def descend(scratch, words64, points, arms, used, path, c, rng, menu, actions):
    """Walk down the tree until somebody tries something new; the number of choices on the path."""
    state = scratch[WORLD]
    length = 0
    mask = to_act(state)
    while mask != 0 and length + SEATS <= path.shape[0]:
        is_new = False
        for player in range(SEATS):
            actions[player] = -1
            if mask >> player & 1 == 0:
                continue
            count = legal(state, player, menu)
            if count == 1:
                actions[player] = menu[0]
                continue
            key = point_of(scratch, words64, player)
            slot = slot_of(points, key)
            if points[slot].key == 0 and not open_point(points, arms, used, slot, key, count):
                actions[player] = menu[below(rng, count)]
                is_new = True
                continue
            arm = choose_arm(points[slot], arms, count, c, rng)
            is_new = is_new or arms[points[slot].first_arm + arm].visits == 0
            actions[player] = menu[arm]
            path[length, 0], path[length, 1], path[length, 2] = player, slot, points[slot].first_arm + arm
            length += 1
        step(state, actions, rng)
        if is_new:
            break
        mask = to_act(state)
    return length


@template
def play_on(state, horizon, rng, menu, actions, values):
    """Random play to the end, or for `horizon` more steps; what each player then has, or may hope for."""
    left = horizon if horizon >= 0 else MAX_PLIES
    mask = to_act(state)
    while mask != 0 and left > 0:
        for player in range(SEATS):
            actions[player] = -1
            if mask >> player & 1:
                count = legal(state, player, menu)
                actions[player] = menu[0] if count == 1 else menu[below(rng, count)]
        step(state, actions, rng)
        left -= 1
        mask = to_act(state)
    if mask == 0 or not HAS_HEURISTIC:
        returns(state, values)
    else:
        for player in range(state.players):
            values[player] = heuristic(state, player)


@template
def back_up(points, arms, path, length, values):
    for k in range(length):
        points[path[k, 1]].visits += 1
        arm = arms[path[k, 2]]
        arm.visits += 1
        arm.worth += (values[path[k, 0]] - arm.worth) / arm.visits
        arm.spread = 1.0 / np.sqrt(arm.visits)


@template
def grow(views, index, player, rng, sims, c, horizon, scratch, words64, points, arms, used):
    """Add `sims` simulations to the tree of one view."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    actions = np.empty(SEATS, np.int32)
    values = np.zeros(SEATS)
    path = np.empty((min(MAX_PLIES, used[2] + sims + 1) * SEATS, 3), np.int64)
    for _ in range(sims):
        scratch[WORLD] = views[index]
        if HIDDEN:
            determinize(scratch[WORLD], player, rng)
        length = descend(scratch, words64, points, arms, used, path, c, rng, menu, actions)
        play_on(scratch[WORLD], horizon, rng, menu, actions, values)
        back_up(points, arms, path, length, values)
    used[2] += sims


@template
def root_arm(views, index, player, scratch, words64, points):
    """The first arm of the root; -1 if the root was never opened."""
    scratch[WORLD] = views[index]
    slot = slot_of(points, point_of(scratch, words64, player))
    return points[slot].first_arm if points[slot].key != 0 else -1


@template
def search_all(views, players, words, sims, c, horizon, scratch, words64, points, arms, out):
    """The action with most visits for every view; forced moves cost nothing."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    used = np.zeros(3, np.int64)
    for i in range(views.shape[0]):
        count = legal(views[i], players[i], menu)
        best = 0
        if count > 1:
            used[:] = 0
            for k in range(points.shape[0]):
                points[k].key = 0
            grow(views, i, players[i], words[i], sims, c, horizon, scratch, words64, points, arms, used)
            first = root_arm(views, i, players[i], scratch, words64, points)
            for k in range(1, count):
                a, b = arms[first + k], arms[first + best]
                if a.visits > b.visits or (a.visits == b.visits and a.worth > b.worth):
                    best = k
        out[i] = menu[best]


@dataclass
class Mcts(Agent):
    """Monte Carlo tree search: turns, simultaneous moves, chance and hidden information."""

    name: ClassVar[str] = "mcts"
    compiled: ClassVar[bool] = True

    sims: int = setting(400, "simulations a move", low=1)
    c: float = setting(1.4, "exploration: larger tries more, returns lie in [-1, 1]", low=0)
    horizon: int = setting(-1, "random steps before the heuristic values a leaf; -1 plays to the end", low=-1)
    ms: float = setting(0.0, "milliseconds a move instead of simulations; 0 counts simulations", low=0)

    def prepare(self, game) -> None:
        super().prepare(game)
        if self.horizon >= 0 and not game.writes("heuristic"):
            raise BadSpec(f"mcts: horizon needs a heuristic, and {game.name} has none")

    @property
    def repeatable(self) -> bool:
        return not self.ms

    def _tables(self) -> tuple[np.ndarray, ...]:
        """Scratch states with the same memory as 64-bit words, the points and the arms."""
        # With a limit in time: room for 500 simulations a millisecond; a full table only stops the tree from growing.
        sims = int(min(max(self.ms * 500, 1 << 12), 1 << 18)) if self.ms else self.sims
        scratch = np.zeros(2, self.game.state_type)
        openings = sims * self.game.facts.players[1] + 1
        points = np.zeros(1 << (2 * openings - 1).bit_length(), POINT)
        arms = np.empty(min(openings * self.game.facts.max_actions, 1 << 23), ARM)
        return scratch, scratch.view(np.uint64).reshape(2, -1), points, arms

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        if self.ms:
            rows = (self._think(views[i : i + 1], int(players[i]), words[i]) for i in range(len(views)))
            return np.array([thoughts.actions[0] for thoughts in rows], np.int32)
        out = np.empty(len(views), np.int32)
        search = self.game.kernel(search_all)
        search(views, players, words, self.sims, self.c, self.horizon, *self._tables(), out)
        return out

    def act(self, view: View, rng: np.ndarray) -> int:
        self.thoughts = self._think(view.states, view.player, rng)
        return self.thoughts.actions[0]

    def _think(self, views: np.ndarray, player: int, rng: np.ndarray) -> Thoughts:
        menu = self.game.menu(views, player)
        if len(menu) == 1:
            return Thoughts(0.0, [int(menu[0])], [0.0], [0], note="forced")
        scratch, words64, points, arms = self._tables()
        used = np.zeros(3, np.int64)
        more = self.game.kernel(grow)
        more(views, 0, player, rng, 0, self.c, self.horizon, scratch, words64, points, arms, used)  # compiles
        deadline = time.perf_counter() + self.ms / 1000
        chunk = 16 if self.ms else self.sims
        while True:
            started = time.perf_counter()
            more(views, 0, player, rng, chunk, self.c, self.horizon, scratch, words64, points, arms, used)
            now = time.perf_counter()
            if not self.ms or now >= deadline:
                break
            # The next chunk should fill a quarter of what is left, so that the last one does not overrun.
            chunk = max(1, min(chunk * 4, int(chunk * (deadline - now) / (now - started) / 4)))
        first = self.game.kernel(root_arm)(views, 0, player, scratch, words64, points)
        return _thoughts(menu, arms[first : first + len(menu)], int(used[2]))


def _thoughts(menu: np.ndarray, arms: np.ndarray, sims: int) -> Thoughts:
    # Stable, with the same tie-breaks as `search_all`: most visits, then the higher worth, then the first on the menu.
    order = np.lexsort((np.arange(len(menu)), -arms["worth"], -arms["visits"]))
    ranked = arms[order]
    return Thoughts(
        float(ranked["worth"][0]),
        menu[order].tolist(),
        ranked["worth"].tolist(),
        ranked["visits"].tolist(),
        note=f"{sims} simulations",
    )
