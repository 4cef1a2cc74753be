"""How networks see Gravwell: the inputs are a position and one card of the hand, so that one scorer serves all cards.

Only cards are chosen: stacks are picked at random and emergency stops never used. What a card would do depends on what
rivals play before it, so besides the present board the inputs tell what it does on average over some guesses of their
cards.
"""

from __future__ import annotations

import numpy as np

from ludus.agents._networks import output_of
from ludus.agents._scoring import TRIAL, VIEW, WORLD, Scoring
from ludus.agents.gravwell.trees import NORMALS, REPULSORS, any_of, first_in
from ludus.compile import rule
from ludus.games._gravwell_text import CARDS, DRAFT, GO, MOVE, PICK, PULL, STOP, TURNS
from ludus.games.gravwell import attraction, count, list_cards, move, next_to_resolve, settle, unseen_by
from ludus.rng import below, draw

GAIN, RISK, LEAD, DIRECTION, NEXT, ARRIVAL, OUTLOOKS = range(7)
"""What is noted of a card: means over the guesses."""
FOR_POSITION, FOR_CARD = 13, 13
FAR = 20  # a ship farther away than this, or none at all, counts as this far


@rule
def choose_card(player, nets, g, samples, rng, space):
    """The card that the network likes best; random picks, no stops."""
    view = space.states[VIEW]
    if view.phase == STOP:
        return GO
    if view.phase == DRAFT:
        return PICK + any_of(view.face_up, rng)
    n = list_cards(view.hand[player], 0, space.menu)
    if n == 1:
        return space.menu[0]
    space.probe[0] = draw(rng)
    foresee(player, n, samples, space)
    describe_position(view, player, space.values)
    best, best_worth = 0, -np.inf
    for k in range(n):
        describe_card(space.states, player, k, n, space)
        worth = output_of(nets, g, space.values)
        if worth > best_worth:
            best, best_worth = k, worth
    return space.menu[best]


@rule
def foresee(player, n, samples, space):
    """Fill the outlook of the first n cards on the menu: means over guesses of what rivals play before each."""
    view = space.states[VIEW]
    space.notes[:n] = 0.0
    unseen = np.empty(CARDS, np.int32)
    count_unseen = list_cards(unseen_by(view, player), 0, unseen)
    for _ in range(samples):
        space.states[WORLD] = view
        world = space.states[WORLD]
        guess_rivals(world, player, unseen, count_unseen, space.probe)
        k = 0
        while k < n and world.winner == 0:
            rival = next_to_resolve(world)
            limit = world.played[rival] - 1 if rival >= 0 else CARDS
            while k < n and space.menu[k] < limit:  # the menu is in alphabetical order, as cards resolve
                try_card(world, player, k, 1.0 / samples, space)
                k += 1
            if rival >= 0:
                settle(world, rival, False)


@rule
def guess_rivals(world, player, unseen, left, rng):
    """Each rival plays any of its cards; those that the player has not seen are drawn without replacement."""
    for rival in range(world.players):
        if rival == player or world.held[rival] == 0:
            continue
        known = world.hand[rival]
        if below(rng, world.held[rival]) < count(known):
            world.played[rival] = 1 + any_of(known, rng)
        else:
            k = below(rng, left)
            left -= 1
            unseen[k], unseen[left] = unseen[left], unseen[k]
            world.played[rival] = 1 + unseen[left]


@rule
def try_card(world, player, k, weight, space):
    """Play card k of the menu and the rest of the turn in this world; add to its outlook what that leads to."""
    view, outlook = space.states[VIEW], space.notes[k]
    space.states[TRIAL] = world
    trial = space.states[TRIAL]
    trial.played[player] = 1 + space.menu[k]
    mover = player
    while mover >= 0 and trial.winner == 0:
        settle(trial, mover, False)
        mover = next_to_resolve(trial)
    gain = trial.tile[player] - view.tile[player]
    direction = attraction(trial, player)
    outlook[GAIN] += weight * gain
    outlook[RISK] += weight * (gain < 0)
    outlook[LEAD] += weight * lead(trial, player)
    outlook[DIRECTION] += weight * direction
    outlook[NEXT] += weight * best_move(view.hand[player] & ~(1 << space.menu[k]), direction)
    outlook[ARRIVAL] += weight * (trial.winner == 1 + player)


@rule
def best_move(hand, direction):
    """The most that a card of the hand moves a ship onward while it is drawn in this direction."""
    best = -10
    while hand != 0:
        best = max(best, direction * MOVE[first_in(hand)])
        hand &= hand - 1
    return best


@rule
def lead(state, player):
    """Tiles before the best rival."""
    best = 0
    for rival in range(state.players):
        if rival != player:
            best = max(best, state.tile[rival])
    return state.tile[player] - best


@rule
def describe_position(view, player, values):
    n, here = view.players, view.tile[player]
    ahead = behind = FAR
    for ship in range(view.ships):
        distance = view.tile[ship] - here
        if view.tile[ship] > 0 and distance > 0:
            ahead = min(ahead, distance)
        elif view.tile[ship] > 0 and distance < 0:
            behind = min(behind, -distance)
    passed = stops = 0
    for rival in range(n):
        if rival != player:
            passed += view.tile[rival] < here
            stops += view.stops[rival]
    hand = view.hand[player]
    values[0] = 1.0
    values[1] = attraction(view, player)
    values[2] = ahead / 10
    values[3] = behind / 10
    values[4] = abs(ahead - behind) / 10  # how much must move before the direction turns
    values[5] = here / view.params.gate
    values[6] = lead(view, player) / 10
    values[7] = passed / (n - 1)
    values[8] = view.round_no / view.params.rounds
    values[9] = view.turn_no / TURNS
    values[10] = stops / (n - 1)
    values[11] = count(hand & NORMALS) / TURNS
    values[12] = count(hand & REPULSORS) / TURNS


@rule
def describe_card(states, player, k, n, space):
    """Inputs of card k among the n on the menu: what it is, what it does now, what it does on average."""
    card, values = space.menu[k], space.values[FOR_POSITION:]
    view = states[VIEW]
    here = view.tile[player]
    move(view, player, MOVE[card] * attraction(view, player))
    gain = view.tile[player] - here
    view.tile[player] = here
    stronger = 0
    for other in range(n):
        stronger += abs(MOVE[space.menu[other]]) > abs(MOVE[card])
    outlook = space.notes[k]
    values[0] = abs(MOVE[card]) / 10
    values[1] = MOVE[card] > 0
    values[2] = MOVE[card] < 0
    values[3] = PULL[card] / 3
    values[4] = (1 + card) / CARDS
    values[5] = gain / 10
    values[6] = outlook[GAIN] / 10
    values[7] = outlook[RISK]
    values[8] = outlook[DIRECTION]
    values[9] = outlook[ARRIVAL]
    values[10] = stronger / (n - 1)
    values[11] = outlook[LEAD] / 10
    values[12] = outlook[NEXT] / 10


@rule
def pace(state, player):
    """The mean gain of a round, in units of the pace that reaches the gate with the last one. A ship starts on tile 0,
    so its gains add up to its last tile."""
    return state.tile[player] / (1 + state.round_no) / (state.params.gate / state.params.rounds)


SCORING = Scoring(FOR_POSITION + FOR_CARD, choose_card, pace, notes=OUTLOOKS, can_do_without_guesses=True)
