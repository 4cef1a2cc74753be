"""Gravwell: a race out of a black hole, steered by gravity.

Two to four ships start in the Singularity, tile 0, and want to reach the Warp Gate, tile 54. Any number of ships may
lie in the Singularity; every other tile holds one. Besides the players' ships there are derelict hulks, one on tile
36 with two players, on 26 and 36 with more: they attract like ships but never act.

    0  1  2  …  25 [26] 27 …  35 [36] 37 …  53  54          A match has 6 rounds; a round is a draft and 6 turns.
    Singularity      hulk         hulk         Gate

Fuel. A deck of 26 cards, one for each letter, shuffled anew every round. The letter is the order in which cards
resolve.

    normal    Ar 1  B 2  C 3  Dy 5  Es 2  F 6  Ga 5  H 4  Ir 6  Li 4  Mg 10
              O 7  Pu 5  Ra 9  Si 9  Th 2  V 7  W 8  Y 8  Zr 7
    repulsor  Kr 2  Ne 6  U 5  Xe 3
    tractor   Jo 2  Qt 3

Draft. Three stacks of two cards for each player, one card face up on one face down; the cards left over are seen by
nobody. Whoever is farthest from the gate picks first, the leader last; ships in the Singularity come before all
others, in random order. The same order is gone through three times. A pick takes both cards of a stack, so all see
one of them.

Turn. All players choose a card secretly and reveal together. The cards resolve one by one in alphabetical order, each
on the board as it then is.

  Attraction. A ship is drawn towards the nearest other ship, hulks included. If the nearest ahead and the nearest
  behind are equally far, the side with more ships draws; if that is equal too, or there is no ship, it is stuck.
  Ships in the Singularity neither draw nor count.
  Normal: move that many tiles in the direction of attraction, past the other ship if it comes to that. Repulsor: the
  same in the opposite direction. A stuck ship stays.
  Landing. Only the last tile matters. If it is taken, go on tile by tile in the same direction to the first free one.
  Nobody falls below tile 0.
  Tractor: the ship itself stays. Every other ship, also those in the Singularity, is drawn that many tiles towards
  it, possibly past it, and lands as above: the nearest first, of two equally near the one on the lower tile (in the
  Singularity: by seat, hulks last). A ship on the same tile stays. A hulk never enters the gate; it stops on the
  highest free tile before it.
  Emergency stop, once a round: when a player's card is about to resolve, the player may cancel it; the card is spent.
  It does not help against another's tractor. It is not offered to a stuck ship, except for its own tractor.

End. A ship that would reach tile 54 or go beyond, also by being bumped or pulled, is in the gate and wins at once;
cards still to resolve are void. After the last round the ship nearest the gate wins; among equals, which can only be
in the Singularity, the lot decides.

Actions: 0-25 play the card of that number (Ar is 0, Zr is 25), 26-51 pick the stack that shows it, 52 go on, 53 stop.
In notation a card is its symbol, or the symbol's first letter; the answers to "stop?" are go and stop.

What is known. Everybody sees the face-up cards, who picked them, and every card once it is revealed. Hidden are the
face-down cards and who has which of them. Chosen cards are in no record before all are revealed.

Options (`--rule`): `tractor=noop`, tractors do nothing; `draft=clockwise`, the farthest picks first, then round the
table; `draft=neural`, ships in the Singularity, then the leader first; `limit_winner=neural`, after the last round
the *rearmost* ship outside the Singularity wins; `gate_check=actor`, only the player whose card has resolved (or was
stopped) can win, so a ship pulled into the gate waits there for its own next card, and the gate holds any number of
ships; `pull_from_singularity=off`; `secrets=off`, both cards of a stack lie face up (the variant No Secrets: whoever
remembers the draft knows all hands); `stops_per=game` (the variant Hardcore).
Presets: `paper` and `neural` are the rules that the two published programs really played, both without working
tractors; `no_secrets` and `hardcore` are the variants.
"""

