"""Monte Carlo tree search for every kind of game.

One search serves games with turns, with simultaneous moves, with chance and with hidden information. Its one idea: a
*decision point* is a player together with all that this player knows, so a point is keyed by a hash of that player's
view.

- Simultaneous moves: every acting player chooses at its own point, by its own upper confidence bound (decoupled UCT).
  How often each action was tried then tells how often it should be played. By default the most tried one is: that does
  best against rivals who do not adapt (by 4 % of the points in goofspiel). With `mix` the action is drawn by its
  visits: where the right play is mixed, the best answer to it then gains 0.1 instead of 0.4.
- Hidden information: each simulation starts from a fresh guess of what is hidden; rivals choose at points keyed by what
  *they* would know in that world, so nobody in the tree plays by knowledge it lacks (multiple-observer ISMCTS).
- Chance: dice are part of what a view shows, so each outcome leads to a point of its own.
- Open games: the view is the position, so move orders that transpose share their statistics. With two players and no
  dice an arm that leads to the end is *proven*, and so is one that leads to a point whose mover has a proven win, or
  whose arms are all proven (MCTS-Solver): no average of roll-outs can talk the search into a lost move.

A point's arms lie side by side: `legal` on a view gives the same menu every time, so arm k is menu entry k.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent, Thoughts
from ludus.compile import template
from ludus.errors import BadSpec
from ludus.game import View
from ludus.rng import below, blend, uniform
from ludus.rules import (
    HAS_HEURISTIC,
    HIDDEN,
    MAX_ACTIONS,
    MAX_PLIES,
    SEATS,
    SIMULTANEOUS,
    deterministic,
    determinize,
    heuristic,
    hide,
    legal,
    record,
    returns,
    step,
    to_act,
)
from ludus.settings import setting

POINT = record(
    key=np.uint64, worth=np.float64, first_arm=np.int32, count=np.int32, visits=np.int32, unproven=np.int32
)  # fmt: skip
ARM = record(worth=np.float64, spread=np.float64, visits=np.int64)
# An arm's worth is the mean return; its spread is 1 / sqrt(visits), kept so that choosing needs neither a root nor a
# division, and 0 once the worth is proven. A point has so many arms, of which some are unproven; with none left the
# point is solved, and its worth is what its player gets there.

POINTS, ARMS, SIMS = 0, 1, 2  # what of the tables is used, and the simulations so far
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
    if used[POINTS] * 4 >= points.shape[0] * 3 or used[ARMS] + count > arms.shape[0]:
        return False
    point = points[slot]
    point.key = key
    point.first_arm = used[ARMS]
    point.count = point.unproven = count
    point.visits = 0
    for k in range(used[ARMS], used[ARMS] + count):
        arms[k].worth, arms[k].spread, arms[k].visits = 0.0, 1.0, 0
    used[POINTS] += 1
    used[ARMS] += count
    return True


@template
def choose_arm(point, arms, c, rng):
    """An untried arm while there is one, else the highest upper confidence bound."""
    first, count = point.first_arm, point.count
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
def descend(scratch, words64, points, arms, used, path, c, rng, menu, actions, values):
    """Walk down the tree until somebody tries something new. The number of choices on the path, and whether it is known
    what comes of them: the match is over, or the point is solved; then `values` holds it."""
    state = scratch[WORLD]
    length, is_new = 0, False
    mask = to_act(state)
    while mask != 0 and not is_new and length + SEATS <= path.shape[0]:
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
            point = points[slot]
            if point.unproven == 0:
                values[player], values[1 - player] = point.worth, 0.0 - point.worth
                return length, True
            arm = choose_arm(point, arms, c, rng)
            is_new = is_new or arms[point.first_arm + arm].visits == 0
            actions[player] = menu[arm]
            path[length, 0], path[length, 1], path[length, 2] = player, slot, point.first_arm + arm
            length += 1
        step(state, actions, rng)
        mask = to_act(state)
    if mask == 0:
        returns(state, values)
    return length, mask == 0


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
        if arm.spread > 0.0:
            arm.worth += (values[path[k, 0]] - arm.worth) / arm.visits
            arm.spread = 1.0 / np.sqrt(arm.visits)


@template
def prove(points, arms, path, length, values):
    """What comes of the path is certain: so is its last arm, and perhaps the point above it, and so on up. For two
    players whose returns are opposite."""
    for k in range(length - 1, -1, -1):
        player, point, arm = path[k, 0], points[path[k, 1]], arms[path[k, 2]]
        if arm.spread > 0.0:
            arm.worth, arm.spread = values[player], 0.0
            point.unproven = 0 if arm.worth >= 1.0 else point.unproven - 1
        if point.unproven > 0:
            return
        point.worth = -1.0
        for a in range(point.first_arm, point.first_arm + point.count):
            if arms[a].spread == 0.0:
                point.worth = max(point.worth, arms[a].worth)
        values[player], values[1 - player] = point.worth, 0.0 - point.worth


@template
def grow(views, index, player, rng, sims, c, horizon, scratch, words64, points, arms, used):
    """Add `sims` simulations to the tree of one view; true if its root is solved and no more are needed."""
    menu = np.empty(MAX_ACTIONS, np.int32)
    actions = np.empty(SEATS, np.int32)
    values = np.zeros(SEATS)
    path = np.empty((min(MAX_PLIES, used[SIMS] + sims + 1) * SEATS, 3), np.int64)
    certain = not HIDDEN and not SIMULTANEOUS and views[index].players == 2 and deterministic(views[index])
    for _ in range(sims):
        scratch[WORLD] = views[index]
        if HIDDEN:
            determinize(scratch[WORLD], player, rng)
        length, is_known = descend(scratch, words64, points, arms, used, path, c, rng, menu, actions, values)
        if not is_known:
            play_on(scratch[WORLD], horizon, rng, menu, actions, values)
        back_up(points, arms, path, length, values)
        used[SIMS] += 1
        if certain and is_known and values[0] == -values[1]:
            prove(points, arms, path, length, values)
            if length == 0 or points[path[0, 1]].unproven == 0:
                return True
    return False


@template
def is_better(arm, other):
    """Proven wins first and proven losses last; then most visits, then the higher worth."""
    proven, others = arm.worth if arm.spread == 0.0 else 0.0, other.worth if other.spread == 0.0 else 0.0
    if proven != others:
        return proven > others
    return arm.visits > other.visits or (arm.visits == other.visits and arm.worth > other.worth)


@template
def draw_arm(arms, first, count, best, mix, rng):
    """An arm by its visits, less a share of the most that any has: those who were only explored are not played."""
    least = 1.0 + mix * arms[first + best].visits
    total = 0.0
    for k in range(first, first + count):
        total += max(arms[k].visits - least, 0.0)
    left = total * uniform(rng)
    for k in range(first, first + count):
        left -= max(arms[k].visits - least, 0.0)
        if left < 0.0:
            return k - first
    return best


@template
def decide(views, index, player, rng, mix, scratch, words64, points, arms):
    """The first arm of the root, and which one to play: the best, or one by chance where others choose at once."""
    scratch[WORLD] = views[index]
    root = points[slot_of(points, point_of(scratch, words64, player))]
    first, count, best = root.first_arm, root.count, 0
    for k in range(1, count):
        if is_better(arms[first + k], arms[first + best]):
            best = k
    if SIMULTANEOUS and mix < 1.0 and to_act(views[index]) != 1 << player:
        best = draw_arm(arms, first, count, best, mix, rng)
    return first, best


@template
def search_all(views, players, words, sims, c, mix, horizon, scratch, words64, points, arms, out):
    """The best action for every view; forced moves cost nothing."""
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
            best = decide(views, i, players[i], words[i], mix, scratch, words64, points, arms)[1]
        out[i] = menu[best]


@dataclass
class Mcts(Agent):
    """Monte Carlo tree search: turns, simultaneous moves, chance and hidden information."""

    name: ClassVar[str] = "mcts"
    compiled: ClassVar[bool] = True

    sims: int = setting(400, "simulations a move", low=1)
    c: float = setting(1.0, "exploration: larger tries more, returns lie in [-1, 1]", low=0)
    horizon: int = setting(-1, "random steps before the heuristic values a leaf; -1 plays to the end", low=-1)
    ms: float = setting(0.0, "milliseconds a move instead of simulations; 0 counts simulations", low=0)
    mix: float = setting(1.0, "where players choose at once: 1 plays the most visited action, less draws one", low=0)

    def prepare(self, game) -> None:
        super().prepare(game)
        if self.horizon >= 0 and not game.writes("heuristic"):
            raise BadSpec(f"mcts: horizon needs a heuristic, and {game.name} has none")

    @property
    def repeatable(self) -> bool:
        return not self.ms

    def _tables(self) -> tuple[np.ndarray, ...]:
        """Scratch states with the same memory as 64-bit words, the points and the arms."""
        facts = self.game.facts
        # With a limit in time: room for 2000 simulations a millisecond; a full table only stops the tree from growing.
        sims = int(min(max(self.ms * 2000, 1 << 12), 1 << 19)) if self.ms else self.sims
        scratch = np.zeros(2, self.game.state_type)
        openings = sims * (facts.players[1] if facts.simultaneous else 1) + 1
        points = np.zeros(1 << (2 * openings - 1).bit_length(), POINT)
        arms = np.empty(min(openings * facts.max_actions, 1 << 23), ARM)
        return scratch, scratch.view(np.uint64).reshape(2, -1), points, arms

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        if self.ms:
            rows = (self._think(views[i : i + 1], int(players[i]), words[i]) for i in range(len(views)))
            return np.array([thoughts.actions[0] for thoughts in rows], np.int32)
        out = np.empty(len(views), np.int32)
        search = self.game.kernel(search_all)
        search(views, players, words, self.sims, self.c, self.mix, self.horizon, *self._tables(), out)
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
        chunk = 1 if self.ms else self.sims
        while True:
            started = time.perf_counter()
            solved = more(views, 0, player, rng, chunk, self.c, self.horizon, scratch, words64, points, arms, used)
            now = time.perf_counter()
            if solved or not self.ms or now >= deadline:
                break
            # The next chunk should fill a quarter of what is left, so that the last one does not overrun.
            chunk = max(1, min(chunk * 4, int(chunk * (deadline - now) / (now - started) / 4)))
        first, chosen = self.game.kernel(decide)(views, 0, player, rng, self.mix, scratch, words64, points, arms)
        note = f"{used[SIMS]} simulations{', solved' * solved}"
        return _thoughts(menu, arms[first : first + len(menu)], chosen, note)


def _thoughts(menu: np.ndarray, arms: np.ndarray, chosen: int, note: str) -> Thoughts:
    """The chosen action first, then the others in the order of `is_better`."""
    proven = np.where(arms["spread"] == 0, arms["worth"], 0)
    order = np.lexsort((-arms["worth"], -arms["visits"], -proven, np.arange(len(menu)) != chosen))
    worth, visits = arms["worth"][order].tolist(), arms["visits"][order].tolist()
    return Thoughts(worth[0], menu[order].tolist(), worth, visits, note=note)
