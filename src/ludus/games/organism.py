"""Organism.

A game by Ryan Spangler for two players on a hexagonal board. Its rules were published in several states; the presets
below are those states. Each player leads organisms that eat, grow and move, and tries to break up those of the rival.

*Board.* Rings of cells round a centre, three to seven rings. A cell is named by the letter of its ring and its step
along it, counted counter-clockwise from the east. The cells of three rings, and their numbers:

            c4  c3  c2                   11  10   9            The cells of a ring follow those of the ring within it,
          c5  b2  b1  c1               12   3   2   8          so a cell has the same number on every board. Six
        c6  b3  a0  b0  c0           13   4   0   1   7        directions: 0 east, 1 north-east, 2 north-west, 3 west,
          c7  b4  b5  c11              14   5   6  18          4 south-west, 5 south-east.
            c8  c9  c10                  15  16  17

*Elements.* A cell holds at most one element: E (eat), G (grow) or M (move), of one player. Food lies on cells; what
lies under an element is that element's. The elements of one player that hang together are an organism.

*Turn.* Each of the player's organisms acts once, in an order of the player's choice. It declares one of its kinds and
gets as many actions as it has elements of that kind at that moment. Each action is the declared one or a circulation:
    eat        an E takes food from an empty cell next to it;
    grow       a new element of kind X comes to an empty cell next to one of the organism's G, unless an enemy is next
               to that cell. It costs as much food as the organism has X already; the player says which G pay for it;
    move       an element that holds food, and is an M or next to an own M, goes to an empty cell next to it and takes
               its food along. The food is needed, not used up. An organism may tear itself apart;
    circulate  an element hands food to another.
An element belongs to the organism it belonged to when the turn began, wherever it goes, and a new one to that which
grew it. What leaves no choice is done without asking: the only organism, payer, receiver or place for a pushed pile,
and a pass where nothing else is left.

*Reckoning.* After the actions of every organism (`reckoning=organism`) or once a turn (`turn`):
    1. Capture. E captures G, G captures M, M captures E, if they are neighbours and enemies. First go captured elements
       that capture nobody, then those whose victims are gone, and so on: every captor strikes before it falls. Elements
       that capture each other in a ring stay, and so do those that would have to wait for one of them; under
       `cycle=cancel` a single such ring cancels all captures of this reckoning.
    2. Integrity. Every group of connected elements that lacks E, G or M is removed, whoever owns it. Each of its cells
       keeps its food and gets one more.
    3. The end of the game is looked for.
After an organism's reckoning organisms are found anew, and those with an element that has not acted are still to act.

*Tokens* are points. A capture pays one for each pair of captor and victim, even in a ring (`capture_token=pair`), or
one for each element that falls (`victim`). Broken integrity pays one for each removed element to the other player, even
if its owner did it (`integrity_token=element`), or the player on turn one for each enemy organism (`organism`), one if
there was any (`player`), or nothing. `sacrifice`: if an own organism with an element that has just captured breaks up,
the rival gets one. `centre_tokens` go to who has an element on the centre when his turn begins, and may win at once.

*End.* A player wins with no enemy element left (`elimination`), with `token_limit` tokens or with `organism_limit`
organisms. If both players win, the one who did not just move does (`tie`); under `contest=ranked` organisms are counted
before tokens and the larger surplus wins, and only equality is a tie. After `turn_limit` reckonings the game is a draw,
or goes to the player with more tokens (`cutoff`).

*Start.* `placed`: three elements a player, E, M, G along the outer ring from `start_step`, the rival's opposite; food
on every cell by ring (`food_0` for the centre, …). `introduced`: the board is empty; a player who begins a turn without
an element puts E, G and M on three home cells, in any order, and then plays on. Elements on and next to the homes
vanish, and so does the food on the homes (and, under `clearing=around`, next to them).

*Options.* An E below `eat_limit` takes one food of the board (`eat_from`), or one more than the pile on a cell, which
may be none, or one from the supply. Circulation moves one food, half (rounded up) or all (`flow`), to an own neighbour
or within the organism (`reach`), to an element below `hold_limit`. Food where an element moves to is pushed on as one
pile to an empty cell next to it, if there is any, or absorbed or destroyed (`move_food`); where one grows it is
destroyed or absorbed (`grow_food`). A victim's food goes to its captors (in equal parts; the remainder stays), stays
with one more, stays, or vanishes (`victim_food`). `wipe_food=off`: a player who loses everything by broken integrity in
his own turn leaves no food behind. `move_blocked` forbids moves to a cell next to an enemy of the same kind;
`move_alive` asks for E, G and M in the mover's group. `passing`: an action may be passed only if stuck, always, or
never, and then who is stuck has lost. `stalemate`: who leaves a board on which nobody, however well fed, could move or
grow again has lost, unless the centre is taken. `notches` cut the corners off the board. A limit of 0 is none.

*Presets.* PE (also the default) is the game as the paper of Sun and Spangler (2019) describes it, won by elimination.
P is the game that its program played, P4 and P5 the same on more rings; PO is the program a month later. BOOK is the
printed rule book of 2021, its gaps filled from the web game: passing is free and five tokens win. M is the web game as
first written, T as tightened in 2026.

*Actions.* With n cells: plane * n + cell, and after the 21 planes ten more, from 21 * n.
    0-5    move the element here in that direction           16     pay one food from the G here
    6-11   the E here eats from the cell in that direction   17 18  circulate: hand over from here; to here
    12     the E here eats without touching a pile           19     act with the organism whose lowest cell this is
    13-15  grow E, G, M here                                 20     push the food to here
    21 * n + 0-2: declare E, G, M    + 3: pass    + 4-9: introduce EGM, EMG, GEM, GME, MEG, MGE on the homes in order
In notation: `declare E`, `move c1 b1`, `eat c1 c0`, `eat c1`, `grow E b1`, `pay c3`, `circulate c1` and then `to c2`,
`organism c1`, `push b2`, `introduce EGM`, `pass`.

*Positions* are written as lines like `player: first`, then the board as above: E, G, M for the first player, e, g, m
for the second, `.` for an empty cell, `#` for one cut off; then its food, then `*` if it acts now, `+` if it will.
"""