import numpy as np

from ludus.games._gravwell_text import (
    CARDS,
    CHOOSE,
    DRAFT,
    GO,
    HALT,
    HAND,
    MOVE,
    OVER,
    PICK,
    PICKS,
    PULL,
    REARMOST,
    STOP,
    TURNS,
    UNKNOWN,
)
from ludus.games._gravwell_text import action_kind as action_kind
from ludus.games._gravwell_text import action_text as action_text
from ludus.games._gravwell_text import outcome_text as outcome_text
from ludus.games._gravwell_text import parse_action as parse_action
from ludus.games._gravwell_text import parse_state as parse_state
from ludus.games._gravwell_text import state_text as state_text
from ludus.rng import below, shuffle
from ludus.rules import Facts, Param, Params, choice, record, rule, switch

SEATS, SHIPS, MAX_ROUNDS = 4, 6, 12

PARAMS = Params(
    gate=Param(54, 10, 99, help="the tile of the Warp Gate"),
    rounds=Param(6, 1, MAX_ROUNDS, help="rounds in a match"),
    stops=Param(1, 0, 6, help="emergency stops of a player in a round"),
    stops_per=choice("round", "game", help="how long the emergency stops must last"),
    hulk=Param(36, 1, 98, help="the tile of the first hulk"),
    second_hulk=Param(26, 0, 98, help="the tile of the hulk added with three or four players; 0: none"),
    tractor=choice("pull", "noop", help="what a tractor does"),
    pull_from_singularity=switch(True, help="whether tractors draw ships out of the Singularity"),
    gate_check=choice("any", "actor", help="who wins in the gate: any ship, or only the one whose card has resolved"),
    draft=choice("farthest", "clockwise", "neural", help="the order of picks"),
    secrets=switch(True, help="whether the second card of a stack lies face down"),
    limit_winner=choice("nearest", "neural", help="the winner after the last round; neural: rearmost outside tile 0"),
)
PRESETS = {
    "paper": {"tractor": "noop"},
    "neural": {"tractor": "noop", "draft": "neural", "limit_winner": "neural"},
    "no_secrets": {"secrets": "off"},
    "hardcore": {"stops_per": "game"},
}
NOOP = ACTOR = CLOCKWISE = PER_GAME = 1
LEADER_FIRST = 2

FACTS = Facts(
    "Gravwell",
    players=(2, SEATS),
    max_actions=PICKS * SEATS,
    max_plies=MAX_ROUNDS * (PICKS * SEATS + TURNS * (1 + SEATS)),  # in a turn one choice, and one stop a player
    hidden=True,
    chance=True,
    simultaneous=True,
)

# A set of cards is a number: bit c stands for card c.
State = record(
    params=PARAMS,
    players=np.int32,
    ships=np.int32,  # players' ships and hulks
    phase=np.int32,
    round_no=np.int32,  # rounds and turns completed; after the last turn they are not counted on
    turn_no=np.int32,
    picks=np.int32,  # picks made in this draft; 0 when it is over
    winner=np.int32,  # 1 + player, 0 while nobody has won
    tile=(np.int32, SHIPS),  # of the players by seat, then of the hulks, lower tile first
    stops=(np.int32, SEATS),
    order=(np.int32, SEATS),  # of the draft; zeros when it is over
    played=(np.int32, SEATS),  # 1 + the card that is still to resolve, 0 for none
    held=(np.int32, SEATS),  # how many cards each player has, as everybody knows
    hand=(np.int32, SEATS),  # their set; in a view a rival's set is what all have seen of it
    face_up=np.int32,  # the set of cards that show on the stacks; such a card names its stack
    shown=np.int32,  # all cards that everybody has seen this round
    gone=np.int32,  # those of them that were played
    under=(np.int32, CARDS),  # 1 + the card beneath a face-up one, UNKNOWN in a view, 0 where there is no stack
)

