"""Auction: three or four collectors with a purse and a secret taste.

Each round two dice are rolled; their sum is the worth of the prize. All players bid at once, out of what is left in
their purse; 0 passes. The highest bid that nobody else made takes the prize and is paid. If every bid above 0 was made
twice or more, or all passed, the prize stays and the next roll is added to it.

Every player has a secret taste, one of six cards. At the end each die in a player's collection that shows the number of
the taste is worth some more points. Most points win; those who tie share the win.

Under closed bids only the winner is announced, never the amount, so that nobody knows the purses of the others.
"""

import numpy as np

from ludus import Facts, Param, Params, record, rule, switch
from ludus.parts import die, fill_deck, guess_deck, swap
from ludus.rng import below

SEATS, TASTES, MOST = 4, 6, 30
FACTS = Facts(
    "Auction", players=(3, 4), max_actions=MOST + 1, max_plies=12, chance=True, hidden=True, simultaneous=True
)
PARAMS = Params(
    rounds=Param(8, 3, 12, help="prizes that are sold"),
    purse=Param(20, 5, MOST, help="money at the start"),
    bonus=Param(3, 0, 6, help="points for each die of one's taste"),
    closed=switch(False, help="only who won is announced, not the bids"),
)
PRESETS = {"short": {"rounds": 4, "purse": 10}, "closed": {"closed": True}}
State = record(
    params=PARAMS,
    players=np.int32,
    turn=np.int32,
    dice=(np.int32, 6),  # how often each face lies on the table
    worth=np.int32,
    money=(np.int32, SEATS),  # -1 is unknown
    wins=(np.int32, SEATS),
    points=(np.int32, SEATS),
    faces=(np.int32, (SEATS, 6)),  # dice in each collection
    bids=(np.int32, SEATS),  # of the last round; -1 is unknown
    taste=(np.int32, TASTES),  # a deck: the first belong to the players, the rest lies aside; 0 is unknown
)


@rule
def roll(state, rng):
    for _ in range(2):
        face = die(rng, 6)
        state.dice[face - 1] += 1
        state.worth += face


@rule
def setup(state, rng):
    for player in range(state.players):
        state.money[player] = state.params.purse
    for player in range(SEATS):
        state.bids[player] = -1
    fill_deck(state.taste, rng)
    roll(state, rng)


@rule
def to_act(state):
    return 0 if state.turn == state.params.rounds else (1 << state.players) - 1


@rule
def legal(state, player, out):
    for bid in range(state.money[player] + 1):
        out[bid] = bid
    return state.money[player] + 1


@rule
def step(state, actions, rng):
    winner, best = -1, 0
    for player in range(state.players):
        bid = actions[player]
        same = 0
        for other in range(state.players):
            same += actions[other] == bid
        if bid > best and same == 1:
            winner, best = player, bid
    for player in range(state.players):
        state.bids[player] = -1 if state.params.closed else actions[player]
    if winner >= 0:
        state.money[winner] -= best
        state.wins[winner] += 1
        state.points[winner] += state.worth
        for face in range(6):
            state.faces[winner, face] += state.dice[face]
            state.dice[face] = 0
        state.worth = 0
    state.turn += 1
    if state.turn < state.params.rounds:
        roll(state, rng)


@rule
def total(state, player):
    return state.points[player] + state.params.bonus * state.faces[player, state.taste[player] - 1]


@rule
def returns(state, out):
    best, sharing = -1, 0
    for player in range(state.players):
        have = total(state, player)
        if have > best:
            best, sharing = have, 0
        sharing += have == best
    for player in range(state.players):
        share = 1.0 / sharing if total(state, player) == best else 0.0
        out[player] = (state.players * share - 1.0) / (state.players - 1.0)


@rule
def hide(state, player):
    if state.turn == state.params.rounds:
        return
    for k in range(TASTES):
        if k != player:
            state.taste[k] = 0
    if state.params.closed:
        for rival in range(state.players):
            if rival != player and state.wins[rival] > 0:
                state.money[rival] = -1


@rule
def determinize(state, player, rng):
    guess_deck(state.taste, rng)
    for rival in range(state.players):
        if state.money[rival] < 0:
            state.money[rival] = below(rng, state.params.purse - state.wins[rival] + 1)


@rule
def twin(state, player, rng):
    if state.turn == state.params.rounds:
        return False
    rival = (player + 1) % state.players
    swap(state.taste, rival, TASTES - 1)
    if state.params.closed and state.wins[rival] > 0:
        state.money[rival] = below(rng, state.params.purse - state.wins[rival] + 1)
    return True


@rule
def valid(state):
    for player in range(state.players):
        if state.money[player] < 0 or state.money[player] > state.params.purse - state.wins[player]:
            return False
    return True


@rule
def heuristic(state, player):
    """A lead in points, and a little for money that can still be spent."""
    mine, others = 0.0, 0.0
    left = state.params.rounds - state.turn
    for other in range(state.players):
        have = total(state, other) + (1.0 * min(state.money[other], 4 * left))
        if other == player:
            mine = have
        else:
            others = max(others, have)
    value = (mine - others) / 60.0
    return max(-1.0 / (state.players - 1.0), min(1.0, value))


def action_text(state, player, action):
    return f"bid {action}" if action else "pass"


def action_kind(state, player, action):
    if action == 0:
        return "pass"
    return "low" if action <= 3 else "middle" if action <= 7 else "high"


ACTION_KINDS = ("pass", "low", "middle", "high")


def is_public(state, player, action):
    return not state.params.closed


def state_text(state):
    dice = " ".join(str(face + 1) for face in range(6) for _ in range(state.dice[face]))
    number, rounds = min(state.turn + 1, state.params.rounds), state.params.rounds
    lines = [f"round {number} of {rounds}; on the table: {dice} (worth {state.worth})"]
    for player in range(state.players):
        money = "?" if state.money[player] < 0 else state.money[player]
        taste = "?" if state.taste[player] == 0 else state.taste[player]
        dice = "".join(str(face + 1) * state.faces[player, face] for face in range(6)) or "-"
        bid = "" if state.bids[player] < 0 else f", last bid {state.bids[player]}"
        lines.append(
            f"player {player + 1}: {state.points[player]} points, money {money}, taste {taste}, dice {dice}{bid}"
        )
    return "\n".join(lines)


def outcome_text(state):
    totals = [int(total(state, player)) for player in range(state.players)]
    best = max(totals)
    who = " and ".join(f"player {p + 1}" for p, have in enumerate(totals) if have == best)
    return f"{who} with {best} points ({', '.join(map(str, totals))})"
