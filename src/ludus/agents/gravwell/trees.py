"""Scripted players of Gravwell: random play without emergency stops, and the decision trees of the Gravitas paper.

The trees come in two readings. `intended` is what the paper's text says: going forward it plays the highest normal,
going backward the highest repulsor. `published` is what its program did: both are inverted, and the thresholds of the
draft are mixed up. Every phase can be replaced on its own, so that its worth can be measured.

The published program looks through hands and table in the order of the deal. A hand is a set here, so cards of the
same value are taken in alphabetical order; the table is dealt at random, so its first tractor or repulsor is a random
one.

Each decision is a rule that other compiled players may call: `tree_action`, or `tree_pick`, `tree_card` and
`tree_stops` for one phase. All work on views as on true states, and draw no random number for a forced answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludus.agent import Agent
from ludus.compile import rule, template
from ludus.errors import BadSpec
from ludus.game import Game
from ludus.games._gravwell_text import CARDS, DRAFT, GO, HALT, MOVE, PICK, PULL, STOP
from ludus.games.gravwell import CARD_OF_BIT, attraction, count, legal
from ludus.kernels import any_place
from ludus.rng import below
from ludus.rules import MAX_ACTIONS
from ludus.settings import setting

INTENDED, PUBLISHED, NEURAL, UNIFORM, NEVER = range(5)
"""How a phase is played: by a reading of the tree (the second program drafted a little differently: NEURAL), with
every legal action equally likely, or, for stops, never. All readings stop alike."""


def _set_of(member: np.ndarray) -> int:
    return sum(1 << card for card in range(CARDS) if member[card])


TRACTORS, REPULSORS, NORMALS = _set_of(PULL > 0), _set_of(MOVE < 0), _set_of(MOVE > 0)
LOW, HIGH = _set_of((MOVE > 0) & (MOVE <= 3)), _set_of(MOVE >= 8)
REMAINING = NORMALS & ~LOW & ~HIGH
BELOW_7, UPTO_8, FROM_3 = _set_of((MOVE > 0) & (MOVE < 7)), _set_of((MOVE > 0) & (MOVE <= 8)), _set_of(MOVE >= 3)

# ------------------------------------------------------------------------------------------------ sets of cards


@rule
def first_in(cards):
    """The alphabetically first card of a set that is not empty."""
    return CARD_OF_BIT[(cards & -cards) % 37]


@rule
def any_of(cards, rng):
    """A random card of a set; nothing is drawn if there is only one."""
    n = count(cards)
    skip = below(rng, n) if n > 1 else 0
    for _ in range(skip):
        cards &= cards - 1
    return first_in(cards)


@rule
def weakest(cards):
    """The card of least value, alphabetically first among equals."""
    best = first_in(cards)
    while cards != 0:
        card = first_in(cards)
        if abs(MOVE[card]) < abs(MOVE[best]):
            best = card
        cards &= cards - 1
    return best


@rule
def strongest(cards):
    """The card of highest value, alphabetically first among equals."""
    best = first_in(cards)
    while cards != 0:
        card = first_in(cards)
        if abs(MOVE[card]) > abs(MOVE[best]):
            best = card
        cards &= cards - 1
    return best


# ------------------------------------------------------------------------------------------------ the trees


@rule
def tree_pick(state, player, reading, rng):
    """Figure 7: the card that shows on the stack to take."""
    table, hand = state.face_up, state.hand[player]
    if table & TRACTORS and not hand & TRACTORS:
        return any_of(table & TRACTORS, rng)
    if table & REPULSORS and not hand & REPULSORS:
        return any_of(table & REPULSORS, rng)
    wanted = wanted_normals(table, hand, reading)
    return first_in(wanted) if wanted else any_of(table, rng)


@rule
def wanted_normals(table, hand, reading):
    """The normals on the table that fill a gap in the hand. The text leaves open what follows low and high ones; any
    other normal that is not held is the natural next step."""
    if reading == INTENDED:
        for group in (LOW, HIGH, REMAINING):
            if table & group and not hand & group:
                return table & group
        return 0
    if table & FROM_3 and not hand & (BELOW_7 if reading == NEURAL else UPTO_8):
        return table & FROM_3
    if table & BELOW_7 and not hand & FROM_3:
        return table & BELOW_7
    return 0


@rule
def tree_card(state, player, reading, rng):
    """Figure 8: the card to play, by where gravity draws the ship now."""
    hand, direction = state.hand[player], attraction(state, player)
    if hand & (hand - 1) == 0:
        return first_in(hand)
    if direction == 0:
        if reading != INTENDED and hand & TRACTORS:
            return first_in(hand & TRACTORS)
        return any_of(hand, rng)
    onward = hand & (NORMALS if direction > 0 else REPULSORS)
    if onward:
        return strongest(onward) if reading == INTENDED else weakest(onward)
    if hand & TRACTORS:
        return first_in(hand & TRACTORS)
    return weakest(hand) if reading == INTENDED else strongest(hand)


@rule
def tree_stops(state, player):
    """Figure 9: stop a card that would move the ship backward."""
    return MOVE[state.played[player] - 1] * attraction(state, player) < 0


@rule
def tree_action(state, player, draft, play, stop, rng):
    """The tree's answer, whatever the phase; each of the three says how its phase is played (INTENDED, …)."""
    if state.phase == DRAFT:
        return PICK + (any_of(state.face_up, rng) if draft == UNIFORM else tree_pick(state, player, draft, rng))
    if state.phase == STOP:
        if stop == UNIFORM:
            return HALT if below(rng, 2) == 1 else GO
        return HALT if stop != NEVER and tree_stops(state, player) else GO
    hand = state.hand[player]
    return any_of(hand, rng) if play == UNIFORM else tree_card(state, player, play, rng)


