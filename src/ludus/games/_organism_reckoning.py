"""Organism: captures, integrity, tokens and the end."""

import numpy as np

from ludus.games._organism_board import (
    BY_TOKENS,
    BY_VICTIM,
    CANCEL,
    CAPTOR_OF,
    CELLS,
    ELIMINATED,
    EMPTY,
    FROZEN,
    GONE,
    GROW,
    NEIGHBOUR,
    NONE,
    ORGANISMS,
    OVER,
    PER_ELEMENT,
    PER_ORGANISM,
    PER_PLAYER,
    PREY,
    RANKED,
    ROOM,
    SPENT,
    STAY,
    STAY_AND_ONE,
    TIED,
    TO_CAPTOR,
    TOKENS,
    TURN_LIMIT,
    flood,
    is_mobile,
    kinds_in,
    may_grow_at,
    may_move_to,
    next_to,
)
from ludus.rules import rule


@rule
def reckon(state):
    struck = np.zeros(ROOM, np.int8)  # 1: cells of elements that captured; 2: cells of elements that the mover lost
    organisms = np.zeros(2, np.int32)
    capture(state, struck)
    keep_integrity(state, struck, organisms)
    state.turns += 1
    judge(state, organisms)
    if state.phase != OVER and state.params.stalemate and is_frozen(state):
        finish(state, 2 - state.mover, FROZEN)
    if state.phase != OVER and state.turns >= state.params.turn_limit:
        lead = state.tokens[0] - state.tokens[1]
        if state.params.cutoff != BY_TOKENS or lead == 0:
            finish(state, 0, TURN_LIMIT)
        else:
            finish(state, 1 if lead > 0 else 2, TURN_LIMIT)


# ------------------------------------------------------------------------------------------------ captures


@rule
def capture(state, struck):
    if state.params.cycle == CANCEL and has_cycle(state):
        return
    falls = pay_for_pairs(state)
    while falls > 0:
        falls = 0  # in this round; every round may free captors of the next to fall
        for cell in range(CELLS[state.params.rings]):
            piece = state.piece[cell]
            if piece != EMPTY and next_to(state, cell, CAPTOR_OF[piece]) and not next_to(state, cell, PREY[piece]):
                fall(state, cell, struck)
                falls += 1


@rule
def has_cycle(state):
    """Whether captured elements wait for each other to fall: some are left when all have fallen that can."""
    piece = state.piece.copy()
    falls, left = 1, 0
    while falls > 0:
        falls = left = 0
        for cell in range(CELLS[state.params.rings]):
            if piece[cell] != EMPTY and touches(piece, cell, CAPTOR_OF[piece[cell]]):
                if touches(piece, cell, PREY[piece[cell]]):
                    left += 1
                else:
                    piece[cell] = EMPTY
                    falls += 1
    return left > 0


@rule
def touches(pieces, cell, piece):
    for d in range(6):
        if pieces[NEIGHBOUR[cell, d]] == piece:
            return True
    return False


@rule
def pay_for_pairs(state):
    """Count the pairs of captor and victim, also those of a ring in which nobody falls; pay for them if pairs pay."""
    pairs = 0
    for cell in range(CELLS[state.params.rings]):
        piece = state.piece[cell]
        if piece != EMPTY:
            for d in range(6):
                if state.piece[NEIGHBOUR[cell, d]] == PREY[piece]:
                    pairs += 1
                    if state.params.capture_token != BY_VICTIM:
                        state.tokens[(piece >> 2) - 1] += 1
    return pairs


@rule
def fall(state, cell, struck):
    """A captured element leaves the board."""
    captor = CAPTOR_OF[state.piece[cell]]
    captors = 0
    for d in range(6):
        if state.piece[NEIGHBOUR[cell, d]] == captor:
            captors += 1
    share = int(state.food[cell]) // captors if state.params.victim_food == TO_CAPTOR else 0
    for d in range(6):
        near = NEIGHBOUR[cell, d]
        if state.piece[near] == captor:
            struck[near] = 1
            state.food[near] += share
    state.food[cell] -= share * captors
    if state.params.victim_food == STAY_AND_ONE:
        state.food[cell] += 1
    elif state.params.victim_food > STAY:
        state.food[cell] = 0
    state.piece[cell] = EMPTY
    state.role[cell] = SPENT
    if state.params.capture_token == BY_VICTIM:
        state.tokens[(captor >> 2) - 1] += 1


