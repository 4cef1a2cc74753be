"""The memory of a forest: records of arrays, the first axis of each being the trees or the rows of a batch.

A *point* is a player together with all that this player knows, keyed by a hash of its view; its *arms* lie side by
side, arm k being menu entry k. Points of a tree lie in the order in which they were opened; `table` says which key is
where. Points take 32 bytes and arms 16, since a simulation waits for memory more than for anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ludus.compile import inlined
from ludus.errors import BadRules
from ludus.game import Game
from ludus.rules import record

TREE = record(
    root=np.int32, player=np.int32, goal=np.int32, sims=np.int32, points=np.int32, arms=np.int32, length=np.int32,
    first_row=np.int32, rows=np.int32, considered=np.int32, judged=np.float32, quiet=np.int32, knows=np.int32,
    leaf=np.int32, resumes=np.int32,
)  # fmt: skip
# root: its point, or one of the two below; player: who searches; goal and sims: simulations wanted and made; points and
# arms: how many are used; length, first_row and rows: the path of the simulation that waits, and its rows of the batch;
# considered: actions that the root chooses from by halving, 0 if it does not; judged: what the network said of the
# root; quiet: its priors stay without noise; knows: the root is the truth, and nothing is guessed;
# leaf: which of the tree's states is the leaf that waits; resumes: the answer is no end of that simulation
FRESH, FORCED = -1, -2  # roots that wait for their first answer, and that need none

POINT = record(
    key=np.uint64, worth=np.float32, visits=np.int32, first_arm=np.int32, count=np.int32, unproven=np.int32,
    player=np.int32,
)  # fmt: skip
# worth: the mean of what its player got, the judgement of the point itself counted once; exact when no arm is unproven
ARM = record(worth=np.float32, prior=np.float32, visits=np.int32, child=np.int32)
# child: the point that it leads to, or NONE; below NONE the worth is proven, and the child lies mirrored there
NONE = -1

C, FPU, NOISE, ALPHA, GUMBEL, MIX, PLAYOUTS = range(7)  # knobs
SIMULATIONS, EVALUATIONS, HITS, FULL = range(4)  # of a tally
STEP_POINT, STEP_ARM = 0, 1  # columns of a path


class Trees(NamedTuple):
    """All trees."""

    heads: np.ndarray  # TREE[trees]
    roots: np.ndarray  # State[trees]: the view that is searched
    words: np.ndarray  # uint64[trees, 1]
    table: np.ndarray  # int32[trees, a power of two]: 1 + point, 0 where there is none
    points: np.ndarray  # POINT[trees, …]
    arms: np.ndarray  # ARM[trees, …]
    actions: np.ndarray  # int32[trees, …]: of each arm
    states: np.ndarray  # State[trees, …]: the position of each point, if arms are linked; and room for one more
    bits: np.ndarray  # uint64[trees, …, …]: the same memory, for hashing
    paths: np.ndarray  # int32[trees, …, 2]: the choices of this simulation
    luck: np.ndarray  # float32[trees, …]: log prior and Gumbel noise of each arm of the root, where it halves
    knobs: np.ndarray  # float64[7]


class Work(NamedTuple):
    """Room for what one thread does."""

    scratch: np.ndarray  # State[1]: one player's view
    bits: np.ndarray  # uint64[1, …]
    menu: np.ndarray  # int32[MAX_ACTIONS]
    actions: np.ndarray  # int32[SEATS]
    values: np.ndarray  # float64[SEATS]: what each player gets of this simulation
    rolled: np.ndarray  # float64[SEATS]: … of a play-out
    features: np.ndarray  # float32[…]: of one position
    moved: np.ndarray  # int32[2, …]: where points go when a tree is kept
    shares: np.ndarray  # float32[MAX_ACTIONS]
    tally: np.ndarray  # int64[16]
    keys: np.ndarray  # uint64[a power of two, or none]: the evaluations that are remembered
    priors: np.ndarray  # float32[…, MAX_ACTIONS]
    judged: np.ndarray  # float32[…, SEATS]


class Leaves(NamedTuple):
    """A batch of leaves, one row for each player who has a choice in one."""

    trees: np.ndarray  # int32[rows]
    players: np.ndarray  # int64[rows]
    points: np.ndarray  # int32[rows]: the point that gets the prior; -1 if the tree has no room, or knows the point
    counts: np.ndarray  # int32[rows]: length of the menu
    views: np.ndarray  # State[rows]: masked; none where only features are wanted
    features: np.ndarray  # int8[rows, …]: as `kernels.byte_features` writes them, as many as are wanted
    slots: np.ndarray  # int16[rows, width]: the policy slot of each entry of the menu, then -1
    priors: np.ndarray  # float32[rows, width]: the answer
    values: np.ndarray  # float32[rows, SEATS]: the answer


class Roots(NamedTuple):
    """What came of the searches."""

    counts: np.ndarray  # int32[trees]; 0 where the move was forced
    best: np.ndarray  # int32[trees]: which to play; proven wins before most visits, as `roots.is_better` says
    actions: np.ndarray  # int32[trees, MAX_ACTIONS]
    slots: np.ndarray  # int32[trees, MAX_ACTIONS]
    visits: np.ndarray  # int32[trees, MAX_ACTIONS]
    priors: np.ndarray  # float32[trees, MAX_ACTIONS]
    worths: np.ndarray  # float32[trees, MAX_ACTIONS]
    targets: np.ndarray  # float32[trees, MAX_ACTIONS]: what the policy should be there
    values: np.ndarray  # float32[trees]: the mean return of the player who searches; exact where it is solved
    solved: np.ndarray  # bool[trees]


# ------------------------------------------------------------------------------------------------ arms


@inlined
def is_proven(arm):
    return arm.child < NONE


@inlined
def child_of(arm):
    return arm.child if arm.child >= NONE else 2 * NONE - 1 - arm.child


@inlined
def mark_proven(arm):
    arm.child = 2 * NONE - 1 - arm.child


# ------------------------------------------------------------------------------------------------ making it

Room = Callable[[tuple[int, ...], Any], np.ndarray]
"""Makes a zeroed array; those of a batch may have to lie where a GPU can read them."""


def make_trees(game: Game, trees: int, sims: int, arms: int, keep: bool, gumbel: int) -> Trees:
    """`sims` is what one search may add; a tree that is kept has room for four times that. Where players act at once
    each has points; with secrets a simulation may open some of the rivals' at each step."""
    facts, kind = game.facts, game.state_type
    seats, longest, linked = facts.players[1], facts.max_actions, not (facts.hidden or facts.simultaneous)
    each = seats * (1 + facts.hidden) if facts.simultaneous else 1
    points = (sims + 2) * each * (4 if keep and linked else 1)
    states = np.zeros((trees, points + 1 if linked else 1), kind)
    return Trees(
        np.zeros(trees, TREE), np.zeros(trees, kind), np.zeros((trees, 1), np.uint64),
        np.zeros((trees, 1 << (4 * points // 3).bit_length()), np.int32), np.zeros((trees, points), POINT),
        np.zeros((trees, points * min(arms, longest)), ARM),
        np.zeros((trees, points * min(arms, longest)), np.int32),
        states, states.view(np.uint64).reshape(*states.shape, -1),
        np.zeros((trees, min(facts.max_plies, points) * seats, 2), np.int32),
        np.zeros((trees, longest if gumbel else 1), np.float32), np.zeros(7),
    )  # fmt: skip


def make_work(game: Game, points: int, cache: int = 0) -> Work:
    scratch, seats, longest = np.zeros(1, game.state_type), game.facts.players[1], game.facts.max_actions
    return Work(
        scratch, scratch.view(np.uint64).reshape(1, -1), np.zeros(longest, np.int32), np.zeros(seats, np.int32),
        np.zeros(seats), np.zeros(seats), np.zeros(game.features.length, np.float32), np.zeros((2, points), np.int32),
        np.zeros(longest, np.float32), np.zeros(16, np.int64), np.zeros(cache, np.uint64),
        np.zeros((cache, longest), np.float32), np.zeros((cache, seats), np.float32),
    )  # fmt: skip


def make_leaves(game: Game, rows: int, features: int, width: int, room: Room = np.zeros) -> Leaves:
    """With features the batch holds so many bytes of each position, and no views."""
    if game.policy.length > np.iinfo(np.int16).max:
        raise BadRules(f"{game.name} has {game.policy.length} policy slots; there is room for {np.iinfo(np.int16).max}")
    seats = game.facts.players[1]
    answers = room((rows, width + seats), np.float32)
    slots = room((rows, width), np.int16)
    slots[:] = -1
    return Leaves(
        np.zeros(rows, np.int32), np.zeros(rows, np.int64), np.zeros(rows, np.int32), np.zeros(rows, np.int32),
        np.zeros(0 if features else rows, game.state_type), room((rows, features), np.int8), slots,
        answers[:, :width], answers[:, width:],
    )  # fmt: skip


def make_roots(game: Game, trees: int) -> Roots:
    rows = (trees, game.facts.max_actions)
    whole = [np.zeros(rows, np.int32) for _ in range(3)]
    parts = [np.zeros(rows, np.float32) for _ in range(3)]
    counts, best = np.zeros(trees, np.int32), np.zeros(trees, np.int32)
    return Roots._make([counts, best, *whole, *parts, np.zeros(trees, np.float32), np.zeros(trees, np.bool_)])