import numpy as np

from ludus.games._organism_actions import options, play, put
from ludus.games._organism_board import (
    ACT,
    ACTING,
    CELLS,
    CHOOSE,
    DECLARE,
    DONE,
    EMPTY,
    FIRST_ORDER,
    GLOBAL,
    GONE,
    INTRODUCE,
    INTRODUCED,
    NONE,
    ONCE_A_TURN,
    OVER,
    PASS,
    PAY,
    PLACED,
    PUSH,
    RECEIVE,
    RING,
    ROOM,
    SPENT,
    STUCK,
    SYMMETRIES,
    TOKENS,
    WAITING,
    flood,
    reflect,
    reflect_action,
)
from ludus.games._organism_reckoning import finish, reckon, token_surplus
from ludus.games._organism_text import action_kind, action_text, outcome_text, parse_action, parse_state, state_text
from ludus.rules import Facts, Param, Params, choice, record, rule, switch
from ludus.shapes import hexagons, planes

# The notation and the symmetries belong to the game, though they are written elsewhere.
__all__ = [
    "SYMMETRIES",
    "action_kind",
    "action_text",
    "outcome_text",
    "parse_action",
    "parse_state",
    "reflect",
    "reflect_action",
    "state_text",
]

PARAMS = Params(
    rings=Param(3, 3, 7, help="rings of the board, the centre counted"),
    notches=switch(False, help="the board has no corner cells (five rings and more)"),
    start=choice("placed", "introduced", help="elements begin on the board, or are introduced on home cells"),
    start_step=Param(1, 0, 5, help="placed: step of the first element along the outer ring"),
    start_food=Param(1, 0, 3, help="food of an element that is placed or introduced"),
    second_food=Param(0, 0, 3, help="that much more for each such element of the second player"),
    food_0=Param(3, 0, 9, help="food on the centre at the start"),
    food_1=Param(2, 0, 9, help="food on every cell of the ring round the centre"),
    food_2=Param(1, 0, 9, help="and so on outwards"),
    food_3=Param(1, 0, 9, help="food on ring d"),
    food_4=Param(1, 0, 9, help="food on ring e"),
    food_5=Param(1, 0, 9, help="food on ring f"),
    food_6=Param(1, 0, 9, help="food on ring g"),
    clearing=choice("homes", "around", help="where an introduction destroys free food"),
    action_limit=Param(0, 0, 9, help="most actions of an organism a turn; 0: as many as it has elements of the kind"),
    passing=choice("stuck", "always", "never", help="when an action may be passed; never: who is stuck has lost"),
    eat_from=choice("board", "pile", "supply", help="one food of a cell, one and its whole pile, one from nowhere"),
    eat_limit=Param(3, 0, 99, help="an E eats only below this; 0: always"),
    hold_limit=Param(3, 0, 99, help="circulation only to an element below this; 0: to all"),
    flow=choice("one", "half", "all", help="food that a circulation moves"),
    reach=choice("adjacent", "organism", help="how far it moves it"),
    grow_near_enemy=switch(False, help="elements may grow next to an enemy"),
    grow_food=choice("destroy", "absorb", help="what happens to food where an element grows"),
    move_blocked=switch(False, help="no moves to a cell next to an enemy of the same kind"),
    move_alive=switch(False, help="only elements whose group has E, G and M move"),
    move_food=choice("push", "absorb", "destroy", help="what happens to food where an element moves to"),
    reckoning=choice("organism", "turn", help="captures and integrity after every organism, or once a turn"),
    victim_food=choice("captor", "stay+1", "stay", "vanish", help="where the food of a captured element goes"),
    cycle=choice("stay", "cancel", help="what a ring of captures does: those in it stay, or all captures are off"),
    capture_token=choice("pair", "victim", help="what a capture pays for"),
    integrity_token=choice("element", "organism", "player", "none", help="what broken integrity pays for"),
    sacrifice=switch(False, help="a token to the rival if an organism that captured breaks up"),
    wipe_food=switch(True, help="a player who loses everything on his own turn leaves food behind"),
    centre_tokens=Param(0, 0, 2, help="tokens at the start of a turn for an element on the centre"),
    token_limit=Param(0, 0, 20, help="tokens that win; 0: no number does"),
    handicap=Param(0, 0, 9, help="tokens that the first player needs above that"),
    organism_limit=Param(0, 0, 9, help="organisms that win; 0: no number does"),
    elimination=switch(True, help="who has the only elements on the board wins"),
    contest=choice("together", "ranked", help="whether organisms count before tokens, and a larger surplus wins"),
    tie=choice("next", "mover", "draw", help="who wins if both do; next: who did not just move"),
    turn_limit=Param(60, 10, 500, help="reckonings after which the game is cut off"),
    cutoff=choice("draw", "tokens", help="what a cut off game is"),
    stalemate=switch(False, help="who freezes the board for good has lost"),
)

