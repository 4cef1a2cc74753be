"""Organism: what lies where. Numbers and names of the record, the geometry of the board, and questions about it."""

import numpy as np

from ludus.rules import rule
from ludus.shapes import hexagons

ROOM = 128  # cells of the largest board, and one that stands for all beyond the edge
OUTSIDE = 127
NONE = -1

INTRODUCE, CHOOSE, DECLARE, ACT, PAY, RECEIVE, PUSH, OVER, DONE = range(9)  # phases; DONE only within a step
EAT, GROW, MOVE = range(3)  # the kinds of elements
EMPTY, GONE = 0, 12  # pieces; an element is 4 * (1 + player) + kind
SPENT, ACTING, WAITING = range(3)  # roles
ELIMINATED, ORGANISMS, TOKENS, TIED, STUCK, FROZEN, TURN_LIMIT = range(1, 8)  # endings

# Planes of actions
FROM, PLAIN, GROWTH, PAYMENT, GIVE, TAKE, ORGANISM, PILE, GLOBAL = 6, 12, 13, 16, 17, 18, 19, 20, 21
PASS, FIRST_ORDER = 3, 4  # among the actions after the planes, which begin with the three declarations

# The named choices of the params, in the order of their declaration
INTRODUCED = AROUND = GROWN_ABSORBS = ONCE_A_TURN = BY_VICTIM = CANCEL = RANKED = BY_TOKENS = WITHIN_ORGANISM = 1
ALWAYS, NEVER = 1, 2
BOARD, PILES, SUPPLY = range(3)
ONE, HALF = 0, 1
PUSHED, ABSORBED = 0, 1
TO_CAPTOR, STAY_AND_ONE, STAY = range(3)
PER_ELEMENT, PER_ORGANISM, PER_PLAYER = range(3)

# ------------------------------------------------------------------------------------------------ geometry

CELLS = np.array([0, 1, 7, 19, 37, 61, 91, 127])  # by number of rings
_RING_STEP = [(0, 0), *((ring, step) for ring in range(1, 7) for step in range(6 * ring))]
RING = np.array([ring for ring, _ in _RING_STEP])


NEIGHBOUR = hexagons(7).neighbours.copy()  # [cell, direction]
NEIGHBOUR[NEIGHBOUR < 0] = OUTSIDE
ORDERS = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])  # of introduced kinds
PLACED = np.array([EAT, MOVE, GROW])
# Of each piece: the enemy piece that it captures, and the one that captures it
PREY, CAPTOR_OF = np.full(13, NONE), np.full(13, NONE)
for _kind in range(3):
    PREY[4 + _kind], PREY[8 + _kind] = 8 + (_kind + 1) % 3, 4 + (_kind + 1) % 3
    CAPTOR_OF[4 + _kind], CAPTOR_OF[8 + _kind] = 8 + (_kind + 2) % 3, 4 + (_kind + 2) % 3


# ------------------------------------------------------------------------------------------------ questions


@rule
def below_limit(food, limit):
    return limit == 0 or food < limit


@rule
def next_to(state, cell, piece):
    for d in range(6):
        if state.piece[NEIGHBOUR[cell, d]] == piece:
            return True
    return False


@rule
def next_to_side(state, cell, side):
    for d in range(6):
        if state.piece[NEIGHBOUR[cell, d]] >> 2 == side:
            return True
    return False


@rule
def count_acting(state, kind):
    wanted = 4 * (1 + state.mover) + kind
    count = 0
    for cell in range(CELLS[state.params.rings]):
        if state.role[cell] == ACTING and state.piece[cell] == wanted:
            count += 1
    return count


@rule
def grower_food(state):
    """What the acting organism can pay."""
    wanted = 4 * (1 + state.mover) + GROW
    total = 0
    for cell in range(CELLS[state.params.rings]):
        if state.role[cell] == ACTING and state.piece[cell] == wanted:
            total += state.food[cell]
    return total


