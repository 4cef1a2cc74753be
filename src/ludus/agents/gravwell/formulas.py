"""The neuro-evolved player of the Gravitas paper: a little formulas of sums, differences and products.

Its 30 inputs are whole numbers: value, type and order of the cards in eight slots, then the tiles of the own ship, of
the rivals in order of seat, and of the hulks. Their eight results are preferences for the slots; the card in the
preferred slot is played, the lower slot among equals. Arithmetic has 32 bits and wraps round. Stacks are picked at
random and emergency stops never used.

The published program fills its slots in the order of the draft. A hand is a set here, so slots are in alphabetical
order; as cards are played, later ones move up, as they did there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ludus.agent import Agent
from ludus.agents.gravwell.trees import any_of
from ludus.compile import rule, template
from ludus.errors import BadInput
from ludus.game import Game
from ludus.games._gravwell_text import DRAFT, GO, MOVE, PICK, PULL, STOP, SYMBOLS
from ludus.games.gravwell import SHIPS, list_cards
from ludus.runs import load_run
from ludus.settings import setting

METHOD, FORMER = "gravwell/formulas", "evolution"
"""What trains them, and how that was called before."""
SLOTS = 8  # a hand has at most six cards; the published program has room for eight
FOR_SLOT = 3
INPUTS = SLOTS * FOR_SLOT + SHIPS
ADD, SUBTRACT, MULTIPLY = OPERATIONS = range(3)

ENCODINGS = ("program", "text")
"""How types and orders of cards are written: as in the published program (0, 1, 2 and the letter's ASCII code), or as
in the paper's text (1, 2, 3 and 1 … 26)."""

_TYPE = np.where(PULL > 0, 2, np.where(MOVE < 0, 1, 0))
_LETTER = np.array([ord(symbol[0]) for symbol in SYMBOLS])
CARD_INPUTS = np.stack([
    np.stack([abs(MOVE) + PULL, _TYPE, _LETTER], 1),
    np.stack([abs(MOVE) + PULL, 1 + _TYPE, 1 + np.arange(len(SYMBOLS))], 1),
])  # fmt: skip
"""The three numbers of a card, by encoding."""

# ------------------------------------------------------------------------------------------------ formulas


class Operation(NamedTuple):
    """One node: what it does to which two earlier places. Its layer says what may be put on top of it."""

    layer: int
    kind: int
    left: int
    right: int


@dataclass
class Formulas:
    """Places 0 … INPUTS-1 are the inputs, the operations follow; each works on earlier places only."""

    outputs: list[int]
    operations: list[Operation]

    def layer(self, place: int) -> int:
        return 0 if place < INPUTS else self.operations[place - INPUTS].layer

    def to_json(self) -> dict[str, Any]:
        return {"outputs": self.outputs, "operations": [list(operation) for operation in self.operations]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Formulas:
        found = cls(list(value["outputs"]), [Operation(*operation) for operation in value["operations"]])
        reach = [(k, *node[2:]) for k, node in enumerate(found.operations)] + [(len(found.operations), *found.outputs)]
        if len(found.outputs) != SLOTS or any(not 0 <= place < INPUTS + k for k, *places in reach for place in places):
            raise ValueError("a formula works on a place that is not there")
        return found


class Packed(NamedTuple):
    """Candidates as arrays, one row each, padded to the longest."""

    lengths: np.ndarray  # int64[g]
    operations: np.ndarray  # int64[g, operation, (layer, kind, left, right)]
    outputs: np.ndarray  # int64[g, slot]


def pack(candidates: Sequence[Formulas]) -> Packed:
    lengths = np.array([len(formulas.operations) for formulas in candidates])
    operations = np.zeros((len(candidates), max(1, lengths.max()), len(Operation._fields)), np.int64)
    for g, formulas in enumerate(candidates):
        if formulas.operations:
            operations[g, : lengths[g]] = formulas.operations
    return Packed(lengths, operations, np.array([formulas.outputs for formulas in candidates]))


# ------------------------------------------------------------------------------------------------ playing


@rule
def wrapped(number):
    """The number as 32-bit arithmetic leaves it."""
    return (number + 0x80000000 & 0xFFFFFFFF) - 0x80000000


@rule
def calculate(packed, g, values):
    """Run those of row g on the inputs at the head of `values`."""
    for k in range(packed.lengths[g]):
        node = packed.operations[g, k]
        left, right = values[node[2]], values[node[3]]
        if node[1] == ADD:
            values[INPUTS + k] = wrapped(left + right)
        elif node[1] == SUBTRACT:
            values[INPUTS + k] = wrapped(left - right)
        else:
            values[INPUTS + k] = wrapped(left * right)


@rule
def read_inputs(view, player, hand, cards, card_inputs, values):
    for slot in range(SLOTS):
        place = slot * FOR_SLOT
        values[place], values[place + 1], values[place + 2] = 1, 0, 0  # an empty slot
        if slot < cards:
            for k in range(FOR_SLOT):
                values[place + k] = card_inputs[hand[slot], k]
    n = view.players
    for ship in range(SHIPS):
        seat = (player + ship) % n if ship < n else ship
        values[SLOTS * FOR_SLOT + ship] = view.tile[seat] if ship < view.ships else 0


@rule
def formulas_action(view, player, packed, g, card_inputs, rng, hand, values):
    """What the formulas of row g say; random picks, no stops."""
    if view.phase == STOP:
        return GO
    if view.phase == DRAFT:
        return PICK + any_of(view.face_up, rng)
    cards = list_cards(view.hand[player], 0, hand)
    read_inputs(view, player, hand, cards, card_inputs, values)
    calculate(packed, g, values)
    best = 0
    for slot in range(1, cards):
        if values[packed.outputs[g, slot]] > values[packed.outputs[g, best]]:
            best = slot
    return hand[best]


# ------------------------------------------------------------------------------------------------ the agent


@template
def choose_by_formulas(views, players, words, packed, card_inputs, hand, values, out):
    for i in range(views.shape[0]):
        out[i] = formulas_action(views[i], players[i], packed, 0, card_inputs, words[i], hand, values)


@dataclass
class Evolved(Agent):
    """Formulas bred by `ludus train gravwell/formulas`, the scheme of the Gravitas paper."""

    name: ClassVar[str] = "formulas"
    compiled: ClassVar[bool] = True
    only_for: ClassVar[str] = "gravwell"

    run: str = setting("", "run folder, or the name of a run that comes with the package")

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        folder = load_run(self.run, METHOD, game, FORMER)
        packed = folder.load("best.json", lambda content: pack([Formulas.from_json(json.loads(content))]))
        if packed is None:
            raise BadInput(f"{self.run} holds no formulas yet: its training has not finished a generation")
        self._packed = packed
        self._card_inputs = CARD_INPUTS[ENCODINGS.index(folder.settings["settings"]["encoding"])]

    def act_many(self, views: np.ndarray, players: np.ndarray, words: np.ndarray) -> np.ndarray:
        out = np.empty(len(views), np.int32)
        hand = np.empty(self.game.facts.max_actions, np.int32)
        values = np.empty(INPUTS + self._packed.operations.shape[1], np.int64)
        self.game.kernel(choose_by_formulas)(views, players, words, self._packed, self._card_inputs, hand, values, out)
        return out