_NO_FOOD = {f"food_{ring}": 0 for ring in range(7)}
_PROGRAM = {"token_limit": 3, "organism_limit": 2}
_WEB = _NO_FOOD | {
    "rings": 4,
    "start": "introduced",
    "eat_limit": 0,
    "reach": "organism",
    "grow_food": "absorb",
    "move_blocked": True,
    "move_alive": True,
    "move_food": "absorb",
    "reckoning": "turn",
    "victim_food": "stay+1",
    "capture_token": "victim",
    "integrity_token": "player",
    "sacrifice": True,
    "centre_tokens": 1,
    "token_limit": 5,
    "organism_limit": 3,
    "elimination": False,
    "contest": "ranked",
    "turn_limit": 400,
    "passing": "always",
}
_ONLINE = {"eat_from": "pile", "flow": "half", "hold_limit": 0, "cycle": "cancel"}
PRESETS = {
    "PE": {},
    "P": _PROGRAM,
    "P4": {"rings": 4, "food_0": 5, "food_1": 3, "food_2": 2, "token_limit": 5, "organism_limit": 3},
    "P5": {"rings": 5, "food_0": 5, "food_1": 3, "food_2": 2, "token_limit": 7, "organism_limit": 3},
    "PO": _PROGRAM | _NO_FOOD | {"food_0": 3, "food_1": 1, "move_blocked": True, "passing": "never", "turn_limit": 50},
    "BOOK": _WEB | {"eat_from": "supply", "integrity_token": "organism"},
    "M": _WEB | _ONLINE,
    "T": _WEB | _ONLINE | {"eat_limit": 5, "passing": "stuck", "wipe_food": False, "stalemate": True},
}

