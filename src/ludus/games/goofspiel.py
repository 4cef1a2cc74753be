"""Goofspiel, the game of pure strategy.

There are prizes worth 1 … 13 points, and each of two to four players has a hand of bids 1 … 13. In every round one
prize is turned up and all bid for it at once, each with one card of the hand, which is then spent. The highest bid
takes the prize; if the highest bid was made more than once, nobody does. After the last round, in which everybody has
one card left, most points win; those who tie for the most share the win.

An action is the card that is bid, less one: 0 … 12. In notation it is the card itself, 1 … 13.

Options
    cards    prizes, and cards in each hand, 3 … 13
    order    the prizes come in random order, the dearest first (descending) or the cheapest first (ascending)
    bids     open, or hidden: then only the winner of each prize becomes known, until the match is over. Where nobody
             wins, those who bid highest show their cards: of two players each knows them anyway, of more they learn
             who tied.
    prize    open, or hidden: the prize is turned up only after the bids were made. It is then also drawn only then, so
             that there is no secret prize anywhere. Only for prizes in random order.

Guessing hidden bids. A guess gives every rival a card for each past round, none twice, such that all rounds have the
winners and the tied cards that the player has seen. There is always such a guess, it is found without search, and then
random exchanges of cards that keep it possible carry it away from where it began. So every guess is possible; all those
that exchanges can reach are about equally likely, as they are if rivals bid blindly. How rivals tend to bid is not
considered.
"""

import numpy as np

from ludus.errors import BadNotation
from ludus.rng import below
from ludus.rules import Facts, Param, Params, choice, record, rule

FACTS = Facts("Goofspiel", players=(2, 4), max_actions=13, max_plies=13, hidden=True, chance=True, simultaneous=True)

PARAMS = Params(
    cards=Param(13, 3, 13, help="prizes, and cards in each hand"),
    order=choice("random", "descending", "ascending", help="how the prizes come"),
    bids=choice("open", "hidden", help="whether bids are shown, or only who won"),
    prize=choice("open", "hidden", help="whether the prize is seen before the bids"),
)
PRESETS = {
    "hidden_bids": {"bids": "hidden"},
    "hidden_prize": {"prize": "hidden"},
    "four_cards": {"cards": 4, "order": "descending"},
}

SEATS, ROUNDS = 4, 13
State = record(
    params=PARAMS,
    players=np.int32,
    turn=np.int32,  # rounds played
    prize=np.int32,  # the prize that is bid for; 0 while it is not turned up and when the match is over
    prizes=np.int32,  # the set of those still to come: bit c - 1 for prize c
    points=(np.int32, SEATS),
    hands=(np.int32, SEATS),  # sets of cards, likewise; a rival's is 0 where bids are hidden
    # What happened in each round, kept only where bids are hidden: open bids leave no trace but the hands.
    past=(np.int32, ROUNDS),  # the prize
    winners=(np.int32, ROUNDS),  # 1 + p, or 0 for nobody
    bids=(np.int32, (ROUNDS, SEATS)),  # cards, 0 unknown
)

RANDOM, DESCENDING, ASCENDING = 0, 1, 2
HIDDEN = 1
NOBODY = 0
EXCHANGES = 8
"""Exchanges tried for every card of every rival's hand when bids are guessed."""


# ------------------------------------------------------------------------------------------------ rules


@rule
def setup(state, rng):
    state.prizes = (1 << state.params.cards) - 1
    for player in range(state.players):
        state.hands[player] = state.prizes
    if state.params.prize != HIDDEN:
        turn_up_prize(state, rng)


@rule
def turn_up_prize(state, rng):
    left = state.params.cards - state.turn
    skipped = 0  # cheaper prizes still to come
    if state.params.order == RANDOM and left > 1:  # the last one is no matter of luck
        skipped = below(rng, left)
    elif state.params.order == DESCENDING:
        skipped = left - 1
    prize = 1
    while state.prizes >> (prize - 1) & 1 == 0 or skipped > 0:
        skipped -= state.prizes >> (prize - 1) & 1
        prize += 1
    state.prize = prize
    state.prizes ^= 1 << (prize - 1)


@rule
def to_act(state):
    return (1 << state.players) - 1 if state.turn < state.params.cards else 0


@rule
def legal(state, player, out):
    n = 0
    for card in range(state.params.cards):
        if state.hands[player] >> card & 1:
            out[n] = card
            n += 1
    return n


@rule
def winner_of(state, actions):
    """1 + the player who bid highest, or nobody."""
    best, winner = -1, NOBODY
    for player in range(state.players):
        if actions[player] > best:
            best, winner = actions[player], 1 + player
        elif actions[player] == best:
            winner = NOBODY
    return winner


@rule
def step(state, actions, rng):
    if state.params.prize == HIDDEN:
        turn_up_prize(state, rng)
    winner = winner_of(state, actions)
    if winner != NOBODY:
        state.points[winner - 1] += state.prize
    for player in range(state.players):
        state.hands[player] ^= 1 << actions[player]
    if state.params.bids == HIDDEN:
        note_round(state, actions, winner)
    state.turn += 1
    state.prize = 0
    if state.params.prize != HIDDEN and state.turn < state.params.cards:
        turn_up_prize(state, rng)