# The lowest bit of a set is a power of two, and powers of two all differ modulo 37: much faster than trying 26 bits.
CARD_OF_BIT = np.zeros(37, np.int32)
CARD_OF_BIT[[2**card % 37 for card in range(CARDS)]] = np.arange(CARDS)


# ------------------------------------------------------------------------------------------------ dealing


@rule
def setup(state, rng):
    params, n = state.params, state.players
    state.tile[n] = params.hulk
    state.ships = n + 1
    if n > 2 and params.second_hulk > 0:
        state.tile[n + 1] = params.second_hulk
        state.ships = n + 2
        sort_hulks(state)
    for player in range(n):
        state.stops[player] = params.stops
    deal(state, rng)


@rule
def deal(state, rng):
    """Open a round: stacks on the table, and who picks when."""
    deck = np.arange(CARDS)
    shuffle(rng, deck, CARDS)
    state.face_up = state.shown = state.gone = 0
    for k in range(0, 2 * PICKS * state.players, 2):
        top, under = deck[k], deck[k + 1]
        if not state.params.secrets:
            top, under = min(top, under), max(top, under)  # both are seen: the same stack either way
            state.shown |= 1 << under
        state.face_up |= 1 << top
        state.under[top] = 1 + under
    state.shown |= state.face_up
    state.phase = DRAFT
    set_order(state, rng)


@rule
def set_order(state, rng):
    n, order = state.players, state.order
    for k in range(n):
        order[k] = k
    shuffle(rng, order, n)
    for k in range(1, n):  # insertion sort; it keeps the random order of equals
        player, i = order[k], k
        while i > 0 and queue_place(state, order[i - 1]) > queue_place(state, player):
            order[i] = order[i - 1]
            i -= 1
        order[i] = player
    if state.params.draft == CLOCKWISE:
        first = order[0]
        for k in range(n):
            order[k] = (first + k) % n


@rule
def queue_place(state, player):
    tile = state.tile[player]
    if state.params.draft == LEADER_FIRST and tile > 0:
        return 1 + state.params.gate - tile
    return tile


# ------------------------------------------------------------------------------------------------ moving


@rule
def attraction(state, ship):
    """1 forward, -1 backward, 0 stuck."""
    here = state.tile[ship]
    ahead = behind = 1000
    more_ahead = 0
    for other in range(state.ships):
        distance = state.tile[other] - here
        if state.tile[other] == 0 or distance == 0:
            continue
        if distance > 0:
            ahead = min(ahead, distance)
            more_ahead += 1
        else:
            behind = min(behind, -distance)
            more_ahead -= 1
    balance = behind - ahead if behind != ahead else more_ahead
    return 1 if balance > 0 else -1 if balance < 0 else 0


@rule
def is_taken(state, tile):
    for ship in range(state.ships):
        if state.tile[ship] == tile:
            return True
    return False


@rule
def move(state, ship, distance):
    """Move by a signed distance and land on the first free tile from there on."""
    if distance == 0:
        return
    gate, onward = state.params.gate, 1 if distance > 0 else -1
    tile = state.tile[ship] + distance
    state.tile[ship] = 0  # a ship is no obstacle to itself
    while 0 < tile < gate and is_taken(state, tile):
        tile += onward
    if tile >= gate and ship >= state.players:
        tile = gate - 1
        while is_taken(state, tile):
            tile -= 1
    state.tile[ship] = min(max(tile, 0), gate)


@rule
def pull_all(state, puller, value):
    """A tractor draws every other ship, the nearest first."""
    here = state.tile[puller]
    queue = np.empty(SHIPS, np.int32)
    n = line_up(state, here, queue)
    for k in range(n):
        ship = queue[k] & 7
        move(state, ship, value if state.tile[ship] < here else -value)
        if ship < state.players and state.tile[ship] == state.params.gate and state.params.gate_check != ACTOR:
            state.winner = 1 + ship
            break
    sort_hulks(state)


