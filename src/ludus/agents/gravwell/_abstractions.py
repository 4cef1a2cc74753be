"""Gravwell as the Q-learner of the Gravitas paper saw it: a table for cards and one for emergency stops.

Cards: how far the nearest players are, ahead and behind, at most 11; hulks are not looked at. Twelve distances each way
make 144 rows, 864 with the number of the turn. The published program mixed the two into one number by a product, so
that (1 ahead, 10 behind) and (10 ahead, 1 behind) were the same to it: that is `product`. The reward is the way made
from one choice of a card to the next.

`gravity` is our own: it measures to the ships that draw, hulks among them and those in the Singularity not, so that a
row says which way a card will go. That alone is worth more than everything the paper varied.

Stops: the turn, where the nearest ship is, and kind and value of the card, 240 rows. Stopping brings the tiles that the
card would have cost and ends the matter for this round; going on brings what a later stop may bring. Tractors are never
stopped.

Stacks are drafted as that program drafted them, like its decision tree.
"""

from __future__ import annotations

from dataclasses import replace

from ludus.agents._abstraction import Abstraction, Table
from ludus.agents.gravwell._rivals import without_stops
from ludus.agents.gravwell.trees import INTENDED, NEURAL, NEVER, UNIFORM, tree_action
from ludus.compile import rule
from ludus.games._gravwell_text import CARDS, CHOOSE, DRAFT, HALT, MOVE, TURNS
from ludus.games.gravwell import attraction

CARD, STOP_CARD, BY_HABIT = 0, 1, -1
FAR = 11
"""More tiles than the learner can tell apart; 0 stands for nobody at all."""
DISTANCES = FAR + 1
SITUATIONS = DISTANCES * DISTANCES
VALUES = 10
STOP_ROWS = TURNS * 2 * 2 * VALUES


# ------------------------------------------------------------------------------------------------ rows


@rule
def nearest(view, player, side):
    """How far the nearest player is ahead (side 1) or behind (-1), up to FAR; 0: there is none."""
    best = 0
    for rival in range(view.players):
        distance = side * (view.tile[rival] - view.tile[player])
        if distance > 0 and (best == 0 or distance < best):
            best = distance
    return min(best, FAR)


@rule
def row_by_distances(view, player):
    return DISTANCES * nearest(view, player, 1) + nearest(view, player, -1)


@rule
def row_by_product(view, player):
    """The published numbering: nobody 0, behind 1-11, ahead 12-22, both 22 + the product."""
    ahead, behind = nearest(view, player, 1), nearest(view, player, -1)
    if ahead == 0:
        return behind
    return FAR + ahead if behind == 0 else 2 * FAR + ahead * behind


@rule
def row_by_gravity(view, player):
    """The distances to the nearest ships that draw, ahead and behind."""
    ahead = behind = 0
    for ship in range(view.ships):
        distance = view.tile[ship] - view.tile[player]
        if distance > 0 and (ahead == 0 or distance < ahead):
            ahead = distance
        elif distance < 0 and view.tile[ship] > 0 and (behind == 0 or -distance < behind):
            behind = -distance
    return DISTANCES * min(ahead, FAR) + min(behind, FAR)


@rule
def row_of_stop(view, player):
    move, is_ahead = MOVE[view.played[player] - 1], attraction(view, player) > 0
    return ((view.turn_no * 2 + is_ahead) * 2 + (move < 0)) * VALUES + abs(move) - 1


@rule
def distances(view, player):
    if view.phase == CHOOSE:
        return row_by_distances(view, player)
    return SITUATIONS + row_of_stop(view, player)


@rule
def product(view, player):
    if view.phase == CHOOSE:
        return row_by_product(view, player)
    return SITUATIONS + row_of_stop(view, player)


@rule
def gravity(view, player):
    if view.phase == CHOOSE:
        return row_by_gravity(view, player)
    return SITUATIONS + row_of_stop(view, player)


@rule
def distances_and_turn(view, player):
    if view.phase == CHOOSE:
        return SITUATIONS * view.turn_no + row_by_distances(view, player)
    return TURNS * SITUATIONS + row_of_stop(view, player)


@rule
def product_and_turn(view, player):
    if view.phase == CHOOSE:
        return SITUATIONS * view.turn_no + row_by_product(view, player)
    return TURNS * SITUATIONS + row_of_stop(view, player)


# ------------------------------------------------------------------------------------------------ choices and rewards


@rule
def table_of(view, player):
    if view.phase == CHOOSE:
        return CARD
    return BY_HABIT if view.phase == DRAFT or MOVE[view.played[player] - 1] == 0 else STOP_CARD


@rule
def column_of(view, player, action, place):
    return action if view.phase == CHOOSE else place


@rule
def reward(table, before, action, after, player):
    if table == CARD:
        return float(after.tile[player] - before.tile[player])
    if action == HALT:
        return float(-MOVE[before.played[player] - 1] * attraction(before, player))
    return 0.0


@rule
def continues(table, before, action, after, player):
    return table == CARD or (action != HALT and before.round_no == after.round_no)


@rule
def round_of(view):
    return view.round_no


# ------------------------------------------------------------------------------------------------ habits


@rule
def draft_as_the_learner_did(view, player, rng):
    return tree_action(view, player, NEURAL, UNIFORM, NEVER, rng)


@rule
def draft_as_intended(view, player, rng):
    return tree_action(view, player, INTENDED, UNIFORM, NEVER, rng)


# ------------------------------------------------------------------------------------------------ abstractions

CARDS_TABLE = Table(
    "card", SITUATIONS, alpha=0.7, discount=0.2, temperature=3.0, initial=5.0, penalty=10.0, floor=0.0,
    whole_row=True, episode_discounts=(0.9, 0.7),
)  # fmt: skip
WITH_TURN = replace(CARDS_TABLE, rows=TURNS * SITUATIONS)
STOPS_TABLE = Table("stop", STOP_ROWS, alpha=0.85, discount=0.95, temperature=0.0, initial=5.0)


def _abstraction(row_of, cards: Table) -> Abstraction:
    functions = {
        "row_of": row_of, "table_of": table_of, "column_of": column_of,
        "reward": reward, "continues": continues, "episode_of": round_of,
    }  # fmt: skip
    habits = {"tree": draft_as_the_learner_did, "intended": draft_as_intended, "random": without_stops}
    return Abstraction((cards, STOPS_TABLE), CARDS, functions, habits)


ABSTRACTIONS = {
    "distances": _abstraction(distances, CARDS_TABLE),
    "distances+turn": _abstraction(distances_and_turn, WITH_TURN),
    "product": _abstraction(product, CARDS_TABLE),
    "product+turn": _abstraction(product_and_turn, WITH_TURN),
    "gravity": _abstraction(gravity, CARDS_TABLE),
}
