"""Organism: what an organism may do, and what that does."""

import numpy as np

from ludus.games._organism_board import (
    ABSORBED,
    ACT,
    ACTING,
    ALWAYS,
    AROUND,
    BOARD,
    CELLS,
    CHOOSE,
    DECLARE,
    DONE,
    EAT,
    EMPTY,
    FIRST_ORDER,
    FROM,
    GIVE,
    GLOBAL,
    GONE,
    GROW,
    GROWN_ABSORBS,
    GROWTH,
    HALF,
    MOVE,
    NEIGHBOUR,
    NEVER,
    NONE,
    ONE,
    ORDERS,
    ORGANISM,
    PASS,
    PAY,
    PAYMENT,
    PILE,
    PILES,
    PLAIN,
    PUSH,
    PUSHED,
    RECEIVE,
    ROOM,
    SPENT,
    SUPPLY,
    TAKE,
    WAITING,
    WITHIN_ORGANISM,
    below_limit,
    count_acting,
    flood,
    grower_food,
    is_alive,
    is_mobile,
    may_grow_at,
    may_move_to,
)
from ludus.rules import rule

# ------------------------------------------------------------------------------------------------ menus
# Each writes actions to `out` and returns their number. Those that may get long stop once there are `enough`.


@rule
def options(state, out, enough):
    if state.phase == ACT:
        return action_options(state, out, enough)
    if state.phase == DECLARE:
        return declarations(state, out)
    if state.phase == CHOOSE:
        return organism_options(state, out)
    if state.phase == RECEIVE:
        return receivers(state, state.source, out, enough)
    if state.phase == PUSH:
        return push_options(state, out)
    if state.phase == PAY:
        return payers(state, out)
    for k in range(6):
        out[k] = GLOBAL * CELLS[state.params.rings] + FIRST_ORDER + k
    return 6


@rule
def organism_options(state, out):
    cells = CELLS[state.params.rings]
    seen = np.zeros(ROOM, np.int8)
    group = np.empty(ROOM, np.int32)
    n = 0
    for cell in range(cells):
        if state.role[cell] == WAITING and seen[cell] == 0:
            flood(state, cell, True, seen, group)
            out[n] = ORGANISM * cells + cell
            n += 1
    return n


@rule
def declarations(state, out):
    n = 0
    for kind in range(3):
        if count_acting(state, kind) > 0:
            out[n] = GLOBAL * CELLS[state.params.rings] + kind
            n += 1
    return n


@rule
def action_options(state, out, enough):
    cells = CELLS[state.params.rings]
    n = grow_options(state, out, enough) if state.declared == GROW else 0
    for cell in range(cells):
        if n >= enough:
            return n
        if state.role[cell] == ACTING:
            if state.declared == MOVE:
                n += move_options(state, cell, out[n:])
            elif state.declared == EAT and state.piece[cell] & 3 == EAT:
                n += eat_options(state, cell, out[n:])
            if state.food[cell] > 0 and receivers(state, cell, out[n:], 1) > 0:
                out[n] = GIVE * cells + cell
                n += 1
    if state.params.passing == ALWAYS or (n == 0 and state.params.passing != NEVER):
        out[n] = GLOBAL * cells + PASS
        n += 1
    return n


@rule
def eat_options(state, cell, out):
    cells = CELLS[state.params.rings]
    if not below_limit(state.food[cell], state.params.eat_limit):
        return 0
    n = 0
    plain = state.params.eat_from == SUPPLY
    for d in range(6):
        near = NEIGHBOUR[cell, d]
        if state.piece[near] == EMPTY and state.params.eat_from != SUPPLY:
            if state.food[near] > 0:
                out[n] = (FROM + d) * cells + cell
                n += 1
            elif state.params.eat_from == PILES:
                plain = True
    if plain:
        out[n] = PLAIN * cells + cell
        n += 1
    return n


@rule
def move_options(state, cell, out):
    if state.food[cell] == 0 or not is_mobile(state, cell):
        return 0
    n = 0
    for d in range(6):
        if may_move_to(state, NEIGHBOUR[cell, d], state.piece[cell]):
            out[n] = d * CELLS[state.params.rings] + cell
            n += 1
    # The test of the whole group is the dearest, so it comes last.
    return n if n == 0 or not state.params.move_alive or is_alive(state, cell) else 0


@rule
def grow_options(state, out, enough):
    cells = CELLS[state.params.rings]
    purse = grower_food(state)
    affordable = 0
    for kind in range(3):
        if count_acting(state, kind) <= purse:
            affordable |= 1 << kind
    n = 0
    for cell in range(cells):
        if n >= enough or affordable == 0:
            break
        if next_to_acting_grower(state, cell) and may_grow_at(state, cell, 1 + state.mover):
            for kind in range(3):
                if affordable >> kind & 1:
                    out[n] = (GROWTH + kind) * cells + cell
                    n += 1
    return n


@rule
def next_to_acting_grower(state, cell):
    for d in range(6):
        near = NEIGHBOUR[cell, d]
        if state.role[near] == ACTING and state.piece[near] & 3 == GROW:
            return True
    return False


@rule
def receivers(state, source, out, enough):
    """Elements that may be given food by the one at `source`: its organism's, or any own ones next to it."""
    cells = CELLS[state.params.rings]
    within = state.params.reach == WITHIN_ORGANISM
    n = 0
    for k in range(cells if within else 6):
        cell = k if within else NEIGHBOUR[source, k]
        reached = state.role[cell] == ACTING and cell != source
        if not within:
            reached = state.piece[cell] >> 2 == 1 + state.mover
        if reached and below_limit(state.food[cell], state.params.hold_limit):
            out[n] = TAKE * cells + cell
            n += 1
            if n == enough:
                break
    return n