ACTIONS_LEFT = "left"

# Longest menu: on seven rings 342 pairs of neighbours to eat between, and two entries more for each of 126 elements.
# Longest turn: each of 126 elements acts, and each action is one choice and at most 126 payments.
MENU = 600
FACTS = Facts("Organism", players=(2, 2), max_actions=MENU, max_plies=500 * 127 * 127, version="2")

State = record(
    params=PARAMS,
    players=np.int32,
    phase=np.int32,
    mover=np.int32,  # the player on turn, or whose turn was the last
    turns=np.int32,  # reckonings so far
    declared=np.int32,  # kind, or NONE
    left=np.int32,  # actions that the acting organism still has
    source=np.int32,  # cell that hands over food (RECEIVE) or moves (PUSH), else NONE
    spot=np.int32,  # cell to grow into (PAY) or move to (PUSH), else NONE
    growth=np.int32,  # kind that grows there (PAY), else NONE
    owed=np.int32,  # food still to pay for it
    winner=np.int32,  # 1 + player; 0 while nobody has won
    ending=np.int32,  # why the game is over; 0 while it goes on
    tokens=(np.int32, 2),
    homes=(np.int32, (2, 3)),  # zero unless elements are introduced
    piece=(np.int8, ROOM),  # EMPTY, 4 * (1 + player) + kind, or GONE where the board has no cell
    role=(np.int8, ROOM),  # of the mover's elements: SPENT, ACTING or WAITING; 0 elsewhere
    food=(np.int32, ROOM),
)


def objection(params, players):
    if params.notches and params.rings < 5:
        return "a board with notches has five rings or more"
    side = int(params.rings) - 1
    if params.notches and not params.start and any((int(params.start_step) + k) % side == 0 for k in range(3)):
        return f"start_step={int(params.start_step)} would place an element on a corner that notches cut off"
    if not params.start and not params.elimination:
        return "without elimination a player whose elements are gone could never play again; use start=introduced"
    if not (params.elimination or params.token_limit or params.organism_limit):
        return "nobody can win without elimination, token_limit or organism_limit"
    return ""


# ------------------------------------------------------------------------------------------------ the course of a match


@rule
def setup(state, rng):
    rings = state.params.rings
    state.declared = NONE
    state.source = NONE
    state.spot = NONE
    state.growth = NONE
    for cell in range(ROOM):
        if cell < CELLS[rings]:
            state.food[cell] = ring_food(state.params, RING[cell])
        else:
            state.piece[cell] = GONE
    outer = rings - 1
    start_step = (rings - 3) // 2 if state.params.start == INTRODUCED else state.params.start_step
    for corner in range(6 * state.params.notches):
        state.piece[CELLS[outer] + corner * outer] = GONE
        state.food[CELLS[outer] + corner * outer] = 0
    for player in range(2):
        for k in range(3):
            cell = CELLS[outer] + (start_step + k + 3 * outer * player) % (6 * outer)
            if state.params.start == INTRODUCED:
                state.homes[player, k] = cell
            else:
                put(state, cell, player, PLACED[k])
    begin_turn(state)
    settle(state)


