"""The search of the Organism paper: an edge is an organism's complete turn, and a network values every position that a
turn leads to. What it says of them, through a softmax, is the prior of the turns; there is no policy.

Trees are searched side by side. A wave takes every tree to a node whose turns are not listed yet, lists them, and hands
out the positions that nobody has valued; when their values are there, the roll-out goes on. A tree serves a whole
match: a node is a position after so many turns, so what was searched for one move is there at the next.

The paper lists and values the turns of a node when a roll-out first comes to it. That roll-out ends there and makes no
use of them; so they wait here until one comes again, which at many nodes none does. Every choice is the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludus.agents.organism._turns import DEEPEST, Desk, key_of, list_turns, make_desk
from ludus.compile import template
from ludus.game import Game
from ludus.rng import uniform
from ludus.rules import record, returns, to_act

HEAD = record(
    root=np.int32, nodes=np.int32, edges=np.int32, sims=np.int32, leaf=np.int32, length=np.int32, new=np.int32,
)  # fmt: skip
# sims: roll-outs made for this move; leaf, length and new: the node that waits, the path to it, and its first new child
NODE = record(value=np.float32, first=np.int32, count=np.int32, visits=np.int32, over=np.int32, met=np.int32)
# value: for the player who moves there, or moved last; first: its edges, NONE while they are not listed; met: whether
# a roll-out came to it
EDGE = record(child=np.int32, visits=np.int32, prior=np.float32, worth=np.float32)
# worth: the mean of what came of it, for the player who moves at its node
NONE = -1


class Trees(NamedTuple):
    """All trees, and room for what the thread that searches them does."""

    heads: np.ndarray  # HEAD[trees]
    nodes: np.ndarray  # NODE[trees, …]
    states: np.ndarray  # State[trees, …]: of each node
    bits: np.ndarray  # uint64[trees, …, …]: the same memory, for hashing
    table: np.ndarray  # int32[trees, a power of two]: 1 + node, 0 where there is none
    edges: np.ndarray  # EDGE[trees, …]
    paths: np.ndarray  # int32[trees, …]: the edges of this roll-out
    found: np.ndarray  # State[…]: where the turns of one node lead to
    desk: Desk
    payoffs: np.ndarray  # float64[SEATS]


def make_trees(game: Game, count: int, room: int, most_turns: int) -> Trees:
    """Empty trees with room for so many positions each, and so many turns of a position."""
    states = np.zeros((count, room), game.state_type)
    return Trees(
        np.zeros(count, HEAD),
        np.zeros((count, room), NODE),
        states,
        states.view(np.uint64).reshape(count, room, -1),
        np.zeros((count, 1 << (2 * room - 1).bit_length()), np.int32),
        np.zeros((count, 2 * room), EDGE),
        np.zeros((count, DEEPEST), np.int32),
        np.zeros(most_turns, game.state_type),
        make_desk(game),
        np.zeros(game.facts.players[1]),
    )


@template
def plant(trees, tree, state):
    """Begin the search of a move, with what earlier ones found out if the tree is not half full: there must be room for
    the turns of the root."""
    head = trees.heads[tree]
    if head.nodes == 0 or 2 * head.nodes > trees.nodes.shape[1] or 2 * head.edges > trees.edges.shape[1]:
        trees.table[tree, :] = 0
        head.nodes = head.edges = 0
    head.root = node_of(trees, tree, state)
    head.sims = head.length = 0
    head.leaf = NONE


@template
def node_of(trees, tree, state):
    """The node of a position, which may be new."""
    head, states = trees.heads[tree], trees.states[tree]
    new = head.nodes
    states[new] = state  # its memory is needed for the key, even if the node is known
    mask = trees.table.shape[1] - 1
    slot = np.int64(key_of(trees.bits[tree, new]) >> np.uint64(1)) & mask
    while trees.table[tree, slot] != 0:
        known = trees.table[tree, slot] - 1
        if (trees.bits[tree, known] == trees.bits[tree, new]).all():
            return known
        slot = (slot + 1) & mask
    trees.table[tree, slot] = 1 + new
    node = trees.nodes[tree, new]
    node.value, node.first, node.count, node.visits, node.met = 0.0, NONE, 0, 0, 0
    node.over = to_act(states[new]) == 0
    head.nodes += 1
    return new


@template
def best_edge(trees, tree, node, c):
    """PUCT as published: an untried turn is worth 0, and at a new node priors still count a little."""
    root, best, most = np.sqrt(node.visits + 1e-8), NONE, -np.inf
    for edge in range(node.first, node.first + node.count):
        arm = trees.edges[tree, edge]
        hope = arm.worth + c * arm.prior * root / (1 + arm.visits)
        if hope > most:
            best, most = edge, hope
    return best


@template
def roll_out(trees, tree, sims, c, temperature):
    """Make roll-outs until one needs values, or there have been enough; how many positions wait to be valued."""
    head = trees.heads[tree]
    while head.sims < sims:
        if head.leaf == NONE:
            head.leaf, head.length = head.root, 0
        node = trees.nodes[tree, head.leaf]
        if node.over == 0 and node.first == NONE and (node.met or head.leaf == head.root):
            list_edges(trees, tree)
            if head.new < head.nodes:
                return head.nodes - head.new
            weigh_edges(trees, tree, temperature)
        if node.over or node.first == NONE or not node.met or head.length == trees.paths.shape[1]:
            node.met = 1
            finish(trees, tree)
        else:
            edge = best_edge(trees, tree, node, c)
            trees.paths[tree, head.length] = edge
            head.length += 1
            head.leaf = trees.edges[tree, edge].child
    return 0


@template
def list_edges(trees, tree):
    """List the turns of the leaf; where there is no room for them the leaf stays one."""
    head = trees.heads[tree]
    leaf, head.new = trees.nodes[tree, head.leaf], head.nodes
    count = list_turns(trees.desk, trees.states[tree, head.leaf], trees.found)
    if head.nodes + count >= trees.nodes.shape[1] or head.edges + count > trees.edges.shape[1]:
        return
    leaf.first, leaf.count = head.edges, count
    for k in range(count):
        edge = trees.edges[tree, head.edges + k]
        edge.child = node_of(trees, tree, trees.found[k])
        edge.visits, edge.prior, edge.worth = 0, 0.0, 0.0
    head.edges += count


@template
def weigh_edges(trees, tree, temperature):
    """Priors of the leaf's turns: a softmax of what they are worth to who moves there."""
    node, mover = trees.heads[tree].leaf, trees.states[tree, trees.heads[tree].leaf].mover
    leaf, edges, total, most = trees.nodes[tree, node], trees.edges[tree], 0.0, -np.inf
    for edge in range(leaf.first, leaf.first + leaf.count):
        child = edges[edge].child
        worth = trees.nodes[tree, child].value
        edges[edge].prior = worth if trees.states[tree, child].mover == mover else -worth
        most = max(most, edges[edge].prior)
    for edge in range(leaf.first, leaf.first + leaf.count):
        edges[edge].prior = np.exp((edges[edge].prior - most) / temperature)
        total += edges[edge].prior
    for edge in range(leaf.first, leaf.first + leaf.count):
        edges[edge].prior /= total


