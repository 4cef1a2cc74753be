"""Kuhn poker, the smallest game with a bluff in it.

Three cards, jack, queen and king; two players put one chip each into the pot and get one card each, the third card
stays unseen. Player 0 passes or bets one more chip, then player 1; after a pass and a bet player 0 decides once more:

    pass pass         showdown, each stakes 1 chip
    pass bet pass     player 0 has given up: player 1 wins 1 chip
    pass bet bet      showdown, each stakes 2 chips
    bet pass          player 1 has given up: player 0 wins 1 chip
    bet bet           showdown, each stakes 2 chips

At a showdown both cards are turned up and the higher one wins the other's stake. Returns are chips divided by 2. Played
perfectly, the first player loses 1/18 of a chip on average, a return of -1/36.

Actions: 0 pass, 1 bet. A guess at the hidden card takes the two that are possible as equally likely, whatever the rival
has done.
"""

import numpy as np

from ludus.errors import BadNotation
from ludus.rng import below
from ludus.rules import Facts, record, rule

FACTS = Facts("Kuhn poker", players=(2, 2), max_actions=2, max_plies=3, hidden=True, chance=True)

KNOWN = {"seat_advantage": (-1 / 72, "perfect play gives -1.4 points, 1/18 of a chip")}

State = record(players=np.int32, plies=np.int32, cards=(np.int32, 2), moves=(np.int32, 3))
# cards: 1 jack, 2 queen, 3 king, 0 unknown; moves: one a ply, in turn, 0 for those still to come

PASS, BET = 1, 2
ALL_CARDS = 1 + 2 + 3
"""The sum of the cards: minus the two that are dealt, it is the third."""


# ------------------------------------------------------------------------------------------------ rules


@rule
def setup(state, rng):
    state.cards[0] = 1 + below(rng, 3)
    deal(state, 1, rng)


@rule
def deal(state, player, rng):
    """One of the two cards that the other player does not have."""
    state.cards[player] = 1 + (state.cards[1 - player] + below(rng, 2)) % 3


@rule
def is_over(state):
    return state.plies == 3 or (state.plies == 2 and (state.moves[0] == BET or state.moves[1] == PASS))


@rule
def gave_up(state):
    """Whether the last move passed on a bet."""
    return state.plies >= 2 and state.moves[state.plies - 1] == PASS and state.moves[state.plies - 2] == BET


@rule
def is_showdown(state):
    return is_over(state) and not gave_up(state)


@rule
def to_act(state):
    return 0 if is_over(state) else 1 << (state.plies & 1)


@rule
def legal(state, player, out):
    out[0] = 0
    out[1] = 1
    return 2


@rule
def step(state, actions, rng):
    state.moves[state.plies] = PASS + actions[state.plies & 1]
    state.plies += 1


@rule
def deterministic(state):
    return True  # the deal was the only chance


@rule
def returns(state, out):
    last = (state.plies - 1) & 1
    if gave_up(state):
        winner, stake = 1 - last, 1
    else:
        winner = 0 if state.cards[0] > state.cards[1] else 1
        stake = 2 if state.moves[state.plies - 1] == BET else 1
    out[winner] = stake / 2
    out[1 - winner] = -stake / 2


@rule
def valid(state):
    for player in range(2):
        if not 1 <= state.cards[player] <= 3:
            return False
    for ply in range(3):
        if (ply < state.plies) != (PASS <= state.moves[ply] <= BET):
            return False
    needless = state.plies == 3 and (state.moves[0] == BET or state.moves[1] == PASS)
    return state.cards[0] != state.cards[1] and 0 <= state.plies <= 3 and not needless


# ------------------------------------------------------------------------------------------------ secrets


@rule
def hide(state, player):
    if not is_showdown(state):
        state.cards[1 - player] = 0


@rule
def determinize(state, player, rng):
    if state.cards[1 - player] == 0:
        deal(state, 1 - player, rng)


@rule
def twin(state, player, rng):
    """The rival holds the card that was not dealt."""
    if is_showdown(state):
        return False
    state.cards[1 - player] = ALL_CARDS - state.cards[0] - state.cards[1]
    return True


FEATURES, POLICY = 13, 2


@rule
def observe(state, player, out):
    """One's own card (3), the rival's if it is shown (3), pass or bet for each ply (6), whether one moved first (1)."""
    out[:] = 0
    out[state.cards[player] - 1] = 1
    if is_showdown(state):
        out[3 + state.cards[1 - player] - 1] = 1
    for ply in range(state.plies):
        out[6 + 2 * ply + state.moves[ply] - PASS] = 1
    out[12] = 1 - player


# ------------------------------------------------------------------------------------------------ notation

CARDS = "?JQK"
MOVES = ("-", "pass", "bet")
ACTIONS = {"pass": 0, "check": 0, "fold": 0, "bet": 1, "call": 1}


def action_text(state, player, action):
    return MOVES[PASS + action]


def is_public(state, player, action):
    return True  # everybody hears passes and bets; only cards are secret


def parse_action(state, player, text):
    action = ACTIONS.get(text.strip().lower())
    if action is None:
        raise BadNotation(f"{text.strip()!r} is no move; write pass (check, fold) or bet (call)")
    return action


def state_text(state):
    moves = [MOVES[move] for move in state.moves[: state.plies]] or ["none"]
    return f"cards {CARDS[state.cards[0]]} {CARDS[state.cards[1]]}\nmoves {' '.join(moves)}"


def parse_state(text, state):
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if [line[0].lower() for line in lines] != ["cards", "moves"]:
        raise BadNotation("a position has two lines, like 'cards J K' and 'moves pass bet'")
    cards, moves = ([word.lower() for word in line[1:]] for line in lines)
    if len(cards) != 2 or not all(card in ("?", "j", "q", "k") for card in cards) or cards[0] == cards[1]:
        raise BadNotation(f"line 1: two different cards of J, Q, K, or ? for an unknown one, not {' '.join(cards)!r}")
    moves = [] if moves == ["none"] else moves
    if not _can_happen(moves):
        raise BadNotation(f"line 2: {' '.join(moves)!r} cannot be played; moves are 'none', or pass and bet in turn")
    state.cards[:] = ["?jqk".index(card) for card in cards]
    state.moves[: len(moves)] = [MOVES.index(move) for move in moves]
    state.plies = len(moves)


def _can_happen(moves):
    known = all(move in ("pass", "bet") for move in moves)
    return known and (len(moves) < 3 or (len(moves) == 3 and moves[:2] == ["pass", "bet"]))


def outcome_text(state):
    moves = [int(move) for move in state.moves[: state.plies]]
    last = (len(moves) - 1) % 2
    if moves[-2:] == [BET, PASS]:
        return f"player {last + 1} gives up, player {2 - last} wins 1 chip"
    winner = 0 if state.cards[0] > state.cards[1] else 1
    high, low = CARDS[state.cards[winner]], CARDS[state.cards[1 - winner]]
    chips = "2 chips" if moves[-1] == BET else "1 chip"
    return f"player {winner + 1} wins {chips} with {high} against {low}"