@rule
def note_round(state, actions, winner):
    state.past[state.turn] = state.prize
    state.winners[state.turn] = winner
    for player in range(state.players):
        state.bids[state.turn, player] = actions[player] + 1


@rule
def deterministic(state):
    return state.params.order != RANDOM or state.turn >= state.params.cards - 1


@rule
def final_count(state, player):
    """For a komi."""
    return float(state.points[player])


@rule
def returns(state, out):
    most = state.points.max()
    sharing = 0
    for player in range(state.players):
        sharing += state.points[player] == most
    for player in range(state.players):
        share = 1.0 / sharing if state.points[player] == most else 0.0
        out[player] = (state.players * share - 1.0) / (state.players - 1.0)


@rule
def valid(state):
    cards_left = state.params.cards - state.turn
    to_come = cards_left if state.prize == 0 else cards_left - 1
    if cards_left < 0 or size_of(state.prizes) != to_come or state.prizes << 1 >> state.prize & 1:
        return False
    for player in range(state.players):
        if size_of(state.hands[player]) != cards_left or state.hands[player] >> state.params.cards:
            return False
    if state.points.sum() + worth_to_come(state) > worth_of_all(state):
        return False
    return state.params.bids != HIDDEN or agrees_with_history(state)


@rule
def worth_of_all(state):
    return state.params.cards * (state.params.cards + 1) // 2


@rule
def worth_to_come(state):
    """The points that can still be won."""
    worth = state.prize
    for prize in range(1, state.params.cards + 1):
        worth += prize * (state.prizes >> (prize - 1) & 1)
    return worth


@rule
def agrees_with_history(state):
    """Whether bids and hands make up full packs, and bids and winners the points."""
    everything = (1 << state.params.cards) - 1
    for player in range(state.players):
        cards, points = state.hands[player], 0
        for turn in range(state.turn):
            cards |= 1 << (state.bids[turn, player] - 1)
            points += state.past[turn] if state.winners[turn] == 1 + player else 0
            if state.winners[turn] != winner_of(state, state.bids[turn]):
                return False
        if cards != everything or points != state.points[player]:
            return False
    return True


@rule
def size_of(cards):
    n = 0
    while cards != 0:
        cards &= cards - 1
        n += 1
    return n


# ------------------------------------------------------------------------------------------------ secrets
# Only hidden bids are secrets, and with them the hands of which they are missing.


@rule
def has_secrets(state):
    return state.params.bids == HIDDEN and state.turn < state.params.cards


@rule
def best_other(state, turn, player):
    """The highest bid of a past round but for this player's."""
    best = 0
    for other in range(state.players):
        if other != player:
            best = max(best, state.bids[turn, other])
    return best


@rule
def is_shown(state, turn, player):
    """Whether everybody has seen this bid: it is one of the highest, and nobody won."""
    return state.winners[turn] == NOBODY and state.bids[turn, player] >= best_other(state, turn, player)


@rule
def hide(state, player):
    if not has_secrets(state):
        return
    for turn in range(state.turn):
        for rival in range(state.players):
            if rival != player and not is_shown(state, turn, rival):
                state.bids[turn, rival] = 0
    for rival in range(state.players):
        if rival != player:
            state.hands[rival] = 0


@rule
def determinize(state, player, rng):
    if not has_secrets(state):
        return
    for rival in range(state.players):
        if rival != player:
            take_back_hand(state, rival)
            guess_winning_bids(state, player, rival)
    for rival in range(state.players):
        if rival != player:
            guess_losing_bids(state, rival)
    for _ in range(EXCHANGES * state.params.cards * (state.players - 1)):
        rival = (player + 1 + below(rng, state.players - 1)) % state.players
        exchange(state, rival, 1 + below(rng, state.params.cards), 1 + below(rng, state.params.cards))


@rule
def take_back_hand(state, rival):
    """All cards but those shown."""
    state.hands[rival] = (1 << state.params.cards) - 1
    for turn in range(state.turn):
        if state.bids[turn, rival] > 0:
            state.hands[rival] ^= 1 << (state.bids[turn, rival] - 1)


@rule
def guess_winning_bids(state, player, rival):
    """The rival's highest cards, the higher the more the player bid. If any guess is possible, one with these is: a
    higher card can always change places with a lower one that wins, and so can what others bid in two rounds he won."""
    highest = state.params.cards
    for own in range(state.params.cards, 0, -1):
        for turn in range(state.turn):
            if state.bids[turn, player] == own and state.winners[turn] == 1 + rival:
                while highest > 1 and state.hands[rival] >> (highest - 1) & 1 == 0:
                    highest -= 1
                bid_from_hand(state, turn, rival, highest)


@rule
def guess_losing_bids(state, rival):
    """The rival's lowest cards, in the order of the bids that they lose to."""
    lowest = 1
    for level in range(1, state.params.cards + 1):
        for turn in range(state.turn):
            if state.bids[turn, rival] == 0 and highest_bid(state, turn) == level:
                while lowest < state.params.cards and state.hands[rival] >> (lowest - 1) & 1 == 0:
                    lowest += 1
                bid_from_hand(state, turn, rival, lowest)