@rule
def line_up(state, here, queue):
    """The ships that a tractor on `here` draws, sorted; each number holds distance, tile and ship, high to low bits."""
    n = 0
    for ship in range(state.ships):
        tile = state.tile[ship]
        if tile == here or (tile == 0 and not state.params.pull_from_singularity):
            continue
        number = (abs(tile - here) << 7 | tile) << 3 | ship
        i = n
        while i > 0 and queue[i - 1] > number:
            queue[i] = queue[i - 1]
            i -= 1
        queue[i] = number
        n += 1
    return n


@rule
def sort_hulks(state):
    """Hulks are all alike: their order must not make two positions of one."""
    n = state.players
    if state.ships == n + 2 and state.tile[n] > state.tile[n + 1]:
        lower = state.tile[n + 1]
        state.tile[n + 1] = state.tile[n]
        state.tile[n] = lower


# ------------------------------------------------------------------------------------------------ playing


@rule
def to_act(state):
    if state.phase == OVER:
        return 0
    if state.phase == CHOOSE:
        return (1 << state.players) - 1
    return 1 << (picker(state) if state.phase == DRAFT else next_to_resolve(state))


@rule
def picker(state):
    return state.order[state.picks % state.players]


@rule
def next_to_resolve(state):
    """The player of the alphabetically first card that has not resolved; -1 if all have."""
    first, player = CARDS + 1, -1
    for p in range(state.players):
        if 0 < state.played[p] < first:
            first, player = state.played[p], p
    return player


@rule
def legal(state, player, out):
    if state.phase == STOP:
        out[0] = GO
        out[1] = HALT
        return 2
    if state.phase == DRAFT:
        return list_cards(state.face_up, PICK, out)
    return list_cards(state.hand[player], 0, out)


@rule
def list_cards(cards, offset, out):
    n = 0
    while cards != 0:
        out[n] = offset + CARD_OF_BIT[(cards & -cards) % 37]
        cards &= cards - 1
        n += 1
    return n


@rule
def step(state, actions, rng):
    if state.phase == DRAFT:
        player = picker(state)
        take(state, player, actions[player] - PICK)
        return
    if state.phase == CHOOSE:
        for player in range(state.players):
            reveal(state, player, actions[player])
    else:
        player = next_to_resolve(state)
        settle(state, player, actions[player] == HALT)
    resolve(state, rng)


@rule
def take(state, player, top):
    state.hand[player] |= 1 << top | 1 << (state.under[top] - 1)
    state.held[player] += 2
    state.face_up &= ~(1 << top)
    state.under[top] = 0
    state.picks += 1
    if state.face_up == 0:
        state.phase = CHOOSE
        state.picks = 0
        state.order[:] = 0


@rule
def reveal(state, player, card):
    state.played[player] = 1 + card
    state.held[player] -= 1
    state.hand[player] &= ~(1 << card)
    state.gone |= 1 << card
    state.shown |= 1 << card


@rule
def resolve(state, rng):
    """Card after card, until somebody has to decide about a stop."""
    while state.winner == 0:
        player = next_to_resolve(state)
        if player < 0:
            finish_turn(state, rng)
            return
        if state.stops[player] > 0 and (PULL[state.played[player] - 1] > 0 or attraction(state, player) != 0):
            state.phase = STOP
            return
        settle(state, player, False)
    state.phase = OVER


@rule
def settle(state, player, stopped):
    card = state.played[player] - 1
    state.played[player] = 0
    if stopped:
        state.stops[player] -= 1
    elif PULL[card] == 0:
        move(state, player, MOVE[card] * attraction(state, player))
    elif state.params.tractor != NOOP:
        pull_all(state, player, PULL[card])
    if state.tile[player] == state.params.gate:
        state.winner = 1 + player


@rule
def finish_turn(state, rng):
    state.phase = CHOOSE
    if state.turn_no + 1 < TURNS:
        state.turn_no += 1
    elif state.round_no + 1 < state.params.rounds:
        state.round_no += 1
        state.turn_no = 0
        if state.params.stops_per != PER_GAME:
            for player in range(state.players):
                state.stops[player] = state.params.stops
        deal(state, rng)
    else:
        state.phase = OVER
        crown(state, rng)