@template
def finish(trees, tree):
    """What the leaf is worth goes up the path; the sign changes where the player does."""
    head = trees.heads[tree]
    leaf, state = trees.nodes[tree, head.leaf], trees.states[tree, head.leaf]
    worth = leaf.value
    if leaf.over != 0:
        returns(state, trees.payoffs)
        worth = trees.payoffs[state.mover]
    node = head.root
    for k in range(head.length):
        arm = trees.edges[tree, trees.paths[tree, k]]
        gain = worth if trees.states[tree, node].mover == state.mover else -worth
        arm.worth += (gain - arm.worth) / (arm.visits + 1)
        arm.visits += 1
        trees.nodes[tree, node].visits += 1
        node = arm.child
    head.sims += 1
    head.leaf = NONE


# ------------------------------------------------------------------------------------------------ many trees

PLANES = 11


@template
def see(state, places, side, out):
    """The published planes, from the side of who moves: own E, M, G, the rival's, food, tokens that each still needs,
    organisms still to act, and a constant."""
    me, area = 1 + state.mover, side * side
    limit = state.params.token_limit
    out[:] = 0
    out[7 * area : 8 * area] = limit - state.tokens[state.mover]
    out[8 * area : 9 * area] = limit - state.tokens[1 - state.mover]
    out[10 * area :] = 1
    for cell in range(places.shape[0]):
        piece, place = state.piece[cell], places[cell]
        if piece >> 2 in (1, 2):
            kind = (0, 2, 1)[piece & 3]
            out[(kind if piece >> 2 == me else 3 + kind) * area + place] = 1
        out[6 * area + place] = min(state.food[cell], 127)
        out[9 * area + place] = state.role[cell] != 0


@template
def wave(trees, sims, c, temperature, values, places, side, out):
    """Take the values that were waited for, then go on until every tree waits or is done; how many positions do.
    Values and planes lie tree by tree, in the order of the nodes."""
    row, rows = 0, 0
    for tree in range(trees.heads.shape[0]):
        head = trees.heads[tree]
        if head.leaf != NONE and values.shape[0] > 0:
            for node in range(head.new, head.nodes):
                trees.nodes[tree, node].value = values[row]
                row += 1
            weigh_edges(trees, tree, temperature)
    for tree in range(trees.heads.shape[0]):
        head = trees.heads[tree]
        if roll_out(trees, tree, sims, c, temperature) == 0:
            continue
        for node in range(head.new, head.nodes):
            see(trees.states[tree, node], places, side, out[rows])
            rows += 1
    return rows


@template
def chosen_edge(trees, tree, sampled, rng):
    """The edge of the root that is played: by its share of the visits, or the one with most."""
    root, edges = trees.nodes[tree, trees.heads[tree].root], trees.edges[tree]
    total, best = 0, root.first
    for edge in range(root.first, root.first + root.count):
        total += edges[edge].visits
        if edges[edge].visits > edges[best].visits:
            best = edge
    left = total * uniform(rng) if sampled else 0.0
    for edge in range(root.first, root.first + root.count):
        left -= edges[edge].visits
        if sampled and left < 0.0:
            return edge
    return best