@rule
def highest_bid(state, turn):
    return state.bids[turn].max()


@rule
def bid_from_hand(state, turn, rival, card):
    state.bids[turn, rival] = card
    state.hands[rival] ^= 1 << (card - 1)


@rule
def exchange(state, rival, card, other):
    """Let a rival's two cards change places, in past rounds or in the hand, if nobody else can tell."""
    turn, other_turn = round_of(state, rival, card), round_of(state, rival, other)
    if turn == other_turn or not fits(state, turn, rival, other) or not fits(state, other_turn, rival, card):
        return False
    if turn >= 0:
        state.bids[turn, rival] = other
    if other_turn >= 0:
        state.bids[other_turn, rival] = card
    if turn < 0 or other_turn < 0:
        state.hands[rival] ^= 1 << (card - 1) | 1 << (other - 1)
    return True


@rule
def round_of(state, player, card):
    """When a card was bid; -1 if it is still in the hand."""
    for turn in range(state.turn):
        if state.bids[turn, player] == card:
            return turn
    return -1


@rule
def fits(state, turn, rival, card):
    """Whether the rival could have bid this card instead of his own, which nobody has seen."""
    if turn < 0:
        return True
    if is_shown(state, turn, rival):
        return False
    best = best_other(state, turn, rival)
    return card > best if state.winners[turn] == 1 + rival else card < best


@rule
def twin(state, player, rng):
    if not has_secrets(state):
        return False
    cards = state.params.cards
    start = below(rng, cards)
    for rival in range(state.players):
        for k in range(cards):
            for other in range(1, cards + 1):
                if rival != player and exchange(state, rival, 1 + (start + k) % cards, other):
                    return True
    return False


# ------------------------------------------------------------------------------------------------ values and features


@rule
def heuristic(state, player):
    best = 0
    for rival in range(state.players):
        if rival != player:
            best = max(best, state.points[rival])
    lead = state.points[player] - best
    return lead / (1.0 + abs(lead) + 0.5 * worth_to_come(state))


FEATURES, POLICY = 6 * ROUNDS + SEATS + ROUNDS, ROUNDS


@rule
def observe(state, player, out):
    """Card by card: the hands, one's own first (4 x 13, those unseen left out), the prizes to come, the prize bid for;
    then the points (4) and, where bids are hidden, the prizes that were won by oneself (1) or by another (-1)."""
    out[:] = 0
    for seat in range(state.players):
        owner = (player + seat) % state.players
        out[6 * ROUNDS + seat] = state.points[owner] / worth_of_all(state)
        if seat == 0 or not has_secrets(state):
            for card in range(state.params.cards):
                out[ROUNDS * seat + card] = state.hands[owner] >> card & 1
    for card in range(state.params.cards):
        out[4 * ROUNDS + card] = state.prizes >> card & 1
        out[5 * ROUNDS + card] = 1 if state.prize == card + 1 else 0
    for turn in range(state.turn):
        if state.winners[turn] != NOBODY:
            out[6 * ROUNDS + SEATS + state.past[turn] - 1] = 1 if state.winners[turn] == 1 + player else -1


def objection(params, players):
    if params.prize == HIDDEN and params.order != RANDOM:
        return "a hidden prize needs order=random; in any other order the next prize is known"
    return ""


# ------------------------------------------------------------------------------------------------ notation


def action_text(state, player, action):
    return str(action + 1)


def is_public(state, player, action):
    return state.params.bids != HIDDEN


def parse_action(state, player, text):
    text = text.strip()
    if not text.isdecimal() or not 1 <= int(text) <= state.params.cards:
        raise BadNotation(f"{text!r} is no card; write a number 1-{state.params.cards}")
    return int(text) - 1


def _cards_text(cards, none="-"):
    return " ".join(str(card + 1) for card in range(ROUNDS) if int(cards) >> card & 1) or none


def state_text(state):
    over = state.turn == state.params.cards
    prize = state.prize or ("-" if over else "?")
    lines = [f"prize {prize}, to come {_cards_text(state.prizes)}"]
    for player in range(state.players):
        hand = _cards_text(state.hands[player], "-" if over else "?")
        lines.append(f"player {player + 1}: {state.points[player]} points, hand {hand}")
    for turn in range(state.turn if state.params.bids == HIDDEN else 0):
        bids = " ".join(str(bid or "?") for bid in state.bids[turn, : state.players])
        winner = f"player {state.winners[turn]}" if state.winners[turn] else "nobody"
        lines.append(f"round {turn + 1}: prize {state.past[turn]}, bids {bids}, won by {winner}")
    return "\n".join(lines)


def outcome_text(state):
    points = [int(points) for points in state.points[: state.players]]
    best = [player for player in range(len(points)) if points[player] == max(points)]
    standing = " to ".join(str(number) for number in points)
    if len(best) == 1:
        return f"player {best[0] + 1} wins, {standing}"
    names = " and ".join(str(player + 1) for player in best)
    return f"players {names} share the win, {standing}"