@rule
def push_options(state, out):
    # The mover has not left its cell yet, so the pile cannot go there.
    n = 0
    for d in range(6):
        near = NEIGHBOUR[state.spot, d]
        if state.piece[near] == EMPTY:
            out[n] = PILE * CELLS[state.params.rings] + near
            n += 1
    return n


@rule
def payers(state, out):
    cells = CELLS[state.params.rings]
    n = 0
    for cell in range(cells):
        if state.role[cell] == ACTING and state.piece[cell] & 3 == GROW and state.food[cell] > 0:
            out[n] = PAYMENT * cells + cell
            n += 1
    return n


# ------------------------------------------------------------------------------------------------ playing an action


@rule
def play(state, action):
    cells = CELLS[state.params.rings]
    plane = action // cells
    cell = action % cells  # or the number of an action after the planes
    if state.phase == ACT:
        act(state, plane, cell)
    elif state.phase == DECLARE:
        declare(state, cell)
    elif state.phase == CHOOSE:
        choose(state, cell)
    elif state.phase == RECEIVE:
        circulate(state, state.source, cell)
    elif state.phase == PUSH:
        state.food[cell] += state.food[state.spot]
        state.food[state.spot] = 0
        shift(state, state.source, state.spot)
    elif state.phase == PAY:
        state.food[cell] -= 1
        state.owed -= 1
        if state.owed == 0:
            sprout(state, state.growth, state.spot)
    else:
        introduce(state, cell - FIRST_ORDER)


@rule
def introduce(state, order):
    for k in range(3):
        for d in range(6):  # the homes are next to each other, so this clears them too
            near = NEIGHBOUR[state.homes[state.mover, k], d]
            if state.piece[near] != GONE and (state.piece[near] != EMPTY or state.params.clearing == AROUND):
                state.piece[near] = EMPTY
                state.food[near] = 0
    for k in range(3):
        put(state, state.homes[state.mover, k], state.mover, ORDERS[order, k])
        state.role[state.homes[state.mover, k]] = WAITING
    state.phase = CHOOSE


@rule
def put(state, cell, player, kind):
    state.piece[cell] = 4 * (1 + player) + kind
    state.food[cell] = state.params.start_food + player * state.params.second_food


@rule
def choose(state, cell):
    group = np.empty(ROOM, np.int32)
    for k in range(flood(state, cell, True, np.zeros(ROOM, np.int8), group)):
        state.role[group[k]] = ACTING
    state.phase = DECLARE


@rule
def declare(state, kind):
    state.declared = kind
    state.left = count_acting(state, kind)
    if state.params.action_limit > 0:
        state.left = min(state.left, state.params.action_limit)
    state.phase = ACT


@rule
def act(state, plane, cell):
    if plane < FROM:
        move(state, cell, NEIGHBOUR[cell, plane])
    elif plane < PLAIN:
        eat(state, cell, NEIGHBOUR[cell, plane - FROM])
    elif plane == PLAIN:
        state.food[cell] += 1
        spend(state)
    elif plane < PAYMENT:
        grow(state, plane - GROWTH, cell)
    elif plane == GIVE:
        state.source = cell
        state.phase = RECEIVE
    else:  # a pass
        spend(state)


@rule
def spend(state):
    """An action is over."""
    state.source = NONE
    state.spot = NONE
    state.growth = NONE
    state.left -= 1
    state.phase = ACT if state.left > 0 else DONE


@rule
def eat(state, cell, near):
    taken = 1 if state.params.eat_from == BOARD else int(state.food[near])
    state.food[near] -= taken
    state.food[cell] += taken if state.params.eat_from == BOARD else 1 + taken
    spend(state)


@rule
def circulate(state, source, cell):
    amount = int(state.food[source])
    if state.params.flow == ONE:
        amount = 1
    elif state.params.flow == HALF:
        amount = (amount + 1) // 2
    state.food[source] -= amount
    state.food[cell] += amount
    spend(state)


@rule
def move(state, cell, target):
    if state.food[target] > 0 and state.params.move_food == PUSHED:
        for d in range(6):
            if state.piece[NEIGHBOUR[target, d]] == EMPTY:
                state.source = cell
                state.spot = target
                state.phase = PUSH
                return
    if state.params.move_food != ABSORBED:
        state.food[target] = 0
    shift(state, cell, target)


@rule
def shift(state, cell, target):
    state.piece[target] = state.piece[cell]
    state.role[target] = ACTING
    state.food[target] += state.food[cell]
    state.piece[cell] = EMPTY
    state.role[cell] = SPENT
    state.food[cell] = 0
    spend(state)


@rule
def grow(state, kind, cell):
    state.growth = kind
    state.spot = cell
    state.owed = count_acting(state, kind)
    state.phase = PAY
    if state.owed == grower_food(state):  # all must pay all they have
        for payer in range(CELLS[state.params.rings]):
            if state.role[payer] == ACTING and state.piece[payer] & 3 == GROW:
                state.food[payer] = 0
        state.owed = 0
    if state.owed == 0:
        sprout(state, kind, cell)


@rule
def sprout(state, kind, cell):
    state.piece[cell] = 4 * (1 + state.mover) + kind
    state.role[cell] = ACTING
    if state.params.grow_food != GROWN_ABSORBS:
        state.food[cell] = 0
    spend(state)