@rule
def flood(state, start, waiting, seen, group):
    """Collect in `group` the elements that hang together with the one at `start`; only waiting ones if so asked."""
    side = state.piece[start] >> 2
    group[0] = start
    seen[start] = 1
    done, count = 0, 1
    while done < count:
        cell = group[done]
        done += 1
        for d in range(6):
            near = NEIGHBOUR[cell, d]
            if seen[near] == 0 and state.piece[near] >> 2 == side and (not waiting or state.role[near] == WAITING):
                seen[near] = 1
                group[count] = near
                count += 1
    return count


@rule
def kinds_in(state, group, count):
    """A mask of the kinds in a group; 7 if it is whole."""
    kinds = 0
    for k in range(count):
        kinds |= 1 << (state.piece[group[k]] & 3)
    return kinds


@rule
def may_grow_at(state, cell, side):
    if state.piece[cell] != EMPTY:
        return False
    return state.params.grow_near_enemy == 1 or not next_to_side(state, cell, 3 - side)


@rule
def may_move_to(state, cell, piece):
    """Whether the cell is empty and not barred for this kind."""
    if state.piece[cell] != EMPTY:
        return False
    return state.params.move_blocked == 0 or not next_to(state, cell, 12 - (piece & 12) + (piece & 3))


@rule
def is_mobile(state, cell):
    """Whether the element is an M or next to one of its own side."""
    piece = state.piece[cell]
    return piece & 3 == MOVE or next_to(state, cell, (piece & 12) + MOVE)


@rule
def is_alive(state, cell):
    """Whether the element's group has E, G and M."""
    group = np.empty(ROOM, np.int32)
    count = flood(state, cell, False, np.zeros(ROOM, np.int8), group)
    return kinds_in(state, group, count) == 7


# ------------------------------------------------------------------------------------------------ symmetries
# Homes are part of the position and turn with the board, so all twelve are exact under all rules.

SYMMETRIES = 12


def _turned(symmetry, ring, step):
    """Where a cell goes: mirrored for symmetry 6 and more, then turned by sixths."""
    along = 5 * ring - step if symmetry >= 6 else step
    return CELLS[ring] + (along + symmetry % 6 * ring) % (6 * ring) if ring else 0


TURNED = np.array([[*(_turned(s, ring, step) for ring, step in _RING_STEP), OUTSIDE] for s in range(SYMMETRIES)])
TURNED_DIRECTION = np.array([[((5 - d if s >= 6 else d) + s) % 6 for d in range(6)] for s in range(SYMMETRIES)])


@rule
def reflect(state, symmetry):
    piece, role, food = state.piece.copy(), state.role.copy(), state.food.copy()
    for cell in range(ROOM):
        state.piece[TURNED[symmetry, cell]] = piece[cell]
        state.role[TURNED[symmetry, cell]] = role[cell]
        state.food[TURNED[symmetry, cell]] = food[cell]
    for player in range(2):
        for k in range(3):
            state.homes[player, k] = TURNED[symmetry, state.homes[player, k]]
    if state.source != NONE:
        state.source = TURNED[symmetry, state.source]
    if state.spot != NONE:
        state.spot = TURNED[symmetry, state.spot]


@rule
def reflect_action(state, symmetry, action):
    cells = CELLS[state.params.rings]
    plane, cell = action // cells, action % cells
    if plane == GLOBAL:
        return action
    if plane == ORGANISM:
        return ORGANISM * cells + lowest_turned(state, symmetry, cell)
    if plane < FROM:
        plane = TURNED_DIRECTION[symmetry, plane]
    elif plane < PLAIN:
        plane = FROM + TURNED_DIRECTION[symmetry, plane - FROM]
    return plane * cells + TURNED[symmetry, cell]


@rule
def lowest_turned(state, symmetry, cell):
    """The lowest cell of an organism on the turned board: its name there."""
    group = np.empty(ROOM, np.int32)
    count = flood(state, cell, True, np.zeros(ROOM, np.int8), group)
    lowest = OUTSIDE
    for k in range(count):
        lowest = min(lowest, TURNED[symmetry, group[k]])
    return lowest
