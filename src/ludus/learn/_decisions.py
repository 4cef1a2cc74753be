"""The decisions that a deep Q-learner remembers: a ring of the newest, drawn by how much each surprised.

A decision is what its player saw, the slots of its menu and the entry that was chosen. It is *open* until its player
has made `steps` more decisions, when the last of these becomes what it is learnt from, or until the match is over, when
the discounted return does. A decision that was made at random ends this too (Watkins): what came of it says nothing of
those before it, which are learnt from what it should have been. What follows lies in the same ring, so nothing is
stored twice.

Decision number k lies at k modulo the length of the ring. Priorities are the leaves of a tree of sums: a draw follows
one branch down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.compile import template
from ludus.game import Game
from ludus.rng import uniform

OPEN, LAST = -2, -1
"""In the place of the decision that follows: not known yet; none, the match was over."""
SHARPNESS = 0.6
"""Priorities are surprises to this power …"""
LEAST = 0.01
"""… and nothing that is known was less surprising than this."""


class Ring(NamedTuple):
    features: np.ndarray  # int8[ring, …]: as `kernels.byte_features` writes them
    slots: np.ndarray  # int16[ring, MAX_ACTIONS]: the policy slots of the menu, then -1
    places: np.ndarray  # int16[ring]: the entry that was chosen
    following: np.ndarray  # int64[ring]: the number of the decision that it is learnt from, or OPEN or LAST
    rewards: np.ndarray  # float32[ring]: what was got on the way there, discounted
    ahead: np.ndarray  # float32[ring]: what the worth of the decision that follows counts; 0 where none does
    tree: np.ndarray  # float64[2 * ring]: priorities from `ring` on, above them sums; 0 for what is open
    numbers: np.ndarray  # int64[1]: how many decisions there have been
    top: np.ndarray  # float64[1]: the highest priority so far, which new decisions get


class Recent(NamedTuple):
    """The open decisions of each match and player."""

    numbers: np.ndarray  # int64[match, player, steps]: number t of a player's lies at t modulo `steps`
    lengths: np.ndarray  # int64[match, player]: decisions so far


class Batch(NamedTuple):
    """Decisions drawn to be learnt from, and what each is learnt from."""

    rows: np.ndarray
    weights: np.ndarray  # float32: what makes up for the unequal chances
    features: np.ndarray
    slots: np.ndarray
    places: np.ndarray
    rewards: np.ndarray
    ahead: np.ndarray
    next_features: np.ndarray
    next_slots: np.ndarray


@template
def set_priority(tree, at, priority):
    node = tree.shape[0] // 2 + at
    tree[node] = priority
    node //= 2
    while node > 0:
        tree[node] = tree[2 * node] + tree[2 * node + 1]
        node //= 2


@template
def close(ring, number, following, reward, ahead):
    """What a decision is learnt from is known now; one that has left the ring already is forgotten."""
    size = ring.places.shape[0]
    if number > ring.numbers[0] - size:
        at = number % size
        ring.following[at], ring.rewards[at], ring.ahead[at] = following, reward, ahead
        set_priority(ring.tree, at, ring.top[0])


@template
def put_down(ring, recent, matches, players, features, slots, places, bold, discount):
    """Add a decision for each row, and close the one that was made `steps` decisions before it; before a bold one all
    that are open."""
    size, steps = ring.places.shape[0], recent.numbers.shape[2]
    for k in range(matches.shape[0]):
        number, match, player = ring.numbers[0], matches[k], players[k]
        at, t = number % size, recent.lengths[match, player]
        ring.numbers[0] = number + 1
        ring.features[at], ring.slots[at], ring.places[at] = features[k], slots[k], places[k]
        ring.following[at], ring.rewards[at], ring.ahead[at] = OPEN, 0.0, 0.0
        set_priority(ring.tree, at, 0.0)
        if bold[k]:
            for back in range(1, min(t, steps) + 1):
                close(ring, recent.numbers[match, player, (t - back) % steps], number, 0.0, discount**back)
            t = 0
        elif t >= steps:
            close(ring, recent.numbers[match, player, t % steps], number, 0.0, discount**steps)
        recent.numbers[match, player, t % steps] = number
        recent.lengths[match, player] = t + 1


@template
def close_matches(ring, recent, matches, payoffs, discount):
    """These matches are over: their open decisions are learnt from the returns."""
    steps = recent.numbers.shape[2]
    for k in range(matches.shape[0]):
        for player in range(recent.lengths.shape[1]):
            t, worth = recent.lengths[matches[k], player], payoffs[k, player]
            for back in range(1, min(t, steps) + 1):
                close(ring, recent.numbers[matches[k], player, (t - back) % steps], LAST, worth, 0.0)
                worth *= discount
            recent.lengths[matches[k], player] = 0


@template
def draw_rows(tree, rng, rows):
    """Row by row from equal parts of all priority, each as likely as its priority in its part."""
    size, part = tree.shape[0] // 2, tree[1] / rows.shape[0]
    for k in range(rows.shape[0]):
        left, node = part * (k + uniform(rng)), 1
        while node < size:
            node *= 2
            if left >= tree[node] and tree[node + 1] > 0.0:
                left -= tree[node]
                node += 1
        rows[k] = node - size


@template
def note_surprises(ring, rows, surprises):
    for k in range(rows.shape[0]):
        priority = (surprises[k] + LEAST) ** SHARPNESS
        ring.top[0] = max(ring.top[0], priority)
        set_priority(ring.tree, rows[k], priority)


class Decisions:
    """The ring of one training, and the matches whose decisions it takes."""

    def __init__(self, game: Game, length: int, size: int, matches: int, steps: int, discount: float):
        self.game, self.size, self.discount = game, 1 << (size - 1).bit_length(), discount
        seats, longest = game.facts.players[1], game.facts.max_actions
        self.ring = Ring(
            np.zeros((self.size, length), np.int8), np.full((self.size, longest), -1, np.int16),
            np.zeros(self.size, np.int16), np.full(self.size, OPEN, np.int64), np.zeros(self.size, np.float32),
            np.zeros(self.size, np.float32), np.zeros(2 * self.size), np.zeros(1, np.int64), np.ones(1),
        )  # fmt: skip
        self.recent = Recent(np.zeros((matches, seats, steps), np.int64), np.zeros((matches, seats), np.int64))

    @property
    def made(self) -> int:
        return int(self.ring.numbers[0])

    @property
    def closed(self) -> int:
        """How many can be learnt from."""
        return int(np.count_nonzero(self.ring.tree[self.size :]))

    def add(self, matches, players, features, slots, places, bold) -> None:
        kept = features, slots, places, bold
        self.game.kernel(put_down)(self.ring, self.recent, matches, players, *kept, self.discount)

    def end(self, matches: np.ndarray, payoffs: np.ndarray) -> None:
        self.game.kernel(close_matches)(self.ring, self.recent, matches, payoffs, self.discount)

    def draw(self, count: int, rng: np.ndarray, fairness: float) -> Batch:
        """So many decisions by priority. With a fairness of 1 the weights make up for the unequal chances wholly."""
        ring, rows = self.ring, np.empty(count, np.int64)
        self.game.kernel(draw_rows)(ring.tree, rng, rows)
        weights = (ring.tree[1] / np.maximum(ring.tree[self.size + rows], 1e-12)) ** fairness
        after = ring.following[rows] % self.size
        return Batch(
            rows, (weights / weights.max()).astype(np.float32), ring.features[rows], ring.slots[rows],
            ring.places[rows].astype(np.int64), ring.rewards[rows], ring.ahead[rows], ring.features[after],
            ring.slots[after],
        )  # fmt: skip

    def surprised(self, batch: Batch, surprises: np.ndarray) -> None:
        self.game.kernel(note_surprises)(self.ring, batch.rows, surprises)
