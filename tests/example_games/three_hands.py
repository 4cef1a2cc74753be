"""Three hands, a small game of cards for tests: it has a secret of every kind.

Eleven cards, 0 to 10, and three players. Each gets three cards, one of which lies open on the table; the last two cards
stay face down, and nobody knows them. In turn, each player lays one card on the pile, for all to see. A card that is
higher than the one before it earns points. When all hands are empty, the player with most points wins; equals share.

An action is the number of the card.
"""

import numpy as np

from ludus.errors import BadNotation
from ludus.rng import below, shuffle
from ludus.rules import Facts, Param, Params, record, rule

FACTS = Facts("Three hands", players=(3, 3), max_actions=3, max_plies=9, hidden=True, chance=True)

PARAMS = Params(bonus=Param(1, 0, 5, "points for a card that is higher than the one before it"))
PRESETS = {"rich": {"bonus": 3}}

CARDS = 11
HAND = 3
FACE_DOWN = 2
PILE, DOWN, UNKNOWN = 3, 4, 5

State = record(
    params=PARAMS,
    players=np.int32,
    plies=np.int32,
    top=np.int32,  # the last card on the pile, -1 before the first
    points=(np.int32, 3),
    hand_count=(np.int32, 3),
    place=(np.int32, CARDS),  # 0 … 2 in that player's hand, PILE, DOWN, or UNKNOWN in a view
    open=(np.int32, CARDS),  # 1: lies open before its owner
)


@rule
def setup(state, rng):
    deck = np.arange(CARDS)
    shuffle(rng, deck, CARDS)
    for k in range(CARDS):
        card = deck[k]
        state.place[card] = DOWN if k >= 3 * HAND else k // HAND
        state.open[card] = k < 3 * HAND and k % HAND == 0
    state.hand_count[:] = HAND
    state.top = -1


@rule
def to_act(state):
    if state.plies == 3 * HAND:
        return 0
    return 1 << (state.plies % 3)


@rule
def legal(state, player, out):
    n = 0
    for card in range(CARDS):
        if state.place[card] == player:
            out[n] = card
            n += 1
    return n


@rule
def step(state, actions, rng):
    player = state.plies % 3
    card = actions[player]
    if card > state.top:
        state.points[player] += state.params.bonus
    state.top = card
    state.place[card] = PILE
    state.open[card] = 0
    state.hand_count[player] -= 1
    state.plies += 1


@rule
def returns(state, out):
    best = state.points.max()
    winners = (state.points == best).sum()
    for player in range(3):
        share = 1.0 / winners if state.points[player] == best else 0.0
        out[player] = (3 * share - 1) / 2


@rule
def hide(state, player):
    for card in range(CARDS):
        where = state.place[card]
        in_rival_hand = where < PILE and where != player
        if where == DOWN or (in_rival_hand and state.open[card] == 0):
            state.place[card] = UNKNOWN


@rule
def determinize(state, player, rng):
    loose = np.empty(CARDS, np.int64)
    n = 0
    held = np.zeros(3, np.int64)
    for card in range(CARDS):
        where = state.place[card]
        if where == UNKNOWN:
            loose[n] = card
            n += 1
        elif where < PILE:
            held[where] += 1
    shuffle(rng, loose, n)
    for rival in range(3):
        while held[rival] < state.hand_count[rival]:
            n -= 1
            state.place[loose[n]] = rival
            held[rival] += 1
    while n > 0:
        n -= 1
        state.place[loose[n]] = DOWN


@rule
def valid(state):
    count = np.zeros(6, np.int64)
    for card in range(CARDS):
        count[state.place[card]] += 1
        if state.open[card] == 1 and state.place[card] >= PILE:
            return False
    for player in range(3):
        if count[player] != state.hand_count[player]:
            return False
    return count[PILE] == state.plies and count[DOWN] == FACE_DOWN and count[UNKNOWN] == 0


@rule
def twin(state, player, rng):
    """A closed card of a rival changes places with one that lies face down."""
    closed = down = -1
    skip = below(rng, 2)
    for card in range(CARDS):
        where = state.place[card]
        if where == DOWN and (down < 0 or skip == 1):
            down = card
        if where < PILE and where != player and state.open[card] == 0:
            closed = card
    if closed < 0:
        return False
    state.place[down] = state.place[closed]
    state.place[closed] = DOWN
    return True


@rule
def heuristic(state, player):
    best = max(state.points[(player + 1) % 3], state.points[(player + 2) % 3])
    return (state.points[player] - best) / 15.0


FEATURES = 2 * CARDS + 3


@rule
def observe(state, player, out):
    """One's own cards, the open cards, and the points, one's own first."""
    for card in range(CARDS):
        out[card] = state.place[card] == player
        out[CARDS + card] = state.open[card]
    for k in range(3):
        out[2 * CARDS + k] = state.points[(player + k) % 3]


# ------------------------------------------------------------------------------------------------ notation


def action_text(state, player, action):
    return f"card {action}"


def parse_action(state, player, text):
    word = text.removeprefix("card").strip()
    if not word.isdigit():
        raise BadNotation(f"{text!r} is no card; write one like 'card 7'")
    return int(word)


WRITTEN = ("plies", "top", "points", "hand_count", "place", "open")


def state_text(state):
    return "\n".join(f"{name} {' '.join(str(number) for number in np.ravel(state[name]))}" for name in WRITTEN)


def parse_state(text, state):
    lines = dict(line.split(" ", 1) for line in text.splitlines())
    if set(lines) != set(WRITTEN):
        raise BadNotation(f"a position has the lines {', '.join(WRITTEN)}")
    for name in WRITTEN:
        numbers = [int(word) for word in lines[name].split()]
        state[name] = numbers if len(numbers) > 1 else numbers[0]