@rule
def crown(state, rng):
    """The winner after the last round; the lot decides among equals."""
    best, equals = -1, 0
    for player in range(state.players):
        merit = state.tile[player]
        if state.params.limit_winner == REARMOST and merit > 0:
            merit = 1 + state.params.gate - merit
        if merit > best:
            best, equals = merit, 0
        if merit == best:
            equals += 1
            if below(rng, equals) == 0:
                state.winner = 1 + player


@rule
def returns(state, out):
    for player in range(state.players):
        out[player] = 0.0
        if state.winner != 0:
            out[player] = 1.0 if state.winner == 1 + player else -1.0 / (state.players - 1)


# ------------------------------------------------------------------------------------------------ secrets


@rule
def hide(state, player):
    for rival in range(state.players):
        if rival != player:
            state.hand[rival] &= state.shown
    for top in range(CARDS):
        if state.under[top] > 0 and not state.shown >> (state.under[top] - 1) & 1:
            state.under[top] = UNKNOWN


@rule
def determinize(state, player, rng):
    """Deal the cards that the player has not seen: to the hands, under the stacks; what is left is out of play."""
    unseen = np.empty(CARDS, np.int32)
    n = list_cards(unseen_by(state, player), 0, unseen)
    shuffle(rng, unseen, n)
    for rival in range(state.players):
        for _ in range(state.held[rival] - count(state.hand[rival])):
            n -= 1
            state.hand[rival] |= 1 << unseen[n]
    for top in range(CARDS):
        if state.under[top] == UNKNOWN:
            n -= 1
            state.under[top] = 1 + unseen[n]


@rule
def unseen_by(state, player):
    return ((1 << CARDS) - 1) & ~(state.shown | state.hand[player])


@rule
def count(cards):
    n = 0
    while cards != 0:
        cards &= cards - 1
        n += 1
    return n


@rule
def twin(state, player, rng):
    """Exchange two cards that the player has not seen and that lie in different places."""
    unseen = np.empty(CARDS, np.int32)
    n = list_cards(unseen_by(state, player), 0, unseen)
    shuffle(rng, unseen, n)
    for k in range(1, n):
        one, other = place_of(state, unseen[0]), place_of(state, unseen[k])
        if one != other:
            put(state, unseen[0], unseen[k], one)
            put(state, unseen[k], unseen[0], other)
            return True
    return False


OUT_OF_PLAY = SEATS + CARDS


@rule
def place_of(state, card):
    """A hand (by its player), a stack (SEATS + its face-up card), or out of play."""
    for player in range(state.players):
        if state.hand[player] >> card & 1:
            return player
    for top in range(CARDS):
        if state.under[top] == 1 + card:
            return SEATS + top
    return OUT_OF_PLAY


@rule
def put(state, old, new, place):
    """Replace a card in its place."""
    if place < SEATS:
        state.hand[place] = (state.hand[place] & ~(1 << old)) | 1 << new
    elif place < OUT_OF_PLAY:
        state.under[place - SEATS] = 1 + new


@rule
def valid(state):
    return ships_are_valid(state) and cards_are_valid(state) and (state.phase == OVER) == (state.winner != 0)


@rule
def ships_are_valid(state):
    n, gate = state.players, state.params.gate
    for ship in range(state.ships):
        tile = state.tile[ship]
        if tile < 0 or tile > gate or (tile == gate and ship >= n):
            return False
        for other in range(ship):
            if tile == state.tile[other] and 0 < tile < gate:
                return False
    return state.ships <= n + 1 or state.tile[n] <= state.tile[n + 1]