# ------------------------------------------------------------------------------------------------ integrity


@rule
def keep_integrity(state, struck, organisms):
    """Remove broken groups, and count the whole ones of each player."""
    seen = np.zeros(ROOM, np.int8)
    group = np.empty(ROOM, np.int32)
    enemies = 0  # broken organisms of the rival
    for cell in range(CELLS[state.params.rings]):
        owner = (state.piece[cell] >> 2) - 1
        if seen[cell] == 0 and state.piece[cell] != EMPTY and state.piece[cell] != GONE:
            count = flood(state, cell, False, seen, group)
            if kinds_in(state, group, count) == 7:
                organisms[owner] += 1
            else:
                dissolve(state, group, count, owner, struck)
                enemies += 1 if owner != state.mover else 0
    if state.params.integrity_token == PER_ORGANISM:
        state.tokens[state.mover] += enemies
    elif state.params.integrity_token == PER_PLAYER:
        state.tokens[state.mover] += min(enemies, 1)
    if organisms[state.mover] == 0 and not state.params.wipe_food:
        for cell in range(CELLS[state.params.rings]):
            if struck[cell] == 2:
                state.food[cell] = 0


@rule
def dissolve(state, group, count, owner, struck):
    sacrificed = False
    for k in range(count):
        cell = group[k]
        state.piece[cell] = EMPTY
        state.role[cell] = SPENT
        state.food[cell] += 1
        if owner == state.mover:
            sacrificed = sacrificed or struck[cell] == 1
            struck[cell] = 2
    if state.params.integrity_token == PER_ELEMENT:
        state.tokens[1 - owner] += count
    if sacrificed and state.params.sacrifice:
        state.tokens[1 - owner] += 1


# ------------------------------------------------------------------------------------------------ the end


@rule
def judge(state, organisms):
    """Look for a winner: the first of the conditions that a player fulfils is why."""
    first = second = 0
    for condition in range(ELIMINATED, TOKENS + 1):
        of_first = surplus(state, 0, organisms, condition)
        of_second = surplus(state, 1, organisms, condition)
        if state.params.contest == RANKED:
            if first > 0 or second > 0:
                break
            best = max(of_first, of_second)
            of_first = of_first if of_first == best else -1
            of_second = of_second if of_second == best else -1
        first = condition if first == 0 and of_first >= 0 else first
        second = condition if second == 0 and of_second >= 0 else second
    if first > 0 and second > 0:
        finish(state, (2 - state.mover, 1 + state.mover, 0)[state.params.tie], TIED)
    elif first > 0:
        finish(state, 1, first)
    elif second > 0:
        finish(state, 2, second)


@rule
def surplus(state, player, organisms, condition):
    """By how much a player fulfils a condition; negative if not."""
    if condition == TOKENS:
        return token_surplus(state, player)
    if condition == ORGANISMS:
        return organisms[player] - state.params.organism_limit if state.params.organism_limit > 0 else -1
    return 0 if state.params.elimination and organisms[1 - player] == 0 else -1


@rule
def token_surplus(state, player):
    if state.params.token_limit == 0:
        return -1
    return state.tokens[player] - state.params.token_limit - (1 - player) * state.params.handicap


@rule
def is_frozen(state):
    """Whether no element, however well fed, can ever move or grow, and no centre will bring tokens either."""
    if state.piece[0] != EMPTY:
        return False
    sides = 0
    for cell in range(CELLS[state.params.rings]):
        piece = state.piece[cell]
        if piece != EMPTY and piece != GONE:
            sides |= piece >> 2
            mobile = is_mobile(state, cell)
            for d in range(6):
                near = NEIGHBOUR[cell, d]
                if mobile and may_move_to(state, near, piece):
                    return False
                if piece & 3 == GROW and may_grow_at(state, near, piece >> 2):
                    return False
    return sides == 3  # a player without elements can introduce some


@rule
def finish(state, winner, ending):
    state.winner = winner
    state.ending = ending
    state.phase = OVER
    state.declared = NONE
    state.left = 0
    for cell in range(CELLS[state.params.rings]):
        state.role[cell] = SPENT