# ------------------------------------------------------------------------------------------------ agents


@template
def choose_by_tree(views, players, words, draft, play, stop, out):
    for i in range(views.shape[0]):
        out[i] = tree_action(views[i], players[i], draft, play, stop, words[i])


@template
def choose_without_stops(views, players, words, out):
    menu = np.empty(MAX_ACTIONS, np.int32)
    for i in range(views.shape[0]):
        n = legal(views[i], players[i], menu)
        out[i] = menu[0] if views[i].phase == STOP else menu[any_place(n, words[i])]


@dataclass
class NoStop(Agent):
    """Every pick and card with the same probability, never an emergency stop."""

    name: ClassVar[str] = "nostop"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "gravwell"

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        self.game.kernel(choose_without_stops)(views, players, words, out)
        return out


READINGS = {"intended": INTENDED, "published": PUBLISHED}
DRAFTS = {**READINGS, "neural": NEURAL, "random": UNIFORM}
PLAYS = {**READINGS, "random": UNIFORM}
STOPS = {"tree": INTENDED, "random": UNIFORM, "never": NEVER}


@dataclass
class Tree(Agent):
    """The decision trees of the Gravitas paper, as its text means them or as its program ran them."""

    name: ClassVar[str] = "tree"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "gravwell"

    reading: str = setting("intended", "intended (the paper's text) or published (what its program did)")
    draft: str = setting("tree", "how to draft: tree (by the reading), intended, published, neural or random")
    play: str = setting("tree", "how to play cards: tree (by the reading), intended, published or random")
    stop: str = setting("tree", "when to stop: tree, random or never")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        by_reading = {"tree": _code("reading", self.reading, READINGS)}
        self._codes = (
            _code("draft", self.draft, by_reading | DRAFTS),
            _code("play", self.play, by_reading | PLAYS),
            _code("stop", self.stop, STOPS),
        )

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        self.game.kernel(choose_by_tree)(views, players, words, *self._codes, out)
        return out


def _code(field: str, value: str, codes: dict[str, int]) -> int:
    if value not in codes:
        raise BadSpec(f"tree: {field} is one of {', '.join(codes)}, not {value!r}")
    return codes[value]