@rule
def ring_food(params, ring):
    foods = (params.food_0, params.food_1, params.food_2, params.food_3, params.food_4, params.food_5, params.food_6)
    return foods[ring]


@rule
def to_act(state):
    return 0 if state.phase == OVER else 1 << state.mover


@rule
def legal(state, player, out):
    return options(state, out, MENU)


@rule
def step(state, actions, rng):
    play(state, actions[state.mover])
    settle(state)


@rule
def returns(state, out):
    for player in range(2):
        out[player] = 0.0 if state.winner == 0 else 1.0 if state.winner == 1 + player else -1.0


@rule
def begin_turn(state):
    elements = 0
    for cell in range(CELLS[state.params.rings]):
        if state.piece[cell] >> 2 == 1 + state.mover:
            state.role[cell] = WAITING
            elements += 1
    state.phase = INTRODUCE if elements == 0 and state.params.start == INTRODUCED else CHOOSE
    if state.piece[0] >> 2 == 1 + state.mover and state.params.centre_tokens > 0:
        state.tokens[state.mover] += state.params.centre_tokens
        if token_surplus(state, state.mover) >= 0:
            finish(state, 1 + state.mover, TOKENS)


@rule
def end_organism(state):
    state.declared = NONE
    for cell in range(CELLS[state.params.rings]):
        if state.role[cell] == ACTING:
            state.role[cell] = SPENT
    state.phase = CHOOSE
    if state.params.reckoning != ONCE_A_TURN:
        reckon(state)
        if state.phase != OVER:
            find_waiting_anew(state)


@rule
def find_waiting_anew(state):
    """An organism that has taken up elements of another still has to act if any of its elements has."""
    seen = np.zeros(ROOM, np.int8)
    group = np.empty(ROOM, np.int32)
    for cell in range(CELLS[state.params.rings]):
        if state.role[cell] == WAITING and seen[cell] == 0:
            for k in range(flood(state, cell, False, seen, group)):
                state.role[group[k]] = WAITING


@rule
def end_turn(state):
    if state.params.reckoning == ONCE_A_TURN:
        reckon(state)
    if state.phase != OVER:
        for cell in range(CELLS[state.params.rings]):
            state.role[cell] = SPENT
        state.mover = 1 - state.mover
        begin_turn(state)


@rule
def settle(state):
    """Play on until the mover has a choice. An only action of an organism is still shown, a forced pass is not."""
    menu = np.empty(ROOM, np.int32)
    while state.phase != OVER and state.phase != DECLARE and state.phase != INTRODUCE:
        if state.phase == DONE:
            end_organism(state)
            continue
        count = options(state, menu, 2)
        forced_pass = count == 1 and menu[0] == GLOBAL * CELLS[state.params.rings] + PASS
        if count > 1 or (count == 1 and state.phase == ACT and not forced_pass):
            return
        if count == 1:
            play(state, menu[0])
        elif state.phase == CHOOSE:
            end_turn(state)
        else:
            finish(state, 2 - state.mover, STUCK)


# ------------------------------------------------------------------------------------------------ for agents and checks

GENERAL, PER_CELL = 19, 14  # features of the position, and of a cell


def _shapes(rings):
    board = hexagons(rings)
    return planes(PER_CELL, board, extra=GENERAL), planes(GLOBAL, board, extra=FIRST_ORDER + 6)


def shapes(params, players):
    """A policy slot is the number of the action, whose planes are those of the board at hand."""
    return _shapes(int(params.rings))


FEATURES, POLICY = _shapes(7)
SHARE = np.arange(100, dtype=np.float32) / (np.arange(100, dtype=np.float32) + 5)  # of food: no division a cell