@rule
def cards_are_valid(state):
    """Every card in one place, as many in each place as everybody knows, and all that was seen where it should be."""
    taken, in_play = state.face_up | state.gone, count(state.face_up) + count(state.gone)
    for player in range(state.players):
        taken |= state.hand[player]
        in_play += count(state.hand[player])
        if count(state.hand[player]) != state.held[player]:
            return False
    for top in range(CARDS):
        if (state.under[top] > 0) != (state.face_up >> top & 1) or state.under[top] < 0:
            return False
        if state.under[top] > 0:
            taken |= 1 << (state.under[top] - 1)
            in_play += 1
    open_cards = state.face_up | state.gone
    if open_cards & ~state.shown != 0 or state.shown & ~taken != 0:
        return False
    return in_play == HAND * state.players and count(taken) == in_play


# ------------------------------------------------------------------------------------------------ for agents

FOR_ALL, FOR_SEAT, PLANES = 7, 7, 6
FEATURES, POLICY = FOR_ALL + SEATS * FOR_SEAT + 2 + PLANES * CARDS, HALT + 1


@rule
def observe(state, player, out):
    """Where the match is, every seat from the viewer's on, the hulks, and six planes of cards."""
    params, n = state.params, state.players
    out[:] = 0.0
    out[0] = state.round_no / params.rounds
    out[1] = state.turn_no / TURNS
    if state.phase != OVER:
        out[2 + state.phase] = 1.0
    out[5] = attraction(state, player)
    out[6] = state.picks / (PICKS * n)
    for k in range(n):
        observe_seat(state, (player + k) % n, out[FOR_ALL + k * FOR_SEAT :])
    planes = FOR_ALL + SEATS * FOR_SEAT + 2
    for hulk in range(n, state.ships):
        out[planes - 2 + hulk - n] = state.tile[hulk] / params.gate
    for k in range(n):
        seat = (player + k) % n
        mark(state.hand[seat] if k == 0 else state.hand[seat] & state.shown, 1.0, out[planes + k * CARDS :])
    mark(state.face_up, 1.0, out[planes + 4 * CARDS :])
    for top in range(CARDS):
        if state.under[top] > 0 and state.shown >> (state.under[top] - 1) & 1:
            out[planes + 4 * CARDS + state.under[top] - 1] = 0.5
    mark(state.gone, 1.0, out[planes + 5 * CARDS :])


@rule
def observe_seat(state, seat, out):
    """Seated, tile, stops, turn to pick, and the revealed card: its move, its pull, its letter."""
    out[0] = 1.0
    out[1] = state.tile[seat] / state.params.gate
    out[2] = state.stops[seat] / max(state.params.stops, 1)
    if state.phase == DRAFT:
        for k in range(state.players):
            if state.order[(state.picks + k) % state.players] == seat:
                out[3] = 1.0 - k / state.players
    if state.played[seat] > 0:
        card = state.played[seat] - 1
        out[4] = MOVE[card] / 10
        out[5] = PULL[card] / 10
        out[6] = (1 + card) / CARDS


@rule
def mark(cards, value, plane):
    while cards != 0:
        plane[CARD_OF_BIT[(cards & -cards) % 37]] = value
        cards &= cards - 1


@rule
def heuristic(state, player):
    """The lead over the best rival, in units of 20 tiles."""
    if state.winner != 0:
        return 1.0 if state.winner == 1 + player else -1.0 / (state.players - 1)
    best = 0
    for rival in range(state.players):
        if rival != player:
            best = max(best, state.tile[rival])
    return min(max((state.tile[player] - best) / 20, -1.0), 1.0)


def is_public(state, player, action):
    """Cards are revealed as they are played, stops are called out, and a pick is named by the card that lay face up."""
    return True


def objection(params, players):
    hulks = {"hulk": params.hulk} | ({"second_hulk": params.second_hulk} if players > 2 else {})
    for name, tile in hulks.items():
        if tile >= params.gate:
            return f"{name} {tile} must lie before the gate, tile {params.gate}"
    if len({*hulks.values()}) < len(hulks):
        return f"both hulks are on tile {params.hulk}"
    return ""