@rule
def observe(state, player, out):
    cells = CELLS[state.params.rings]
    out[: PER_CELL * cells + GENERAL] = 0.0
    for cell in range(cells):
        if state.piece[cell] != GONE:
            observe_cell(state, player, cell, cells, out)
    if state.params.start == INTRODUCED:
        for k in range(3):
            out[11 * cells + state.homes[player, k]] = 1.0
            out[12 * cells + state.homes[1 - player, k]] = 1.0
    if state.source != NONE:
        out[9 * cells + state.source] = 1.0
    if state.spot != NONE:
        out[10 * cells + state.spot] = 1.0
    observe_whole(state, player, out[PER_CELL * cells :])


@rule
def observe_whole(state, player, out):
    out[0] = 1.0 if state.mover == player else -1.0
    if state.phase != OVER:
        out[1 + state.phase] = 1.0
    if state.declared != NONE:
        out[8 + state.declared] = 1.0
    if state.growth != NONE:
        out[11 + state.growth] = 1.0
    out[14] = state.left / (state.left + 3.0)
    out[15] = state.owed / (state.owed + 3.0)
    out[16] = token_share(state, player)
    out[17] = token_share(state, 1 - player)
    out[18] = state.turns / state.params.turn_limit


@rule
def token_share(state, player):
    if state.params.token_limit > 0:
        return min(1.0, 1.0 + token_surplus(state, player) / (state.params.token_limit + state.params.handicap))
    return state.tokens[player] / (state.tokens[player] + 5.0)


@rule
def observe_cell(state, player, cell, cells, out):
    piece = state.piece[cell]
    if piece != EMPTY:
        out[((piece & 3) + (0 if piece >> 2 == 1 + player else 3)) * cells + cell] = 1.0
        if state.role[cell] != SPENT:
            out[(6 + state.role[cell]) * cells + cell] = 1.0
    out[6 * cells + cell] = SHARE[min(state.food[cell], 99)]
    out[13 * cells + cell] = 1.0


@rule
def strength(state, player):
    """Elements and their food, with weight on the rarest kind: whose last E, G or M falls loses the organism."""
    kinds = np.zeros(3, np.int32)
    food = 0
    for cell in range(CELLS[state.params.rings]):
        piece = state.piece[cell]
        if piece >> 2 == 1 + player:
            kinds[piece & 3] += 1
            food += min(int(state.food[cell]), 3)
    return 0.1 * kinds.sum() + 0.2 * kinds.min() + 0.02 * food + 1.5 * token_share(state, player)


@rule
def heuristic(state, player):
    if state.phase == OVER:
        return 0.0 if state.winner == 0 else 1.0 if state.winner == 1 + player else -1.0
    lead = strength(state, player) - strength(state, 1 - player)
    return lead / (1.0 + abs(lead))


@rule
def valid(state):
    acting = 0
    for cell in range(ROOM):
        piece = state.piece[cell]
        on_board = cell < CELLS[state.params.rings] and (piece != GONE or state.params.notches == 1)
        if not on_board and (piece != GONE or state.food[cell] != 0):
            return False
        if piece < 0 or piece > GONE or piece in (1, 2, 3, 7, 11) or state.food[cell] < 0:
            return False
        if state.role[cell] != SPENT and piece >> 2 != 1 + state.mover:
            return False
        acting += 1 if state.role[cell] == ACTING else 0
    in_action = state.phase != OVER and state.phase >= ACT
    if (state.left > 0) != in_action or (state.declared != NONE) != in_action:
        return False
    if (acting > 0) != (in_action or state.phase == DECLARE):
        return False
    paying, pushing = state.phase == PAY, state.phase == PUSH
    if (state.owed > 0) != paying or (state.growth != NONE) != paying or (state.spot != NONE) != (paying or pushing):
        return False
    return (state.source != NONE) == (pushing or state.phase == RECEIVE)
